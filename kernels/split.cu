/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries to planes. A block takes a tile of LINES lines by WIDTH places along k: its threads load
 * entries in whichever order memory is contiguous, put each one's u into shared memory, and read
 * them back k-contiguous, so that both layouts of the source share one store. */
#include "kernels.h"

enum { LINES = 32, WIDTH = 128, THREADS = 256, EACH = LINES * WIDTH / THREADS };

/* Loads in flight in each thread. */
enum { BATCH = 8 };

/* A thread stores the CHUNK bytes of a plane that one 16-byte access holds. In shared memory each
 * chunk is followed by two words, and each line by two more: eight threads reading 16 bytes each,
 * CHUNK words apart, then meet all banks once, and threads writing down a line pair up at worst.
 */
enum { CHUNK = 16, LINE_SLOTS = WIDTH / CHUNK * (CHUNK + 2) + 2 };

enum { GRID_X = 0x7fffffff, GRID_Y = 65535 };

static __device__ __forceinline__ int slot(int line, int place)
{
    return line * LINE_SLOTS + place + 2 * (int)((unsigned)place / CHUNK);
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

/* How a thread walks a tile: from (line, place) by (dline, dplace), EACH times. */
struct walk {
    int line, place, dline, dplace;
};

template <bool along_k> static __device__ __forceinline__ walk walk_of()
{
    int t = (int)threadIdx.x;
    if constexpr (along_k)
        return {t / WIDTH, t % WIDTH, THREADS / WIDTH, 0};
    else
        return {t % LINES, t / LINES, 0, THREADS / LINES};
}

static __device__ __forceinline__ bool strides_favour_k(const modblas_matrix &src)
{
    int64_t row = src.row_stride < 0 ? -src.row_stride : src.row_stride;
    int64_t col = src.col_stride < 0 ? -src.col_stride : src.col_stride;
    return col <= row;
}

/* How many of the `most` places from `from` on are below `limit`. */
static __device__ __forceinline__ int within(int64_t limit, int64_t from, int most)
{
    int64_t left = limit - from;
    return left < 0 ? 0 : left < most ? (int)left : most;
}

/* Whether every entry is a residue already, within the bound: it then enters as it is. */
template <typename T>
static __device__ __forceinline__ bool are_residues(const T *v, const mb_cut &cut)
{
    if constexpr (T(0.5) != T(0))
        return false;
    const uint64_t last = cut.mod.n - 1;
    uint64_t most = cut.bound < last ? cut.bound : last;
    if (T(-1) < T(0) && most > INT64_MAX)
        most = INT64_MAX; /* negative entries lie beyond */
    bool all = true;
#pragma unroll
    for (int i = 0; i < BATCH; i++)
        all = all && (uint64_t)v[i] <= most;
    return all;
}

/* u[i] of fold t. */
template <typename T>
static __device__ __forceinline__ uint32_t cut_batch(uint64_t *u, const T *v, int t,
                                                     const mb_cut &cut)
{
    uint32_t fault = 0;
    if (!cut.raw && t == 0 && are_residues(v, cut)) {
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            u[i] = mb_addmod((uint64_t)v[i], cut.center, &cut.mod);
        return fault;
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++)
        u[i] = mb_cut_u(enter(v[i], cut, &fault), t, &cut);
    return fault;
}

/* u of fold t for the tile at (l0, k0); places outside src get the u of 0. */
template <typename T, bool along_k>
static __device__ __forceinline__ uint32_t load_tile(uint64_t *tile, const mb_cut &cut,
                                                     const modblas_matrix &src, int t, int64_t l0,
                                                     int64_t k0)
{
    const walk w = walk_of<along_k>();
    const int lines = within(src.rows, l0, LINES);
    const int width = within(src.cols, k0, WIDTH);
    const bool whole = lines == LINES && width == WIDTH;
    const int64_t step = w.dline * src.row_stride + w.dplace * src.col_stride;
    const T *p =
        (const T *)src.data + (l0 + w.line) * src.row_stride + (k0 + w.place) * src.col_stride;
    uint32_t fault = 0;
#pragma unroll 1
    for (int e = 0; e < EACH; e += BATCH, p += BATCH * step) {
        const int line = w.line + e * w.dline, place = w.place + e * w.dplace;
        T v[BATCH];
        uint64_t u[BATCH];
        const T *q = p;
        if (whole) {
#pragma unroll
            for (int i = 0; i < BATCH; i++, q += step)
                v[i] = *q;
        } else {
#pragma unroll
            for (int i = 0; i < BATCH; i++, q += step)
                v[i] = line + i * w.dline < lines && place + i * w.dplace < width ? *q : T(0);
        }
        fault |= cut_batch(u, v, t, cut);
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            tile[slot(line + i * w.dline, place + i * w.dplace)] = u[i];
    }
    return fault;
}

enum byte_kind { DIGITS, BYTES, LOW_BYTES };

template <byte_kind kind>
static __device__ __forceinline__ uint32_t cut_byte(uint64_t u, int i, const mb_cut &cut)
{
    const mb_plane &p = cut.plane[i];
    if constexpr (kind == DIGITS)
        return (uint32_t)mb_cut_digit(u, i, &cut);
    else if constexpr (kind == BYTES)
        return (uint32_t)mb_cut_bytewise(u, &p);
    /* mb_cut_bytewise for u < 2^32: the upper half of the dot product is 0. */
    uint32_t t = mb_dot4((uint32_t)u, p.weight_lo, p.add);
    return t - mb_mulhi32(t, p.magic) * p.m - p.half;
}

template <byte_kind kind>
static __device__ __forceinline__ uint32_t cut_word(const uint64_t *u, int i, const mb_cut &cut)
{
    uint32_t b01 = __byte_perm(cut_byte<kind>(u[0], i, cut), cut_byte<kind>(u[1], i, cut), 0x0040);
    uint32_t b23 = __byte_perm(cut_byte<kind>(u[2], i, cut), cut_byte<kind>(u[3], i, cut), 0x0040);
    return __byte_perm(b01, b23, 0x5410);
}

template <byte_kind kind>
static __device__ __forceinline__ void store_chunk(int8_t *out, int64_t plane_stride,
                                                   const uint64_t *u, const uint32_t *keep,
                                                   const mb_cut &cut)
{
#pragma unroll 1
    for (int i = 0; i < cut.planes; i++, out += plane_stride) {
        uint4 w;
        w.x = cut_word<kind>(u, i, cut) & keep[0];
        w.y = cut_word<kind>(u + 4, i, cut) & keep[1];
        w.z = cut_word<kind>(u + 8, i, cut) & keep[2];
        w.w = cut_word<kind>(u + 12, i, cut) & keep[3];
        *(uint4 *)out = w;
    }
}

/* Whether every u is below 2^32. */
static __device__ __forceinline__ bool fits_word(const mb_cut &cut)
{
    if (cut.raw)
        return cut.bound < 0x80000000u && cut.center < 0x80000000u;
    return cut.mod.n != 0 && cut.mod.n - 1 <= 0xffffffffu;
}

static __device__ __forceinline__ void store_tile(int8_t *dst, const uint64_t *tile,
                                                  const mb_cut &cut, const mb_split_args &a,
                                                  int64_t l0, int64_t k0)
{
    const int line = (int)threadIdx.x / (WIDTH / CHUNK);
    const int place = (int)threadIdx.x % (WIDTH / CHUNK) * CHUNK;
    if (l0 + line >= a.lines_padded || k0 + place >= a.k_padded)
        return;
    uint64_t u[CHUNK];
    const ulonglong2 *from = (const ulonglong2 *)(tile + slot(line, place));
#pragma unroll
    for (int i = 0; i < CHUNK / 2; i++) {
        ulonglong2 pair = from[i];
        u[2 * i] = pair.x;
        u[2 * i + 1] = pair.y;
    }
    const int inside = l0 + line < a.src.rows ? within(a.src.cols, k0 + place, CHUNK) : 0;
    uint32_t keep[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int bytes = within(inside, 4 * i, 4);
        keep[i] = bytes == 4 ? 0xffffffffu : (1u << 8 * bytes) - 1;
    }
    int8_t *out = dst + (l0 + line) * a.ld + k0 + place;
    if (cut.kind == MB_CUT_DIGITS)
        store_chunk<DIGITS>(out, a.plane_stride, u, keep, cut);
    else if (fits_word(cut))
        store_chunk<LOW_BYTES>(out, a.plane_stride, u, keep, cut);
    else
        store_chunk<BYTES>(out, a.plane_stride, u, keep, cut);
}

static __device__ __forceinline__ double cut_double(uint64_t u, int i, const mb_cut &cut)
{
    if (cut.kind == MB_CUT_DIGITS)
        return (double)mb_cut_digit(u, i, &cut);
    if (cut.kind == MB_CUT_BYTEWISE)
        return (double)mb_cut_bytewise(u, &cut.plane[i]);
    return (double)mb_cut_wide(u, &cut.plane[i]);
}

static __device__ __forceinline__ void store_tile(double *dst, const uint64_t *tile,
                                                  const mb_cut &cut, const mb_split_args &a,
                                                  int64_t l0, int64_t k0)
{
    const walk w = walk_of<true>();
    const int lines = within(a.lines_padded, l0, LINES);
    if (k0 + w.place >= a.k_padded)
        return;
    const int filled = k0 + w.place < a.src.cols ? within(a.src.rows, l0, LINES) : 0;
#pragma unroll 2
    for (int line = w.line; line < lines; line += w.dline) {
        uint64_t u = tile[slot(line, w.place)];
        double *out = dst + (l0 + line) * a.ld + k0 + w.place;
        for (int i = 0; i < cut.planes; i++, out += a.plane_stride)
            *out = line < filled ? cut_double(u, i, cut) : 0.0;
    }
}

template <typename T, typename D>
static __device__ __forceinline__ uint32_t split_tile(uint64_t *tile, const mb_cut &cut,
                                                      const mb_split_args &a, int64_t l0,
                                                      int64_t k0)
{
    uint32_t fault = 0;
    for (int t = 0; t < cut.folds; t++) {
        if (strides_favour_k(a.src))
            fault |= load_tile<T, true>(tile, cut, a.src, t, l0, k0);
        else
            fault |= load_tile<T, false>(tile, cut, a.src, t, l0, k0);
        __syncthreads();
        store_tile((D *)a.dst + t * a.fold_stride, tile, cut, a, l0, k0);
        __syncthreads();
    }
    return fault;
}

template <typename T, typename D>
static __global__ void __launch_bounds__(THREADS, 3)
    split_kernel(const __grid_constant__ mb_cut cut, const __grid_constant__ mb_split_args a)
{
    __shared__ __align__(16) uint64_t tile[LINES * LINE_SLOTS];
    uint32_t fault = 0;
    for (int64_t l0 = (int64_t)blockIdx.y * LINES; l0 < a.lines_padded;
         l0 += (int64_t)gridDim.y * LINES)
        for (int64_t k0 = (int64_t)blockIdx.x * WIDTH; k0 < a.k_padded;
             k0 += (int64_t)gridDim.x * WIDTH)
            fault |= split_tile<T, D>(tile, cut, a, l0, k0);
    if (fault)
        atomicOr(a.faults, fault << a.operand);
}

static unsigned blocks(int64_t places, int each, int64_t most)
{
    int64_t count = places / each + (places % each != 0);
    return (unsigned)(count < most ? count : most);
}

template <typename T>
static cudaError_t launch(const mb_cut *cut, const mb_split_args *args, cudaStream_t stream)
{
    dim3 grid(blocks(args->k_padded, WIDTH, GRID_X), blocks(args->lines_padded, LINES, GRID_Y));
    if (args->wide)
        split_kernel<T, double><<<grid, THREADS, 0, stream>>>(*cut, *args);
    else
        split_kernel<T, int8_t><<<grid, THREADS, 0, stream>>>(*cut, *args);
    return cudaGetLastError();
}

extern "C" cudaError_t mb_launch_split(const mb_cut *cut, const mb_split_args *args,
                                       cudaStream_t stream)
{
    if (args->lines_padded == 0 || args->k_padded == 0)
        return cudaSuccess;
    switch (args->src.type) {
#define LAUNCH(name, ctype)                                                                       \
    case MODBLAS_##name:                                                                          \
        return launch<ctype>(cut, args, stream);
        MODBLAS_TYPE_MAP(LAUNCH)
#undef LAUNCH
    }
    return cudaErrorInvalidValue;
}
