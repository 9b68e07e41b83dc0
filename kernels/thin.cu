/* SPDX-License-Identifier: BSD-3-Clause */
/* Thin INT8 products on Hopper: a large A, as bytes, is read once against at most 256 columns.
 *
 * A cluster of two blocks holds the sums of 256 rows of A and all columns in registers, 64 rows in
 * each of its groups of consumer warps, while stages of 128 bytes of each line pass by. k is cut
 * into bands whose sums fit 32 bits; the steps of all rows in a band, in one line, are dealt out
 * evenly, and where a cluster's part of a row ends it adds what it has to C in memory. */
#include "hopper.cuh"
#include "kernels.h"
#include "send.cuh"
#include "tensor_map.h"

enum { TILE_M = 128, TILE_K = 128, BLOCKS = 2, ROWS = BLOCKS * TILE_M, MOST_STAGES = 12 };
enum { WARP = 32, GROUP = 128, CONSUMERS = TILE_M / 64, THREADS = GROUP * (1 + CONSUMERS) };

/* Registers of a thread: 168 at the start, then 128 * (40 + 2 * 232) = 64512 of 65536. */
enum { PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232 };

/* Shared memory of stages, of the 227 KiB that a block can have. */
enum { STAGE_MEMORY = 200 << 10 };

enum { BAND_BYTES = 20 << 20 };

/* Where columns are few, the first block of a cluster loads them all for both. */
enum { LEAST_SHARED = 64 };

template <int columns> struct stage {
    int8_t a[TILE_M * TILE_K];
    int8_t b[columns * TILE_K];
};

template <int columns>
constexpr int STAGES = STAGE_MEMORY / sizeof(stage<columns>) < MOST_STAGES
                           ? (int)(STAGE_MEMORY / sizeof(stage<columns>))
                           : (int)MOST_STAGES;

template <int columns> struct shared {
    stage<columns> stages[STAGES<columns>];
    uint64_t full[STAGES<columns>], empty[STAGES<columns>];
};

struct work {
    int64_t *C;
    int64_t ldc, term_stride;
    int m, n, columns;
    int tiles, steps, band; /* rows of tiles; steps of a row; of these, taken by all at a time */
};

/* What a cluster does next: steps [from, to) of the rows that begin at `row`. */
struct segment {
    int band; /* where the band begins */
    int row, from, to;
};

/* Where the part of cluster i of `count` begins. */
MB_INLINE int64_t part_begin(int64_t i, int64_t count, int64_t units)
{
    const int64_t each = units / count, more = units % count;
    return i * each + min(i, more);
}

/* The segment after g, from {0, 0, 0, 0} the first; false if there are no more. The steps of all
 * rows in a band are dealt out in one line. */
MB_INLINE bool next_segment(segment *g, const work &w)
{
    const int64_t cluster = blockIdx.x / BLOCKS, clusters = gridDim.x / BLOCKS;
    for (; g->band < w.steps; *g = {g->band + w.band, 0, 0, 0}) {
        const int size = min(w.band, w.steps - g->band);
        const int64_t units = (int64_t)w.tiles * size,
                      end = part_begin(cluster + 1, clusters, units);
        int64_t at = part_begin(cluster, clusters, units);
        if (g->to != 0)
            at = (int64_t)(g->row / ROWS) * size + g->to - g->band;
        if (at >= end)
            continue;
        const int tile = (int)(at / size), skipped = (int)(at - (int64_t)tile * size);
        g->row = tile * ROWS;
        g->from = g->band + skipped;
        g->to = g->from + (int)min((int64_t)(size - skipped), end - at);
        return true;
    }
    return false;
}

/* A place in the ring. Parity is that of the phase in which `full` completes. */
struct cursor {
    int stage;
    uint32_t parity;
};

template <int columns> MB_INLINE void advance(cursor *at)
{
    if (++at->stage == STAGES<columns>) {
        at->stage = 0;
        at->parity ^= 1;
    }
}

template <int columns>
MB_INLINE void load_stage(stage<columns> *to, uint64_t *full, const CUtensorMap *A,
                          const CUtensorMap *B, int k, int row)
{
    const uint16_t both = (1 << BLOCKS) - 1;
    const int rank = (int)cluster_rank();
    barrier_expect(full, sizeof(stage<columns>));
    load_box(to->a, A, k, row + rank * TILE_M, 0, full, CACHE_ONCE);
    if constexpr (columns < LEAST_SHARED) {
        if (rank == 0)
            load_box_to(both, to->b, B, k, 0, 0, full, CACHE_NORMAL);
    } else {
        const int line = rank * (columns / BLOCKS);
        load_box_to(both, to->b + line * TILE_K, B, k, line, 0, full, CACHE_NORMAL);
    }
}

template <int columns>
MB_INLINE void produce(shared<columns> *s, const CUtensorMap *A, const CUtensorMap *B,
                       const work &w)
{
    cursor at = {0, 0};
    for (segment g = {0, 0, 0, 0}; next_segment(&g, w);)
        for (int step = g.from; step < g.to; step++) {
            barrier_wait(&s->empty[at.stage], at.parity ^ 1);
            load_stage(&s->stages[at.stage], &s->full[at.stage], A, B, step * TILE_K, g.row);
            advance<columns>(&at);
        }
}

/* Tells the producers of the whole cluster that this warp has read a stage. */
template <int columns> MB_INLINE void release(shared<columns> *s, int stage, int lane)
{
    if (lane < BLOCKS)
        barrier_arrive_at(&s->empty[stage], (uint32_t)lane);
}

/* d = the sums of the group's 64 rows over `steps` steps. */
template <bool a_unsigned, int columns>
MB_INLINE void accumulate(int32_t (&d)[columns / 2], shared<columns> *s, cursor *at, int steps,
                          int group, int lane)
{
    int last = 0; /* the stage that is read while the next one is awaited */
    for (int step = 0; step < steps; step++) {
        const stage<columns> *from = &s->stages[at->stage];
        const uint64_t a = tile_descriptor(from->a + group * 64 * TILE_K);
        const uint64_t b = tile_descriptor(from->b);
        barrier_wait(&s->full[at->stage], at->parity);
        multiply_fence();
#pragma unroll
        for (int i = 0; i < TILE_K / 32; i++)
            multiply<a_unsigned>(d, a + 2 * i, b + 2 * i, step > 0 || i > 0);
        multiply_commit();
        multiply_wait<1>();
        if (step > 0)
            release(s, last, lane);
        last = at->stage;
        advance<columns>(at);
    }
    multiply_wait<0>();
    release(s, last, lane);
}

/* Adds the sums of row and row + 8 to C. */
template <int columns>
MB_INLINE void add_to_memory(const int32_t (&d)[columns / 2], const work &w, int row, int lane)
{
#pragma unroll
    for (int j = 0; j < columns / 8; j++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int place = 8 * j + 2 * (lane % 4) + e;
            if (place >= w.columns)
                return;
            const int term = place / w.n;
            int64_t *to = w.C + term * w.term_stride + (place - term * w.n) * w.ldc + row;
#pragma unroll
            for (int h = 0; h < 2; h++, to += 8)
                if (row + 8 * h < w.m)
                    atomicAdd((unsigned long long *)to,
                              (unsigned long long)(int64_t)d[4 * j + 2 * h + e]);
        }
}

template <bool a_unsigned, int columns> MB_INLINE void consume(shared<columns> *s, const work &w)
{
    const int thread = (int)threadIdx.x - GROUP, lane = thread % WARP, group = thread / GROUP;
    const int row = (int)cluster_rank() * TILE_M + thread / WARP * 16 + lane / 4;
    cursor at = {0, 0};
    int32_t d[columns / 2];
    for (segment g = {0, 0, 0, 0}; next_segment(&g, w);) {
        accumulate<a_unsigned>(d, s, &at, g.to - g.from, group, lane);
        add_to_memory<columns>(d, w, g.row + row, lane);
    }
}

template <bool a_unsigned, int columns>
static __global__ void __cluster_dims__(BLOCKS) __launch_bounds__(THREADS, 1)
    thin_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                const __grid_constant__ work w)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    shared<columns> *s = (shared<columns> *)memory;
    if (threadIdx.x == 0) {
        prefetch_map(&A);
        prefetch_map(&B);
        for (int i = 0; i < STAGES<columns>; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], BLOCKS * CONSUMERS * GROUP / WARP);
        }
        barrier_init_fence();
    }
    cluster_sync(); /* before a block sends to another */
    if (threadIdx.x < GROUP) {
        give_registers<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce(s, &A, &B, w);
    } else {
        take_registers<CONSUMER_REGISTERS>();
        consume<a_unsigned>(s, w);
    }
    cluster_sync(); /* no block leaves while another sends to it */
}

/* ---- the host's side ---- */

static int64_t pieces(int64_t size, int64_t each)
{
    return (size + each - 1) / each;
}

/* Bands are as long as sums in 32 bits allow, and B's part of them stays in L2. */
static int band_of(const mb_thin_args *a, int steps, int columns)
{
    const int64_t fits = BAND_BYTES / (columns * TILE_K), exact = a->longest_k / TILE_K;
    const int64_t bands = pieces(steps, fits < exact ? fits : exact);
    return (int)pieces(steps, bands);
}

static work work_of(const mb_thin_args *a)
{
    work w = {};
    w.C = a->C;
    w.ldc = a->ldc;
    w.term_stride = a->term_stride;
    w.m = (int)a->m;
    w.n = a->n;
    w.columns = a->n * a->terms;
    w.tiles = (int)pieces(a->m, ROWS);
    w.steps = (int)pieces(a->k, TILE_K);
    w.band = band_of(a, w.steps, w.columns);
    return w;
}

template <bool a_unsigned, int columns>
static cudaError_t send_thin(const mb_thin_args *a, const mb_to &to)
{
    CUtensorMap A, B;
    encode_fn *fn = find_encode();
    if (!fn)
        return cudaErrorNotSupported;
    const int half = columns < LEAST_SHARED ? columns : columns / BLOCKS;
    const work w = work_of(a);
    if (!encode(&A, fn, a->A, a->m, a->k, a->lda, 0, 1, TILE_M) ||
        !encode(&B, fn, a->B, w.columns, a->k, a->ldb, 0, 1, (cuuint32_t)half))
        return cudaErrorInvalidValue;
    int device, processors;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(thin_kernel<a_unsigned, columns>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 sizeof(shared<columns>));
    /* In a graph this is a node of its own, which stays as it is. */
    for (int t = 0; t < a->terms && e == cudaSuccess && !to.exec; t++)
        e = cudaMemsetAsync(a->C + t * a->term_stride, 0, (size_t)(a->n * a->ldc) * sizeof *a->C,
                            to.stream);
    if (e != cudaSuccess)
        return e;
    const int64_t most = processors / BLOCKS, units = (int64_t)w.tiles * w.steps;
    const unsigned clusters = (unsigned)(most < units ? most : units);
    return send(to, thin_kernel<a_unsigned, columns>, clusters * BLOCKS, THREADS,
                sizeof(shared<columns>), A, B, w);
}

/* The narrowest kernel that has room. */
template <bool a_unsigned> static cudaError_t choose(const mb_thin_args *a, const mb_to &to)
{
    const int columns = a->n * a->terms;
    if (columns <= 8)
        return send_thin<a_unsigned, 8>(a, to);
    if (columns <= 16)
        return send_thin<a_unsigned, 16>(a, to);
    if (columns <= 32)
        return send_thin<a_unsigned, 32>(a, to);
    if (columns <= 64)
        return send_thin<a_unsigned, 64>(a, to);
    if (columns <= 96)
        return send_thin<a_unsigned, 96>(a, to);
    if (columns <= 128)
        return send_thin<a_unsigned, 128>(a, to);
    if (columns <= 192)
        return send_thin<a_unsigned, 192>(a, to);
    return send_thin<a_unsigned, 256>(a, to);
}

extern "C" cudaError_t mb_launch_thin(const mb_thin_args *a, cudaStream_t stream)
{
    const mb_to to = {stream, NULL, NULL};
    return a->a_unsigned ? choose<true>(a, to) : choose<false>(a, to);
}

extern "C" cudaError_t mb_revise_thin(const mb_thin_args *a, cudaGraphExec_t exec,
                                      cudaGraphNode_t node)
{
    const mb_to to = {NULL, exec, node};
    return a->a_unsigned ? choose<true>(a, to) : choose<false>(a, to);
}
