/* SPDX-License-Identifier: BSD-3-Clause */
/* Four neighbouring elements of a row, read and written at once where they lie well. */
#ifndef MB_KERNELS_QUAD_CUH
#define MB_KERNELS_QUAD_CUH

#include <stdint.h>

enum { EACH = 4 };

/* EACH elements that are read and written in accesses of at most 16 bytes. */
template <typename T> struct alignas(sizeof(T) > 4 ? 16 : EACH * sizeof(T)) quad {
    T e[EACH];
};

template <typename T> static __device__ __forceinline__ bool aligned(const T *p)
{
    return (uintptr_t)p % alignof(quad<T>) == 0;
}

/* v[e] = p[e*step] for e < n, 0 beyond. */
template <typename T>
static __device__ __forceinline__ quad<T> load_each(const T *p, int64_t step, int n)
{
    quad<T> v;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        v.e[e] = e < n ? p[e * step] : T(0);
    return v;
}

template <typename T>
static __device__ __forceinline__ quad<T> load(const T *p, int64_t step, int n)
{
    if (n == EACH && step == 1 && aligned(p))
        return *(const quad<T> *)p;
    return load_each(p, step, n);
}

template <typename T>
static __device__ __forceinline__ void store(T *p, int64_t step, int n, const quad<T> &v)
{
    if (n == EACH && step == 1 && aligned(p)) {
        *(quad<T> *)p = v;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n)
            p[e * step] = v.e[e];
}

#endif
