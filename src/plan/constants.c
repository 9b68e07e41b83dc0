/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <string.h>

mb_element mb_plan_sum(const mb_arithmetic *math)
{
    return math->fused ? MB_ELEMENT_U8 : math->engine->acc;
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
    join->terms = math->terms;
    join->wide = mb_plan_sum(math) == MB_ELEMENT_F64;
    join->reduced = math->fused;
    join->bias = math->fused ? 0 : math->engine->bias;
}

/* True if the final sum of mb_join_finish stays below 2^64: each y is at most `largest`. */
static bool is_narrow(const mb_join *join)
{
    unsigned __int128 sum = join->constant;
    for (int i = 0; i < join->terms; i++) {
        const mb_term *term = &join->term[i];
        uint64_t largest = join->residues ? term->m - 1 : 2 * join->bias;
        largest = join->reduced ? UINT8_MAX : largest;
        sum += (unsigned __int128)largest * term->weight;
    }
    if (join->residues)
        sum += (unsigned __int128)(unsigned)join->terms * join->minus_M;
    return sum >> 64 == 0;
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

mb_block mb_plan_block(const mb_arithmetic *math, int operand, int64_t lines, int64_t k)
{
    const mb_engine *engine = math->engine;
    mb_block block = {.lines = mb_round_up(lines, engine->align),
                      .k = mb_round_up(k, engine->align)};
    bool split = math->scheme == MODBLAS_SCHEME_SPLIT;
    int64_t folds = split ? math->digits_a : 1;
    /* Digits of A lie side by side along k', under the folds of B. */
    bool along_k = split && operand == 0;
    int64_t copies = along_k ? 1 : math->terms;
    block.ld = product(folds, block.k);
    block.fold_stride = block.k;
    block.plane_stride = along_k ? block.k : product(block.lines, block.ld);
    block.bytes = mb_times(mb_times((uint64_t)(copies * folds), (uint64_t)block.k),
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
