/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

modblas_status mb_trace_begin(mb_trace *trace, const mb_team *team, int i, mb_stage stage,
                              int64_t tile, int *handle)
{
    *handle = -1;
    if (trace == NULL)
        return MODBLAS_OK;
    if (trace->next_slot[i] + 2 > MB_MAX_STAMPS)
        return MODBLAS_OK;
    /* Workers of a synchronous backend are threads of their own. */
    int index = __atomic_fetch_add(&trace->count, 1, __ATOMIC_RELAXED);
    if (index >= trace->capacity)
        return MODBLAS_OK;
    trace->event[index] =
        (mb_trace_event){.stage = stage, .worker = i, .tile = tile, .slot = trace->next_slot[i]};
    trace->next_slot[i] += 2;
    *handle = index;
    return team->device->backend->mark(mb_team_worker(team, i), trace->event[index].slot);
}

modblas_status mb_trace_end(mb_trace *trace, const mb_team *team, int i, int handle)
{
    if (trace == NULL || handle < 0)
        return MODBLAS_OK;
    return team->device->backend->mark(mb_team_worker(team, i), trace->event[handle].slot + 1);
}

modblas_status mb_trace_read(mb_trace *trace, const mb_team *team)
{
    modblas_status status = MODBLAS_OK;
    if (trace == NULL)
        return MODBLAS_OK;
    if (trace->count > trace->capacity)
        trace->count = trace->capacity;
    for (int e = 0; e < trace->count; e++) {
        mb_trace_event *event = &trace->event[e];
        mb_worker *worker = mb_team_worker(team, event->worker);
        MB_TRY(team->device->backend->stamp(worker, event->slot, &event->start));
        MB_TRY(team->device->backend->stamp(worker, event->slot + 1, &event->end));
    }
fail:
    return status;
}
