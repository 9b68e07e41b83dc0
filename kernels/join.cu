/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums to residues: a thread joins EACH neighbouring entries of one row, reading EACH sums of a
 * plane at once, and stores them. One kernel for each type of sum; the type of C is a uniform
 * switch around its few accesses. */
#include "bytes.h"
#include "kernels.h"
#include "quad.cuh"
#include "send.cuh"

enum { LANES = 32, ROWS = 8 };
/* Rows that a thread joins one after the other; one where blocks are too few to fill a GPU. */
enum { AGAIN = 4, FEW = 1024 };

/* Planes of sums that are on their way together. Terms beyond the last are 0, so that an odd plane
 * needs no branch: 0 is added to everything. Bytes of all planes come at once. */
enum { BATCH = 2 };
static_assert(MB_MAX_PLANES % BATCH == 0 && MB_MAX_PLANES == 5 * MB_GROUP &&
                  (int)MB_GROUP == (int)EACH,
              "a term beyond the last has its place");
enum { GRID_X = 0x7fffffff, GRID_Y = 65535 };

/* What a loop over planes knows of join. WORDS: residues, narrow, and weights below 2^32. */
enum kind { DIGITS, NARROW_DIGITS, RESIDUES, NARROW_RESIDUES, WORDS };

static __device__ __forceinline__ kind kind_of(const mb_join &join)
{
    if (!join.residues)
        return join.narrow ? NARROW_DIGITS : DIGITS;
    if (!join.narrow)
        return RESIDUES;
    return join.wide || join.mod.n - 1 > UINT32_MAX ? NARROW_RESIDUES : WORDS;
}

/* mb_join_i32 of kind WORDS, in three quarters of the instructions. Where y < m, y - m wraps round
 * to more than y. */
static __device__ __forceinline__ void add_word(mb_joining *s, int32_t sum, const mb_term &term,
                                                uint32_t bias)
{
    uint32_t y = (uint32_t)sum + bias;
    y = y - mb_mulhi32(y, term.magic) * term.m + term.unbias;
    y = min(y, y - term.m);
    y = min(y, y - term.m);
    s->t += y * term.fraction; /* moduli are bytes: a word */
    s->v.lo += (uint64_t)y * (uint32_t)term.weight;
}

template <kind known>
static __device__ __forceinline__ void add_sum(mb_joining *s, int32_t sum, const mb_term &term,
                                               const mb_join &join)
{
    if constexpr (known == WORDS)
        add_word(s, sum, term, (uint32_t)join.bias);
    else
        mb_join_i32(s, sum, &term, &join);
}

template <kind known>
static __device__ __forceinline__ void add_sum(mb_joining *s, int64_t sum, const mb_term &term,
                                               const mb_join &join)
{
    mb_join_i64(s, sum, &term, &join);
}

template <kind known>
static __device__ __forceinline__ void add_sum(mb_joining *s, double sum, const mb_term &term,
                                               const mb_join &join)
{
    mb_join_f64(s, sum, &term, &join);
}

/* v[p] = the sums of plane p, for p < planes. All loads are on their way before the first is used;
 * one test for the whole batch keeps it free of branches. */
template <typename Sum>
static __device__ __forceinline__ void load_planes(quad<Sum> *v, const Sum *acc,
                                                   int64_t plane_stride, int planes, int n)
{
    if (n == EACH && aligned(acc) && aligned(acc + plane_stride)) {
#pragma unroll
        for (int p = 0; p < BATCH; p++)
            if (p < planes)
                v[p] = *(const quad<Sum> *)(acc + p * plane_stride);
        return;
    }
#pragma unroll
    for (int p = 0; p < BATCH; p++)
        if (p < planes)
            v[p] = load_each(acc + p * plane_stride, 1, n);
}

template <kind known, typename Sum>
static __device__ __forceinline__ void add_planes(mb_joining *s, const mb_join &join,
                                                  const Sum *acc, int64_t plane_stride, int n)
{
    /* What adding a sum reads of join, so that the compiler sees constants. */
    mb_join flags;
    flags.residues = known >= RESIDUES;
    flags.narrow = known != DIGITS && known != RESIDUES;
    flags.bias = join.bias;
#pragma unroll 1
    for (int i = 0; i < join.terms; i += BATCH, acc += BATCH * plane_stride) {
        quad<Sum> v[BATCH] = {};
        load_planes(v, acc, plane_stride, join.terms - i, n);
#pragma unroll
        for (int p = 0; p < BATCH; p++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                add_sum<known>(&s[e], v[p].e[e], join.term[i + p], flags);
    }
}

/* r = join of the planes. */
template <typename Sum>
static __device__ __forceinline__ quad<uint64_t>
join_planes(const mb_join &join, const mb_byte_join &, const Sum *acc, int64_t plane_stride, int n)
{
    mb_joining s[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        s[e] = mb_join_start(&join);
    switch (kind_of(join)) {
    case DIGITS:
        add_planes<DIGITS>(s, join, acc, plane_stride, n);
        break;
    case NARROW_DIGITS:
        add_planes<NARROW_DIGITS>(s, join, acc, plane_stride, n);
        break;
    case RESIDUES:
        add_planes<RESIDUES>(s, join, acc, plane_stride, n);
        break;
    case NARROW_RESIDUES:
        add_planes<NARROW_RESIDUES>(s, join, acc, plane_stride, n);
        break;
    case WORDS:
        add_planes<WORDS>(s, join, acc, plane_stride, n);
    }
    quad<uint64_t> r;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        r.e[e] = mb_join_finish(s[e], &join);
    return r;
}

static __device__ __forceinline__ bool is_signed(modblas_type type)
{
    return type >= MODBLAS_I8;
}

/* out[e] = bytes e of the four words. */
static __device__ __forceinline__ void transpose(uint32_t *out, const uint32_t *in)
{
    const uint32_t low01 = __byte_perm(in[0], in[1], 0x5140);
    const uint32_t low23 = __byte_perm(in[2], in[3], 0x5140);
    const uint32_t high01 = __byte_perm(in[0], in[1], 0x7362);
    const uint32_t high23 = __byte_perm(in[2], in[3], 0x7362);
    out[0] = __byte_perm(low01, low23, 0x5410);
    out[1] = __byte_perm(low01, low23, 0x7632);
    out[2] = __byte_perm(high01, high23, 0x5410);
    out[3] = __byte_perm(high01, high23, 0x7632);
}

/* Residues of a byte, whose join is in words (mb_join_in_words), or is not. */
template <bool in_words> struct byte_sum {
    uint8_t y;
};

template <bool in_words, int groups>
static __device__ __forceinline__ uint64_t join_bytes(const uint32_t (&y)[groups][EACH], int e,
                                                      const mb_join &join,
                                                      const mb_byte_join &bytes)
{
    mb_byte_sums s = mb_byte_start(&bytes);
#pragma unroll
    for (int g = 0; g < groups; g++)
        mb_byte_add(&s, y[g][e], &bytes, g, in_words ? 4 : 8);
    if (in_words)
        return mb_byte_finish_word(&s, &join);
    return mb_join_finish(mb_byte_joined(&s, 8), &join);
}

/* Planes of residues, at most 4*groups. */
template <int groups, bool in_words>
static __device__ __forceinline__ quad<uint64_t>
join_groups(const mb_join &join, const mb_byte_join &bytes, const byte_sum<in_words> *acc,
            int64_t plane_stride)
{
    uint32_t v[groups * MB_GROUP], y[groups][EACH];
#pragma unroll
    for (int p = 0; p < groups * MB_GROUP; p++) {
        v[p] = *(const uint32_t *)acc; /* once more the last one: its weight is 0 */
        acc += p + 1 <= (groups - 1) * MB_GROUP || p + 1 < join.terms ? plane_stride : 0;
    }
#pragma unroll
    for (int g = 0; g < groups; g++)
        transpose(y[g], v + g * MB_GROUP);
    quad<uint64_t> r;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        r.e[e] = join_bytes<in_words>(y, e, join, bytes);
    return r;
}

/* EACH entries, whether in C or beyond its last column. A join has no constant then. */
template <bool in_words>
static __device__ __forceinline__ quad<uint64_t>
join_planes(const mb_join &join, const mb_byte_join &bytes, const byte_sum<in_words> *acc,
            int64_t plane_stride, int)
{
    switch ((join.terms + MB_GROUP - 1) / MB_GROUP) {
    case 1:
        return join_groups<1>(join, bytes, acc, plane_stride);
    case 2:
        return join_groups<2>(join, bytes, acc, plane_stride);
    case 3:
        return join_groups<3>(join, bytes, acc, plane_stride);
    case 4:
        return join_groups<4>(join, bytes, acc, plane_stride);
    default:
        return join_groups<5>(join, bytes, acc, plane_stride);
    }
}

/* Residues of two bytes: the one term that a join then has, with a weight below 2^16. */
static __device__ __forceinline__ quad<uint64_t>
join_planes(const mb_join &join, const mb_byte_join &, const uint16_t *acc, int64_t, int n)
{
    const quad<uint16_t> y = load(acc, 1, n);
    quad<uint64_t> r;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        r.e[e] = mb_reduce64(y.e[e] * join.term[0].weight, &join.mod);
    return r;
}

/* An entry as a word: two's complement where is_signed. */
template <typename T>
static __device__ __forceinline__ uint64_t word_of(T v, double limit, uint32_t *fault)
{
    if constexpr (T(0.5) != T(0)) {
        int64_t word = 0;
        if (!mb_integer_of((double)v, limit, &word))
            *fault |= MB_FAULT_NOTINT << 2;
        return (uint64_t)word;
    } else {
        return (uint64_t)v;
    }
}

template <typename T>
static __device__ __forceinline__ quad<uint64_t> load_words(const modblas_matrix &C, int64_t at,
                                                            int n, double limit, uint32_t *fault)
{
    quad<T> v = load((const T *)C.data + at, C.col_stride, n);
    quad<uint64_t> word;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        word.e[e] = word_of(v.e[e], limit, fault);
    return word;
}

template <typename T>
static __device__ __forceinline__ void store_words(const modblas_matrix &C, int64_t at, int n,
                                                   const quad<uint64_t> &r)
{
    quad<T> v;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        v.e[e] = (T)r.e[e];
    store((T *)C.data + at, C.col_stride, n, v);
}

static __device__ __forceinline__ quad<uint64_t> load_entries(const mb_join_args &a, int64_t at,
                                                              int n, uint32_t *fault)
{
    switch (a.C.type) {
#define LOAD(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        return load_words<ctype>(a.C, at, n, a.float_limit, fault);
        MODBLAS_TYPE_MAP(LOAD)
#undef LOAD
    }
    return {};
}

static __device__ __forceinline__ void store_entries(const modblas_matrix &C, int64_t at, int n,
                                                     const quad<uint64_t> &r)
{
    switch (C.type) {
#define STORE(name, ctype)                                                                        \
    case MODBLAS_##name:                                                                          \
        store_words<ctype>(C, at, n, r);                                                          \
        break;
        MODBLAS_TYPE_MAP(STORE)
#undef STORE
    }
}

/* r += beta*C. */
static __device__ __forceinline__ void add_old(quad<uint64_t> *r, const mb_join_args &a,
                                               const mb_mod &mod, int64_t at, int n,
                                               uint32_t *fault)
{
    quad<uint64_t> word = load_entries(a, at, n, fault);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        uint64_t c = is_signed(a.C.type) ? mb_residue_signed((int64_t)word.e[e], &mod)
                                         : mb_residue_unsigned(word.e[e], &mod);
        r->e[e] = mb_addmod(r->e[e], mb_mulmod(c, a.beta, &mod), &mod);
    }
}

/* The n entries from (i, j). */
template <typename Sum>
static __device__ __forceinline__ void join_entries(const mb_join &join, const mb_byte_join &bytes,
                                                    const mb_join_args &a, int64_t i, int64_t j,
                                                    int n, uint32_t *fault)
{
    const Sum *acc = (const Sum *)a.acc + i * a.acc_ld + j;
    quad<uint64_t> r = join_planes(join, bytes, acc, a.acc_plane_stride, n);
    uint64_t *carry = a.carry + i * a.carry_ld + j;
    if (a.add_carry) {
        quad<uint64_t> c = load(carry, 1, n);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            r.e[e] = mb_addmod(r.e[e], c.e[e], &join.mod);
    }
    if (a.to_carry) {
        store(carry, 1, n, r);
        return;
    }
    const int64_t at = i * a.C.row_stride + j * a.C.col_stride;
    if (a.beta != 0)
        add_old(&r, a, join.mod, at, n, fault);
    store_entries(a.C, at, n, r);
}

/* Blocks of a multiprocessor: as many as the registers allow. */
template <typename Sum> constexpr int BLOCKS = 3;
template <> constexpr int BLOCKS<byte_sum<true>> = 5;
template <> constexpr int BLOCKS<byte_sum<false>> = 2;

template <typename Sum>
static __global__ void __launch_bounds__(LANES *ROWS, BLOCKS<Sum>)
    join_kernel(const __grid_constant__ mb_join join, const __grid_constant__ mb_byte_join bytes,
                const __grid_constant__ mb_join_args a)
{
    const int64_t down = (int64_t)gridDim.y * ROWS;
    const int64_t across = (int64_t)gridDim.x * LANES * EACH;
    uint32_t fault = 0;
    for (int64_t i = (int64_t)blockIdx.y * ROWS + threadIdx.y; i < a.rows; i += down)
        for (int64_t j = ((int64_t)blockIdx.x * LANES + threadIdx.x) * EACH; j < a.cols;
             j += across) {
            int n = a.cols - j < EACH ? (int)(a.cols - j) : EACH;
            join_entries<Sum>(join, bytes, a, i, j, n, &fault);
        }
    if (fault)
        atomicOr(a.faults, fault);
}

static unsigned blocks(int64_t places, int each, int64_t most)
{
    int64_t count = places / each + (places % each != 0);
    return (unsigned)(count < most ? count : most);
}

static cudaError_t send_join(const mb_join *join, const mb_join_args *args, const mb_to &to)
{
    if (args->rows == 0 || args->cols == 0)
        return cudaSuccess;
    dim3 block(LANES, ROWS);
    dim3 grid(blocks(args->cols, LANES * EACH, GRID_X), blocks(args->rows, ROWS * AGAIN, GRID_Y));
    if ((int64_t)grid.x * grid.y < FEW)
        grid.y = blocks(args->rows, ROWS, GRID_Y);
    mb_join padded = *join;
    for (int i = join->terms; i < MB_MAX_PLANES; i++)
        padded.term[i] = {};
    const mb_byte_join bytes = join->reduced == 1 ? mb_byte_join_of(join) : mb_byte_join{};
    if (join->reduced == 2)
        return send(to, join_kernel<uint16_t>, grid, block, 0, padded, bytes, *args);
    if (join->reduced && mb_join_in_words(join))
        return send(to, join_kernel<byte_sum<true>>, grid, block, 0, padded, bytes, *args);
    if (join->reduced)
        return send(to, join_kernel<byte_sum<false>>, grid, block, 0, padded, bytes, *args);
    if (join->longs)
        return send(to, join_kernel<int64_t>, grid, block, 0, padded, bytes, *args);
    if (join->wide)
        return send(to, join_kernel<double>, grid, block, 0, padded, bytes, *args);
    return send(to, join_kernel<int32_t>, grid, block, 0, padded, bytes, *args);
}

extern "C" cudaError_t mb_launch_join(const mb_join *join, const mb_join_args *args,
                                      cudaStream_t stream)
{
    return send_join(join, args, {stream, NULL, NULL});
}

extern "C" cudaError_t mb_revise_join(const mb_join *join, const mb_join_args *args,
                                      cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return send_join(join, args, {NULL, exec, node});
}
