/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan of the scheme plain: one job for each tile. */
#include "arena.h"
#include "exec.h"
#include "operands.h"
#include "sched.h"

typedef struct {
    const mb_plan *plan;
    mb_team team;
    mb_layout layout;
    mb_plain_job job; /* of the whole product, or of its transpose */
    bool across;
    mb_trace *trace;
} call;

static modblas_status run_tile(void *argument, int w, int64_t tile)
{
    modblas_status status = MODBLAS_OK;
    const call *c = argument;
    const mb_plan *plan = c->plan;
    mb_plain_job job = c->job;
    const int64_t ti = tile / plan->tiles_n, tj = tile % plan->tiles_n;
    const int64_t rows = c->across ? plan->tile_n : plan->tile_m;
    const int64_t cols = c->across ? plan->tile_m : plan->tile_n;
    const int64_t i = (c->across ? tj : ti) * rows, j = (c->across ? ti : tj) * cols;
    int handle;
    job.C = mb_window(&c->job.C, i, j, mb_lesser(c->job.C.rows - i, rows),
                      mb_lesser(c->job.C.cols - j, cols));
    job.A = mb_window(&c->job.A, i, 0, job.C.rows, c->job.A.cols);
    job.B = mb_window(&c->job.B, 0, j, c->job.B.rows, job.C.cols);
    void *memory = mb_team_memory(&c->team, w);
    job.space_a = mb_arena_at(memory, &c->layout, MB_REGION_PLANES_A, 0, 0);
    job.space_b = mb_arena_at(memory, &c->layout, MB_REGION_PLANES_B, 0, 0);
    job.space_c = mb_arena_at(memory, &c->layout, MB_REGION_SUMS, 0, 0);
    MB_TRY(mb_trace_begin(c->trace, &c->team, w, MB_STAGE_GEMM, tile, &handle));
    MB_TRY(c->team.device->backend->plain(mb_team_worker(&c->team, w), &job));
    MB_TRY(mb_trace_end(c->trace, &c->team, w, handle));
fail:
    return status;
}

static modblas_status run_tiles(call *c)
{
    const int64_t tiles = c->plan->tiles_m * c->plan->tiles_n;
    return tiles == 1 ? run_tile(c, 0, 0) : mb_sched_run(&c->team, c, tiles, run_tile, NULL);
}

modblas_status mb_exec_plain(modblas_context *context, mb_device *device, const mb_plan *plan,
                             const modblas_matrix *C, const modblas_matrix *A,
                             const modblas_matrix *B, uint64_t alpha, uint64_t beta,
                             mb_trace *trace)
{
    modblas_status status, waited;
    uint32_t faults = 0;
    mb_cut a, b;
    mb_mod mod = mb_mod_make(plan->request.problem.N);
    const bool across = mb_plain_is_across(&plan->request.problem);
    call c = {.plan = plan, .across = across, .trace = trace};
    c.layout = mb_arena_layout(plan->region);
    c.job = (mb_plain_job){
        .sums = plan->math.sums,
        .fold = mb_bound_fold(mod.n, plan->math.a.range, plan->math.b.range),
        .a = across ? &b : &a,
        .b = across ? &a : &b,
        .C = across ? modblas_transpose(*C) : *C,
        .A = across ? modblas_transpose(*B) : *A,
        .B = across ? modblas_transpose(*A) : *B,
        .overlap = plan->request.overlap,
        .alpha = alpha,
        .beta = beta,
    };
    mb_cut_begin(&a, &mod, &plan->math.a);
    mb_cut_begin(&b, &mod, &plan->math.b);
    status = mb_team_take(&c.team, context, device, plan->workers, 0, c.layout.total);
    if (status != MODBLAS_OK)
        return status;
    status = run_tiles(&c);
    waited = mb_team_wait(&c.team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    if (status == MODBLAS_OK)
        status = mb_trace_read(trace, &c.team);
    mb_team_give(&c.team);
    return status == MODBLAS_OK ? mb_judge_faults(faults, plan->request.swapped != across)
                                : status;
}
