/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"

#include <stdatomic.h>

static const mb_backend *inner;
static modblas_status armed;
static atomic_int countdown; /* the call that takes it to 0 fails */
static _Atomic(const char *) met;

static bool strikes(const char *name)
{
    if (atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    atomic_store(&met, name);
    mb_fail(armed, "a fault was injected into %s", name);
    return true;
}

#define WRAP(name, parameters, arguments)                                                         \
    static modblas_status name parameters                                                         \
    {                                                                                             \
        return strikes(#name) ? armed : inner->name arguments;                                    \
    }

WRAP(device_info, (int device, modblas_device_info *info), (device, info))
WRAP(worker_create, (mb_worker * *worker, int device), (worker, device))
WRAP(alloc, (mb_worker * worker, void **pointer, size_t bytes), (worker, pointer, bytes))
WRAP(locate, (mb_worker * worker, const modblas_matrix *view, mb_place *place),
     (worker, view, place))
WRAP(split, (mb_worker * worker, const mb_split_job *job), (worker, job))
WRAP(gemm, (mb_worker * worker, const mb_gemm_job *job), (worker, job))
WRAP(join, (mb_worker * worker, const mb_join_job *job), (worker, job))
WRAP(plain, (mb_worker * worker, const mb_plain_job *job), (worker, job))
WRAP(upload, (mb_worker * worker, const modblas_matrix *dst, const modblas_matrix *src),
     (worker, dst, src))
WRAP(download, (mb_worker * worker, const modblas_matrix *dst, const modblas_matrix *src),
     (worker, dst, src))
WRAP(after, (mb_worker * worker, mb_worker *other), (worker, other))
WRAP(wait, (mb_worker * worker, uint32_t *faults), (worker, faults))
WRAP(check, (mb_worker * worker, const mb_check_job *job), (worker, job))
WRAP(mark, (mb_worker * worker, int slot), (worker, slot))
WRAP(stamp, (mb_worker * worker, int slot, double *seconds), (worker, slot, seconds))

void test_fault_make(mb_backend *backend, const mb_backend *wrapped)
{
    inner = wrapped;
    *backend = *wrapped;
    backend->device_info = device_info;
    backend->worker_create = worker_create;
    backend->alloc = alloc;
    backend->locate = locate;
    backend->split = split;
    backend->gemm = gemm;
    backend->join = join;
    backend->plain = wrapped->plain ? plain : NULL;
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
    atomic_store(&met, NULL);
    atomic_store(&countdown, n);
}

const char *test_fault_met(void)
{
    return atomic_load(&met);
}
