/* SPDX-License-Identifier: BSD-3-Clause */
#include "way.h"

#include <stdlib.h>

/* More jobs gain nothing by being submitted at once. */
enum { MOST_JOBS = 64 };

static mb_way **place_of(mb_ways *ways, modblas_context *context, const mb_device *device,
                         const mb_request *request)
{
    const int way = 4 * request->bytes_a + 2 * request->swapped + request->overlap;
    return &ways->way[device - context->device][way];
}

mb_way *mb_way_find(mb_ways *ways, modblas_context *context, const mb_device *device,
                    const mb_request *request, bool *current)
{
    mb_way *way = __atomic_load_n(place_of(ways, context, device, request), __ATOMIC_ACQUIRE);
    *current = way != NULL && way->strikes == __atomic_load_n(&context->strikes, __ATOMIC_ACQUIRE);
    return way;
}

modblas_status mb_way_keep(mb_way **way, mb_ways *ways, modblas_context *context,
                           const mb_device *device, const mb_plan *plan, int strikes)
{
    mb_way **place = place_of(ways, context, device, &plan->request);
    mb_way *made = calloc(1, sizeof *made);
    if (made == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to keep a plan");
    made->plan = *plan;
    made->strikes = strikes;
    mb_lock(context);
    made->older = *place;
    __atomic_store_n(place, made, __ATOMIC_RELEASE);
    mb_unlock(context);
    *way = made;
    return MODBLAS_OK;
}

static void drop_play(mb_device *device, int i, mb_play *play)
{
    const mb_streams *streams = device->backend->streams;
    bool done;
    if (play == NULL)
        return;
    if (play->ordered)
        (void)streams->done(device->slot[i].worker, true, &done);
    streams->drop(device->slot[i].worker, play->replay);
    free(play);
}

void mb_ways_drop(mb_ways *ways, modblas_context *context)
{
    for (int d = 0; d < context->device_count; d++) {
        for (int w = 0; w < MB_WAYS; w++) {
            mb_way *older;
            for (mb_way *way = ways->way[d][w]; way != NULL; way = older) {
                older = way->older;
                for (int i = 0; i < MB_MAX_WORKERS; i++)
                    drop_play(&context->device[d], i, way->play[i]);
                free(way);
            }
        }
    }
}

bool mb_way_records(const mb_way *way, const mb_device *device)
{
    const mb_plan *plan = &way->plan;
    const double tiles = (double)plan->tiles_m * (double)plan->tiles_n;
    if (device->backend->streams == NULL || plan->math.scheme == MODBLAS_SCHEME_PLAIN)
        return false;
    return plan->workers == 1 &&
           tiles * (double)plan->chunks * (plan->math.terms + 3) <= MOST_JOBS;
}

/* The record that this worker has of the way, or an empty one. */
static mb_play *play_of(mb_way *way, const mb_team *team)
{
    mb_play **at = &way->play[team->slot[0] - team->device->slot];
    if (*at == NULL)
        *at = calloc(1, sizeof **at);
    return *at;
}

modblas_status mb_way_record(const mb_team *team, mb_way *way, const mb_operands *o,
                             mb_play **found, bool *fresh)
{
    modblas_status status = MODBLAS_OK;
    const mb_streams *streams = team->device->backend->streams;
    mb_worker *worker = mb_team_worker(team, 0);
    mb_play *play = play_of(way, team);
    bool stale = true;
    if (play == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to record a product");
    if (play->replay != NULL && play->version != team->slot[0]->version) {
        streams->drop(worker, play->replay);
        play->replay = NULL;
    }
    if (!play->known || play->alpha != o->alpha)
        mb_plan_constants(&way->plan, o->alpha, &play->constants);
    play->known = true;
    play->alpha = o->alpha;
    play->version = team->slot[0]->version;
    /* A record that is stale is made anew, once. */
    for (int round = 0; stale && round < 2; round++) {
        *fresh = play->replay == NULL;
        MB_TRY(streams->begin(worker, &play->replay));
        status = mb_exec_order(team, &way->plan, &play->constants, o, NULL);
        modblas_status ended = streams->end(worker, &play->replay, status != MODBLAS_OK, &stale);
        MB_TRY(status);
        MB_TRY(ended);
    }
    if (stale)
        MB_TRY(mb_fail(MODBLAS_EINTERNAL, "a product differs from its own record"));
    *found = play;
fail:
    return status;
}

/* Whether all operands lie where jobs on the device can use them. */
static modblas_status are_direct(const mb_team *team, const mb_operands *o, bool *direct)
{
    modblas_status status = MODBLAS_OK;
    const modblas_matrix *view[] = {&o->A, &o->B, &o->C};
    *direct = true;
    for (int v = 0; v < 3; v++) {
        mb_place place;
        MB_TRY(team->device->backend->locate(mb_team_worker(team, 0), view[v], &place));
        *direct = *direct && place == MB_PLACE_DIRECT;
    }
fail:
    return status;
}

static modblas_status replay(const mb_team *team, mb_way *way, const mb_operands *o)
{
    modblas_status status = MODBLAS_OK;
    mb_play *play;
    mb_constants constants;
    bool fresh, direct;
    MB_TRY(are_direct(team, o, &direct));
    if (!direct) {
        mb_plan_constants(&way->plan, o->alpha, &constants);
        return mb_exec_order(team, &way->plan, &constants, o, NULL);
    }
    MB_TRY(mb_way_record(team, way, o, &play, &fresh));
    MB_TRY(
        team->device->backend->streams->launch(mb_team_worker(team, 0), play->replay, NULL, true));
fail:
    return status;
}

modblas_status mb_way_run(modblas_context *context, mb_device *device, mb_way *way,
                          const mb_operands *o, mb_trace *trace)
{
    mb_team team;
    uint64_t shared, each;
    if (trace != NULL || !mb_way_records(way, device) ||
        __atomic_fetch_add(&way->runs, 1, __ATOMIC_RELAXED) == 0)
        return mb_exec(context, device, &way->plan, o, trace);
    mb_exec_bytes(&way->plan, &shared, &each);
    modblas_status status = mb_team_take(&team, context, device, 1, shared, each);
    if (status != MODBLAS_OK)
        return status;
    status = replay(&team, way, o);
    return mb_exec_finish(&team, status, way->plan.request.swapped, NULL);
}
