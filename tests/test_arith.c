/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels/arith.h and kernels/scheme.h against 128-bit division. */
#include "kernels/scheme.h"
#include "src/exact/engine.h"
#include "src/exact/moduli.h"
#include "src/exact/modulus.h"
#include "support/entry.h"
#include "support/moduli.h"
#include "support/random.h"
#include "support/suite.h"

#include <inttypes.h>
#include <math.h>

typedef unsigned __int128 uint128;

enum { MOST_MODULI = 400, RANDOM_WORDS = 40 };

static uint64_t moduli[MOST_MODULI];
static int modulus_count;

static uint128 modulus(uint64_t N)
{
    return N == 0 ? (uint128)1 << 64 : N;
}

/* Words that are next to 0, N, 2^63 and 2^64, and random ones. */
static int edge_words(uint64_t N, uint64_t *list, test_random *random)
{
    int count = 0;
    const uint64_t center[] = {0, 1, N / 2, N, 2 * N, (uint64_t)1 << 32, (uint64_t)1 << 63};
    for (int i = 0; i < 7; i++) {
        for (uint64_t d = 0; d < 5; d++)
            list[count++] = center[i] + d - 2;
    }
    for (int i = 0; i < RANDOM_WORDS; i++)
        list[count++] = test_word(random) >> (test_word(random) & 63);
    return count;
}
enum { WORDS = 35 + RANDOM_WORDS };

START_TEST(moduli_have_their_constants)
{
    for (int i = 0; i < modulus_count; i++) {
        mb_mod mod = mb_mod_make(moduli[i]);
        ck_assert_uint_eq(mod.n, moduli[i]);
        ck_assert_uint_eq(mod.half, (uint64_t)(modulus(moduli[i]) / 2));
        if (mod.n == 0)
            continue;
        ck_assert_uint_eq(mod.recip, UINT64_MAX / mod.n);
        ck_assert_uint_eq(mod.norm, mod.n << mod.shift);
        ck_assert_uint_eq(mod.norm >> 63, 1);
    }
}
END_TEST

START_TEST(words_are_reduced)
{
    test_random random = {1};
    for (int i = 0; i < modulus_count; i++) {
        uint64_t N = moduli[i], word[WORDS];
        mb_mod mod = mb_mod_make(N);
        int count = edge_words(N, word, &random);
        for (int j = 0; j < count; j++) {
            uint64_t v = word[j], r = (uint64_t)(v % modulus(N));
            ck_assert_uint_eq(mb_reduce64(v, &mod), r);
            ck_assert_uint_eq(mb_residue_unsigned(v, &mod), r);
            ck_assert_uint_eq(mb_residue_signed((int64_t)v, &mod),
                              test_residue((test_int)(int64_t)v, N));
            ck_assert_uint_eq(mb_negmod(r, &mod), test_residue(-(test_int)r, N));
        }
    }
}
END_TEST

/* What is wrong with the functions of two words, as bits. */
static int judge_pair(uint64_t a, uint64_t b, const mb_mod *mod)
{
    uint128 N = modulus(mod->n), product = (uint128)a * b, both = ((uint128)a << 64) | b;
    mb_u128 v = {.lo = b, .hi = a}, sum = mb_mad128(v, a, b);
    uint64_t x = (uint64_t)(a % N), y = (uint64_t)(b % N);
    uint128 total = both + product;
    return (mb_mulmod(a, b, mod) != product % N) | (mb_reduce128(v, mod) != both % N) << 1 |
           (mb_addmod(x, y, mod) != ((uint128)x + y) % N) << 2 |
           (sum.lo != (uint64_t)total || sum.hi != (uint64_t)(total >> 64)) << 3;
}

START_TEST(pairs_of_words_are_reduced)
{
    test_random random = {2};
    for (int i = 0; i < modulus_count; i++) {
        uint64_t N = moduli[i], word[WORDS];
        mb_mod mod = mb_mod_make(N);
        int count = edge_words(N, word, &random), wrong = 0;
        for (int j = 0; j < count * count; j++)
            wrong |= judge_pair(word[j / count], word[j % count], &mod);
        ck_assert_msg(wrong == 0, "N = %" PRIu64 ": %x", N, (unsigned)wrong);
    }
}
END_TEST

START_TEST(high_halves_of_products)
{
    test_random random = {3};
    for (int i = 0; i < 10000; i++) {
        uint64_t a = test_word(&random), b = test_word(&random);
        ck_assert_uint_eq(mb_mulhi64(a, b), (uint64_t)(((uint128)a * b) >> 64));
        uint32_t c = (uint32_t)a, d = (uint32_t)b;
        ck_assert_uint_eq(mb_mulhi32(c, d), (uint64_t)c * d >> 32);
    }
    ck_assert_uint_eq(mb_mulhi64(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
}
END_TEST

START_TEST(powers_inverses_and_factors)
{
    for (int i = 0; i < modulus_count; i++) {
        mb_mod mod = mb_mod_make(moduli[i]);
        uint128 power = 1 % modulus(moduli[i]);
        for (uint64_t e = 0; e < 200; e++) {
            ck_assert_uint_eq(mb_mod_power_of_two(e, &mod), (uint64_t)power);
            power = 2 * power % modulus(moduli[i]);
        }
        uint32_t least = 0;
        for (uint32_t p = 256; p >= 2; p--)
            least = modulus(moduli[i]) % p == 0 ? p : least;
        if (moduli[i] != 1)
            ck_assert_uint_eq(mb_mod_small_factor(moduli[i]), least);
    }
    mb_mod prime = mb_mod_make(UINT64_MAX - 58);
    for (uint64_t x = 1; x < 100; x++)
        ck_assert_uint_eq(mb_mod_power(x, prime.n - 1, &prime), 1);
    for (uint32_t m = 2; m <= 256; m++) {
        for (uint32_t x = 0; x < 2 * m; x++) {
            uint32_t found = 0;
            for (uint32_t y = 1; y < m; y++)
                found = x * y % m == 1 ? y : found;
            ck_assert_uint_eq(mb_inverse_small(x, m), found);
        }
    }
}
END_TEST

START_TEST(doubles_are_integers_or_refused)
{
    const double limit = 9007199254740992.0;
    const double good[] = {0, -0.0, 1, -1, 255, -4294967296.0, limit, -limit, limit - 1};
    const double bad[] = {0.5,    -0.5,  limit + 2, -limit - 2, NAN,
                          1e-300, 1e300, INFINITY,  -INFINITY,  limit / 2 - 0.5};
    int64_t v = 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert(mb_integer_of(good[i], limit, &v));
        ck_assert_int_eq(v, (int64_t)good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert(!mb_integer_of(bad[i], limit, &v));
}
END_TEST

START_TEST(entries_beyond_the_bound_are_faults)
{
    mb_cut cut = {.mod = mb_mod_make(251), .bound = 100, .float_limit = 9007199254740992.0};
    for (int raw = 0; raw < 2; raw++) {
        cut.raw = raw;
        cut.center = raw ? 100 : 125;
        for (int64_t v = -300; v <= 300; v++) {
            int64_t kept = v < -100 || v > 100 ? 0 : v;
            uint64_t enters = raw ? (uint64_t)(kept + 100) : test_residue(kept, 251);
            uint32_t fault[3] = {0, 0, 0}, expected = kept == v ? 0 : MB_FAULT_BOUND;
            ck_assert_uint_eq(mb_enter_signed(v, &cut, &fault[0]), enters);
            ck_assert_uint_eq(mb_enter_double((double)v, &cut, &fault[1]), enters);
            if (v >= 0)
                ck_assert_uint_eq(mb_enter_unsigned((uint64_t)v, &cut, &fault[2]), enters);
            ck_assert_uint_eq(fault[0], expected);
            ck_assert_uint_eq(fault[1], expected);
            ck_assert_uint_eq(fault[2], v >= 0 ? expected : 0);
        }
    }
    uint32_t fault = 0;
    mb_enter_double(0.5, &cut, &fault);
    ck_assert_uint_eq(fault, MB_FAULT_NOTINT);
}
END_TEST

START_TEST(entries_are_moved_to_the_center)
{
    test_random random = {5};
    for (int i = 0; i < modulus_count; i++) {
        uint64_t N = moduli[i];
        mb_cut cut = {.mod = mb_mod_make(N), .folds = 2};
        cut.center = cut.mod.half;
        cut.fold[1] = mb_reduce64(256, &cut.mod);
        for (int j = 0; j < 50; j++) {
            test_int r = (test_int)test_below(&random, N), h = (test_int)cut.center;
            ck_assert_uint_eq(mb_cut_u((uint64_t)r, 0, &cut), test_residue(r + h, N));
            ck_assert_uint_eq(mb_cut_u((uint64_t)r, 1, &cut),
                              test_residue((test_int)test_residue(256 * r, N) + h, N));
        }
    }
}
END_TEST

START_TEST(four_products_and_a_sum)
{
    test_random random = {6};
    for (int i = 0; i < 10000; i++) {
        uint32_t a = (uint32_t)test_word(&random), b = (uint32_t)test_word(&random);
        uint32_t c = (uint32_t)test_word(&random) >> 8, sum = c;
        for (int j = 0; j < 32; j += 8)
            sum += (a >> j & 255) * (b >> j & 255);
        ck_assert_uint_eq(mb_dot4(a, b, c), sum);
    }
}
END_TEST

/* The reduction inside mb_cut_bytewise, for all numbers it can meet: byte 0 of u is 0 here, so
 * the dot product is `add`. */
START_TEST(bytewise_reduction_is_exhausted)
{
    for (uint32_t m = 2; m <= 256; m++) {
        mb_plane p = {.m = m, .half = m / 2};
        p.magic = (uint32_t)((((uint64_t)1 << 32) + m - 1) / m);
        uint32_t wrong = 0;
        for (uint32_t t = 0; t < 1 << 20; t++) {
            p.add = t;
            wrong += mb_cut_bytewise(0, &p) != (int32_t)(t % m) - (int32_t)(m / 2);
        }
        ck_assert_msg(wrong == 0, "m = %" PRIu32 ": %" PRIu32 " wrong", m, wrong);
    }
}
END_TEST

/* Against the meaning of the fields in scheme.h, for words of all lengths. */
START_TEST(bytes_become_residues)
{
    test_random random = {10};
    for (uint32_t m = 2; m <= 256; m++) {
        uint32_t wrong = 0;
        for (uint32_t fold = 0; fold < m; fold++) {
            mb_plane p = {.m = m, .half = m / 2, .add = (uint32_t)test_below(&random, m)};
            p.magic = (uint32_t)((((uint64_t)1 << 32) + m - 1) / m);
            uint64_t weights = 0;
            for (int j = 7; j >= 0; j--)
                weights = weights << 8 | (uint64_t)(((uint128)fold << 8 * j) % m);
            p.weight_lo = (uint32_t)weights;
            p.weight_hi = (uint32_t)(weights >> 32);
            uint64_t word[WORDS];
            int count = edge_words(m, word, &random);
            for (int j = 0; j < count; j++) {
                int64_t residue = (int64_t)(((uint128)word[j] * fold + p.add) % m);
                wrong += mb_cut_bytewise(word[j], &p) != residue - m / 2;
            }
        }
        ck_assert_msg(wrong == 0, "m = %" PRIu32 ": %" PRIu32 " wrong", m, wrong);
    }
}
END_TEST

START_TEST(wide_words_are_reduced)
{
    test_random random = {7};
    for (int i = 0; i < 400; i++) {
        uint32_t m = i < MB_MODULI_WIDE_COUNT ? mb_moduli_wide[i]
                                              : 2 + (uint32_t)test_below(&random, (1 << 27) - 2);
        uint64_t inv = (uint64_t)(((uint128)1 << 64) / m), word[WORDS];
        int count = edge_words(m, word, &random);
        mb_plane p = {.m = m, .half = m / 2, .inv = inv};
        for (int j = 0; j < count; j++) {
            uint64_t v = word[j];
            p.fold = (uint32_t)test_below(&random, m);
            p.add = (uint32_t)test_below(&random, m);
            ck_assert_uint_eq(mb_remainder(v, m, inv), v % m);
            int64_t residue = (int64_t)(((uint128)v * p.fold + p.add) % m);
            ck_assert_int_eq(mb_cut_wide(v, &p), residue - (int64_t)(m / 2));
        }
        for (uint64_t q = 1; q < 50; q++) {
            uint64_t v = UINT64_MAX / m * m - q * m;
            ck_assert_uint_eq(mb_remainder(v, m, inv), 0);
            ck_assert_uint_eq(mb_remainder(v - 1, m, inv), m - 1);
        }
    }
}
END_TEST

/* All of one join: the value that has given sums as residues, by the definition in scheme.h. */
static mb_join join_of_one(uint32_t m, uint64_t bias)
{
    mb_join join = {.mod = mb_mod_make(0), .terms = 1, .residues = 1, .bias = bias};
    join.term[0] = (mb_term){.weight = 1,
                             .inv = (uint64_t)(((uint128)1 << 64) / m),
                             .m = m,
                             .magic = (uint32_t)(((uint64_t)1 << 32) / m),
                             .unbias = (uint32_t)((m - bias % m) % m),
                             .fraction = 0};
    return join;
}

static uint64_t joined_i32(const mb_join *join, int32_t sum)
{
    mb_joining s = mb_join_start(join);
    mb_join_i32(&s, sum, &join->term[0], join);
    return s.v.lo;
}

static uint64_t joined_f64(const mb_join *join, double sum)
{
    mb_joining s = mb_join_start(join);
    mb_join_f64(&s, sum, &join->term[0], join);
    return s.v.lo;
}

START_TEST(sums_become_residues)
{
    test_random random = {8};
    for (uint32_t m = 2; m <= 256; m++) {
        mb_join join = join_of_one(m, mb_engine_i8.bias);
        int wrong = 0;
        for (int64_t d = 0; d < 1000; d++) {
            const int64_t near[] = {INT32_MIN + d, INT32_MAX - d, d - 500, (int64_t)m * (d - 500),
                                    (int32_t)test_word(&random)};
            for (int i = 0; i < 5; i++)
                wrong += joined_i32(&join, (int32_t)near[i]) != test_residue(near[i], m);
        }
        ck_assert_msg(wrong == 0, "m = %" PRIu32 ": %d wrong", m, wrong);
    }
}
END_TEST

START_TEST(wide_sums_become_residues)
{
    test_random random = {9};
    const int64_t S = (int64_t)1 << 53;
    for (int i = 0; i < MB_MODULI_WIDE_COUNT; i++) {
        uint32_t m = mb_moduli_wide[i];
        mb_join join = join_of_one(m, mb_engine_f64.bias);
        int wrong = 0;
        for (int64_t d = 0; d < 1000; d++) {
            const int64_t near[] = {d - S, S - d, d - 500, m * (d - 500),
                                    (int64_t)(test_word(&random) >> 11)};
            for (int j = 0; j < 5; j++)
                wrong += joined_f64(&join, (double)near[j]) != test_residue(near[j], m);
        }
        ck_assert_msg(wrong == 0, "m = %" PRIu32 ": %d wrong", m, wrong);
    }
}
END_TEST

START_TEST(digits_are_weighed)
{
    test_random random = {9};
    for (int i = 0; i < modulus_count; i++) {
        mb_join join = {.mod = mb_mod_make(moduli[i]), .terms = 3, .bias = mb_engine_i8.bias};
        uint64_t N = moduli[i], all = 0;
        for (int t = 0; t < 3; t++) {
            join.term[t].weight = test_below(&random, N);
            all = mb_addmod(all, join.term[t].weight, &join.mod);
        }
        join.constant = mb_negmod(mb_mulmod(join.bias, all, &join.mod), &join.mod);
        join.narrow = N != 0 && N < (uint64_t)1 << 30;
        for (int j = 0; j < 200; j++) {
            mb_joining s = mb_join_start(&join);
            test_int sum = 0;
            for (int t = 0; t < 3; t++) {
                int32_t v = j == 0 ? INT32_MAX : (int32_t)test_word(&random);
                v = j == 1 ? INT32_MIN : v;
                mb_join_i32(&s, v, &join.term[t], &join);
                sum += (test_int)v * (test_int)join.term[t].weight;
            }
            ck_assert_uint_eq(mb_join_finish(s, &join), test_residue(sum, N));
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {moduli_have_their_constants,
                                  words_are_reduced,
                                  pairs_of_words_are_reduced,
                                  high_halves_of_products,
                                  powers_inverses_and_factors,
                                  doubles_are_integers_or_refused,
                                  entries_beyond_the_bound_are_faults,
                                  entries_are_moved_to_the_center,
                                  four_products_and_a_sum,
                                  bytewise_reduction_is_exhausted,
                                  bytes_become_residues,
                                  wide_words_are_reduced,
                                  sums_become_residues,
                                  wide_sums_become_residues,
                                  digits_are_weighed};
    modulus_count = test_moduli_all(moduli, MOST_MODULI);
    return test_main("arith", tests, TEST_COUNT(tests));
}
