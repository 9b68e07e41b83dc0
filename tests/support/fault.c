/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdatomic.h>
#include <string.h>

static const mb_backend *inner;
static modblas_status armed;
static atomic_int countdown; /* the call that takes it to 0 fails */
static atomic_bool for_good; /* and all later ones */
static _Atomic(const char *) met;
static atomic_int outstanding; /* workers and buffers that are not given back */

/* How often each function failed. */
enum { KINDS = 16 };
static struct {
    const char *name;
    int count;
} tally[KINDS];

static void count(const char *name)
{
    int i = 0;
    while (i < KINDS - 1 && tally[i].name != NULL && strcmp(tally[i].name, name) != 0)
        i++;
    tally[i].name = name;
    tally[i].count++;
}

static bool strikes(const char *name)
{
    int left = atomic_fetch_sub(&countdown, 1);
    if (left != 1 && !(left < 1 && atomic_load(&for_good)))
        return false;
    if (left == 1) {
        count(name);
        atomic_store(&met, name);
    }
    mb_fail(armed, "a fault was injected into %s", name);
    return true;
}

#define WRAP(name, parameters, arguments)                                                         \
    static modblas_status name parameters                                                         \
    {                                                                                             \
        return strikes(#name) ? armed : inner->name arguments;                                    \
    }

WRAP(device_info, (int device, modblas_device_info *info), (device, info))
WRAP(locate, (mb_worker * worker, const modblas_matrix *view, mb_place *place),
     (worker, view, place))
WRAP(split, (mb_worker * worker, const mb_split_job *job), (worker, job))
WRAP(gemm, (mb_worker * worker, const mb_gemm_job *job), (worker, job))
WRAP(join, (mb_worker * worker, const mb_join_job *job), (worker, job))
WRAP(plain, (mb_worker * worker, const mb_plain_job *job), (worker, job))
WRAP(batch, (mb_worker * worker, const mb_batch_job *job), (worker, job))
WRAP(span, (mb_worker * worker, const void *p, uintptr_t *begin, uintptr_t *end, mb_place *place),
     (worker, p, begin, end, place))
WRAP(upload, (mb_worker * worker, const modblas_matrix *dst, const modblas_matrix *src),
     (worker, dst, src))
WRAP(download, (mb_worker * worker, const modblas_matrix *dst, const modblas_matrix *src),
     (worker, dst, src))
WRAP(after, (mb_worker * worker, mb_worker *other), (worker, other))
WRAP(wait, (mb_worker * worker, uint32_t *faults), (worker, faults))
WRAP(check, (mb_worker * worker, const mb_check_job *job), (worker, job))
WRAP(mark, (mb_worker * worker, int slot), (worker, slot))
WRAP(stamp, (mb_worker * worker, int slot, double *seconds), (worker, slot, seconds))

static modblas_status worker_create(mb_worker **worker, int device)
{
    if (strikes("worker_create"))
        return armed;
    modblas_status status = inner->worker_create(worker, device);
    atomic_fetch_add(&outstanding, status == MODBLAS_OK);
    return status;
}

static void worker_destroy(mb_worker *worker)
{
    atomic_fetch_sub(&outstanding, worker != NULL);
    inner->worker_destroy(worker);
}

static modblas_status alloc(mb_worker *worker, void **pointer, size_t bytes)
{
    if (strikes("alloc"))
        return armed;
    modblas_status status = inner->alloc(worker, pointer, bytes);
    atomic_fetch_add(&outstanding, status == MODBLAS_OK);
    return status;
}

static void release(mb_worker *worker, void *pointer)
{
    atomic_fetch_sub(&outstanding, pointer != NULL);
    inner->free(worker, pointer);
}

void test_fault_make(mb_backend *backend, const mb_backend *wrapped)
{
    inner = wrapped;
    *backend = *wrapped;
    backend->device_info = device_info;
    backend->worker_create = worker_create;
    backend->worker_destroy = worker_destroy;
    backend->alloc = alloc;
    backend->free = release;
    backend->locate = locate;
    backend->split = split;
    backend->gemm = gemm;
    backend->join = join;
    backend->plain = wrapped->plain ? plain : NULL;
    backend->batch = wrapped->batch ? batch : NULL;
    backend->span = wrapped->span ? span : NULL;
    backend->upload = wrapped->upload ? upload : NULL;
    backend->download = wrapped->download ? download : NULL;
    backend->after = after;
    backend->wait = wait;
    backend->check = check;
    backend->mark = mark;
    backend->stamp = stamp;
    test_fault_arm(0, MODBLAS_OK);
}

void test_fault_arm(int n, modblas_status status)
{
    armed = status;
    atomic_store(&for_good, false);
    atomic_store(&met, NULL);
    atomic_store(&countdown, n);
}

void test_fault_lose(int n)
{
    test_fault_arm(n, MODBLAS_EDEVICE);
    atomic_store(&for_good, true);
}

int test_fault_outstanding(void)
{
    return atomic_load(&outstanding);
}

int test_fault_tally(const char *name)
{
    int all = 0;
    for (int i = 0; i < KINDS && tally[i].name != NULL; i++)
        all += name == NULL || strcmp(tally[i].name, name) == 0 ? tally[i].count : 0;
    return all;
}

const char *test_fault_met(void)
{
    return atomic_load(&met);
}
