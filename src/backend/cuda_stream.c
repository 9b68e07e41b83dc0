/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on a caller's stream. */
#include "cuda_worker.h"

static modblas_status identify(mb_worker *worker, void *stream, uint64_t *id, bool *captured)
{
    unsigned long long found = 0;
    enum cudaStreamCaptureStatus capture;
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaStreamIsCapturing, stream, &capture);
    if (capture == cudaStreamCaptureStatusInvalidated)
        MB_TRY(mb_fail(MODBLAS_EINVAL, "the stream's capture was invalidated before this call"));
    *captured = capture == cudaStreamCaptureStatusActive;
    /* Nothing stays with a capture, and its stream is not asked. */
    if (!*captured)
        MB_CUDA(cudaStreamGetId, stream, &found);
    *id = found;
fail:
    return mb_cuda_leave(status);
}

/* Later work on `to` starts after what is on `from`. */
static modblas_status follow(mb_worker *worker, cudaStream_t to, cudaStream_t from)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaEventRecord, worker->order, from);
    MB_CUDA(cudaStreamWaitEvent, to, worker->order, 0);
fail:
    return mb_cuda_leave(status);
}

static modblas_status enter(mb_worker *worker, void *stream)
{
    return follow(worker, worker->stream, stream);
}

static modblas_status leave(mb_worker *worker, void *stream)
{
    return follow(worker, stream, worker->stream);
}

static void blame(mb_worker *worker, mb_blame blame)
{
    worker->faults = &worker->words[blame];
}

static uint32_t faults(mb_worker *worker, mb_blame blame)
{
    uint32_t *word = &worker->words[blame];
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0)
        return 0;
    return __atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE);
}

static modblas_status mark(mb_worker *worker, void *stream)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaEventRecord, worker->done, stream);
fail:
    return mb_cuda_leave(status);
}

static modblas_status done(mb_worker *worker, bool wait, bool *reached)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    const cudaError_t found = wait ? cudaSuccess : cudaEventQuery(worker->done);
    *reached = found != cudaErrorNotReady;
    if (wait)
        MB_CUDA(cudaEventSynchronize, worker->done);
    else if (*reached)
        MB_TRY(mb_cuda_status(found, "cudaEventQuery"));
fail:
    return mb_cuda_leave(status);
}

const mb_streams mb_cuda_streams = {
    .identify = identify,
    .enter = enter,
    .leave = leave,
    .blame = blame,
    .faults = faults,
    .begin = mb_cuda_begin,
    .end = mb_cuda_end,
    .launch = mb_cuda_launch,
    .drop = mb_cuda_drop,
    .mark = mark,
    .done = done,
};
