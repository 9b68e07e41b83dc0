/* SPDX-License-Identifier: BSD-3-Clause */
#include "context.h"

#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static modblas_status open_device(mb_device *device, const mb_backend *backend, int ordinal,
                                  const modblas_options *options)
{
    modblas_status status = MODBLAS_OK;
    modblas_device_info info;
    MB_TRY(backend->device_info(ordinal, &info));
    device->backend = backend;
    device->ordinal = ordinal;
    int workers = options->workers ? options->workers : backend->default_workers(ordinal);
    workers = workers < MB_MAX_WORKERS ? workers : MB_MAX_WORKERS;
    /* Those of a GPU cost little but serve a thread each; those of the host are its cores. */
    device->most = options->workers || backend->synchronous ? workers : MB_MAX_WORKERS;
    for (int i = 0; i < workers; i++) {
        MB_TRY(backend->worker_create(&device->slot[i].worker, ordinal));
        device->workers = i + 1;
    }
    mb_caps *caps = &device->caps;
    for (int e = 0; e < MB_MAX_ENGINES; e++)
        caps->engine[e] = backend->engine[e];
    backend->rates(ordinal, &caps->rates);
    caps->workers_add = backend->synchronous;
    caps->staging = backend->upload != NULL;
    caps->fuses = backend->fuses != NULL && backend->fuses(ordinal);
    caps->thins = backend->thins != NULL && backend->thins(ordinal);
    caps->workers = workers;
    caps->memory = options->memory ? options->memory : info.memory_free / 2;
    MB_TRY(mb_selftest(device));
fail:
    return status;
}

static void close_device(mb_device *device)
{
    for (int i = 0; i < device->workers; i++) {
        mb_helper_end(&device->slot[i].helper);
        device->backend->free(device->slot[i].worker, device->slot[i].memory);
        device->backend->worker_destroy(device->slot[i].worker);
    }
}

void modblas_context_destroy(modblas_context *context)
{
    if (context == NULL)
        return;
    for (int d = 0; d < context->device_count; d++)
        close_device(&context->device[d]);
    pthread_cond_destroy(&context->freed);
    pthread_mutex_destroy(&context->lock);
    free(context->device);
    free(context);
}

modblas_status mb_context_make(modblas_context **context, const mb_backend *backend,
                               const modblas_options *options)
{
    modblas_status status = MODBLAS_OK;
    int count = options->device_count > 0 ? options->device_count : 1;
    modblas_context *made = calloc(1, sizeof *made);
    mb_device *device = calloc((size_t)count, sizeof *device);
    if (made == NULL || device == NULL) {
        free(device);
        free(made);
        return mb_fail(MODBLAS_ENOMEM, "no memory for a context");
    }
    *made = (modblas_context){.backend = backend, .verify = options->verify, .device = device};
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->freed, NULL);
    for (int d = 0; d < count; d++) {
        int ordinal = options->device_count > 0 ? options->devices[d] : 0;
        made->device_count = d + 1;
        MB_TRY(open_device(&device[d], backend, ordinal, options));
    }
    *context = made;
    return MODBLAS_OK;
fail:
    modblas_context_destroy(made);
    return status;
}

mb_caps mb_device_caps(const modblas_context *context, const mb_device *device)
{
    modblas_context *c = (modblas_context *)(uintptr_t)context;
    mb_lock(c);
    mb_caps caps = device->caps;
    caps.memory -= device->held;
    mb_unlock(c);
    return caps;
}

/* ---- teams ---------------------------------------------------------------------------------- */

static void detach(mb_slot *slot, mb_garbage *old)
{
    if (slot->memory != NULL)
        old->memory[old->count++] = slot->memory;
    slot->memory = NULL;
    slot->size = 0;
}

static bool is_free(const mb_slot *slot)
{
    return !slot->busy && !slot->pending;
}

/* A thread gets the worker that it had last, if it can: its records and workspace suit it. Where
 * workers have threads, the first ones do, so that there are few. */
static mb_slot *find_free(mb_device *device)
{
    static _Thread_local int last;
    if (device->backend->synchronous)
        last = 0;
    if (last < device->workers && is_free(&device->slot[last]))
        return &device->slot[last];
    for (int i = 0; i < device->workers; i++) {
        if (is_free(&device->slot[i]))
            return &device->slot[last = i];
    }
    return NULL;
}

/* The worker whose pending work is on the stream, if its workspace suffices. */
static mb_slot *find_on(mb_device *device, uint64_t stream, uint64_t need)
{
    for (int i = 0; i < device->workers; i++) {
        mb_slot *slot = &device->slot[i];
        if (!slot->busy && slot->pending && slot->stream == stream && slot->size >= need)
            return slot;
    }
    return NULL;
}

/* Takes a free worker whose workspace of `need` bytes fits the budget; NULL if there is none now.
 */
static mb_slot *take_one(mb_device *device, uint64_t need, mb_garbage *old)
{
    mb_slot *slot = find_free(device);
    if (slot == NULL || need > mb_room(device))
        return NULL;
    if (slot->size < need || slot->size > mb_room(device))
        detach(slot, old);
    slot->charged = slot->size > need ? slot->size : need;
    device->largest = slot->charged > device->largest ? slot->charged : device->largest;
    device->charged += slot->charged;
    slot->busy = true;
    return slot;
}

void mb_trim_idle(mb_device *device, mb_garbage *old)
{
    uint64_t idle = 0;
    if (mb_times(device->largest, (uint64_t)device->workers) <= mb_room(device))
        return;
    for (int i = 0; i < device->workers; i++)
        idle += is_free(&device->slot[i]) ? device->slot[i].size : 0;
    for (int i = 0; i < device->workers && idle > mb_room(device); i++) {
        mb_slot *slot = &device->slot[i];
        if (!is_free(slot))
            continue;
        idle -= slot->size;
        detach(slot, old);
    }
}

modblas_status mb_team_provide(mb_team *team, const mb_garbage *old)
{
    const mb_backend *backend = team->device->backend;
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < old->count; i++)
        backend->free(mb_team_worker(team, 0), old->memory[i]);
    for (int i = 0; i < team->count; i++) {
        mb_slot *slot = team->slot[i];
        if (slot->memory != NULL || slot->charged == 0)
            continue;
        MB_TRY(backend->alloc(slot->worker, &slot->memory, slot->charged));
        slot->size = slot->charged;
        slot->version++;
        /* All workers of the team may use the shared part. */
        for (int j = 1; i == 0 && j < team->count; j++)
            MB_TRY(backend->after(mb_team_worker(team, j), slot->worker));
    }
fail:
    return status;
}

static modblas_status over_budget(const mb_device *device, uint64_t need)
{
    return mb_fail(MODBLAS_ENOPLAN,
                   "a workspace of %" PRIu64 " bytes is over the budget of %" PRIu64
                   ", of which graphs and captured products hold %" PRIu64,
                   need, device->caps.memory, device->held);
}

/* Takes the first worker, under the lock. */
static modblas_status take_first(mb_team *team, uint64_t need, uint64_t stream, mb_garbage *old)
{
    modblas_context *context = team->context;
    mb_device *device = team->device;
    mb_slot *slot = stream ? find_on(device, stream, need) : NULL;
    if (slot != NULL)
        slot->busy = true;
    for (int asked = 0; slot == NULL;) {
        if (need > device->caps.memory - device->held)
            return over_budget(device, need);
        slot = take_one(device, need, old);
        if (slot != NULL || mb_pool_more(context, device, need, &asked))
            continue;
        pthread_cond_wait(&context->freed, &context->lock);
        asked = 0;
    }
    team->slot[team->count++] = slot;
    return MODBLAS_OK;
}

static modblas_status take(mb_team *team, int want, uint64_t stream)
{
    mb_garbage old = {.count = 0};
    uint64_t need;
    if (__builtin_add_overflow(team->shared, team->each, &need))
        need = UINT64_MAX;
    mb_lock(team->context);
    modblas_status status = take_first(team, need, stream, &old);
    while (status == MODBLAS_OK && team->count < want) {
        mb_slot *slot = take_one(team->device, team->each, &old);
        if (slot == NULL)
            break;
        team->slot[team->count++] = slot;
    }
    if (status == MODBLAS_OK)
        mb_trim_idle(team->device, &old);
    mb_unlock(team->context);
    if (status != MODBLAS_OK)
        return status;
    status = mb_team_provide(team, &old);
    if (status != MODBLAS_OK)
        mb_team_give(team);
    return status;
}

modblas_status mb_team_take(mb_team *team, modblas_context *context, mb_device *device, int want,
                            uint64_t shared, uint64_t each)
{
    *team = (mb_team){.context = context, .device = device, .shared = shared, .each = each};
    return take(team, want, 0);
}

modblas_status mb_team_take_on(mb_team *team, modblas_context *context, mb_device *device,
                               uint64_t shared, uint64_t each, uint64_t stream)
{
    *team = (mb_team){.context = context, .device = device, .shared = shared, .each = each};
    return take(team, 1, stream);
}

modblas_status mb_team_wait(const mb_team *team, uint32_t *faults)
{
    modblas_status status = MODBLAS_OK;
    for (int i = 0; i < team->count; i++) {
        modblas_status s = team->device->backend->wait(mb_team_worker(team, i), faults);
        status = status == MODBLAS_OK ? s : status;
    }
    return status;
}

void mb_team_give(mb_team *team)
{
    modblas_context *context = team->context;
    mb_lock(context);
    for (int i = 0; i < team->count; i++) {
        team->device->charged -= team->slot[i]->charged;
        team->slot[i]->charged = 0;
        team->slot[i]->busy = team->slot[i]->pending = false;
    }
    team->count = 0;
    pthread_cond_broadcast(&context->freed);
    mb_unlock(context);
}

void mb_team_leave(mb_team *team, uint64_t stream)
{
    mb_slot *slot = team->slot[0];
    mb_lock(team->context);
    slot->busy = false;
    slot->pending = true;
    slot->stream = stream;
    team->count = 0;
    pthread_cond_broadcast(&team->context->freed);
    mb_unlock(team->context);
}

void *mb_team_shared(const mb_team *team)
{
    return team->slot[0]->memory;
}

void *mb_team_memory(const mb_team *team, int i)
{
    return (char *)team->slot[i]->memory + (i == 0 ? team->shared : 0);
}
