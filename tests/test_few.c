/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheme plain where C has few columns, or few rows: dot products of entries as they lie. */
#include "src/api.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

enum { TYPES = MODBLAS_F64 + 1 };

static modblas_context *host;

static modblas_context *context(void)
{
    if (host == NULL)
        host = test_context(MODBLAS_BACKEND_HOST, 2);
    return host;
}

static test_product few(int64_t m, int64_t n, int64_t k, modblas_type a, modblas_type b,
                        uint64_t N)
{
    test_product p = test_product_of(m, n, k, a, b, N);
    p.options.scheme = MODBLAS_SCHEME_PLAIN;
    return p;
}

/* Few columns, or few rows: every type and layout, whole runs of places and their ends. */
START_TEST(few_columns)
{
    test_random random = {7};
    const uint64_t N[] = {1, 2, 251, 2097143, 4194304, 2147483647, UINT64_MAX - 58, 0};
    const int64_t places[] = {1, 3, 8, 511, 512, 521, 1030}, lines[] = {1, 3, 4, 9, 17};
    for (int x = 0; x < 2 * 8 * TYPES * TEST_INPUT_LAYOUTS; x++) {
        const bool across = x & 1;
        const int64_t thin = 1 + (int64_t)test_below(&random, MB_PLAIN_FEW);
        const int64_t many = lines[test_below(&random, 5)], k = places[test_below(&random, 7)];
        const modblas_type type = (modblas_type)(x / 16 % TYPES);
        const test_layout layout = (test_layout)(x / 16 / TYPES);
        const modblas_type other = (modblas_type)test_below(&random, TYPES);
        test_product p = few(across ? thin : many, across ? many : thin, k, across ? other : type,
                             across ? type : other, N[x / 2 % 8]);
        p.data = test_below(&random, 2) ? TEST_UNREDUCED
                                        : (test_data)test_below(&random, TEST_DATA_COUNT);
        p.alpha = test_below(&random, 2) ? 1 : test_word(&random);
        p.beta = test_below(&random, 2) ? 0 : test_word(&random);
        p.a = across ? TEST_INPUT_LAYOUTS - 1 : layout;
        p.b = across ? layout : TEST_INPUT_LAYOUTS - 1;
        test_product_check(context(), &p, &random);
    }
}
END_TEST

/* More lines than a block. */
START_TEST(few_columns_of_many_lines)
{
    test_random random = {8};
    for (int x = 0; x < 3 * TEST_INPUT_LAYOUTS; x++) {
        test_product p = few(2100, 2, 5, MODBLAS_U32, MODBLAS_U32, 2147483647);
        p.a = (test_layout)(x % TEST_INPUT_LAYOUTS);
        p.data = (test_data)(x / TEST_INPUT_LAYOUTS);
        test_product_check(context(), &p, &random);
    }
}
END_TEST

/* A stated bound holds for entries that would be read as they lie. */
START_TEST(few_columns_within_bounds)
{
    static const int32_t A[] = {1, -100, 101, 5}, x[] = {1, 1};
    int32_t y[2];
    for (int i = 0; i < 2; i++) {
        modblas_problem problem = {2, 1, 2, MODBLAS_I32, MODBLAS_I32, MODBLAS_I32, 1000003};
        modblas_plan *plan = NULL;
        modblas_plan_options o = few(1, 1, 1, MODBLAS_U8, MODBLAS_U8, 7).options;
        o.bound_a = i == 0 ? 101 : 100;
        modblas_matrix a = modblas_row_major((void *)(uintptr_t)A, MODBLAS_I32, 2, 2, 2);
        modblas_matrix b = modblas_row_major((void *)(uintptr_t)x, MODBLAS_I32, 2, 1, 1);
        modblas_matrix c = modblas_row_major(y, MODBLAS_I32, 2, 1, 1);
        ck_assert_int_eq(modblas_plan_create(context(), &plan, &problem, &o), MODBLAS_OK);
        ck_assert_int_eq(modblas_plan_run(plan, &c, &a, &b, 1, 0),
                         i == 0 ? MODBLAS_OK : MODBLAS_EBOUND);
        modblas_plan_destroy(plan);
    }
}
END_TEST

/* Whatever tiles are chosen, the last one, which may be of few columns, has the space that its job
 * wants (mb_plain_job). */
START_TEST(last_tiles_have_their_space)
{
    static const int workers[] = {2, 3, 6, 8, 16}, lines[] = {129, 200, 400, 1000, 2000};
    int few_at_the_end = 0;
    mb_caps caps = {.workers_add = true, .memory = (uint64_t)1 << 40};
    for (int s = 0; s < MB_SUMS_COUNT; s++)
        caps.rates.plain[s] = 2e9;
    for (int x = 0; x < 5 * 5 * 64; x++) {
        const int64_t m = lines[x % 5], n = 5 + x / 25;
        mb_plan plan = {
            .request.problem = {m, n, 64, MODBLAS_U64, MODBLAS_U32, MODBLAS_U64, 2147483647}};
        mb_candidate note;
        caps.workers = workers[x / 5 % 5];
        ck_assert(mb_plan_plain(&plan, &caps, &note));
        const int64_t kept = n - (plan.tiles_n - 1) * plan.tile_n;
        if (mb_plain_is_across(&plan.request.problem) || kept > MB_PLAIN_FEW)
            continue;
        const int64_t all = mb_round_up(plan.tile_m, MB_PLAIN_ROWS);
        const int64_t rows = all < MB_PLAIN_FEW_LINES ? all : MB_PLAIN_FEW_LINES;
        ck_assert_uint_ge(plan.region[MB_REGION_SUMS], (uint64_t)(rows * MB_PLAIN_COLS * 8));
        ck_assert_uint_ge(plan.region[MB_REGION_PLANES_A], (uint64_t)(64 * rows * 8));
        few_at_the_end++;
    }
    ck_assert_int_gt(few_at_the_end, 50);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {few_columns, few_columns_of_many_lines,
                                  few_columns_within_bounds, last_tiles_have_their_space};
    int result = test_main("few", tests, TEST_COUNT(tests));
    modblas_context_destroy(host);
    return result;
}
