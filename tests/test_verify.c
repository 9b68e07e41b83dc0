/* SPDX-License-Identifier: BSD-3-Clause */
/* Freivalds' check: passes what is right, catches one wrong entry. */
#include "src/run/freivalds.h"
#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static modblas_backend backend[2];
static modblas_context *context;

static void use_backend(int i)
{
    modblas_context_destroy(context);
    context = test_context(backend[i], 1);
}

static const uint64_t moduli[] = {2, 3, 251, 2147483647, 0};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

START_TEST(rounds_for_2_to_the_minus_40)
{
    ck_assert_int_eq(mb_freivalds_rounds(2), 40);
    ck_assert_int_eq(mb_freivalds_rounds(0), 40);
    ck_assert_int_eq(mb_freivalds_rounds(3), 26);
    ck_assert_int_eq(mb_freivalds_rounds(15), 26);
    ck_assert_int_eq(mb_freivalds_rounds(251), 6);
    ck_assert_int_eq(mb_freivalds_rounds(2147483647), 5);
    ck_assert_int_eq(mb_freivalds_rounds(257), 5);
    for (uint64_t N = 2; N < 300; N++) {
        uint64_t p = 2;
        while (N % p != 0)
            p++;
        double rounds = ceil(40 / log2((double)p));
        ck_assert_int_eq(mb_freivalds_rounds(N), (int)(p > 256 ? 5 : rounds));
    }
}
END_TEST

/* The check of a right product that is then changed in entry `at` (-1: not) by `change`. */
static modblas_status judge(const test_product *p, int64_t at, uint64_t change,
                            test_random *random)
{
    test_operands o;
    mb_freivalds *check = NULL;
    test_operands_make(&o, p, random);
    modblas_matrix *C = &o.C.view;
    uint64_t N = p->problem.N, alpha = test_residue((test_int)p->alpha, N);
    uint64_t beta = test_residue((test_int)p->beta, N);
    ck_assert_int_eq(mb_freivalds_before(&check, context, &context->device[0], C, &o.A.view,
                                         &o.B.view, alpha, beta, N),
                     MODBLAS_OK);
    for (int64_t i = 0; i < C->rows * C->cols; i++) {
        uint64_t r = o.expected[i];
        if (i == at)
            r = test_residue((test_int)r + (test_int)change, N);
        test_set(C, i / C->cols, i % C->cols, test_stored(r, C->type, N));
    }
    modblas_status status = mb_freivalds_after(check, C);
    mb_freivalds_free(check);
    test_operands_free(&o);
    return status;
}

START_TEST(right_products_pass)
{
    use_backend(_i);
    test_random random = {1};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int d = 0; d < TEST_DATA_COUNT; d++) {
            test_product p = test_product_of(13, 11, 17, MODBLAS_I64, MODBLAS_U32, test_moduli[i]);
            p.data = (test_data)d;
            p.a = (test_layout)(d % TEST_LAYOUTS);
            p.c = (test_layout)(d * 3 % TEST_LAYOUTS);
            p.alpha = test_word(&random);
            p.beta = d & 1 ? test_word(&random) : 0;
            ck_assert_int_eq(judge(&p, -1, 0, &random), MODBLAS_OK);
        }
    }
}
END_TEST

START_TEST(one_wrong_entry_is_caught)
{
    use_backend(_i);
    test_random random = {2};
    for (int i = 0; i < MODULI; i++) {
        uint64_t N = moduli[i];
        for (int64_t at = 0; at < 7 * 9; at++) {
            test_product p = test_product_of(7, 9, 12, MODBLAS_U64, MODBLAS_U64, N);
            p.problem.c = N == 0 ? MODBLAS_I64 : MODBLAS_U64;
            p.beta = (uint64_t)at & 1;
            /* For 2^64 the hardest error is 2^63: only odd multipliers see it. */
            uint64_t change = N == 0 ? (uint64_t)1 << 63 : 1 + test_below(&random, N - 1);
            ck_assert_int_eq(judge(&p, at, change, &random), MODBLAS_EVERIFY);
            char row[32];
            snprintf(row, sizeof row, "row %d ", (int)(at / 9));
            ck_assert_msg(strstr(modblas_detail(), row) != NULL, "%s", modblas_detail());
        }
    }
}
END_TEST

/* Entries that are right mod N, or become so when cut, but are no residues. */
START_TEST(entries_beyond_N_are_caught)
{
    use_backend(_i);
    test_random random = {3};
    for (int t = 0; t <= MODBLAS_F64; t++) {
        modblas_type type = (modblas_type)t;
        const uint64_t N = 5;
        test_product p = test_product_of(3, 3, 4, MODBLAS_U8, MODBLAS_U8, N);
        p.problem.c = type;
        for (int wrong = 0; wrong < 4; wrong++) {
            test_operands o;
            mb_freivalds *check = NULL;
            test_operands_make(&o, &p, &random);
            modblas_matrix *C = &o.C.view;
            ck_assert_int_eq(mb_freivalds_before(&check, context, &context->device[0], C,
                                                 &o.A.view, &o.B.view, 1, 0, N),
                             MODBLAS_OK);
            for (int x = 0; x < 9; x++)
                test_set(C, x / 3, x % 3, (test_int)o.expected[x]);
            test_int right = (test_int)o.expected[4];
            test_int other[] = {right, right + 5, right + 125, right - 5};
            bool legal = test_legal(type, other[wrong]) == other[wrong];
            test_set(C, 1, 1, legal ? other[wrong] : right);
            ck_assert_int_eq(mb_freivalds_after(check, C),
                             legal && wrong ? MODBLAS_EVERIFY : MODBLAS_OK);
            mb_freivalds_free(check);
            test_operands_free(&o);
        }
    }
}
END_TEST

START_TEST(halves_are_caught)
{
    use_backend(_i);
    double a[] = {1, 2, 3, 4}, c[] = {7, 10, 15, 22};
    modblas_matrix A = modblas_row_major(a, MODBLAS_F64, 2, 2, 2), C = A;
    C.data = c;
    for (int x = 0; x < 5; x++) {
        mb_freivalds *check = NULL;
        ck_assert_int_eq(
            mb_freivalds_before(&check, context, &context->device[0], &C, &A, &A, 1, 0, 23),
            MODBLAS_OK);
        double right = c[x & 3];
        c[x & 3] += x < 4 ? 0.5 : 0;
        ck_assert_int_eq(mb_freivalds_after(check, &C), x < 4 ? MODBLAS_EVERIFY : MODBLAS_OK);
        c[x & 3] = right;
        mb_freivalds_free(check);
    }
}
END_TEST

/* A context that checks: right products pass through, also where C overlaps A. */
START_TEST(checked_products)
{
    test_random random = {3};
    modblas_options options;
    modblas_options_init(&options);
    options.backend = backend[_i];
    options.verify = MODBLAS_VERIFY_FREIVALDS;
    modblas_context *checked = NULL;
    ck_assert_int_eq(modblas_context_create(&checked, &options), MODBLAS_OK);
    for (int i = 0; i < test_moduli_count; i++) {
        test_product p = test_product_of(20, 30, 25, MODBLAS_F32, MODBLAS_U64, test_moduli[i]);
        p.beta = test_word(&random);
        test_product_check(checked, &p, &random);
        uint64_t x[16], y[16];
        for (int j = 0; j < 16; j++)
            y[j] = x[j] = test_below(&random, test_moduli[i]);
        ck_assert_int_eq(modblas_matmul(checked, x, 4, x, 4, x, 4, 4, 4, 4, test_moduli[i]),
                         MODBLAS_OK);
        ck_assert_int_eq(modblas_matmul(checked, y, 4, y, 4, y, 4, 4, 4, 4, test_moduli[i]),
                         MODBLAS_OK);
        ck_assert_mem_eq(x, y, sizeof x);
    }
    modblas_context_destroy(checked);
}
END_TEST

/* Entries that are no integers are still said to be none. */
START_TEST(checked_products_of_no_integers)
{
    modblas_options options;
    modblas_options_init(&options);
    options.backend = backend[_i];
    options.verify = MODBLAS_VERIFY_FREIVALDS;
    modblas_context *checked = NULL;
    ck_assert_int_eq(modblas_context_create(&checked, &options), MODBLAS_OK);
    const double bad[] = {0.5, NAN, INFINITY, -1e300};
    for (int i = 0; i < 3 * 4; i++) {
        double x[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
        x[i % 3][1] = bad[i / 3];
        modblas_matrix view[3];
        for (int v = 0; v < 3; v++)
            view[v] = modblas_row_major(x[v], MODBLAS_F64, 2, 2, 2);
        ck_assert_int_eq(modblas_gemm(checked, &view[2], &view[0], &view[1], 1, 1, 65521),
                         MODBLAS_ENOTINT);
        char name[] = {"ABC"[i % 3], '\0'};
        ck_assert_msg(strstr(modblas_detail(), name) != NULL, "%s", modblas_detail());
    }
    modblas_context_destroy(checked);
}
END_TEST

/* A join that is wrong once: the context says so. */
static const mb_backend *honest;
static modblas_status wrong_join(mb_worker *worker, const mb_join_job *job)
{
    modblas_status status = honest->join(worker, job);
    if (!job->to_carry)
        *(uint64_t *)job->C.data ^= 1;
    return status;
}

static modblas_status wrong_plain(mb_worker *worker, const mb_plain_job *job)
{
    modblas_status status = honest->plain(worker, job);
    *(uint64_t *)job->C.data ^= 1;
    return status;
}

START_TEST(a_wrong_product_is_refused)
{
    honest = mb_backend_host();
    mb_backend wrong = *honest;
    wrong.join = wrong_join;
    wrong.plain = wrong_plain;
    modblas_options options;
    modblas_options_init(&options);
    options.verify = MODBLAS_VERIFY_FREIVALDS;
    modblas_context *checked = NULL;
    ck_assert_int_eq(mb_context_make(&checked, &wrong, &options), MODBLAS_OK);
    enum { LARGE = 400 };
    static uint64_t x[LARGE * LARGE] = {1, 2, 3}, y[LARGE * LARGE];
    ck_assert_int_eq(
        modblas_matmul(checked, y, LARGE, x, LARGE, x, LARGE, LARGE, LARGE, LARGE, 256),
        MODBLAS_EVERIFY);
    ck_assert_ptr_nonnull(strstr(modblas_detail(), "row 0 "));
    modblas_context_destroy(checked);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        rounds_for_2_to_the_minus_40,    right_products_pass,       one_wrong_entry_is_caught,
        entries_beyond_N_are_caught,     halves_are_caught,         checked_products,
        checked_products_of_no_integers, a_wrong_product_is_refused};
    int count = test_backends(backend);
    int result = test_main_each("verify", tests, TEST_COUNT(tests), count);
    modblas_context_destroy(context);
    return result;
}
