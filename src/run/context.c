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
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&context->lock;
    pthread_mutex_lock(lock);
    mb_caps caps = device->caps;
    pthread_mutex_unlock(lock);
    return caps;
}

/* ---- teams ---------------------------------------------------------------------------------- */

/* Memory that a call frees for the sake of the budget, outside the lock. */
typedef struct {
    void *memory[2 * MB_MAX_WORKERS];
    int count;
} garbage;

static void detach(mb_slot *slot, garbage *old)
{
    if (slot->memory != NULL)
        old->memory[old->count++] = slot->memory;
    slot->memory = NULL;
    slot->size = 0;
}

static mb_slot *find_free(mb_device *device)
{
    for (int i = 0; i < device->workers; i++) {
        if (!device->slot[i].busy)
            return &device->slot[i];
    }
    return NULL;
}

/* Takes a free worker whose workspace of `need` bytes fits the budget; NULL if there is none now.
 */
static mb_slot *take_one(mb_device *device, uint64_t need, garbage *old)
{
    mb_slot *slot = find_free(device);
    if (slot == NULL || need > device->caps.memory - device->charged)
        return NULL;
    if (slot->size < need || slot->size > device->caps.memory - device->charged)
        detach(slot, old);
    slot->charged = slot->size > need ? slot->size : need;
    device->charged += slot->charged;
    slot->busy = true;
    return slot;
}

/* What idle workers keep counts too: it goes where the budget is short. */
static void trim_idle(mb_device *device, garbage *old)
{
    uint64_t idle = 0;
    for (int i = 0; i < device->workers; i++)
        idle += device->slot[i].busy ? 0 : device->slot[i].size;
    for (int i = 0; i < device->workers && idle > device->caps.memory - device->charged; i++) {
        mb_slot *slot = &device->slot[i];
        if (slot->busy)
            continue;
        idle -= slot->size;
        detach(slot, old);
    }
}

static modblas_status provide(mb_team *team, const garbage *old)
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
        /* All workers of the team may use the shared part. */
        for (int j = 1; i == 0 && j < team->count; j++)
            MB_TRY(backend->after(mb_team_worker(team, j), slot->worker));
    }
fail:
    return status;
}

modblas_status mb_team_take(mb_team *team, modblas_context *context, mb_device *device, int want,
                            uint64_t shared, uint64_t each)
{
    garbage old = {.count = 0};
    *team = (mb_team){.context = context, .device = device, .shared = shared, .each = each};
    if (each > device->caps.memory || shared > device->caps.memory - each)
        return mb_fail(MODBLAS_ENOPLAN,
                       "a workspace of %" PRIu64 " bytes is over the budget of %" PRIu64,
                       shared + each, device->caps.memory);
    pthread_mutex_lock(&context->lock);
    mb_slot *slot = take_one(device, shared + each, &old);
    while (slot == NULL) {
        pthread_cond_wait(&context->freed, &context->lock);
        slot = take_one(device, shared + each, &old);
    }
    while (slot != NULL) {
        team->slot[team->count++] = slot;
        slot = team->count < want ? take_one(device, each, &old) : NULL;
    }
    trim_idle(device, &old);
    pthread_mutex_unlock(&context->lock);
    modblas_status status = provide(team, &old);
    if (status != MODBLAS_OK)
        mb_team_give(team);
    return status;
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
    pthread_mutex_lock(&context->lock);
    for (int i = 0; i < team->count; i++) {
        team->device->charged -= team->slot[i]->charged;
        team->slot[i]->charged = 0;
        team->slot[i]->busy = false;
    }
    team->count = 0;
    pthread_cond_broadcast(&context->freed);
    pthread_mutex_unlock(&context->lock);
}

void *mb_team_shared(const mb_team *team)
{
    return team->slot[0]->memory;
}

void *mb_team_memory(const mb_team *team, int i)
{
    return (char *)team->slot[i]->memory + (i == 0 ? team->shared : 0);
}
