/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps for Hopper's copy engine, made on the host. */
#ifndef MB_KERNELS_TENSOR_MAP_H
#define MB_KERNELS_TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>

typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                           const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                           const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* The driver's function, without linking the driver; threads that look it up at once find the
 * same.
 */
static inline encode_fn *find_encode(void)
{
    static void *known;
    const unsigned since = 12000;
    void *fn = __atomic_load_n(&known, __ATOMIC_RELAXED);
    cudaDriverEntryPointQueryResult found;
    if (!fn && cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &fn, since,
                                                cudaEnableDefault, &found) == cudaSuccess)
        __atomic_store_n(&known, fn, __ATOMIC_RELAXED);
    return (encode_fn *)fn;
}

/* Boxes of box_lines by 128 bytes over planes of `lines` lines of `width` bytes. */
static inline bool encode(CUtensorMap *map, encode_fn *fn, const void *data, int64_t lines,
                          int64_t width, int64_t ld, int64_t plane_stride, int planes,
                          cuuint32_t box_lines)
{
    const bool one = planes == 1 || plane_stride == 0;
    const cuuint64_t size[3] = {(cuuint64_t)width, (cuuint64_t)lines,
                                one ? 1 : (cuuint64_t)planes};
    const cuuint64_t stride[2] = {(cuuint64_t)ld, (cuuint64_t)(one ? ld * lines : plane_stride)};
    const cuuint32_t box[3] = {128, box_lines, 1}, each[3] = {1, 1, 1};
    return fn(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, (void *)data, size, stride, box, each,
              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

#endif
