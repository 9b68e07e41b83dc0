/* SPDX-License-Identifier: BSD-3-Clause */
#include "case.h"

#include <math.h>

/* A plan for products of matrices of C's type. */
static modblas_status remake(mb_ready *r)
{
    modblas_plan_options options;
    const mb_case *w = &r->what;
    modblas_problem problem = {
        .m = w->m, .n = w->m, .k = w->m, .c = w->c, .a = w->c, .b = w->c, .N = w->N};
    modblas_plan_options_init(&options);
    options.scheme = w->scheme;
    options.engine = w->engine;
    modblas_plan_destroy(r->plan);
    r->plan = NULL;
    return modblas_plan_create(r->bench->context, &r->plan, &problem, &options);
}

static void copy_residues(const modblas_matrix *to, const modblas_matrix *from, uint64_t N)
{
    mb_mod mod = mb_mod_make(N);
    for (int64_t i = 0; i < from->rows; i++) {
        for (int64_t j = 0; j < from->cols; j++) {
            uint64_t r = mb_number_residue(mb_entry_get(from, i, j), &mod);
            mb_entry_set(to, i, j, mb_number_of_residue(r, to->type));
        }
    }
}

static modblas_status make(mb_ready *r, mb_operand *operand, const modblas_matrix *entries)
{
    modblas_status status = MODBLAS_OK;
    const mb_case *w = &r->what;
    MB_TRY(mb_operand_create(operand, r->bench->context, w->c, w->m, w->m, MB_ORDER_ROWS,
                             r->bench->on_device));
    copy_residues(&operand->host, entries, w->N);
    MB_TRY(mb_operand_push(operand, r->bench->context));
fail:
    return status;
}

/* result <- result * factor. */
static modblas_status multiply_by(mb_ready *r, mb_operand *result, const mb_operand *factor)
{
    double seconds = NAN;
    mb_ready product = *r;
    product.A = *result;
    product.B = *factor;
    modblas_status status = mb_ready_check(&product, &seconds);
    if (status != MODBLAS_OK)
        return status;
    mb_operand old = *result;
    *result = r->C;
    r->C = old;
    return MODBLAS_OK;
}

modblas_status mb_power(mb_ready *ready, uint64_t E, mb_operand *result)
{
    modblas_status status = MODBLAS_OK;
    mb_operand base = {.owned = NULL};
    *result = (mb_operand){.owned = NULL};
    if (ready->what.m != ready->what.k || ready->what.k != ready->what.n)
        return mb_fail(MODBLAS_EINVAL, "a power is of a square matrix");
    MB_TRY(remake(ready));
    MB_TRY(make(ready, &base, &ready->A.host));
    MB_TRY(make(ready, result, &ready->A.host));
    for (int bit = 62 - __builtin_clzll(E); bit >= 0; bit--) {
        MB_TRY(multiply_by(ready, result, result));
        if (E >> bit & 1)
            MB_TRY(multiply_by(ready, result, &base));
    }
fail:
    mb_operand_free(&base, ready->bench->context);
    return status;
}
