/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the CUDA module, so that one binary runs on machines without driver or cuBLAS. */
#define _GNU_SOURCE
#include "backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULE "libmodblas_cuda.so"

static const mb_backend *opened;
static char refusal[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The reason is kept apart from the thread's detail until the module is in use. */
static bool opening;

static void report(modblas_status status, const char *sentence)
{
    if (opening)
        snprintf(refusal, sizeof refusal, "%s", sentence);
    else
        (void)mb_fail(status, "%s", sentence);
}

/* The module beside the library or program that holds this code. */
static void *open_beside(void)
{
    Dl_info info;
    char path[4096];
    if (dladdr((void *)(uintptr_t)&mb_backend_cuda, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - info.dli_fname) + 1;
    int n = snprintf(path, sizeof path, "%.*s" MODULE, folder, info.dli_fname);
    if (folder == 0 || n < 0 || (size_t)n >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void open_module(void)
{
    const char *named = getenv("MODBLAS_CUDA_MODULE");
    void *module = named != NULL ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : open_beside();
    if (module == NULL && named == NULL)
        module = dlopen(MODULE, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        snprintf(refusal, sizeof refusal, "the CUDA module cannot be opened: %s", dlerror());
        return;
    }
    mb_cuda_entry_fn *entry = NULL;
    void *symbol = dlsym(module, MB_CUDA_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    if (entry == NULL) {
        snprintf(refusal, sizeof refusal, "%s is not a CUDA module of modblas",
                 named != NULL ? named : MODULE);
        return;
    }
    const mb_backend *backend = entry(MB_BACKEND_ABI, report);
    if (backend == NULL)
        snprintf(refusal, sizeof refusal, "the CUDA module is of another version of modblas");
    else if (backend->device_count() > 0)
        opened = backend;
}

static void open_all(void)
{
    opening = true;
    open_module();
    opening = false;
}

const mb_backend *mb_backend_cuda(const char **reason)
{
    pthread_once(&once, open_all);
    *reason = refusal;
    return opened;
}
