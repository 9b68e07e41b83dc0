/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan of the scheme plain: one job on one worker. */
#include "arena.h"
#include "exec.h"

static modblas_status run_job(const mb_team *team, const mb_plain_job *job, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    int handle;
    MB_TRY(mb_trace_begin(trace, team, 0, MB_STAGE_GEMM, 0, &handle));
    MB_TRY(team->device->backend->plain(mb_team_worker(team, 0), job));
    MB_TRY(mb_trace_end(trace, team, 0, handle));
fail:
    return status;
}

modblas_status mb_exec_order_plain(const mb_team *team, const mb_plan *plan, const mb_operands *o,
                                   mb_trace *trace)
{
    mb_cut a, b;
    mb_layout layout = mb_arena_layout(plan->region);
    mb_mod mod = mb_mod_make(plan->request.problem.N);
    mb_plain_job job = {
        .sums = plan->math.sums,
        .a = &a,
        .b = &b,
        .C = o->C,
        .A = o->A,
        .B = o->B,
        .overlap = plan->request.overlap,
        .alpha = o->alpha,
        .beta = o->beta,
    };
    mb_cut_begin(&a, &mod, &plan->math.a);
    mb_cut_begin(&b, &mod, &plan->math.b);
    job.space_a = mb_arena_at(mb_team_memory(team, 0), &layout, MB_REGION_PLANES_A, 0, 0);
    job.space_b = mb_arena_at(mb_team_memory(team, 0), &layout, MB_REGION_PLANES_B, 0, 0);
    return run_job(team, &job, trace);
}
