/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const mb_scheme_rules *const schemes[] = {&mb_scheme_direct, &mb_scheme_split,
                                                 &mb_scheme_rns};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

/* The fused kernel computes 256 x 256 entries at once; thinner products are left to the library.
 */
enum { LEAST_FUSED = 192 };

bool mb_plan_is_thin(const mb_caps *caps, int64_t m, int64_t n)
{
    return __atomic_load_n(&caps->thins, __ATOMIC_RELAXED) && (m < n ? m : n) <= MB_THIN_MOST;
}

static bool can_fuse(const mb_arithmetic *math, const modblas_problem *p, const mb_caps *caps)
{
    if (!caps->fuses || math->thin || math->engine->in != MB_ELEMENT_I8 || p->m < LEAST_FUSED ||
        p->n < LEAST_FUSED)
        return false;
    if (math->scheme == MODBLAS_SCHEME_DIRECT)
        return p->N >= 2 && p->N <= 256;
    /* Two digits of B in one product; products of weight >= N, that others leave out, are in it.
     */
    if (math->scheme == MODBLAS_SCHEME_SPLIT)
        return math->digits_b == 2 && !math->triangular && p->N > 512 && p->N <= 65536;
    return true;
}

/* Whether products of these operands can use what was packed, with whose scheme they fit. */
static bool adopt_packing(mb_arithmetic *math, const mb_packing *packing,
                          char reason[MB_REASON_SIZE])
{
    if (math->moduli > packing->math.moduli || math->longest_k < packing->chunk_k) {
        snprintf(reason, MB_REASON_SIZE,
                 "the packed operand was made for entries of the other up to %" PRIu64
                 ", these may reach %" PRIu64,
                 mb_range_magnitude(packing->math.b.range), mb_range_magnitude(math->b.range));
        return false;
    }
    math->moduli = packing->math.moduli;
    if (math->scheme == MODBLAS_SCHEME_RNS)
        math->terms = math->moduli;
    return true;
}

/* One scheme in one variant on one engine: prices it, or says why not. */
static bool try_candidate(mb_plan *plan, const mb_scheme_rules *rules, int variant,
                          const mb_caps *caps, mb_candidate *note)
{
    const modblas_problem *p = &plan->request.problem;
    const modblas_plan_options *o = &plan->request.options;
    const mb_packing *packing = plan->request.packing;
    int e = plan->math.engine_index;
    *note = (mb_candidate){.scheme = rules->scheme, .engine = caps->engine[e]->name};
    plan->math.scheme = rules->scheme;
    plan->math.engine = caps->engine[e];
    plan->math.variant = variant;
    plan->math.a = packing ? packing->math.a : mb_bound_entries(p->a, p->N, o->bound_a);
    plan->math.b = mb_bound_entries(p->b, p->N, o->bound_b);
    if (caps->struck[e][0] != '\0') {
        snprintf(note->reason, MB_REASON_SIZE, "%s", caps->struck[e]);
        return false;
    }
    if (!rules->fit(&plan->math, variant, &plan->request, caps, note->reason))
        return false;
    if (packing && !adopt_packing(&plan->math, packing, note->reason))
        return false;
    plan->math.fused = can_fuse(&plan->math, p, caps);
    plan->math.modulus = plan->math.fused ? (uint32_t)p->N : 0;
    if (!mb_tile(plan, caps, note->reason))
        return false;
    note->seconds = plan->seconds;
    return true;
}

static bool is_asked_for(const modblas_plan_options *o, const mb_scheme_rules *rules,
                         const mb_engine *engine)
{
    return (o->scheme == MODBLAS_SCHEME_AUTO || o->scheme == rules->scheme) &&
           (o->engine == MODBLAS_ENGINE_AUTO || o->engine == engine->id);
}

/* All variants of one scheme on one engine. */
static void try_variants(mb_plan *best, mb_reasons *reasons, const mb_request *request,
                         const mb_caps *caps, const mb_scheme_rules *rules, int e)
{
    const mb_packing *packing = request->packing;
    if (!is_asked_for(&request->options, rules, caps->engine[e]))
        return;
    if (packing &&
        (packing->math.scheme != rules->scheme || packing->math.engine != caps->engine[e]))
        return;
    for (int v = 0; v < rules->variants && reasons->count < MB_MAX_CANDIDATES; v++) {
        if (packing && v != packing->math.variant)
            continue;
        mb_plan plan = {.request = *request, .math = {.engine_index = e}};
        mb_candidate *note = &reasons->candidate[reasons->count];
        bool usable = try_candidate(&plan, rules, v, caps, note);
        /* Variants that an engine does not have leave no note. */
        if (!usable && note->reason[0] == '\0' && !packing)
            continue;
        if (!usable && note->reason[0] == '\0')
            snprintf(note->reason, MB_REASON_SIZE,
                     "the thin products it was packed for are struck off on this device");
        if (usable && (best->seconds == 0 || plan.seconds < best->seconds)) {
            *best = plan;
            reasons->chosen = reasons->count;
        }
        reasons->count++;
    }
}

static modblas_status refuse(const mb_reasons *reasons, const modblas_plan_options *o)
{
    char all[MB_MAX_CANDIDATES * (MB_REASON_SIZE + 24)] = "";
    size_t used = 0;
    for (int i = 0; i < reasons->count && used < sizeof all; i++) {
        const mb_candidate *c = &reasons->candidate[i];
        int n = snprintf(all + used, sizeof all - used, "%s%s/%s: %s", i ? "; " : "",
                         mb_scheme_name(c->scheme), c->engine, c->reason);
        used += n > 0 ? (size_t)n : 0;
    }
    if (reasons->count == 0)
        return mb_fail(MODBLAS_ENOPLAN, "engine %s is not part of this backend",
                       mb_engine_name(o->engine));
    return mb_fail(MODBLAS_ENOPLAN, "no exact plan: %s", all);
}

/* The scheme without an engine. */
static void try_plain(mb_plan *best, mb_reasons *reasons, const mb_request *request,
                      const mb_caps *caps)
{
    const modblas_plan_options *o = &request->options;
    bool asked = o->scheme == MODBLAS_SCHEME_PLAIN;
    if (mb_request_is_packed(request))
        return;
    if (!asked && (o->scheme != MODBLAS_SCHEME_AUTO || o->engine != MODBLAS_ENGINE_AUTO))
        return;
    mb_candidate *note = &reasons->candidate[0];
    best->request = *request;
    if (!mb_plan_plain(best, caps, note))
        best->seconds = 0;
    /* A device without it leaves no note, unless it was asked for. */
    reasons->count = asked || note->seconds > 0;
    reasons->chosen = 0;
}

mb_packing mb_packing_of(const mb_plan *plan)
{
    const modblas_problem *p = &plan->request.problem;
    const mb_block largest = mb_plan_block(&plan->math, 0, p->m, plan->chunk_k);
    return (mb_packing){
        .math = plan->math,
        .side = plan->request.swapped ? MODBLAS_SIDE_B : MODBLAS_SIDE_A,
        .lines = p->m,
        .k = p->k,
        .chunk_k = plan->chunk_k,
        .chunks = plan->chunks,
        .type = p->a,
        .N = p->N,
        .other_bound = plan->request.options.bound_b,
        .bytes = mb_times(mb_aligned(largest.bytes), (uint64_t)plan->chunks),
    };
}

modblas_status mb_plan_make(mb_plan *plan, mb_reasons *wanted, const mb_request *request,
                            const mb_caps *caps)
{
    mb_plan best = {.seconds = 0};
    mb_reasons own, *reasons = wanted != NULL ? wanted : &own;
    reasons->count = 0;
    try_plain(&best, reasons, request, caps);
    if (wanted == NULL && best.seconds > 0 &&
        best.seconds <= mb_cost_least(&request->problem, caps)) {
        *plan = best;
        return MODBLAS_OK;
    }
    for (int e = 0; e < MB_MAX_ENGINES && caps->engine[e] != NULL; e++) {
        for (int s = 0; s < SCHEMES; s++)
            try_variants(&best, reasons, request, caps, schemes[s], e);
    }
    if (best.seconds == 0)
        return refuse(reasons, &request->options);
    *plan = best;
    return MODBLAS_OK;
}
