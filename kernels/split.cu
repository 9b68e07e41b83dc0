/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries to planes. A thread reads a patch (patch.cuh), keeps it in registers, and writes a word
 * of PLACES bytes to each line of each plane. */
#include "bytes.h"
#include "interleave.cuh"
#include "kernels.h"
#include "patch.cuh"
#include "send.cuh"

enum { GRID_X = 0x7fffffff };

/* Blocks of a multiprocessor; 64-bit numbers need more registers. */
template <typename T, typename D> constexpr int BLOCKS = sizeof(T) == 8 || sizeof(D) == 8 ? 3 : 4;

/* ---- planes of bytes ------------------------------------------------------------------------ */

struct byte_planes {
    mb_byte_plane plane[MB_MAX_PLANES];
};

/* Where a patch goes, and how much of it lies inside src, and inside the planes. */
struct target {
    int64_t line, place;
    int lines, places;
    int lines_padded;
};

static __device__ __forceinline__ uint32_t pack(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return __byte_perm(__byte_perm(x, y, 0x0040), __byte_perm(z, w, 0x0040), 0x5410);
}

/* Bytes x - y mod 256. */
static __device__ __forceinline__ uint32_t subtract_bytes(uint32_t x, uint32_t y)
{
    const uint32_t top = 0x80808080u;
    return ((x | top) - (y & ~top)) ^ ((x ^ ~y) & top);
}

static __device__ __forceinline__ uint32_t half_of(uint64_t u, bool upper)
{
    return (uint32_t)(upper ? u >> 32 : u);
}

/* Digits i, bytes of u, less the offset in each byte of `offsets`. */
template <typename U>
static __device__ __forceinline__ uint32_t cut_digits(const U *u, int i, uint32_t offsets)
{
    const bool upper = sizeof(U) > 4 && i >= 4;
    const uint32_t pick = (uint32_t)(i & 3) * 0x11 + 0x40;
    const uint32_t b01 = __byte_perm(half_of(u[0], upper), half_of(u[1], upper), pick);
    const uint32_t b23 = __byte_perm(half_of(u[2], upper), half_of(u[3], upper), pick);
    return subtract_bytes(__byte_perm(b01, b23, 0x5410), offsets);
}

static __device__ __forceinline__ uint32_t cut_byte(uint32_t u, const mb_byte_plane &p)
{
    return mb_byte_cut_low(u, &p);
}

static __device__ __forceinline__ uint32_t cut_byte(uint64_t u, const mb_byte_plane &p)
{
    return mb_byte_cut(u, &p);
}

template <typename U>
static __device__ __forceinline__ uint32_t cut_residues(const U *u, const mb_byte_plane &p)
{
    return pack(cut_byte(u[0], p), cut_byte(u[1], p), cut_byte(u[2], p), cut_byte(u[3], p));
}

/* A whole patch lies inside src: nothing is masked. */
template <bool digits, bool whole, int lines, typename U>
static __device__ __forceinline__ void store_planes(int8_t *out, const U (&u)[lines][PLACES],
                                                    const mb_cut &cut, const byte_planes &bytes,
                                                    const mb_split_args &a, const target &to)
{
    const uint32_t offsets = (uint32_t)(cut.offset & 255) * 0x01010101u;
    const uint32_t keep = to.places == PLACES ? 0xffffffffu : (1u << 8 * to.places) - 1;
#pragma unroll 1
    for (int i = 0; i < cut.planes; i++, out += a.plane_stride) {
        const mb_byte_plane p = bytes.plane[i];
#pragma unroll
        for (int l = 0; l < lines; l++) {
            const uint32_t word = digits ? cut_digits(u[l], i, offsets) : cut_residues(u[l], p);
            if (whole)
                __stcs((uint32_t *)(out + l * a.ld), word);
            else if (l < to.lines_padded)
                *(uint32_t *)(out + l * a.ld) = l < to.lines ? word & keep : 0;
        }
    }
}

template <int lines, typename U>
static __device__ __forceinline__ void store_patch(int8_t *dst, const U (&u)[lines][PLACES],
                                                   const mb_cut &cut, const byte_planes &bytes,
                                                   const mb_split_args &a, const target &to)
{
    int8_t *out = dst + to.line * a.ld + to.place;
    const bool whole = to.lines == lines && to.places == PLACES;
    if (cut.kind == MB_CUT_DIGITS && whole)
        store_planes<true, true>(out, u, cut, bytes, a, to);
    else if (cut.kind == MB_CUT_DIGITS)
        store_planes<true, false>(out, u, cut, bytes, a, to);
    else if (whole)
        store_planes<false, true>(out, u, cut, bytes, a, to);
    else
        store_planes<false, false>(out, u, cut, bytes, a, to);
}

/* Four residues x < n <= 256, balanced: x - n where x >= room. */
static __device__ __forceinline__ uint32_t balance_bytes(uint32_t x, uint32_t room, uint32_t n)
{
    const uint32_t ones = 0x01010101u, top = 0x80808080u;
    const uint32_t y = room * ones, low = (x | top) - (y & ~top);
    const uint32_t over = ((x & ~y) | (~(x ^ y) & low)) & top;
    return subtract_bytes(x, (over >> 7) * (n & 255));
}

/* Byte entries that stay bytes: one plane of balanced residues. */
template <typename T>
static __device__ __forceinline__ bool stay_bytes(const patch<T> &v, const mb_cut &cut,
                                                  const target &to)
{
    return sizeof(T) == 1 && cut.kind == MB_CUT_DIGITS && cut.planes == 1 && cut.folds == 1 &&
           !cut.raw && cut.offset == cut.center && cut.mod.n - 2 <= 254 && to.lines == LINES<T> &&
           to.places == PLACES && are_residues<T>(v, cut);
}

template <typename T>
static __device__ __forceinline__ void store_bytes(int8_t *dst, const patch<T> &v,
                                                   const mb_cut &cut, const mb_split_args &a,
                                                   const target &to)
{
    int8_t *out = dst + to.line * a.ld + to.place;
    const uint32_t n = (uint32_t)cut.mod.n, room = n - (uint32_t)cut.center;
#pragma unroll
    for (int l = 0; l < LINES<T>; l++)
        __stcs((uint32_t *)(out + l * a.ld),
               balance_bytes(
                   pack((uint8_t)v[l][0], (uint8_t)v[l][1], (uint8_t)v[l][2], (uint8_t)v[l][3]),
                   room, n));
}

/* ---- planes of doubles ---------------------------------------------------------------------- */

static __device__ __forceinline__ double cut_double(uint64_t u, int i, const mb_cut &cut)
{
    if (cut.kind == MB_CUT_DIGITS)
        return (double)mb_cut_digit(u, i, &cut);
    if (cut.kind == MB_CUT_BYTEWISE)
        return (double)mb_cut_bytewise(u, &cut.plane[i]);
    return (double)mb_cut_wide(u, &cut.plane[i]);
}

static __device__ __forceinline__ void store_doubles(double *out, const run<double, PLACES> &x,
                                                     int count)
{
    if (count == PLACES && (uintptr_t)out % alignof(run<double, PLACES>) == 0) {
        *(run<double, PLACES> *)out = x;
        return;
    }
#pragma unroll
    for (int j = 0; j < PLACES; j++)
        if (j < count)
            out[j] = x.e[j];
}

template <int lines, typename U>
static __device__ __forceinline__ void store_patch(double *dst, const U (&u)[lines][PLACES],
                                                   const mb_cut &cut, const byte_planes &,
                                                   const mb_split_args &a, const target &to)
{
    double *out = dst + to.line * a.ld + to.place;
    const int count = within(a.k_padded, to.place, PLACES);
#pragma unroll 1
    for (int i = 0; i < cut.planes; i++, out += a.plane_stride)
#pragma unroll
        for (int l = 0; l < lines; l++) {
            run<double, PLACES> x;
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                x.e[j] = l < to.lines && j < to.places ? cut_double(u[l][j], i, cut) : 0.0;
            if (l < to.lines_padded)
                store_doubles(out + l * a.ld, x, count);
        }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

template <typename U, typename T, typename D>
static __device__ __forceinline__ uint32_t cut_patch(const patch<T> &v, const mb_cut &cut,
                                                     const byte_planes &bytes,
                                                     const mb_split_args &a, const target &to)
{
    U r[LINES<T>][PLACES];
    const uint32_t fault = enter_patch<T>(r, v, cut);
    for (int t = 0; t < cut.folds; t++) {
        U u[LINES<T>][PLACES];
#pragma unroll
        for (int l = 0; l < LINES<T>; l++)
#pragma unroll
            for (int j = 0; j < PLACES; j++)
                u[l][j] = move(r[l][j], t, cut);
        store_patch((D *)a.dst + t * a.fold_stride, u, cut, bytes, a, to);
    }
    return fault;
}

template <typename T, typename D>
static __device__ __forceinline__ uint32_t split_patch(const mb_cut &cut, const byte_planes &bytes,
                                                       const mb_split_args &a, int64_t l0,
                                                       int64_t k0, bool along_k)
{
    const corner at = along_k ? corner_of<T, true>() : corner_of<T, false>();
    target to = {l0 + at.line, k0 + at.place};
    to.lines = within(a.src.rows, to.line, LINES<T>);
    to.places = within(a.src.cols, to.place, PLACES);
    to.lines_padded = within(a.lines_padded, to.line, LINES<T>);
    if (to.lines_padded == 0 || to.place >= a.k_padded)
        return 0;
    patch<T> v;
    if (along_k)
        load_patch<T, true>(v, a.src, to.line, to.place, to.lines, to.places);
    else
        load_patch<T, false>(v, a.src, to.line, to.place, to.lines, to.places);
    if constexpr (sizeof(D) == 1 && sizeof(T) == 1)
        if (stay_bytes<T>(v, cut, to)) {
            store_bytes<T>((int8_t *)a.dst, v, cut, a, to);
            return 0;
        }
    if (sizeof(D) == 1 && fits_word(cut))
        return cut_patch<uint32_t, T, D>(v, cut, bytes, a, to);
    return cut_patch<uint64_t, T, D>(v, cut, bytes, a, to);
}

static __device__ __forceinline__ bool strides_favour_k(const modblas_matrix &src)
{
    int64_t row = src.row_stride < 0 ? -src.row_stride : src.row_stride;
    int64_t col = src.col_stride < 0 ? -src.col_stride : src.col_stride;
    return col <= row;
}

template <typename T, typename D>
static __global__ void __launch_bounds__(WARPS *WARP, BLOCKS<T, D>)
    split_kernel(const __grid_constant__ mb_cut cut, const __grid_constant__ byte_planes bytes,
                 const __grid_constant__ mb_split_args a)
{
    const bool along_k = strides_favour_k(a.src);
    uint32_t fault = 0;
    for (int64_t l0 = (int64_t)blockIdx.y * TILE_LINES<T>; l0 < a.lines_padded;
         l0 += (int64_t)gridDim.y * TILE_LINES<T>)
        for (int64_t k0 = (int64_t)blockIdx.x * TILE_K; k0 < a.k_padded;
             k0 += (int64_t)gridDim.x * TILE_K)
            fault |= split_patch<T, D>(cut, bytes, a, l0, k0, along_k);
    if (fault)
        atomicOr(a.faults, fault << a.operand);
}

static unsigned blocks(int64_t places, int each, int64_t most)
{
    int64_t count = places / each + (places % each != 0);
    return (unsigned)(count < most ? count : most);
}

template <typename T>
static cudaError_t launch(const mb_cut *cut, const mb_split_args *args, const mb_to &to)
{
    dim3 grid(blocks(args->k_padded, TILE_K, GRID_X),
              blocks(args->lines_padded, TILE_LINES<T>, GRID_Y));
    byte_planes bytes = {};
    if (args->interleaved)
        return send_interleaved<T>(cut, args, to);
    if (args->wide)
        return send(to, split_kernel<T, double>, grid, WARPS * WARP, 0, *cut, bytes, *args);
    if (cut->kind == MB_CUT_BYTEWISE)
        for (int i = 0; i < cut->planes; i++)
            bytes.plane[i] = mb_byte_plane_of(&cut->plane[i]);
    return send(to, split_kernel<T, int8_t>, grid, WARPS * WARP, 0, *cut, bytes, *args);
}

static cudaError_t split(const mb_cut *cut, const mb_split_args *args, const mb_to &to)
{
    if (args->lines_padded == 0 || args->k_padded == 0)
        return cudaSuccess;
    switch (args->src.type) {
#define LAUNCH(name, ctype)                                                                       \
    case MODBLAS_##name:                                                                          \
        return launch<ctype>(cut, args, to);
        MODBLAS_TYPE_MAP(LAUNCH)
#undef LAUNCH
    }
    return cudaErrorInvalidValue;
}

extern "C" cudaError_t mb_launch_split(const mb_cut *cut, const mb_split_args *args,
                                       cudaStream_t stream)
{
    return split(cut, args, {stream, NULL, NULL});
}

extern "C" cudaError_t mb_revise_split(const mb_cut *cut, const mb_split_args *args,
                                       cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return split(cut, args, {NULL, exec, node});
}
