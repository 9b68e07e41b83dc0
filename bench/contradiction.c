/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that are right one by one may contradict each other. */
#include "options.h"

static const char *many_at_once(const mb_bench_options *o)
{
    bool at_once = o->thread_count > 0 || o->sets > 0;
    if (at_once && (o->soak >= 0 || o->trace || o->expect || o->output_matrix || o->power ||
                    o->input[0] || o->explain || (o->peers & ~(unsigned)MB_PEER_NAIVE)))
        return "--threads and --sets time random products, with --peer naive at most";
    if (at_once && o->format == MB_FORMAT_CSV)
        return "--threads and --sets write a table, or json";
    if (o->contexts && o->thread_count == 0)
        return "--contexts needs --threads";
    return NULL;
}

static const char *in_batches(const mb_bench_options *o)
{
    const bool batch = o->batch || o->moduli;
    if (batch &&
        (o->soak >= 0 || o->suite || o->input[0] || o->power || o->pack || o->peers || o->trace ||
         o->expect || o->output_matrix || o->extremal || o->explain || o->scheme || o->engine ||
         o->thread_count || o->sets || o->format == MB_FORMAT_CSV || (o->batch && o->moduli)))
        return "--batch and --moduli take sizes, moduli and types, and write a line, or json";
    for (int i = 0; i < o->modulus_count; i++)
        if (o->modulus[i] != 0 && (uint64_t)o->moduli > o->modulus[i] / 2)
            return "--moduli COUNT goes down to N - 2 (COUNT - 1): take a larger --modulus";
    return NULL;
}

const char *mb_options_contradiction(const mb_bench_options *o)
{
    bool sides = o->m || o->k || o->n;
    if (sides && !(o->m && o->k && o->n))
        return "--m, --k and --n go together";
    if (sides && o->size_count)
        return "--size and --m, --k, --n exclude each other";
    if (o->suite && (sides || o->size_count || o->modulus_count || o->input[0]))
        return "--suite has its own sizes and moduli";
    if (o->input[0] && (sides || o->size_count || o->type_count || o->extremal))
        return "--input has its own sizes, types and data";
    if (o->input[0] && o->modulus_count != 1)
        return "--input needs one --modulus";
    if (o->power && (o->input[1] || (sides && (o->m != o->k || o->k != o->n))))
        return "--power takes one square matrix";
    bool many = o->suite || o->size_count > 1 || o->modulus_count > 1;
    if (many && (o->trace || o->expect || o->output_matrix || o->power))
        return "--trace, --expect, --output-matrix and --power take a single product";
    bool given = o->suite || sides || o->size_count || o->modulus_count || o->type_count ||
                 o->out_type_given || o->extremal || o->input[0];
    if (o->soak >= 0 && (given || o->verify || o->peers || o->trace || o->expect ||
                         o->output_matrix || o->power || o->explain))
        return "--soak draws its own products, and checks all of them";
    if (o->soak >= 0 && o->format == MB_FORMAT_CSV)
        return "--soak writes a line, or json";
    const char *why = many_at_once(o);
    why = why != NULL ? why : in_batches(o);
    if (why != NULL)
        return why;
    if (o->pack &&
        (o->soak >= 0 || o->power || o->thread_count || o->sets || (o->peers & MB_PEER_GEMM)))
        return "--pack goes with none of --soak, --power, --threads, --sets and --peer gemm";
    if (o->residency == MB_RESIDENCY_DEVICE && o->backend == MODBLAS_BACKEND_HOST)
        return "--residency device needs the cuda backend";
#if !defined(MODBLAS_HAVE_FLINT)
    if (o->verify >= MB_CHECK_FLINT || (o->peers & MB_PEER_FLINT) || o->soak >= 0)
        return "this build has no FLINT, so it can neither check with it nor time it";
#endif
    return NULL;
}
