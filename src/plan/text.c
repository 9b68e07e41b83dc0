/* SPDX-License-Identifier: BSD-3-Clause */
#include "../writer.h"
#include "plan.h"

#include <inttypes.h>

const char *mb_scheme_name(modblas_scheme scheme)
{
    static const char *const name[] = {"auto", "direct", "split", "rns", "plain"};
    return (unsigned)scheme < 5 ? name[scheme] : "unknown";
}

const char *mb_engine_name(modblas_engine engine)
{
    static const char *const name[] = {"auto", "i8", "f64", "f32"};
    return (unsigned)engine < 4 ? name[engine] : "unknown";
}

static void put_modulus(mb_writer *w, uint64_t N)
{
    if (N == 0)
        mb_put(w, "2^64");
    else
        mb_put(w, "%" PRIu64, N);
}

static void put_arithmetic(mb_writer *w, const mb_arithmetic *math)
{
    bool plain = math->scheme == MODBLAS_SCHEME_PLAIN;
    mb_put(w, "scheme   %s on %s", mb_scheme_name(math->scheme),
           plain ? mb_sums_name(math->sums) : math->engine->name);
    if (math->scheme == MODBLAS_SCHEME_RNS) {
        mb_put(w, ", %d moduli:", math->moduli);
        for (int i = 0; i < math->moduli; i++)
            mb_put(w, " %" PRIu32, math->engine->moduli[i]);
    }
    if (math->scheme == MODBLAS_SCHEME_SPLIT)
        mb_put(w, ", %d x %d digits of %d bits%s", math->digits_a, math->digits_b,
               math->radix_bits,
               math->triangular ? ", products of weight N and more left out" : "");
    if (math->thin)
        mb_put(w, ", thin, A %s", math->bytes_a ? "read as its bytes" : "cut into planes");
    mb_put(w, "%s\n", math->fused ? ", sums reduced in the GEMM" : "");
    const mb_entries *side[] = {&math->a, &math->b};
    for (int i = 0; i < 2; i++)
        mb_put(w, "%s  %c in [%s%" PRIu64 ", %" PRIu64 "], %s\n", i ? "       " : "bounds ",
               'A' + i, side[i]->range.neg ? "-" : "", side[i]->range.neg, side[i]->range.pos,
               side[i]->raw ? "as they are" : "balanced residues");
    if (plain)
        return;
    mb_put(w, "sums     exact up to %" PRIu64 ": at most %" PRId64 " terms in a chunk\n",
           math->thin ? MB_LONG_SUM : math->engine->S, math->longest_k);
}

static void put_tiling(mb_writer *w, const mb_plan *plan)
{
    mb_put(w,
           "tiles    %" PRId64 " x %" PRId64 " of %" PRId64 " x %" PRId64 ", %" PRId64
           " chunks of k, %d workers, planes %s\n",
           plan->tiles_m, plan->tiles_n, plan->tile_m, plan->tile_n, plan->chunks, plan->workers,
           plan->shared ? "made once" : "made for each tile");
    mb_put(w, "memory   %" PRIu64 " bytes shared, %" PRIu64 " per worker\n", plan->bytes_shared,
           plan->bytes_each);
}

static void put_reasons(mb_writer *w, const mb_reasons *reasons)
{
    for (int i = 0; i < reasons->count; i++) {
        const mb_candidate *c = &reasons->candidate[i];
        mb_put(w, "%s  %s/%s: ", i ? "       " : "others ", mb_scheme_name(c->scheme), c->engine);
        if (i == reasons->chosen)
            mb_put(w, "chosen, %.3g ms predicted\n", 1e3 * c->seconds);
        else if (c->seconds > 0)
            mb_put(w, "slower, %.3g ms predicted\n", 1e3 * c->seconds);
        else
            mb_put(w, "%s\n", c->reason);
    }
}

size_t mb_packing_write_text(const mb_packing *packing, char *text, size_t size)
{
    const bool a = packing->side == MODBLAS_SIDE_A;
    mb_writer w = {.text = text, .size = size};
    mb_put(&w, "packed   %c, %" PRId64 " x %" PRId64 " of %s modulo ", a ? 'A' : 'B',
           a ? packing->lines : packing->k, a ? packing->k : packing->lines,
           mb_type_name(packing->type));
    put_modulus(&w, packing->N);
    mb_put(&w, a ? "\n" : ", the A below of the transposed products\n");
    put_arithmetic(&w, &packing->math);
    mb_put(&w, "memory   %" PRIu64 " bytes, %" PRId64 " chunks of k\n", packing->bytes,
           packing->chunks);
    return w.used + 1;
}

size_t mb_plan_write_text(const mb_plan *plan, const mb_reasons *reasons, char *text, size_t size)
{
    const modblas_problem *p = &plan->request.problem;
    mb_writer w = {.text = text, .size = size};
    mb_put(&w, "product  %" PRId64 " x %" PRId64 " times %" PRId64 " x %" PRId64 " modulo ", p->m,
           p->k, p->k, p->n);
    put_modulus(&w, p->N);
    mb_put(&w, "%s%s, %s <- %s * %s\n", plan->request.packing ? ", A packed" : "",
           plan->request.swapped ? ", transposed" : "", mb_type_name(p->c), mb_type_name(p->a),
           mb_type_name(p->b));
    put_arithmetic(&w, &plan->math);
    put_tiling(&w, plan);
    put_reasons(&w, reasons);
    return w.used + 1;
}
