/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of modblas-bench. */
#ifndef MB_BENCH_OPTIONS_H
#define MB_BENCH_OPTIONS_H

#include "operand.h"

#include <stdbool.h>

enum { MB_MAX_LIST = 64 };

typedef enum mb_action {
    MB_ACTION_RUN,
    MB_ACTION_HELP,
    MB_ACTION_VERSION,
    MB_ACTION_LIST_DEVICES
} mb_action;

typedef enum mb_suite { MB_SUITE_NONE, MB_SUITE_SHORT, MB_SUITE_STANDARD, MB_SUITE_FULL } mb_suite;

typedef enum mb_residency {
    MB_RESIDENCY_AUTO, /* device on a GPU */
    MB_RESIDENCY_DEVICE,
    MB_RESIDENCY_HOST
} mb_residency;

/* BLOCKS: Freivalds' check, and random rows and columns by FLINT. */
typedef enum mb_check {
    MB_CHECK_OFF,
    MB_CHECK_FREIVALDS,
    MB_CHECK_FLINT,
    MB_CHECK_BLOCKS
} mb_check;

typedef enum mb_format { MB_FORMAT_TABLE, MB_FORMAT_CSV, MB_FORMAT_JSON } mb_format;

enum { MB_PEER_FLINT = 1, MB_PEER_GEMM = 2, MB_PEER_NAIVE = 4 };

/* Pointers are into argv. Counts and pointers that were not given are 0. */
typedef struct mb_bench_options {
    mb_action action;
    mb_suite suite;
    int size_count;
    int64_t size[MB_MAX_LIST];
    int64_t m, k, n;
    int modulus_count;
    uint64_t modulus[MB_MAX_LIST];
    int type_count; /* 1: both operands; 2: A and B */
    modblas_type type[2];
    mb_order order[3]; /* of A, B, C */
    bool out_type_given;
    modblas_type out_type;
    modblas_scheme scheme;
    modblas_engine engine;
    modblas_backend backend;
    int workers;
    uint64_t memory;
    mb_residency residency;
    mb_check verify;
    unsigned peers;
    double seconds;         /* negative: not given */
    double soak;            /* seconds; negative: not given */
    uint64_t batch, moduli; /* products of a batch; of one A and B modulo so many N */
    bool extremal;
    uint64_t seed;
    const char *input[2];
    uint64_t power;
    const char *output_matrix, *expect;
    mb_format format;
    const char *output, *trace;
    bool explain;
    bool pack;        /* A is packed before its products are timed */
    int thread_count; /* many products at once: by so many threads ... */
    int64_t threads[MB_MAX_LIST];
    bool contexts; /* ... and the same with a context each */
    int64_t sets;  /* products in each set of a graph */
} mb_bench_options;

enum { MB_ERROR_SIZE = 240 };

/* False with one sentence, without a final newline, where the arguments are not understood. */
bool mb_options_parse(mb_bench_options *options, int argc, char **argv, char error[MB_ERROR_SIZE]);

/* Why options that are right one by one do not go together; NULL if they do. */
const char *mb_options_contradiction(const mb_bench_options *options);

const char *mb_help_text(void);

#endif
