/* SPDX-License-Identifier: BSD-3-Clause */
/* One product: its data, its check, its times. */
#ifndef MB_BENCH_CASE_H
#define MB_BENCH_CASE_H

#include "operand.h"
#include "peer.h"
#include "report.h"

typedef struct mb_bench {
    const mb_bench_options *options;
    modblas_context *context;
    bool on_device; /* operands lie in device memory */
    double seconds; /* to repeat each product for */
    double copy_gbps;
    FILE *words;             /* what --explain says */
    modblas_matrix expected; /* the file of --expect; of the product's sizes */
} mb_bench;

/* A product that is ready to be run. */
typedef struct mb_ready {
    const mb_bench *bench;
    mb_case what;
    modblas_packed *packed; /* A, or NULL */
    modblas_plan *plan;
    mb_operand A, B, C;
    mb_random random;
} mb_ready;

/* Makes a product with a plan and operands of its own, and checks it; close also after a failure.
 */
modblas_status mb_ready_open(mb_ready *ready, const mb_bench *bench, const mb_case *what);
void mb_ready_close(mb_ready *ready);

/* C <- A*B, at the operands' residency. */
modblas_status mb_ready_run(mb_ready *ready);

/* The same into a poisoned C, which is brought to the host and checked as the options say. With
 * FLINT and the whole product, *flint_seconds is what FLINT took. */
modblas_status mb_ready_check(mb_ready *ready, double *flint_seconds);

/* The host's views. */
mb_product mb_ready_product(const mb_ready *ready);

/* Makes, checks and times a product and fills *row, which is made empty first. row->status is
 * what is returned. */
modblas_status mb_case_run(const mb_bench *bench, const mb_case *what, mb_row *row);

/* Makes and checks a product, as mb_case_run does. */
modblas_status mb_case_check(const mb_bench *bench, const mb_case *what);

/* The first device of a context, with its libraries; empty if it does not say. */
void mb_device_name(char text[MB_ROW_TEXT], const modblas_context *context);

/* Sizes and types of the product of the input files. */
modblas_status mb_case_from_files(const mb_bench_options *options, mb_case *what);

/* ---- parts of it ---------------------------------------------------------------------------- */

/* Times of whole calls, of the steps of traced runs, of peers. */
modblas_status mb_measure(mb_ready *ready, mb_row *row);

/* result <- A^E mod N by repeated squaring on host matrices of C's type, every product checked.
 * Requires a square A. Leaves A, B and C of `ready` changed. */
modblas_status mb_power(mb_ready *ready, uint64_t E, mb_operand *result);

/* Shows on a terminal's standard error what is going on; NULL takes it away. */
void mb_progress(const char *what, const char *name);

#endif
