/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums to residues in four instructions, compiled by the C compiler and by nvcc. */
#ifndef MB_KERNELS_RESIDUE_H
#define MB_KERNELS_RESIDUE_H

#include "scheme.h"

#include <math.h>
#include <string.h>

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

MB_FN uint32_t mb_bits_of_float(float x)
{
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

MB_FN float mb_float_of_bits(uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

/* x*y + 2^23 rounded down, for 0 <= x*y < 2^23. On the host the product is exact in a double. */
MB_FN float mb_floor_above_two_23(float x, float y)
{
    const float two_23 = 8388608.0F;
#if defined(__CUDA_ARCH__)
    return __fmaf_rd(x, y, two_23);
#else
    return (float)(uint32_t)((double)x * (double)y) + two_23;
#endif
}

/* The low byte of what is returned is x mod m; the others are undefined. */
MB_FN uint32_t mb_residue_reduce(int32_t x, const mb_residue *r)
{
    const uint32_t z = mb_dot4((uint32_t)x ^ 0x80000000U, r->weights, r->start);
    const float q = mb_floor_above_two_23(mb_float_of_bits(z), r->inverse);
    return z - mb_bits_of_float(q) * r->m;
}

/* Requires: 2 <= m <= 256. */
static inline mb_residue mb_residue_of(uint32_t m)
{
    const uint32_t two_23 = 1U << 23, bits_two_23 = 0x4b000000U;
    const uint32_t z = (two_23 + m - 1) / m * m, minus_two_31 = (m - (1U << 31) % m) % m;
    mb_residue r = {0, bits_two_23 + (z - two_23) + minus_two_31, m, 1.0F / (float)m};
    if ((double)r.inverse * m < 1.0)
        r.inverse = nextafterf(r.inverse, 1.0F);
    uint32_t power = 1 % m;
    for (int j = 0; j < 4; j++, power = power * 256 % m)
        r.weights |= power << 8 * j;
    return r;
}

#endif
