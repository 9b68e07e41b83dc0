/* SPDX-License-Identifier: BSD-3-Clause */
/* A context: devices, their workers, the memory budget. A call takes a team of workers from one
 * device and gives it back; it never waits for another call while it holds one, and the lock is
 * held only to count. */
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
    uint64_t charged; /* bytes promised to the running call, or to what is pending */
    uint32_t version; /* of memory: replays made for another are stale */
    bool busy;
    bool pending;         /* what it was given on a caller's stream may not be done */
    uint64_t stream;      /* that stream */
    struct mb_slot *next; /* of those that are held */
    mb_helper helper;     /* of a synchronous backend, unless the caller's thread does the work */
} mb_slot;

typedef struct mb_device {
    const mb_backend *backend;
    int ordinal;
    int workers; /* made so far */
    int most;    /* that may be made */
    mb_slot slot[MB_MAX_WORKERS];
    uint64_t charged; /* bytes promised to running calls */
    uint64_t largest; /* no workspace has been larger */
    uint64_t held; /* bytes of the workers that graphs and captured products have for themselves */
    mb_slot *holds; /* these */
    mb_caps caps;
} mb_device;

/* What the lock was held for, if it is watched. */
typedef struct mb_lock_watch {
    bool on;
    uint64_t count;
    double since, total, longest; /* seconds */
} mb_lock_watch;

struct modblas_context {
    const mb_backend *backend;
    modblas_verify verify;
    int device_count;
    int next_device; /* for calls that may run anywhere */
    mb_device *device;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    mb_lock_watch watch;
    int strikes;                /* engines struck off so far */
    uint32_t faults[MB_BLAMES]; /* of workers that are gone */
};

void mb_lock(modblas_context *context);
void mb_unlock(modblas_context *context);

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

/* Takes one worker, made if there may be more, waiting for it if need be, and up to want - 1 more
 * that are free now, as far as the budget goes; makes sure of their workspace. Requires shared +
 * each within the budget. */
modblas_status mb_team_take(mb_team *team, modblas_context *context, mb_device *device, int want,
                            uint64_t shared, uint64_t each);

/* The same for one worker whose jobs go to a caller's stream: the one that has work there, if its
 * workspace suffices. */
modblas_status mb_team_take_on(mb_team *team, modblas_context *context, mb_device *device,
                               uint64_t shared, uint64_t each, uint64_t stream);

/* Waits for the team's jobs and adds the faults of entries met to *faults. */
modblas_status mb_team_wait(const mb_team *team, uint32_t *faults);

/* Gives the workers back, their jobs done, and wakes who waits for them. */
void mb_team_give(mb_team *team);

/* Gives back a worker whose jobs on a caller's stream may not be done. */
void mb_team_leave(mb_team *team, uint64_t stream);

/* A worker with `bytes` of workspace outside the pool, until it is released, its jobs done. */
modblas_status mb_slot_hold(mb_slot **slot, modblas_context *context, mb_device *device,
                            uint64_t bytes);
void mb_slot_release(modblas_context *context, mb_device *device, mb_slot *slot);

/* Workspace for the team's workers that lack it; `old` is given back by the first. */
typedef struct mb_garbage {
    void *memory[2 * MB_MAX_WORKERS];
    int count;
} mb_garbage;
modblas_status mb_team_provide(mb_team *team, const mb_garbage *old);

/* What idle workers keep counts too: it goes where the budget is short. Under the lock. */
void mb_trim_idle(mb_device *device, mb_garbage *old);

/* Under the lock, which they may leave meanwhile: a pending worker becomes free if its work is
 * done (from *asked on; waiting for it if there is no other way), or a new one is made. True if it
 * is worth another look. */
bool mb_pool_more(modblas_context *context, mb_device *device, uint64_t need, int *asked);

/* Takes the faults of products ordered on streams, by MB_BLAME_ORDER and MB_BLAME_SWAPPED. */
void mb_context_faults(modblas_context *context, uint32_t faults[MB_BLAMES]);

/* Bytes of the budget that are free. */
static inline uint64_t mb_room(const mb_device *device)
{
    return device->caps.memory - device->held - device->charged;
}

void *mb_team_shared(const mb_team *team);
void *mb_team_memory(const mb_team *team, int i);

static inline mb_worker *mb_team_worker(const mb_team *team, int i)
{
    return team->slot[i]->worker;
}

#endif
