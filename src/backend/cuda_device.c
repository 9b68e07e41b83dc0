/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices: what they are, and being on one. */
#include "cuda_worker.h"

#include <cudaTypedefs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 64 };

/* INT8 GEMMs whose sums are 32-bit, and pools of memory ordered by streams, on all of them. */
enum { LEAST_CAPABILITY = 80 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mb_cuda_device devices[MAX_DEVICES]; /* made if .context is not NULL */

/* cudaSetDevice would replace a context of the caller's own by the primary one; the driver's stack
 * of contexts does not. The module has no link to libcuda, so that it loads without a driver. */
static struct {
    PFN_cuCtxPushCurrent_v4000 push;
    PFN_cuCtxPopCurrent_v4000 pop;
    PFN_cuCtxGetCurrent_v4000 current;
    PFN_cuDevicePrimaryCtxRetain_v7000 retain;
    PFN_cuDevicePrimaryCtxRelease_v11000 release;
    PFN_cuMemGetAddressRange_v3020 range;
} driver;

modblas_status mb_cuda_status(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return MODBLAS_OK;
    (void)cudaGetLastError();
    return mb_fail(error == cudaErrorMemoryAllocation ? MODBLAS_ENOMEM : MODBLAS_EDEVICE, "%s: %s",
                   call, cudaGetErrorString(error));
}

modblas_status mb_cublas_status(cublasStatus_t error, const char *call)
{
    if (error == CUBLAS_STATUS_SUCCESS)
        return MODBLAS_OK;
    (void)cudaGetLastError();
    return mb_fail(error == CUBLAS_STATUS_ALLOC_FAILED ? MODBLAS_ENOMEM : MODBLAS_EDEVICE,
                   "%s: %s", call, cublasGetStatusString(error));
}

static modblas_status driver_status(CUresult error, const char *call)
{
    if (error == CUDA_SUCCESS)
        return MODBLAS_OK;
    return mb_fail(error == CUDA_ERROR_OUT_OF_MEMORY ? MODBLAS_ENOMEM : MODBLAS_EDEVICE,
                   "%s: the driver's error %d", call, (int)error);
}

static modblas_status find_symbol(void **symbol, const char *name, unsigned version)
{
    modblas_status status;
    enum cudaDriverEntryPointQueryResult found;
    MB_CUDA(cudaGetDriverEntryPointByVersion, name, symbol, version, cudaEnableDefault, &found);
    if (found != cudaDriverEntryPointSuccess)
        return mb_fail(MODBLAS_EUNAVAILABLE, "the CUDA driver has no %s", name);
fail:
    return status;
}

static modblas_status load_driver(void)
{
    modblas_status status;
    void *push, *pop, *current, *retain, *release, *range;
    MB_TRY(find_symbol(&push, "cuCtxPushCurrent", 4000));
    MB_TRY(find_symbol(&pop, "cuCtxPopCurrent", 4000));
    MB_TRY(find_symbol(&current, "cuCtxGetCurrent", 4000));
    MB_TRY(find_symbol(&retain, "cuDevicePrimaryCtxRetain", 7000));
    MB_TRY(find_symbol(&release, "cuDevicePrimaryCtxRelease", 11000));
    MB_TRY(find_symbol(&range, "cuMemGetAddressRange", 3020));
    driver.range = (PFN_cuMemGetAddressRange_v3020)range;
    driver.push = (PFN_cuCtxPushCurrent_v4000)push;
    driver.pop = (PFN_cuCtxPopCurrent_v4000)pop;
    driver.current = (PFN_cuCtxGetCurrent_v4000)current;
    driver.retain = (PFN_cuDevicePrimaryCtxRetain_v7000)retain;
    driver.release = (PFN_cuDevicePrimaryCtxRelease_v11000)release;
fail:
    return status;
}

/* How this thread entered: a bit for each enter that pushed, the last lowest; and the mode that
 * its first enter found. */
static _Thread_local struct {
    int depth;
    uint64_t pushed;
    enum cudaStreamCaptureMode mode;
} entered;

modblas_status mb_cuda_enter(const mb_cuda_device *device)
{
    modblas_status status;
    CUcontext current = NULL;
    MB_TRY(driver_status(driver.current(&current), "cuCtxGetCurrent"));
    const bool push = current != device->context;
    if (push)
        MB_TRY(driver_status(driver.push(device->context), "cuCtxPushCurrent"));
    entered.pushed = entered.pushed << 1 | push;
    if (entered.depth++ == 0) {
        entered.mode = cudaStreamCaptureModeRelaxed;
        (void)cudaThreadExchangeStreamCaptureMode(&entered.mode);
    }
fail:
    return status;
}

modblas_status mb_cuda_leave(modblas_status status)
{
    CUcontext popped;
    if (--entered.depth == 0)
        (void)cudaThreadExchangeStreamCaptureMode(&entered.mode);
    const bool push = entered.pushed & 1;
    entered.pushed >>= 1;
    CUresult error = push ? driver.pop(&popped) : CUDA_SUCCESS;
    return status != MODBLAS_OK ? status : driver_status(error, "cuCtxPopCurrent");
}

void mb_cuda_range(const void *p, uintptr_t *begin, uintptr_t *end)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    *begin = (uintptr_t)p;
    *end = *begin + 1;
    if (driver.range(&base, &size, (CUdeviceptr)*begin) != CUDA_SUCCESS)
        return;
    *begin = (uintptr_t)base;
    *end = *begin + size;
}

static modblas_status make_pool(mb_cuda_device *device)
{
    modblas_status status;
    cuuint64_t keep = UINT64_MAX;
    const struct cudaMemPoolProps props = {
        .allocType = cudaMemAllocationTypePinned,
        .location = {.type = cudaMemLocationTypeDevice, .id = device->ordinal},
    };
    MB_CUDA(cudaMemPoolCreate, &device->pool, &props);
    MB_CUDA(cudaMemPoolSetAttribute, device->pool, cudaMemPoolAttrReleaseThreshold, &keep);
fail:
    return status;
}

/* The epoch lies on a stream of its own: nobody else's work is waited for. */
static modblas_status make_epoch(mb_cuda_device *device)
{
    modblas_status status;
    cudaStream_t stream = NULL;
    MB_CUDA(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    MB_CUDA(cudaEventCreate, &device->epoch);
    MB_CUDA(cudaEventRecord, device->epoch, stream);
    MB_CUDA(cudaStreamSynchronize, stream);
fail:
    if (stream)
        (void)cudaStreamDestroy(stream);
    return status;
}

static modblas_status furnish(mb_cuda_device *device)
{
    modblas_status status = mb_cuda_enter(device);
    if (status != MODBLAS_OK)
        return status;
    MB_TRY(make_pool(device));
    MB_TRY(make_epoch(device));
fail:
    return mb_cuda_leave(status);
}

static modblas_status make_device(mb_cuda_device *device, int ordinal)
{
    modblas_status status;
    device->ordinal = ordinal;
    MB_TRY(load_driver());
    MB_TRY(driver_status(driver.retain(&device->context, ordinal), "cuDevicePrimaryCtxRetain"));
    MB_TRY(furnish(device));
    return MODBLAS_OK;
fail:
    if (device->epoch)
        (void)cudaEventDestroy(device->epoch);
    if (device->pool)
        (void)cudaMemPoolDestroy(device->pool);
    if (device->context)
        (void)driver.release(ordinal);
    *device = (mb_cuda_device){0};
    return status;
}

modblas_status mb_cuda_device_open(const mb_cuda_device **device, int ordinal)
{
    const int count = mb_cuda_device_count();
    if (count == 0)
        return MODBLAS_EUNAVAILABLE;
    if (ordinal < 0 || ordinal >= count)
        return mb_fail(MODBLAS_EINVAL, "CUDA device %d is not among the %d usable ones", ordinal,
                       count);
    modblas_status status = MODBLAS_OK;
    pthread_mutex_lock(&lock);
    if (!devices[ordinal].context)
        status = make_device(&devices[ordinal], ordinal);
    pthread_mutex_unlock(&lock);
    *device = &devices[ordinal];
    return status;
}

/* ---- cuBLAS handles that no worker has --------------------------------------------------------
 */

typedef struct spare {
    cublasHandle_t handle;
    struct spare *next;
} spare;

static spare *spares[MAX_DEVICES]; /* under the lock */

modblas_status mb_cuda_handle_take(cublasHandle_t *handle, const mb_cuda_device *device)
{
    modblas_status status;
    pthread_mutex_lock(&lock);
    spare *found = spares[device->ordinal];
    if (found)
        spares[device->ordinal] = found->next;
    pthread_mutex_unlock(&lock);
    if (found) {
        *handle = found->handle;
        free(found);
        return MODBLAS_OK;
    }
    MB_CUBLAS(cublasCreate, handle);
fail:
    return status;
}

/* Without memory to note it the handle is lost to the process, as at its end. */
void mb_cuda_handle_keep(cublasHandle_t handle, const mb_cuda_device *device)
{
    spare *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    pthread_mutex_lock(&lock);
    *kept = (spare){handle, spares[device->ordinal]};
    spares[device->ordinal] = kept;
    pthread_mutex_unlock(&lock);
}

static int capability(int ordinal)
{
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal) ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal)) {
        (void)cudaGetLastError();
        return 0;
    }
    return 10 * major + minor;
}

/* Ordinals are CUDA's own, so usable devices behind an unusable one do not count; CUDA lists the
 * fastest first. */
int mb_cuda_device_count(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        mb_fail(MODBLAS_EUNAVAILABLE, "no CUDA device: %s",
                cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
        return 0;
    }
    int usable = 0;
    while (usable < count && usable < MAX_DEVICES && capability(usable) >= LEAST_CAPABILITY)
        usable++;
    if (usable == 0)
        mb_fail(MODBLAS_EUNAVAILABLE,
                "CUDA device 0 has compute capability %d.%d, and 8.0 is needed",
                capability(0) / 10, capability(0) % 10);
    return usable;
}

static modblas_status library_versions(char *text, size_t size)
{
    modblas_status status;
    int runtime, driver_version, major, minor, patch;
    MB_CUDA(cudaRuntimeGetVersion, &runtime);
    MB_CUDA(cudaDriverGetVersion, &driver_version);
    MB_CUBLAS(cublasGetProperty, MAJOR_VERSION, &major);
    MB_CUBLAS(cublasGetProperty, MINOR_VERSION, &minor);
    MB_CUBLAS(cublasGetProperty, PATCH_LEVEL, &patch);
    snprintf(text, size, "CUDA %d.%d, cuBLAS %d.%d.%d, driver %d.%d", runtime / 1000,
             runtime % 1000 / 10, major, minor, patch, driver_version / 1000,
             driver_version % 1000 / 10);
fail:
    return status;
}

static modblas_status memory_sizes(const mb_cuda_device *device, size_t *unused, size_t *total)
{
    modblas_status status = mb_cuda_enter(device);
    if (status != MODBLAS_OK)
        return status;
    MB_CUDA(cudaMemGetInfo, unused, total);
fail:
    return mb_cuda_leave(status);
}

modblas_status mb_cuda_device_info(int ordinal, modblas_device_info *info)
{
    modblas_status status;
    const mb_cuda_device *device;
    struct cudaDeviceProp props;
    size_t unused, total;
    *info = (modblas_device_info){.backend = MODBLAS_BACKEND_CUDA, .device = ordinal};
    MB_TRY(mb_cuda_device_open(&device, ordinal));
    MB_CUDA(cudaGetDeviceProperties, &props, ordinal);
    snprintf(info->name, sizeof info->name, "%.127s", props.name);
    MB_TRY(library_versions(info->libraries, sizeof info->libraries));
    MB_TRY(memory_sizes(device, &unused, &total));
    info->memory_total = total;
    info->memory_free = unused;
fail:
    return status;
}

/* One worker's kernels between GEMMs hide behind the other's GEMMs; more share the same units. */
int mb_cuda_default_workers(int device)
{
    (void)device;
    return 2;
}

/* The fused kernel is for Hopper alone. MODBLAS_CUDA_GEMM=cublas leaves all GEMMs to cuBLAS. */
bool mb_cuda_fuses(int device)
{
#if MODBLAS_HAVE_HOPPER
    const char *wanted = getenv("MODBLAS_CUDA_GEMM");
    return capability(device) == 90 && (wanted == NULL || strcmp(wanted, "cublas") != 0);
#else
    (void)device;
    return false;
#endif
}

/* The same goes for thin products. */
bool mb_cuda_thins(int device)
{
    return mb_cuda_fuses(device);
}

/* One H200, CUDA 13.0, cuBLAS 13.1.0: GEMMs of full-range data at n = 8192 (a cluster of the fused
 * kernel is two multiprocessors); split and join of ten planes; a launch as seen by one thread.
 * Plans need the ratios more than the values. */
void mb_cuda_rates(int device, mb_rates *rates)
{
    int processors = 0;
    (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    *rates = (mb_rates){.gemm = {1200e12, 60e12},
                        .fused = 1450e12,
                        .fused_units = processors / 2,
                        .bytes = 3.2e12,
                        .launch = 5e-6};
}
