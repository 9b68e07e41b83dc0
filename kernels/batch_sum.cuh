/* SPDX-License-Identifier: BSD-3-Clause */
/* Digits in shared memory to sums in registers, and sums to entries of C. */
#ifndef MB_KERNELS_BATCH_SUM_CUH
#define MB_KERNELS_BATCH_SUM_CUH

#include "batch_cut.cuh"

/* ---- products ------------------------------------------------------------------------------- */

/* Four 8 x 16-byte matrices, whose rows are at the addresses of eight lanes each. */
static __device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
}

static __device__ __forceinline__ void multiply(int32_t (&c)[4], const uint32_t (&a)[4],
                                                uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Adds the products of 32 places. a and b: this lane's addresses of its warp's first matrices. */
template <int digits, int columns, int plane>
static __device__ __forceinline__ void multiply_places(int32_t (&sum)[2 * digits - 1][columns][4],
                                                       uint32_t a, uint32_t b)
{
    uint32_t x[digits][4];
#pragma unroll
    for (int t = 0; t < digits; t++)
        load_matrices(x[t], a + t * plane);
#pragma unroll
    for (int c = 0; c < columns; c += 2)
#pragma unroll
        for (int u = 0; u < digits; u++) {
            uint32_t y[4];
            load_matrices(y,
                          (b ^ (uint32_t)(c / 2 % 2 * 16)) + u * plane + c * WARP_COLUMN * LINE);
#pragma unroll
            for (int t = 0; t < digits; t++) {
                multiply(sum[t + u][c], x[t], y[0], y[1]);
                multiply(sum[t + u][c + 1], x[t], y[2], y[3]);
            }
        }
}

/* ---- residues ------------------------------------------------------------------------------- */

/* The residue of entry e of column c. */
template <int digits, int columns>
static __device__ __forceinline__ uint64_t join_sums(
    const int32_t (&sum)[2 * digits - 1][columns][4], int c, int e, const mb_batch_rule &rule)
{
    mb_u128 v = {rule.constant, 0};
#pragma unroll
    for (int w = 0; w < 2 * digits - 1; w++)
        v = mb_batch_add(v, sum[w][c][e], w, digits, &rule);
    return mb_batch_finish(v, digits, &rule);
}

/* An entry as a word: two's complement where it is signed. */
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

/* The entries of C of which a thread has the sums: entry e of column c is number 4c + e. */
struct target {
    char *data;        /* of number 0 */
    int64_t row, step; /* bytes */
    int rows, columns; /* of C, from there on */

    __device__ __forceinline__ int down(int i) const
    {
        return i / 2 % 2 * 8;
    }
    __device__ __forceinline__ int across(int i) const
    {
        return i / 4 * WARP_COLUMN + i % 2;
    }
    __device__ __forceinline__ char *at(int i) const
    {
        return data + down(i) * row + across(i) * step;
    }
    __device__ __forceinline__ bool holds(int i) const
    {
        return down(i) < rows && across(i) < columns;
    }
};

template <typename T>
static __device__ __forceinline__ uint64_t load_word(const void *at, double limit, uint32_t *fault)
{
    return word_of(*(const T *)at, limit, fault);
}

/* The residue of what C holds at `at`. */
static __device__ __forceinline__ uint64_t old_residue(const char *at, int type,
                                                       const mb_batch_rule &rule, uint32_t *fault)
{
    uint64_t word = 0;
    switch (type) {
#define LOAD(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        word = load_word<ctype>(at, rule.float_limit, fault);                                     \
        break;
        MODBLAS_TYPE_MAP(LOAD)
#undef LOAD
    }
    return type >= MODBLAS_I8 ? mb_residue_signed((int64_t)word, &rule.mod)
                              : mb_residue_unsigned(word, &rule.mod);
}

/* Adds beta*C; entries go round as in enter_words. */
template <int columns>
static __device__ __forceinline__ uint32_t add_old(uint64_t (&r)[4 * columns],
                                                   const mb_batch_product &p,
                                                   const mb_batch_rule &rule, const target &to)
{
    uint32_t fault = 0;
#pragma unroll 1
    for (int i = 0; i < 4 * columns; i++) {
        uint64_t x = r[0];
        const char *at = to.at(i);
        if (to.holds(i))
            x = mb_addmod(x,
                          mb_mulmod(old_residue(at, p.type[2], rule, &fault), p.beta, &rule.mod),
                          &rule.mod);
#pragma unroll
        for (int j = 0; j + 1 < 4 * columns; j++)
            r[j] = r[j + 1];
        r[4 * columns - 1] = x;
    }
    return fault;
}

/* Stores words by truncation, two neighbours at once where C allows. */
template <typename T, int columns>
static __device__ __forceinline__ void store_words(const uint64_t (&r)[4 * columns],
                                                   const target &to)
{
    struct alignas(2 * sizeof(T)) pair {
        T x, y;
    };
    const bool pairs = to.step == sizeof(T) && (uintptr_t)to.data % sizeof(pair) == 0 &&
                       to.row % (int64_t)sizeof(pair) == 0;
#pragma unroll
    for (int i = 0; i < 4 * columns; i += 2) {
        if (pairs && to.holds(i + 1))
            *(pair *)to.at(i) = {(T)r[i], (T)r[i + 1]};
        else if (to.holds(i)) {
            *(T *)to.at(i) = (T)r[i];
            if (to.holds(i + 1))
                *(T *)to.at(i + 1) = (T)r[i + 1];
        }
    }
}

template <int columns>
static __device__ __forceinline__ void store_residues(uint64_t (&r)[4 * columns], int type,
                                                      int size, const target &to)
{
    if (type >= MODBLAS_F32)
#pragma unroll
        for (int i = 0; i < 4 * columns; i++)
            r[i] = type == MODBLAS_F32 ? __float_as_uint((float)r[i])
                                       : (uint64_t)__double_as_longlong((double)r[i]);
    if (size == 4)
        store_words<uint32_t, columns>(r, to);
    else if (size == 8)
        store_words<uint64_t, columns>(r, to);
    else if (size == 2)
        store_words<uint16_t, columns>(r, to);
    else
        store_words<uint8_t, columns>(r, to);
}

#endif
