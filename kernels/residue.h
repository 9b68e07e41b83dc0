/* SPDX-License-Identifier: BSD-3-Clause */
/* Residues mod m <= 256 in four instructions, compiled by the C compiler and by nvcc. */
#ifndef MB_KERNELS_RESIDUE_H
#define MB_KERNELS_RESIDUE_H

#include "scheme.h"

#include <math.h>

/* How a sum x is reduced mod m. The bytes of x + 2^31 weigh 256^j mod m, so that
 *     t = sum_j byte_j * weight_j + (-2^31 mod m) = x mod m,  t < 4*255*255 + 256 < 2^18.
 * Let Z be the multiple of m next above 2^23. As bits of a float, start + sum_j .. is Z + t, and
 *     floor((Z + t) * inverse) = Z/m + floor(t/m)
 * for every t (tests/test_fused.c tries all); 2^23 added while rounding down leaves that integer
 * in the low bits of a float. */
typedef struct mb_residue {
    uint32_t weights; /* byte j: 256^j mod m */
    uint32_t start;
    uint32_t m;
    float inverse; /* 1/m, rounded up */
} mb_residue;

/* The low byte of what is returned is that of t mod m - shift*m, for z the bits of Z + t and above
 * = 2^23 + shift; the others are undefined. */
MB_FN uint32_t mb_residue_of_bits(uint32_t z, float inverse, float above, uint32_t m)
{
    return z - mb_bits_of_float(mb_floor_above(mb_float_of_bits(z), inverse, above)) * m;
}

/* The low byte of what is returned is x mod m; the others are undefined. */
MB_FN uint32_t mb_residue_reduce(int32_t x, const mb_residue *r)
{
    const uint32_t z = mb_dot4((uint32_t)x ^ 0x80000000U, r->weights, r->start);
    return mb_residue_of_bits(z, r->inverse, 8388608.0F, r->m);
}

/* How S_0 + 256 S_1 is reduced mod n, 512 < n <= 65536, for any two int32 sums: v = S_0 + 256 S_1
 * + bias lies in [0, 257*2^32 + n), v/512 in a word, and floor(v/512) * floor(2^41/n) / 2^32 is
 * less than v/n by at most 512/n + 1/2 + 1/256 < 3/2: its integer part by at most 2. */
typedef struct mb_pair {
    int64_t bias; /* a multiple of n, at least 257*2^31 */
    uint32_t n;
    uint32_t recip; /* floor(2^41/n) */
} mb_pair;

MB_FN uint32_t mb_pair_reduce(int32_t s0, int32_t s1, const mb_pair *p)
{
    const uint64_t v = (uint64_t)((int64_t)s1 * 256 + p->bias + s0);
    uint32_t r = (uint32_t)v - mb_mulhi32((uint32_t)(v >> 9), p->recip) * p->n;
    r = r >= p->n ? r - p->n : r;
    return r >= p->n ? r - p->n : r;
}

/* Requires: 512 < n <= 65536. */
static inline mb_pair mb_pair_of(uint32_t n)
{
    const int64_t least = (int64_t)257 << 31;
    return (mb_pair){(least + n - 1) / n * n, n, (uint32_t)(((uint64_t)1 << 41) / n)};
}

/* The bits of Z. */
static inline uint32_t mb_residue_zero(uint32_t m)
{
    const uint32_t two_23 = 1U << 23, bits_two_23 = 0x4b000000U;
    return bits_two_23 + ((two_23 + m - 1) / m * m - two_23);
}

static inline float mb_residue_inverse(uint32_t m)
{
    const float inverse = 1.0F / (float)m;
    return (double)inverse * m < 1.0 ? nextafterf(inverse, 1.0F) : inverse;
}

/* Requires: 2 <= m <= 256. */
static inline mb_residue mb_residue_of(uint32_t m)
{
    mb_residue r = {0, mb_residue_zero(m) + (m - (1U << 31) % m) % m, m, mb_residue_inverse(m)};
    uint32_t power = 1 % m;
    for (int j = 0; j < 4; j++, power = power * 256 % m)
        r.weights |= power << 8 * j;
    return r;
}

#endif
