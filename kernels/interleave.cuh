/* SPDX-License-Identifier: BSD-3-Clause */
/* Folds of a thin B, side by side: the operand of a GEMM that reads A as bytes. A thread cuts one
 * entry, and writes all its folds of a plane at once. */
#ifndef MB_KERNELS_INTERLEAVE_CUH
#define MB_KERNELS_INTERLEAVE_CUH

#include "kernels.h"
#include "patch.cuh"
#include "send.cuh"

enum { INTERLEAVE_THREADS = 256, GRID_Y = 65535 };

template <int folds> struct alignas(folds) bytes {
    int8_t of[folds];
};

template <typename T, int folds>
static __global__ void __launch_bounds__(INTERLEAVE_THREADS)
    interleave_kernel(const __grid_constant__ mb_cut cut, const __grid_constant__ mb_split_args a)
{
    uint32_t fault = 0;
    const int64_t j = (int64_t)blockIdx.x * INTERLEAVE_THREADS + threadIdx.x;
    for (int64_t l = blockIdx.y; l < a.src.rows && j < a.src.cols; l += gridDim.y) {
        const T v = ((const T *)a.src.data)[l * a.src.row_stride + j * a.src.col_stride];
        const uint64_t r = enter(v, cut, &fault);
        uint64_t u[folds];
#pragma unroll
        for (int t = 0; t < folds; t++)
            u[t] = mb_cut_u(r, t, &cut);
        int8_t *to = (int8_t *)a.dst + l * a.ld + j * folds;
        for (int i = 0; i < cut.planes; i++, to += a.plane_stride) {
            bytes<folds> digits;
#pragma unroll
            for (int t = 0; t < folds; t++)
                digits.of[t] = (int8_t)mb_cut_digit(u[t], i, &cut);
            *(bytes<folds> *)to = digits;
        }
    }
    if (fault)
        atomicOr(a.faults, fault << a.operand);
}

/* Requires: folds are 1, 2, 4 or 8; src is not empty. */
template <typename T>
static cudaError_t send_interleaved(const mb_cut *cut, const mb_split_args *a, const mb_to &to)
{
    const int64_t across = (a->src.cols + INTERLEAVE_THREADS - 1) / INTERLEAVE_THREADS;
    const int64_t down = a->src.rows < GRID_Y ? a->src.rows : (int64_t)GRID_Y;
    const dim3 grid((unsigned)across, (unsigned)down);
    switch (cut->folds) {
    case 1:
        return send(to, interleave_kernel<T, 1>, grid, INTERLEAVE_THREADS, 0, *cut, *a);
    case 2:
        return send(to, interleave_kernel<T, 2>, grid, INTERLEAVE_THREADS, 0, *cut, *a);
    case 4:
        return send(to, interleave_kernel<T, 4>, grid, INTERLEAVE_THREADS, 0, *cut, *a);
    case 8:
        return send(to, interleave_kernel<T, 8>, grid, INTERLEAVE_THREADS, 0, *cut, *a);
    default:
        return cudaErrorInvalidValue;
    }
}

#endif
