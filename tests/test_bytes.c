/* SPDX-License-Identifier: BSD-3-Clause */
/* Planes of bytes by dot products: the same numbers as the plain cuts and joins of scheme.h. */
#include "kernels/bytes.h"
#include "src/plan/plan.h"
#include "support/random.h"
#include "support/suite.h"

/* The constants of a product of N by the residue number system on i8. */
static mb_constants constants_of(uint64_t N, int64_t k)
{
    mb_arithmetic math = {.scheme = MODBLAS_SCHEME_RNS, .engine = &mb_engine_i8, .fused = true};
    const mb_request request = {
        .problem = {256, 256, k, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, N}};
    const mb_caps caps = {.memory = 1};
    char reason[MB_REASON_SIZE];
    mb_constants constants;
    mb_mod mod = mb_mod_make(N);
    math.a = mb_bound_entries(MODBLAS_U64, N, 0);
    math.b = math.a;
    ck_assert(mb_scheme_rns.fit(&math, 0, &request, &caps, reason));
    mb_scheme_rns.constants(&math, &mod, 1, &constants);
    return constants;
}

enum { MODULI = 6 };
static const uint64_t moduli[MODULI] = {
    65521, (1 << 20) - 3, 2147483647, (uint64_t)1 << 32, UINT64_MAX - 58, 0};

/* Every dot product that there can be, on every modulus of the engine. */
START_TEST(every_dot_product_is_reduced)
{
    const uint32_t largest = 8 * 255 * 255 + 256;
    const mb_constants c = constants_of(0, 1 << 14);
    ck_assert_int_ge(c.a.planes, 18);
    for (int i = 0; i < c.a.planes; i++) {
        const mb_plane *plane = &c.a.plane[i];
        const mb_byte_plane p = mb_byte_plane_of(plane);
        const uint32_t start = p.start - plane->add;
        uint32_t wrong = 0;
        for (uint32_t t = 0; t < largest; t++) {
            const uint32_t byte = mb_residue_of_bits(start + t, p.inverse, p.above, p.m);
            wrong += (uint8_t)byte != (uint8_t)(t % p.m - plane->half);
        }
        ck_assert_msg(wrong == 0, "modulus %u: %u wrong", p.m, wrong);
    }
}
END_TEST

static void check_cuts(const mb_cut *cut, uint64_t u)
{
    for (int i = 0; i < cut->planes; i++) {
        const mb_byte_plane p = mb_byte_plane_of(&cut->plane[i]);
        const uint8_t plain = (uint8_t)mb_cut_bytewise(u, &cut->plane[i]);
        ck_assert_uint_eq((uint8_t)mb_byte_cut(u, &p), plain);
        if (u <= UINT32_MAX)
            ck_assert_uint_eq((uint8_t)mb_byte_cut_low((uint32_t)u, &p), plain);
    }
}

START_TEST(cuts_are_those_of_the_scheme)
{
    test_random random = {1};
    for (int n = 0; n < MODULI; n++) {
        const mb_constants c = constants_of(moduli[n], 5000);
        for (int i = 0; i < 2000; i++) {
            const uint64_t word = test_word(&random), last = moduli[n] - 1;
            const uint64_t edge[] = {0, 1, last, last / 2, UINT32_MAX & last};
            check_cuts(&c.a, i < 5 ? edge[i] : moduli[n] ? word % moduli[n] : word);
            check_cuts(&c.b, i < 5 ? edge[i] : moduli[n] ? word % moduli[n] : word);
        }
    }
}
END_TEST

/* An entry's residues, joined both ways. */
static void check_join(const mb_join *join, const mb_byte_join *bytes, const uint8_t *y, int width)
{
    mb_joining plain = mb_join_start(join);
    mb_byte_sums sums = mb_byte_start(bytes);
    for (int i = 0; i < join->terms; i++)
        mb_join_add(&plain, y[i], &join->term[i], join);
    for (int g = 0; g < MB_GROUPS; g++) {
        uint32_t word = 0;
        for (int p = 0; p < MB_GROUP && g * MB_GROUP + p < join->terms; p++)
            word |= (uint32_t)y[g * MB_GROUP + p] << 8 * p;
        mb_byte_add(&sums, word, bytes, g, width);
    }
    const mb_joining joined = mb_byte_joined(&sums, width);
    ck_assert_uint_eq(joined.t, plain.t);
    ck_assert_uint_eq(joined.v.lo, plain.v.lo);
    ck_assert_uint_eq(joined.v.hi, join->narrow ? 0 : plain.v.hi);
    ck_assert_uint_eq(mb_join_finish(joined, join), mb_join_finish(plain, join));
    if (width == 4 && mb_join_in_words(join))
        ck_assert_uint_eq(mb_byte_finish_word(&sums, join), mb_join_finish(plain, join));
}

START_TEST(joins_are_those_of_the_scheme)
{
    test_random random = {2};
    for (int n = 0; n < MODULI; n++) {
        const mb_join join = constants_of(moduli[n], 1 << 14).join;
        const mb_byte_join bytes = mb_byte_join_of(&join);
        for (int i = 0; i < join.terms; i++)
            ck_assert_uint_le(join.term[i].fraction, 255);
        const bool words = join.narrow && join.mod.n - 1 <= UINT32_MAX;
        for (int i = 0; i < 2000; i++) {
            uint8_t y[MB_MAX_PLANES];
            for (int p = 0; p < MB_MAX_PLANES; p++)
                y[p] = i == 0 ? 255 : i == 1 ? 0 : (uint8_t)test_word(&random);
            check_join(&join, &bytes, y, 8);
            if (words)
                check_join(&join, &bytes, y, 4);
        }
    }
}
END_TEST

/* Sums next to multiples of N, as far as they go. */
START_TEST(small_sums_are_reduced)
{
    static const uint64_t N[] = {2,
                                 3,
                                 255,
                                 65536,
                                 524287,
                                 524288,
                                 1048573,
                                 2147483647,
                                 (uint64_t)1 << 31,
                                 ((uint64_t)1 << 31) + 1,
                                 ((uint64_t)1 << 32) - 1,
                                 ((uint64_t)1 << 51) - 1,
                                 ((uint64_t)1 << 52) - 47,
                                 ((uint64_t)1 << 63) - 25,
                                 ((uint64_t)1 << 63) + 29,
                                 UINT64_MAX - 58,
                                 UINT64_MAX};
    for (int i = 0; i < 17; i++) {
        mb_join join = {.mod = mb_mod_make(N[i]), .terms = 1, .reduced = 1};
        mb_join_end(&join);
        ck_assert(join.small);
        const unsigned __int128 most = (unsigned __int128)MB_SMALL * N[i] - 1;
        for (int x = 0; x < 5 * MB_SMALL; x++) {
            const uint64_t off[] = {0, 1, N[i] / 2, N[i] - 2, N[i] - 1};
            const unsigned __int128 v = (unsigned __int128)(x / 5) * N[i] + off[x % 5];
            const mb_u128 words = {(uint64_t)v, (uint64_t)(v >> 64)};
            ck_assert_uint_eq(mb_reduce_small(words, &join), off[x % 5]);
            join.narrow = most >> 64 == 0;
            if (mb_join_in_words(&join))
                ck_assert_uint_eq(mb_reduce_small_word(words.lo, &join), off[x % 5]);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_dot_product_is_reduced, cuts_are_those_of_the_scheme,
                                  joins_are_those_of_the_scheme, small_sums_are_reduced};
    return test_main("bytes", tests, TEST_COUNT(tests));
}
