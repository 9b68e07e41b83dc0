/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan of the scheme plain: one job on one worker. */
#include "arena.h"
#include "exec.h"
#include "operands.h"

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

modblas_status mb_exec_plain(modblas_context *context, mb_device *device, const mb_plan *plan,
                             const modblas_matrix *C, const modblas_matrix *A,
                             const modblas_matrix *B, uint64_t alpha, uint64_t beta,
                             mb_trace *trace)
{
    modblas_status status, waited;
    uint32_t faults = 0;
    mb_team team;
    mb_cut a, b;
    mb_layout layout = mb_arena_layout(plan->region);
    mb_mod mod = mb_mod_make(plan->request.problem.N);
    mb_plain_job job = {
        .sums = plan->math.sums,
        .a = &a,
        .b = &b,
        .C = *C,
        .A = *A,
        .B = *B,
        .overlap = plan->request.overlap,
        .alpha = alpha,
        .beta = beta,
    };
    mb_cut_begin(&a, &mod, &plan->math.a);
    mb_cut_begin(&b, &mod, &plan->math.b);
    status = mb_team_take(&team, context, device, 1, 0, layout.total);
    if (status != MODBLAS_OK)
        return status;
    job.space_a = mb_arena_at(mb_team_memory(&team, 0), &layout, MB_REGION_PLANES_A, 0, 0);
    job.space_b = mb_arena_at(mb_team_memory(&team, 0), &layout, MB_REGION_PLANES_B, 0, 0);
    status = run_job(&team, &job, trace);
    waited = mb_team_wait(&team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    if (status == MODBLAS_OK)
        status = mb_trace_read(trace, &team);
    mb_team_give(&team);
    return status == MODBLAS_OK ? mb_judge_faults(faults, plan->request.swapped) : status;
}
