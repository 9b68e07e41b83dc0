/* SPDX-License-Identifier: BSD-3-Clause */
#include "spans.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

modblas_status mb_trace_make(mb_trace *trace, int workers)
{
    *trace = (mb_trace){.capacity = workers * MB_MAX_STAMPS / 2 + 1};
    trace->event = calloc((size_t)trace->capacity, sizeof *trace->event);
    if (trace->event == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a trace");
    return MODBLAS_OK;
}

void mb_trace_clear(mb_trace *trace)
{
    trace->count = 0;
    memset(trace->next_slot, 0, sizeof trace->next_slot);
}

static bool is_complete(const mb_trace *trace)
{
    for (int i = 0; i < MB_MAX_WORKERS; i++) {
        if (trace->next_slot[i] + 2 > MB_MAX_STAMPS)
            return false;
    }
    return trace->count > 0 && trace->count < trace->capacity;
}

static double first_start(const mb_trace *trace)
{
    double first = INFINITY;
    for (int e = 0; e < trace->count; e++)
        first = fmin(first, trace->event[e].start);
    return first;
}

mb_spans mb_trace_spans(const mb_trace *trace)
{
    mb_spans spans = {.kernel = 0};
    double last = -INFINITY;
    for (int e = 0; e < trace->count; e++) {
        const mb_trace_event *event = &trace->event[e];
        spans.stage[event->stage] += event->end - event->start;
        last = fmax(last, event->end);
    }
    spans.kernel = last - first_start(trace);
    if (!is_complete(trace)) {
        spans.kernel = NAN;
        for (int s = 0; s < MB_STAGE_COUNT; s++)
            spans.stage[s] = NAN;
    }
    return spans;
}

static int compare(const void *a, const void *b)
{
    double x = ((const mb_spans *)a)->kernel, y = ((const mb_spans *)b)->kernel;
    return (x > y) - (x < y);
}

mb_spans mb_spans_median(mb_spans *spans, int count)
{
    qsort(spans, (size_t)count, sizeof *spans, compare);
    return spans[count / 2];
}

modblas_status mb_trace_write(const mb_trace *trace, const char *path)
{
    static const char *const name[] = {"split", "gemm", "join"};
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", path, strerror(errno));
    double zero = first_start(trace);
    fprintf(file, "stage,tile,worker,start,end\n");
    for (int e = 0; e < trace->count; e++) {
        const mb_trace_event *event = &trace->event[e];
        fprintf(file, "%s,%" PRId64 ",%d,%.9f,%.9f\n", name[event->stage], event->tile,
                event->worker, event->start - zero, event->end - zero);
    }
    bool ok = !ferror(file);
    ok = fclose(file) == 0 && ok;
    return ok ? MODBLAS_OK : mb_fail(MODBLAS_EINVAL, "%s cannot be written", path);
}
