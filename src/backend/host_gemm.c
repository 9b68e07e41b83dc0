/* SPDX-License-Identifier: BSD-3-Clause */
/* GEMMs of the host's engines: f64 and f32 by a CBLAS, i8 by oneDNN where its INT8 product is
 * exact on this CPU, plain C otherwise. One thread each: our workers are the parallelism. */
#include "../../kernels/residue.h"
#include "host_panel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MODBLAS_HAVE_CBLAS
#include <cblas.h>
#endif
#if MODBLAS_HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif
#if MODBLAS_HAVE_OPENMP
#include <omp.h>
#endif

/* One product of a job, in plain C: blocks of 4 columns share the loads of A. */
#define PLAIN_GEMM(name, in, acc)                                                                 \
    MB_MANY_TARGETS static void name(int64_t m, int64_t n, int64_t k, const in *A, int64_t lda,   \
                                     const in *B, int64_t ldb, acc *C, int64_t ldc)               \
    {                                                                                             \
        for (int64_t c = 0; c < n; c += 4) {                                                      \
            const in *b0 = B + c * ldb, *b1 = c + 1 < n ? b0 + ldb : b0;                          \
            const in *b2 = c + 2 < n ? b1 + ldb : b0, *b3 = c + 3 < n ? b2 + ldb : b0;            \
            for (int64_t r = 0; r < m; r++) {                                                     \
                acc sum[4] = {0, 0, 0, 0};                                                        \
                const in *a = A + r * lda;                                                        \
                for (int64_t j = 0; j < k; j++) {                                                 \
                    sum[0] += (acc)a[j] * (acc)b0[j];                                             \
                    sum[1] += (acc)a[j] * (acc)b1[j];                                             \
                    sum[2] += (acc)a[j] * (acc)b2[j];                                             \
                    sum[3] += (acc)a[j] * (acc)b3[j];                                             \
                }                                                                                 \
                for (int64_t x = 0; x < 4 && c + x < n; x++)                                      \
                    C[r * ldc + c + x] = sum[x];                                                  \
            }                                                                                     \
        }                                                                                         \
    }

PLAIN_GEMM(plain_i8, int8_t, int32_t)
PLAIN_GEMM(plain_f64, double, double)
PLAIN_GEMM(plain_f32, float, float)

static bool use_cblas, use_avx2;
#if MODBLAS_HAVE_DNNL
static bool use_dnnl;
#endif
static char i8_name[64] = "plain C int8";
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if MODBLAS_HAVE_DNNL
static bool dnnl_product(int64_t m, int64_t n, int64_t k, const int8_t *A, int64_t lda,
                         const int8_t *B, int64_t ldb, int32_t *C, int64_t ldc)
{
    const int32_t zero = 0;
    return dnnl_gemm_s8s8s32('N', 'T', 'F', m, n, k, 1.0F, A, lda, 0, B, ldb, 0, 0.0F, C, ldc,
                             &zero) == dnnl_success;
}

/* Without VNNI pairs of products saturate in 16 bits: all corners of the operand range, on an odd
 * shape. */
static bool dnnl_is_exact(void)
{
    enum { M = 5, N = 19, K = 256 };
    static const int8_t corner[] = {127, -128};
    static int8_t a[M * K], b[N * K];
    int32_t c[M * N];
    for (int pair = 0; pair < 4; pair++) {
        memset(a, corner[pair & 1], sizeof a);
        memset(b, corner[pair >> 1], sizeof b);
        if (!dnnl_product(M, N, K, a, K, b, K, c, N))
            return false;
        for (int i = 0; i < M * N; i++) {
            if (c[i] != K * corner[pair & 1] * corner[pair >> 1])
                return false;
        }
    }
    return true;
}
#endif

static int bound_threads(void)
{
#if MODBLAS_HAVE_OPENMP
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    return threads;
#else
    return 0;
#endif
}

static void restore_threads(int threads)
{
#if MODBLAS_HAVE_OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

static void choose(void)
{
    const char *wanted = getenv("MODBLAS_HOST_GEMM");
    if (wanted != NULL && strcmp(wanted, "plain") == 0)
        return;
    int threads = bound_threads();
    use_avx2 = mb_host_has_avx2();
    const char *own = use_avx2 ? "own int8 by AVX2" : "plain C int8";
    snprintf(i8_name, sizeof i8_name, "%s", own);
#if MODBLAS_HAVE_CBLAS
    use_cblas = true;
#endif
#if MODBLAS_HAVE_DNNL
    const dnnl_version_t *v = dnnl_version();
    use_dnnl = dnnl_is_exact();
    snprintf(i8_name, sizeof i8_name, "%s%soneDNN %d.%d.%d%s", use_dnnl ? "" : own,
             use_dnnl ? "" : " (", v->major, v->minor, v->patch,
             use_dnnl ? "" : " saturates here)");
#endif
    restore_threads(threads);
}

bool mb_host_gemm_is_fast(void)
{
    pthread_once(&once, choose);
#if MODBLAS_HAVE_DNNL
    return use_dnnl;
#else
    return false;
#endif
}

/* OpenBLAS pads its name with spaces. */
#if MODBLAS_HAVE_CBLAS && defined(OPENBLAS_VERSION)
#define CBLAS_NAME OPENBLAS_VERSION
#else
#define CBLAS_NAME "CBLAS"
#endif

void mb_host_gemm_libraries(char *text, size_t size)
{
    pthread_once(&once, choose);
    const char *name = use_cblas ? CBLAS_NAME : "plain C";
    name += strspn(name, " ");
    int length = (int)strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    snprintf(text, size, "%.*s, %s", length, name, i8_name);
}

static modblas_status gemm_i8(mb_worker *worker, const mb_gemm_job *job, const int8_t *A,
                              const int8_t *B, int32_t *C)
{
#if MODBLAS_HAVE_DNNL
    if (use_dnnl) {
        if (dnnl_product(job->m, job->n, job->k, A, job->lda, B, job->ldb, C, job->ldc))
            return MODBLAS_OK;
        return mb_fail(MODBLAS_EDEVICE, "oneDNN refused an INT8 product");
    }
#endif
#if MB_HOST_X86
    if (use_avx2) {
        mb_avx2_gemm_i8(worker->bytes, job->m, job->n, job->k, A, job->lda, B, job->ldb, C,
                        job->ldc);
        return MODBLAS_OK;
    }
#endif
    (void)worker;
    plain_i8(job->m, job->n, job->k, A, job->lda, B, job->ldb, C, job->ldc);
    return MODBLAS_OK;
}

/* CBLAS sizes are ints; planned tiles, chunks and leading dimensions are. */
#if MODBLAS_HAVE_CBLAS
#define GEMM_FLOAT(name, type, cblas, plain)                                                      \
    static void name(const mb_gemm_job *job, const type *A, const type *B, type *C)               \
    {                                                                                             \
        if (use_cblas)                                                                            \
            cblas(CblasRowMajor, CblasNoTrans, CblasTrans, (int)job->m, (int)job->n, (int)job->k, \
                  1, A, (int)job->lda, B, (int)job->ldb, 0, C, (int)job->ldc);                    \
        else                                                                                      \
            plain(job->m, job->n, job->k, A, job->lda, B, job->ldb, C, job->ldc);                 \
    }
#else
#define GEMM_FLOAT(name, type, cblas, plain)                                                      \
    static void name(const mb_gemm_job *job, const type *A, const type *B, type *C)               \
    {                                                                                             \
        plain(job->m, job->n, job->k, A, job->lda, B, job->ldb, C, job->ldc);                     \
    }
#endif

GEMM_FLOAT(gemm_f64, double, cblas_dgemm, plain_f64)
GEMM_FLOAT(gemm_f32, float, cblas_sgemm, plain_f32)

/* Residues of a run of sums of product i, to C from entry `at` on. */
static void reduce_sums(mb_worker *worker, const mb_gemm_job *job, int64_t i, int64_t at,
                        int64_t count)
{
    if (job->digits == 2) {
        const mb_pair rule = mb_pair_of(job->moduli[i]);
        for (int64_t c = 0; c < count; c++)
            ((uint16_t *)job->C)[at + c] =
                (uint16_t)mb_pair_reduce(worker->sums[0][c], worker->sums[1][c], &rule);
        return;
    }
    const mb_residue rule = mb_residue_of(job->moduli[i]);
    for (int64_t c = 0; c < count; c++)
        ((uint8_t *)job->C)[at + c] = (uint8_t)mb_residue_reduce(worker->sums[0][c], &rule);
}

/* Product i, which leaves residues: the twin of kernels/fused.cu. */
static modblas_status gemm_residues(mb_worker *worker, const mb_gemm_job *job, int64_t i)
{
    modblas_status status = MODBLAS_OK;
    mb_gemm_job row = *job;
    row.m = 1;
    row.ldc = MB_HOST_SUMS;
    for (int64_t r = 0; r < job->m; r++) {
        const int8_t *A = (const int8_t *)job->A + i * job->stride_a + r * job->lda;
        for (int64_t c = 0; c < job->n; c += row.n) {
            row.n = job->n - c < MB_HOST_SUMS ? job->n - c : MB_HOST_SUMS;
            for (int u = 0; u < job->digits; u++) {
                const int64_t plane = i * job->digits + u;
                MB_TRY(gemm_i8(worker, &row, A,
                               (const int8_t *)job->B + plane * job->stride_b + c * job->ldb,
                               worker->sums[u]));
            }
            reduce_sums(worker, job, i, i * job->stride_c + r * job->ldc + c, row.n);
        }
    }
fail:
    return status;
}

/* The twin of kernels/thin.cu for product i. */
static void gemm_thin(const mb_gemm_job *job, int64_t i)
{
    for (int64_t r = 0; r < job->m; r++) {
        const uint8_t *a = (const uint8_t *)job->A + r * job->lda;
        for (int64_t c = 0; c < job->n; c++) {
            const int8_t *b = (const int8_t *)job->B + i * job->stride_b + c * job->ldb;
            int64_t sum = 0;
            for (int64_t j = 0; j < job->k; j++)
                sum += (job->bytes_a ? a[j] : (int8_t)a[j]) * b[j];
            ((int64_t *)job->C)[i * job->stride_c + c * job->ldc + r] = sum;
        }
    }
}

modblas_status mb_host_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    pthread_once(&once, choose);
    modblas_status status = MODBLAS_OK;
    int threads = bound_threads();
    for (int64_t i = 0; i < job->count && status == MODBLAS_OK; i++) {
        int64_t a = i * job->stride_a, b = i * job->stride_b, c = i * job->stride_c;
        if (job->thin)
            gemm_thin(job, i);
        else if (job->moduli != NULL)
            status = gemm_residues(worker, job, i);
        else if (job->engine->in == MB_ELEMENT_I8)
            status = gemm_i8(worker, job, (const int8_t *)job->A + a, (const int8_t *)job->B + b,
                             (int32_t *)job->C + c);
        else if (job->engine->in == MB_ELEMENT_F32)
            gemm_f32(job, (const float *)job->A + a, (const float *)job->B + b,
                     (float *)job->C + c);
        else
            gemm_f64(job, (const double *)job->A + a, (const double *)job->B + b,
                     (double *)job->C + c);
    }
    restore_threads(threads);
    return status;
}
