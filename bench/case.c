/* SPDX-License-Identifier: BSD-3-Clause */
#include "case.h"

#include "npy.h"
#include "src/run/freivalds.h"
#include "src/run/operands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Patterns of extremal data. */
typedef enum { HIGH_HIGH, HIGH_LOW, LOW_LOW, LINES, PATTERNS } pattern;

/* ---- data ----------------------------------------------------------------------------------- */

modblas_status mb_case_from_files(const mb_bench_options *options, mb_case *what)
{
    modblas_status status = MODBLAS_OK;
    modblas_matrix A = {.data = NULL}, B = {.data = NULL};
    const char *second = options->input[1] ? options->input[1] : options->input[0];
    MB_TRY(mb_npy_read(options->input[0], &A));
    MB_TRY(mb_npy_read(second, &B));
    if (A.cols != B.rows)
        MB_TRY(mb_fail(MODBLAS_EINVAL, "%s has %lld columns and %s has %lld rows",
                       options->input[0], (long long)A.cols, second, (long long)B.rows));
    what->m = A.rows;
    what->k = A.cols;
    what->n = B.cols;
    what->a = A.type;
    what->b = B.type;
    what->c = options->out_type_given ? options->out_type : mb_type_of_result(A.type, what->N);
fail:
    free(A.data);
    free(B.data);
    return status;
}

static modblas_status read_operand(const mb_bench *bench, const char *path, mb_operand *operand)
{
    modblas_matrix view;
    modblas_status status = mb_npy_read(path, &view);
    if (status != MODBLAS_OK)
        return status;
    return mb_operand_adopt(operand, bench->context, &view, view.data, bench->on_device);
}

static modblas_status make_operands(mb_ready *r)
{
    modblas_status status = MODBLAS_OK;
    const mb_case *w = &r->what;
    const mb_bench *b = r->bench;
    const char *const *input = b->options->input;
    const mb_order *order = b->options->order;
    if (input[0] != NULL) {
        MB_TRY(read_operand(b, input[0], &r->A));
        MB_TRY(read_operand(b, input[1] ? input[1] : input[0], &r->B));
    } else {
        MB_TRY(mb_operand_create(&r->A, b->context, w->a, w->m, w->k, order[0], b->on_device));
        MB_TRY(mb_operand_create(&r->B, b->context, w->b, w->k, w->n, order[1], b->on_device));
    }
    MB_TRY(mb_operand_create(&r->C, b->context, w->c, w->m, w->n, order[2], b->on_device));
fail:
    return status;
}

static void fill_random(mb_ready *r)
{
    uint64_t seed = r->bench->options->seed;
    mb_random_seed(&r->random, seed);
    mb_fill_random(&r->A.host, r->what.N, &r->random);
    /* A power is of one matrix. */
    if (r->bench->options->power)
        mb_random_seed(&r->random, seed);
    mb_fill_random(&r->B.host, r->what.N, &r->random);
}

/* LINES: one row of A and one column of B are extremal, the rest is random. */
static void fill_extremal(mb_ready *r, pattern p)
{
    uint64_t N = r->what.N;
    modblas_matrix A = r->A.host, B = r->B.host;
    if (p == LINES) {
        fill_random(r);
        int64_t i = (int64_t)mb_random_below(&r->random, (uint64_t)A.rows);
        int64_t j = (int64_t)mb_random_below(&r->random, (uint64_t)B.cols);
        A = mb_window(&A, i, 0, 1, A.cols);
        B = mb_window(&B, 0, j, B.rows, 1);
    }
    mb_fill_extremal(&A, N, p != LOW_LOW);
    mb_fill_extremal(&B, N, p == HIGH_HIGH || p == LINES);
}

static modblas_status push_operands(const mb_ready *r)
{
    modblas_status status = mb_operand_push(&r->A, r->bench->context);
    return status == MODBLAS_OK ? mb_operand_push(&r->B, r->bench->context) : status;
}

/* ---- plan ----------------------------------------------------------------------------------- */

static modblas_status make_plan(mb_ready *r)
{
    const mb_case *w = &r->what;
    modblas_problem problem = {
        .m = w->m, .n = w->n, .k = w->k, .c = w->c, .a = w->a, .b = w->b, .N = w->N};
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    options.packed = r->packed;
    options.scheme = r->packed ? MODBLAS_SCHEME_AUTO : w->scheme;
    options.engine = r->packed ? MODBLAS_ENGINE_AUTO : w->engine;
    return modblas_plan_create(r->bench->context, &r->plan, &problem, &options);
}

/* Packs A as it is now, and plans with it. */
static modblas_status pack(mb_ready *r)
{
    modblas_status status = MODBLAS_OK;
    modblas_pack_options options;
    modblas_plan_destroy(r->plan);
    modblas_packed_destroy(r->packed);
    r->plan = NULL;
    r->packed = NULL;
    modblas_pack_options_init(&options);
    options.width = r->what.n;
    options.scheme = r->what.scheme;
    options.engine = r->what.engine;
    MB_TRY(modblas_pack(r->bench->context, &r->packed, &r->A.run, MODBLAS_SIDE_A, r->what.N,
                        &options));
    MB_TRY(make_plan(r));
fail:
    return status;
}

static modblas_status describe(const mb_ready *r, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = &r->plan->plan;
    size_t size;
    row->scheme = plan->math.scheme;
    bool plain = plan->math.scheme == MODBLAS_SCHEME_PLAIN;
    row->engine = plain ? mb_sums_name(plan->math.sums) : plan->math.engine->name;
    row->moduli = plan->math.moduli;
    row->digits_a = plan->math.digits_a;
    row->digits_b = plan->math.digits_b;
    row->workers = plan->workers;
    row->on_device = r->bench->on_device;
    row->packed = r->packed != NULL;
    const mb_bench_options *o = r->bench->options;
    for (int i = 0; i < 3; i++)
        row->layout[i] = i < 2 && o->input[0] ? "file" : mb_order_name(o->order[i]);
    MB_TRY(modblas_plan_text(r->plan, NULL, 0, &size));
    row->plan = malloc(size);
    if (row->plan == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the text of a plan");
    MB_TRY(modblas_plan_text(r->plan, row->plan, size, NULL));
    if (r->bench->options->explain)
        fprintf(r->bench->words, "%s", row->plan);
fail:
    return status;
}

/* ---- check ---------------------------------------------------------------------------------- */

mb_product mb_ready_product(const mb_ready *ready)
{
    return (mb_product){ready->C.host, ready->A.host, ready->B.host, ready->what.N};
}

modblas_status mb_ready_run(mb_ready *ready)
{
    const modblas_matrix *A = ready->packed ? NULL : &ready->A.run;
    return modblas_plan_run(ready->plan, &ready->C.run, A, &ready->B.run, 1, 0);
}

static modblas_status check_flint(mb_ready *r, double *seconds)
{
    mb_product product = mb_ready_product(r);
    if (mb_whole_is_checked(&product))
        return mb_verify_whole(&product, seconds);
    return mb_verify_blocks(&product, &r->random);
}

modblas_status mb_ready_check(mb_ready *ready, double *flint_seconds)
{
    modblas_status status = MODBLAS_OK;
    modblas_context *context = ready->bench->context;
    mb_check how = ready->bench->options->verify;
    mb_freivalds *check = NULL;
    bool thin = how == MB_CHECK_FREIVALDS || how == MB_CHECK_BLOCKS;
    mb_poison(&ready->C.host_all);
    MB_TRY(mb_operand_push(&ready->C, context));
    if (thin)
        MB_TRY(mb_freivalds_before(&check, context, &context->device[0], &ready->C.run,
                                   &ready->A.run, &ready->B.run, 1, 0, ready->what.N));
    MB_TRY(mb_ready_run(ready));
    MB_TRY(mb_operand_pull(&ready->C, context));
    if (thin)
        MB_TRY(mb_freivalds_after(check, &ready->C.run));
    if (how == MB_CHECK_FLINT)
        MB_TRY(check_flint(ready, flint_seconds));
    mb_product product = mb_ready_product(ready);
    if (how == MB_CHECK_BLOCKS)
        MB_TRY(mb_verify_blocks(&product, &ready->random));
fail:
    mb_freivalds_free(check);
    return status;
}

/* Checks the product, for extremal data that of each pattern; the first pattern stays. FLINT's
 * time on extremal data is not kept: halves of words that are all zero flatter it. */
static modblas_status check_all(mb_ready *r, double *flint_seconds)
{
    modblas_status status = MODBLAS_OK;
    bool extremal = r->bench->options->extremal;
    double seconds = NAN;
    for (int p = extremal ? PATTERNS - 1 : 0; p >= 0; p--) {
        if (extremal)
            fill_extremal(r, (pattern)p);
        else if (r->bench->options->input[0] == NULL)
            fill_random(r);
        MB_TRY(push_operands(r));
        if (r->bench->options->pack)
            MB_TRY(pack(r));
        MB_TRY(mb_ready_check(r, &seconds));
    }
    if (!extremal)
        *flint_seconds = seconds;
fail:
    return status;
}

/* ---- files ---------------------------------------------------------------------------------- */

static modblas_status finish(mb_ready *r)
{
    const mb_bench_options *o = r->bench->options;
    modblas_status status = MODBLAS_OK;
    mb_operand power = {.owned = NULL};
    const modblas_matrix *result = &r->C.host;
    if (o->power) {
        MB_TRY(mb_power(r, o->power, &power));
        result = &power.host;
    }
    if (o->output_matrix != NULL)
        MB_TRY(mb_npy_write(o->output_matrix, result));
    if (o->expect != NULL)
        MB_TRY(mb_verify_same(result, &r->bench->expected, r->what.N));
fail:
    mb_operand_free(&power, r->bench->context);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

void mb_ready_close(mb_ready *r)
{
    modblas_plan_destroy(r->plan);
    modblas_packed_destroy(r->packed);
    mb_operand_free(&r->A, r->bench->context);
    mb_operand_free(&r->B, r->bench->context);
    mb_operand_free(&r->C, r->bench->context);
}

void mb_device_name(char text[MB_ROW_TEXT], const modblas_context *context)
{
    modblas_device_info info;
    text[0] = 0;
    if (context->backend->device_info(context->device[0].ordinal, &info) == MODBLAS_OK)
        snprintf(text, MB_ROW_TEXT, "%s, %s", info.name, info.libraries);
}

modblas_status mb_ready_open(mb_ready *ready, const mb_bench *bench, const mb_case *what)
{
    modblas_status status = MODBLAS_OK;
    double flint_seconds;
    *ready = (mb_ready){.bench = bench, .what = *what};
    MB_TRY(make_plan(ready));
    MB_TRY(make_operands(ready));
    MB_TRY(check_all(ready, &flint_seconds));
fail:
    return status;
}

modblas_status mb_case_check(const mb_bench *bench, const mb_case *what)
{
    mb_ready r;
    modblas_status status = mb_ready_open(&r, bench, what);
    mb_ready_close(&r);
    return status;
}

modblas_status mb_case_run(const mb_bench *bench, const mb_case *what, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    mb_ready r = {.bench = bench, .what = *what};
    char name[MB_ROW_TEXT];
    *row = mb_row_empty(what);
    row->copy_gbps = bench->copy_gbps;
    mb_case_name(name, what);
    row->backend = bench->context->backend->name;
    mb_device_name(row->device, bench->context);
    mb_progress("planning", name);
    MB_TRY(make_plan(&r));
    const bool packs = bench->options->pack;
    if (!packs)
        MB_TRY(describe(&r, row));
    mb_progress("making and checking", name);
    MB_TRY(make_operands(&r));
    MB_TRY(check_all(&r, &row->peer_flint_seconds));
    if (packs)
        MB_TRY(describe(&r, row));
    row->verified = bench->options->verify;
    mb_progress("timing", name);
    MB_TRY(mb_measure(&r, row));
    MB_TRY(finish(&r));
    row->expected = bench->options->expect != NULL;
fail:
    row->status = status;
    mb_progress(NULL, NULL);
    mb_ready_close(&r);
    return status;
}
