/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "rns": one GEMM per modulus m_i on balanced residues, and the Chinese remainder theorem.
 * With M the product of the moduli, A's residues carry the factor (M/m_i)^-1, so that the i-th sum
 * mod m_i is y_i with X = sum y_i M/m_i - q M. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static bool fit(mb_arithmetic *math, int variant, const mb_request *request, const mb_caps *caps,
                char reason[MB_REASON_SIZE])
{
    (void)variant;
    (void)caps;
    const mb_engine *engine = math->engine;
    /* The largest modulus comes first: its residues bound the chunk. */
    uint64_t h = mb_range_magnitude(mb_bound_residues(engine->moduli[0]));
    math->longest_k = mb_bound_longest_k(engine->S, h, h);
    uint64_t a = mb_range_magnitude(math->a.range), b = mb_range_magnitude(math->b.range);
    int64_t k = lesser(request->problem.k, math->longest_k);
    math->moduli = mb_bound_rns_moduli(engine->moduli, engine->modulus_count, k, a, b);
    math->terms = math->moduli;
    if (math->moduli > 0 && k >= 1)
        return true;
    snprintf(reason, MB_REASON_SIZE,
             "sums of %" PRId64 " products up to %" PRIu64 " * %" PRIu64
             " are out of reach of the %d moduli of %s",
             k, a, b, engine->modulus_count, engine->name);
    return false;
}

static uint32_t times_small(uint32_t x, uint64_t y, uint32_t m)
{
    return (uint32_t)((uint64_t)x * (y % m) % m);
}

/* M/m_i mod m_i. */
static uint32_t cofactor_small(const mb_arithmetic *math, int i)
{
    const uint32_t *m = math->engine->moduli;
    uint32_t product = 1;
    for (int j = 0; j < math->moduli; j++) {
        if (j != i)
            product = times_small(product, m[j], m[i]);
    }
    return product;
}

/* alpha * M/m_i mod N, or alpha * M mod N for i = -1. */
static uint64_t cofactor(const mb_arithmetic *math, int i, uint64_t alpha, const mb_mod *mod)
{
    for (int j = 0; j < math->moduli; j++) {
        if (j != i)
            alpha = mb_mulmod(alpha, math->engine->moduli[j], mod);
    }
    return alpha;
}

static mb_plane make_plane(uint32_t m, uint32_t fold, uint64_t center)
{
    mb_plane p = {.m = m, .half = m / 2, .fold = fold % m};
    uint32_t shift = times_small(p.fold, center, m);
    p.add = (p.half + m - shift) % m;
    uint64_t weights = 0;
    uint32_t power = p.fold;
    for (int j = 0; j < 8; j++) {
        weights |= (uint64_t)(power & 255) << (8 * j);
        power = times_small(power, 256, m);
    }
    p.weight_lo = (uint32_t)weights;
    p.weight_hi = (uint32_t)(weights >> 32);
    p.magic = (uint32_t)((((uint64_t)1 << 32) + m - 1) / m);
    p.inv = UINT64_MAX / m;
    if (mb_mod_is_power_of_two(m))
        p.inv++;
    return p;
}

static void cut(mb_cut *out, const mb_arithmetic *math, const mb_mod *mod,
                const mb_entries *entries, bool fold)
{
    const mb_engine *engine = math->engine;
    mb_cut_begin(out, mod, entries);
    out->kind = engine->moduli[0] <= 256 ? MB_CUT_BYTEWISE : MB_CUT_WIDE;
    out->planes = math->moduli;
    for (int i = 0; i < math->moduli; i++) {
        uint32_t m = engine->moduli[i];
        uint32_t factor = fold ? mb_inverse_small(cofactor_small(math, i), m) : 1;
        out->plane[i] = make_plane(m, factor, out->center);
    }
}

static void constants(const mb_arithmetic *math, const mb_mod *mod, uint64_t alpha,
                      mb_constants *out)
{
    cut(&out->a, math, mod, &math->a, true);
    cut(&out->b, math, mod, &math->b, false);
    mb_join *join = &out->join;
    mb_join_begin(join, mod, math);
    join->residues = 1;
    join->fraction_bits = (uint32_t)mb_bound_fraction_bits(math->engine->moduli);
    join->minus_M = mb_negmod(cofactor(math, -1, alpha, mod), mod);
    for (int i = 0; i < math->moduli; i++) {
        uint32_t m = math->engine->moduli[i];
        join->term[i] = (mb_term){
            .weight = cofactor(math, i, alpha, mod),
            .inv = out->a.plane[i].inv,
            .m = m,
            .magic = (uint32_t)(((uint64_t)1 << 32) / m),
            .unbias = (uint32_t)((m - join->bias % m) % m),
            .fraction = (uint32_t)((((uint64_t)2 << join->fraction_bits) / m + 1) / 2),
        };
    }
    mb_join_end(join);
}

const mb_scheme_rules mb_scheme_rns = {
    .scheme = MODBLAS_SCHEME_RNS,
    .name = "rns",
    .variants = 1,
    .fit = fit,
    .constants = constants,
};
