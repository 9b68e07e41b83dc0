/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of products of one size, each with operands of its own, or with one A and one B modulo
 * many N. */
#ifndef MB_BENCH_BATCH_H
#define MB_BENCH_BATCH_H

#include "case.h"

typedef struct mb_batch_times {
    const mb_bench *bench;
    mb_case what;
    char device[MB_ROW_TEXT];
    int64_t count;
    bool one_pair; /* the same A and B modulo N, N-2, N-4 .. */
    bool on_device;
    double bytes; /* of all operands */
    double seconds_min, seconds_median, seconds_max;
} mb_batch_times;

/* Runs and checks the batch of the options, every product by Freivalds' check, then times it. */
modblas_status mb_batch_measure(mb_batch_times *times, const mb_bench *bench, const mb_case *what);

void mb_batch_write_line(FILE *file, const mb_batch_times *times);
void mb_batch_write_json(FILE *file, const mb_batch_times *times);

#endif
