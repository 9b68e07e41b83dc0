/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "numbers.h"
#include "src/exact/type.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets what one option says; false if it does not understand the argument. */
typedef bool set_fn(mb_bench_options *o, const char *arg);

typedef struct {
    const char *name;
    set_fn *set;
    const char *takes; /* NULL: no argument */
} rule;

/* Index of a word in a list separated by spaces; -1 if it is not there. */
static int index_of(const char *word, size_t length, const char *list)
{
    for (int i = 0; *list != 0; i++) {
        size_t n = strcspn(list, " ");
        if (n == length && strncmp(word, list, n) == 0)
            return i;
        list += n + (list[n] == ' ');
    }
    return -1;
}

static bool choose(const char *arg, const char *list, int *choice)
{
    *choice = index_of(arg, strlen(arg), list);
    return *choice >= 0;
}

/* Defines a setter of an enum field, whose values are numbered as the words from `first` on. */
#define CHOICE(field, type_name, first, words)                                                    \
    static bool set_##field(mb_bench_options *o, const char *arg)                                 \
    {                                                                                             \
        int choice;                                                                               \
        if (!choose(arg, words, &choice))                                                         \
            return false;                                                                         \
        o->field = (type_name)(choice + (first));                                                 \
        return true;                                                                              \
    }

#define SUITES "short standard full"
#define SCHEMES "auto direct split rns plain"
#define ENGINES "auto i8 f64 f32"
#define BACKENDS "auto host cuda"
#define RESIDENCIES "auto device host"
#define CHECKS "off freivalds flint blocks"
#define FORMATS "table csv json"
#define DATA "random extremal"
#define PEERS "flint gemm naive"
#define LAYOUTS "rows columns padded"

CHOICE(suite, mb_suite, 1, SUITES)
CHOICE(scheme, modblas_scheme, 0, SCHEMES)
CHOICE(engine, modblas_engine, 0, ENGINES)
CHOICE(backend, modblas_backend, 0, BACKENDS)
CHOICE(residency, mb_residency, 0, RESIDENCIES)
CHOICE(verify, mb_check, 0, CHECKS)
CHOICE(format, mb_format, 0, FORMATS)
CHOICE(extremal, bool, 0, DATA)

#define TEXT(field)                                                                               \
    static bool set_##field(mb_bench_options *o, const char *arg)                                 \
    {                                                                                             \
        o->field = arg;                                                                           \
        return *arg != 0;                                                                         \
    }

TEXT(output_matrix)
TEXT(expect)
TEXT(output)
TEXT(trace)

#define ACTION(field, value)                                                                      \
    static bool set_##field(mb_bench_options *o, const char *arg)                                 \
    {                                                                                             \
        (void)arg;                                                                                \
        o->action = value;                                                                        \
        return true;                                                                              \
    }

ACTION(help, MB_ACTION_HELP)
ACTION(version, MB_ACTION_VERSION)
ACTION(list_devices, MB_ACTION_LIST_DEVICES)

static bool set_explain(mb_bench_options *o, const char *arg)
{
    (void)arg;
    o->explain = true;
    return true;
}

static bool set_pack(mb_bench_options *o, const char *arg)
{
    (void)arg;
    o->pack = true;
    return true;
}

/* Copies the part of a comma-separated list at *text to word, and moves *text behind it. */
static bool next_word(const char **text, char word[MB_NUMBER_SIZE])
{
    size_t n = strcspn(*text, ",");
    if (n == 0 || n >= MB_NUMBER_SIZE)
        return false;
    memcpy(word, *text, n);
    word[n] = 0;
    *text += n;
    if (**text == ',')
        return *++*text != 0;
    return true;
}

/* One word for all three, or one each. */
static bool set_layout(mb_bench_options *o, const char *arg)
{
    char word[MB_NUMBER_SIZE];
    int choice, count = 0;
    for (; *arg != 0; count++) {
        if (count == 3 || !next_word(&arg, word) || !choose(word, LAYOUTS, &choice))
            return false;
        for (int i = count; i < 3; i++)
            o->order[i] = (mb_order)choice;
    }
    return count == 1 || count == 3;
}

static bool positive(const char *arg, int64_t *value)
{
    return mb_parse_size(arg, value) && *value >= 1;
}

static bool set_size(mb_bench_options *o, const char *arg)
{
    char word[MB_NUMBER_SIZE];
    for (o->size_count = 0; *arg != 0; o->size_count++) {
        if (o->size_count == MB_MAX_LIST || !next_word(&arg, word) ||
            !positive(word, &o->size[o->size_count]))
            return false;
    }
    return o->size_count > 0;
}

static bool set_modulus(mb_bench_options *o, const char *arg)
{
    char word[MB_NUMBER_SIZE];
    for (o->modulus_count = 0; *arg != 0; o->modulus_count++) {
        if (o->modulus_count == MB_MAX_LIST || !next_word(&arg, word) ||
            !mb_parse_modulus(word, &o->modulus[o->modulus_count]))
            return false;
    }
    return o->modulus_count > 0;
}

static bool type_of(const char *word, modblas_type *type)
{
    for (int t = 0; mb_type_is_valid((modblas_type)t); t++) {
        *type = (modblas_type)t;
        if (strcmp(word, mb_type_name(*type)) == 0)
            return true;
    }
    return false;
}

static bool set_type(mb_bench_options *o, const char *arg)
{
    char word[MB_NUMBER_SIZE];
    for (o->type_count = 0; *arg != 0; o->type_count++) {
        if (o->type_count == 2 || !next_word(&arg, word) ||
            !type_of(word, &o->type[o->type_count]))
            return false;
    }
    if (o->type_count == 1)
        o->type[1] = o->type[0];
    return o->type_count > 0;
}

static bool set_out_type(mb_bench_options *o, const char *arg)
{
    o->out_type_given = true;
    return type_of(arg, &o->out_type);
}

static bool set_peer(mb_bench_options *o, const char *arg)
{
    char word[MB_NUMBER_SIZE];
    for (o->peers = 0; *arg != 0;) {
        int choice;
        if (!next_word(&arg, word) || !choose(word, PEERS, &choice))
            return false;
        o->peers |= 1U << choice;
    }
    return o->peers != 0;
}

static bool set_m(mb_bench_options *o, const char *arg)
{
    return positive(arg, &o->m);
}

static bool set_k(mb_bench_options *o, const char *arg)
{
    return positive(arg, &o->k);
}

static bool set_n(mb_bench_options *o, const char *arg)
{
    return positive(arg, &o->n);
}

static bool set_threads(mb_bench_options *o, const char *arg)
{
    enum { MOST = 256 };
    char word[MB_NUMBER_SIZE];
    for (o->thread_count = 0; *arg != 0; o->thread_count++) {
        int64_t *threads = &o->threads[o->thread_count];
        if (o->thread_count == MB_MAX_LIST || !next_word(&arg, word) || !positive(word, threads) ||
            *threads > MOST)
            return false;
    }
    return o->thread_count > 0;
}

static bool set_contexts(mb_bench_options *o, const char *arg)
{
    (void)arg;
    o->contexts = true;
    return true;
}

static bool set_sets(mb_bench_options *o, const char *arg)
{
    enum { MOST = 4096 };
    return positive(arg, &o->sets) && o->sets <= MOST;
}

static bool set_workers(mb_bench_options *o, const char *arg)
{
    int64_t workers;
    if (!positive(arg, &workers) || workers > 64)
        return false;
    o->workers = (int)workers;
    return true;
}

/* Defines a setter of a number from 1 on, with a unit or not. */
#define COUNT(field)                                                                              \
    static bool set_##field(mb_bench_options *o, const char *arg)                                 \
    {                                                                                             \
        return mb_parse_bytes(arg, &o->field) && o->field > 0;                                    \
    }

COUNT(memory)
COUNT(power)
COUNT(batch)
COUNT(moduli)

static bool set_seconds(mb_bench_options *o, const char *arg)
{
    return mb_parse_seconds(arg, &o->seconds);
}

static bool set_soak(mb_bench_options *o, const char *arg)
{
    return mb_parse_seconds(arg, &o->soak);
}

static bool set_seed(mb_bench_options *o, const char *arg)
{
    return mb_parse_bytes(arg, &o->seed);
}

/* "A.npy,B.npy" is cut in place: arguments may be written to. */
static bool set_input(mb_bench_options *o, const char *arg)
{
    char *comma = strchr(arg, ',');
    o->input[0] = arg;
    if (comma != NULL) {
        *comma = 0;
        o->input[1] = comma + 1;
        return *arg != 0 && comma[1] != 0;
    }
    return *arg != 0;
}

static const rule rules[] = {
    {"suite", set_suite, "one of " SUITES},
    {"size", set_size, "sizes from 1 on, such as 512 or 256,2^10"},
    {"m", set_m, "a size from 1 on"},
    {"k", set_k, "a size from 1 on"},
    {"n", set_n, "a size from 1 on"},
    {"modulus", set_modulus, "numbers from 1 to 2^64, such as 65521, 2^31-1 or 2^64"},
    {"type", set_type, "u8 u16 u32 u64 i8 i16 i32 i64 f32 or f64, or two of them for A,B"},
    {"out-type", set_out_type, "one of u8 u16 u32 u64 i8 i16 i32 i64 f32 f64"},
    {"layout", set_layout, "one of " LAYOUTS ", or three of them for A,B,C"},
    {"data", set_extremal, "one of " DATA},
    {"seed", set_seed, "a number below 2^64"},
    {"input", set_input, "one or two .npy files"},
    {"power", set_power, "an exponent from 1 on"},
    {"output-matrix", set_output_matrix, "the name of a file"},
    {"expect", set_expect, "the name of a file"},
    {"backend", set_backend, "one of " BACKENDS},
    {"scheme", set_scheme, "one of " SCHEMES},
    {"engine", set_engine, "one of " ENGINES},
    {"workers", set_workers, "a number from 1 to 64"},
    {"memory", set_memory, "a number of bytes from 1 on, such as 500000000 or 2GB"},
    {"pack", set_pack, NULL},
    {"residency", set_residency, "one of " RESIDENCIES},
    {"explain", set_explain, NULL},
    {"verify", set_verify, "one of " CHECKS},
    {"peer", set_peer, "some of " PEERS ", separated by commas"},
    {"seconds", set_seconds, "a number of seconds"},
    {"batch", set_batch, "a number of products from 1 on"},
    {"moduli", set_moduli, "a number of products from 1 on"},
    {"soak", set_soak, "a number of seconds"},
    {"threads", set_threads, "numbers from 1 to 256, such as 1,8,16"},
    {"contexts", set_contexts, NULL},
    {"sets", set_sets, "a number from 1 to 4096"},
    {"trace", set_trace, "the name of a file"},
    {"format", set_format, "one of " FORMATS},
    {"output", set_output, "the name of a file"},
    {"list-devices", set_list_devices, NULL},
    {"version", set_version, NULL},
    {"help", set_help, NULL},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static bool apply(mb_bench_options *o, int choice, char **argv, char error[MB_ERROR_SIZE])
{
    if (choice == '?' && optopt > UCHAR_MAX)
        snprintf(error, MB_ERROR_SIZE, "--%s takes no argument",
                 rules[optopt - UCHAR_MAX - 1].name);
    else if (choice == '?')
        snprintf(error, MB_ERROR_SIZE, "%s is no option; --help lists them", argv[optind - 1]);
    else if (choice == ':')
        snprintf(error, MB_ERROR_SIZE, "%s needs an argument", argv[optind - 1]);
    else {
        const rule *r = &rules[choice - UCHAR_MAX - 1];
        if (r->set(o, optarg))
            return true;
        snprintf(error, MB_ERROR_SIZE, "--%s takes %s, not '%s'", r->name, r->takes, optarg);
    }
    return false;
}

/* The second file of --input may be an argument of its own. */
static void take_second_input(mb_bench_options *o, int argc, char **argv)
{
    bool here = o->input[0] == optarg && optarg != NULL && o->input[1] == NULL;
    if (here && optind < argc && argv[optind][0] != '-')
        o->input[1] = argv[optind++];
}

bool mb_options_parse(mb_bench_options *options, int argc, char **argv, char error[MB_ERROR_SIZE])
{
    struct option known[RULES + 1] = {{0}};
    for (int i = 0; i < RULES; i++)
        known[i] = (struct option){rules[i].name, rules[i].takes ? required_argument : no_argument,
                                   NULL, UCHAR_MAX + 1 + i};
    *options = (mb_bench_options){.seconds = -1, .soak = -1, .seed = 1};
    opterr = 0;
    for (int choice; (choice = getopt_long(argc, argv, "+:", known, NULL)) != -1;) {
        if (!apply(options, choice, argv, error))
            return false;
        take_second_input(options, argc, argv);
    }
    if (optind < argc) {
        snprintf(error, MB_ERROR_SIZE, "'%s' is no option; --help lists them", argv[optind]);
        return false;
    }
    const char *why = mb_options_contradiction(options);
    if (why != NULL)
        snprintf(error, MB_ERROR_SIZE, "%s", why);
    return why == NULL;
}
