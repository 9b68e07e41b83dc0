/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheme "direct": balanced operands fit the engine; k is cut into chunks, each reduced mod N.
 * With f64 this is Algorithm 1 of Berthomieu, Graillat, Lesnoff, Mary, "Modular matrix
 * multiplication on GPU for polynomial system solving", ACM Communications in Computer Algebra 57
 * (2023), on balanced residues. */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

static bool operand_fits(const mb_engine *engine, const mb_entries *entries, char name,
                         char reason[MB_REASON_SIZE])
{
    if (mb_bound_holds(engine, entries->range))
        return true;
    snprintf(reason, MB_REASON_SIZE,
             "entries of %c lie in [-%" PRIu64 ", %" PRIu64 "], %s takes [-%" PRIu64 ", %" PRIu64
             "]",
             name, entries->range.neg, entries->range.pos, engine->name, engine->most_negative,
             engine->most_positive);
    return false;
}

static bool fit(mb_arithmetic *math, int variant, const mb_request *request, const mb_caps *caps,
                char reason[MB_REASON_SIZE])
{
    (void)variant;
    (void)caps;
    (void)request;
    const mb_engine *engine = math->engine;
    if (!operand_fits(engine, &math->a, 'A', reason) ||
        !operand_fits(engine, &math->b, 'B', reason))
        return false;
    uint64_t a = mb_range_magnitude(math->a.range), b = mb_range_magnitude(math->b.range);
    math->longest_k = mb_bound_longest_k(engine->S, a, b);
    math->terms = 1;
    if (math->longest_k >= 1)
        return true;
    snprintf(reason, MB_REASON_SIZE,
             "one product reaches %" PRIu64 " * %" PRIu64 ", %s sums are exact up to %" PRIu64, a,
             b, engine->name, engine->S);
    return false;
}

static void constants(const mb_arithmetic *math, const mb_mod *mod, uint64_t alpha,
                      mb_constants *out)
{
    mb_cut_begin(&out->a, mod, &math->a);
    mb_cut_whole(&out->a);
    mb_cut_begin(&out->b, mod, &math->b);
    mb_cut_whole(&out->b);
    mb_join_begin(&out->join, mod, math);
    out->join.term[0].weight = alpha;
    mb_join_end(&out->join);
}

const mb_scheme_rules mb_scheme_direct = {
    .scheme = MODBLAS_SCHEME_DIRECT,
    .name = "direct",
    .variants = 1,
    .fit = fit,
    .constants = constants,
};
