/* SPDX-License-Identifier: BSD-3-Clause */
/* What a caller's plan keeps between runs: for each device and each way that operands may lie, a
 * plan whose engine is proved, and records of its jobs on the workers that ran it. */
#ifndef MB_RUN_WAY_H
#define MB_RUN_WAY_H

#include "exec.h"

/* One worker's record. Whoever holds the worker may use it. */
typedef struct mb_play {
    mb_replay *replay; /* NULL: none yet */
    uint32_t version;  /* of the worker's memory */
    bool ordered;      /* it was launched on a caller's stream */
    bool known;        /* constants are those of alpha */
    uint64_t alpha;
    mb_constants constants;
} mb_play;

typedef struct mb_way {
    mb_plan plan;
    int strikes; /* engines that were struck off when it was proved */
    int runs;
    mb_play *play[MB_MAX_WORKERS];
    struct mb_way *older; /* which a run may still use */
} mb_way;

enum { MB_WAYS = 8 };

/* All zero: none yet. */
typedef struct mb_ways {
    mb_way *way[MB_MAX_DEVICES][MB_WAYS];
} mb_ways;

/* The newest way for a request on a device; NULL if there is none. *current: no engine was struck
 * off since it was proved. */
mb_way *mb_way_find(mb_ways *ways, modblas_context *context, const mb_device *device,
                    const mb_request *request, bool *current);

/* Keeps a proved plan. */
modblas_status mb_way_keep(mb_way **way, mb_ways *ways, modblas_context *context,
                           const mb_device *device, const mb_plan *plan, int strikes);

/* Nothing runs or is ordered by them any more, or will be once the workers' streams are done. */
void mb_ways_drop(mb_ways *ways, modblas_context *context);

/* mb_exec by a way; the second run on records its jobs and replays them, where that pays. */
modblas_status mb_way_run(modblas_context *context, mb_device *device, mb_way *way,
                          const mb_operands *o, mb_trace *trace);

/* True if jobs of a plan are few enough to be recorded. */
bool mb_way_records(const mb_way *way, const mb_device *device);

/* Makes sure of a record of the product on the team's one worker, with its operands. *fresh if its
 * workspace may still be on its way. */
modblas_status mb_way_record(const mb_team *team, mb_way *way, const mb_operands *o,
                             mb_play **play, bool *fresh);

#endif
