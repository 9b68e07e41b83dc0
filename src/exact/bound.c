/* SPDX-License-Identifier: BSD-3-Clause */
#include "bound.h"

uint64_t mb_range_magnitude(mb_range range)
{
    return range.neg > range.pos ? range.neg : range.pos;
}

mb_range mb_bound_residues(uint64_t m)
{
    return (mb_range){.neg = mb_mod_make(m).half, .pos = (m - 1) / 2};
}

mb_entries mb_bound_entries(modblas_type type, uint64_t N, uint64_t stated)
{
    uint64_t limit = stated == 0 ? UINT64_MAX : stated;
    mb_range raw = {mb_type_most_negative(type), mb_type_most_positive(type)};
    raw.neg = raw.neg < limit ? raw.neg : limit;
    raw.pos = raw.pos < limit ? raw.pos : limit;
    mb_range residues = mb_bound_residues(N);
    bool smaller = mb_range_magnitude(raw) < mb_range_magnitude(residues);
    return (mb_entries){.range = smaller ? raw : residues, .raw = smaller, .limit = limit};
}

bool mb_bound_holds(const mb_engine *engine, mb_range range)
{
    return range.neg <= engine->most_negative && range.pos <= engine->most_positive;
}

int64_t mb_bound_longest_k(uint64_t S, uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    if (product == 0)
        return INT64_MAX;
    unsigned __int128 k = S / product;
    return k > INT64_MAX ? INT64_MAX : (int64_t)k;
}

mb_fold mb_bound_fold(uint64_t N, mb_range a, mb_range b)
{
    const uint64_t most = ((uint64_t)1 << 62) - 1, word = (uint64_t)1 << 31;
    const uint64_t x = mb_range_magnitude(a), y = mb_range_magnitude(b);
    if (mb_mod_bits(N) > 32 || a.neg > word || b.neg > word || a.pos >= word || b.pos >= word)
        return (mb_fold){0, 0};
    mb_fold fold = {.by = most - most % N, .every = INT64_MAX};
    if (!mb_mod_is_power_of_two(N))
        fold.every = mb_bound_longest_k(fold.by, x, y);
    return fold;
}

_Static_assert((uint64_t)MB_PLAIN_DEPTH << 2 * MB_DIGIT_BITS <= (uint64_t)1 << 52 &&
                   MB_DIGITS * MB_DIGIT_BITS >= 64,
               "sums of digits are exact");
_Static_assert((uint64_t)MB_FEW_RUN << (32 + MB_DIGIT_BITS) <= (uint64_t)1 << 63,
               "sums of entries times digits are exact");

mb_sums mb_bound_plain_sums(uint64_t N, int64_t k, mb_range a, mb_range b)
{
    const uint64_t S = mb_engine_f64.S;
    const int64_t least_every = 4;
    if (k <= mb_bound_longest_k(S, mb_range_magnitude(a), mb_range_magnitude(b)))
        return MB_SUMS_F64;
    if (mb_bound_fold(N, a, b).every >= least_every)
        return MB_SUMS_I64;
    if (mb_mod_is_power_of_two(N) || k <= mb_bound_longest_k(UINT64_MAX, N - 1, N - 1))
        return MB_SUMS_U64;
    return mb_mod_bits(N) <= 32 ? MB_SUMS_HALVES : MB_SUMS_DIGITS;
}

uint64_t mb_bound_digit_center(int bits, int d)
{
    uint64_t center = 0;
    for (int i = 0; i < d; i++)
        center |= (uint64_t)1 << (bits * i + bits - 1);
    return center;
}

int mb_bound_digits_of_residues(uint64_t N, int bits)
{
    int d = (mb_mod_bits(N) + bits - 1) / bits;
    return d < 1 ? 1 : d;
}

int mb_bound_digits_of_range(mb_range range, int bits)
{
    for (int d = 1; bits * d <= 64; d++) {
        uint64_t center = mb_bound_digit_center(bits, d);
        uint64_t largest = UINT64_MAX >> (64 - bits * d);
        if (range.neg <= center && range.pos <= largest - center)
            return d;
    }
    return 0;
}

int mb_bound_fraction_bits(const uint32_t *moduli)
{
    return moduli[0] <= 256 ? 15 : 32;
}

/* Fixed-width integers for the one comparison below. Its operands are below 2^33 * 2^63 * 2^64 *
 * 2^64 = 2^224 and 2^32 * 2^160. */
enum { LIMBS = 4 };
typedef struct {
    uint64_t limb[LIMBS]; /* least significant first */
} wide;

static wide times(wide x, uint64_t y)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        unsigned __int128 p = (unsigned __int128)x.limb[i] * y + carry;
        x.limb[i] = (uint64_t)p;
        carry = (uint64_t)(p >> 64);
    }
    return x;
}

static bool is_less(wide x, wide y)
{
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (x.limb[i] != y.limb[i])
            return x.limb[i] < y.limb[i];
    }
    return false;
}

/* 2^(f+1) k a b < (2^f - sum (m_i - 1)) M, the condition times 2^(f+1) M. */
bool mb_bound_rns_is_exact(const uint32_t *moduli, int s, int64_t k, uint64_t a, uint64_t b)
{
    const uint64_t one = (uint64_t)1 << mb_bound_fraction_bits(moduli);
    wide left = {{2 * one}}, right = {{1}};
    left = times(times(times(left, (uint64_t)k), a), b);
    uint64_t rounding = 0;
    for (int i = 0; i < s; i++) {
        right = times(right, moduli[i]);
        rounding += moduli[i] - 1;
    }
    right = times(right, rounding < one ? one - rounding : 0);
    return is_less(left, right);
}

int mb_bound_rns_moduli(const uint32_t *moduli, int count, int64_t k, uint64_t a, uint64_t b)
{
    for (int s = 1; s <= count; s++) {
        if (mb_bound_rns_is_exact(moduli, s, k, a, b))
            return s;
    }
    return 0;
}
