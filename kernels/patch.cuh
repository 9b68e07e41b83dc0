/* SPDX-License-Identifier: BSD-3-Clause */
/* Patches of entries: LINES lines by PLACES places along k for each thread, read by runs of
 * neighbours in whichever direction memory is contiguous, and what they enter as. */
#ifndef MB_KERNELS_PATCH_CUH
#define MB_KERNELS_PATCH_CUH

#include "../include/modblas.h"
#include "scheme.h"

#include <type_traits>

enum { WARP = 32, WARPS = 8, PLACES = 4, LEAST_LINES = 4 };

/* A block's tile: TILE_K places by WARPS patches of lines. Where k is contiguous, a warp has all
 * the places of one patch of lines; else lanes and warps lie side by side as below, so that a warp
 * writes 64 neighbouring bytes, and reads 32 or, of bytes and pairs, 16. */
enum { TILE_K = WARP * PLACES, LANES_K = 16, WARPS_K = TILE_K / (LANES_K * PLACES) };

template <typename T> constexpr int LINES = sizeof(T) == 1 ? 2 * LEAST_LINES : LEAST_LINES;
template <typename T> constexpr int TILE_LINES = WARPS *LINES<T>;

template <typename T> using patch = T[LINES<T>][PLACES];

/* Where a thread's patch begins in the tile. */
struct corner {
    int line, place;
};

template <typename T, bool along_k> static __device__ __forceinline__ corner corner_of()
{
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    if constexpr (along_k)
        return {warp * LINES<T>, lane * PLACES};
    const int line = warp / WARPS_K * (WARP / LANES_K) + lane / LANES_K;
    const int place = warp % WARPS_K * LANES_K + lane % LANES_K;
    return {line * LINES<T>, place * PLACES};
}

/* How many of the `most` places from `from` on are below `limit`. */
static __device__ __forceinline__ int within(int64_t limit, int64_t from, int most)
{
    const int64_t left = limit - from;
    return left < 0 ? 0 : left < most ? (int)left : most;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Neighbours that are read in accesses of at most 16 bytes. */
template <typename T, int count>
struct alignas(count * sizeof(T) < 16 ? count * sizeof(T) : 16) run {
    T e[count];
};

/* The entries inside src, `runs` runs `next` apart whose neighbours are `step` apart; 0 outside.
 */
template <typename T, int runs, int count>
static __device__ __forceinline__ void load_runs(run<T, count> (&r)[runs], const T *p,
                                                 int64_t next, int64_t step, int runs_inside,
                                                 int inside)
{
    const bool aligned = (uintptr_t)p % alignof(run<T, count>) == 0 &&
                         next * (int64_t)sizeof(T) % (int64_t)alignof(run<T, count>) == 0;
    if (step == 1 && aligned && runs_inside == runs && inside == count) {
#pragma unroll
        for (int i = 0; i < runs; i++)
            r[i] = *(const run<T, count> *)(p + i * next);
        return;
    }
#pragma unroll
    for (int i = 0; i < runs; i++)
#pragma unroll
        for (int e = 0; e < count; e++)
            r[i].e[e] = i < runs_inside && e < inside ? p[i * next + e * step] : T(0);
}

template <typename T, bool along_k>
static __device__ __forceinline__ void load_patch(patch<T> &v, const modblas_matrix &src,
                                                  int64_t line, int64_t place, int lines,
                                                  int places)
{
    const T *p = (const T *)src.data + line * src.row_stride + place * src.col_stride;
    if constexpr (along_k) {
        run<T, PLACES> r[LINES<T>];
        load_runs(r, p, src.row_stride, src.col_stride, lines, places);
#pragma unroll
        for (int l = 0; l < LINES<T>; l++)
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                v[l][j] = r[l].e[j];
    } else {
        run<T, LINES<T>> r[PLACES];
        load_runs(r, p, src.col_stride, src.row_stride, places, lines);
#pragma unroll
        for (int l = 0; l < LINES<T>; l++)
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                v[l][j] = r[j].e[l];
    }
}

/* Whether every entry is a residue already, within the bound: it then enters as it is. */
template <typename T>
static __device__ __forceinline__ bool are_residues(const patch<T> &v, const mb_cut &cut)
{
    if constexpr (T(0.5) != T(0))
        return false;
    using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const word last_positive = T(-1) < T(0) ? word(-1) / 2 : word(-1); /* others are negative */
    const uint64_t last = cut.mod.n - 1, within = cut.bound < last ? cut.bound : last;
    const word most = within < last_positive ? (word)within : last_positive;
    word largest = 0;
#pragma unroll
    for (int l = 0; l < LINES<T>; l++)
#pragma unroll
        for (int j = 0; j < PLACES; j++)
            largest = max(largest, (word)v[l][j]);
    return largest <= most;
}

template <typename T>
static __device__ __forceinline__ uint64_t enter(T v, const mb_cut &cut, uint32_t *fault)
{
    if constexpr (T(0.5) != T(0))
        return mb_enter_double((double)v, &cut, fault);
    else if constexpr (T(-1) < T(0))
        return mb_enter_signed((int64_t)v, &cut, fault);
    else
        return mb_enter_unsigned((uint64_t)v, &cut, fault);
}

/* What the entries enter as. U holds it. */
template <typename T, typename U>
static __device__ __forceinline__ uint32_t enter_patch(U (&r)[LINES<T>][PLACES], const patch<T> &v,
                                                       const mb_cut &cut)
{
    uint32_t fault = 0;
    const bool as_they_are = !cut.raw && are_residues<T>(v, cut);
#pragma unroll
    for (int l = 0; l < LINES<T>; l++) {
        if (as_they_are) {
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                r[l][j] = (U)v[l][j];
        } else {
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                r[l][j] = (U)enter(v[l][j], cut, &fault);
        }
    }
    return fault;
}

/* mb_cut_u in 64 bits, and in 32 where N <= 2^32: a residue, the factor and N - center fit. */
static __device__ __forceinline__ uint64_t move(uint64_t r, int t, const mb_cut &cut)
{
    return mb_cut_u(r, t, &cut);
}

static __device__ __forceinline__ uint32_t move(uint32_t r, int t, const mb_cut &cut)
{
    if (cut.raw)
        return r;
    if (t > 0)
        r = (uint32_t)mb_reduce64(r * cut.fold[t], &cut.mod);
    const uint32_t center = (uint32_t)cut.center, room = (uint32_t)cut.mod.n - center;
    return r < room ? r + center : r - room;
}

/* Whether every u is below 2^32. */
static __device__ __forceinline__ bool fits_word(const mb_cut &cut)
{
    if (cut.raw)
        return cut.bound < 0x80000000u && cut.center < 0x80000000u;
    return cut.mod.n != 0 && cut.mod.n - 1 <= 0xffffffffu;
}

#endif
