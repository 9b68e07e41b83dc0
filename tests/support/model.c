/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <inttypes.h>

/* Their largest modulus m has (m/2)^2 <= S; 2^(2 radix_bits - 2) <= S. */
static const uint32_t moduli_15[] = {7, 6, 5}, moduli_31[] = {11, 10, 9, 7};
static const uint32_t moduli_63[] = {15, 14, 13, 11}, moduli_127[] = {22, 21, 19, 17, 13};
static const uint32_t moduli_255[] = {31, 30, 29, 23, 19};

#define TINY(limit, bits, largest, unit)                                                          \
    {                                                                                             \
        .name = "tiny" #limit, .id = MODBLAS_ENGINE_I8, .S = limit, .most_negative = largest,     \
        .most_positive = largest, .in = MB_ELEMENT_I8, .acc = MB_ELEMENT_I32,                     \
        .bias = (uint64_t)1 << 31, .radix_bits = bits, .align = unit, .moduli = moduli_##limit,   \
        .modulus_count = sizeof moduli_##limit / sizeof moduli_##limit[0]                         \
    }

const mb_engine test_tiny[TEST_TINY_COUNT] = {
    TINY(15, 2, 3, 1),    TINY(31, 2, 5, 4),   TINY(63, 3, 7, 1),
    TINY(127, 4, 11, 16), TINY(255, 4, 15, 1),
};

/* The sums of the negative and of the positive products of two lines: partial sums in any order
 * lie between them. wide holds both. */
#define DOT(name, type, wide)                                                                     \
    static void name(const void *A, const void *B, int64_t k, __int128 end[2])                    \
    {                                                                                             \
        const type *a = A, *b = B;                                                                \
        wide sum = 0, magnitudes = 0;                                                             \
        for (int64_t j = 0; j < k; j++) {                                                         \
            wide p = (wide)a[j] * (wide)b[j];                                                     \
            sum += p;                                                                             \
            magnitudes += p < 0 ? -p : p;                                                         \
        }                                                                                         \
        end[0] = (sum - magnitudes) / 2;                                                          \
        end[1] = (sum + magnitudes) / 2;                                                          \
    }
DOT(dot_i8, int8_t, int64_t)
DOT(dot_f32, float, __int128)
DOT(dot_f64, double, __int128)

static void dot(mb_element type, const char *a, const char *b, int64_t k, __int128 end[2])
{
    if (type == MB_ELEMENT_I8)
        dot_i8(a, b, k, end);
    else if (type == MB_ELEMENT_F32)
        dot_f32(a, b, k, end);
    else
        dot_f64(a, b, k, end);
}

static double element(const void *data, mb_element type, int64_t i)
{
    if (type == MB_ELEMENT_I8)
        return ((const int8_t *)data)[i];
    return type == MB_ELEMENT_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void store(void *C, mb_element type, int64_t at, int64_t sum)
{
    if (type == MB_ELEMENT_I32)
        ((int32_t *)C)[at] = (int32_t)sum;
    else if (type == MB_ELEMENT_F32)
        ((float *)C)[at] = (float)sum;
    else
        ((double *)C)[at] = (double)sum;
}

static modblas_status check_operand(const mb_engine *engine, const void *data, int64_t lines,
                                    int64_t ld, int64_t k)
{
    for (int64_t i = 0; i < lines * k; i++) {
        double x = element(data, engine->in, i / k * ld + i % k);
        if (x < -(double)engine->most_negative || x > (double)engine->most_positive)
            return mb_fail(MODBLAS_EINTERNAL, "model: an operand of %s is %.0f", engine->name, x);
    }
    return MODBLAS_OK;
}

static modblas_status gemm_one(const mb_gemm_job *job, int i)
{
    modblas_status status = MODBLAS_OK;
    const mb_engine *engine = job->engine;
    int64_t size = (int64_t)mb_element_size(engine->in);
    const char *A = (const char *)job->A + i * job->stride_a * size;
    const char *B = (const char *)job->B + i * job->stride_b * size;
    MB_TRY(check_operand(engine, A, job->m, job->lda, job->k));
    MB_TRY(check_operand(engine, B, job->n, job->ldb, job->k));
    for (int64_t at = 0; at < job->m * job->n; at++) {
        int64_t r = at / job->n, c = at % job->n;
        __int128 end[2];
        dot(engine->in, A + r * job->lda * size, B + c * job->ldb * size, job->k, end);
        if (-end[0] > (__int128)engine->S || end[1] > (__int128)engine->S)
            MB_TRY(mb_fail(MODBLAS_EINTERNAL, "model: a sum of %" PRId64 " products passes %s's S",
                           job->k, engine->name));
        store(job->C, engine->acc, i * job->stride_c + r * job->ldc + c,
              (int64_t)(end[0] + end[1]));
    }
fail:
    return status;
}

static modblas_status gemm(mb_worker *worker, const mb_gemm_job *job)
{
    (void)worker;
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < job->count && status == MODBLAS_OK; i++)
        status = gemm_one(job, i);
    return status;
}

static void rates(int device, mb_rates *out)
{
    (void)device;
    *out = (mb_rates){.gemm = {1e9, 1e9, 1e9}, .bytes = 1e9, .launch = 1e-7};
}

void test_model_make(mb_backend *backend, const mb_engine *const *engines, int count)
{
    *backend = *mb_backend_host();
    backend->name = "model";
    backend->gemm = gemm;
    backend->rates = rates;
    for (int e = 0; e < MB_MAX_ENGINES; e++)
        backend->engine[e] = e < count ? engines[e] : NULL;
}
