/* SPDX-License-Identifier: BSD-3-Clause */
/* The host backend: jobs are done on return, on the thread that calls. */
#define _GNU_SOURCE
#include "host.h"

#include "check_host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int device_count(void)
{
    return 1;
}

/* The value of a line "key : value" in a file of /proc, or an empty string. */
static void read_proc(const char *file, const char *key, char *value, size_t size)
{
    char line[512];
    value[0] = '\0';
    FILE *f = fopen(file, "r");
    if (f == NULL)
        return;
    while (value[0] == '\0' && fgets(line, sizeof line, f) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    fclose(f);
}

static uint64_t memory_kib(const char *key)
{
    char value[64];
    read_proc("/proc/meminfo", key, value, sizeof value);
    return 1024 * (uint64_t)strtoull(value, NULL, 10);
}

static modblas_status device_info(int device, modblas_device_info *info)
{
    memset(info, 0, sizeof *info);
    info->backend = MODBLAS_BACKEND_HOST;
    info->device = device;
    read_proc("/proc/cpuinfo", "model name", info->name, sizeof info->name);
    if (info->name[0] == '\0')
        snprintf(info->name, sizeof info->name, "host");
    mb_host_gemm_libraries(info->libraries, sizeof info->libraries);
    info->memory_total = memory_kib("MemTotal");
    info->memory_free = memory_kib("MemAvailable");
    return MODBLAS_OK;
}

static int default_workers(int device)
{
    (void)device;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set);
}

/* Split and join move about this much on one Zen 3 core while it is in the cache, where schemes
 * are close to each other; half of it outside. */
static const double split_bytes_per_second = 1e10;
static const double seconds_per_job = 1e-6;

static void rates(int device, mb_rates *rates)
{
    (void)device;
    mb_host_rates(rates);
    rates->bytes = split_bytes_per_second;
    rates->launch = seconds_per_job;
}

static modblas_status worker_create(mb_worker **worker, int device)
{
    (void)device;
    *worker = calloc(1, sizeof **worker);
    if (*worker == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a host worker");
    return MODBLAS_OK;
}

static void worker_destroy(mb_worker *worker)
{
    free(worker);
}

static modblas_status alloc(mb_worker *worker, void **pointer, size_t bytes)
{
    (void)worker;
    enum { ALIGN = 4096 };
    *pointer = bytes > SIZE_MAX - ALIGN
                   ? NULL
                   : aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (*pointer == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for %zu bytes of workspace on the host", bytes);
    return MODBLAS_OK;
}

static void release(mb_worker *worker, void *pointer)
{
    (void)worker;
    free(pointer);
}

static modblas_status locate(mb_worker *worker, const modblas_matrix *view, mb_place *place)
{
    (void)worker;
    (void)view;
    *place = MB_PLACE_DIRECT;
    return MODBLAS_OK;
}

static modblas_status after(mb_worker *worker, mb_worker *other)
{
    (void)worker;
    (void)other;
    return MODBLAS_OK;
}

static modblas_status wait_for(mb_worker *worker, uint32_t *faults)
{
    *faults |= worker->faults;
    worker->faults = 0;
    return MODBLAS_OK;
}

static modblas_status check(mb_worker *worker, const mb_check_job *job)
{
    (void)worker;
    return mb_check_host(job);
}

static modblas_status mark(mb_worker *worker, int slot)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    worker->stamp[slot] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return MODBLAS_OK;
}

static modblas_status stamp(mb_worker *worker, int slot, double *seconds)
{
    *seconds = worker->stamp[slot];
    return MODBLAS_OK;
}

static const mb_backend host = {
    .name = "host",
    .id = MODBLAS_BACKEND_HOST,
    .synchronous = true,
    .engine = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32},
    .device_count = device_count,
    .device_info = device_info,
    .default_workers = default_workers,
    .rates = rates,
    .worker_create = worker_create,
    .worker_destroy = worker_destroy,
    .alloc = alloc,
    .free = release,
    .locate = locate,
    .split = mb_host_split,
    .gemm = mb_host_gemm,
    .join = mb_host_join,
    .plain = mb_host_plain,
    .after = after,
    .wait = wait_for,
    .check = check,
    .mark = mark,
    .stamp = stamp,
};

const mb_backend *mb_backend_host(void)
{
    return &host;
}
