/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan of the scheme plain: one job for each tile. */
#include "arena.h"
#include "exec.h"
#include "operands.h"
#include "sched.h"

typedef struct {
    const mb_plan *plan;
    const mb_team *team;
    mb_layout layout;
    mb_plain_job job; /* of the whole product, or of its transpose */
    mb_trace *trace;
} call;

static modblas_status run_tile(void *argument, int w, int64_t tile)
{
    modblas_status status = MODBLAS_OK;
    const call *c = argument;
    const mb_plan *plan = c->plan;
    mb_plain_job job = c->job;
    const int64_t ti = tile / plan->tiles_n, tj = tile % plan->tiles_n;
    const int64_t rows = job.turned ? plan->tile_n : plan->tile_m;
    const int64_t cols = job.turned ? plan->tile_m : plan->tile_n;
    const int64_t i = (job.turned ? tj : ti) * rows, j = (job.turned ? ti : tj) * cols;
    int handle;
    job.C = mb_window(&c->job.C, i, j, mb_lesser(c->job.C.rows - i, rows),
                      mb_lesser(c->job.C.cols - j, cols));
    job.A = mb_window(&c->job.A, i, 0, job.C.rows, c->job.A.cols);
    job.B = mb_window(&c->job.B, 0, j, c->job.B.rows, job.C.cols);
    void *memory = mb_team_memory(c->team, w);
    job.space_a = mb_arena_at(memory, &c->layout, MB_REGION_PLANES_A, 0, 0);
    job.space_b = mb_arena_at(memory, &c->layout, MB_REGION_PLANES_B, 0, 0);
    job.space_c = mb_arena_at(memory, &c->layout, MB_REGION_SUMS, 0, 0);
    MB_TRY(mb_trace_begin(c->trace, c->team, w, MB_STAGE_GEMM, tile, &handle));
    MB_TRY(c->team->device->backend->plain(mb_team_worker(c->team, w), &job));
    MB_TRY(mb_trace_end(c->trace, c->team, w, handle));
fail:
    return status;
}

modblas_status mb_exec_order_plain(const mb_team *team, const mb_plan *plan, const mb_operands *o,
                                   mb_trace *trace)
{
    mb_cut a, b;
    mb_mod mod = mb_mod_make(plan->request.problem.N);
    const bool turned = mb_plain_is_across(&plan->request.problem);
    const int64_t tiles = plan->tiles_m * plan->tiles_n;
    call c = {.plan = plan, .team = team, .trace = trace};
    c.layout = mb_arena_layout(plan->region);
    c.job = (mb_plain_job){
        .sums = plan->math.sums,
        .fold = mb_bound_fold(mod.n, plan->math.a.range, plan->math.b.range),
        .turned = turned,
        .a = turned ? &b : &a,
        .b = turned ? &a : &b,
        .C = turned ? modblas_transpose(o->C) : o->C,
        .A = turned ? modblas_transpose(o->B) : o->A,
        .B = turned ? modblas_transpose(o->A) : o->B,
        .overlap = plan->request.overlap,
        .alpha = o->alpha,
        .beta = o->beta,
    };
    mb_cut_begin(&a, &mod, &plan->math.a);
    mb_cut_begin(&b, &mod, &plan->math.b);
    return tiles == 1 ? run_tile(&c, 0, 0) : mb_sched_run(team, &c, tiles, run_tile, NULL);
}
