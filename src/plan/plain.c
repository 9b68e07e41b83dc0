/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "plain": residues as machine words, multiplied by loops of the backend that read A once,
 * block by block, and stay in the cache. No engine, no planes. */
#include "plan.h"

#include <stdio.h>

/* Seconds, on a Zen 3 core: of a call, of an entry of A and B that is read, of one of C, and of a
 * worker that is woken. */
static const double seconds_per_call = 8e-7, seconds_per_input = 9e-10, seconds_per_result = 3e-9;
static const double seconds_per_worker = 1e-5;

/* A large B is read again, this fast, for each block of A. */
static const double cache_bytes = 1 << 20, bytes_per_second = 16e9;

/* Of a product of few columns: entries of A a second, where they lie next to each other. */
static const double few_seconds_per_input = 4e-10;

bool mb_plain_is_across(const modblas_problem *p)
{
    return p->m < p->n / 4;
}

/* Lines of the operand that is read in blocks, and of the one that is kept, of a tile. */
static void sides(const mb_plan *plan, int64_t *blocks, int64_t *kept)
{
    const bool across = mb_plain_is_across(&plan->request.problem);
    *blocks = across ? plan->tile_n : plan->tile_m;
    *kept = across ? plan->tile_m : plan->tile_n;
}

/* The same of the last tile, which may be a product of few columns where others are not. */
static int64_t last_kept(const mb_plan *plan)
{
    const modblas_problem *p = &plan->request.problem;
    const bool across = mb_plain_is_across(p);
    return across ? p->m - (plan->tiles_m - 1) * plan->tile_m
                  : p->n - (plan->tiles_n - 1) * plan->tile_n;
}

/* Of a tile. */
static double seconds_of(const mb_plan *plan, double rate)
{
    int64_t blocks, kept;
    sides(plan, &blocks, &kept);
    double m = (double)mb_round_up(blocks, MB_PLAIN_ROWS), k = (double)plan->request.problem.k;
    double n = (double)mb_round_up(kept, MB_PLAIN_COLS);
    if (kept <= MB_PLAIN_FEW)
        return seconds_per_call + few_seconds_per_input * m * k * (double)kept;
    double b = (double)plan->region[MB_REGION_PLANES_B];
    double again = b > cache_bytes ? m / MB_PLAIN_LINES * b : 0;
    return seconds_per_call + seconds_per_input * (m * k + k * n) + seconds_per_result * m * n +
           2 * m * n * k / rate + again / bytes_per_second;
}

/* Space as mb_plain_job wants it. */
static void lay_out(mb_plan *plan)
{
    int64_t blocks, kept;
    sides(plan, &blocks, &kept);
    const int64_t k = plan->request.problem.k;
    uint64_t words = plan->math.sums == MB_SUMS_DIGITS ? MB_DIGITS : 1;
    uint64_t depth = (uint64_t)(k < MB_PLAIN_DEPTH ? k : MB_PLAIN_DEPTH);
    uint64_t all = (uint64_t)mb_round_up(blocks, MB_PLAIN_ROWS);
    uint64_t block = last_kept(plan) <= MB_PLAIN_FEW ? MB_PLAIN_FEW_LINES : MB_PLAIN_LINES;
    uint64_t rows = all < block ? all : block;
    uint64_t cols = (uint64_t)mb_round_up(kept, MB_PLAIN_COLS) * sizeof(uint64_t);
    plan->region[MB_REGION_PLANES_A] = depth * rows * words * sizeof(uint64_t);
    plan->region[MB_REGION_PLANES_B] = mb_times(mb_times((uint64_t)k, words), cols);
    plan->region[MB_REGION_SUMS] = mb_times(plan->request.overlap ? all : rows, cols);
    plan->bytes_each = mb_region_total(plan->region);
}

static int64_t parts(int64_t whole, int64_t part)
{
    return whole / part + (whole % part != 0);
}

/* Cuts C into down x across tiles, for as many workers. */
static void cut(mb_plan *plan, int down, int across, double rate)
{
    const modblas_problem *p = &plan->request.problem;
    plan->tile_m = mb_round_up(parts(p->m, down), MB_PLAIN_COLS);
    plan->tile_n = mb_round_up(parts(p->n, across), MB_PLAIN_COLS);
    plan->tile_m = plan->tile_m < p->m ? plan->tile_m : p->m;
    plan->tile_n = plan->tile_n < p->n ? plan->tile_n : p->n;
    plan->tiles_m = parts(p->m, plan->tile_m);
    plan->tiles_n = parts(p->n, plan->tile_n);
    plan->workers = (int)(plan->tiles_m * plan->tiles_n);
    lay_out(plan);
    plan->seconds = seconds_of(plan, rate) + seconds_per_worker * (plan->workers - 1);
}

/* The cheapest tiles whose workspace fits. Where C overlaps an input there is one, since a worker
 * must not write what another reads. */
static void tile(mb_plan *plan, const mb_caps *caps, double rate)
{
    const int most = caps->workers_add && !plan->request.overlap ? caps->workers : 1;
    cut(plan, 1, 1, rate);
    for (int down = 1; down <= most; down++) {
        mb_plan other = *plan;
        cut(&other, down, most / down, rate);
        if (other.seconds < plan->seconds &&
            mb_times(other.bytes_each, (uint64_t)other.workers) <= caps->memory)
            *plan = other;
    }
}

bool mb_plan_plain(mb_plan *plan, const mb_caps *caps, mb_candidate *note)
{
    const modblas_problem *p = &plan->request.problem;
    const modblas_plan_options *o = &plan->request.options;
    mb_arithmetic *math = &plan->math;
    math->scheme = MODBLAS_SCHEME_PLAIN;
    math->a = mb_bound_entries(p->a, p->N, o->bound_a);
    math->b = mb_bound_entries(p->b, p->N, o->bound_b);
    math->sums = mb_bound_plain_sums(p->N, p->k, math->a.range, math->b.range);
    /* Words other than these are residues. */
    const bool balanced = math->sums == MB_SUMS_F64 || math->sums == MB_SUMS_I64;
    math->a.raw = math->a.raw && balanced;
    math->b.raw = math->b.raw && balanced;
    *note = (mb_candidate){.scheme = math->scheme, .engine = mb_sums_name(math->sums)};
    plan->chunk_k = math->longest_k = p->k;
    plan->chunks = 1;
    double rate = caps->rates.plain[math->sums];
    tile(plan, caps, rate);
    const char *reason = NULL;
    if (rate == 0)
        reason = "this backend does not have it";
    else if (o->engine != MODBLAS_ENGINE_AUTO || o->tile_m || o->tile_n || o->chunk_k)
        reason = "it takes no engine, tile or chunk: leave these options out";
    else if (plan->bytes_each > caps->memory)
        reason = "its workspace does not fit the memory";
    if (reason != NULL)
        snprintf(note->reason, MB_REASON_SIZE, "%s", reason);
    else
        note->seconds = plan->seconds;
    return reason == NULL;
}
