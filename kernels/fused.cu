/* SPDX-License-Identifier: BSD-3-Clause */
/* INT8 products on Hopper, reduced before they leave the chip.
 *
 * A cluster of two blocks computes 256 x 256 entries of a plane at a time: each block 128 rows,
 * its two groups of consumer warps 64 rows each, all 256 columns in registers. One producer thread
 * of each block keeps a ring of stages filled: its own 128 lines of A, and half of the lines of B,
 * which it sends to both blocks. Clusters walk over the tiles of all planes; while consumers
 * reduce and store one tile, the producer loads for the next. */
#include "hopper.cuh"
#include "kernels.h"
#include "residue.h"
#include "send.cuh"
#include "tensor_map.h"

enum { TILE_M = 128, TILE_N = 256, TILE_K = 128, BOX = 128 };
enum { BLOCKS = TILE_N / BOX, STAGES = 4 };
enum { WARP = 32, GROUP = 128, CONSUMERS = TILE_M / 64, THREADS = GROUP * (1 + CONSUMERS) };
static_assert(BLOCKS == 2 && TILE_M == BOX, "a block loads one box of A and one of B");

/* Registers of a thread: 168 at the start, then 128 * (40 + 2 * 232) = 64512 of 65536. */
enum { PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232 };

/* Rows of clusters that share their columns of B in L2 before the walk moves on. */
enum { BAND = 8 };

/* A warp stores boxes of ROWS by WIDTH residues, in shared memory as SWIZZLE_128B has them: chunk
 * c of line l lies in the place of chunk c ^ l % 8. */
enum { ROWS = 16, WIDTH = 128, CHUNK = 16, BOX_BYTES = ROWS * WIDTH };

/* How sums become residues: one plane of B, or the two digits of one, side by side in a tile. */
template <int digits> struct rule_of {
    using type = mb_residue;
};
template <> struct rule_of<2> {
    using type = mb_pair;
};

template <int digits> struct work {
    int k;
    int down, across, tiles; /* of clusters: in a plane, and in all planes */
    int step_a, step_b;      /* 0: the same plane for all */
    typename rule_of<digits>::type rule[MB_MAX_PLANES];
};

struct stage {
    int8_t a[TILE_M * TILE_K];
    int8_t b[TILE_N * TILE_K];
};

template <int digits> struct shared {
    stage stages[STAGES];
    uint8_t rows[TILE_M * TILE_N];
    uint64_t full[STAGES], empty[STAGES];
    typename rule_of<digits>::type rule[MB_MAX_PLANES];
};

/* A place in the ring. Parity is that of the phase in which `full` completes. */
struct cursor {
    int stage;
    uint32_t parity;
};

MB_INLINE void advance(cursor *at)
{
    if (++at->stage == STAGES) {
        at->stage = 0;
        at->parity ^= 1;
    }
}

struct place {
    int plane, row, col;
};

template <int digits> MB_INLINE place place_of(int tile, const work<digits> &w)
{
    const int plane = tile / (w.down * w.across);
    const int at = tile - plane * (w.down * w.across);
    const int band = at / (BAND * w.across);
    const int high = min((int)BAND, w.down - band * BAND);
    const int in_band = at - band * BAND * w.across;
    const int col = in_band / high;
    const int row = band * BAND + in_band - col * high;
    return {plane, (row * BLOCKS + (int)cluster_rank()) * TILE_M, col * (TILE_N / digits)};
}

MB_INLINE int first_tile()
{
    return (int)(blockIdx.x / BLOCKS);
}

MB_INLINE int tile_step()
{
    return (int)(gridDim.x / BLOCKS);
}

template <int digits>
MB_INLINE void produce(shared<digits> *s, const CUtensorMap *A, const CUtensorMap *B,
                       const work<digits> &w)
{
    const int rank = (int)cluster_rank(), half = rank * BOX;
    cursor at = {0, 0};
    for (int t = first_tile(); t < w.tiles; t += tile_step()) {
        const place p = place_of(t, w);
        const int line = digits == 1 ? p.col + half : p.col;
        const int plane = digits == 1 ? p.plane : p.plane * digits + rank;
        for (int k = 0; k < w.k; k += TILE_K) {
            stage *to = &s->stages[at.stage];
            uint64_t *full = &s->full[at.stage];
            barrier_wait(&s->empty[at.stage], at.parity ^ 1);
            barrier_expect(full, sizeof(stage));
            load_box(to->a, A, k, p.row, p.plane * w.step_a, full, CACHE_NORMAL);
            load_box_to((1 << BLOCKS) - 1, to->b + half * TILE_K, B, k, line, plane * w.step_b,
                        full, CACHE_NORMAL);
            advance(&at);
        }
    }
}

/* Bytes x, y, z, w from the lowest up. */
MB_INLINE uint32_t pack(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return __byte_perm(__byte_perm(x, y, 0x0040), __byte_perm(z, w, 0x0040), 0x5410);
}

/* Residues of a warp's ROWS x TILE_N sums, as boxes. A lane has two neighbours in each eight
 * columns; it swaps a pair with the lane beside it, and has four: even lanes of the first eight
 * columns of a chunk, odd lanes of the others. */
MB_INLINE void write_boxes(uint8_t *boxes, const int32_t (&d)[128], const mb_residue &of, int lane)
{
    const mb_residue r =
        of; /* read from shared memory: ptxas then reduces after the last release */
    const int line = lane / 4;
    const uint32_t choice = lane & 1 ? 0x3276 : 0x5410;
    uint8_t *to = boxes + line * WIDTH + (lane & 1) * 8 + (lane & 2) * 2;
#pragma unroll
    for (int c = 0; c < TILE_N / CHUNK; c++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int32_t *x = &d[8 * c + 2 * h];
            uint32_t mine = pack(mb_residue_reduce(x[0], &r), mb_residue_reduce(x[1], &r),
                                 mb_residue_reduce(x[4], &r), mb_residue_reduce(x[5], &r));
            uint32_t other = __shfl_xor_sync(0xffffffff, mine, 1);
            const int chunk = c % (WIDTH / CHUNK) ^ line, box = c / (WIDTH / CHUNK);
            *(uint32_t *)(to + chunk * CHUNK + h * 8 * WIDTH + box * BOX_BYTES) =
                __byte_perm(mine, other, choice);
        }
}

/* The same for two digits: a lane has both sums of an entry, and two neighbours of each eight
 * columns, a word of the chunk that these columns are. */
MB_INLINE void write_boxes(uint8_t *boxes, const int32_t (&d)[128], const mb_pair &of, int lane)
{
    const mb_pair r = of;
    const int line = lane / 4, columns = TILE_N / 2, chunks = WIDTH / CHUNK;
    uint8_t *to = boxes + line * WIDTH + lane % 4 * 4;
#pragma unroll
    for (int c = 0; c < columns / 8; c++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int32_t *x = &d[4 * c + 2 * h], *y = x + columns / 2;
            const uint32_t low = mb_pair_reduce(x[0], y[0], &r);
            const uint32_t high = mb_pair_reduce(x[1], y[1], &r);
            const int chunk = c % chunks ^ line, box = c / chunks;
            *(uint32_t *)(to + chunk * CHUNK + h * 8 * WIDTH + box * BOX_BYTES) =
                __byte_perm(low, high, 0x5410);
        }
}

/* Until the copy engine has read the boxes of the tile before. */
MB_INLINE void await_boxes(int lane)
{
    if (lane == 0)
        store_wait();
    __syncwarp();
}

/* byte: where the boxes begin in a row. */
MB_INLINE void store_boxes(const CUtensorMap *C, const uint8_t *boxes, int plane, int row,
                           int byte, int lane)
{
    store_fence();
    __syncwarp();
    if (lane != 0)
        return;
    for (int i = 0; i < TILE_N / WIDTH; i++)
        store_box(C, byte + i * WIDTH, row, plane, boxes + i * BOX_BYTES);
    store_commit();
}

/* Tells the producers of the whole cluster that this warp has read a stage. */
template <int digits> MB_INLINE void release(shared<digits> *s, int stage, int lane)
{
    if (lane < BLOCKS)
        barrier_arrive_at(&s->empty[stage], (uint32_t)lane);
}

/* d = the sums of the group's 64 x TILE_N entries. */
template <int digits>
MB_INLINE void accumulate(int32_t (&d)[128], shared<digits> *s, cursor *at, int k_size, int group,
                          int lane)
{
    int last = 0; /* the stage that is read while the next one is awaited */
    for (int k = 0; k < k_size; k += TILE_K) {
        const stage *from = &s->stages[at->stage];
        const uint64_t a = tile_descriptor(from->a + group * 64 * TILE_K);
        const uint64_t b = tile_descriptor(from->b);
        barrier_wait(&s->full[at->stage], at->parity);
        multiply_fence();
#pragma unroll
        for (int i = 0; i < TILE_K / 32; i++)
            multiply<false>(d, a + 2 * i, b + 2 * i, k > 0 || i > 0);
        multiply_commit();
        multiply_wait<1>();
        if (k > 0)
            release(s, last, lane);
        last = at->stage;
        advance(at);
    }
    multiply_wait<0>();
    release(s, last, lane);
}

template <int digits>
MB_INLINE void consume(shared<digits> *s, const CUtensorMap *C, const work<digits> &w)
{
    const int thread = (int)threadIdx.x - GROUP, lane = thread % WARP;
    const int group = thread / GROUP, warp_row = thread / WARP * ROWS;
    uint8_t *boxes = s->rows + warp_row * TILE_N;
    cursor at = {0, 0};
    int32_t d[128];
    for (int t = first_tile(); t < w.tiles; t += tile_step()) {
        const place p = place_of(t, w);
        accumulate(d, s, &at, w.k, group, lane);
        await_boxes(lane);
        write_boxes(boxes, d, s->rule[p.plane], lane);
        store_boxes(C, boxes, p.plane, p.row + warp_row, p.col * digits, lane);
    }
    await_boxes(lane);
}

template <int digits>
static __global__ void __cluster_dims__(BLOCKS) __launch_bounds__(THREADS, 1)
    fused_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 const __grid_constant__ CUtensorMap C, const __grid_constant__ work<digits> w)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    shared<digits> *s = (shared<digits> *)memory;
    if (threadIdx.x == 0) {
        prefetch_map(&A);
        prefetch_map(&B);
        prefetch_map(&C);
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s->full[i], 1);
            barrier_init(&s->empty[i], BLOCKS * CONSUMERS * GROUP / WARP);
        }
        barrier_init_fence();
    }
    if (threadIdx.x < MB_MAX_PLANES)
        s->rule[threadIdx.x] = w.rule[threadIdx.x];
    cluster_sync(); /* before a block sends to another */
    if (threadIdx.x < GROUP) {
        give_registers<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce(s, &A, &B, w);
    } else {
        take_registers<CONSUMER_REGISTERS>();
        consume(s, &C, w);
    }
    cluster_sync(); /* no block leaves while another sends to it */
}

/* ---- the host's side ---- */

static int pieces(int64_t size, int each)
{
    return (int)((size + each - 1) / each);
}

static void set_rule(mb_residue *rule, uint32_t modulus)
{
    *rule = mb_residue_of(modulus);
}

static void set_rule(mb_pair *rule, uint32_t modulus)
{
    *rule = mb_pair_of(modulus);
}

template <int digits> static work<digits> work_of(const mb_fused_args *a)
{
    work<digits> w = {};
    w.k = (int)a->k;
    w.down = pieces(a->m, BLOCKS * TILE_M);
    w.across = pieces(a->n, TILE_N / digits);
    w.tiles = w.down * w.across * a->count;
    w.step_a = a->stride_a != 0;
    w.step_b = a->stride_b != 0;
    for (int i = 0; i < a->count; i++)
        set_rule(&w.rule[i], a->moduli[i]);
    return w;
}

enum { MAX_DEVICES = 64 };

/* The multiprocessors of the current device, once the kernel may use their shared memory. */
template <int digits> static cudaError_t prepare(int *processors)
{
    static int known[MAX_DEVICES];
    int device;
    cudaError_t e = cudaGetDevice(&device);
    if (e != cudaSuccess)
        return e;
    int *kept = device < MAX_DEVICES ? &known[device] : NULL;
    *processors = kept ? __atomic_load_n(kept, __ATOMIC_RELAXED) : 0;
    if (*processors > 0)
        return cudaSuccess;
    e = cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaFuncSetAttribute(fused_kernel<digits>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 sizeof(shared<digits>));
    if (e == cudaSuccess && kept)
        __atomic_store_n(kept, *processors, __ATOMIC_RELAXED);
    return e;
}

template <int digits> static cudaError_t launch(const mb_fused_args *a, const mb_to &to)
{
    CUtensorMap A, B, C;
    encode_fn *fn = find_encode();
    if (!fn)
        return cudaErrorNotSupported;
    if (!encode(&A, fn, a->A, a->m, a->k, a->lda, a->stride_a, a->count, BOX) ||
        !encode(&B, fn, a->B, a->n, a->k, a->ldb, a->stride_b, a->count * digits, BOX) ||
        !encode(&C, fn, a->C, a->m, a->n * digits, a->ldc * digits, a->stride_c * digits, a->count,
                ROWS))
        return cudaErrorInvalidValue;
    const work<digits> w = work_of<digits>(a);
    int processors;
    cudaError_t e = prepare<digits>(&processors);
    if (e != cudaSuccess)
        return e;
    const int clusters = processors / BLOCKS < w.tiles ? processors / BLOCKS : w.tiles;
    return send(to, fused_kernel<digits>, clusters * BLOCKS, THREADS, sizeof(shared<digits>), A, B,
                C, w);
}

extern "C" cudaError_t mb_launch_fused(const mb_fused_args *a, cudaStream_t stream)
{
    return a->digits == 2 ? launch<2>(a, {stream, NULL, NULL})
                          : launch<1>(a, {stream, NULL, NULL});
}

extern "C" cudaError_t mb_revise_fused(const mb_fused_args *a, cudaGraphExec_t exec,
                                       cudaGraphNode_t node)
{
    const mb_to to = {NULL, exec, node};
    return a->digits == 2 ? launch<2>(a, to) : launch<1>(a, to);
}
