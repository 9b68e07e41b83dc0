/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"
#include "many.h"
#include "spans.h"
#include "src/graph.h"

#include <math.h>
#include <stdlib.h>

enum { SETS = 2, RUNS = 500, WARM_UP = 5 };

/* Products that are run in several ways; all are of one shape, each has its own operands. */
typedef struct {
    modblas_context *context;
    mb_ready *ready;
    int width;
    modblas_graph *graph;
    void *stream;
} sets;

static modblas_status run_graph(void *argument)
{
    return modblas_graph_run(((sets *)argument)->graph);
}

static modblas_status order(const sets *s, int i, int by)
{
    const mb_ready *r = &s->ready[i];
    return modblas_plan_order(s->ready[by].plan, s->stream, &r->C.run, &r->A.run, &r->B.run, 1, 0);
}

static modblas_status order_all(void *argument)
{
    modblas_status status = MODBLAS_OK;
    const sets *s = argument;
    for (int i = 0; i < SETS * s->width; i++)
        MB_TRY(order(s, i % s->width, i % s->width));
    MB_TRY(mb_stream_wait(s->context, s->stream));
fail:
    return status;
}

static modblas_status run_all(void *argument)
{
    modblas_status status = MODBLAS_OK;
    const sets *s = argument;
    for (int i = 0; i < SETS * s->width; i++)
        MB_TRY(mb_ready_run(&s->ready[i % s->width]));
fail:
    return status;
}

static modblas_status make_graph(sets *s)
{
    modblas_status status = MODBLAS_OK;
    MB_TRY(modblas_graph_create(s->context, &s->graph));
    for (int set = 0; set < SETS; set++) {
        for (int i = 0; i < s->width; i++) {
            const mb_ready *r = &s->ready[i];
            MB_TRY(modblas_graph_add(s->graph, r->plan, &r->C.run, &r->A.run, &r->B.run, 1, 0));
        }
        MB_TRY(modblas_graph_join(s->graph));
    }
fail:
    return status;
}

/* Sum of the products' times over the time in which any was under way: above 1, they overlap. */
static modblas_status measure_overlap(sets *s, double *side_by_side)
{
    modblas_status status = MODBLAS_OK;
    const int count = SETS * s->width;
    mb_trace trace;
    double sum = 0, begin = INFINITY, end = -INFINITY;
    MB_TRY(mb_trace_make(&trace, MB_MAX_WORKERS));
    for (int run = 0; run < 2; run++) {
        mb_trace_clear(&trace);
        MB_TRY(mb_graph_run_traced(s->graph, &trace));
    }
    for (int i = 0; i < trace.count; i++) {
        sum += trace.event[i].end - trace.event[i].start;
        begin = fmin(begin, trace.event[i].start);
        end = fmax(end, trace.event[i].end);
    }
    if (trace.count == count)
        *side_by_side = sum / (end - begin);
fail:
    free(trace.event);
    return status;
}

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* One product on the stream, waited for each time; other operands each time if `changing`. */
static modblas_status time_stream(const sets *s, bool changing, double *call, double *done)
{
    modblas_status status = MODBLAS_OK;
    static double calls[RUNS], all[RUNS];
    for (int i = -WARM_UP; i < RUNS; i++) {
        double begin = mb_clock();
        MB_TRY(order(s, changing ? abs(i) % s->width : 0, 0));
        double called = mb_clock();
        MB_TRY(mb_stream_wait(s->context, s->stream));
        if (i < 0)
            continue;
        calls[i] = called - begin;
        all[i] = mb_clock() - begin;
    }
    qsort(calls, RUNS, sizeof *calls, by_size);
    qsort(all, RUNS, sizeof *all, by_size);
    *call = calls[RUNS / 2];
    *done = all[RUNS / 2];
fail:
    return status;
}

static modblas_status time_median(const mb_bench *bench, mb_timed *run, sets *s, double *median)
{
    mb_times_of_runs times;
    modblas_status status = mb_time_runs(&times, run, s, bench->seconds);
    *median = times.median;
    return status;
}

/* All products into poisoned matrices: they are what was checked. */
static modblas_status check(sets *s, mb_timed *run)
{
    modblas_status status = MODBLAS_OK;
    const size_t width = (size_t)(unsigned)s->width;
    void **copy = calloc(width, sizeof *copy);
    if (copy == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for copies of the products");
    for (int i = 0; i < s->width; i++) {
        MB_TRY(mb_many_keep(&s->ready[i], &copy[i]));
        mb_poison(&s->ready[i].C.host_all);
        MB_TRY(mb_operand_push(&s->ready[i].C, s->context));
    }
    MB_TRY(run(s));
    for (int i = 0; i < s->width; i++)
        MB_TRY(mb_many_compare(&s->ready[i], copy[i]));
fail:
    for (int i = 0; i < s->width; i++)
        free(copy[i]);
    free(copy);
    return status;
}

static modblas_status measure(mb_many *many, const mb_bench *bench, sets *s)
{
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < s->width; i++)
        MB_TRY(mb_ready_open(&s->ready[i], bench, &many->what));
    MB_TRY(make_graph(s));
    MB_TRY(mb_stream_make(s->context, &s->stream));
    MB_TRY(check(s, run_graph));
    MB_TRY(check(s, order_all));
    MB_TRY(time_median(bench, run_graph, s, &many->graph_seconds));
    MB_TRY(time_median(bench, order_all, s, &many->ordered_seconds));
    MB_TRY(time_median(bench, run_all, s, &many->runs_seconds));
    MB_TRY(check(s, run_graph));
    MB_TRY(measure_overlap(s, &many->side_by_side));
    MB_TRY(time_stream(s, false, &many->call_seconds, &many->done_seconds));
    MB_TRY(time_stream(s, true, &many->other_call_seconds, &many->other_done_seconds));
    MB_TRY(modblas_context_status(s->context));
fail:
    return status;
}

modblas_status mb_many_sets(mb_many *many, const mb_bench *bench)
{
    sets s = {.context = bench->context, .width = (int)bench->options->sets};
    many->sets = SETS;
    many->width = s.width;
    s.ready = calloc((size_t)(unsigned)s.width, sizeof *s.ready);
    if (s.ready == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the products");
    modblas_status status = measure(many, bench, &s);
    modblas_graph_destroy(s.graph);
    for (int i = 0; i < s.width; i++) {
        if (s.ready[i].bench != NULL)
            mb_ready_close(&s.ready[i]);
    }
    free(s.ready);
    return status;
}
