/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "plain": residues as machine words, multiplied by one loop of the backend that stays in
 * the cache. No engine, no planes: for products that are too small to be worth more. */
#include "plan.h"

#include <stdio.h>

/* Seconds, on a Zen 3 core: of a call, and of an entry that is read or written. */
static const double seconds_per_call = 8e-7, seconds_per_entry = 2.5e-9;

/* Panels of B that this does not hold are read again, this fast, for each panel of A. */
static const double cache_bytes = 384 << 10, bytes_per_second = 16e9;

static double predicted(const mb_plan *plan, double rate)
{
    const modblas_problem *p = &plan->request.problem;
    double m = (double)mb_round_up(p->m, MB_PLAIN_ROWS), k = (double)p->k;
    double n = (double)mb_round_up(p->n, MB_PLAIN_COLS);
    double b = (double)plan->region[MB_REGION_PLANES_B];
    double again = b > cache_bytes ? m / MB_PLAIN_ROWS * b : 0;
    return seconds_per_call + seconds_per_entry * (m * k + k * n + m * n) + 2 * m * n * k / rate +
           again / bytes_per_second;
}

/* Space for A's panels and B's, as mb_plain_job wants it. */
static void lay_out(mb_plan *plan)
{
    const modblas_problem *p = &plan->request.problem;
    uint64_t words = plan->math.sums == MB_SUMS_DIGITS ? MB_DIGITS : 1;
    uint64_t k = mb_times((uint64_t)p->k, words * sizeof(uint64_t));
    int64_t rows = plan->request.overlap ? mb_round_up(p->m, MB_PLAIN_ROWS) : MB_PLAIN_ROWS;
    int64_t cols = mb_round_up(p->n, MB_PLAIN_COLS);
    plan->region[MB_REGION_PLANES_A] = mb_times(k, (uint64_t)rows);
    plan->region[MB_REGION_PLANES_B] = mb_times(k, (uint64_t)cols);
    plan->bytes_each = mb_region_total(plan->region);
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
    /* Words other than doubles are residues. */
    math->a.raw = math->a.raw && math->sums == MB_SUMS_F64;
    math->b.raw = math->b.raw && math->sums == MB_SUMS_F64;
    *note = (mb_candidate){.scheme = math->scheme, .engine = mb_sums_name(math->sums)};
    plan->tile_m = p->m;
    plan->tile_n = p->n;
    plan->chunk_k = math->longest_k = p->k;
    plan->tiles_m = plan->tiles_n = plan->chunks = plan->workers = 1;
    lay_out(plan);
    double rate = caps->rates.plain[math->sums];
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
        note->seconds = plan->seconds = predicted(plan, rate);
    return reason == NULL;
}
