/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model: operations of the GEMMs over their rate, bytes of split and join over the copy
 * rate, and a price for each launch. Rates come with the capabilities. */
#include "plan.h"

#include <math.h>

/* A GEMM on tiles of t x t reaches t^2/(t^2 + knee^2) of its rate. On a GPU the knees are read off
 * the bare GEMMs of an H200: INT8 404 of 1221 Tops at 2048 as single calls, 977 as one batch; FP64
 * 38 of 62 Tflops at 1024. On a core, off OpenBLAS. */
static const double knee_gpu_i8 = 1800, knee_gpu = 750, knee_core = 40;

/* Seconds between the last sum of one block of the fused kernel and the first of the next. */
static const double fused_pause = 0.7e-6;

/* With two or more tiles in flight on a GPU this part of split and join is not hidden by GEMMs. */
static const double least_exposed = 0.35;

/* Operations of the GEMMs of one tile and chunk. */
static double tile_ops(const mb_plan *plan)
{
    const mb_arithmetic *math = &plan->math;
    double k = 0;
    for (int u = 0; u < math->terms; u++)
        k += (double)mb_plan_term_k(math, u, mb_round_up(plan->chunk_k, math->engine->align));
    return 2 * k * (double)mb_round_up(plan->tile_m, math->engine->align) *
           (double)mb_round_up(plan->tile_n, math->engine->align);
}

/* The fused kernel does blocks of sums, `units` at a time, whether they are whole or not. */
static double fused_tile_seconds(const mb_plan *plan, const mb_rates *rates)
{
    const double side = MB_FUSED_TILE, units = rates->fused_units;
    const double down = ceil((double)plan->tile_m / side);
    const double across =
        ceil((double)plan->tile_n * plan->math.terms / mb_plan_sums(&plan->math) / side);
    const double turns = ceil(down * across * mb_plan_sums(&plan->math) / units);
    const double k = (double)mb_plan_term_k(&plan->math, 0,
                                            mb_round_up(plan->chunk_k, plan->math.engine->align));
    return turns * (2 * side * side * k * units / rates->fused + fused_pause);
}

/* Thin GEMMs read A while they multiply, at the tensor cores' rate. */
static double thin_tile_seconds(const mb_plan *plan, const mb_rates *rates)
{
    const double fastest = rates->fused > 0 ? rates->fused : rates->gemm[plan->math.engine_index];
    const double bytes = (double)plan->tile_m * plan->math.digits_a * (double)plan->chunk_k;
    return fmax(tile_ops(plan) / fastest, bytes / rates->bytes);
}

static double gemm_seconds(const mb_plan *plan, const mb_caps *caps, double parallel)
{
    const double pieces = (double)plan->tiles_m * (double)plan->tiles_n * (double)plan->chunks;
    if (plan->math.thin)
        return pieces * thin_tile_seconds(plan, &caps->rates);
    if (plan->math.fused && caps->rates.fused_units > 0)
        return pieces * fused_tile_seconds(plan, &caps->rates);
    const double area = (double)plan->tile_m * (double)plan->tile_n;
    const bool i8 = plan->math.engine->in == MB_ELEMENT_I8;
    const double knee = caps->workers_add ? (i8 ? caps->rates.knee_i8 : 0) + knee_core
                        : i8              ? knee_gpu_i8
                                          : knee_gpu;
    const double rate = caps->rates.gemm[plan->math.engine_index] * area / (area + knee * knee);
    return pieces * tile_ops(plan) / (rate * parallel);
}

/* On a core an element of a plane or a sum takes the time of so many bytes, however small it is.
 */
static const double bytes_of_cut = 8, bytes_of_join = 12;

static double element_bytes(mb_element element, const mb_caps *caps, double least)
{
    const double size = (double)mb_element_size(element);
    return caps->workers_add && size < least ? least : size;
}

/* Bytes that split reads and writes for one operand, each time it is split. */
static double split_bytes(const mb_plan *plan, const mb_caps *caps, int operand)
{
    const modblas_problem *p = &plan->request.problem;
    if (operand == 0 && (plan->math.bytes_a || mb_request_is_packed(&plan->request)))
        return 0;
    int64_t lines = operand == 0 ? p->m : p->n;
    modblas_type type = operand == 0 ? p->a : p->b;
    mb_block block = mb_plan_block(&plan->math, operand, lines, plan->chunk_k);
    const mb_element in = plan->math.engine->in;
    const double each = element_bytes(in, caps, bytes_of_cut) / (double)mb_element_size(in);
    return (double)lines * (double)p->k * (double)mb_type_size(type) +
           each * (double)block.bytes * (double)plan->chunks;
}

static double join_bytes(const mb_plan *plan, const mb_caps *caps)
{
    const modblas_problem *p = &plan->request.problem;
    if (mb_plan_may_land(plan))
        return 0;
    double sums =
        mb_plan_sums(&plan->math) * element_bytes(mb_plan_sum(&plan->math), caps, bytes_of_join);
    double carry = plan->chunks > 1 ? 16 : 0;
    double overlap = plan->request.overlap ? 16 : 0;
    return (double)p->m * (double)p->n *
           ((sums + carry) * (double)plan->chunks + overlap + (double)mb_type_size(p->c));
}

/* Jobs of a tile and chunk besides its GEMMs: two splits and a join. */
enum { JOBS_AROUND = 3 };

double mb_cost_least(const modblas_problem *problem, const mb_caps *caps)
{
    double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
    double fastest = 0, parallel = caps->workers_add ? caps->workers : 1;
    for (int e = 0; e < MB_MAX_ENGINES && caps->engine[e] != NULL; e++)
        fastest = caps->rates.gemm[e] > fastest ? caps->rates.gemm[e] : fastest;
    double bytes = m * k * (double)mb_type_size(problem->a) +
                   k * n * (double)mb_type_size(problem->b) +
                   m * n * (double)mb_type_size(problem->c);
    double exposed = caps->workers_add ? 1 : least_exposed;
    return (JOBS_AROUND + 1) * caps->rates.launch +
           (2 * m * n * k / fastest + exposed * bytes / caps->rates.bytes) / parallel;
}

double mb_cost(const mb_plan *plan, const mb_caps *caps)
{
    double tiles = (double)plan->tiles_m * (double)plan->tiles_n;
    double parallel = caps->workers_add ? plan->workers : 1;
    double again_a = plan->shared ? 1 : (double)plan->tiles_n;
    double again_b = plan->shared ? 1 : (double)plan->tiles_m;
    double bytes = split_bytes(plan, caps, 0) * again_a + split_bytes(plan, caps, 1) * again_b +
                   join_bytes(plan, caps);
    double exposed = 1;
    /* Fused GEMMs leave no room on the chip for other kernels. */
    if (!caps->workers_add && plan->workers > 1 && !plan->math.fused) {
        exposed = 1 / tiles;
        exposed = exposed < least_exposed ? least_exposed : exposed;
    }
    int around = mb_plan_may_land(plan) ? JOBS_AROUND - 1 : JOBS_AROUND;
    int gemms = plan->math.fused || plan->math.thin ? 1 : plan->math.terms;
    double jobs = tiles * (double)plan->chunks * (around + gemms);
    return gemm_seconds(plan, caps, parallel) + exposed * bytes / (caps->rates.bytes * parallel) +
           jobs * caps->rates.launch / parallel;
}
