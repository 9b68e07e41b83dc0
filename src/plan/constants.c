/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <string.h>

mb_element mb_plan_sum(const mb_arithmetic *math)
{
    if (math->thin)
        return MB_ELEMENT_I64;
    if (!math->fused)
        return math->engine->acc;
    return math->scheme == MODBLAS_SCHEME_SPLIT ? MB_ELEMENT_U16 : MB_ELEMENT_U8;
}

int mb_plan_sums(const mb_arithmetic *math)
{
    return math->fused && math->scheme == MODBLAS_SCHEME_SPLIT ? 1 : math->terms;
}

/* Sums of thin products are read by fours. */
enum { LONG_ALIGN = 4 };

mb_sum_plane mb_plan_sum_plane(const mb_arithmetic *math, int64_t rows, int64_t cols)
{
    if (math->thin)
        return (mb_sum_plane){cols, mb_round_up(rows, LONG_ALIGN)};
    const int align = math->engine->align;
    return (mb_sum_plane){mb_round_up(rows, align), mb_round_up(cols, align)};
}

bool mb_plan_may_land(const mb_plan *plan)
{
    return plan->math.fused && plan->math.scheme != MODBLAS_SCHEME_RNS && plan->chunks == 1 &&
           !plan->request.overlap &&
           mb_type_size(plan->request.problem.c) == mb_element_size(mb_plan_sum(&plan->math));
}

void mb_cut_begin(mb_cut *cut, const mb_mod *mod, const mb_entries *entries)
{
    memset(cut, 0, sizeof *cut);
    cut->mod = *mod;
    cut->raw = entries->raw;
    cut->bound = entries->limit;
    cut->float_limit = MB_FLOAT_LIMIT;
    cut->center = entries->raw ? mb_range_magnitude(entries->range) : mod->half;
    cut->folds = 1;
    cut->fold[0] = mb_reduce64(1, mod);
}

void mb_cut_whole(mb_cut *cut)
{
    cut->kind = MB_CUT_DIGITS;
    cut->planes = 1;
    cut->mask = UINT64_MAX;
    cut->offset = cut->center;
}

void mb_join_begin(mb_join *join, const mb_mod *mod, const mb_arithmetic *math)
{
    memset(join, 0, sizeof *join);
    join->mod = *mod;
    join->terms = mb_plan_sums(math);
    join->wide = mb_plan_sum(math) == MB_ELEMENT_F64;
    join->longs = math->thin;
    join->reduced = math->fused ? (int)mb_element_size(mb_plan_sum(math)) : 0;
    join->bias = math->fused ? 0 : math->thin ? MB_LONG_SUM : math->engine->bias;
}

/* The largest number that term i multiplies its weight by. */
static uint64_t largest_of(const mb_join *join, int i)
{
    if (join->reduced)
        return UINT64_MAX >> (64 - 8 * join->reduced);
    return join->residues ? join->term[i].m - 1 : 2 * join->bias;
}

/* True if the final sum of mb_join_finish stays below 2^64. */
static bool is_narrow(const mb_join *join)
{
    unsigned __int128 sum = join->constant;
    for (int i = 0; i < join->terms; i++)
        sum += (unsigned __int128)largest_of(join, i) * join->term[i].weight;
    if (join->residues)
        sum += (unsigned __int128)(unsigned)join->terms * join->minus_M;
    return sum >> 64 == 0;
}

/* Sets what mb_reduce_small needs if the final sum stays below 2^13 N; weights and the constant
 * are below N. */
static void set_small(mb_join *join)
{
    unsigned __int128 factors = join->constant != 0;
    for (int i = 0; i < join->terms; i++)
        factors += largest_of(join, i);
    factors += join->residues ? (unsigned)join->terms : 0;
    join->small = factors <= MB_SMALL;
    if (!join->small || join->mod.n == 0)
        return;
    const int bits = mb_mod_bits(join->mod.n);
    join->shift = bits > 19 ? (uint32_t)bits - 19 : 0;
    join->inverse =
        (float)((1 - 0x1p-21) * (double)((uint64_t)1 << join->shift) / (double)join->mod.n);
}

void mb_join_end(mb_join *join)
{
    if (!join->residues) {
        uint64_t weights = 0;
        for (int i = 0; i < join->terms; i++)
            weights = mb_addmod(weights, join->term[i].weight, &join->mod);
        join->constant = mb_negmod(mb_mulmod(join->bias, weights, &join->mod), &join->mod);
    }
    join->narrow = is_narrow(join);
    set_small(join);
}

static const mb_scheme_rules *rules(modblas_scheme scheme)
{
    if (scheme == MODBLAS_SCHEME_DIRECT)
        return &mb_scheme_direct;
    return scheme == MODBLAS_SCHEME_SPLIT ? &mb_scheme_split : &mb_scheme_rns;
}

void mb_plan_constants(const mb_plan *plan, uint64_t alpha, mb_constants *constants)
{
    mb_mod mod = mb_mod_make(plan->request.problem.N);
    rules(plan->math.scheme)->constants(&plan->math, &mod, alpha, constants);
}

int64_t mb_round_up(int64_t x, int64_t align)
{
    int64_t whole = x / align * align;
    return whole == x || whole > INT64_MAX - align ? whole : whole + align;
}

/* x*y, or some size that no memory holds. */
static int64_t product(int64_t x, int64_t y)
{
    int64_t p;
    return __builtin_mul_overflow(x, y, &p) ? INT64_MAX : p;
}

/* Lines of bytes begin at multiples of LINE_ALIGN, so that no sector of memory is written in two
 * parts: on an H200, products of 4097 and 8200 took 9% and 16% more time than those of the next
 * multiple of 128 before, and take 1% less or as much since. Lines so short that this would waste
 * much are left alone. */
enum { LINE_ALIGN = 128, LEAST_ALIGNED = 1024 };

static int64_t leading_dimension(const mb_engine *engine, int64_t length)
{
    const bool aligned = engine->in == MB_ELEMENT_I8 && length >= LEAST_ALIGNED;
    return aligned ? mb_round_up(length, LINE_ALIGN) : length;
}

/* The block of a thin product: lines are not padded, nor is k where A lies in bytes. */
static mb_block thin_block(const mb_arithmetic *math, int operand, int64_t lines, int64_t k)
{
    const int align = math->engine->align, folds = math->digits_a;
    mb_block block = {.lines = lines, .k = math->bytes_a ? k : mb_round_up(k, align)};
    block.ld = leading_dimension(math->engine, mb_round_up(product(folds, block.k), align));
    block.interleaved = math->bytes_a;
    block.fold_stride = block.k;
    block.plane_stride = operand == 0 ? block.k : product(lines, block.ld);
    const uint64_t planes = operand == 1 ? (uint64_t)math->terms : math->bytes_a ? 0 : 1;
    block.bytes = mb_times(planes, mb_times((uint64_t)lines, (uint64_t)block.ld));
    return block;
}

mb_block mb_plan_block(const mb_arithmetic *math, int operand, int64_t lines, int64_t k)
{
    const mb_engine *engine = math->engine;
    if (math->thin)
        return thin_block(math, operand, lines, k);
    mb_block block = {.lines = mb_round_up(lines, engine->align),
                      .k = mb_round_up(k, engine->align)};
    bool split = math->scheme == MODBLAS_SCHEME_SPLIT;
    int64_t folds = split ? math->digits_a : 1;
    /* Digits of A lie side by side along k', under the folds of B. */
    bool along_k = split && operand == 0;
    int64_t copies = along_k ? 1 : math->terms;
    block.ld = leading_dimension(engine, product(folds, block.k));
    block.fold_stride = block.k;
    block.plane_stride = along_k ? block.k : product(block.lines, block.ld);
    block.bytes = mb_times(mb_times((uint64_t)copies, (uint64_t)block.ld),
                           mb_times((uint64_t)block.lines, mb_element_size(engine->in)));
    return block;
}

int64_t mb_plan_term_k(const mb_arithmetic *math, int term, int64_t k_padded)
{
    if (math->scheme != MODBLAS_SCHEME_SPLIT)
        return k_padded;
    int folds = math->digits_a;
    if (math->triangular && term + 1 < folds)
        folds = term + 1;
    return product(folds, k_padded);
}

uint64_t mb_times(uint64_t x, uint64_t y)
{
    uint64_t product;
    return __builtin_mul_overflow(x, y, &product) ? UINT64_MAX : product;
}

uint64_t mb_aligned(uint64_t bytes)
{
    if (bytes > UINT64_MAX - MB_ARENA_ALIGN)
        return UINT64_MAX;
    return (bytes + MB_ARENA_ALIGN - 1) / MB_ARENA_ALIGN * MB_ARENA_ALIGN;
}

uint64_t mb_region_total(const uint64_t region[MB_REGION_COUNT])
{
    uint64_t total = 0;
    for (int r = 0; r < MB_REGION_COUNT; r++) {
        if (__builtin_add_overflow(total, mb_aligned(region[r]), &total))
            return UINT64_MAX;
    }
    return total;
}
