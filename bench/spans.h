/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace says of a run. */
#ifndef MB_BENCH_SPANS_H
#define MB_BENCH_SPANS_H

#include "src/run/trace.h"

/* Seconds; NAN if the run had more steps than a trace holds. */
typedef struct mb_spans {
    double kernel;                /* first start to last end */
    double stage[MB_STAGE_COUNT]; /* sums, so that steps of several workers count each */
} mb_spans;

/* An empty trace for so many workers; free() frees its events. */
modblas_status mb_trace_make(mb_trace *trace, int workers);
void mb_trace_clear(mb_trace *trace);

mb_spans mb_trace_spans(const mb_trace *trace);

/* The one of `count` spans with the median kernel time. Reorders them. */
mb_spans mb_spans_median(mb_spans *spans, int count);

/* Writes stage, tile, worker, start, end as CSV, the first start being 0. */
modblas_status mb_trace_write(const mb_trace *trace, const char *path);

#endif
