/* SPDX-License-Identifier: BSD-3-Clause */
/* src/exact: facts about types, exactness predicates on both sides, tables, known values. */
#include "src/exact/bound.h"
#include "src/exact/moduli.h"
#include "support/entry.h"
#include "support/moduli.h"
#include "support/random.h"
#include "support/suite.h"

#include <inttypes.h>

#if MODBLAS_HAVE_FLINT
#include <flint/fmpz.h>
#endif

enum { TYPES = MODBLAS_F64 + 1 };
#define TWO_TO(e) ((uint64_t)1 << (e))

static test_int modulus(uint64_t N)
{
    return N == 0 ? (test_int)1 << 64 : (test_int)N;
}

START_TEST(types_have_their_facts)
{
    static const char *const name[TYPES] = {"u8",  "u16", "u32", "u64", "i8",
                                            "i16", "i32", "i64", "f32", "f64"};
    for (int t = 0; t < TYPES; t++) {
        modblas_type type = (modblas_type)t;
        ck_assert(mb_type_is_valid(type));
        ck_assert_str_eq(mb_type_name(type), name[t]);
        ck_assert_uint_eq(mb_type_size(type), test_type_size(type));
        ck_assert_int_eq(mb_type_bits(type), 8 * (int)test_type_size(type));
        ck_assert_int_eq(mb_type_is_float(type), name[t][0] == 'f');
        ck_assert_int_eq(mb_type_is_signed_integer(type), name[t][0] == 'i');
        ck_assert((test_int)mb_type_most_positive(type) == test_greatest(type));
        ck_assert(-(test_int)mb_type_most_negative(type) == test_least(type));
        bool f32 = type == MODBLAS_F32;
        ck_assert((test_int)mb_type_largest(type) == (f32 ? 1 << 24 : test_greatest(type)));
    }
    ck_assert(!mb_type_is_valid((modblas_type)TYPES));
    ck_assert(!mb_type_is_valid((modblas_type)-1));
}
END_TEST

START_TEST(types_hold_moduli)
{
    uint64_t list[400];
    int count = test_moduli_all(list, 400);
    for (int t = 0; t < TYPES; t++) {
        modblas_type type = (modblas_type)t;
        test_int largest = type == MODBLAS_F32 ? 1 << 24 : test_greatest(type);
        int bits = 8 * (int)test_type_size(type);
        for (int i = 0; i < count; i++) {
            bool whole = mb_type_is_signed_integer(type) && modulus(list[i]) == (test_int)1
                                                                                    << bits;
            bool fits = modulus(list[i]) - 1 <= largest || whole;
            ck_assert_msg(mb_mod_fits_type(list[i], type) == fits, "%" PRIu64 " in %s", list[i],
                          mb_type_name(type));
        }
    }
    ck_assert(mb_mod_fits_type(0, MODBLAS_I64) && !mb_mod_fits_type(0, MODBLAS_F64));
    ck_assert(mb_mod_fits_type(TWO_TO(53) + 1, MODBLAS_F64));
    ck_assert(!mb_mod_fits_type(TWO_TO(53) + 2, MODBLAS_F64));
    ck_assert(mb_mod_fits_type(256, MODBLAS_I8) && !mb_mod_fits_type(255, MODBLAS_I8));
}
END_TEST

START_TEST(moduli_have_bits)
{
    uint64_t list[400];
    int count = test_moduli_all(list, 400);
    for (int i = 0; i < count; i++) {
        int bits = mb_mod_bits(list[i]);
        ck_assert(modulus(list[i]) <= (test_int)1 << bits);
        ck_assert(bits == 0 || modulus(list[i]) > (test_int)1 << (bits - 1));
        ck_assert_int_eq(mb_mod_is_power_of_two(list[i]), modulus(list[i]) == (test_int)1 << bits);
    }
}
END_TEST

START_TEST(balanced_residues_have_their_range)
{
    for (uint64_t m = 1; m <= 300; m++) {
        mb_range r = mb_bound_residues(m);
        ck_assert_uint_eq(r.neg + r.pos + 1, m);
        ck_assert(r.neg == r.pos || r.neg == r.pos + 1);
    }
    ck_assert_uint_eq(mb_bound_residues(0).neg, TWO_TO(63));
    ck_assert_uint_eq(mb_bound_residues(0).pos, TWO_TO(63) - 1);
    ck_assert_uint_eq(mb_range_magnitude((mb_range){3, 5}), 5);
    ck_assert_uint_eq(mb_range_magnitude((mb_range){5, 3}), 5);
}
END_TEST

START_TEST(entries_keep_the_least_bound)
{
    mb_entries e = mb_bound_entries(MODBLAS_I8, 0, 0);
    ck_assert(e.raw && e.range.neg == 128 && e.range.pos == 127 && e.limit == UINT64_MAX);
    e = mb_bound_entries(MODBLAS_U64, 251, 0);
    ck_assert(!e.raw && e.range.neg == 125 && e.range.pos == 125);
    e = mb_bound_entries(MODBLAS_I64, 0, TWO_TO(20));
    ck_assert(e.raw && e.range.neg == TWO_TO(20) && e.limit == TWO_TO(20));
    e = mb_bound_entries(MODBLAS_U8, 0, 300);
    ck_assert(e.raw && e.range.neg == 0 && e.range.pos == 255 && e.limit == 300);
    /* Reduced unless that makes entries larger. */
    e = mb_bound_entries(MODBLAS_U8, 509, 0);
    ck_assert(!e.raw && e.range.pos == 254);
    e = mb_bound_entries(MODBLAS_U8, 512, 0);
    ck_assert(e.raw && e.range.neg == 0 && e.range.pos == 255);
    e = mb_bound_entries(MODBLAS_F64, 0, 0);
    ck_assert(e.raw && e.range.neg == TWO_TO(53) && e.range.pos == TWO_TO(53));
}
END_TEST

START_TEST(engines_hold_what_they_say)
{
    ck_assert(mb_engine_holds(&mb_engine_i8, 256) && !mb_engine_holds(&mb_engine_i8, 257));
    ck_assert(mb_bound_holds(&mb_engine_i8, (mb_range){128, 127}));
    ck_assert(!mb_bound_holds(&mb_engine_i8, (mb_range){128, 128}));
    ck_assert(!mb_bound_holds(&mb_engine_i8, (mb_range){129, 127}));
    ck_assert_uint_eq(mb_engine_i8.S, INT32_MAX);
    ck_assert_uint_eq(mb_engine_f64.S, TWO_TO(53));
    ck_assert_uint_eq(mb_engine_f32.S, TWO_TO(24));
    const mb_engine *all[] = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32};
    for (int e = 0; e < 3; e++) {
        ck_assert(all[e]->bias >= all[e]->S);
        for (int i = 0; i < all[e]->modulus_count; i++)
            ck_assert(mb_engine_holds(all[e], all[e]->moduli[i]));
    }
    ck_assert_uint_eq(mb_element_size(MB_ELEMENT_I8), sizeof(int8_t));
    ck_assert_uint_eq(mb_element_size(MB_ELEMENT_I32), sizeof(int32_t));
    ck_assert_uint_eq(mb_element_size(MB_ELEMENT_F32), sizeof(float));
    ck_assert_uint_eq(mb_element_size(MB_ELEMENT_F64), sizeof(double));
}
END_TEST

START_TEST(chunks_are_tight_on_both_sides)
{
    ck_assert_int_eq(mb_bound_longest_k(mb_engine_i8.S, 128, 128), 131071);
    ck_assert_int_eq(mb_bound_longest_k(7, 0, 5), INT64_MAX);
    ck_assert_int_eq(mb_bound_longest_k(15, 4, 4), 0);
    ck_assert_int_eq(mb_bound_longest_k(16, 4, 4), 1);
    ck_assert_int_eq(mb_bound_longest_k(15, UINT64_MAX, UINT64_MAX), 0);
    ck_assert_int_eq(mb_bound_longest_k(UINT64_MAX, 1, 1), INT64_MAX);
    test_random random = {1};
    for (int i = 0; i < 20000; i++) {
        uint64_t a = test_word(&random) >> (test_word(&random) & 63) | 1;
        uint64_t b = test_word(&random) >> (test_word(&random) & 63) | 1;
        uint64_t S = test_word(&random) >> (1 + (test_word(&random) & 31));
        test_int p = (test_int)((unsigned __int128)(a >> 1 | 1) * (b >> 1 | 1));
        test_int k = mb_bound_longest_k(S, a >> 1 | 1, b >> 1 | 1);
        ck_assert(k * p <= (test_int)S && p > (test_int)S - k * p);
    }
}
END_TEST

/* Every number of the range has d digits and the next ones outside do not. */
START_TEST(digits_are_tight_on_both_sides)
{
    for (int bits = 2; bits <= 8; bits++) {
        for (int d = 1; bits * d <= 16; d++) {
            int64_t base = 1 << bits, least = 0, most = 0, power = 1;
            for (int i = 0; i < d; i++, power *= base) {
                least += base / 2 * power;
                most += (base / 2 - 1) * power;
            }
            uint64_t center = mb_bound_digit_center(bits, d);
            ck_assert_uint_eq(center, (uint64_t)least);
            mb_range full = {(uint64_t)least, (uint64_t)most};
            mb_range low = {full.neg + 1, full.pos}, high = {full.neg, full.pos + 1};
            ck_assert_int_eq(mb_bound_digits_of_range(full, bits), d);
            ck_assert_int_eq(mb_bound_digits_of_range(low, bits), d + 1);
            ck_assert_int_eq(mb_bound_digits_of_range(high, bits), d + 1);
            uint64_t N = (uint64_t)(least + most + 1);
            ck_assert_int_eq(mb_bound_digits_of_residues(N, bits), d);
            ck_assert_int_eq(mb_bound_digits_of_residues(N + 1, bits), d + 1);
        }
    }
    ck_assert_int_eq(mb_bound_digits_of_residues(1, 8), 1);
    ck_assert_int_eq(mb_bound_digits_of_residues(0, 8), 8);
    ck_assert_uint_eq(mb_bound_digit_center(8, 8), 0x8080808080808080u);
    ck_assert_uint_eq(mb_bound_digit_center(32, 2), 0x8000000080000000u);
    ck_assert_int_eq(mb_bound_digits_of_range((mb_range){TWO_TO(63), 0}, 8), 8);
    ck_assert_int_eq(mb_bound_digits_of_range((mb_range){0, TWO_TO(63)}, 8), 0);
}
END_TEST

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

START_TEST(tables_are_coprime_and_as_large_as_stated)
{
    const mb_engine *all[] = {&mb_engine_i8, &mb_engine_f64};
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < all[e]->modulus_count; i++) {
            for (int j = 0; j < i; j++)
                ck_assert_uint_eq(gcd(all[e]->moduli[i], all[e]->moduli[j]), 1);
            ck_assert(i == 0 || all[e]->moduli[i] < all[e]->moduli[i - 1]);
        }
    }
    /* Greedily: each number left out shares a factor with one taken before. */
    int taken = 0;
    for (uint32_t m = 256; taken < MB_MODULI_BYTE_COUNT; m--) {
        bool coprime = true;
        for (int i = 0; i < taken; i++)
            coprime = coprime && gcd(m, mb_moduli_byte[i]) == 1;
        if (coprime)
            ck_assert_uint_eq(mb_moduli_byte[taken++], m);
    }
}
END_TEST

#if MODBLAS_HAVE_FLINT
/* k a b / M + sum (m_i - 1) / 2^(f+1) < 1/2 with exact integers. */
static bool is_exact(const uint32_t *m, int s, int64_t k, uint64_t a, uint64_t b)
{
    const ulong f = m[0] <= 256 ? 15 : 32;
    fmpz_t left, right, M;
    fmpz_init_set_ui(left, (ulong)k);
    fmpz_init_set_ui(M, 1);
    fmpz_init(right);
    uint64_t rounding = 0;
    for (int i = 0; i < s; i++) {
        fmpz_mul_ui(M, M, m[i]);
        rounding += m[i] - 1;
    }
    fmpz_mul_ui(left, left, a);
    fmpz_mul_ui(left, left, b);
    fmpz_mul_2exp(left, left, f + 1);
    fmpz_addmul_ui(left, M, rounding);
    fmpz_mul_2exp(right, M, f);
    bool exact = fmpz_cmp(left, right) < 0;
    fmpz_clear(left);
    fmpz_clear(right);
    fmpz_clear(M);
    return exact;
}

/* The largest a for which k a b is still exact: the predicate must flip right after it. */
START_TEST(remainders_are_tight_on_both_sides)
{
    test_random random = {2};
    const mb_engine *all[] = {&mb_engine_i8, &mb_engine_f64};
    for (int i = 0; i < 4000; i++) {
        const mb_engine *e = all[i & 1];
        int s = 1 + (int)test_below(&random, (uint64_t)e->modulus_count);
        int64_t k = 1 + (int64_t)test_below(&random, TWO_TO(i % 40));
        uint64_t b = 1 + test_below(&random, TWO_TO(test_below(&random, 64)));
        uint64_t low = 0, high = TWO_TO(63);
        while (high - low > 1) {
            uint64_t middle = low + (high - low) / 2;
            *(is_exact(e->moduli, s, k, middle, b) ? &low : &high) = middle;
        }
        for (uint64_t a = low < 3 ? 0 : low - 3; a < low + 4; a++)
            ck_assert_int_eq(mb_bound_rns_is_exact(e->moduli, s, k, a, b),
                             is_exact(e->moduli, s, k, a, b));
    }
}
END_TEST
#endif

/* M = 35, one step around the bound: k a b / 35 + 10/2^16 < 1/2. */
START_TEST(small_remainders_are_tight_on_both_sides)
{
    static const uint32_t two[] = {7, 5};
    for (uint64_t a = 0; a < 40; a++) {
        bool exact = 2 * a < 35;
        ck_assert_int_eq(mb_bound_rns_is_exact(two, 2, 1, a, 1), exact);
        ck_assert_int_eq(mb_bound_rns_is_exact(two, 2, (int64_t)a, 1, 1), exact);
        ck_assert_int_eq(mb_bound_rns_is_exact(two, 2, 1, 1, a), exact);
    }
    /* 127/256 + 255/2^16 is less than 1/2 by 2^-16. */
    ck_assert(mb_bound_rns_is_exact(mb_moduli_byte, 1, 127, 1, 1));
    ck_assert(!mb_bound_rns_is_exact(mb_moduli_byte, 1, 128, 1, 1));
    static const uint32_t large[] = {1048576, 1048575};
    const uint64_t half = (uint64_t)1048576 * 1048575 / 2;
    uint64_t slack = (2 * half * (1048575 + 1048574) >> 33) + 1;
    ck_assert(!mb_bound_rns_is_exact(large, 2, 1, half - 1, 1));
    ck_assert(!mb_bound_rns_is_exact(large, 2, 1, half - slack + 1, 1));
    ck_assert(mb_bound_rns_is_exact(large, 2, 1, half - slack, 1));
    /* Equality: 2^33 a = (2^32 - 2 (2^20 - 1)) 2^40. */
    static const uint32_t same[] = {1 << 20, 1 << 20};
    const uint64_t equal = (TWO_TO(32) - TWO_TO(21) + 2) << 7;
    ck_assert(!mb_bound_rns_is_exact(same, 2, 1, equal, 1));
    ck_assert(mb_bound_rns_is_exact(same, 2, 1, equal - 1, 1));
}
END_TEST

START_TEST(known_numbers_of_moduli)
{
    static const struct {
        int bits, moduli;
    } known[] = {{16, 6}, {20, 7}, {24, 8}, {31, 10}, {40, 12}, {52, 15}, {64, 19}};
    for (int i = 0; i < 7; i++) {
        uint64_t h = TWO_TO(known[i].bits - 1);
        ck_assert_int_eq(mb_bound_rns_moduli(mb_moduli_byte, MB_MODULI_BYTE_COUNT, 1 << 14, h, h),
                         known[i].moduli);
    }
    uint64_t a = mb_range_magnitude(mb_bound_entries(MODBLAS_I64, 0, TWO_TO(20)).range);
    ck_assert_int_eq(mb_bound_rns_moduli(mb_moduli_byte, MB_MODULI_BYTE_COUNT, 1 << 14, a, a), 7);
    ck_assert_int_eq(mb_bound_rns_moduli(mb_moduli_byte, 18, 1 << 14, TWO_TO(63), TWO_TO(63)), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        types_have_their_facts,
        types_hold_moduli,
        moduli_have_bits,
        balanced_residues_have_their_range,
        entries_keep_the_least_bound,
        engines_hold_what_they_say,
        chunks_are_tight_on_both_sides,
        digits_are_tight_on_both_sides,
        tables_are_coprime_and_as_large_as_stated,
#if MODBLAS_HAVE_FLINT
        remainders_are_tight_on_both_sides,
#endif
        small_remainders_are_tight_on_both_sides,
        known_numbers_of_moduli
    };
    return test_main("exact", tests, TEST_COUNT(tests));
}
