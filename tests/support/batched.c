/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched.h"

#include "entry.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static mb_backend batched;
static _Atomic int64_t fused;
static _Atomic uint32_t met; /* faults since the last wait */

static modblas_matrix operand(const mb_batch_product *p, int i)
{
    return (modblas_matrix){.data = p->data[i],
                            .type = (modblas_type)p->type[i],
                            .rows = i == 1 ? p->n : p->m,
                            .cols = i == 2 ? p->n : p->k,
                            .row_stride = p->row[i],
                            .col_stride = p->col[i]};
}

/* The number whose bytes, less 128 each, are the entry's digits. */
static uint64_t digits_of(const modblas_matrix *M, int64_t r, int64_t c, const mb_cut *cut,
                          uint32_t *fault)
{
    const void *at = test_at(M, r, c);
    uint64_t entered;
    if (M->type == MODBLAS_F32)
        entered = mb_enter_double((double)*(const float *)at, cut, fault);
    else if (M->type == MODBLAS_F64)
        entered = mb_enter_double(*(const double *)at, cut, fault);
    else if (M->type >= MODBLAS_I8)
        entered = mb_enter_signed((int64_t)test_get(M, r, c), cut, fault);
    else
        entered = mb_enter_unsigned((uint64_t)test_get(M, r, c), cut, fault);
    return mb_cut_u(entered, 0, cut);
}

static int64_t digit(uint64_t u, int t)
{
    return (int64_t)(u >> 8 * t & 255) - 128;
}

static modblas_status entry(const mb_batch_product *p, const mb_batch_rule *rule, int digits,
                            int64_t r, int64_t c, uint32_t *faults)
{
    const modblas_matrix A = operand(p, 0), B = operand(p, 1), C = operand(p, 2);
    const mb_cut a = mb_batch_cut(rule, 0), b = mb_batch_cut(rule, 1);
    int64_t sum[MB_BATCH_SUMS] = {0};
    uint32_t fault_a = 0, fault_b = 0;
    for (int64_t j = 0; j < p->k; j++) {
        const uint64_t x = digits_of(&A, r, j, &a, &fault_a);
        const uint64_t y = digits_of(&B, c, j, &b, &fault_b);
        if (digits < 8 && (x >> 8 * digits || y >> 8 * digits))
            return mb_fail(MODBLAS_EINTERNAL, "batched: more than %d digits", digits);
        for (int t = 0; t < digits; t++)
            for (int u = 0; u < digits; u++)
                sum[t + u] += digit(x, t) * digit(y, u);
    }
    mb_u128 v = {rule->constant, 0};
    for (int w = 0; w < 2 * digits - 1; w++) {
        if ((uint64_t)llabs(sum[w]) > rule->bias)
            return mb_fail(MODBLAS_EINTERNAL, "batched: a sum beyond its bound");
        v = mb_batch_add(v, (int32_t)sum[w], w, digits, rule);
    }
    uint64_t x = mb_batch_finish(v, digits, rule);
    uint32_t fault_c = 0;
    if (p->beta != 0 && C.type == MODBLAS_F64)
        mb_enter_double(*(const double *)test_at(&C, r, c), &a, &fault_c);
    *faults |= (fault_c & MB_FAULT_NOTINT) << 2;
    if (p->beta != 0 && fault_c == 0)
        x = mb_addmod(
            x, mb_mulmod(test_residue(test_get(&C, r, c), rule->mod.n), p->beta, &rule->mod),
            &rule->mod);
    test_set(&C, r, c, test_stored(x, C.type, rule->mod.n));
    *faults |= fault_a << p->swapped | fault_b << (1 - p->swapped);
    return MODBLAS_OK;
}

static modblas_status tile(const mb_batch_job *job, const mb_batch_tile *t, uint32_t *faults)
{
    modblas_status status = MODBLAS_OK;
    const mb_batch_product *p = &job->products[t->product];
    const int64_t row = t->row * MB_BATCH_TILE, columns = mb_batch_columns(job->digits);
    const int64_t column = t->column * columns;
    if (row >= p->m || column >= p->n || (int)t->rule >= job->rule_count ||
        (int)t->product >= job->product_count || p->k > MB_BATCH_LONGEST_K)
        return mb_fail(MODBLAS_EINTERNAL, "batched: a tile outside its product");
    for (int64_t r = row; r < p->m && r < row + MB_BATCH_TILE; r++)
        for (int64_t c = column; c < p->n && c < column + columns; c++)
            MB_TRY(entry(p, &job->rules[t->rule], job->digits, r, c, faults));
fail:
    return status;
}

static modblas_status batch(mb_worker *worker, const mb_batch_job *job)
{
    modblas_status status = MODBLAS_OK;
    uint32_t faults = 0;
    (void)worker;
    for (int i = 0; i < job->tile_count; i++)
        MB_TRY(tile(job, &job->tiles[i], &faults));
    atomic_fetch_add(&fused, job->product_count);
    atomic_fetch_or(&met, faults);
fail:
    return status;
}

static modblas_status span(mb_worker *worker, const void *p, uintptr_t *begin, uintptr_t *end,
                           mb_place *place)
{
    (void)worker;
    *begin = (uintptr_t)p / 64 * 64;
    *end = *begin + 64;
    *place = MB_PLACE_DIRECT;
    return MODBLAS_OK;
}

static modblas_status wait(mb_worker *worker, uint32_t *faults)
{
    *faults |= atomic_exchange(&met, 0);
    return mb_backend_host()->wait(worker, faults);
}

/* Memory of its own, as a device has it, for the tests alone: everything is DIRECT. */
static modblas_status copy(mb_worker *worker, const modblas_matrix *dst, const modblas_matrix *src)
{
    (void)worker;
    for (int64_t i = 0; i < src->rows; i++)
        for (int64_t j = 0; j < src->cols; j++)
            memcpy(test_at(dst, i, j), test_at(src, i, j), test_type_size(src->type));
    return MODBLAS_OK;
}

const mb_backend *test_batched(void)
{
    batched = *mb_backend_host();
    batched.name = "batched";
    batched.batch = batch;
    batched.batch_step = 1;
    batched.span = span;
    batched.wait = wait;
    batched.upload = copy;
    batched.download = copy;
    return &batched;
}

void test_batched_step(int step)
{
    batched.batch_step = step;
}

int64_t test_batched_count(void)
{
    return atomic_exchange(&fused, 0);
}
