/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheme plain, forced: every modulus and kind of sums, the worst operands where sums just
 * hold them and one place further, all types and layouts, entries that are refused. */
#include "src/api.h"
#include "support/moduli.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TYPES = MODBLAS_F64 + 1 };

static modblas_context *host;

static modblas_context *context(void)
{
    if (host == NULL)
        host = test_context(MODBLAS_BACKEND_HOST, 2);
    return host;
}

static test_product plain(int64_t m, int64_t n, int64_t k, modblas_type a, modblas_type b,
                          uint64_t N)
{
    test_product p = test_product_of(m, n, k, a, b, N);
    p.options.scheme = MODBLAS_SCHEME_PLAIN;
    return p;
}

static mb_sums sums_of(const test_product *p)
{
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context(), &plan, &p->problem, &p->options), MODBLAS_OK);
    ck_assert_int_eq(plan->plan.math.scheme, MODBLAS_SCHEME_PLAIN);
    mb_sums sums = plan->plan.math.sums;
    modblas_plan_destroy(plan);
    return sums;
}

static const int64_t shapes[][3] = {{1, 1, 1},   {4, 8, 5},   {5, 9, 3},  {7, 17, 300},
                                    {13, 3, 40}, {3, 22, 31}, {1, 9, 260}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

START_TEST(every_modulus)
{
    test_random random = {1};
    bool met[MB_SUMS_COUNT] = {false};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int x = 0; x < SHAPES * TEST_DATA_COUNT; x++) {
            const int64_t *shape = shapes[x % SHAPES];
            test_product p =
                plain(shape[0], shape[1], shape[2], MODBLAS_U64, MODBLAS_I64, test_moduli[i]);
            p.data = (test_data)(x / SHAPES);
            p.alpha = test_word(&random) % 3 ? test_word(&random) : 1;
            p.beta = test_word(&random) & 1 ? test_word(&random) : 0;
            p.a = (test_layout)test_below(&random, TEST_INPUT_LAYOUTS);
            p.b = (test_layout)test_below(&random, TEST_INPUT_LAYOUTS);
            p.c = (test_layout)test_below(&random, TEST_LAYOUTS);
            met[sums_of(&p)] = true;
            test_product_check(context(), &p, &random);
        }
    }
    for (int s = 0; s < MB_SUMS_COUNT; s++)
        ck_assert_msg(met[s], "no sums of %s", mb_sums_name((mb_sums)s));
}
END_TEST

START_TEST(every_type)
{
    test_random random = {2};
    const uint64_t N[] = {3, 251, 65521, 2147483647, UINT64_MAX - 58, 0};
    for (int x = 0; x < 6 * TYPES * TYPES; x++) {
        modblas_type a = (modblas_type)(x % TYPES), b = (modblas_type)(x / TYPES % TYPES);
        test_product p = plain(6, 11, 35, a, b, N[x / TYPES / TYPES]);
        p.data = x & 1 ? TEST_UNREDUCED : (test_data)test_below(&random, TEST_DATA_COUNT);
        test_product_check(context(), &p, &random);
    }
}
END_TEST

/* More than one block of rows and of places, and tiles for two workers; either side longer. */
START_TEST(blocks_and_tiles)
{
    test_random random = {6};
    const uint64_t N[] = {65521, 2147483647, 4294967291, ((uint64_t)1 << 40) - 87, 0};
    for (int x = 0; x < 5 * 4; x++) {
        const bool across = x & 1;
        test_product p =
            plain(across ? 21 : 301, across ? 301 : 21, 515, MODBLAS_U64, MODBLAS_U64, N[x / 4]);
        p.beta = 3;
        p.data = x & 2 ? TEST_UNREDUCED : (test_data)test_below(&random, TEST_DATA_COUNT);
        modblas_plan *plan = NULL;
        ck_assert_int_eq(modblas_plan_create(context(), &plan, &p.problem, &p.options),
                         MODBLAS_OK);
        ck_assert_int_eq(plan->plan.tiles_m * plan->plan.tiles_n, 2);
        modblas_plan_destroy(plan);
        test_product_check(context(), &p, &random);
    }
}
END_TEST

/* All entries N - 1, the largest residue: every entry of the product is k. */
static void check_largest(uint64_t N, int64_t k)
{
    enum { M = 5, COLS = 9 };
    uint64_t *a = malloc((size_t)k * M * sizeof *a), *b = malloc((size_t)k * COLS * sizeof *b);
    uint64_t c[M * COLS];
    for (int64_t i = 0; i < k * M; i++)
        a[i] = N - 1;
    for (int64_t i = 0; i < k * COLS; i++)
        b[i] = N - 1;
    test_product p = plain(M, COLS, k, MODBLAS_U64, MODBLAS_U64, N);
    modblas_matrix A = modblas_row_major(a, MODBLAS_U64, M, k, k);
    modblas_matrix B = modblas_row_major(b, MODBLAS_U64, k, COLS, COLS);
    modblas_matrix C = modblas_row_major(c, MODBLAS_U64, M, COLS, COLS);
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context(), &plan, &p.problem, &p.options), MODBLAS_OK);
    ck_assert_int_eq(modblas_plan_run(plan, &C, &A, &B, 1, 0), MODBLAS_OK);
    for (int i = 0; i < M * COLS; i++)
        ck_assert_msg(c[i] == test_residue(k, N), "%" PRIu64 " for k = %" PRId64 ": %s", c[i], k,
                      test_product_text(&p));
    modblas_plan_destroy(plan);
    free(a);
    free(b);
}

/* Lengths at which the sums change, or k alone may be the reason. */
START_TEST(the_longest_sums_and_longer_ones)
{
    test_random random = {3};
    const int64_t longest = 2000;
    for (int i = 0; i < test_moduli_count; i++) {
        uint64_t N = test_moduli[i];
        for (int64_t k = 1; k < longest; k++) {
            test_product p = plain(5, 9, k, MODBLAS_U64, MODBLAS_U64, N), q = p;
            q.problem.k = k + 1;
            if (sums_of(&p) == sums_of(&q))
                continue;
            for (int x = 0; x < 2 * TEST_DATA_COUNT; x++) {
                test_product *r = x & 1 ? &q : &p;
                r->data = (test_data)(x / 2);
                test_product_check(context(), r, &random);
            }
            check_largest(N, k);
            check_largest(N, k + 1);
        }
        check_largest(N, longest);
    }
}
END_TEST

/* Digits of the largest size: N - 1 has two of them. */
START_TEST(the_largest_digits)
{
    const uint64_t N[] = {(uint64_t)1 << 44, ((uint64_t)1 << 44) - 1, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        for (int64_t k = 250; k < 260; k++)
            check_largest(N[i], k);
    }
}
END_TEST

START_TEST(sums_are_tight_on_both_sides)
{
    typedef unsigned __int128 wide;
    const wide limit = (wide)1 << 53;
    for (int i = 0; i < test_moduli_count; i++) {
        uint64_t N = test_moduli[i];
        mb_range h = mb_bound_residues(N);
        mb_fold fold = mb_bound_fold(N, h, h);
        uint64_t most = mb_range_magnitude(h);
        wide square = (wide)most * most, residues = (wide)(N - 1) * (N - 1);
        bool wraps = (N & (N - 1)) == 0, is_word = N - 1 <= UINT32_MAX;
        wide by = ((wide)1 << 62) - 1 - (((wide)1 << 62) - 1) % (N ? N : 1);
        ck_assert_int_eq(fold.every > 0, is_word && (wraps || square <= by));
        if (fold.every > 0) {
            ck_assert_uint_eq(fold.by, (uint64_t)by);
            ck_assert(wraps || (wide)fold.every * square <= by);
            ck_assert(wraps || (wide)(fold.every + 1) * square > by);
        }
        for (int64_t k = 1; k < 4000; k++) {
            mb_sums right = MB_SUMS_DIGITS;
            if (square <= limit && (wide)k * square <= limit)
                right = MB_SUMS_F64;
            else if (is_word && (wraps || 4 * square <= by))
                right = MB_SUMS_I64;
            else if (wraps || residues <= (wide)UINT64_MAX / (wide)k)
                right = MB_SUMS_U64;
            else if (N <= (uint64_t)1 << 32)
                right = MB_SUMS_HALVES;
            ck_assert_int_eq(mb_bound_plain_sums(N, k, h, h), right);
        }
    }
    /* Entries of 32 bits at most, on either side. */
    const uint64_t word = (uint64_t)1 << 31;
    const mb_range small = {1, 1};
    const mb_range wide_range[] = {{word, word - 1}, {word + 1, 0}, {0, word}};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mb_bound_fold(65537, small, wide_range[i]).every > 0, i == 0);
        ck_assert_int_eq(mb_bound_fold(65537, wide_range[i], small).every > 0, i == 0);
    }
}
END_TEST

START_TEST(three_words_are_reduced)
{
    typedef unsigned __int128 wide;
    test_random random = {4};
    for (int x = 0; x < 2000 * test_moduli_count; x++) {
        uint64_t N = test_moduli[x % test_moduli_count];
        mb_mod mod = mb_mod_make(N);
        mb_u128 v = {test_word(&random), test_word(&random)};
        uint64_t top = x % 3 ? test_below(&random, N) : N - 1;
        if (x % 5 == 0)
            v.lo = v.hi = UINT64_MAX;
        uint64_t r = N ? (uint64_t)(((wide)top << 64 | v.hi) % N) : v.hi;
        r = N ? (uint64_t)(((wide)r << 64 | v.lo) % N) : v.lo;
        ck_assert_uint_eq(mb_reduce192(top, v, &mod), r);
    }
}
END_TEST

/* ---- plans ---------------------------------------------------------------------------------- */

START_TEST(options_that_plain_does_not_have)
{
    const modblas_plan_options plain_options = plain(1, 1, 1, MODBLAS_U8, MODBLAS_U8, 7).options;
    modblas_problem problem = {8, 8, 8, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 7};
    for (int x = 0; x < 4; x++) {
        modblas_plan_options o = plain_options;
        modblas_plan *plan = NULL;
        int64_t *size[] = {&o.tile_m, &o.tile_n, &o.chunk_k};
        if (x < 3)
            *size[x] = 4;
        else
            o.engine = MODBLAS_ENGINE_F64;
        ck_assert_int_eq(modblas_plan_create(context(), &plan, &problem, &o), MODBLAS_ENOPLAN);
        ck_assert_ptr_nonnull(strstr(modblas_detail(), "plain"));
    }
}
END_TEST

/* A plan without reasons is the same plan. */
START_TEST(what_cannot_win_may_be_left_out)
{
    mb_caps caps = mb_device_caps(context(), &context()->device[0]);
    int plain_plans = 0, others = 0;
    for (int x = 0; x < test_moduli_count * 40; x++) {
        int64_t n = 1 + x / test_moduli_count * x / test_moduli_count / 2;
        test_product p =
            test_product_of(n, n, n, MODBLAS_U64, MODBLAS_U64, test_moduli[x % test_moduli_count]);
        mb_request request = {.problem = p.problem, .options = p.options};
        mb_plan plan[2];
        mb_reasons reasons;
        ck_assert_int_eq(mb_plan_make(&plan[0], &reasons, &request, &caps), MODBLAS_OK);
        ck_assert_int_eq(mb_plan_make(&plan[1], NULL, &request, &caps), MODBLAS_OK);
        ck_assert_int_eq(plan[0].math.scheme, plan[1].math.scheme);
        ck_assert_ptr_eq(plan[0].math.engine, plan[1].math.engine);
        ck_assert_double_eq(plan[0].seconds, plan[1].seconds);
        for (int c = 0; c < reasons.count; c++) {
            double seconds = reasons.candidate[c].seconds;
            if (reasons.candidate[c].scheme != MODBLAS_SCHEME_PLAIN && seconds > 0)
                ck_assert_double_ge(seconds, mb_cost_least(&p.problem, &caps));
        }
        plain_plans += plan[0].math.scheme == MODBLAS_SCHEME_PLAIN;
        others += plan[0].math.scheme != MODBLAS_SCHEME_PLAIN;
    }
    ck_assert(plain_plans > 0 && others > 0);
}
END_TEST

/* ---- entries -------------------------------------------------------------------------------- */

/* One entry of an operand replaced; beta reads C. */
static modblas_status run_with(test_product *p, int o, double value, test_random *random)
{
    test_operands v;
    modblas_plan *plan = NULL;
    p->beta = o == 2;
    test_operands_make(&v, p, random);
    const modblas_matrix *view[] = {&v.A.view, &v.B.view, &v.C.view};
    *(double *)test_at(view[o], view[o]->rows - 1, view[o]->cols / 2) = value;
    ck_assert_int_eq(modblas_plan_create(context(), &plan, &p->problem, &p->options), MODBLAS_OK);
    modblas_status status = modblas_plan_run(plan, view[2], view[0], view[1], 1, p->beta);
    modblas_plan_destroy(plan);
    test_operands_free(&v);
    return status;
}

START_TEST(entries_that_are_refused)
{
    test_random random = {5};
    const uint64_t N[] = {251, 65521, ((uint64_t)1 << 31) - 1, ((uint64_t)1 << 40) - 87};
    const double bad[] = {0.5, -1e300, 9007199254740994.0, 1e300 * 1e300};
    for (int x = 0; x < 4 * 3 * 4; x++) {
        const int64_t n = x & 1 ? 10 : x & 2 ? 30 : 1; /* also read across, and few */
        test_product p = plain(6, n, 270, MODBLAS_F64, MODBLAS_F64, N[x / 12]);
        p.problem.c = MODBLAS_F64;
        ck_assert_int_eq(run_with(&p, x % 3, 7, &random), MODBLAS_OK);
        ck_assert_int_eq(run_with(&p, x % 3, bad[x / 3 % 4], &random), MODBLAS_ENOTINT);
        ck_assert_int_eq(modblas_detail()[0], "ABC"[x % 3]);
        if (x % 3 == 2)
            continue;
        p.options.bound_a = p.options.bound_b = 100;
        ck_assert_int_eq(run_with(&p, x % 3, -100, &random), MODBLAS_OK);
        ck_assert_int_eq(run_with(&p, x % 3, x & 1 ? 101 : -101, &random), MODBLAS_EBOUND);
        ck_assert_int_eq(modblas_detail()[0], "ABC"[x % 3]);
    }
}
END_TEST

/* One tile where C overlaps an input. */
START_TEST(overlap_is_not_tiled)
{
    mb_caps caps = mb_device_caps(context(), &context()->device[0]);
    mb_request request = {.problem = {400, 400, 400, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 0}};
    request.options.scheme = MODBLAS_SCHEME_PLAIN;
    for (int overlap = 0; overlap < 2; overlap++) {
        mb_plan plan;
        request.overlap = overlap;
        ck_assert_int_eq(mb_plan_make(&plan, NULL, &request, &caps), MODBLAS_OK);
        ck_assert_int_eq(plan.workers, overlap ? 1 : 2);
    }
}
END_TEST

/* Memory for this product, not for the transposed one, which a column-major C asks for. */
START_TEST(a_plan_for_either_product)
{
    enum { M = 40, K = 600, N = 12 };
    static uint64_t A[M * K], B[K * N], C[M * N];
    modblas_context *small = NULL;
    modblas_plan *plan = NULL;
    modblas_options o;
    modblas_plan_options forced;
    modblas_options_init(&o);
    modblas_plan_options_init(&forced);
    o.backend = MODBLAS_BACKEND_HOST;
    o.workers = 1;
    o.memory = 190000;
    forced.scheme = MODBLAS_SCHEME_PLAIN;
    for (int i = 0; i < M * K; i++)
        A[i] = B[i % (K * N)] = (uint64_t)i;
    ck_assert_int_eq(modblas_context_create(&small, &o), MODBLAS_OK);
    modblas_problem p = {M, N, K, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 32742};
    ck_assert_int_eq(modblas_plan_create(small, &plan, &p, &forced), MODBLAS_OK);
    modblas_matrix a = modblas_row_major(A, MODBLAS_U64, M, K, K);
    modblas_matrix b = modblas_row_major(B, MODBLAS_U64, K, N, N);
    modblas_matrix c = modblas_column_major(C, MODBLAS_U64, M, N, M);
    uint64_t *expected = test_expected(&c, &a, &b, 1, 0, 32742);
    int64_t i = 0, j = 0;
    ck_assert_msg(modblas_plan_run(plan, &c, &a, &b, 1, 0) == MODBLAS_OK, "%s", modblas_detail());
    ck_assert(test_holds(&c, expected, 32742, &i, &j));
    free(expected);
    modblas_plan_destroy(plan);
    modblas_context_destroy(small);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_modulus,
                                  every_type,
                                  blocks_and_tiles,
                                  the_longest_sums_and_longer_ones,
                                  the_largest_digits,
                                  sums_are_tight_on_both_sides,
                                  three_words_are_reduced,
                                  options_that_plain_does_not_have,
                                  what_cannot_win_may_be_left_out,
                                  entries_that_are_refused,
                                  overlap_is_not_tiled,
                                  a_plan_for_either_product};
    int result = test_main("plain", tests, TEST_COUNT(tests));
    modblas_context_destroy(host);
    return result;
}
