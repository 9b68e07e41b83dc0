/* SPDX-License-Identifier: BSD-3-Clause */
/* Time on the host. */
#ifndef MB_BENCH_CLOCK_H
#define MB_BENCH_CLOCK_H

#include "src/status.h"

/* Seconds since some fixed moment. */
double mb_clock(void);

typedef struct mb_times_of_runs {
    double min, median, max;
} mb_times_of_runs;

/* Runs once to warm up, then until `seconds` are over, at least MB_LEAST_RUNS times. */
enum { MB_LEAST_RUNS = 3 };
typedef modblas_status mb_timed(void *argument);
modblas_status mb_time_runs(mb_times_of_runs *times, mb_timed *run, void *argument,
                            double seconds);

#endif
