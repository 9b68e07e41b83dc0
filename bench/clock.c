/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include <stdlib.h>
#include <time.h>

/* Beyond these, runs are repeated no more. */
enum { MOST_RUNS = 1 << 20 };

double mb_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

modblas_status mb_time_runs(mb_times_of_runs *times, mb_timed *run, void *argument, double seconds)
{
    modblas_status status = MODBLAS_OK;
    size_t count = 0;
    double *took = malloc(MOST_RUNS * sizeof *took);
    if (took == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the times of runs");
    MB_TRY(run(argument));
    double begin = mb_clock(), now = begin;
    while (count < MB_LEAST_RUNS || (now - begin < seconds && count < MOST_RUNS)) {
        MB_TRY(run(argument));
        double end = mb_clock();
        took[count++] = end - now;
        now = end;
    }
    qsort(took, count, sizeof *took, compare);
    times->min = took[0];
    times->median = (took[(count - 1) / 2] + took[count / 2]) / 2;
    times->max = took[count - 1];
fail:
    free(took);
    return status;
}
