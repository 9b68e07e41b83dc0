/* SPDX-License-Identifier: BSD-3-Clause */
#include "order.h"

#include <stdlib.h>

/* A worker for one product on a caller's stream. */
typedef struct {
    mb_team team;
    void *stream;
    uint64_t id;
    bool captured;
} lane;

void mb_holds_drop(mb_hold *hold, modblas_context *context)
{
    while (hold != NULL) {
        mb_hold *next = hold->next;
        mb_slot_release(context, hold->device, hold->slot);
        free(hold);
        hold = next;
    }
}

static modblas_status hold(lane *l, modblas_context *context, mb_device *device, uint64_t shared,
                           uint64_t each, mb_hold **holds)
{
    mb_hold *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a captured product");
    modblas_status status = mb_slot_hold(&made->slot, context, device, shared + each);
    if (status != MODBLAS_OK) {
        free(made);
        return status;
    }
    made->device = device;
    mb_lock(context);
    made->next = *holds;
    *holds = made;
    mb_unlock(context);
    l->team = (mb_team){.context = context,
                        .device = device,
                        .count = 1,
                        .slot = {made->slot},
                        .shared = shared,
                        .each = each};
    return MODBLAS_OK;
}

static modblas_status open_lane(lane *l, modblas_context *context, mb_device *device,
                                const mb_way *way, mb_hold **holds)
{
    modblas_status status = MODBLAS_OK;
    const mb_streams *streams = device->backend->streams;
    uint64_t shared = 0, each = 0;
    bool swapped = way != NULL && way->plan.request.swapped;
    if (way != NULL)
        mb_exec_bytes(&way->plan, &shared, &each);
    MB_TRY(streams->identify(device->slot[0].worker, l->stream, &l->id, &l->captured));
    if (l->captured)
        MB_TRY(hold(l, context, device, shared, each, holds));
    else
        MB_TRY(mb_team_take_on(&l->team, context, device, shared, each, l->id));
    streams->blame(mb_team_worker(&l->team, 0), swapped ? MB_BLAME_SWAPPED : MB_BLAME_ORDER);
fail:
    return status;
}

/* After a failure the worker is free only when what was ordered on it is done. */
static modblas_status close_lane(lane *l, modblas_status status)
{
    const mb_streams *streams = l->team.device->backend->streams;
    mb_worker *worker = mb_team_worker(&l->team, 0);
    uint32_t faults = 0;
    streams->blame(worker, MB_BLAME_CALL);
    if (l->captured)
        return status;
    if (status == MODBLAS_OK)
        status = streams->mark(worker, l->stream);
    if (status != MODBLAS_OK) {
        (void)mb_team_wait(&l->team, &faults);
        mb_team_give(&l->team);
        return status;
    }
    mb_team_leave(&l->team, l->id);
    return MODBLAS_OK;
}

modblas_status mb_require_direct(const mb_device *device, const mb_operands *o, bool all)
{
    modblas_status status = MODBLAS_OK;
    const modblas_matrix *view[] = {&o->C, &o->A, &o->B};
    for (int v = 0; v < (all ? 3 : 1); v++) {
        mb_place place;
        MB_TRY(device->backend->locate(device->slot[0].worker, view[v], &place));
        if (place != MB_PLACE_DIRECT)
            MB_TRY(mb_fail(MODBLAS_EINVAL,
                           "an operand of a product on a stream lies in host memory; device "
                           "memory is required"));
    }
fail:
    return status;
}

static modblas_status order_by_jobs(const lane *l, const mb_way *way, uint64_t N,
                                    const mb_operands *o)
{
    modblas_status status = MODBLAS_OK;
    const mb_streams *streams = l->team.device->backend->streams;
    mb_worker *worker = mb_team_worker(&l->team, 0);
    mb_constants constants;
    MB_TRY(streams->enter(worker, l->stream));
    if (way == NULL)
        MB_TRY(mb_exec_order_scale(&l->team, &o->C, o->beta, N));
    else {
        mb_plan_constants(&way->plan, o->alpha, &constants);
        MB_TRY(mb_exec_order(&l->team, &way->plan, &constants, o, NULL));
    }
    MB_TRY(streams->leave(worker, l->stream));
fail:
    return status;
}

static modblas_status order_by_record(const lane *l, mb_way *way, const mb_operands *o)
{
    modblas_status status = MODBLAS_OK;
    const mb_streams *streams = l->team.device->backend->streams;
    mb_worker *worker = mb_team_worker(&l->team, 0);
    mb_play *play;
    bool fresh;
    MB_TRY(mb_way_record(&l->team, way, o, &play, &fresh));
    if (fresh)
        MB_TRY(streams->leave(worker, l->stream));
    play->ordered = true;
    MB_TRY(streams->launch(worker, play->replay, l->stream, false));
fail:
    return status;
}

modblas_status mb_order_on(modblas_context *context, mb_device *device, mb_way *way, uint64_t N,
                           const mb_operands *o, void *stream, mb_hold **holds)
{
    lane l = {.stream = stream};
    modblas_status status = mb_require_direct(device, o, way != NULL);
    if (status == MODBLAS_OK)
        status = open_lane(&l, context, device, way, holds);
    if (status != MODBLAS_OK)
        return status;
    if (way != NULL && !l.captured && mb_way_records(way, device) &&
        __atomic_fetch_add(&way->runs, 1, __ATOMIC_RELAXED) > 0)
        MB_TRY(order_by_record(&l, way, o));
    else
        MB_TRY(order_by_jobs(&l, way, N, o));
fail:
    return close_lane(&l, status);
}
