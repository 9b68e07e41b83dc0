/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "split" (multiword): A_t is the t-th balanced digit of a, D_tu the u-th of (radix^t b mod
 * N); X = sum_u radix^u (sum_t A_t D_tu) mod N. The inner sums are one GEMM, k' = digits_a * k
 * long. Multiword products in floating point: arXiv 2601.07508. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Variants: an engine with a radix of its own cuts both operands; the others keep A whole and cut
 * B into two words (1,2), or cut both into two (2,2). Thin products sum in 64 bits, on digits of A
 * or on A's bytes as they lie. */
enum { BOTH, WHOLE_A, THIN, THIN_BYTES, VARIANTS };
enum { BYTE = 8 };

/* An operand enters raw if its range then has digits. */
static int digits_of(mb_entries *entries, uint64_t N, int bits)
{
    int digits = entries->raw ? mb_bound_digits_of_range(entries->range, bits) : 0;
    entries->raw = digits > 0;
    return digits > 0 ? digits : mb_bound_digits_of_residues(N, bits);
}

/* Words of A and B for an engine without a radix. */
static void choose_words(mb_arithmetic *math, int variant, uint64_t N)
{
    int all = mb_mod_bits(N);
    math->radix_bits = all < 4 ? 2 : (all + 1) / 2;
    math->digits_a = variant == WHOLE_A ? 1 : 2;
    math->digits_b = 2;
    math->a.raw = math->a.raw && variant == WHOLE_A;
    math->b.raw = false;
}

static void choose_digits(mb_arithmetic *math, uint64_t N)
{
    math->digits_a = math->bytes_a ? math->digits_a : digits_of(&math->a, N, math->radix_bits);
    /* Folds of B are residues. */
    math->b.raw = math->b.raw && math->digits_a == 1;
    math->digits_b = digits_of(&math->b, N, math->radix_bits);
}

static bool is_unsigned(modblas_type type)
{
    return type == MODBLAS_U8 || type == MODBLAS_U16 || type == MODBLAS_U32 || type == MODBLAS_U64;
}

/* Entries of A as unsigned numbers of so many bytes, whatever they are mod N. */
static void take_bytes(mb_arithmetic *math, modblas_type type)
{
    math->bytes_a = true;
    math->digits_a = (int)mb_type_size(type);
    math->a.raw = true;
    math->a.range = (mb_range){mb_type_most_negative(type), mb_type_most_positive(type)};
}

/* Whether chunks of k that were asked for begin where A's bytes may be read. */
static bool keeps_lines(const mb_request *request, const mb_engine *engine)
{
    const int64_t chunk = request->options.chunk_k;
    return chunk >= request->problem.k ||
           chunk * (int64_t)mb_type_size(request->problem.a) % engine->align == 0;
}

/* Whether the engine has the variant for this product at all. */
static bool choose_variant(mb_arithmetic *math, int variant, const mb_request *request,
                           const mb_caps *caps)
{
    const modblas_problem *p = &request->problem;
    const bool radix = math->engine->radix_bits != 0;
    math->radix_bits = math->engine->radix_bits;
    math->thin = variant == THIN || variant == THIN_BYTES;
    const bool bytes = math->engine->in == MB_ELEMENT_I8 && math->radix_bits == BYTE;
    const bool narrow = p->n <= MB_THIN_MOST && mb_plan_is_thin(caps, p->m, p->n);
    if (math->thin && !(bytes && caps->thins && (narrow || request->packing)))
        return false;
    if (variant == THIN_BYTES) {
        if (!request->bytes_a || request->packs || !is_unsigned(p->a) ||
            math->a.limit != UINT64_MAX || !keeps_lines(request, math->engine))
            return false;
        take_bytes(math, p->a);
    }
    if (radix)
        choose_digits(math, p->N);
    else
        choose_words(math, variant, p->N);
    return !radix || variant != WHOLE_A;
}

/* Lengths for digits of magnitudes a and b. Thin products are summed in 32 bits by bands, and in
 * 64 bits over all of them. */
static void set_lengths(mb_arithmetic *math, uint64_t N, uint64_t a, uint64_t b)
{
    const uint64_t S = math->thin ? MB_LONG_SUM : math->engine->S;
    math->longest_k = mb_bound_longest_k(S / (uint64_t)math->digits_a, a, b);
    if (math->thin) {
        math->band_k = mb_bound_longest_k(math->engine->S, a, b);
        math->most_n = MB_THIN_COLUMNS / math->digits_b;
        return;
    }
    math->triangular = mb_mod_is_power_of_two(N) && math->digits_a > 1 &&
                       math->digits_a <= math->digits_b &&
                       mb_mod_bits(N) > math->radix_bits * (math->digits_b - 1);
}

static bool fit(mb_arithmetic *math, int variant, const mb_request *request, const mb_caps *caps,
                char reason[MB_REASON_SIZE])
{
    const mb_engine *engine = math->engine;
    reason[0] = '\0';
    if (!choose_variant(math, variant, request, caps))
        return false;
    if (math->digits_a > MB_MAX_FOLDS || math->digits_b > MB_MAX_PLANES) {
        snprintf(reason, MB_REASON_SIZE, "%d x %d digits of %d bits; %d x %d are the most",
                 math->digits_a, math->digits_b, math->radix_bits, (int)MB_MAX_FOLDS,
                 (int)MB_MAX_PLANES);
        return false;
    }
    const bool whole_a = variant == WHOLE_A;
    const uint64_t half = (uint64_t)1 << (math->radix_bits - 1), byte = 255;
    const uint64_t a = whole_a ? mb_range_magnitude(math->a.range) : math->bytes_a ? byte : half;
    set_lengths(math, request->problem.N, a, half);
    math->terms = math->digits_b;
    if ((!whole_a || mb_bound_holds(engine, math->a.range)) && math->longest_k >= 1)
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
    if (!math->bytes_a)
        mb_cut_begin(&out->a, mod, &math->a);
    if (math->bytes_a)
        memset(&out->a, 0, sizeof out->a); /* nothing is cut */
    else if (math->digits_a == 1 && math->engine->radix_bits == 0)
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
