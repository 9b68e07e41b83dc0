/* SPDX-License-Identifier: BSD-3-Clause */
/* Many products at once: threads, graphs of sets, products on a stream. */
#ifndef MB_BENCH_MANY_H
#define MB_BENCH_MANY_H

#include "case.h"

/* What one measurement gave; NAN: not measured. */
typedef struct mb_many {
    mb_case what;
    mb_check verified;
    modblas_status status;
    int threads;               /* 0: of graphs and streams */
    double rate;               /* products a second, on one context */
    double contexts_rate;      /* with a context for each thread */
    double naive_rate;         /* of the naive peer */
    mb_lock_watch lock;        /* of the one context */
    int sets, width;           /* of the graph */
    double graph_seconds;      /* of the whole graph */
    double ordered_seconds;    /* of its products ordered one by one on a stream */
    double runs_seconds;       /* of its products run one by one */
    double side_by_side;       /* products under way at once, on average, by time stamps */
    double call_seconds;       /* of ordering one product on a stream */
    double done_seconds;       /* from the call's begin to the stream's end */
    double other_call_seconds; /* the same with operands that change each time */
    double other_done_seconds;
} mb_many;

/* How many measurements the options want of each product. */
size_t mb_many_each(const mb_bench_options *o);

/* Makes measurement i of a product. */
modblas_status mb_many_run(mb_many *many, const mb_bench *bench, const mb_case *what, int i);

void mb_many_write_line(FILE *file, const mb_many *many);
void mb_many_write_json(FILE *file, const mb_bench *bench, const mb_many *list, int count);

/* A copy of the checked C, for free(); and whether C, brought to the host, is still that. Padding,
 * which the check poisoned, is compared too. */
modblas_status mb_many_keep(const mb_ready *ready, void **copy);
modblas_status mb_many_compare(const mb_ready *ready, const void *copy);

/* ---- sets.c --------------------------------------------------------------------------------- */

/* Two sets of so many products as a graph, and one by one; one product on a stream. */
modblas_status mb_many_sets(mb_many *many, const mb_bench *bench);

#endif
