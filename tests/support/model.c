/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <inttypes.h>
#include <stdlib.h>

/* Their largest modulus m has (m/2)^2 <= S; 2^(2 radix_bits - 2) <= S. */
static const uint32_t moduli_15[] = {7, 6, 5}, moduli_31[] = {11, 10, 9, 7};
static const uint32_t moduli_63[] = {15, 14, 13, 11}, moduli_127[] = {22, 21, 19, 17, 13};
static const uint32_t moduli_255[] = {31, 30, 29, 23, 19};

#define TINY(limit, bits, largest)                                                                \
    {                                                                                             \
        .name = "tiny" #limit, .id = MODBLAS_ENGINE_I8, .S = limit, .most_negative = largest,     \
        .most_positive = largest, .in = MB_ELEMENT_I8, .acc = MB_ELEMENT_I32,                     \
        .bias = (uint64_t)1 << 31, .radix_bits = bits, .align = 1, .moduli = moduli_##limit,      \
        .modulus_count = sizeof moduli_##limit / sizeof moduli_##limit[0]                         \
    }

const mb_engine test_tiny[TEST_TINY_COUNT] = {TINY(15, 2, 3), TINY(31, 2, 5), TINY(63, 3, 7),
                                              TINY(127, 4, 11), TINY(255, 4, 15)};

typedef struct {
    mb_element type;
    const void *data;
    int64_t at; /* first element of the line */
} line;

static int64_t element(const line *v, int64_t j)
{
    switch (v->type) {
    case MB_ELEMENT_I8:
        return ((const int8_t *)v->data)[v->at + j];
    case MB_ELEMENT_F32:
        return (int64_t)((const float *)v->data)[v->at + j];
    case MB_ELEMENT_F64:
        return (int64_t)((const double *)v->data)[v->at + j];
    default:
        abort();
    }
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

static bool fits(const mb_engine *engine, int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x <= engine->most_negative : (uint64_t)x <= engine->most_positive;
}

/* One entry. Partial sums in any order lie between the sum of the negative products and that of
 * the positive ones. */
static modblas_status dot(const mb_engine *engine, const line *a, const line *b, int64_t k,
                          int64_t *sum)
{
    __int128 end[2] = {0, 0};
    for (int64_t j = 0; j < k; j++) {
        int64_t x = element(a, j), y = element(b, j);
        if (!fits(engine, x) || !fits(engine, y))
            return mb_fail(MODBLAS_EINTERNAL, "model: %" PRId64 " * %" PRId64 " on %s", x, y,
                           engine->name);
        __int128 p = (__int128)x * y;
        end[p < 0] += p;
    }
    if (end[0] > (__int128)engine->S || -end[1] > (__int128)engine->S)
        return mb_fail(MODBLAS_EINTERNAL, "model: a sum of %" PRId64 " products passes %s's S", k,
                       engine->name);
    *sum = (int64_t)(end[0] + end[1]);
    return MODBLAS_OK;
}

static modblas_status gemm_one(const mb_gemm_job *job, int i)
{
    modblas_status status = MODBLAS_OK;
    for (int64_t r = 0; r < job->m; r++) {
        line a = {job->engine->in, job->A, i * job->stride_a + r * job->lda};
        for (int64_t c = 0; c < job->n && status == MODBLAS_OK; c++) {
            line b = {job->engine->in, job->B, i * job->stride_b + c * job->ldb};
            int64_t sum = 0;
            status = dot(job->engine, &a, &b, job->k, &sum);
            store(job->C, job->engine->acc, i * job->stride_c + r * job->ldc + c, sum);
        }
    }
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
