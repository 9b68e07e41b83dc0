/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole small products. A block computes a tile of C: it reads entries of A and B, cuts them into
 * digits in shared memory, multiplies every pair of digits, adds up pairs of equal weight in
 * registers, and joins the sums to residues. Nothing but A, B and C goes through memory. */
#include "batch_sum.cuh"
#include "kernels.h"

/* ---- tasks ---------------------------------------------------------------------------------- */

static __device__ __forceinline__ int size_of(int type)
{
    switch (type) {
#define SIZE(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        return sizeof(ctype);
        MODBLAS_TYPE_MAP(SIZE)
#undef SIZE
    }
    return 0;
}

static __device__ __forceinline__ int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* Operand o of the product, from its line `line` on. */
static __device__ __forceinline__ operand operand_of(const mb_batch_product &p, int o, int line)
{
    operand x;
    x.type = p.type[o];
    x.size = size_of(x.type);
    x.line = p.row[o] * x.size;
    x.place = p.col[o] * x.size;
    x.data = (const char *)p.data[o] + line * x.line;
    x.lines = (o == 0 ? p.m : p.n) - line;
    x.places = p.k;
    x.along_k = magnitude(x.place) <= magnitude(x.line);
    const int64_t odd = min(EACH * x.size, 16) - 1;
    x.aligned = (x.along_k ? x.place : x.line) == x.size && ((int64_t)x.data & odd) == 0 &&
                ((x.along_k ? x.line : x.place) & odd) == 0;
    return x;
}

/* A tile under way. */
struct task {
    mb_batch_product product;
    mb_batch_rule rule;
    int row, column;
};

template <typename T>
static __device__ __forceinline__ void copy_words(T *to, const T *from, int thread)
{
    static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= 4 * THREADS / 2, "a word for each thread");
    if (thread >= 0 && thread < (int)sizeof(T) / 4)
        ((uint32_t *)to)[thread] = __ldg((const uint32_t *)from + thread);
}

/* The thread's entries of C, from row i and column j on. */
static __device__ __forceinline__ target target_of(const mb_batch_product &p, int i, int j)
{
    const int size = size_of(p.type[2]);
    target t;
    t.row = p.row[2] * size;
    t.step = p.col[2] * size;
    t.data = (char *)p.data[2] + i * t.row + j * t.step;
    t.rows = p.m - i;
    t.columns = p.n - j;
    return t;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

struct work {
    const mb_batch_product *products;
    const mb_batch_rule *rules;
    const mb_batch_tile *tiles;
    int count;
    uint32_t *faults;
};

/* Copies what is known of the block's tile. */
static __device__ __forceinline__ void take_task(task *t, const work &w, int columns)
{
    const mb_batch_tile tile = w.tiles[blockIdx.x];
    copy_words(&t->product, &w.products[tile.product], (int)threadIdx.x);
    copy_words(&t->rule, &w.rules[tile.rule], (int)threadIdx.x - THREADS / 2);
    if (threadIdx.x == 0) {
        t->row = tile.row * MB_BATCH_TILE;
        t->column = tile.column * columns;
    }
    __syncthreads();
}

/* The sums of the tile. The entries of a stage are fetched while the stage before is multiplied,
 * and cut while other warps still multiply. */
template <int digits, int columns, int size>
static __device__ __forceinline__ uint32_t
multiply_tile(int32_t (&sum)[2 * digits - 1][columns][4], const task &t, char *stages)
{
    using lay = layout<digits, columns>;
    using word = std::conditional_t<digits <= MB_BATCH_WORD_DIGITS, uint32_t, uint64_t>;
    constexpr int TILE = MB_BATCH_TILE, COLUMNS = lay::COLUMNS, PLANE = lay::PLANE;
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(stages);
    const int down = warp / WARPS_ACROSS * WARP_ROWS + lane % 16;
    const int across = warp % WARPS_ACROSS * WARP_COLUMN * columns + lane % 8 + lane / 16 * 8;
    const uint32_t lane_a = base + (uint32_t)place_of(down, lane / 16);
    const uint32_t lane_b = base + (uint32_t)(TILE * LINE + place_of(across, lane / 8 % 2));
    const operand a = operand_of(t.product, 0, t.row), b = operand_of(t.product, 1, t.column);
    const corner at_a = corner_of(a.along_k, TILE), at_b = corner_of(b.along_k, COLUMNS);
    const entering<word> enter_a = entering_of<word>(t.rule, 0, a);
    const entering<word> enter_b = entering_of<word>(t.rule, 1, b);
    const bool cuts_b = COLUMNS == TILE || threadIdx.x < THREADS / 2;
    const int swapped = t.product.swapped;
    uint32_t faults = 0;
    patch<size> x, y;
    int stage = 0;
#pragma unroll 1
    for (int k0 = -PLACES; k0 < a.places; k0 += PLACES) {
        const bool more = k0 + PLACES < a.places;
        char *planes = stages + stage;
        if (k0 >= 0) {
            faults |= cut_patch<digits, PLANE>(planes, x, enter_a, t.rule, 0, a, at_a, k0)
                      << swapped;
            if (cuts_b)
                faults |= cut_patch<digits, PLANE>(planes + TILE * LINE, y, enter_b, t.rule, 1, b,
                                                   at_b, k0)
                          << (1 - swapped);
            __syncthreads();
        }
        if (more)
            fetch(x, a, at_a, k0 + PLACES);
        if (k0 >= 0)
            multiply_places<digits, columns, PLANE>(sum, lane_a + stage, lane_b + stage);
        if (more && cuts_b)
            fetch(y, b, at_b, k0 + PLACES);
        if (k0 >= 0) {
            multiply_places<digits, columns, PLANE>(sum, (lane_a + stage) ^ 32,
                                                    (lane_b + stage) ^ 32);
            stage ^= lay::STAGE;
        }
    }
    return faults;
}

template <int digits, int columns, int size>
static __global__ void __launch_bounds__(THREADS, digits == 1 ? 2 : 1)
    batch_kernel(const __grid_constant__ work w)
{
    extern __shared__ __align__(1024) char stages[];
    __shared__ task t;
    take_task(&t, w, layout<digits, columns>::COLUMNS);
    int32_t sum[2 * digits - 1][columns][4] = {};
    uint32_t faults = multiply_tile<digits, columns, size>(sum, t, stages);
    uint64_t r[4 * columns];
#pragma unroll
    for (int i = 0; i < 4 * columns; i++)
        r[i] = join_sums<digits, columns>(sum, i / 4, i % 4, t.rule);
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    const int down = warp / WARPS_ACROSS * WARP_ROWS + lane / 4;
    const int across = warp % WARPS_ACROSS * WARP_COLUMN * columns + lane % 4 * 2;
    const mb_batch_product &p = t.product;
    const target to = target_of(p, t.row + down, t.column + across);
    if (p.beta != 0)
        faults |= add_old<columns>(r, p, t.rule, to);
    store_residues<columns>(r, p.type[2], size_of(p.type[2]), to);
    if (faults)
        atomicOr(w.faults, faults);
}

/* A block for each tile; two stages may need more shared memory than a kernel has unasked. */
template <int digits, int size> static cudaError_t launch(const work &w, cudaStream_t stream)
{
    constexpr int columns = digits > MB_BATCH_WORD_DIGITS ? 2 : 4;
    constexpr int bytes = 2 * layout<digits, columns>::STAGE;
    static_assert(layout<digits, columns>::COLUMNS * (columns == 2 ? 2 : 1) == MB_BATCH_TILE,
                  "tiles are as batch.h says");
    const cudaError_t e = cudaFuncSetAttribute(batch_kernel<digits, columns, size>,
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (e != cudaSuccess)
        return e;
    batch_kernel<digits, columns, size><<<(unsigned)w.count, THREADS, bytes, stream>>>(w);
    return cudaGetLastError();
}

extern "C" cudaError_t mb_launch_batch(const mb_batch_args *a, cudaStream_t stream)
{
    const work w = {a->products, a->rules, a->tiles, a->count, a->faults};
    if (a->count == 0)
        return cudaSuccess;
    switch (a->digits) {
    case 1:
        return a->size == 1 ? launch<1, 1>(w, stream) : launch<1, 0>(w, stream);
    case 2:
        return a->size == 2 ? launch<2, 2>(w, stream) : launch<2, 0>(w, stream);
    case 4:
        return a->size == 4 ? launch<4, 4>(w, stream) : launch<4, 0>(w, stream);
    case 8:
        return launch<8, 0>(w, stream);
    }
    return cudaErrorInvalidValue;
}
