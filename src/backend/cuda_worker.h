/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the CUDA backend share. */
#ifndef MB_CUDA_WORKER_H
#define MB_CUDA_WORKER_H

#include "../../kernels/kernels.h"
#include "backend.h"

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

/* A device, kept from its first use to the end of the process. */
typedef struct mb_cuda_device {
    int ordinal;
    CUcontext context;  /* the primary one */
    cudaMemPool_t pool; /* our own: the process's default pool stays as its owner set it */
    cudaEvent_t epoch;
} mb_cuda_device;

/* Each half of the staging buffer. */
enum { MB_STAGING_BYTES = 16 << 20 };

struct mb_worker {
    const mb_cuda_device *device;
    cudaStream_t stream;
    cublasHandle_t blas;
    void *blas_workspace;
    bool pedantic;
    uint32_t *words; /* faults of each mb_blame: pinned memory, the device's as it is the host's */
    uint32_t *faults; /* that of the jobs which are ordered now */
    cudaEvent_t order;
    cudaEvent_t done;         /* the end of what was ordered on a caller's stream */
    mb_replay *replay;        /* jobs are recorded there, or revised */
    unsigned char *half[2];   /* pinned; made by mb_cuda_staging */
    cudaEvent_t half_free[2]; /* the last copy from or to the half */
    int next_half;            /* of batches */
    cudaEvent_t stamp[MB_MAX_STAMPS];
};

/* OK, or a failure whose detail names the call; the runtime's last error is cleared. */
modblas_status mb_cuda_status(cudaError_t error, const char *call);
modblas_status mb_cublas_status(cublasStatus_t error, const char *call);

/* MB_TRY of a call by its name and arguments. */
#define MB_CUDA(call, ...) MB_TRY(mb_cuda_status(call(__VA_ARGS__), #call))
#define MB_CUBLAS(call, ...) MB_TRY(mb_cublas_status(call(__VA_ARGS__), #call))

/* ---- cuda_device.c -------------------------------------------------------------------------- */

modblas_status mb_cuda_device_open(const mb_cuda_device **device, int ordinal);

/* Make the device's primary context current on the calling thread, and see to it that nothing the
 * thread does breaks a capture in another; leave puts back what was before enter, and returns
 * `status`, or its own failure if that is OK. They nest. */
modblas_status mb_cuda_enter(const mb_cuda_device *device);
modblas_status mb_cuda_leave(modblas_status status);

/* cublasDestroy synchronises the device, which breaks a capture in another thread whatever the
 * mode: handles are kept for other workers instead. Requires the device to be entered. */
modblas_status mb_cuda_handle_take(cublasHandle_t *handle, const mb_cuda_device *device);
void mb_cuda_handle_keep(cublasHandle_t handle, const mb_cuda_device *device);

int mb_cuda_device_count(void);
modblas_status mb_cuda_device_info(int device, modblas_device_info *info);
int mb_cuda_default_workers(int device);
void mb_cuda_rates(int device, mb_rates *rates);
bool mb_cuda_fuses(int device);
bool mb_cuda_thins(int device);

/* The allocation of device memory around p; p alone if the driver does not say. Requires the
 * device to be entered. */
void mb_cuda_range(const void *p, uintptr_t *begin, uintptr_t *end);

/* ---- cuda_worker.c -------------------------------------------------------------------------- */

modblas_status mb_cuda_worker_create(mb_worker **worker, int device);
void mb_cuda_worker_destroy(mb_worker *worker);
modblas_status mb_cuda_alloc(mb_worker *worker, void **pointer, size_t bytes);
void mb_cuda_free(mb_worker *worker, void *pointer);
modblas_status mb_cuda_after(mb_worker *worker, mb_worker *other);
modblas_status mb_cuda_wait(mb_worker *worker, uint32_t *faults);
modblas_status mb_cuda_mark(mb_worker *worker, int slot);
modblas_status mb_cuda_stamp(mb_worker *worker, int slot, double *seconds);

/* Makes the staging halves if they are not there. Requires the device to be entered. */
modblas_status mb_cuda_staging(mb_worker *worker);

/* ---- cuda_stream.c -------------------------------------------------------------------------- */

extern const mb_streams mb_cuda_streams;

/* ---- cuda_replay.c -------------------------------------------------------------------------- */

modblas_status mb_cuda_begin(mb_worker *worker, mb_replay **replay);
modblas_status mb_cuda_end(mb_worker *worker, mb_replay **replay, bool failed, bool *stale);
modblas_status mb_cuda_launch(mb_worker *worker, mb_replay *replay, void *stream, bool own);
void mb_cuda_drop(mb_worker *worker, mb_replay *replay);

/* Jobs of our own kernels: launched, or recorded, or revised. */
modblas_status mb_cuda_send_split(mb_worker *worker, const mb_cut *cut, const mb_split_args *args);
modblas_status mb_cuda_send_join(mb_worker *worker, const mb_join *join, const mb_join_args *args);
modblas_status mb_cuda_send_thin(mb_worker *worker, const mb_thin_args *args);
modblas_status mb_cuda_send_fused(mb_worker *worker, const mb_fused_args *args);

/* A library's job: *skip if it is part of a replay already. */
modblas_status mb_cuda_send_library(mb_worker *worker, const mb_gemm_job *job, bool *skip);

/* ---- cuda_memory.c -------------------------------------------------------------------------- */

modblas_status mb_cuda_locate(mb_worker *worker, const modblas_matrix *view, mb_place *place);
modblas_status mb_cuda_upload(mb_worker *worker, const modblas_matrix *dst,
                              const modblas_matrix *src);
modblas_status mb_cuda_download(mb_worker *worker, const modblas_matrix *dst,
                                const modblas_matrix *src);

/* ---- cuda_gemm.c ---------------------------------------------------------------------------- */

modblas_status mb_cuda_gemm(mb_worker *worker, const mb_gemm_job *job);

/* ---- cuda_batch.c --------------------------------------------------------------------------- */

modblas_status mb_cuda_batch(mb_worker *worker, const mb_batch_job *job);
modblas_status mb_cuda_span(mb_worker *worker, const void *p, uintptr_t *begin, uintptr_t *end,
                            mb_place *place);

/* ---- cuda.c --------------------------------------------------------------------------------- */

extern const mb_backend mb_cuda_table;

#endif
