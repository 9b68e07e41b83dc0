/* SPDX-License-Identifier: BSD-3-Clause */
#include "crew.h"

#include "context.h"

#include <string.h>

enum { DETAIL_SIZE = 4096 };

typedef struct {
    mb_crew_task *task;
    void *call;
    int64_t count, next;
    pthread_mutex_t lock;
    modblas_status status; /* the first failure */
    char detail[DETAIL_SIZE];
} crew;

static void record(crew *c, modblas_status status)
{
    pthread_mutex_lock(&c->lock);
    if (c->status == MODBLAS_OK) {
        strncpy(c->detail, modblas_detail(), DETAIL_SIZE - 1);
        __atomic_store_n(&c->status, status, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&c->lock);
}

static void work(void *argument)
{
    crew *c = argument;
    while (__atomic_load_n(&c->status, __ATOMIC_RELAXED) == MODBLAS_OK) {
        const int64_t task = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);
        if (task >= c->count)
            return;
        const modblas_status status = c->task(c->call, task);
        if (status != MODBLAS_OK)
            record(c, status);
    }
}

modblas_status mb_crew_run(int threads, int64_t count, mb_crew_task *task, void *call)
{
    crew c = {.task = task, .call = call, .count = count};
    mb_helper helper[MB_MAX_WORKERS] = {{0}};
    bool started[MB_MAX_WORKERS] = {false};
    const int most = threads < MB_MAX_WORKERS ? threads : MB_MAX_WORKERS;
    const int others = most < count ? most - 1 : (int)count - 1;
    pthread_mutex_init(&c.lock, NULL);
    for (int i = 0; i < others; i++)
        started[i] = mb_helper_start(&helper[i], work, &c);
    work(&c);
    for (int i = 0; i < others; i++) {
        if (started[i])
            mb_helper_wait(&helper[i]);
        mb_helper_end(&helper[i]);
    }
    pthread_mutex_destroy(&c.lock);
    return c.status == MODBLAS_OK ? MODBLAS_OK : mb_fail(c.status, "%s", c.detail);
}
