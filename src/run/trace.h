/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of what a run did when. */
#ifndef MB_RUN_TRACE_H
#define MB_RUN_TRACE_H

#include "context.h"

typedef enum mb_stage { MB_STAGE_SPLIT, MB_STAGE_GEMM, MB_STAGE_JOIN, MB_STAGE_COUNT } mb_stage;

typedef struct mb_trace_event {
    mb_stage stage;
    int worker;
    int64_t tile;      /* index of the tile of C; -1 for work shared by all */
    int slot;          /* stamps slot and slot + 1 of the worker */
    double start, end; /* seconds on the device's clock */
} mb_trace_event;

/* Events beyond the capacity, or beyond the stamps of a worker, are not kept. */
typedef struct mb_trace {
    mb_trace_event *event;
    int capacity;
    int count;
    int next_slot[MB_MAX_WORKERS];
} mb_trace;

/* Brackets a job on worker i of the team; trace may be NULL. begin returns a handle for end. */
modblas_status mb_trace_begin(mb_trace *trace, const mb_team *team, int i, mb_stage stage,
                              int64_t tile, int *handle);
modblas_status mb_trace_end(mb_trace *trace, const mb_team *team, int i, int handle);

/* Reads the stamps; all workers' jobs are done. */
modblas_status mb_trace_read(mb_trace *trace, const mb_team *team);

#endif
