/* SPDX-License-Identifier: BSD-3-Clause */
/* A context: devices, their workers, the memory budget. A call takes a team of workers from one
 * device and gives it back; it never waits while it holds one, and the lock is held only to count.
 */
#ifndef MB_RUN_CONTEXT_H
#define MB_RUN_CONTEXT_H

#include "../plan/plan.h"
#include "helper.h"

enum { MB_MAX_WORKERS = 64, MB_MAX_DEVICES = 16 };

/* A worker and the workspace that it keeps between calls. */
typedef struct mb_slot {
    mb_worker *worker;
    void *memory;
    uint64_t size;    /* bytes at memory, kept between calls */
    uint64_t charged; /* bytes promised to the running call */
    bool busy;
    mb_helper helper; /* of a synchronous backend, unless the caller's thread does the work */
} mb_slot;

typedef struct mb_device {
    const mb_backend *backend;
    int ordinal;
    int workers;
    mb_slot slot[MB_MAX_WORKERS];
    uint64_t charged; /* bytes promised to running calls */
    mb_caps caps;
} mb_device;

struct modblas_context {
    const mb_backend *backend;
    modblas_verify verify;
    int device_count;
    int next_device; /* for calls that may run anywhere */
    mb_device *device;
    pthread_mutex_t lock;
    pthread_cond_t freed;
};

/* modblas_context_create on a given backend. */
modblas_status mb_context_make(modblas_context **context, const mb_backend *backend,
                               const modblas_options *options);

/* The capabilities of a device as they are now: engines may be struck off at any time. */
mb_caps mb_device_caps(const modblas_context *context, const mb_device *device);

/* Workers that serve one call, with workspace: `shared` bytes at shared_memory, `each` bytes at
 * memory(i). */
typedef struct mb_team {
    modblas_context *context;
    mb_device *device;
    int count;
    mb_slot *slot[MB_MAX_WORKERS];
    uint64_t shared, each;
} mb_team;

/* Takes one worker, waiting for it if need be, and up to want - 1 more that are free now, as far
 * as the budget goes; makes sure of their workspace. Requires shared + each within the budget. */
modblas_status mb_team_take(mb_team *team, modblas_context *context, mb_device *device, int want,
                            uint64_t shared, uint64_t each);

/* Waits for the team's jobs and adds the faults of entries met to *faults. */
modblas_status mb_team_wait(const mb_team *team, uint32_t *faults);

/* Gives the workers back, their jobs done, and wakes who waits for them. */
void mb_team_give(mb_team *team);

void *mb_team_shared(const mb_team *team);
void *mb_team_memory(const mb_team *team, int i);

static inline mb_worker *mb_team_worker(const mb_team *team, int i)
{
    return team->slot[i]->worker;
}

#endif
