/* SPDX-License-Identifier: BSD-3-Clause */
/* Known answers at the bound: an engine that saturates, rounds or emulates is found out before it
 * is used. (Without VNNI oneDNN's INT8 product saturates; with FP64 emulation switched on by
 * environment variables cuBLAS's DGEMM rounds.) */
#include "selftest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer products are tried on corners only, whose answer is known without a loop. */
enum { RANDOM_LENGTH = 1024 };

typedef enum { CORNERS, RANDOM } filling;

/* One GEMM with operands on the host (a, b, c) and in workspace (A, B, C). */
typedef struct {
    const mb_backend *backend;
    mb_worker *worker;
    const mb_engine *engine;
    int64_t m, n, k;
    int64_t low, high; /* of operands: k products of them reach S, or nearly */
    void *a, *b, *c;
    void *A, *B, *C;
    const uint32_t *modulus; /* NULL; or the GEMM leaves the sums mod it ... */
    int digits;              /* ... of one product, or of two digits */
    bool thin, bytes_a;      /* or is thin, on unsigned bytes */
} proof;

static void put(void *data, mb_element element, int64_t i, int64_t value)
{
    if (element == MB_ELEMENT_I8)
        ((int8_t *)data)[i] = (int8_t)value;
    else if (element == MB_ELEMENT_F32)
        ((float *)data)[i] = (float)value;
    else
        ((double *)data)[i] = (double)value;
}

static int64_t get(const void *data, mb_element element, int64_t i)
{
    if (element == MB_ELEMENT_I8)
        return ((const int8_t *)data)[i];
    if (element == MB_ELEMENT_U8)
        return ((const uint8_t *)data)[i];
    if (element == MB_ELEMENT_U16)
        return ((const uint16_t *)data)[i];
    if (element == MB_ELEMENT_I32)
        return ((const int32_t *)data)[i];
    if (element == MB_ELEMENT_I64)
        return ((const int64_t *)data)[i];
    if (element == MB_ELEMENT_F32)
        return (int64_t)((const float *)data)[i];
    return (int64_t)((const double *)data)[i];
}

/* Rows of corners are constant, alternately the highest and the lowest operand; unsigned bytes of
 * the lowest are read as 256 more. */
static int64_t corner_of(const proof *p, int64_t row)
{
    return row & 1 ? p->low : p->high;
}

static int64_t corner_of_a(const proof *p, int64_t row)
{
    const int64_t corner = corner_of(p, row);
    return p->bytes_a && corner < 0 ? corner + 256 : corner;
}

static void fill(const proof *p, void *data, int64_t rows, filling how, uint64_t seed)
{
    uint64_t span = (uint64_t)(p->high - p->low) + 1, state = seed;
    for (int64_t i = 0; i < rows * p->k; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        int64_t corner = corner_of(p, i / p->k);
        int64_t random = p->low + (int64_t)((state >> 33) % span);
        put(data, p->engine->in, i, how == CORNERS ? corner : random);
    }
}

/* Moves rows x cols elements to workspace, or back. */
static modblas_status move(const proof *p, void *to, void *from, mb_element element, int64_t rows,
                           int64_t cols, bool up)
{
    modblas_matrix dst = modblas_row_major(to, mb_element_type(element), rows, cols, cols);
    modblas_matrix src = modblas_row_major(from, mb_element_type(element), rows, cols, cols);
    if (p->backend->upload == NULL)
        memcpy(to, from, (size_t)(rows * cols) * mb_element_size(element));
    else if (up)
        return p->backend->upload(p->worker, &dst, &src);
    else
        return p->backend->download(p->worker, &dst, &src);
    return MODBLAS_OK;
}

static mb_element sum_of(const proof *p)
{
    if (p->thin)
        return MB_ELEMENT_I64;
    if (p->modulus == NULL)
        return p->engine->acc;
    return p->digits == 1 ? MB_ELEMENT_U8 : MB_ELEMENT_U16;
}

static int64_t answer(const proof *p, filling how, int64_t row, int64_t col)
{
    const mb_element in = p->engine->in, in_a = p->bytes_a ? MB_ELEMENT_U8 : in;
    int64_t sum = how == CORNERS ? p->k * corner_of_a(p, row) * corner_of(p, col) : 0;
    for (int64_t j = 0; how == RANDOM && j < p->k; j++)
        sum += get(p->a, in_a, row * p->k + j) * get(p->b, in, col * p->k + j);
    if (p->modulus == NULL)
        return sum;
    int64_t m = *p->modulus;
    sum *= p->digits == 1 ? 1 : 257;
    return (sum % m + m) % m;
}

static bool is_right(const proof *p, filling how)
{
    for (int64_t i = 0; i < p->m * p->n; i++) {
        const int64_t row = p->thin ? i % p->m : i / p->n, col = p->thin ? i / p->m : i % p->n;
        if (get(p->c, sum_of(p), i) != answer(p, how, row, col))
            return false;
    }
    return true;
}

/* Products that a thin GEMM may sum in 32 bits. */
static int64_t longest_of(const proof *p)
{
    const uint64_t byte = 255, half = p->engine->most_negative;
    return mb_bound_longest_k(p->engine->S, p->bytes_a ? byte : half, half);
}

static modblas_status multiply(const proof *p, filling how, bool *right)
{
    modblas_status status = MODBLAS_OK;
    uint32_t faults = 0;
    mb_element in = p->engine->in, acc = sum_of(p);
    mb_gemm_job job = {.engine = p->engine,
                       .m = p->m,
                       .n = p->n,
                       .k = p->k,
                       .A = p->A,
                       .B = p->B,
                       .C = p->C,
                       .lda = p->k,
                       .ldb = p->k,
                       .ldc = p->thin ? p->m : p->n,
                       .count = 1,
                       .moduli = p->modulus,
                       .digits = p->digits,
                       .thin = p->thin,
                       .bytes_a = p->bytes_a,
                       .longest_k = longest_of(p)};
    fill(p, p->a, p->m, how, 1);
    fill(p, p->b, p->n, how, 2);
    memset(p->c, 0x55, (size_t)(p->m * p->n) * mb_element_size(acc));
    MB_TRY(move(p, p->A, p->a, in, p->m, p->k, true));
    MB_TRY(move(p, p->B, p->b, in, p->n, p->k, true));
    MB_TRY(move(p, p->C, p->c, acc, p->m, p->n, true));
    MB_TRY(p->backend->gemm(p->worker, &job));
    MB_TRY(move(p, p->c, p->C, acc, p->m, p->n, false));
    MB_TRY(p->backend->wait(p->worker, &faults));
    *right = is_right(p, how);
fail:
    return status;
}

static uint64_t square_root(uint64_t x)
{
    uint64_t r = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit /= 2) {
        if ((r + bit) * (r + bit) <= x)
            r += bit;
    }
    return r;
}

/* The widest operands whose k products stay exact. */
static void set_range(proof *p)
{
    const mb_engine *engine = p->engine;
    uint64_t most = p->thin ? engine->most_negative : square_root(engine->S / (uint64_t)p->k);
    p->low = -(int64_t)(most < engine->most_negative ? most : engine->most_negative);
    p->high = (int64_t)(most < engine->most_positive ? most : engine->most_positive);
}

/* One product of m x k by k x n, as shape says, of the kind that `like` is. Two digits of B are
 * the same plane. */
static modblas_status prove(mb_device *device, const mb_engine *engine, const int64_t shape[3],
                            const proof *like, bool *right)
{
    modblas_status status = MODBLAS_OK;
    int64_t m = shape[0], n = shape[1], k = shape[2];
    proof p = *like;
    p.backend = device->backend;
    p.worker = device->slot[0].worker;
    p.engine = engine;
    p.m = m;
    p.n = n;
    p.k = k;
    size_t in = mb_element_size(engine->in), acc = mb_element_size(sum_of(&p));
    p.a = malloc((size_t)(m * k) * in);
    p.b = malloc((size_t)(n * k) * in);
    p.c = malloc((size_t)(m * n) * acc);
    if (p.a == NULL || p.b == NULL || p.c == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the self-test"));
    MB_TRY(p.backend->alloc(p.worker, &p.A, (size_t)(m * k) * in));
    MB_TRY(p.backend->alloc(p.worker, &p.B, (size_t)(n * k) * in));
    MB_TRY(p.backend->alloc(p.worker, &p.C, (size_t)(m * n) * acc));
    set_range(&p);
    MB_TRY(multiply(&p, CORNERS, right));
    if (*right && k <= RANDOM_LENGTH)
        MB_TRY(multiply(&p, RANDOM, right));
fail:
    p.backend->free(p.worker, p.A);
    p.backend->free(p.worker, p.B);
    p.backend->free(p.worker, p.C);
    free(p.a);
    free(p.b);
    free(p.c);
    return status;
}

/* Shapes in units of the engine's align: an odd one, and a thin one as long as the bound allows.
 */
enum { SHAPES = 2 };
static void choose_shapes(const mb_engine *engine, int64_t shape[SHAPES][3])
{
    int64_t a = engine->align;
    int64_t longest = mb_bound_longest_k(engine->S, engine->most_negative, engine->most_negative);
    const int64_t chosen[SHAPES][3] = {{3 * a, 5 * a, 7 * a}, {a, a, longest - longest % a}};
    memcpy(shape, chosen, sizeof chosen);
}

static modblas_status test_engine(mb_device *device, int e)
{
    modblas_status status = MODBLAS_OK;
    int64_t shape[SHAPES][3];
    choose_shapes(device->caps.engine[e], shape);
    for (int i = 0; i < SHAPES && shape[i][2] > 0; i++) {
        const int64_t *s = shape[i];
        bool right = true;
        const proof sums = {.digits = 1};
        MB_TRY(prove(device, device->caps.engine[e], s, &sums, &right));
        if (!right)
            snprintf(device->caps.struck[e], MB_REASON_SIZE,
                     "struck off: its product of %" PRId64 " x %" PRId64 " x %" PRId64
                     " is inexact on this device",
                     s[0], s[2], s[1]);
    }
fail:
    return status;
}

/* GEMMs that leave residues, by each modulus of the engine, and of two digits. */
static modblas_status test_fused(mb_device *device, const mb_engine *engine)
{
    static const uint32_t of_two[] = {65536, 65521, 513, 512 + 256};
    const int twos = sizeof of_two / sizeof of_two[0];
    modblas_status status = MODBLAS_OK;
    int64_t shape[SHAPES][3];
    choose_shapes(engine, shape);
    for (int i = 0; i < engine->modulus_count && device->caps.fuses; i++) {
        const proof one = {.modulus = &engine->moduli[i], .digits = 1};
        MB_TRY(prove(device, engine, shape[i % SHAPES], &one, &device->caps.fuses));
    }
    for (int i = 0; i < twos && device->caps.fuses; i++) {
        const proof two = {.modulus = &of_two[i], .digits = 2};
        MB_TRY(prove(device, engine, shape[i % SHAPES], &two, &device->caps.fuses));
    }
fail:
    return status;
}

/* Thin GEMMs, one of them longer than sums of 32 bits. */
static modblas_status test_thin(mb_device *device, const mb_engine *engine)
{
    static const int64_t shape[][3] = {{300, 33, 112}, {3, 2, 270000}};
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < 4 && device->caps.thins; i++) {
        const proof thin = {.digits = 1, .thin = true, .bytes_a = i % 2 == 0};
        MB_TRY(prove(device, engine, shape[i / 2], &thin, &device->caps.thins));
    }
fail:
    return status;
}

modblas_status mb_selftest(mb_device *device)
{
    modblas_status status = MODBLAS_OK;
    for (int e = 0; e < MB_MAX_ENGINES && device->caps.engine[e] != NULL; e++) {
        const mb_engine *engine = device->caps.engine[e];
        MB_TRY(test_engine(device, e));
        if (engine->in == MB_ELEMENT_I8)
            MB_TRY(test_fused(device, engine));
        if (engine->in == MB_ELEMENT_I8)
            MB_TRY(test_thin(device, engine));
    }
fail:
    return status;
}
