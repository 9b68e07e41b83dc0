/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes of bytes by dot products of four bytes, compiled by the C compiler and by nvcc: what the
 * kernels do in place of mb_cut_bytewise and mb_join_add (scheme.h), with the same results. */
#ifndef MB_KERNELS_BYTES_H
#define MB_KERNELS_BYTES_H

#include "residue.h"

/* ---- cut ------------------------------------------------------------------------------------ */

/* A residue plane for m odd, or 256. The dot product of u is t < 8*255*255 + 256 < 2^19, and is
 * reduced as in residue.h: z = Z + t as bits of a float, q = Z/m + floor(t/m) + shift, where
 * shift*m = half mod 256, so that the low byte of z - q*m is (t mod m) - half. For 256 q*m has no
 * low byte, and start is less by half. */
typedef struct mb_byte_plane {
    uint32_t weight_lo, weight_hi; /* as in mb_plane */
    uint32_t start;                /* bits of Z + add */
    uint32_t m;
    float inverse; /* 1/m, rounded up */
    float above;   /* 2^23 + shift */
} mb_byte_plane;

/* The low byte of what is returned is that of mb_cut_bytewise. */
MB_FN uint32_t mb_byte_cut_low(uint32_t u, const mb_byte_plane *p)
{
    return mb_residue_of_bits(mb_dot4(u, p->weight_lo, p->start), p->inverse, p->above, p->m);
}

MB_FN uint32_t mb_byte_cut(uint64_t u, const mb_byte_plane *p)
{
    const uint32_t low = mb_dot4((uint32_t)u, p->weight_lo, p->start);
    const uint32_t z = mb_dot4((uint32_t)(u >> 32), p->weight_hi, low);
    return mb_residue_of_bits(z, p->inverse, p->above, p->m);
}

/* Requires: p is a plane of a cut of kind MB_CUT_BYTEWISE; p->m is odd, or 256. */
static inline mb_byte_plane mb_byte_plane_of(const mb_plane *p)
{
    uint32_t shift = 0;
    while (p->m % 2 == 1 && (uint8_t)(shift * p->m) != (uint8_t)p->half)
        shift++;
    return (mb_byte_plane){
        .weight_lo = p->weight_lo,
        .weight_hi = p->weight_hi,
        .start = mb_residue_zero(p->m) + p->add - (p->m % 2 == 1 ? 0 : p->half),
        .m = p->m,
        .inverse = mb_residue_inverse(p->m),
        .above = 8388608.0F + (float)shift,
    };
}

/* ---- join ----------------------------------------------------------------------------------- */

enum { MB_GROUP = 4, MB_GROUPS = MB_MAX_PLANES / MB_GROUP };

/* Factors of the terms of a group, a byte of each in a word: byte p of weight[g][b] is byte b of
 * the weight of term 4g + p, byte p of fraction[g] its fraction. */
typedef struct mb_byte_join {
    uint32_t weight[MB_GROUPS][8];
    uint32_t fraction[MB_GROUPS];
    uint32_t half; /* of 2^fraction_bits */
} mb_byte_join;

/* What an entry's residues y have contributed: weight[b] = sum of y times byte b of its weight, t
 * as in mb_joining; each at most 20*255*255 + 2^14 < 2^21. */
typedef struct mb_byte_sums {
    uint32_t weight[8], t;
} mb_byte_sums;

MB_FN mb_byte_sums mb_byte_start(const mb_byte_join *join)
{
    mb_byte_sums s = {{0}, join->half};
    return s;
}

/* Adds the four residues in y, those of group g. Weights have 4 or 8 bytes. */
MB_FN void mb_byte_add(mb_byte_sums *s, uint32_t y, const mb_byte_join *join, int g, int bytes)
{
    for (int b = 0; b < bytes; b++)
        s->weight[b] = mb_dot4(y, join->weight[g][b], s->weight[b]);
    s->t = mb_dot4(y, join->fraction[g], s->t);
}

/* x[0] + 2^8 x[1] + 2^16 x[2] + 2^24 x[3] for x < 2^21. */
MB_FN uint64_t mb_byte_word(const uint32_t *x)
{
    return ((uint64_t)((x[3] << 8) + x[2]) << 16) + ((x[1] << 8) + x[0]);
}

MB_FN mb_joining mb_byte_joined(const mb_byte_sums *s, int bytes)
{
    mb_joining r;
    r.t = s->t;
    r.v.lo = mb_byte_word(s->weight);
    r.v.hi = 0;
    if (bytes > 4) {
        const uint64_t high = mb_byte_word(s->weight + 4), moved = high << 32;
        r.v.lo += moved;
        r.v.hi = (high >> 32) + (r.v.lo < moved);
    }
    return r;
}

/* mb_join_finish(mb_byte_joined(s, 4), join) if mb_join_in_words. */
MB_FN uint32_t mb_byte_finish_word(const mb_byte_sums *s, const mb_join *join)
{
    const uint64_t q = s->t >> join->fraction_bits;
    return mb_reduce_small_word(mb_byte_word(s->weight) + q * (uint32_t)join->minus_M, join);
}

/* Requires: the fraction of each term is below 256. */
static inline mb_byte_join mb_byte_join_of(const mb_join *join)
{
    mb_byte_join bytes = {{{0}}, {0}, (uint32_t)(((uint64_t)1 << join->fraction_bits) >> 1)};
    for (int i = 0; i < join->terms; i++) {
        const int g = i / MB_GROUP, shift = 8 * (i % MB_GROUP);
        for (int b = 0; b < 8; b++)
            bytes.weight[g][b] |= (uint32_t)(join->term[i].weight >> 8 * b & 255) << shift;
        bytes.fraction[g] |= join->term[i].fraction << shift;
    }
    return bytes;
}

#endif
