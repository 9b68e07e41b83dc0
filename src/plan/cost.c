/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model: operations of the GEMMs over their rate, bytes of split and join over the copy
 * rate, and a price for each launch. Rates come with the capabilities. */
#include "plan.h"

/* A GEMM on tiles of t x t reaches t^2/(t^2 + knee^2) of its rate. The knee on a GPU is read off
 * the INT8 column of the bare GEMMs (977 of 1221 Tops at 2048, batched), on a core off OpenBLAS.
 */
static const double knee_gpu = 1000, knee_core = 40;

/* With two or more tiles in flight on a GPU this part of split and join is not hidden by GEMMs. */
static const double least_exposed = 0.35;

static double gemm_seconds(const mb_plan *plan, const mb_caps *caps, double parallel)
{
    const mb_arithmetic *math = &plan->math;
    const modblas_problem *p = &plan->request.problem;
    int align = math->engine->align;
    double k = 0;
    for (int u = 0; u < math->terms; u++)
        k += (double)mb_plan_term_k(math, u, mb_round_up(plan->chunk_k, align));
    double tile =
        (double)mb_round_up(plan->tile_m, align) * (double)mb_round_up(plan->tile_n, align);
    double knee = caps->workers_add ? knee_core : knee_gpu;
    double efficiency = tile / (tile + knee * knee);
    double m = (double)mb_round_up(p->m, align), n = (double)mb_round_up(p->n, align);
    double ops = 2 * m * n * k * (double)plan->chunks;
    return ops / (caps->rates.gemm[math->engine_index] * efficiency * parallel);
}

/* Bytes that split reads and writes for one operand, each time it is split. */
static double split_bytes(const mb_plan *plan, int operand)
{
    const modblas_problem *p = &plan->request.problem;
    int64_t lines = operand == 0 ? p->m : p->n;
    modblas_type type = operand == 0 ? p->a : p->b;
    mb_block block = mb_plan_block(&plan->math, operand, lines, plan->chunk_k);
    return (double)lines * (double)p->k * (double)mb_type_size(type) +
           (double)block.bytes * (double)plan->chunks;
}

static double join_bytes(const mb_plan *plan)
{
    const modblas_problem *p = &plan->request.problem;
    double sums = plan->math.terms * (double)mb_element_size(mb_plan_sum(&plan->math));
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
    double bytes =
        split_bytes(plan, 0) * again_a + split_bytes(plan, 1) * again_b + join_bytes(plan);
    double exposed = 1;
    /* Fused GEMMs leave no room on the chip for other kernels. */
    if (!caps->workers_add && plan->workers > 1 && !plan->math.fused) {
        exposed = 1 / tiles;
        exposed = exposed < least_exposed ? least_exposed : exposed;
    }
    double jobs = tiles * (double)plan->chunks * (JOBS_AROUND + plan->math.terms);
    return gemm_seconds(plan, caps, parallel) + exposed * bytes / (caps->rates.bytes * parallel) +
           jobs * caps->rates.launch / parallel;
}
