/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include "clock.h"
#include "numbers.h"

#include <inttypes.h>
#include <string.h>

enum { SMALL = 512, HOST_SIDE = 2048, GPU_SIDE = 16384, BLOCK_LINES = 8, PATTERNS = 4 };

/* Multiplications of a large problem, so that one takes seconds at most. */
static const uint64_t host_work = (uint64_t)1 << 31, gpu_work = (uint64_t)1 << 39;

/* A problem, as the command line has it. */
typedef struct {
    mb_case what;
    mb_bench_options options; /* with its seed, data, residency and check */
    bool large;
} problem;

/* ---- drawing -------------------------------------------------------------------------------- */

static int64_t below(mb_random *random, int64_t count)
{
    return (int64_t)mb_random_below(random, (uint64_t)count);
}

static bool one_in(mb_random *random, int64_t count)
{
    return below(random, count) == 0;
}

/* 1 to most, below each power of two from 4 on as often; half of them next to a multiple of 16. */
static int64_t draw_side(mb_random *random, int64_t most)
{
    int bits = 64 - __builtin_clzll((uint64_t)most);
    int64_t side = below(random, (int64_t)4 << below(random, bits - 1));
    if (one_in(random, 2))
        side = side / 16 * 16 + below(random, 3) - 1;
    return side < 1 ? 1 : side > most ? most : side;
}

/* Any word, a number of any bits, a neighbour of a power of two, or one of a suite's. */
static uint64_t draw_modulus(mb_random *random)
{
    static const uint64_t usual[] = {2, 3, 251, 256, 65521, 1048573, 2147483647, 4294967296, 0};
    int64_t kind = below(random, 4);
    uint64_t word = mb_random_next(random);
    int e = (int)below(random, 64);
    if (kind == 0)
        return usual[below(random, (int64_t)(sizeof usual / sizeof usual[0]))];
    if (kind == 1)
        word = ((uint64_t)1 << e) + word % 64 - 32;
    else if (kind == 2)
        word >>= e;
    return word;
}

static modblas_type draw_type(mb_random *random)
{
    return (modblas_type)below(random, MODBLAS_F64 + 1);
}

static void draw_sizes(problem *p, mb_random *random, bool gpu)
{
    mb_case *w = &p->what;
    uint64_t work = gpu ? gpu_work : host_work;
    int64_t most = p->large ? (gpu ? GPU_SIDE : HOST_SIDE) : SMALL;
    bool square = one_in(random, 4);
    do {
        w->m = draw_side(random, most);
        w->k = square ? w->m : draw_side(random, most);
        w->n = square ? w->m : draw_side(random, most);
    } while (mb_times(mb_times((uint64_t)w->m, (uint64_t)w->n), (uint64_t)w->k) > work ||
             (p->large && w->m <= SMALL && w->n <= SMALL && w->k <= SMALL));
}

static void draw(problem *p, mb_random *random, const mb_bench *bench)
{
    mb_case *w = &p->what;
    mb_bench_options *o = &p->options;
    bool gpu = !bench->context->backend->synchronous;
    *o = *bench->options;
    p->large = one_in(random, 16);
    draw_sizes(p, random, gpu);
    w->N = draw_modulus(random);
    w->a = draw_type(random);
    w->b = one_in(random, 2) ? w->a : draw_type(random);
    w->c = draw_type(random);
    if (!mb_mod_fits_type(w->N, w->c))
        w->c = MODBLAS_U64;
    bool forced = one_in(random, 2);
    modblas_scheme scheme = (modblas_scheme)(forced ? below(random, MODBLAS_SCHEME_RNS + 1) : 0);
    modblas_engine engine = (modblas_engine)(forced ? below(random, MODBLAS_ENGINE_F32 + 1) : 0);
    w->scheme = o->scheme ? o->scheme : scheme;
    w->engine = o->engine ? o->engine : engine;
    o->extremal = one_in(random, 4);
    o->seed = mb_random_next(random) >> 32;
    o->verify = p->large ? MB_CHECK_BLOCKS : MB_CHECK_FLINT;
    if (gpu && o->residency == MB_RESIDENCY_AUTO)
        o->residency = one_in(random, 4) ? MB_RESIDENCY_HOST : MB_RESIDENCY_DEVICE;
}

/* ---- running -------------------------------------------------------------------------------- */

static void count(mb_soak *soak, const problem *p)
{
    const mb_case *w = &p->what;
    mb_soak_count *c = p->large ? &soak->large : &soak->whole;
    uint64_t products = p->options.extremal ? PATTERNS : 1;
    c->problems++;
    c->products += products;
    c->entries += products * (uint64_t)w->m * (uint64_t)w->n;
    if (!p->large)
        return;
    uint64_t rows = (uint64_t)(w->m < BLOCK_LINES ? w->m : BLOCK_LINES);
    uint64_t cols = (uint64_t)(w->n < BLOCK_LINES ? w->n : BLOCK_LINES);
    soak->compared += products * (rows * (uint64_t)w->n + cols * (uint64_t)w->m);
}

static void write_command(char text[MB_SOAK_COMMAND], const problem *p, const mb_bench *bench)
{
    static const char *const residency[] = {"auto", "device", "host"};
    const mb_case *w = &p->what;
    const mb_bench_options *o = &p->options;
    char N[MB_NUMBER_SIZE], workers[32] = "", memory[48] = "";
    mb_write_modulus(N, w->N);
    if (o->workers)
        snprintf(workers, sizeof workers, " --workers %d", o->workers);
    if (o->memory)
        snprintf(memory, sizeof memory, " --memory %" PRIu64, o->memory);
    snprintf(text, MB_SOAK_COMMAND,
             "modblas-bench --backend %s%s%s --residency %s --m %" PRId64 " --k %" PRId64
             " --n %" PRId64 " --modulus %s --type %s,%s --out-type %s --scheme %s --engine %s"
             " --data %s --seed %" PRIu64 " --verify %s --seconds 0",
             bench->context->backend->name, workers, memory, residency[o->residency], w->m, w->k,
             w->n, N, mb_type_name(w->a), mb_type_name(w->b), mb_type_name(w->c),
             mb_scheme_name(w->scheme), mb_engine_name(w->engine),
             o->extremal ? "extremal" : "random", o->seed, p->large ? "blocks" : "flint");
}

static void try_one(mb_soak *soak, mb_random *random)
{
    problem p;
    draw(&p, random, soak->bench);
    mb_bench bench = *soak->bench;
    bench.options = &p.options;
    bench.on_device =
        !bench.context->backend->synchronous && p.options.residency != MB_RESIDENCY_HOST;
    modblas_status status = mb_case_check(&bench, &p.what);
    if (status == MODBLAS_ENOPLAN && (p.what.scheme || p.what.engine)) {
        soak->refused++;
        return;
    }
    count(soak, &p);
    if (status == MODBLAS_OK)
        return;
    char *command = soak->command[soak->failed++];
    write_command(command, &p, soak->bench);
    fprintf(stderr, "modblas-bench: %s\n  %s\n", modblas_detail(), command);
}

void mb_soak_run(mb_soak *soak, const mb_bench *bench, volatile sig_atomic_t *stop)
{
    mb_random random;
    double begin = mb_clock();
    *soak = (mb_soak){.bench = bench};
    mb_random_seed(&random, bench->options->seed);
    do {
        try_one(soak, &random);
        soak->seconds = mb_clock() - begin;
    } while (soak->seconds < bench->options->soak && soak->failed < MB_SOAK_FAILURES && !*stop);
}

/* ---- reporting ------------------------------------------------------------------------------ */

void mb_soak_write_line(FILE *file, const mb_soak *soak)
{
    const mb_soak_count *whole = &soak->whole, *large = &soak->large;
    fprintf(file,
            "soak on %s, %.0f s: %" PRIu64 " problems (%" PRIu64 " products, %" PRIu64
            " entries) whole by FLINT; %" PRIu64 " (%" PRIu64 ", %" PRIu64
            ") by Freivalds, %" PRIu64 " entries of these by FLINT; %" PRIu64
            " refused; %d failed\n",
            soak->bench->context->backend->name, soak->seconds, whole->problems, whole->products,
            whole->entries, large->problems, large->products, large->entries, soak->compared,
            soak->refused, soak->failed);
}

static void put_count(FILE *file, const char *name, const mb_soak_count *c)
{
    fprintf(file,
            " \"%s_problems\": %" PRIu64 ", \"%s_products\": %" PRIu64 ", \"%s_entries\": %" PRIu64
            ",\n",
            name, c->problems, name, c->products, name, c->entries);
}

void mb_soak_write_json(FILE *file, const mb_soak *soak)
{
    char device[MB_ROW_TEXT];
    mb_device_name(device, soak->bench->context);
    fprintf(file, "{\"backend\": \"%s\", \"device\": ", soak->bench->context->backend->name);
    mb_write_json_text(file, device);
    fprintf(file, ", \"seed\": %" PRIu64 ", \"seconds\": %.1f,\n", soak->bench->options->seed,
            soak->seconds);
    put_count(file, "whole", &soak->whole);
    put_count(file, "large", &soak->large);
    fprintf(file,
            " \"compared_entries\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"failed\": %d,\n",
            soak->compared, soak->refused, soak->failed);
    fputs(" \"failures\": [", file);
    for (int i = 0; i < soak->failed; i++) {
        fputs(i ? ",\n  " : "\n  ", file);
        mb_write_json_text(file, soak->command[i]);
    }
    fprintf(file, "],\n \"version\": \"%s\", \"commit\": \"%s\"}\n", MODBLAS_VERSION, mb_commit());
}
