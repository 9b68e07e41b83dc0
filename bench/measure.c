/* SPDX-License-Identifier: BSD-3-Clause */
#include "case.h"
#include "clock.h"
#include "spans.h"
#include "src/run/operands.h"

#include <math.h>
#include <stdlib.h>

enum { TRACED_RUNS = 5 };

static modblas_status run_ready(void *argument)
{
    return mb_ready_run(argument);
}

static modblas_status trace_runs(mb_ready *r, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    mb_spans spans[TRACED_RUNS];
    mb_trace trace;
    int count = 0;
    const char *path = r->bench->options->trace;
    MB_TRY(mb_trace_make(&trace, r->plan->plan.workers));
    double begin = mb_clock();
    for (; count == 0 || (count < TRACED_RUNS && mb_clock() - begin < r->bench->seconds);
         count++) {
        mb_trace_clear(&trace);
        MB_TRY(mb_plan_run_traced(r->plan, &r->C.run, r->packed ? NULL : &r->A.run, &r->B.run, 1,
                                  0, &trace));
        spans[count] = mb_trace_spans(&trace);
    }
    if (path != NULL)
        MB_TRY(mb_trace_write(&trace, path));
    mb_spans median = mb_spans_median(spans, count);
    row->kernel_seconds = median.kernel;
    row->split_seconds = median.stage[MB_STAGE_SPLIT];
    row->gemm_seconds = median.stage[MB_STAGE_GEMM];
    row->crt_seconds = median.stage[MB_STAGE_JOIN];
fail:
    free(trace.event);
    return status;
}

/* Bytes that split reads and writes for one operand: entries once, or once for each tile on the
 * other side, and planes. */
static double split_bytes(const mb_plan *plan, int operand)
{
    const modblas_problem *p = &plan->request.problem;
    int64_t whole = operand == 0 ? p->m : p->n;
    int64_t tile = operand == 0 ? plan->tile_m : plan->tile_n;
    int64_t others = operand == 0 ? plan->tiles_n : plan->tiles_m;
    size_t size = mb_type_size(operand == 0 ? p->a : p->b);
    double bytes = (double)whole * (double)p->k * (double)size;
    for (int64_t i = 0; i < whole; i += tile) {
        for (int64_t l = 0; l < p->k; l += plan->chunk_k)
            bytes += (double)mb_plan_block(&plan->math, operand, mb_lesser(whole - i, tile),
                                           mb_lesser(p->k - l, plan->chunk_k))
                         .bytes;
    }
    return plan->shared ? bytes : bytes * (double)others;
}

/* Sums are read in every chunk, carries written and read between chunks, C is written once. */
static double join_bytes(const mb_plan *plan)
{
    const modblas_problem *p = &plan->request.problem;
    double chunks = (double)plan->chunks;
    double sums =
        (double)mb_plan_sums(&plan->math) * (double)mb_element_size(mb_plan_sum(&plan->math));
    double carry = 2 * sizeof(uint64_t) * (chunks - 1);
    return (double)p->m * (double)p->n * (chunks * sums + carry + (double)mb_type_size(p->c));
}

/* The same plan with C in one piece, where that is another one and fits the memory. */
static modblas_status untiled_plan(mb_ready *r, modblas_plan **whole)
{
    const mb_plan *plan = &r->plan->plan;
    modblas_plan_options options;
    *whole = NULL;
    if (plan->tiles_m * plan->tiles_n == 1 || r->bench->context->backend->synchronous)
        return MODBLAS_OK;
    modblas_plan_options_init(&options);
    options.scheme = plan->math.scheme;
    options.engine = plan->math.engine->id;
    options.tile_m = plan->request.problem.m;
    options.tile_n = plan->request.problem.n;
    options.chunk_k = plan->chunk_k;
    modblas_status status =
        modblas_plan_create(r->bench->context, whole, &plan->request.problem, &options);
    return status == MODBLAS_ENOPLAN ? MODBLAS_OK : status;
}

/* A run of the plan before leaves its operands' planes in the workspace. */
static modblas_status time_bare_gemms(mb_ready *r, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan *whole = NULL;
    double tiled, untiled = NAN, seconds = r->bench->seconds;
    MB_TRY(mb_ready_run(r));
    MB_TRY(mb_time_gemms(r->plan, &tiled, seconds));
    MB_TRY(untiled_plan(r, &whole));
    if (whole != NULL) {
        MB_TRY(modblas_plan_run(whole, &r->C.run, &r->A.run, &r->B.run, 1, 0));
        MB_TRY(mb_time_gemms(whole, &untiled, seconds));
    }
    row->gemm_fraction = fmin(tiled, untiled) / row->kernel_seconds;
fail:
    modblas_plan_destroy(whole);
    return status;
}

static modblas_status time_naive(const mb_ready *r, const mb_product *product, mb_row *row)
{
    modblas_status status =
        mb_time_naive(r->bench->context, product, &row->peer_naive_seconds, r->bench->seconds);
    if (status != MODBLAS_EVERIFY || row->verified == MB_CHECK_OFF)
        return status;
    /* The product was checked, so that it is the peer that is wrong. */
    fprintf(stderr, "modblas-bench: the naive peer is wrong: %s\n", modblas_detail());
    row->peer_naive_seconds = NAN;
    return MODBLAS_OK;
}

static modblas_status time_peers(mb_ready *r, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    unsigned peers = r->bench->options->peers;
    mb_product product = mb_ready_product(r);
    if ((peers & MB_PEER_GEMM) && r->plan->plan.math.scheme != MODBLAS_SCHEME_PLAIN)
        MB_TRY(time_bare_gemms(r, row));
    if ((peers & MB_PEER_NAIVE))
        MB_TRY(time_naive(r, &product, row));
    bool wanted = isnan(row->peer_flint_seconds) && !r->bench->options->extremal;
    if ((peers & MB_PEER_FLINT) && wanted && mb_whole_is_timed(&product))
        MB_TRY(mb_verify_whole(&product, &row->peer_flint_seconds));
fail:
    return status;
}

modblas_status mb_measure(mb_ready *ready, mb_row *row)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = &ready->plan->plan;
    mb_times_of_runs times;
    MB_TRY(mb_time_runs(&times, run_ready, ready, ready->bench->seconds));
    row->seconds_min = times.min;
    row->seconds_median = times.median;
    row->seconds_max = times.max;
    MB_TRY(trace_runs(ready, row));
    /* The plan of an empty product is never run. */
    if (row->what.m == 0 || row->what.k == 0 || row->what.n == 0)
        return MODBLAS_OK;
    if (plan->math.scheme != MODBLAS_SCHEME_PLAIN)
        row->bytes = split_bytes(plan, 0) + split_bytes(plan, 1) + join_bytes(plan);
    MB_TRY(time_peers(ready, row));
fail:
    return status;
}
