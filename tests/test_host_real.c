/* SPDX-License-Identifier: BSD-3-Clause */
/* src/backend/host_real.c against the scalar steps of kernels/scheme.h, which it computes in
 * doubles: every modulus, and the sums next to what doubles hold and to multiples of a modulus. */
#include "src/backend/host.h"
#include "src/exact/moduli.h"
#include "src/plan/plan.h"
#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <string.h>

static const int64_t two_53 = (int64_t)1 << 53;

static uint64_t word(test_random *random, int i)
{
    const uint64_t edges[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX << 32, UINT64_MAX};
    return i < 5 ? edges[i] : test_word(random);
}

static void check_wide(uint32_t m, test_random *random)
{
    uint64_t u[MB_HOST_RUN];
    double lo[MB_HOST_RUN], hi[MB_HOST_RUN], out[MB_HOST_RUN];
    mb_plane plane = {.m = m, .half = m / 2, .inv = UINT64_MAX / m};
    for (int round = 0; round < 10; round++) {
        plane.fold = round ? (uint32_t)test_below(random, m) : m - 1;
        plane.add = round ? (uint32_t)test_below(random, m) : m - 1;
        for (int j = 0; j < MB_HOST_RUN; j++)
            u[j] = word(random, j);
        mb_host_halves(lo, hi, u, MB_HOST_RUN);
        mb_host_cut_wide(out, lo, hi, MB_HOST_RUN, &plane);
        int wrong = 0;
        for (int j = 0; j < MB_HOST_RUN; j++)
            wrong += out[j] != mb_cut_wide(u[j], &plane);
        ck_assert_int_eq(wrong, 0);
    }
}

START_TEST(wide_planes)
{
    test_random random = {1};
    for (uint32_t m = 17; m < 600; m++)
        check_wide(m, &random);
    for (int i = 0; i < MB_MODULI_WIDE_COUNT; i++) {
        ck_assert(mb_host_is_divisor(mb_moduli_wide[i], MB_HOST_WIDE));
        check_wide(mb_moduli_wide[i], &random);
    }
    ck_assert(!mb_host_is_divisor(16, MB_HOST_WIDE));
    ck_assert(!mb_host_is_divisor(MB_HOST_WIDE + 1, MB_HOST_WIDE));
}
END_TEST

/* Sums around 0, around +-2^53 and around multiples of m. */
static int64_t sum_of(int j, uint64_t m, test_random *random)
{
    int64_t step = j / 6 % 5 - 2, sign = j & 1 ? -1 : 1;
    int64_t multiple = (int64_t)(test_below(random, (uint64_t)two_53 / m) * m);
    switch (j % 6 / 2) {
    case 0:
        return sign * (two_53 - (int64_t)(j / 6));
    case 1:
        return sign * (multiple + (multiple > 1 ? step : 0));
    default:
        return sign * (int64_t)test_below(random, (uint64_t)two_53 + 1);
    }
}

static void check_join(const mb_join *join, test_random *random)
{
    static double sums[MB_MAX_PLANES][MB_HOST_RUN];
    uint64_t r[MB_HOST_RUN];
    for (int p = 0; p < join->terms; p++) {
        uint64_t m = join->residues ? join->term[p].m : join->mod.n;
        for (int j = 0; j < MB_HOST_RUN; j++)
            sums[p][j] = (double)sum_of(j, m, random);
    }
    if (join->residues)
        mb_host_join_residues(r, sums[0], MB_ELEMENT_F64, MB_HOST_RUN, MB_HOST_RUN, join);
    else
        mb_host_join_digits(r, sums[0], MB_ELEMENT_F64, MB_HOST_RUN, MB_HOST_RUN, join);
    int wrong = 0;
    for (int j = 0; j < MB_HOST_RUN; j++) {
        mb_joining s = mb_join_start(join);
        for (int p = 0; p < join->terms; p++)
            mb_join_f64(&s, sums[p][j], &join->term[p], join);
        wrong += r[j] != mb_join_finish(s, join);
    }
    ck_assert_int_eq(wrong, 0);
}

/* The same of sums in 32 bits, as words and as floats that hold them. */
static void check_join_of_words(const mb_join *join, test_random *random)
{
    static int32_t sums[MB_MAX_PLANES][MB_HOST_RUN];
    static float floats[MB_MAX_PLANES][MB_HOST_RUN];
    for (int p = 0; p < join->terms; p++) {
        for (int j = 0; j < MB_HOST_RUN; j++) {
            int32_t x = (int32_t)(uint32_t)test_word(random);
            x = j < 4 ? INT32_MIN + j : j < 8 ? INT32_MAX - j + 4 : x;
            sums[p][j] = j % 2 ? x / 256 : x;
            floats[p][j] = (float)(x / 256);
        }
    }
    for (int type = 0; type < 2; type++) {
        uint64_t r[MB_HOST_RUN];
        const void *from = type == 0 ? (void *)sums : (void *)floats;
        const mb_element element = type == 0 ? MB_ELEMENT_I32 : MB_ELEMENT_F32;
        if (join->residues)
            mb_host_join_residues(r, from, element, MB_HOST_RUN, MB_HOST_RUN, join);
        else
            mb_host_join_digits(r, from, element, MB_HOST_RUN, MB_HOST_RUN, join);
        for (int j = 0; j < MB_HOST_RUN; j++) {
            mb_joining s = mb_join_start(join);
            for (int p = 0; p < join->terms; p++)
                mb_join_i32(&s, type == 0 ? sums[p][j] : (int32_t)floats[p][j], &join->term[p],
                            join);
            ck_assert_uint_eq(r[j], mb_join_finish(s, join));
        }
    }
}

/* The constants of plans on f64 and i8, for every modulus that has them. */
static void check_joins(const mb_engine *engine)
{
    test_random random = {2};
    const mb_caps caps = {.engine = {engine},
                          .rates = {.gemm = {1e9}, .bytes = 1e9, .launch = 1e-6},
                          .workers = 1,
                          .memory = (uint64_t)1 << 30};
    int residues = 0, digits = 0;
    for (int x = 0; x < 3 * 8 * test_moduli_count; x++) {
        uint64_t N = test_moduli[x / 24];
        test_product p = test_product_of(4, 4, 40, MODBLAS_U64, MODBLAS_U64, N);
        p.options.scheme = (modblas_scheme)(1 + x % 3);
        mb_request request = {.problem = p.problem, .options = p.options};
        mb_plan plan;
        mb_reasons reasons;
        mb_constants c;
        if (mb_plan_make(&plan, &reasons, &request, &caps) != MODBLAS_OK)
            continue;
        mb_plan_constants(&plan, x / 3 % 8 ? test_below(&random, N) : N - 1, &c);
        if (!c.join.residues && !mb_host_is_divisor(N, MB_HOST_DIGITS))
            continue;
        if (engine == &mb_engine_f64)
            check_join(&c.join, &random);
        else if (c.join.residues || c.join.terms <= 4)
            check_join_of_words(&c.join, &random);
        residues += c.join.residues;
        digits += !c.join.residues;
    }
    ck_assert(residues > 100 && digits > 100);
}

START_TEST(joins_of_doubles)
{
    check_joins(&mb_engine_f64);
}
END_TEST

START_TEST(joins_of_words)
{
    check_joins(&mb_engine_i8);
}
END_TEST

START_TEST(integers_become_doubles)
{
    test_random random = {3};
    const int64_t limit = (int64_t)MB_HOST_REAL_LIMIT;
    ck_assert_double_eq(mb_host_real(limit), (double)limit);
    ck_assert_double_eq(mb_host_real(-limit), (double)-limit);
    for (int i = 0; i < 100000; i++) {
        int64_t x = (int64_t)test_below(&random, 2 * MB_HOST_REAL_LIMIT + 1) - limit;
        x = i < 100 ? i - 50 : x;
        ck_assert_double_eq(mb_host_real(x), (double)x);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {wide_planes, joins_of_doubles, joins_of_words,
                                  integers_become_doubles};
    return test_main("host real", tests, TEST_COUNT(tests));
}
