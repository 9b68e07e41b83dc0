/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of a device's workers: more of them, those with work on callers' streams, and those
 * that are held outside it. */
#include "context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void mb_lock(modblas_context *context)
{
    pthread_mutex_lock(&context->lock);
    if (context->watch.on)
        context->watch.since = seconds_now();
}

void mb_unlock(modblas_context *context)
{
    mb_lock_watch *watch = &context->watch;
    if (watch->on) {
        double held = seconds_now() - watch->since;
        watch->count++;
        watch->total += held;
        watch->longest = held > watch->longest ? held : watch->longest;
    }
    pthread_mutex_unlock(&context->lock);
}

/* Looks whether a pending worker's work is done. A device that cannot tell says so again in the
 * next call on the worker. */
static bool settle(modblas_context *context, mb_device *device, mb_slot *slot, bool wait)
{
    bool done = true;
    slot->busy = true;
    mb_unlock(context);
    if (device->backend->streams->done(slot->worker, wait, &done) != MODBLAS_OK)
        done = true;
    mb_lock(context);
    slot->busy = false;
    if (done) {
        device->charged -= slot->charged;
        slot->charged = 0;
        slot->pending = false;
    }
    pthread_cond_broadcast(&context->freed);
    return done;
}

static mb_slot *next_pending(mb_device *device, int *from)
{
    for (; *from < device->workers; ++*from) {
        mb_slot *slot = &device->slot[*from];
        if (slot->pending && !slot->busy)
            return slot;
    }
    return NULL;
}

/* A new worker; if it cannot be made, there will be no more. */
static bool grow(modblas_context *context, mb_device *device, uint64_t need)
{
    mb_worker *worker = NULL;
    if (device->workers >= device->most || need > mb_room(device))
        return false;
    mb_slot *slot = &device->slot[device->workers++];
    slot->busy = true;
    mb_unlock(context);
    modblas_status status = device->backend->worker_create(&worker, device->ordinal);
    mb_lock(context);
    slot->worker = worker;
    slot->busy = status != MODBLAS_OK;
    if (status != MODBLAS_OK) {
        device->most = 0;
        /* Others may have been made meanwhile: then this one stays unused. */
        if (slot == &device->slot[device->workers - 1])
            device->workers--;
    }
    return status == MODBLAS_OK;
}

bool mb_pool_more(modblas_context *context, mb_device *device, uint64_t need, int *asked)
{
    mb_slot *slot;
    while ((slot = next_pending(device, asked)) != NULL) {
        ++*asked;
        if (settle(context, device, slot, false))
            return true;
    }
    if (grow(context, device, need))
        return true;
    int first = 0;
    slot = next_pending(device, &first);
    return slot != NULL && settle(context, device, slot, true);
}

/* ---- held workers --------------------------------------------------------------------------- */

static modblas_status charge(modblas_context *context, mb_device *device, uint64_t bytes,
                             mb_garbage *old)
{
    modblas_status status = MODBLAS_OK;
    mb_lock(context);
    if (bytes > mb_room(device))
        status = mb_fail(MODBLAS_ENOMEM,
                         "a workspace of %" PRIu64 " bytes to keep does not fit what is free of "
                         "the budget of %" PRIu64,
                         bytes, device->caps.memory);
    else
        device->held += bytes;
    if (status == MODBLAS_OK)
        mb_trim_idle(device, old);
    mb_unlock(context);
    return status;
}

modblas_status mb_slot_hold(mb_slot **held, modblas_context *context, mb_device *device,
                            uint64_t bytes)
{
    modblas_status status = MODBLAS_OK;
    mb_garbage old = {.count = 0};
    uint32_t faults = 0;
    mb_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a worker");
    *held = NULL;
    MB_TRY(device->backend->worker_create(&slot->worker, device->ordinal));
    MB_TRY(charge(context, device, bytes, &old));
    slot->charged = bytes;
    mb_team team = {.context = context, .device = device, .count = 1, .slot = {slot}};
    mb_lock(context);
    slot->next = device->holds;
    device->holds = slot;
    mb_unlock(context);
    *held = slot;
    slot = NULL;
    status = mb_team_provide(&team, &old);
    /* What is captured cannot wait for the memory to be there. */
    if (status == MODBLAS_OK)
        status = mb_team_wait(&team, &faults);
    if (status != MODBLAS_OK) {
        mb_slot_release(context, device, *held);
        *held = NULL;
    }
    return status;
fail:
    device->backend->worker_destroy(slot->worker);
    free(slot);
    return status;
}

static void take_faults(modblas_context *context, const mb_device *device, const mb_slot *slot)
{
    const mb_streams *streams = device->backend->streams;
    for (int blame = MB_BLAME_ORDER; blame < MB_BLAMES && slot->worker != NULL; blame++)
        context->faults[blame] |= streams->faults(slot->worker, (mb_blame)blame);
}

void mb_slot_release(modblas_context *context, mb_device *device, mb_slot *slot)
{
    mb_lock(context);
    mb_slot **at = &device->holds;
    while (*at != slot)
        at = &(*at)->next;
    *at = slot->next;
    take_faults(context, device, slot);
    mb_unlock(context);
    device->backend->free(slot->worker, slot->memory);
    device->backend->worker_destroy(slot->worker);
    mb_lock(context);
    device->held -= slot->charged;
    pthread_cond_broadcast(&context->freed);
    mb_unlock(context);
    free(slot);
}

void mb_context_faults(modblas_context *context, uint32_t faults[MB_BLAMES])
{
    mb_lock(context);
    for (int d = 0; d < context->device_count && context->backend->streams != NULL; d++) {
        mb_device *device = &context->device[d];
        for (int i = 0; i < device->workers; i++)
            take_faults(context, device, &device->slot[i]);
        for (const mb_slot *slot = device->holds; slot != NULL; slot = slot->next)
            take_faults(context, device, slot);
    }
    for (int blame = 0; blame < MB_BLAMES; blame++) {
        faults[blame] = context->faults[blame];
        context->faults[blame] = 0;
    }
    mb_unlock(context);
}
