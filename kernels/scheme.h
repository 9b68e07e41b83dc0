/* SPDX-License-Identifier: BSD-3-Clause */
/* The constants of a product and the scalar steps around its GEMMs, compiled by the C compiler and
 * by nvcc:
 *
 *   entry -> residue r -> u = (x + center) mod N -> planes (mb_cut)      before the GEMMs
 *   sums of the GEMMs -> residue of alpha*X mod N (mb_join)              after them
 *
 * where x is the balanced entry. src/plan fills these structs; kernels/ and the host backend
 * apply them.
 */
#ifndef MB_KERNELS_SCHEME_H
#define MB_KERNELS_SCHEME_H

#include "arith.h"

enum { MB_MAX_PLANES = 20, MB_MAX_FOLDS = 8 };

/* Sums below MB_SMALL times N are reduced by a quotient of 13 bits. */
enum { MB_SMALL = 1 << 13 };

/* Faults of entries. A worker collects them as bits, shifted left by the operand: A 0, B 1, C 2.
 */
enum { MB_FAULT_NOTINT = 1, MB_FAULT_BOUND = 8 };

/* How a residue plane is made from u, and read back. m is a modulus of the number system. */
typedef struct mb_plane {
    uint32_t m;
    uint32_t half;      /* floor(m/2); the plane holds (value mod m) - half */
    uint32_t add;       /* (half - center*fold) mod m */
    uint32_t fold;      /* factor folded into this operand, mod m */
    uint32_t weight_lo; /* byte j of (weight_hi, weight_lo): 256^j * fold mod m, for m <= 256 */
    uint32_t weight_hi;
    uint32_t magic; /* ceil(2^32/m), for m <= 256 */
    uint64_t inv;   /* floor(2^64/m) */
} mb_plane;

typedef enum mb_cut_kind {
    MB_CUT_DIGITS,   /* plane i is ((u >> i*radix_bits) & mask) - offset */
    MB_CUT_BYTEWISE, /* plane i is a residue mod m <= 256, from the bytes of u */
    MB_CUT_WIDE      /* plane i is a residue mod m < 2^27 */
} mb_cut_kind;

/* How entries of one operand become planes. For fold t the entry is multiplied by fold[t] mod N
 * first (fold[0] = 1). A raw operand is not reduced mod N: its entries are used as they are, and
 * it has one fold. */
typedef struct mb_cut {
    mb_mod mod;
    mb_cut_kind kind;
    int raw;
    uint64_t bound;     /* entries beyond it in magnitude are faults */
    double float_limit; /* magnitude up to which entries of floating types are accepted */
    uint64_t center;    /* u = (x + center) mod N, or x + center >= 0 if raw */
    int folds;
    uint64_t fold[MB_MAX_FOLDS];
    int planes;
    uint32_t radix_bits;
    uint64_t mask;
    uint64_t offset;
    mb_plane plane[MB_MAX_PLANES];
} mb_cut;

/* One plane of sums and its part in the result. */
typedef struct mb_term {
    uint64_t weight;   /* residues: alpha*(M/m) mod N; digits: alpha*radix^i mod N */
    uint64_t inv;      /* floor(2^64/m) */
    uint32_t m;        /* 0: the sum is used as it is */
    uint32_t magic;    /* floor(2^32/m), for m <= 256 */
    uint32_t unbias;   /* -bias mod m */
    uint32_t fraction; /* F = round(2^fraction_bits/m) */
} mb_term;

/* How sums become the residue of alpha*X mod N:
 *   digits:   X = sum_i sum_i * weight_i
 *   residues: y_i = sum_i mod m_i, q = floor(1/2 + sum y_i/m_i), X = sum y_i*weight_i - q*M
 * A sum is biased to be non-negative: v = sum + bias. */
typedef struct mb_join {
    mb_mod mod;
    int terms;
    int residues;
    int wide;       /* sums are doubles */
    int longs;      /* sums are int64 */
    int reduced;    /* sums are y_i itself, in so many bytes: 1 or 2; 0: they are sums */
    int narrow;     /* everything before the last reduction, v, stays below 2^64 */
    int small;      /* v < MB_SMALL * N */
    uint32_t shift; /* if small: max(0, bits of N - 19), so that v >> shift is a word */
    float inverse;  /* if small: (1 - 2^-21) 2^shift / N */
    uint32_t fraction_bits;
    uint64_t bias;
    uint64_t constant; /* digits: -bias * sum of weights mod N; residues: 0 */
    uint64_t minus_M;  /* residues: -alpha*M mod N */
    mb_term term[MB_MAX_PLANES];
} mb_join;

/* What an entry enters as: its residue, or x + center if raw. Bad entries set a bit of *fault and
 * enter as some number in range. */
MB_FN uint64_t mb_enter_unsigned(uint64_t v, const mb_cut *cut, uint32_t *fault)
{
    if (v > cut->bound) {
        *fault |= MB_FAULT_BOUND;
        v = 0;
    }
    return cut->raw ? v + cut->center : mb_residue_unsigned(v, &cut->mod);
}

MB_FN uint64_t mb_enter_signed(int64_t v, const mb_cut *cut, uint32_t *fault)
{
    uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    if (magnitude > cut->bound) {
        *fault |= MB_FAULT_BOUND;
        v = 0;
    }
    return cut->raw ? (uint64_t)v + cut->center : mb_residue_signed(v, &cut->mod);
}

MB_FN uint64_t mb_enter_double(double x, const mb_cut *cut, uint32_t *fault)
{
    int64_t v = 0;
    if (!mb_integer_of(x, cut->float_limit, &v))
        *fault |= MB_FAULT_NOTINT;
    return mb_enter_signed(v, cut, fault);
}

/* u for fold t of an entry that entered as r. A raw operand has one fold. */
MB_FN uint64_t mb_cut_u(uint64_t r, int t, const mb_cut *cut)
{
    if (cut->raw)
        return r;
    if (t > 0)
        r = mb_mulmod(r, cut->fold[t], &cut->mod);
    return mb_addmod(r, cut->center, &cut->mod);
}

MB_FN int64_t mb_cut_digit(uint64_t u, int i, const mb_cut *cut)
{
    return (int64_t)(((u >> ((uint32_t)i * cut->radix_bits)) & cut->mask) - cut->offset);
}

/* sum_j byte_j(a) * byte_j(b) + c. */
MB_FN uint32_t mb_dot4(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__)
    return __dp4a(a, b, c);
#else
    return c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) +
           (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> 24);
#endif
}

/* The balanced residue of u*fold - center*fold mod m. The dot product is below 8*255*255 + 256 <
 * 2^20, where floor(t*magic/2^32) = floor(t/m): the error t*(magic - 2^32/m)/2^32 < 2^-12 < 1/m.
 */
MB_FN int32_t mb_cut_bytewise(uint64_t u, const mb_plane *p)
{
    uint32_t t = mb_dot4((uint32_t)u, p->weight_lo, p->add);
    t = mb_dot4((uint32_t)(u >> 32), p->weight_hi, t);
    return (int32_t)(t - mb_mulhi32(t, p->magic) * p->m) - (int32_t)p->half;
}

MB_FN int32_t mb_cut_wide(uint64_t u, const mb_plane *p)
{
    uint64_t r = mb_remainder(u, p->m, p->inv) * p->fold + p->add;
    return (int32_t)mb_remainder(r, p->m, p->inv) - (int32_t)p->half;
}

/* What the sums of one entry of C have contributed so far. */
typedef struct mb_joining {
    mb_u128 v;
    uint64_t t; /* 2^fraction_bits * (1/2 + sum y_i/m_i), nearly: 1/2 and y_i * F_i summed */
} mb_joining;

MB_FN mb_joining mb_join_start(const mb_join *join)
{
    mb_joining s;
    s.v.lo = join->constant;
    s.v.hi = 0;
    s.t = ((uint64_t)1 << join->fraction_bits) >> 1;
    return s;
}

/* Adds y_i, or a sum with its bias. */
MB_FN void mb_join_add(mb_joining *s, uint64_t y, const mb_term *term, const mb_join *join)
{
    if (join->residues)
        s->t += y * term->fraction;
    if (join->narrow)
        s->v.lo += y * term->weight;
    else
        s->v = mb_mad128(s->v, y, term->weight);
}

/* Adds a 32-bit sum. For residues: t - floor(t*magic/2^32)*m lies in [0, 2m), plus unbias in [0,
 * 3m). */
MB_FN void mb_join_i32(mb_joining *s, int32_t sum, const mb_term *term, const mb_join *join)
{
    uint32_t y = (uint32_t)sum + (uint32_t)join->bias;
    if (join->residues) {
        y = y - mb_mulhi32(y, term->magic) * term->m + term->unbias;
        y = y >= term->m ? y - term->m : y;
        y = y >= term->m ? y - term->m : y;
    }
    mb_join_add(s, y, term, join);
}

/* Adds a 64-bit sum, |sum| <= bias, of digits. */
MB_FN void mb_join_i64(mb_joining *s, int64_t sum, const mb_term *term, const mb_join *join)
{
    mb_join_add(s, (uint64_t)sum + join->bias, term, join);
}

/* Adds a sum that was accumulated in floating point, |sum| <= bias. */
MB_FN void mb_join_f64(mb_joining *s, double sum, const mb_term *term, const mb_join *join)
{
    uint64_t y = (uint64_t)(int64_t)sum + join->bias;
    if (join->residues)
        y = mb_remainder(y + term->unbias, term->m, term->inv);
    mb_join_add(s, y, term, join);
}

/* floor(v/N) or one less, for v < MB_SMALL * N; x = v >> shift, so that x 2^shift/N > v/N - 2^-18.
 * The errors of x as a float, of the inverse and of the product are below 2^-20.5 v/N together,
 * and never raise it. */
MB_FN uint32_t mb_small_quotient(uint32_t x, const mb_join *join)
{
    const float two_23 = 8388608.0F;
    return mb_bits_of_float(mb_floor_above((float)x, join->inverse, two_23)) -
           mb_bits_of_float(two_23);
}

/* Whether v is a word, and what is left of it when the quotient is taken off, too. */
MB_FN int mb_join_in_words(const mb_join *join)
{
    return join->small && join->narrow && join->mod.n - 1 < (uint64_t)1 << 31;
}

/* v mod N if mb_join_in_words. */
MB_FN uint32_t mb_reduce_small_word(uint64_t v, const mb_join *join)
{
    const uint32_t n = (uint32_t)join->mod.n;
    const uint32_t r = (uint32_t)v - mb_small_quotient((uint32_t)(v >> join->shift), join) * n;
    return r >= n ? r - n : r;
}

/* v mod N if join->small. */
MB_FN uint64_t mb_reduce_small(mb_u128 v, const mb_join *join)
{
    const uint64_t n = join->mod.n;
    if (n == 0)
        return v.lo;
    const uint64_t above = join->shift ? v.hi << (64 - join->shift) : 0;
    const uint32_t q = mb_small_quotient((uint32_t)(v.lo >> join->shift | above), join);
    const uint64_t low = q * n, r = v.lo - low;
    const int more = v.hi != mb_mulhi64(q, n) + (v.lo < low);
    return more || r >= n ? r - n : r;
}

/* The residue of alpha*X mod N. */
MB_FN uint64_t mb_join_finish(mb_joining s, const mb_join *join)
{
    if (join->residues) {
        uint64_t q = s.t >> join->fraction_bits;
        if (join->narrow)
            s.v.lo += q * join->minus_M;
        else
            s.v = mb_mad128(s.v, q, join->minus_M);
    }
    if (mb_join_in_words(join))
        return mb_reduce_small_word(s.v.lo, join);
    if (join->small)
        return mb_reduce_small(s.v, join);
    return join->narrow ? mb_reduce64(s.v.lo, &join->mod) : mb_reduce128(s.v, &join->mod);
}

#endif
