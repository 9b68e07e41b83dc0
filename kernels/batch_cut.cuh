/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of a product of a batch to digits in shared memory. */
#ifndef MB_KERNELS_BATCH_CUT_CUH
#define MB_KERNELS_BATCH_CUT_CUH

#include "../include/modblas.h"
#include "batch.h"

#include <type_traits>

enum { WARP = 32, WARPS = 8, THREADS = WARP * WARPS };
enum { PLACES = 64, LINE = PLACES };    /* along k, of a stage; bytes of a line of digits */
enum { EACH = 4, PATCH = EACH * EACH }; /* a thread cuts EACH lines by EACH places */
enum { WARPS_DOWN = 4, WARPS_ACROSS = WARPS / WARPS_DOWN, WARP_ROWS = 16, WARP_COLUMN = 8 };
/* ---- shared memory -------------------------------------------------------------------------- */

template <int digits, int columns> struct layout {
    static constexpr int COLUMNS = WARPS_ACROSS * WARP_COLUMN * columns;
    static constexpr int LINES = MB_BATCH_TILE + COLUMNS;
    static constexpr int PLANE = LINES * LINE;
    static constexpr int STAGE = digits * PLANE;
};

/* Bytes of a line lie in chunks of 16. Two lines share 128 bytes, in which chunks are moved by
 * bits of the line's number, so that neither eight lines in a row nor every fourth of 32 lines
 * meet in a bank. */
static __device__ __forceinline__ int place_of(int line, int chunk)
{
    const int moved = (line >> 1 & 7) ^ (line >> 4 & 1);
    return line / 2 * (2 * LINE) + (((line & 1) << 2 | chunk) ^ moved) * 16;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* An operand as its lines along k; strides in bytes. */
struct operand {
    const char *data;
    int64_t line, place;
    int lines, places;
    int type, size; /* bytes of an entry */
    bool along_k;
    bool aligned; /* runs of EACH entries may be read at once */
};

/* Kernels are made for one size of the entries of A and B, or, 0, for any two. */
template <int size> static __device__ __forceinline__ int size_in(const operand &o)
{
    return size ? size : o.size;
}

/* EACH runs of EACH entries, as they lie in memory. */
template <int size> struct patch {
    static constexpr int WORDS = size % 8 ? EACH : 2 * EACH;
    uint32_t w[EACH][WORDS];
};

struct corner {
    int line, step, place;
};

/* Lines line + i*step of the thread's patch in a tile of so many lines; of 32 lines only half of
 * the threads have one. Lanes lie so that memory is read in whole sectors and digits are written
 * without conflicts. */
static __device__ __forceinline__ corner corner_of(bool along_k, int lines)
{
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    if (along_k)
        return {warp * 8 + lane / 16, 2, lane % 16 * EACH};
    const int halves = lines / 32;
    return {warp % halves * 32 + lane % 8 * EACH, 1, warp / halves * 16 + lane / 8 * EACH};
}

template <int words>
static __device__ __forceinline__ void fetch_run(uint32_t (&w)[words], const char *p, int size)
{
    if (size == 1) {
        w[0] = __ldg((const uint32_t *)p);
    } else if (size == 2) {
        const uint2 q = __ldg((const uint2 *)p);
        w[0] = q.x, w[1] = q.y;
    } else {
        const uint4 q = __ldg((const uint4 *)p);
        w[0] = q.x, w[1] = q.y, w[2] = q.z, w[3] = q.w;
    }
    if constexpr (words == 2 * EACH)
        if (size == 8) {
            const uint4 q = __ldg((const uint4 *)p + 1);
            w[4] = q.x, w[5] = q.y, w[6] = q.z, w[7] = q.w;
        }
}

/* An entry more at the end of a run, whose first leaves it. */
template <int words>
static __device__ __forceinline__ void push(uint32_t (&w)[words], uint64_t x, int size)
{
    if (size == 1)
        w[0] = w[0] >> 8 | (uint32_t)x << 24;
    if (size == 2) {
        w[0] = w[0] >> 16 | w[1] << 16;
        w[1] = w[1] >> 16 | (uint32_t)x << 16;
    }
    if (size == 4)
        w[0] = w[1], w[1] = w[2], w[2] = w[3], w[3] = (uint32_t)x;
    if constexpr (words == 2 * EACH)
        if (size == 8) {
#pragma unroll
            for (int i = 0; i < 6; i++)
                w[i] = w[i + 2];
            w[6] = (uint32_t)x;
            w[7] = (uint32_t)(x >> 32);
        }
}

static __device__ __forceinline__ uint64_t fetch_word(const char *p, int size)
{
    if (size == 1)
        return __ldg((const uint8_t *)p);
    if (size == 2)
        return __ldg((const uint16_t *)p);
    if (size == 4)
        return __ldg((const uint32_t *)p);
    return __ldg((const unsigned long long *)p);
}

/* `runs` runs `next` bytes apart of `inside` entries `step` apart. Runs go round in a loop where
 * the size is not known, which keeps the code short. */
template <int size>
static __device__ __forceinline__ void fetch_part(patch<size> &v, const char *p, int64_t next,
                                                  int64_t step, int runs, int inside, int bytes)
{
#pragma unroll(size ? EACH : 1)
    for (int i = 0; i < EACH; i++, p += next) {
        uint64_t x[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            x[e] = i < runs && e < inside ? fetch_word(p + e * step, bytes) : 0;
#pragma unroll
        for (int j = 0; j + 1 < EACH; j++)
#pragma unroll
            for (int w = 0; w < patch<size>::WORDS; w++)
                v.w[j][w] = v.w[j + 1][w];
#pragma unroll
        for (int e = 0; e < EACH; e++)
            push(v.w[EACH - 1], x[e], bytes);
    }
}

/* The patch at line, place; 0 outside. */
template <int size>
static __device__ __forceinline__ void fetch(patch<size> &v, const operand &o, const corner &at,
                                             int k0)
{
    const int place = at.place + k0;
    const char *p = o.data + at.line * o.line + place * o.place;
    /* How many are left, be it none or more than a patch has. Not clamped: ptxas 13.0 made one
     * instruction of the clamp and the comparisons with its ends (VIMNMX.RELU with a predicate),
     * and on an H200 patches at the end of k were read beyond it. */
    const int lines = (o.lines - at.line + at.step - 1) / at.step;
    const int places = o.places - place;
    const int64_t down = at.step * o.line, next = o.along_k ? down : o.place;
    if (o.aligned && lines >= EACH && places >= EACH) {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            fetch_run(v.w[i], p + i * next, size_in<size>(o));
        return;
    }
    fetch_part(v, p, next, o.along_k ? o.place : down, o.along_k ? lines : places,
               o.along_k ? places : lines, size_in<size>(o));
}

static __device__ __forceinline__ bool is_signed(int type)
{
    return type >= MODBLAS_I8 && type <= MODBLAS_I64;
}

/* Entries of at most four bytes as words, extended by their sign. */
template <typename P>
static __device__ __forceinline__ void widen(uint32_t (&x)[PATCH], const P &v, int size,
                                             bool extend)
{
    const int unused = 32 - 8 * size;
#pragma unroll
    for (int i = 0; i < PATCH; i++)
        x[i] = v.w[i / EACH][i % EACH];
    if (size == 4)
        return;
#pragma unroll
    for (int i = 0; i < PATCH; i++) {
        const int e = i % EACH;
        const uint32_t w =
            size == 2 ? v.w[i / EACH][e / 2] << 16 * (1 - e % 2) : v.w[i / EACH][0] << 8 * (3 - e);
        x[i] = extend ? (uint32_t)((int32_t)w >> unused) : w >> unused;
    }
}

/* How residues enter: those up to limit as they are, and then as the representative that has
 * digits. U holds a residue. */
template <typename U> struct entering {
    U limit, center, room;
    bool plain; /* entries up to limit are residues */
    bool raw;
};

template <typename U>
static __device__ __forceinline__ entering<U> entering_of(const mb_batch_rule &rule, int i,
                                                          const operand &o)
{
    const uint64_t last = rule.mod.n - 1, bound = rule.bound[i];
    const uint64_t all = UINT64_MAX >> (64 - 8 * o.size);
    entering<U> e;
    e.limit = (U)min(min(bound, last), is_signed(o.type) ? all / 2 : all);
    e.center = (U)rule.center[i];
    e.room = (U)(rule.mod.n - rule.center[i]);
    e.raw = rule.raw[i];
    e.plain = !e.raw && o.type < MODBLAS_F32;
    return e;
}

/* u = (r + center) mod N, or r if raw. */
template <typename U> static __device__ __forceinline__ U move(U r, const entering<U> &e)
{
    return e.raw ? r : r < e.room ? r + e.center : r - e.room;
}

/* What one word enters as; W says how wide a signed one is. */
template <typename W>
static __device__ __forceinline__ uint64_t enter_word(W x, const mb_cut &cut, int type,
                                                      uint32_t *fault)
{
    using signed_word = std::conditional_t<sizeof(W) == 8, int64_t, int32_t>;
    if (type >= MODBLAS_F32) {
        if constexpr (sizeof(W) == 8)
            return mb_enter_double(__longlong_as_double((long long)x), &cut, fault);
        else
            return mb_enter_double((double)__uint_as_float(x), &cut, fault);
    }
    if (is_signed(type))
        return mb_enter_signed((int64_t)(signed_word)x, &cut, fault);
    return mb_enter_unsigned(x, &cut, fault);
}

/* What the words of a patch enter as. Residues are let through; others go round in a loop, each
 * time the first, since code for sixteen would not fit. */
template <typename U, typename W>
static __device__ __forceinline__ uint32_t enter_words(U (&r)[PATCH], W (&x)[PATCH],
                                                       const entering<U> &e,
                                                       const mb_batch_rule &rule, int i, int type)
{
    W largest = 0;
#pragma unroll
    for (int j = 0; j < PATCH; j++) {
        largest = max(largest, x[j]);
        r[j] = (U)x[j];
    }
    if (e.plain && largest <= e.limit)
        return 0;
    uint32_t fault = 0;
    const mb_cut cut = mb_batch_cut(&rule, i);
#pragma unroll 1
    for (int again = 0; again < PATCH; again++) {
        const U entered = (U)enter_word(x[0], cut, type, &fault);
#pragma unroll
        for (int j = 0; j + 1 < PATCH; j++) {
            x[j] = x[j + 1];
            r[j] = r[j + 1];
        }
        r[PATCH - 1] = entered;
    }
    return fault;
}

template <typename U, int size>
static __device__ __forceinline__ uint32_t enter_patch(U (&r)[PATCH], const patch<size> &v,
                                                       const entering<U> &e,
                                                       const mb_batch_rule &rule, int i,
                                                       const operand &o)
{
    if constexpr (size % 8 == 0)
        if (size_in<size>(o) == 8) {
            uint64_t x[PATCH];
#pragma unroll
            for (int j = 0; j < PATCH; j++)
                x[j] =
                    (uint64_t)v.w[j / EACH][j % EACH * 2 + 1] << 32 | v.w[j / EACH][j % EACH * 2];
            return enter_words(r, x, e, rule, i, o.type);
        }
    if constexpr (size != 8) {
        uint32_t x[PATCH];
        widen(x, v, size_in<size>(o), is_signed(o.type));
        return enter_words(r, x, e, rule, i, o.type);
    }
    return 0;
}

/* ---- digits --------------------------------------------------------------------------------- */

/* Bytes 4*half .. of four numbers: out[b] holds byte b of each. */
template <typename U>
static __device__ __forceinline__ void transpose(uint32_t (&out)[4], const U (&u)[EACH], int half)
{
    const uint32_t a = (uint32_t)((uint64_t)u[0] >> 32 * half);
    const uint32_t b = (uint32_t)((uint64_t)u[1] >> 32 * half);
    const uint32_t c = (uint32_t)((uint64_t)u[2] >> 32 * half);
    const uint32_t d = (uint32_t)((uint64_t)u[3] >> 32 * half);
    const uint32_t low01 = __byte_perm(a, b, 0x5140), low23 = __byte_perm(c, d, 0x5140);
    const uint32_t high01 = __byte_perm(a, b, 0x7362), high23 = __byte_perm(c, d, 0x7362);
    out[0] = __byte_perm(low01, low23, 0x5410);
    out[1] = __byte_perm(low01, low23, 0x7632);
    out[2] = __byte_perm(high01, high23, 0x5410);
    out[3] = __byte_perm(high01, high23, 0x7632);
}

/* Digits of four places of a line, each u's byte less 128, and 0 where they are not kept. */
template <int digits, int plane, typename U>
static __device__ __forceinline__ void store_digits(char *out, const U (&u)[EACH], uint32_t keep)
{
    uint32_t bytes[4];
#pragma unroll
    for (int t = 0; t < digits; t++) {
        if (t % 4 == 0)
            transpose(bytes, u, t / 4);
        *(uint32_t *)(out + t * plane) = (bytes[t % 4] ^ 0x80808080u) & keep;
    }
}

/* Cuts a patch of operand i into the planes of a stage. */
template <int digits, int plane, typename U, int size>
static __device__ __forceinline__ uint32_t cut_patch(char *stage, const patch<size> &v,
                                                     const entering<U> &e,
                                                     const mb_batch_rule &rule, int i,
                                                     const operand &o, const corner &at, int k0)
{
    U r[PATCH];
    const uint32_t fault = enter_patch<U>(r, v, e, rule, i, o);
    const int places = o.places - k0 - at.place;
    uint32_t keep = places > 0 ? (1u << 8 * (places & (EACH - 1))) - 1 : 0;
    if (places >= EACH)
        keep = 0xffffffffu;
#pragma unroll
    for (int l = 0; l < EACH; l++) {
        U u[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            u[j] = move(o.along_k ? r[l * EACH + j] : r[j * EACH + l], e);
        char *out = stage + place_of(at.line + l * at.step, at.place / 16) + at.place % 16;
        store_digits<digits, plane>(out, u, keep);
    }
    return fault;
}

#endif
