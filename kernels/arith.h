/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic modulo N on 64-bit words, compiled by the C compiler and by nvcc, so that what a GPU
 * runs is tested on any machine. Nothing here divides; reciprocals come from src/exact/modulus.c.
 *
 * Notation: a residue is a number in [0, N); N = 2^64 is stored as 0, so a residue may be any
 * word.
 */
#ifndef MB_KERNELS_ARITH_H
#define MB_KERNELS_ARITH_H

#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define MB_FN static __host__ __device__ __forceinline__
#else
#define MB_FN static inline
#endif

typedef struct mb_u128 {
    uint64_t lo, hi;
} mb_u128;

/* N and what reduction by it needs. Made by mb_mod_make only. */
typedef struct mb_mod {
    uint64_t n;     /* N, or 0 for 2^64 */
    uint64_t norm;  /* N * 2^shift, whose top bit is set; unused for 2^64 */
    uint64_t inv;   /* floor((2^128 - 1) / norm) - 2^64 */
    uint64_t recip; /* floor((2^64 - 1) / N), or 0 for 2^64 */
    uint64_t half;  /* floor(N / 2) */
    uint32_t shift; /* leading zeros of N */
} mb_mod;

/* High half of a*b. */
MB_FN uint64_t mb_mulhi64(uint64_t a, uint64_t b)
{
#if defined(__CUDA_ARCH__)
    return __umul64hi(a, b);
#else
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
}

MB_FN uint32_t mb_mulhi32(uint32_t a, uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return __umulhi(a, b);
#else
    return (uint32_t)(((uint64_t)a * b) >> 32);
#endif
}

/* s + a*b mod 2^128. */
MB_FN mb_u128 mb_mad128(mb_u128 s, uint64_t a, uint64_t b)
{
    uint64_t lo = a * b;
    mb_u128 r;
    r.lo = s.lo + lo;
    r.hi = s.hi + mb_mulhi64(a, b) + (r.lo < lo);
    return r;
}

/* (u1 * 2^64 + u0) mod norm. Requires u1 < norm.
 * Source: Moeller and Granlund, "Improved division by invariant integers", IEEE TC 60 (2011),
 * algorithm 4 without the quotient. */
MB_FN uint64_t mb_rem_2by1(uint64_t u1, uint64_t u0, uint64_t norm, uint64_t inv)
{
    mb_u128 q;
    q.lo = u0;
    q.hi = u1;
    q = mb_mad128(q, inv, u1);
    uint64_t r = u0 - (q.hi + 1) * norm;
    if (r > q.lo)
        r += norm;
    return r >= norm ? r - norm : r;
}

/* v mod n for any word v, recip = floor((2^64 - 1)/n) or floor(2^64/n): recip >= 2^64/n - 1, so
 * that the quotient is at most one too small. */
MB_FN uint64_t mb_remainder(uint64_t v, uint64_t n, uint64_t recip)
{
    uint64_t r = v - mb_mulhi64(v, recip) * n;
    return r >= n ? r - n : r;
}

/* v mod N for any word v. For 2^64 recip is 0, and r - 0 is v. */
MB_FN uint64_t mb_reduce64(uint64_t v, const mb_mod *mod)
{
    return mb_remainder(v, mod->n, mod->recip);
}

/* v mod N for any 128-bit v. */
MB_FN uint64_t mb_reduce128(mb_u128 v, const mb_mod *mod)
{
    if (mod->n == 0)
        return v.lo;
    uint64_t hi = mb_reduce64(v.hi, mod);
    /* hi < N, so (hi, lo) * 2^shift has its high word below norm. */
    uint64_t top = mod->shift ? v.lo >> (64 - mod->shift) : 0;
    uint64_t u1 = (hi << mod->shift) | top;
    return mb_rem_2by1(u1, v.lo << mod->shift, mod->norm, mod->inv) >> mod->shift;
}

/* (hi * 2^128 + v) mod N. Requires hi < N. */
MB_FN uint64_t mb_reduce192(uint64_t hi, mb_u128 v, const mb_mod *mod)
{
    if (mod->n == 0)
        return v.lo;
    /* Times 2^shift the top word stays below norm. */
    uint32_t s = mod->shift;
    uint64_t u2 = s ? hi << s | v.hi >> (64 - s) : hi;
    uint64_t u1 = s ? v.hi << s | v.lo >> (64 - s) : v.hi;
    u1 = mb_rem_2by1(u2, u1, mod->norm, mod->inv);
    return mb_rem_2by1(u1, v.lo << s, mod->norm, mod->inv) >> s;
}

/* (a + b) mod N for residues a, b. N - b is at least 1, or wraps round to 0 if N = 2^64 and b = 0.
 * Without a branch, which random residues would mislead. */
MB_FN uint64_t mb_addmod(uint64_t a, uint64_t b, const mb_mod *mod)
{
    uint64_t room = mod->n - b;
    return a - room + (a < room ? mod->n : 0);
}

/* -a mod N for a residue a. */
MB_FN uint64_t mb_negmod(uint64_t a, const mb_mod *mod)
{
    return a == 0 ? 0 : mod->n - a;
}

/* a*b mod N for residues a, b (or any two words). */
MB_FN uint64_t mb_mulmod(uint64_t a, uint64_t b, const mb_mod *mod)
{
    mb_u128 p;
    p.lo = a * b;
    p.hi = mb_mulhi64(a, b);
    return mb_reduce128(p, mod);
}

/* The residue of an integer entry. */
MB_FN uint64_t mb_residue_unsigned(uint64_t v, const mb_mod *mod)
{
    return mb_reduce64(v, mod);
}

MB_FN uint64_t mb_residue_signed(int64_t v, const mb_mod *mod)
{
    uint64_t sign = 0 - (uint64_t)(v < 0);
    uint64_t r = mb_reduce64(((uint64_t)v ^ sign) - sign, mod);
    return r == 0 ? 0 : (mod->n & sign) + ((r ^ sign) - sign);
}

/* *v = x if x is an integer of magnitude at most limit (which is below 2^63); else returns 0. */
MB_FN int mb_integer_of(double x, double limit, int64_t *v)
{
    if (!(x >= -limit && x <= limit))
        return 0;
    *v = (int64_t)x;
    return (double)*v == x;
}

/* ---- floats as integers --------------------------------------------------------------------- */

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

/* x*y + above rounded down, for 0 <= x*y and an integer `above` from 2^23 on, the sum below 2^24.
 * On the host the product is exact in a double. */
MB_FN float mb_floor_above(float x, float y, float above)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rd(x, y, above);
#else
    return (float)(uint32_t)((double)x * (double)y) + above;
#endif
}

#endif
