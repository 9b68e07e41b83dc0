/* SPDX-License-Identifier: BSD-3-Clause */
#include "deferred.h"

#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 96, LAUNCHES = 64, STREAMS = 256 };

struct mb_replay {
    test_job *job;
    int count, next;
    bool made, stale;
    mb_worker *joined[MB_MAX_FOLDS]; /* workers that the record's first one brought into it */
    int joins;
};

typedef struct worker {
    mb_worker host; /* the first member: the host's functions see it alone */
    uint32_t words[MB_BLAMES];
    uint32_t *faults;
    mb_replay *replay;
    test_stream *joins; /* jobs go to this stream's capture */
    test_stream *marked;
    int mark; /* launches on it before the mark */
} worker;

struct test_stream {
    uint64_t id;
    bool captured;
    mb_replay capture;
    int first, last; /* launches done and ordered so far */
    mb_replay launch[LAUNCHES];
    mb_worker *by[LAUNCHES];
};

static atomic_int records, revised, made;
static atomic_int most_workers;
static _Atomic(const void *) hidden;
static atomic_ullong next_id = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of streams */

static worker *of(mb_worker *w)
{
    return (worker *)w;
}

static modblas_status keep(mb_replay *r, const test_job *j)
{
    if (r->job == NULL)
        r->job = calloc(JOBS, sizeof *r->job);
    if (r->job == NULL || r->count == JOBS)
        return mb_fail(MODBLAS_EINTERNAL, "deferred: more than %d jobs", (int)JOBS);
    r->job[r->count++] = *j;
    return MODBLAS_OK;
}

static modblas_status send(mb_worker *w, test_job *j)
{
    mb_replay *r = of(w)->replay;
    j->faults = of(w)->faults;
    if (of(w)->joins != NULL)
        return keep(&of(w)->joins->capture, j);
    if (r == NULL)
        return test_job_do(w, j);
    if (!r->made)
        return keep(r, j);
    test_job *old = r->next < r->count ? &r->job[r->next++] : NULL;
    if (old == NULL || old->sort != j->sort ||
        (j->sort == TEST_JOB_GEMM && memcmp(&old->gemm, &j->gemm, sizeof j->gemm) != 0)) {
        r->stale = true;
        return MODBLAS_OK;
    }
    if (memcmp(old, j, sizeof *j) != 0)
        atomic_fetch_add(&revised, 1);
    *old = *j;
    return MODBLAS_OK;
}

static modblas_status split(mb_worker *w, const mb_split_job *given)
{
    test_job j;
    memset(&j, 0, sizeof j);
    j.sort = TEST_JOB_SPLIT;
    j.split = *given;
    j.split.cut = NULL;
    j.cut = *given->cut;
    return send(w, &j);
}

static modblas_status join(mb_worker *w, const mb_join_job *given)
{
    test_job j;
    memset(&j, 0, sizeof j);
    j.sort = TEST_JOB_JOIN;
    j.join = *given;
    j.join.mod = NULL;
    j.mod = *given->mod;
    if (given->join != NULL)
        j.how = *given->join;
    return send(w, &j);
}

static modblas_status gemm(mb_worker *w, const mb_gemm_job *given)
{
    test_job j;
    memset(&j, 0, sizeof j);
    j.sort = TEST_JOB_GEMM;
    j.gemm = *given;
    return send(w, &j);
}

static modblas_status worker_create(mb_worker **w, int device)
{
    (void)device;
    int most = atomic_load(&most_workers);
    if (most > 0 && atomic_fetch_add(&made, 1) + 1 >= most)
        return mb_fail(MODBLAS_ENOMEM, "deferred: no more workers");
    worker *new = calloc(1, sizeof *new);
    if (new == NULL)
        return mb_fail(MODBLAS_ENOMEM, "deferred: no memory");
    new->faults = new->words;
    *w = &new->host;
    return MODBLAS_OK;
}

static void worker_destroy(mb_worker *w)
{
    free(w);
}

static modblas_status wait_for(mb_worker *w, uint32_t *faults)
{
    *faults |= __atomic_exchange_n(&of(w)->words[MB_BLAME_CALL], 0, __ATOMIC_RELAXED);
    return MODBLAS_OK;
}

static modblas_status locate(mb_worker *w, const modblas_matrix *view, mb_place *place)
{
    (void)w;
    *place = view->data != NULL && view->data == atomic_load(&hidden) ? MB_PLACE_STAGED
                                                                      : MB_PLACE_DIRECT;
    return MODBLAS_OK;
}

static void rates(int device, mb_rates *r)
{
    mb_backend_host()->rates(device, r);
    memset(r->plain, 0, sizeof r->plain);
}

/* ---- streams -------------------------------------------------------------------------------- */

static modblas_status identify(mb_worker *w, void *stream, uint64_t *id, bool *captured)
{
    (void)w;
    const test_stream *s = stream;
    *id = s->id;
    *captured = s->captured;
    return MODBLAS_OK;
}

static modblas_status enter(mb_worker *w, void *stream)
{
    test_stream *s = stream;
    if (s->captured)
        of(w)->joins = s;
    else
        test_stream_do(s);
    return MODBLAS_OK;
}

static modblas_status leave(mb_worker *w, void *stream)
{
    (void)stream;
    of(w)->joins = NULL;
    return MODBLAS_OK;
}

static void blame(mb_worker *w, mb_blame blame)
{
    of(w)->faults = &of(w)->words[blame];
}

/* What follows a worker in a record is part of it. */
static modblas_status after(mb_worker *w, mb_worker *other)
{
    mb_replay *r = of(other)->replay;
    if (r == NULL || r->made || of(w)->replay == r)
        return MODBLAS_OK;
    if (r->joins == MB_MAX_FOLDS)
        return mb_fail(MODBLAS_EINTERNAL, "deferred: too many workers in a record");
    of(w)->replay = r;
    r->joined[r->joins++] = w;
    return MODBLAS_OK;
}

static uint32_t faults(mb_worker *w, mb_blame blame)
{
    return __atomic_exchange_n(&of(w)->words[blame], 0, __ATOMIC_RELAXED);
}

static modblas_status begin(mb_worker *w, mb_replay **replay)
{
    if (*replay == NULL) {
        *replay = calloc(1, sizeof **replay);
        atomic_fetch_add(&records, 1);
    }
    (*replay)->next = 0;
    of(w)->replay = *replay;
    return MODBLAS_OK;
}

static void drop(mb_worker *w, mb_replay *replay)
{
    (void)w;
    if (replay != NULL)
        free(replay->job);
    free(replay);
}

static modblas_status end(mb_worker *w, mb_replay **replay, bool failed, bool *stale)
{
    mb_replay *r = *replay;
    of(w)->replay = NULL;
    for (int i = 0; i < r->joins; i++)
        of(r->joined[i])->replay = NULL;
    *stale = r->made && (r->stale || r->next != r->count);
    r->made = true;
    if (failed || *stale) {
        drop(w, r);
        *replay = NULL;
    }
    return MODBLAS_OK;
}

/* The jobs as they are now. */
static mb_replay copy_of(const mb_replay *r)
{
    mb_replay copy = {.count = r->count, .job = calloc(JOBS, sizeof *r->job)};
    memcpy(copy.job, r->job, (size_t)r->count * sizeof *r->job);
    return copy;
}

static modblas_status do_all(mb_worker *w, const mb_replay *r)
{
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < r->count && status == MODBLAS_OK; i++)
        status = test_job_do(w, &r->job[i]);
    return status;
}

static modblas_status launch(mb_worker *w, mb_replay *replay, void *stream, bool own)
{
    test_stream *s = stream;
    if (own)
        return do_all(w, replay);
    pthread_mutex_lock(&lock);
    s->by[s->last % LAUNCHES] = w;
    s->launch[s->last++ % LAUNCHES] = copy_of(replay);
    pthread_mutex_unlock(&lock);
    return MODBLAS_OK;
}

static modblas_status mark(mb_worker *w, void *stream)
{
    pthread_mutex_lock(&lock);
    of(w)->marked = stream;
    of(w)->mark = ((test_stream *)stream)->last;
    pthread_mutex_unlock(&lock);
    return MODBLAS_OK;
}

static modblas_status done(mb_worker *w, bool wait, bool *reached)
{
    test_stream *s = of(w)->marked;
    if (s != NULL && wait)
        test_stream_do(s);
    pthread_mutex_lock(&lock);
    *reached = s == NULL || s->first >= of(w)->mark;
    pthread_mutex_unlock(&lock);
    return MODBLAS_OK;
}

/* Workers may ask for a stream that is gone: its memory stays. */
test_stream *test_stream_make(void)
{
    static test_stream streams_of_all[STREAMS];
    uint64_t id = atomic_fetch_add(&next_id, 1);
    test_stream *s = id < STREAMS ? &streams_of_all[id] : NULL;
    if (s != NULL)
        s->id = id;
    return s;
}

void test_stream_free(test_stream *stream)
{
    test_stream_do(stream);
    free(stream->capture.job);
}

void test_stream_do(test_stream *stream)
{
    pthread_mutex_lock(&lock);
    for (; stream->first < stream->last; stream->first++) {
        mb_replay *r = &stream->launch[stream->first % LAUNCHES];
        (void)do_all(stream->by[stream->first % LAUNCHES], r);
        free(r->job);
    }
    pthread_mutex_unlock(&lock);
}

int test_stream_waiting(const test_stream *stream)
{
    return stream->last - stream->first;
}

void test_stream_capture(test_stream *stream, bool on)
{
    stream->captured = on;
}

void test_stream_play(const test_stream *stream)
{
    mb_worker *w = NULL;
    (void)worker_create(&w, 0);
    (void)do_all(w, &stream->capture);
    worker_destroy(w);
}

void test_deferred_count(int *made_records, int *revised_jobs)
{
    *made_records = atomic_exchange(&records, 0);
    *revised_jobs = atomic_exchange(&revised, 0);
}

void test_deferred_hide(const void *data)
{
    atomic_store(&hidden, data);
}

void test_deferred_workers(int n)
{
    atomic_store(&made, 0);
    atomic_store(&most_workers, n);
}

static const mb_streams streams = {
    .identify = identify,
    .enter = enter,
    .leave = leave,
    .blame = blame,
    .faults = faults,
    .begin = begin,
    .end = end,
    .launch = launch,
    .drop = drop,
    .mark = mark,
    .done = done,
};

static int two_workers(int device)
{
    (void)device;
    return 2;
}

const mb_backend *test_deferred(void)
{
    static mb_backend deferred;
    mb_backend b = *mb_backend_host();
    b.name = "deferred";
    b.synchronous = false;
    b.default_workers = two_workers;
    b.rates = rates;
    b.worker_create = worker_create;
    b.worker_destroy = worker_destroy;
    b.wait = wait_for;
    b.locate = locate;
    b.split = split;
    b.join = join;
    b.gemm = gemm;
    b.plain = NULL;
    b.after = after;
    b.streams = &streams;
    deferred = b;
    return &deferred;
}
