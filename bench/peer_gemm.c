/* SPDX-License-Identifier: BSD-3-Clause */
/* The GEMMs that src/run/exec.c would run, without what comes before and after them. */
#include "clock.h"
#include "peer.h"
#include "spans.h"
#include "src/run/arena.h"
#include "src/run/gemms.h"
#include "src/run/operands.h"
#include "src/run/sched.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_RUNS = 5, MOST_RUNS = 1000 };

typedef struct {
    const mb_plan *plan;
    mb_team team;
    mb_layout each, shared;
    mb_trace trace;
} gemms;

static const void *planes_at(const gemms *g, int w, int operand, int64_t tile, int64_t chunk)
{
    bool shared = g->plan->shared;
    void *base = shared ? mb_team_shared(&g->team) : mb_team_memory(&g->team, w);
    return mb_arena_planes(base, shared ? &g->shared : &g->each, g->plan, operand, tile, chunk);
}

static mb_block block_of(const mb_plan *plan, int operand, int64_t tile, int64_t chunk)
{
    const modblas_problem *p = &plan->request.problem;
    int64_t size = operand == 0 ? plan->tile_m : plan->tile_n;
    int64_t whole = operand == 0 ? p->m : p->n;
    return mb_plan_block(&plan->math, operand, mb_lesser(whole - tile * size, size),
                         mb_lesser(p->k - chunk * plan->chunk_k, plan->chunk_k));
}

static modblas_status multiply(const gemms *g, int w, int64_t tile, int64_t chunk)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = g->plan;
    int64_t ti = tile / plan->tiles_n, tj = tile % plan->tiles_n;
    mb_block a = block_of(plan, 0, ti, chunk), b = block_of(plan, 1, tj, chunk);
    void *sums = mb_arena_at(mb_team_memory(&g->team, w), &g->each, MB_REGION_SUMS, 0, 0);
    for (mb_gemm_job job = mb_gemms_first(&plan->math, &a, &b, planes_at(g, w, 0, ti, chunk),
                                          planes_at(g, w, 1, tj, chunk), sums);
         job.count > 0; mb_gemms_next(&plan->math, &a, &job))
        MB_TRY(g->team.device->backend->gemm(mb_team_worker(&g->team, w), &job));
fail:
    return status;
}

static modblas_status tile_task(void *argument, int w, int64_t tile)
{
    gemms *g = argument;
    modblas_status status = MODBLAS_OK;
    int handle;
    MB_TRY(mb_trace_begin(&g->trace, &g->team, w, MB_STAGE_GEMM, tile, &handle));
    for (int64_t chunk = 0; chunk < g->plan->chunks; chunk++)
        MB_TRY(multiply(g, w, tile, chunk));
    MB_TRY(mb_trace_end(&g->trace, &g->team, w, handle));
fail:
    return status;
}

static modblas_status run_once(gemms *g, mb_spans *spans)
{
    modblas_status status = MODBLAS_OK;
    uint32_t faults = 0;
    mb_trace_clear(&g->trace);
    MB_TRY(mb_sched_run(&g->team, g, g->plan->tiles_m * g->plan->tiles_n, tile_task, NULL));
    MB_TRY(mb_team_wait(&g->team, &faults));
    MB_TRY(mb_trace_read(&g->trace, &g->team));
    *spans = mb_trace_spans(&g->trace);
fail:
    return status;
}

modblas_status mb_time_gemms(modblas_plan *plan, double *seconds, double at_least)
{
    const mb_plan *p = &plan->plan;
    gemms g = {.plan = p,
               .each = mb_arena_layout(p->region),
               .shared = mb_arena_layout(p->shared_region)};
    modblas_status status = MODBLAS_OK;
    static mb_spans spans[MOST_RUNS];
    int count = 0;
    *seconds = NAN;
    MB_TRY(mb_trace_make(&g.trace, p->workers));
    MB_TRY(mb_team_take(&g.team, plan->context, &plan->context->device[0], p->workers,
                        g.shared.total, g.each.total));
    MB_TRY(run_once(&g, &spans[0]));
    double begin = mb_clock();
    while (count < LEAST_RUNS || (mb_clock() - begin < at_least && count < MOST_RUNS))
        MB_TRY(run_once(&g, &spans[count++]));
    *seconds = mb_spans_median(spans, count).kernel;
fail:
    if (g.team.count > 0)
        mb_team_give(&g.team);
    free(g.trace.event);
    return status;
}
