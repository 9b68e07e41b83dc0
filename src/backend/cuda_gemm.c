/* SPDX-License-Identifier: BSD-3-Clause */
/* GEMMs by cuBLAS. Row-major C = A*B^T is column-major C^T = B*A^T: cuBLAS's first operand is B,
 * transposed, its second A as it lies. That is the one layout in which INT8 is fast. */
#include "cuda_worker.h"

/* One call over all planes beats one call each up to here (977 against 643 Tops/s at n = 2048 on
 * an H200) and loses beyond, most of all for thin shapes. */
enum { BATCH_LIMIT = 2048 };

/* What a product is to cuBLAS; scalars are of the type that the sums have. */
typedef struct kind {
    cudaDataType in, out;
    cublasComputeType_t compute;
    const void *one, *zero;
} kind;

static kind kind_of(const mb_worker *worker, const mb_engine *engine)
{
    static const int32_t one_i32 = 1, zero_i32 = 0;
    static const double one_f64 = 1, zero_f64 = 0;
    if (engine->in == MB_ELEMENT_I8)
        return (kind){CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, &one_i32, &zero_i32};
    return (kind){CUDA_R_64F, CUDA_R_64F,
                  worker->pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F, &one_f64,
                  &zero_f64};
}

static modblas_status gemm_batched(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status;
    const kind g = kind_of(worker, job->engine);
    MB_CUBLAS(cublasGemmStridedBatchedEx_64, worker->blas, CUBLAS_OP_T, CUBLAS_OP_N, job->n,
              job->m, job->k, g.one, job->B, g.in, job->ldb, job->stride_b, job->A, g.in, job->lda,
              job->stride_a, g.zero, job->C, g.out, job->ldc, job->stride_c, job->count, g.compute,
              CUBLAS_GEMM_DEFAULT);
fail:
    return status;
}

static modblas_status gemm_single(mb_worker *worker, const mb_gemm_job *job, int i)
{
    modblas_status status;
    const kind g = kind_of(worker, job->engine);
    const int64_t in = (int64_t)mb_element_size(job->engine->in);
    const int64_t out = (int64_t)mb_element_size(job->engine->acc);
    const char *A = (const char *)job->A + i * job->stride_a * in;
    const char *B = (const char *)job->B + i * job->stride_b * in;
    char *C = (char *)job->C + i * job->stride_c * out;
    MB_CUBLAS(cublasGemmEx_64, worker->blas, CUBLAS_OP_T, CUBLAS_OP_N, job->n, job->m, job->k,
              g.one, B, g.in, job->ldb, A, g.in, job->lda, g.zero, C, g.out, job->ldc, g.compute,
              CUBLAS_GEMM_DEFAULT);
fail:
    return status;
}

/* By our own kernel, all products in one launch. */
static modblas_status gemm_fused(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = MODBLAS_OK;
#if MODBLAS_HAVE_HOPPER
    const mb_fused_args args = {
        .A = job->A,
        .B = job->B,
        .C = job->C,
        .m = job->m,
        .n = job->n,
        .k = job->k,
        .lda = job->lda,
        .ldb = job->ldb,
        .ldc = job->ldc,
        .stride_a = job->stride_a,
        .stride_b = job->stride_b,
        .stride_c = job->stride_c,
        .count = job->count,
        .moduli = job->moduli,
        .digits = job->digits,
    };
    MB_TRY(mb_cuda_send_fused(worker, &args));
fail:
    return status;
#else
    (void)worker;
    status = mb_fail(MODBLAS_EINTERNAL, "%d products cannot be reduced in this build", job->count);
    return status;
#endif
}

/* Thin: by our own kernel, too. */
static modblas_status gemm_thin(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = MODBLAS_OK;
#if MODBLAS_HAVE_HOPPER
    const mb_thin_args args = {
        .A = job->A,
        .B = job->B,
        .C = job->C,
        .m = job->m,
        .k = job->k,
        .n = (int)job->n,
        .terms = job->count,
        .lda = job->lda,
        .ldb = job->ldb,
        .ldc = job->ldc,
        .term_stride = job->stride_c,
        .longest_k = job->longest_k,
        .a_unsigned = job->bytes_a,
    };
    MB_TRY(mb_cuda_send_thin(worker, &args));
fail:
    return status;
#else
    (void)worker;
    status =
        mb_fail(MODBLAS_EINTERNAL, "a thin product of %d terms is not in this build", job->count);
    return status;
#endif
}

static modblas_status gemm(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = MODBLAS_OK;
    bool skip = false;
    const bool small = job->m <= BATCH_LIMIT && job->n <= BATCH_LIMIT && job->k <= BATCH_LIMIT;
    if (job->thin)
        return gemm_thin(worker, job);
    if (job->moduli != NULL)
        return gemm_fused(worker, job);
    MB_TRY(mb_cuda_send_library(worker, job, &skip));
    if (skip)
        return MODBLAS_OK;
    if (job->count > 1 && small)
        return gemm_batched(worker, job);
    for (int i = 0; i < job->count; i++)
        MB_TRY(gemm_single(worker, job, i));
fail:
    return status;
}

modblas_status mb_cuda_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    if (job->engine != &mb_engine_i8 && job->engine != &mb_engine_f64)
        return mb_fail(MODBLAS_EINTERNAL, "the CUDA backend has no engine %s", job->engine->name);
    if (job->m == 0 || job->n == 0)
        return MODBLAS_OK;
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(gemm(worker, job));
}
