/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of C, chunks of k, and what of the planes is shared: the cheapest that fit the memory, or
 * less memory where that costs next to nothing. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

/* Tiles are not halved below this size unless memory demands it. */
enum { LEAST_TILE = 256 };

/* BLAS sizes are ints; a chunk's leading dimension is at most MB_MAX_FOLDS times the chunk. */
static const int64_t longest_chunk = (int64_t)1 << 27, longest_tile = (int64_t)1 << 30;

/* A slab of an operand from host memory holds at least one line of a chunk. */
static const uint64_t slab_bytes = (uint64_t)32 << 20;

static int64_t parts(int64_t whole, int64_t part)
{
    return whole / part + (whole % part != 0);
}

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static uint64_t larger(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

/* The largest slab that a block of `lines` x k entries needs. */
static uint64_t slab(int64_t lines, int64_t k, modblas_type type)
{
    uint64_t line = mb_times((uint64_t)k, mb_type_size(type));
    uint64_t block = mb_times(line, (uint64_t)lines);
    return block < slab_bytes ? block : larger(slab_bytes, line);
}

static uint64_t blocks(uint64_t bytes, int64_t rows, int64_t cols)
{
    return mb_times(mb_aligned(bytes), mb_times((uint64_t)rows, (uint64_t)cols));
}

static void lay_out(mb_plan *plan, const mb_caps *caps)
{
    const modblas_problem *p = &plan->request.problem;
    plan->tiles_m = parts(p->m, plan->tile_m);
    plan->tiles_n = parts(p->n, plan->tile_n);
    plan->chunks = parts(p->k, plan->chunk_k);
    mb_block a = mb_plan_block(&plan->math, 0, plan->tile_m, plan->chunk_k);
    mb_block b = mb_plan_block(&plan->math, 1, plan->tile_n, plan->chunk_k);
    mb_sum_plane plane = mb_plan_sum_plane(&plan->math, plan->tile_m, plan->tile_n);
    uint64_t entries = mb_times((uint64_t)plane.lines, (uint64_t)plane.ld);
    uint64_t carry = mb_times(entries, sizeof(uint64_t));
    uint64_t *each = plan->region, *all = plan->shared_region;
    for (int r = 0; r < MB_REGION_COUNT; r++)
        each[r] = all[r] = 0;
    const bool packed = mb_request_is_packed(&plan->request);
    if (plan->shared) {
        all[MB_REGION_PLANES_A] = packed ? 0 : blocks(a.bytes, plan->tiles_m, plan->chunks);
        all[MB_REGION_PLANES_B] = blocks(b.bytes, plan->tiles_n, plan->chunks);
    } else {
        each[MB_REGION_PLANES_A] = a.bytes;
        each[MB_REGION_PLANES_B] = b.bytes;
    }
    if (plan->request.overlap)
        all[MB_REGION_CARRY] = blocks(carry, plan->tiles_m, plan->tiles_n);
    else if (plan->chunks > 1)
        each[MB_REGION_CARRY] = carry;
    each[MB_REGION_SUMS] = mb_times(entries, (uint64_t)mb_plan_sums(&plan->math) *
                                                 mb_element_size(mb_plan_sum(&plan->math)));
    if (caps->staging) {
        each[MB_REGION_STAGE] = larger(slab(plan->tile_m, plan->chunk_k, p->a),
                                       slab(plan->tile_n, plan->chunk_k, p->b));
        each[MB_REGION_TILE_C] = mb_times(entries, mb_type_size(p->c));
    }
    plan->bytes_each = mb_region_total(each);
    plan->bytes_shared = mb_region_total(all);
}

/* What was found so far: the cheapest, and the one with the least memory that is nearly as cheap.
 */
typedef struct {
    mb_plan cheapest, smallest;
} findings;

static const double nearly = 1.01;

static uint64_t bytes_of(const mb_plan *plan)
{
    return plan->bytes_shared + plan->bytes_each * (uint64_t)plan->workers;
}

static void keep(findings *f, const mb_plan *choice)
{
    bool first = f->cheapest.seconds == 0;
    if (first || choice->seconds < f->cheapest.seconds)
        f->cheapest = *choice;
    const double most = nearly * f->cheapest.seconds;
    if (first || f->smallest.seconds > most)
        f->smallest = f->cheapest;
    if (choice->seconds <= most && bytes_of(choice) < bytes_of(&f->smallest))
        f->smallest = *choice;
}

/* Lays out and prices one choice, and keeps it if it fits. */
static void consider(findings *best, mb_plan choice, const mb_caps *caps)
{
    lay_out(&choice, caps);
    uint64_t memory = caps->memory;
    if (choice.bytes_shared > memory || choice.bytes_each > memory - choice.bytes_shared)
        return;
    uint64_t room = (memory - choice.bytes_shared) / larger(choice.bytes_each, 1);
    int64_t tiles = choice.tiles_m * choice.tiles_n;
    int64_t workers = caps->workers;
    workers = workers < tiles ? workers : tiles;
    choice.workers = (uint64_t)workers < room ? (int)workers : (int)room;
    choice.seconds = mb_cost(&choice, caps);
    keep(best, &choice);
}

/* The tile when `whole` is cut into `count` parts. */
static int64_t part(int64_t whole, int64_t count, int align)
{
    int64_t tile = mb_round_up(parts(whole, count), align);
    return tile < whole ? tile : whole;
}

/* The tile of the `count`-th choice, or the one that was asked for. */
static int64_t tile(int64_t whole, int64_t count, int64_t forced, int align)
{
    int64_t size = forced ? lesser(forced, whole) : part(whole, count, align);
    return lesser(size, longest_tile);
}

static bool halves_on(int64_t size, int64_t count, int64_t forced, int align, bool found)
{
    if (count == 1)
        return true;
    return forced == 0 && size >= (found ? LEAST_TILE : align);
}

static void try_tiles(findings *best, mb_plan choice, const mb_caps *caps)
{
    const modblas_problem *p = &choice.request.problem;
    const modblas_plan_options *o = &choice.request.options;
    const bool packed = mb_request_is_packed(&choice.request);
    const int64_t forced_m = packed ? p->m : o->tile_m;
    int align = choice.math.engine->align;
    for (int64_t i = 1;; i *= 2) {
        choice.tile_m = tile(p->m, i, forced_m, align);
        if (!halves_on(choice.tile_m, i, forced_m, align, best->cheapest.seconds > 0))
            break;
        for (int64_t j = 1;; j *= 2) {
            choice.tile_n = tile(p->n, j, o->tile_n, align);
            if (choice.math.thin)
                choice.tile_n = lesser(choice.tile_n, choice.math.most_n);
            if (!halves_on(choice.tile_n, j, o->tile_n, align, best->cheapest.seconds > 0))
                break;
            choice.shared = true;
            consider(best, choice, caps);
            choice.shared = false;
            if (!packed)
                consider(best, choice, caps);
            if (j > p->n / 2)
                break;
        }
        if (i > p->m / 2)
            break;
    }
}

/* Chunks that are not forced start at multiples of align where the bound is that long. */
static int64_t chunk(int64_t k, int64_t longest, int64_t count, int align)
{
    return part(k, count, k > longest && longest < align ? 1 : align);
}

bool mb_tile(mb_plan *plan, const mb_caps *caps, char reason[MB_REASON_SIZE])
{
    const mb_packing *packing = plan->request.packing;
    int64_t k = plan->request.problem.k;
    int64_t forced = packing ? packing->chunk_k : plan->request.options.chunk_k;
    int64_t longest = lesser(plan->math.longest_k, longest_chunk);
    int align = plan->math.engine->align;
    if ((packing || plan->request.packs) && plan->request.problem.m > longest_tile) {
        snprintf(reason, MB_REASON_SIZE,
                 "a packed operand has at most %" PRId64 " lines, this one %" PRId64, longest_tile,
                 plan->request.problem.m);
        return false;
    }
    if (lesser(forced, k) > longest) {
        snprintf(reason, MB_REASON_SIZE,
                 "a chunk of %" PRId64 " was asked for; sums are exact up to %" PRId64, forced,
                 longest);
        return false;
    }
    if (k > longest && longest >= align)
        longest -= longest % align;
    findings best = {.cheapest = {.seconds = 0}};
    for (int64_t count = parts(k, lesser(longest, k)); best.cheapest.seconds == 0; count *= 2) {
        plan->chunk_k = forced ? lesser(forced, k) : chunk(k, longest, count, align);
        try_tiles(&best, *plan, caps);
        if (forced || plan->chunk_k <= align)
            break;
    }
    if (best.cheapest.seconds == 0) {
        snprintf(reason, MB_REASON_SIZE,
                 "its smallest workspace does not fit the memory of %" PRIu64 " bytes",
                 caps->memory);
        return false;
    }
    *plan = best.smallest;
    return true;
}
