/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "split" (multiword): A_t is the t-th balanced digit of a, D_tu the u-th of (radix^t b mod
 * N); X = sum_u radix^u (sum_t A_t D_tu) mod N. The inner sums are one GEMM, k' = digits_a * k
 * long. Multiword products in floating point: arXiv 2601.07508. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

/* Variants: an engine with a radix of its own cuts both operands; the others keep A whole and cut
 * B into two words (1,2), or cut both into two (2,2). */
enum { BOTH, WHOLE_A, VARIANTS };

/* An operand enters raw if its range then has digits. */
static int digits_of(mb_entries *entries, uint64_t N, int bits)
{
    int digits = entries->raw ? mb_bound_digits_of_range(entries->range, bits) : 0;
    entries->raw = digits > 0;
    return digits > 0 ? digits : mb_bound_digits_of_residues(N, bits);
}

static bool choose_digits(mb_arithmetic *math, int variant, uint64_t N)
{
    int bits = math->engine->radix_bits;
    math->radix_bits = bits;
    if (bits == 0) {
        int all = mb_mod_bits(N);
        math->radix_bits = all < 4 ? 2 : (all + 1) / 2;
        math->digits_a = variant == WHOLE_A ? 1 : 2;
        math->digits_b = 2;
        math->a.raw = math->a.raw && variant == WHOLE_A;
        math->b.raw = false;
        return true;
    }
    if (variant == WHOLE_A)
        return false;
    math->digits_a = digits_of(&math->a, N, bits);
    /* Folds of B are residues. */
    math->b.raw = math->b.raw && math->digits_a == 1;
    math->digits_b = digits_of(&math->b, N, bits);
    return true;
}

static bool fit(mb_arithmetic *math, int variant, const modblas_problem *problem,
                char reason[MB_REASON_SIZE])
{
    const mb_engine *engine = math->engine;
    uint64_t N = problem->N;
    reason[0] = '\0';
    if (!choose_digits(math, variant, N))
        return false;
    if (math->digits_a > MB_MAX_FOLDS || math->digits_b > MB_MAX_PLANES) {
        snprintf(reason, MB_REASON_SIZE, "%d x %d digits of %d bits; %d x %d are the most",
                 math->digits_a, math->digits_b, math->radix_bits, (int)MB_MAX_FOLDS,
                 (int)MB_MAX_PLANES);
        return false;
    }
    bool whole_a = variant == WHOLE_A;
    uint64_t half = (uint64_t)1 << (math->radix_bits - 1);
    uint64_t a = whole_a ? mb_range_magnitude(math->a.range) : half;
    math->longest_k = mb_bound_longest_k(engine->S / (uint64_t)math->digits_a, a, half);
    math->terms = math->digits_b;
    math->triangular = mb_mod_is_power_of_two(N) && math->digits_a > 1 &&
                       math->digits_a <= math->digits_b &&
                       mb_mod_bits(N) > math->radix_bits * (math->digits_b - 1);
    bool holds = !whole_a || mb_bound_holds(engine, math->a.range);
    if (holds && math->longest_k >= 1)
        return true;
    snprintf(reason, MB_REASON_SIZE,
             "%d x %d digits of %d bits: one term reaches %d * %" PRIu64 " * %" PRIu64
             ", %s sums are exact up to %" PRIu64,
             math->digits_a, math->digits_b, math->radix_bits, math->digits_a, a, half,
             engine->name, engine->S);
    return false;
}

static void cut_digits(mb_cut *cut, const mb_arithmetic *math, int digits)
{
    uint64_t center = mb_bound_digit_center(math->radix_bits, digits);
    cut->kind = MB_CUT_DIGITS;
    cut->planes = digits;
    cut->radix_bits = (uint32_t)math->radix_bits;
    cut->mask = UINT64_MAX >> (64 - math->radix_bits);
    cut->offset = (uint64_t)1 << (math->radix_bits - 1);
    cut->center = cut->raw ? center : mb_reduce64(center, &cut->mod);
}

static void constants(const mb_arithmetic *math, const mb_mod *mod, uint64_t alpha,
                      mb_constants *out)
{
    uint64_t radix = mb_mod_power_of_two((uint64_t)math->radix_bits, mod);
    mb_cut_begin(&out->a, mod, &math->a);
    if (math->digits_a == 1 && math->engine->radix_bits == 0)
        mb_cut_whole(&out->a);
    else
        cut_digits(&out->a, math, math->digits_a);
    mb_cut_begin(&out->b, mod, &math->b);
    cut_digits(&out->b, math, math->digits_b);
    out->b.folds = math->digits_a;
    for (int t = 1; t < math->digits_a; t++)
        out->b.fold[t] = mb_mulmod(out->b.fold[t - 1], radix, mod);
    mb_join_begin(&out->join, mod, math);
    for (int u = 0; u < out->join.terms; u++) {
        out->join.term[u].weight = alpha;
        alpha = mb_mulmod(alpha, radix, mod);
    }
    mb_join_end(&out->join);
}

const mb_scheme_rules mb_scheme_split = {
    .scheme = MODBLAS_SCHEME_SPLIT,
    .name = "split",
    .variants = VARIANTS,
    .fit = fit,
    .constants = constants,
};
