/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan: planes of shared operands, then tiles of C (split, GEMMs, join), then, where C
 * overlaps an input, the stores. */
#include "exec.h"

#include "arena.h"
#include "gemms.h"
#include "operands.h"
#include "sched.h"

/* One call under way. */
typedef struct {
    const mb_plan *plan;
    const mb_backend *backend;
    mb_team team;
    mb_layout each, shared;
    const mb_constants *constants;
    modblas_matrix view[3]; /* A, B transposed, C: lines along k, lines along k, as it is */
    mb_place place[3];
    uint64_t beta;
    bool lands; /* residues go from the GEMM to C */
    mb_trace *trace;
} call;

enum { OPERAND_A, OPERAND_B, OPERAND_C };

/* A view of the same sizes on dense workspace, in the order that suits the source. */
static modblas_matrix dense_like(const modblas_matrix *view, void *data)
{
    modblas_matrix d = *view;
    bool by_columns = view->row_stride == 1 && view->col_stride != 1;
    d.data = data;
    d.row_stride = by_columns ? 1 : view->cols;
    d.col_stride = by_columns ? view->rows : 1;
    return d;
}

/* ---- split ---------------------------------------------------------------------------------- */

/* Splits an operand in host memory slab by slab through the worker's staging buffer. */
static modblas_status split_staged(call *c, int w, mb_split_job job)
{
    modblas_status status = MODBLAS_OK;
    modblas_matrix src = job.src;
    mb_worker *worker = mb_team_worker(&c->team, w);
    int64_t padding = job.lines_padded - src.rows;
    uint64_t line = (uint64_t)src.cols * mb_type_size(src.type);
    int64_t most = (int64_t)(c->plan->region[MB_REGION_STAGE] / line);
    void *stage = mb_arena_at(mb_team_memory(&c->team, w), &c->each, MB_REGION_STAGE, 0, 0);
    int64_t lines;
    for (int64_t l = 0; l < src.rows; l += lines) {
        lines = mb_lesser(src.rows - l, most);
        modblas_matrix slab = mb_window(&src, l, 0, lines, src.cols);
        job.src = dense_like(&slab, stage);
        job.lines_padded = lines + (l + lines == src.rows ? padding : 0);
        MB_TRY(c->backend->upload(worker, &job.src, &slab));
        MB_TRY(c->backend->split(worker, &job));
        int64_t step = lines * job.ld * (int64_t)mb_element_size(job.type);
        job.dst = (char *)job.dst + step;
    }
fail:
    return status;
}

/* Where the planes of a block lie, for worker w; or A itself where it is read as bytes. */
static void *planes_at(const call *c, int w, int operand, int64_t tile, int64_t chunk)
{
    const mb_plan *plan = c->plan;
    const modblas_matrix *A = &c->view[OPERAND_A];
    if (operand == OPERAND_A && plan->math.bytes_a)
        return mb_window(A, tile * plan->tile_m, chunk * plan->chunk_k, 1, 1).data;
    if (operand == OPERAND_A && plan->request.packing)
        return mb_arena_packed(plan->request.packing, chunk);
    bool shared = plan->shared;
    void *base = shared ? mb_team_shared(&c->team) : mb_team_memory(&c->team, w);
    return mb_arena_planes(base, shared ? &c->shared : &c->each, plan, operand, tile, chunk);
}

/* Sizes of the real block of an operand: tile and chunk may be the last, and shorter. */
static void block_sizes(const mb_plan *plan, int operand, int64_t tile, int64_t chunk,
                        int64_t *lines, int64_t *k)
{
    const modblas_problem *p = &plan->request.problem;
    int64_t size = operand == OPERAND_A ? plan->tile_m : plan->tile_n;
    int64_t whole = operand == OPERAND_A ? p->m : p->n;
    *lines = mb_lesser(whole - tile * size, size);
    *k = mb_lesser(p->k - chunk * plan->chunk_k, plan->chunk_k);
}

static modblas_status split_block(call *c, int w, int operand, int64_t tile, int64_t chunk,
                                  int64_t trace_tile)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = c->plan;
    int64_t lines, k;
    int handle;
    block_sizes(plan, operand, tile, chunk, &lines, &k);
    mb_block block = mb_plan_block(&plan->math, operand, lines, k);
    int64_t size = operand == OPERAND_A ? plan->tile_m : plan->tile_n;
    mb_split_job job = {
        .cut = operand == OPERAND_A ? &c->constants->a : &c->constants->b,
        .src = mb_window(&c->view[operand], tile * size, chunk * plan->chunk_k, lines, k),
        .operand = operand,
        .dst = planes_at(c, w, operand, tile, chunk),
        .type = plan->math.engine->in,
        .ld = block.ld,
        .plane_stride = block.plane_stride,
        .fold_stride = block.fold_stride,
        .lines_padded = block.lines,
        .k_padded = block.k,
        .interleaved = block.interleaved,
    };
    MB_TRY(mb_trace_begin(c->trace, &c->team, w, MB_STAGE_SPLIT, trace_tile, &handle));
    if (c->place[operand] == MB_PLACE_STAGED)
        MB_TRY(split_staged(c, w, job));
    else
        MB_TRY(c->backend->split(mb_team_worker(&c->team, w), &job));
    MB_TRY(mb_trace_end(c->trace, &c->team, w, handle));
fail:
    return status;
}

/* How many blocks of A are split. */
static int64_t blocks_of_a(const mb_plan *plan)
{
    return plan->math.bytes_a || plan->request.packing ? 0 : plan->tiles_m * plan->chunks;
}

/* Task of the first phase: block `task` of A's blocks, then of B's. */
static modblas_status split_task(void *argument, int w, int64_t task)
{
    call *c = argument;
    int64_t blocks_a = blocks_of_a(c->plan);
    int operand = task < blocks_a ? OPERAND_A : OPERAND_B;
    int64_t tiles = operand == OPERAND_A ? c->plan->tiles_m : c->plan->tiles_n;
    int64_t index = operand == OPERAND_A ? task : task - blocks_a;
    return split_block(c, w, operand, index % tiles, index / tiles, -1);
}

/* ---- GEMMs ---------------------------------------------------------------------------------- */

static modblas_matrix tile_of_c(const call *c, int64_t ti, int64_t tj)
{
    int64_t rows, cols, k;
    block_sizes(c->plan, OPERAND_A, ti, 0, &rows, &k);
    block_sizes(c->plan, OPERAND_B, tj, 0, &cols, &k);
    return mb_window(&c->view[OPERAND_C], ti * c->plan->tile_m, tj * c->plan->tile_n, rows, cols);
}

/* Whether GEMMs leave their residues in C itself. */
static bool lands(const call *c, uint64_t alpha)
{
    const mb_plan *plan = c->plan;
    const modblas_matrix *C = &c->view[OPERAND_C];
    const int64_t size = (int64_t)mb_type_size(C->type), align = plan->math.engine->align;
    return mb_plan_may_land(plan) && alpha == 1 && c->beta == 0 &&
           c->place[OPERAND_C] == MB_PLACE_DIRECT && C->col_stride == 1 &&
           C->row_stride >= C->cols && C->row_stride * size % align == 0 &&
           C->cols * size % align == 0 && (uintptr_t)C->data % (uintptr_t)align == 0 &&
           (plan->tiles_n == 1 || plan->tile_n * size % align == 0);
}

/* Sends the residues of a job to C. */
static void land(const call *c, int64_t ti, int64_t tj, mb_gemm_job *job)
{
    const modblas_matrix C = tile_of_c(c, ti, tj);
    job->C = C.data;
    job->m = C.rows;
    job->n = C.cols;
    job->ldc = C.row_stride;
}

static modblas_status multiply(call *c, int w, int64_t ti, int64_t tj, int64_t chunk, void *sums)
{
    modblas_status status = MODBLAS_OK;
    const mb_arithmetic *math = &c->plan->math;
    int64_t lines_a, lines_b, k;
    int handle;
    block_sizes(c->plan, OPERAND_A, ti, chunk, &lines_a, &k);
    block_sizes(c->plan, OPERAND_B, tj, chunk, &lines_b, &k);
    mb_block a = mb_plan_block(math, OPERAND_A, lines_a, k);
    mb_block b = mb_plan_block(math, OPERAND_B, lines_b, k);
    if (math->bytes_a && lines_a > 1)
        a.ld = c->view[OPERAND_A].row_stride * (int64_t)mb_type_size(c->view[OPERAND_A].type);
    MB_TRY(
        mb_trace_begin(c->trace, &c->team, w, MB_STAGE_GEMM, ti * c->plan->tiles_n + tj, &handle));
    for (mb_gemm_job job = mb_gemms_first(math, &a, &b, planes_at(c, w, OPERAND_A, ti, chunk),
                                          planes_at(c, w, OPERAND_B, tj, chunk), sums);
         job.count > 0; mb_gemms_next(math, &a, &job)) {
        if (c->lands)
            land(c, ti, tj, &job);
        MB_TRY(c->backend->gemm(mb_team_worker(&c->team, w), &job));
    }
    MB_TRY(mb_trace_end(c->trace, &c->team, w, handle));
fail:
    return status;
}

/* ---- join ----------------------------------------------------------------------------------- */

static uint64_t *carry_at(const call *c, int w, int64_t tile)
{
    if (!c->plan->request.overlap)
        return mb_arena_at(mb_team_memory(&c->team, w), &c->each, MB_REGION_CARRY, 0, 0);
    const mb_plan *plan = c->plan;
    const mb_sum_plane plane = mb_plan_sum_plane(&plan->math, plan->tile_m, plan->tile_n);
    uint64_t bytes = (uint64_t)plane.lines * (uint64_t)plane.ld * sizeof(uint64_t);
    return mb_arena_at(mb_team_shared(&c->team), &c->shared, MB_REGION_CARRY, bytes, tile);
}

/* The tile buffer on the device for a C in host memory. */
static modblas_matrix staged_tile(const call *c, int w, const modblas_matrix *tile)
{
    void *memory = mb_arena_at(mb_team_memory(&c->team, w), &c->each, MB_REGION_TILE_C, 0, 0);
    return dense_like(tile, memory);
}

/* Joins sums (NULL: only the carry) of a chunk. Stores to C after the last chunk, unless C
 * overlaps an input that may still be read. */
static modblas_status join_tile(call *c, int w, int64_t tile, const void *sums, bool first,
                                bool store)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = c->plan;
    mb_worker *worker = mb_team_worker(&c->team, w);
    modblas_matrix C = tile_of_c(c, tile / plan->tiles_n, tile % plan->tiles_n);
    const mb_sum_plane plane = mb_plan_sum_plane(&plan->math, C.rows, C.cols);
    int handle;
    mb_join_job job = {
        .join = sums != NULL ? &c->constants->join : NULL,
        .mod = &c->constants->join.mod,
        .float_limit = MB_FLOAT_LIMIT,
        .acc = sums,
        .acc_type = mb_plan_sum(&plan->math),
        .acc_ld = plane.ld,
        .acc_plane_stride = plane.lines * plane.ld,
        .rows = C.rows,
        .cols = C.cols,
        .carry = carry_at(c, w, tile),
        .carry_ld = plane.ld,
        .add_carry = !first,
        .to_carry = !store,
        .C = C,
        .beta = store ? c->beta : 0,
    };
    MB_TRY(mb_trace_begin(c->trace, &c->team, w, MB_STAGE_JOIN, tile, &handle));
    if (store && c->place[OPERAND_C] == MB_PLACE_STAGED) {
        job.C = staged_tile(c, w, &C);
        if (c->beta != 0)
            MB_TRY(c->backend->upload(worker, &job.C, &C));
    }
    if (plan->math.thin) {
        job.C = modblas_transpose(job.C);
        job.rows = C.cols;
        job.cols = C.rows;
    }
    MB_TRY(c->backend->join(worker, &job));
    MB_TRY(mb_trace_end(c->trace, &c->team, w, handle));
fail:
    return status;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static modblas_status tile_task(void *argument, int w, int64_t tile)
{
    modblas_status status = MODBLAS_OK;
    call *c = argument;
    const mb_plan *plan = c->plan;
    int64_t ti = tile / plan->tiles_n, tj = tile % plan->tiles_n;
    void *sums = mb_arena_at(mb_team_memory(&c->team, w), &c->each, MB_REGION_SUMS, 0, 0);
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++) {
        if (!plan->shared) {
            if (blocks_of_a(plan) > 0)
                MB_TRY(split_block(c, w, OPERAND_A, ti, chunk, tile));
            MB_TRY(split_block(c, w, OPERAND_B, tj, chunk, tile));
        }
        MB_TRY(multiply(c, w, ti, tj, chunk, sums));
        bool last = chunk == plan->chunks - 1;
        if (!c->lands)
            MB_TRY(join_tile(c, w, tile, sums, chunk == 0, last && !plan->request.overlap));
    }
fail:
    return status;
}

static modblas_status store_task(void *argument, int w, int64_t tile)
{
    return join_tile(argument, w, tile, NULL, false, true);
}

/* Brings a stored tile back to host memory. */
static modblas_status finish_task(void *argument, int w, int64_t tile)
{
    call *c = argument;
    if (c->place[OPERAND_C] != MB_PLACE_STAGED)
        return MODBLAS_OK;
    modblas_matrix C = tile_of_c(c, tile / c->plan->tiles_n, tile % c->plan->tiles_n);
    modblas_matrix staged = staged_tile(c, w, &C);
    return c->backend->download(mb_team_worker(&c->team, w), &C, &staged);
}

static modblas_status run_phases(call *c)
{
    modblas_status status = MODBLAS_OK;
    const mb_plan *plan = c->plan;
    int64_t tiles = plan->tiles_m * plan->tiles_n;
    bool overlap = plan->request.overlap;
    if (plan->shared)
        MB_TRY(mb_sched_run(&c->team, c, blocks_of_a(plan) + plan->tiles_n * plan->chunks,
                            split_task, NULL));
    MB_TRY(mb_sched_run(&c->team, c, tiles, tile_task, overlap ? NULL : finish_task));
    if (overlap)
        MB_TRY(mb_sched_run(&c->team, c, tiles, store_task, finish_task));
fail:
    return status;
}

modblas_status mb_exec_order(const mb_team *team, const mb_plan *plan,
                             const mb_constants *constants, const mb_operands *o, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    if (plan->math.scheme == MODBLAS_SCHEME_PLAIN)
        return mb_exec_order_plain(team, plan, o, trace);
    call c = {
        .plan = plan,
        .backend = team->device->backend,
        .team = *team,
        .each = mb_arena_layout(plan->region),
        .shared = mb_arena_layout(plan->shared_region),
        .constants = constants,
        .view = {o->A, modblas_transpose(o->B), o->C},
        .beta = o->beta,
        .trace = trace,
    };
    for (int i = 0; i < 3; i++)
        MB_TRY(c.backend->locate(mb_team_worker(team, 0), &c.view[i], &c.place[i]));
    c.lands = lands(&c, o->alpha);
    MB_TRY(run_phases(&c));
fail:
    return status;
}

modblas_status mb_exec_finish(mb_team *team, modblas_status status, bool swapped, mb_trace *trace)
{
    uint32_t faults = 0;
    modblas_status waited = mb_team_wait(team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    if (status == MODBLAS_OK)
        status = mb_trace_read(trace, team);
    mb_team_give(team);
    return status == MODBLAS_OK ? mb_judge_faults(faults, swapped) : status;
}

void mb_exec_bytes(const mb_plan *plan, uint64_t *shared, uint64_t *each)
{
    *shared = mb_region_total(plan->shared_region);
    *each = mb_region_total(plan->region);
}

modblas_status mb_exec(modblas_context *context, mb_device *device, const mb_plan *plan,
                       const mb_operands *o, mb_trace *trace)
{
    mb_team team;
    mb_constants constants;
    uint64_t shared, each;
    mb_exec_bytes(plan, &shared, &each);
    modblas_status status = mb_team_take(&team, context, device, plan->workers, shared, each);
    if (status != MODBLAS_OK)
        return status;
    if (plan->math.scheme != MODBLAS_SCHEME_PLAIN)
        mb_plan_constants(plan, o->alpha, &constants);
    status = mb_exec_order(&team, plan, &constants, o, trace);
    return mb_exec_finish(&team, status, plan->request.swapped, trace);
}

modblas_status mb_exec_pack(modblas_context *context, mb_device *device, const mb_plan *plan,
                            const mb_packing *packing, const modblas_matrix *A)
{
    modblas_status status = MODBLAS_OK;
    mb_constants constants;
    mb_plan packed = *plan;
    packed.request.packing = packing;
    call c = {
        .plan = &packed,
        .backend = context->backend,
        .each = mb_arena_layout(plan->region),
        .constants = &constants,
        .view = {*A},
    };
    mb_plan_constants(plan, 1, &constants);
    status = mb_team_take(&c.team, context, device, 1, 0, c.each.total);
    if (status != MODBLAS_OK)
        return status;
    MB_TRY(c.backend->locate(mb_team_worker(&c.team, 0), A, &c.place[OPERAND_A]));
    for (int64_t chunk = 0; chunk < plan->chunks; chunk++)
        MB_TRY(split_block(&c, 0, OPERAND_A, 0, chunk, -1));
fail:
    return mb_exec_finish(&c.team, status, plan->request.swapped, NULL);
}
