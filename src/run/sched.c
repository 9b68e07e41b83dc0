/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched.h"

#include <string.h>

enum { DETAIL_SIZE = 4096 };

/* What the threads of one run share. */
typedef struct {
    const mb_team *team;
    void *call;
    int64_t count;
    mb_task *begin, *finish;
    int64_t next;
    pthread_mutex_t lock;
    modblas_status status; /* the first error */
    char detail[DETAIL_SIZE];
} run;

typedef struct {
    run *run;
    int worker;
} seat;

static void record(run *r, modblas_status status)
{
    pthread_mutex_lock(&r->lock);
    if (r->status == MODBLAS_OK) {
        strncpy(r->detail, modblas_detail(), DETAIL_SIZE - 1);
        __atomic_store_n(&r->status, status, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&r->lock);
}

/* Takes tasks until there are no more, or one failed. */
static void work(void *argument)
{
    const seat *s = argument;
    run *r = s->run;
    modblas_status status = MODBLAS_OK;
    while (status == MODBLAS_OK && __atomic_load_n(&r->status, __ATOMIC_RELAXED) == MODBLAS_OK) {
        int64_t task = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
        if (task >= r->count)
            return;
        status = r->begin(r->call, s->worker, task);
        if (status == MODBLAS_OK && r->finish != NULL)
            status = r->finish(r->call, s->worker, task);
    }
    if (status != MODBLAS_OK)
        record(r, status);
}

/* The calling thread is the first worker's; the others have helpers. One that cannot be had is
 * done without: the others take its tasks. */
static modblas_status run_on_threads(run *r)
{
    seat seats[MB_MAX_WORKERS];
    bool started[MB_MAX_WORKERS] = {false};
    int workers = r->team->count < r->count ? r->team->count : (int)r->count;
    pthread_mutex_init(&r->lock, NULL);
    for (int i = 0; i < workers; i++)
        seats[i] = (seat){r, i};
    for (int i = 1; i < workers; i++)
        started[i] = mb_helper_start(&r->team->slot[i]->helper, work, &seats[i]);
    if (workers > 0)
        work(&seats[0]);
    for (int i = 1; i < workers; i++) {
        if (started[i])
            mb_helper_wait(&r->team->slot[i]->helper);
    }
    pthread_mutex_destroy(&r->lock);
    return r->status == MODBLAS_OK ? MODBLAS_OK : mb_fail(r->status, "%s", r->detail);
}

/* Later jobs of every worker start after all earlier jobs of all workers. */
static modblas_status join_workers(const mb_team *team)
{
    const mb_backend *backend = team->device->backend;
    modblas_status status = MODBLAS_OK;
    for (int i = 1; i < team->count; i++)
        MB_TRY(backend->after(mb_team_worker(team, 0), mb_team_worker(team, i)));
    for (int i = 1; i < team->count; i++)
        MB_TRY(backend->after(mb_team_worker(team, i), mb_team_worker(team, 0)));
fail:
    return status;
}

static modblas_status run_in_order(const run *r)
{
    modblas_status status = MODBLAS_OK;
    int workers = r->team->count;
    for (int64_t t = 0; t < r->count + workers; t++) {
        int i = (int)(t % workers);
        if (r->finish != NULL && t >= workers && t - workers < r->count)
            MB_TRY(r->finish(r->call, i, t - workers));
        if (t < r->count)
            MB_TRY(r->begin(r->call, i, t));
    }
    return join_workers(r->team);
fail:
    return status;
}

modblas_status mb_sched_run(const mb_team *team, void *call, int64_t count, mb_task *begin,
                            mb_task *finish)
{
    run r = {.team = team, .call = call, .count = count, .begin = begin, .finish = finish};
    return team->device->backend->synchronous ? run_on_threads(&r) : run_in_order(&r);
}
