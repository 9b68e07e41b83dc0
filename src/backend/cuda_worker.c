/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker: a stream, a cuBLAS handle bound to it once, and what jobs on it need. */
#include "cuda_worker.h"

#include <stdlib.h>
#include <string.h>

/* What cuBLAS itself takes on Hopper. */
enum { BLAS_WORKSPACE_BYTES = 32 << 20 };

/* With these set, FP64 GEMMs in default mode were seen wrong in every entry (cuBLAS 13.1). The
 * strategy set below puts them right there; pedantic mode does so on every version. */
static bool emulation_is_forced(void)
{
    return getenv("CUBLAS_EMULATE_DOUBLE_PRECISION") || getenv("CUBLAS_EMULATION_STRATEGY") ||
           getenv("CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT");
}

/* The order matters: setting the stream resets the workspace. */
static modblas_status make_blas(mb_worker *worker)
{
    modblas_status status;
    MB_TRY(mb_cuda_handle_take(&worker->blas, worker->device));
    MB_CUBLAS(cublasSetStream, worker->blas, worker->stream);
    MB_TRY(mb_cuda_alloc(worker, &worker->blas_workspace, BLAS_WORKSPACE_BYTES));
    MB_CUBLAS(cublasSetWorkspace, worker->blas, worker->blas_workspace, BLAS_WORKSPACE_BYTES);
    worker->pedantic = emulation_is_forced();
    MB_CUBLAS(cublasSetMathMode, worker->blas,
              worker->pedantic ? CUBLAS_PEDANTIC_MATH : CUBLAS_DEFAULT_MATH);
#if CUBLAS_VERSION >= 130100
    MB_CUBLAS(cublasSetEmulationStrategy, worker->blas, CUBLAS_EMULATION_STRATEGY_PERFORMANT);
#endif
fail:
    return status;
}

/* Kernels set bits in the host's memory: no call needs a copy to see that there are none. */
static modblas_status make_faults(mb_worker *worker)
{
    modblas_status status;
    void *words = NULL;
    MB_CUDA(cudaHostAlloc, &words, MB_BLAMES * sizeof *worker->words,
            cudaHostAllocMapped | cudaHostAllocPortable);
    worker->words = worker->faults = memset(words, 0, MB_BLAMES * sizeof *worker->words);
fail:
    return status;
}

static modblas_status make_parts(mb_worker *worker)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaStreamCreateWithFlags, &worker->stream, cudaStreamNonBlocking);
    MB_CUDA(cudaEventCreateWithFlags, &worker->order, cudaEventDisableTiming);
    MB_CUDA(cudaEventCreateWithFlags, &worker->done, cudaEventDisableTiming);
    MB_TRY(make_faults(worker));
    MB_TRY(make_blas(worker));
    MB_CUDA(cudaStreamSynchronize, worker->stream);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_worker_create(mb_worker **created, int ordinal)
{
    modblas_status status;
    mb_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return mb_fail(MODBLAS_ENOMEM, "a CUDA worker could not be allocated");
    MB_TRY(mb_cuda_device_open(&worker->device, ordinal));
    MB_TRY(make_parts(worker));
    *created = worker;
    return MODBLAS_OK;
fail:
    mb_cuda_worker_destroy(worker);
    return status;
}

static void destroy_event(cudaEvent_t event)
{
    if (event)
        (void)cudaEventDestroy(event);
}

static void destroy_parts(mb_worker *worker)
{
    (void)cudaStreamSynchronize(worker->stream);
    if (worker->blas)
        mb_cuda_handle_keep(worker->blas, worker->device);
    mb_cuda_free(worker, worker->blas_workspace);
    (void)cudaFreeHost(worker->words);
    for (int i = 0; i < 2; i++) {
        (void)cudaFreeHost(worker->half[i]);
        destroy_event(worker->half_free[i]);
    }
    for (int i = 0; i < MB_MAX_STAMPS; i++)
        destroy_event(worker->stamp[i]);
    destroy_event(worker->order);
    destroy_event(worker->done);
    (void)cudaStreamSynchronize(worker->stream);
    (void)cudaStreamDestroy(worker->stream);
    /* What no other worker uses goes back to the device. */
    (void)cudaMemPoolTrimTo(worker->device->pool, 0);
    (void)cudaGetLastError();
}

void mb_cuda_worker_destroy(mb_worker *worker)
{
    if (worker && worker->stream && mb_cuda_enter(worker->device) == MODBLAS_OK) {
        destroy_parts(worker);
        (void)mb_cuda_leave(MODBLAS_OK);
    }
    free(worker);
}

modblas_status mb_cuda_alloc(mb_worker *worker, void **pointer, size_t bytes)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaMallocFromPoolAsync, pointer, bytes ? bytes : 1, worker->device->pool,
            worker->stream);
fail:
    return mb_cuda_leave(status);
}

/* A failure to free is the device's, and shows in the next call that can report it. */
void mb_cuda_free(mb_worker *worker, void *pointer)
{
    if (!pointer || mb_cuda_enter(worker->device) != MODBLAS_OK)
        return;
    (void)cudaFreeAsync(pointer, worker->stream);
    (void)cudaGetLastError();
    (void)mb_cuda_leave(MODBLAS_OK);
}

static modblas_status record_order(mb_worker *worker)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaEventRecord, worker->order, worker->stream);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_after(mb_worker *worker, mb_worker *other)
{
    modblas_status status = record_order(other);
    if (status == MODBLAS_OK)
        status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaStreamWaitEvent, worker->stream, other->order, 0);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_wait(mb_worker *worker, uint32_t *faults)
{
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaStreamSynchronize, worker->stream);
    *faults |= __atomic_exchange_n(&worker->words[MB_BLAME_CALL], 0, __ATOMIC_ACQUIRE);
fail:
    return mb_cuda_leave(status);
}

/* In a capture the stamp is a node of the graph. */
modblas_status mb_cuda_mark(mb_worker *worker, int slot)
{
    enum cudaStreamCaptureStatus capture;
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    if (!worker->stamp[slot])
        MB_CUDA(cudaEventCreate, &worker->stamp[slot]);
    MB_CUDA(cudaStreamIsCapturing, worker->stream, &capture);
    MB_CUDA(cudaEventRecordWithFlags, worker->stamp[slot], worker->stream,
            capture == cudaStreamCaptureStatusActive ? cudaEventRecordExternal
                                                     : cudaEventRecordDefault);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_stamp(mb_worker *worker, int slot, double *seconds)
{
    float milliseconds = 0;
    modblas_status status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaEventElapsedTime, &milliseconds, worker->device->epoch, worker->stamp[slot]);
    *seconds = (double)milliseconds * 1e-3;
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_staging(mb_worker *worker)
{
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < 2; i++) {
        void *half = worker->half[i];
        if (!half)
            MB_CUDA(cudaHostAlloc, &half, MB_STAGING_BYTES, cudaHostAllocDefault);
        worker->half[i] = half;
        if (!worker->half_free[i])
            MB_CUDA(cudaEventCreateWithFlags, &worker->half_free[i], cudaEventDisableTiming);
    }
fail:
    return status;
}
