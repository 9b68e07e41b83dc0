/* SPDX-License-Identifier: BSD-3-Clause */
/* The thin product of Freivalds' check. It shares no arithmetic with the product: exact signed
 * sums of 192 bits, then one reduction by shifting and subtracting. */
#include "kernels.h"

/* A block takes ROWS rows; its THREADS threads are SLICES to a row, which share the WIDTH places
 * along k of a tile. */
enum { ROWS = 32, SLICES = 8, THREADS = ROWS * SLICES, WIDTH = 64 };
enum { EACH = ROWS * WIDTH / THREADS };

/* Threads of one warp read down a column of the tile: one spare word keeps them off each other's
 * banks. */
enum { ROW_SLOTS = WIDTH + 1 };
static const int64_t GRID_X = 0x7fffffff;

/* A sum in two's complement, lowest word first. |sum| < 2^191 for every k < 2^63. */
struct wide {
    uint64_t w[3];
};

struct tile {
    uint64_t m[ROWS * ROW_SLOTS]; /* entries; two's complement if their type is signed */
    uint64_t x[WIDTH * MB_CHECK_COLUMNS];
    wide part[THREADS];
    int beyond[ROWS]; /* rows with an entry that is no residue */
};

static __device__ __forceinline__ void add(wide *s, uint64_t w0, uint64_t w1, uint64_t w2)
{
    s->w[0] += w0;
    uint64_t carry = s->w[0] < w0;
    uint64_t mid = w1 + carry;
    carry = mid < carry;
    s->w[1] += mid;
    carry += s->w[1] < mid;
    s->w[2] += w2 + carry;
}

/* s += v*x, where v is a signed word if `negative`, then standing for v - 2^64. */
static __device__ __forceinline__ void add_product(wide *s, uint64_t v, uint64_t x, bool negative)
{
    uint64_t high = __umul64hi(v, x);
    uint64_t taken = negative ? x : 0;
    add(s, v * x, high - taken, high < taken ? ~(uint64_t)0 : 0);
}

template <typename T> static __device__ __forceinline__ uint64_t word_of(T v)
{
    if constexpr (T(0.5) != T(0))
        return (uint64_t)(int64_t)v;
    else
        return (uint64_t)v;
}

/* A residue as the type stores it; signed types of w bits hold those mod 2^w as two's complement.
 */
template <typename T> static __device__ __forceinline__ bool is_residue(T v, uint64_t N)
{
    if constexpr (T(0.5) != T(0))
        return v >= T(0) && v <= T(0x1p53) && T((uint64_t)v) == v && (uint64_t)v <= N - 1;
    else if constexpr (T(-1) < T(0))
        return N - 1 > UINT64_MAX >> (65 - 8 * sizeof(T)) || (v >= 0 && (uint64_t)v <= N - 1);
    else
        return (uint64_t)v <= N - 1;
}

/* |s| mod N with the sign put back, one bit at a time. */
static __device__ uint64_t reduce(wide s, uint64_t N)
{
    if (N == 0)
        return s.w[0];
    bool negative = s.w[2] >> 63;
    if (negative) {
        wide minus = {{~s.w[0], ~s.w[1], ~s.w[2]}};
        add(&minus, 1, 0, 0);
        s = minus;
    }
    uint64_t r = 0;
    for (int bit = 0; bit < 192; bit++) {
        bool out = r >> 63;
        r = r << 1 | s.w[2] >> 63;
        s.w[2] = s.w[2] << 1 | s.w[1] >> 63;
        s.w[1] = s.w[1] << 1 | s.w[0] >> 63;
        s.w[0] <<= 1;
        if (out || r >= N)
            r -= N;
    }
    return negative && r != 0 ? N - r : r;
}

/* Entries of rows i0.. and places j0.. of M and x; 0 outside. */
template <typename T>
static __device__ __forceinline__ void load_tile(tile *t, const mb_check_args &a, int64_t i0,
                                                 int64_t j0, int r0)
{
    const int64_t row = a.M.row_stride < 0 ? -a.M.row_stride : a.M.row_stride;
    const int64_t col = a.M.col_stride < 0 ? -a.M.col_stride : a.M.col_stride;
    const bool along_k = col <= row;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int at = (int)threadIdx.x + e * THREADS;
        int i = along_k ? at / WIDTH : at % ROWS;
        int j = along_k ? at % WIDTH : at / ROWS;
        bool inside = i0 + i < a.M.rows && j0 + j < a.M.cols;
        const T *p = (const T *)a.M.data + (i0 + i) * a.M.row_stride + (j0 + j) * a.M.col_stride;
        t->m[i * ROW_SLOTS + j] = inside ? word_of(*p) : 0;
        if (inside && a.residues && !is_residue(*p, a.N))
            t->beyond[i] = 1;
    }
    for (int at = (int)threadIdx.x; at < WIDTH * MB_CHECK_COLUMNS; at += THREADS) {
        int j = at / MB_CHECK_COLUMNS, r = r0 + at % MB_CHECK_COLUMNS;
        bool inside = j0 + j < a.M.cols && r < a.count;
        t->x[at] = inside ? a.x[(j0 + j) * a.count + r] : 0;
    }
}

/* Sums the slices of a row and stores its residue for column r. */
static __device__ __forceinline__ void store_column(tile *t, const mb_check_args &a, int64_t i,
                                                    int r, const wide &sum)
{
    t->part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < ROWS && i < a.M.rows && r < a.count) {
        wide s = t->part[threadIdx.x];
        for (int slice = 1; slice < SLICES; slice++) {
            wide p = t->part[threadIdx.x + slice * ROWS];
            add(&s, p.w[0], p.w[1], p.w[2]);
        }
        a.y[i * a.count + r] = t->beyond[threadIdx.x] ? a.N : reduce(s, a.N);
    }
    __syncthreads();
}

/* Columns r0 .. r0 + MB_CHECK_COLUMNS - 1 of y for ROWS rows from i0. */
template <typename T>
static __device__ __forceinline__ void check_rows(tile *t, const mb_check_args &a, int64_t i0,
                                                  int r0)
{
    const bool is_signed = T(-1) < T(0);
    const int row = (int)threadIdx.x % ROWS, slice = (int)threadIdx.x / ROWS;
    wide sum[MB_CHECK_COLUMNS] = {};
    if (threadIdx.x < ROWS)
        t->beyond[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t j0 = 0; j0 < a.M.cols; j0 += WIDTH) {
        load_tile<T>(t, a, i0, j0, r0);
        __syncthreads();
        for (int j = slice; j < WIDTH; j += SLICES) {
            uint64_t v = t->m[row * ROW_SLOTS + j];
            bool negative = is_signed && v >> 63;
#pragma unroll
            for (int r = 0; r < MB_CHECK_COLUMNS; r++)
                add_product(&sum[r], v, t->x[j * MB_CHECK_COLUMNS + r], negative);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < MB_CHECK_COLUMNS; r++)
        store_column(t, a, i0 + row, r0 + r, sum[r]);
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    check_kernel(const __grid_constant__ mb_check_args a)
{
    __shared__ tile t;
    for (int64_t i0 = (int64_t)blockIdx.x * ROWS; i0 < a.M.rows; i0 += (int64_t)gridDim.x * ROWS)
        for (int r0 = 0; r0 < a.count; r0 += MB_CHECK_COLUMNS)
            check_rows<T>(&t, a, i0, r0);
}

template <typename T> static cudaError_t launch(const mb_check_args *args, cudaStream_t stream)
{
    int64_t blocks = args->M.rows / ROWS + (args->M.rows % ROWS != 0);
    unsigned grid = (unsigned)(blocks < GRID_X ? blocks : GRID_X);
    check_kernel<T><<<grid, THREADS, 0, stream>>>(*args);
    return cudaGetLastError();
}

extern "C" cudaError_t mb_launch_check(const mb_check_args *args, cudaStream_t stream)
{
    if (args->M.rows == 0 || args->count == 0)
        return cudaSuccess;
    switch (args->M.type) {
#define LAUNCH(name, ctype)                                                                       \
    case MODBLAS_##name:                                                                          \
        return launch<ctype>(args, stream);
        MODBLAS_TYPE_MAP(LAUNCH)
#undef LAUNCH
    }
    return cudaErrorInvalidValue;
}
