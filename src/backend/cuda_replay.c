/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of a worker as a CUDA graph. While it is recorded they are captured; later the same jobs
 * are compared with those of the record: a kernel of ours whose arguments differ gets new ones,
 * and a library's jobs, which see workspace only, must be the same. */
#include "cuda_worker.h"

#include <stdlib.h>
#include <string.h>

typedef enum sort { KIND_SPLIT, KIND_JOIN, KIND_FUSED, KIND_THIN, KIND_LIBRARY } sort;

/* One job as it was sent last. */
typedef struct entry {
    sort kind;
    cudaGraphNode_t node;
    union {
        struct {
            mb_cut cut;
            mb_split_args args;
        } split;
        struct {
            mb_join join;
            mb_join_args args;
        } join;
        struct {
            mb_fused_args args;
            uint32_t moduli[MB_MAX_PLANES];
        } fused;
        mb_thin_args thin;
        mb_gemm_job library;
    } as;
} entry;

struct mb_replay {
    cudaGraph_t graph;
    cudaGraphExec_t exec; /* NULL while it is recorded */
    entry *entries;
    int count, room;
    int next;   /* the entry that the next job is compared with */
    bool stale; /* a job was not that of the record */
};

static modblas_status keep(mb_replay *r, const entry *job)
{
    if (r->count == r->room) {
        const int room = r->room ? 2 * r->room : 8;
        entry *more = realloc(r->entries, (size_t)room * sizeof *more);
        if (more == NULL)
            return mb_fail(MODBLAS_ENOMEM, "no memory to record a product");
        r->entries = more;
        r->room = room;
    }
    r->entries[r->count++] = *job;
    return MODBLAS_OK;
}

/* A new entry for a kernel that was just captured: its node is what the stream now ends in. */
static modblas_status append(mb_worker *worker, const entry *job)
{
    modblas_status status;
    mb_replay *r = worker->replay;
    enum cudaStreamCaptureStatus capture;
    unsigned long long id;
    const cudaGraphNode_t *last = NULL;
    const cudaGraphEdgeData *edges = NULL;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    MB_CUDA(cudaStreamGetCaptureInfo, worker->stream, &capture, &id, NULL, &last, &edges, &count);
#else
    MB_CUDA(cudaStreamGetCaptureInfo_v3, worker->stream, &capture, &id, NULL, &last, &edges,
            &count);
#endif
    if (count != 1)
        return mb_fail(MODBLAS_EINTERNAL, "a recorded job has %zu ends", count);
    MB_TRY(keep(r, job));
    r->entries[r->count - 1].node = last[0];
fail:
    return status;
}

/* The entry of the next job if it has the kind; else the record is stale. */
static entry *next_of(mb_replay *r, sort kind)
{
    if (r->stale || r->next == r->count || r->entries[r->next].kind != kind) {
        r->stale = true;
        return NULL;
    }
    return &r->entries[r->next++];
}

modblas_status mb_cuda_send_split(mb_worker *worker, const mb_cut *cut, const mb_split_args *args)
{
    modblas_status status = MODBLAS_OK;
    mb_replay *r = worker->replay;
    if (r == NULL || r->exec == NULL)
        MB_CUDA(mb_launch_split, cut, args, worker->stream);
    if (r == NULL)
        return MODBLAS_OK;
    if (r->exec == NULL)
        return append(worker, &(entry){.kind = KIND_SPLIT, .as.split = {*cut, *args}});
    entry *old = next_of(r, KIND_SPLIT);
    if (old == NULL || (memcmp(&old->as.split.args, args, sizeof *args) == 0 &&
                        memcmp(&old->as.split.cut, cut, sizeof *cut) == 0))
        return MODBLAS_OK;
    MB_CUDA(mb_revise_split, cut, args, r->exec, old->node);
    old->as.split.cut = *cut;
    old->as.split.args = *args;
fail:
    return status;
}

modblas_status mb_cuda_send_join(mb_worker *worker, const mb_join *join, const mb_join_args *args)
{
    modblas_status status = MODBLAS_OK;
    mb_replay *r = worker->replay;
    if (r == NULL || r->exec == NULL)
        MB_CUDA(mb_launch_join, join, args, worker->stream);
    if (r == NULL)
        return MODBLAS_OK;
    if (r->exec == NULL)
        return append(worker, &(entry){.kind = KIND_JOIN, .as.join = {*join, *args}});
    entry *old = next_of(r, KIND_JOIN);
    if (old == NULL || (memcmp(&old->as.join.args, args, sizeof *args) == 0 &&
                        memcmp(&old->as.join.join, join, sizeof *join) == 0))
        return MODBLAS_OK;
    MB_CUDA(mb_revise_join, join, args, r->exec, old->node);
    old->as.join.join = *join;
    old->as.join.args = *args;
fail:
    return status;
}

#if MODBLAS_HAVE_HOPPER
modblas_status mb_cuda_send_fused(mb_worker *worker, const mb_fused_args *args)
{
    modblas_status status = MODBLAS_OK;
    mb_replay *r = worker->replay;
    if (r == NULL || r->exec == NULL)
        MB_CUDA(mb_launch_fused, args, worker->stream);
    if (r == NULL)
        return MODBLAS_OK;
    entry job = {.kind = KIND_FUSED, .as.fused.args = *args};
    job.as.fused.args.moduli = NULL;
    memcpy(job.as.fused.moduli, args->moduli, (size_t)args->count * sizeof *args->moduli);
    if (r->exec == NULL)
        return append(worker, &job);
    entry *old = next_of(r, KIND_FUSED);
    if (old == NULL || memcmp(&old->as.fused, &job.as.fused, sizeof job.as.fused) == 0)
        return MODBLAS_OK;
    MB_CUDA(mb_revise_fused, args, r->exec, old->node);
    old->as = job.as;
fail:
    return status;
}

/* What clears the sums first sees workspace only. */
modblas_status mb_cuda_send_thin(mb_worker *worker, const mb_thin_args *args)
{
    modblas_status status = MODBLAS_OK;
    mb_replay *r = worker->replay;
    if (r == NULL || r->exec == NULL)
        MB_CUDA(mb_launch_thin, args, worker->stream);
    if (r == NULL)
        return MODBLAS_OK;
    if (r->exec == NULL)
        return append(worker, &(entry){.kind = KIND_THIN, .as.thin = *args});
    entry *old = next_of(r, KIND_THIN);
    if (old == NULL || memcmp(&old->as.thin, args, sizeof *args) == 0)
        return MODBLAS_OK;
    r->stale = old->as.thin.C != args->C || old->as.thin.ldc != args->ldc;
    MB_CUDA(mb_revise_thin, args, r->exec, old->node);
    old->as.thin = *args;
fail:
    return status;
}
#endif

/* The batch itself, however many calls a library makes of it. */
modblas_status mb_cuda_send_library(mb_worker *worker, const mb_gemm_job *job, bool *skip)
{
    mb_replay *r = worker->replay;
    *skip = r != NULL && r->exec != NULL;
    if (r == NULL)
        return MODBLAS_OK;
    entry sent = {.kind = KIND_LIBRARY, .as.library = *job};
    if (!*skip)
        return keep(r, &sent);
    const entry *old = next_of(r, KIND_LIBRARY);
    if (old != NULL && memcmp(&old->as.library, job, sizeof *job) != 0)
        r->stale = true;
    return MODBLAS_OK;
}

void mb_cuda_drop(mb_worker *worker, mb_replay *replay)
{
    if (replay == NULL)
        return;
    if (mb_cuda_enter(worker->device) == MODBLAS_OK) {
        if (replay->exec)
            (void)cudaGraphExecDestroy(replay->exec);
        if (replay->graph)
            (void)cudaGraphDestroy(replay->graph);
        (void)cudaGetLastError();
        (void)mb_cuda_leave(MODBLAS_OK);
    }
    free(replay->entries);
    free(replay);
}

modblas_status mb_cuda_begin(mb_worker *worker, mb_replay **replay)
{
    modblas_status status;
    if (*replay != NULL) {
        (*replay)->next = 0;
        worker->replay = *replay;
        return MODBLAS_OK;
    }
    mb_replay *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to record a product");
    status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK) {
        free(made);
        return status;
    }
    MB_CUDA(cudaStreamBeginCapture, worker->stream, cudaStreamCaptureModeRelaxed);
    worker->replay = *replay = made;
    made = NULL;
fail:
    free(made);
    return mb_cuda_leave(status);
}

/* The end of a record: an executable graph, or nothing. */
static modblas_status finish(mb_worker *worker, mb_replay *r, bool failed)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaStreamEndCapture, worker->stream, &r->graph);
    if (!failed)
        MB_CUDA(cudaGraphInstantiate, &r->exec, r->graph, 0);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_end(mb_worker *worker, mb_replay **replay, bool failed, bool *stale)
{
    modblas_status status = MODBLAS_OK;
    mb_replay *r = *replay;
    worker->replay = NULL;
    *stale = false;
    if (r->exec == NULL)
        status = finish(worker, r, failed);
    else
        *stale = r->stale || r->next != r->count;
    if (status != MODBLAS_OK || failed || *stale) {
        mb_cuda_drop(worker, r);
        *replay = NULL;
    }
    return status;
}

modblas_status mb_cuda_launch(mb_worker *worker, mb_replay *replay, void *stream, bool own)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaGraphLaunch, replay->exec, own ? worker->stream : (cudaStream_t)stream);
fail:
    return mb_cuda_leave(status);
}
