/* SPDX-License-Identifier: BSD-3-Clause */
#include "batch.h"

#include "clock.h"
#include "src/backend/check_host.h"
#include "src/run/crew.h"
#include "src/run/freivalds.h"
#include "src/run/operands.h"

#include <inttypes.h>
#include <stdlib.h>

/* All A below each other, all B, all C. */
typedef struct {
    const mb_bench *bench;
    mb_case what;
    mb_operand A, B, C;
    modblas_product *run, *host;
    int64_t count, pairs;
} pile;

static modblas_matrix part(const modblas_matrix *all, int64_t i, int64_t rows)
{
    return mb_window(all, i * rows, 0, rows, all->cols);
}

static modblas_product product_of(const pile *p, int64_t i, bool host)
{
    const int64_t pair = i % p->pairs;
    return (modblas_product){
        .C = part(host ? &p->C.host : &p->C.run, i, p->what.m),
        .A = part(host ? &p->A.host : &p->A.run, pair, p->what.m),
        .B = part(host ? &p->B.host : &p->B.run, pair, p->what.k),
        .alpha = 1,
        .beta = 0,
        .N = p->what.N - (p->pairs < p->count ? 2 * (uint64_t)i : 0),
    };
}

static modblas_status make_pile(pile *p)
{
    modblas_status status = MODBLAS_OK;
    modblas_context *context = p->bench->context;
    const mb_case *w = &p->what;
    const bool device = p->bench->on_device;
    mb_random random;
    int64_t rows_c, rows_a, rows_b;
    if (__builtin_mul_overflow(p->count, w->m, &rows_c) ||
        __builtin_mul_overflow(p->pairs, w->m, &rows_a) ||
        __builtin_mul_overflow(p->pairs, w->k, &rows_b))
        return mb_fail(MODBLAS_EINVAL, "so many products do not fit the address space");
    MB_TRY(mb_operand_create(&p->A, context, w->a, rows_a, w->k, MB_ORDER_ROWS, device));
    MB_TRY(mb_operand_create(&p->B, context, w->b, rows_b, w->n, MB_ORDER_ROWS, device));
    MB_TRY(mb_operand_create(&p->C, context, w->c, rows_c, w->n, MB_ORDER_ROWS, device));
    p->run = calloc((size_t)p->count, sizeof *p->run);
    p->host = calloc((size_t)p->count, sizeof *p->host);
    if (p->run == NULL || p->host == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the products"));
    mb_random_seed(&random, p->bench->options->seed);
    mb_fill_random(&p->A.host, w->N, &random);
    mb_fill_random(&p->B.host, w->N, &random);
    mb_poison(&p->C.host);
    MB_TRY(mb_operand_push(&p->A, context));
    MB_TRY(mb_operand_push(&p->B, context));
    MB_TRY(mb_operand_push(&p->C, context));
    for (int64_t i = 0; i < p->count; i++) {
        p->run[i] = product_of(p, i, false);
        p->host[i] = product_of(p, i, true);
    }
fail:
    return status;
}

static void free_pile(pile *p)
{
    mb_operand_free(&p->A, p->bench->context);
    mb_operand_free(&p->B, p->bench->context);
    mb_operand_free(&p->C, p->bench->context);
    free(p->run);
    free(p->host);
}

static modblas_status run_pile(void *argument)
{
    const pile *p = argument;
    return modblas_gemm_batch(p->bench->context, p->run, p->count);
}

/* ---- the check ------------------------------------------------------------------------------ */

static modblas_status thin(const modblas_matrix *M, const uint64_t *x, uint64_t *y, int rounds,
                           uint64_t N, bool residues)
{
    const mb_check_job job = {
        .M = *M, .x = x, .y = y, .count = rounds, .residues = residues, .N = N};
    return mb_check_host(&job);
}

/* Product i, on the host: C x and A (B x) for random x. */
static modblas_status check_product(void *call, int64_t i)
{
    modblas_status status = MODBLAS_OK;
    const pile *p = call;
    const modblas_product *q = &p->host[i];
    const int rounds = mb_freivalds_rounds(q->N);
    const int64_t n = q->C.cols * rounds, k = q->A.cols * rounds, m = q->C.rows * rounds;
    mb_random random;
    uint64_t *x = calloc((size_t)(n + k + 2 * m), sizeof *x);
    if (x == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a check");
    uint64_t *bx = x + n, *abx = bx + k, *cx = abx + m;
    mb_random_seed(&random, (uint64_t)i + 1);
    for (int64_t j = 0; j < n; j++)
        x[j] = mb_random_below(&random, q->N);
    MB_TRY(thin(&q->B, x, bx, rounds, q->N, false));
    MB_TRY(thin(&q->A, bx, abx, rounds, q->N, false));
    MB_TRY(thin(&q->C, x, cx, rounds, q->N, true));
    for (int64_t j = 0; j < m; j++) {
        if (abx[j] != cx[j])
            MB_TRY(mb_fail(MODBLAS_EVERIFY, "product %" PRId64 ": row %" PRId64 " of C is wrong",
                           i, j / rounds));
    }
fail:
    free(x);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

modblas_status mb_batch_measure(mb_batch_times *times, const mb_bench *bench, const mb_case *what)
{
    modblas_status status = MODBLAS_OK;
    const mb_bench_options *o = bench->options;
    const bool one_pair = o->moduli > 0;
    const int64_t count = (int64_t)(one_pair ? o->moduli : o->batch);
    pile p = {.bench = bench, .what = *what, .count = count, .pairs = one_pair ? 1 : count};
    mb_times_of_runs runs;
    *times = (mb_batch_times){.bench = bench,
                              .what = *what,
                              .count = count,
                              .one_pair = one_pair,
                              .on_device = bench->on_device};
    mb_device_name(times->device, bench->context);
    MB_TRY(make_pile(&p));
    times->bytes = (double)mb_operand_bytes(&p.A) + (double)mb_operand_bytes(&p.B) +
                   (double)mb_operand_bytes(&p.C);
    MB_TRY(run_pile(&p));
    MB_TRY(mb_operand_pull(&p.C, bench->context));
    MB_TRY(mb_crew_run(mb_backend_host()->default_workers(0), count, check_product, &p));
    MB_TRY(mb_time_runs(&runs, run_pile, &p, bench->seconds));
    times->seconds_min = runs.min;
    times->seconds_median = runs.median;
    times->seconds_max = runs.max;
fail:
    free_pile(&p);
    return status;
}

static double per_second(const mb_batch_times *t)
{
    return (double)t->count / t->seconds_median;
}

static double effective_tops(const mb_batch_times *t)
{
    const mb_case *w = &t->what;
    return 2e-12 * (double)w->m * (double)w->n * (double)w->k * per_second(t);
}

void mb_batch_write_line(FILE *file, const mb_batch_times *t)
{
    char name[MB_ROW_TEXT];
    mb_case_name(name, &t->what);
    fprintf(file,
            "batch of %" PRId64 " x %s%s, %.2f GB: %.3f ms, %.0f products/s, %.2f Tops, all "
            "checked\n",
            t->count, name, t->one_pair ? ", N-2, N-4 .. of one A and B" : "", 1e-9 * t->bytes,
            1e3 * t->seconds_median, per_second(t), effective_tops(t));
}

void mb_batch_write_json(FILE *file, const mb_batch_times *t)
{
    char type[MB_ROW_TYPE];
    mb_row_type(type, &t->what);
    fprintf(file, "{\"commit\": ");
    mb_write_json_text(file, mb_commit());
    fprintf(file, ", \"device\": ");
    mb_write_json_text(file, t->device);
    fprintf(file,
            ", \"batch\": %" PRId64 ", \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64
            ", \"modulus\": \"%" PRIu64 "\", \"type\": \"%s\", \"one_pair\": %s, "
            "\"on_device\": %s, \"bytes\": %.0f, \"seconds_min\": %.9g, "
            "\"seconds_median\": %.9g, \"seconds_max\": %.9g, \"products_per_second\": %.6g, "
            "\"effective_tops\": %.4g, \"verified\": \"freivalds\"}\n",
            t->count, t->what.m, t->what.n, t->what.k, t->what.N, type,
            t->one_pair ? "true" : "false", t->on_device ? "true" : "false", t->bytes,
            t->seconds_min, t->seconds_median, t->seconds_max, per_second(t), effective_tops(t));
}
