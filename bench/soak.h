/* SPDX-License-Identifier: BSD-3-Clause */
/* Random products, all checked, for as long as one likes. */
#ifndef MB_BENCH_SOAK_H
#define MB_BENCH_SOAK_H

#include "case.h"

#include <signal.h>

enum { MB_SOAK_FAILURES = 20, MB_SOAK_COMMAND = 400 };

/* Products of one kind: problems, products (extremal data are four), and entries of C. */
typedef struct mb_soak_count {
    uint64_t problems, products, entries;
} mb_soak_count;

typedef struct mb_soak {
    const mb_bench *bench;
    double seconds;      /* that it took */
    mb_soak_count whole; /* sides up to 512: every entry compared with FLINT's */
    mb_soak_count large; /* by Freivalds' check, and 8 rows and 8 columns compared with FLINT's */
    uint64_t compared;   /* entries of those rows and columns */
    uint64_t refused;    /* problems that a drawn scheme or engine does not fit */
    int failed;
    char command[MB_SOAK_FAILURES][MB_SOAK_COMMAND]; /* what runs a failed problem again */
} mb_soak;

/* Draws and checks problems until the options' seconds are over, *stop is set, or MB_SOAK_FAILURES
 * failed; says
 * on standard error what failed, and how to run it again. */
void mb_soak_run(mb_soak *soak, const mb_bench *bench, volatile sig_atomic_t *stop);

void mb_soak_write_line(FILE *file, const mb_soak *soak);
void mb_soak_write_json(FILE *file, const mb_soak *soak);

#endif
