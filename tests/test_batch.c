/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches: each product is that of modblas_gemm, whatever is fused, and what is not independent is
 * refused. Every test runs on the host, on a device if there is one, and on the readable twin of
 * the fused kernel. */
#include "src/run/context.h"
#include "support/batch.h"
#include "support/batched.h"
#include "support/fault.h"
#include "support/oracle.h"
#include "support/refused.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = MODBLAS_F64 + 1 };

static const uint64_t moduli[] = {1,
                                  2,
                                  251,
                                  256,
                                  257,
                                  65521,
                                  65536,
                                  8388593,
                                  ((uint64_t)1 << 31) - 1,
                                  (uint64_t)1 << 32,
                                  ((uint64_t)1 << 32) + 15,
                                  ((uint64_t)1 << 52) - 47,
                                  0 - (uint64_t)59,
                                  0};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static const int shapes[][3] = {{1, 1, 1},  {64, 64, 64}, {63, 65, 1},    {65, 64, 63},
                                {3, 1, 70}, {64, 1, 129}, {100, 37, 211}, {5, 130, 64}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A type for C that holds residues mod N. */
static modblas_type type_of_c(uint64_t N, test_random *random)
{
    modblas_type type;
    do {
        type = (modblas_type)test_below(random, TYPES);
    } while (!mb_mod_fits_type(N, type));
    return type;
}

static test_product mixed(test_random *random)
{
    const int *s = shapes[test_below(random, SHAPES)];
    const uint64_t N = moduli[test_below(random, MODULI)];
    test_product p = test_product_of(s[0], s[1], s[2], (modblas_type)test_below(random, TYPES),
                                     (modblas_type)test_below(random, TYPES), N);
    p.problem.c = type_of_c(N, random);
    p.data = (test_data)test_below(random, TEST_DATA_COUNT);
    p.alpha = test_below(random, 3) ? 1 : test_word(random);
    p.beta = test_below(random, 3) ? 0 : test_word(random);
    p.a = (test_layout)test_below(random, TEST_INPUT_LAYOUTS);
    p.b = (test_layout)test_below(random, TEST_INPUT_LAYOUTS);
    p.c = (test_layout)test_below(random, TEST_LAYOUTS);
    return p;
}

START_TEST(mixed_products_are_right)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    test_random random = {14};
    test_batch *b = calloc(1, sizeof *b);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 40; i++) {
            const test_product p = mixed(&random);
            test_batch_add(b, &p, &random);
        }
        test_batch_run(b, context);
    }
    free(b);
    modblas_context_destroy(context);
}
END_TEST

/* Every type beside every other, on residues and on whatever the types hold. */
START_TEST(all_types_are_read)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    test_random random = {3};
    test_batch *b = calloc(1, sizeof *b);
    for (int m = 2; m < MODULI; m += 3)
        for (int t = 0; t < TYPES * TYPES; t++) {
            test_product p = test_product_of(33, 20, 35, (modblas_type)(t / TYPES),
                                             (modblas_type)(t % TYPES), moduli[m]);
            p.data = t % 2 ? TEST_UNREDUCED : TEST_RANDOM;
            p.a = t % 3 ? TEST_ROWS : TEST_COLUMNS;
            p.b = t % 5 > 1 ? TEST_ROWS : TEST_COLUMNS;
            p.c = t % 7 ? TEST_ROWS : TEST_COLUMNS;
            test_batch_add(b, &p, &random);
            if (b->count == TEST_BATCH_MOST)
                test_batch_run(b, context);
        }
    test_batch_run(b, context);
    free(b);
    modblas_context_destroy(context);
}
END_TEST

/* The largest k that is fused, and the next. */
START_TEST(extremes_are_right_at_the_largest_k)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    test_random random = {5};
    test_batch *b = calloc(1, sizeof *b);
    for (int m = 2; m < MODULI; m++)
        for (int d = TEST_ALL_HIGH; d < TEST_DATA_COUNT; d++) {
            test_product p = test_product_of(5, 6, MB_BATCH_LONGEST_K + d % 2, MODBLAS_U64,
                                             MODBLAS_I64, moduli[m]);
            p.data = (test_data)d;
            test_batch_add(b, &p, &random);
            if (b->count == TEST_BATCH_MOST)
                test_batch_run(b, context);
        }
    test_batch_run(b, context);
    free(b);
    modblas_context_destroy(context);
}
END_TEST

/* Of products that fit, on the twin alone, whose sums are counted. */
START_TEST(small_products_are_fused)
{
    modblas_context *context = test_batch_context(test_batch_contexts() - 1, MODBLAS_VERIFY_OFF);
    test_random random = {6};
    test_batch *b = calloc(1, sizeof *b);
    test_product p =
        test_product_of(20, 30, MB_BATCH_LONGEST_K, MODBLAS_U32, MODBLAS_U32, 2147483647);
    for (int i = 0; i < 3; i++)
        test_batch_add(b, &p, &random);
    p.problem.k = MB_BATCH_LONGEST_K + 1;
    test_batch_add(b, &p, &random);
    p.problem.k = 7;
    p.alpha = 2147483647;
    test_batch_add(b, &p, &random);
    test_batched_count();
    test_batch_run(b, context);
    ck_assert_int_eq(test_batched_count(), 3);
    free(b);
    modblas_context_destroy(context);
}
END_TEST

/* As many tiles and moduli as fill several parts. */
START_TEST(parts_follow_each_other)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    enum { COUNT = 5000, N0 = 2147483647 };
    test_random random = {7};
    uint32_t *x = malloc(COUNT * 2 * sizeof *x), *y = calloc(COUNT, sizeof *y);
    modblas_product *p = calloc(COUNT, sizeof *p);
    for (int i = 0; i < 2 * COUNT; i++)
        x[i] = (uint32_t)test_word(&random);
    for (int i = 0; i < COUNT; i++)
        p[i] = (modblas_product){.C = modblas_row_major(&y[i], MODBLAS_U32, 1, 1, 1),
                                 .A = modblas_row_major(&x[2 * i], MODBLAS_U32, 1, 1, 1),
                                 .B = modblas_row_major(&x[2 * i + 1], MODBLAS_U32, 1, 1, 1),
                                 .alpha = i < 3000 ? 1 : (uint64_t)i,
                                 .N = i < 1500   ? N0 - (uint64_t)i
                                      : i < 3000 ? N0 - (uint64_t)(i % 100)
                                                 : N0};
    ck_assert_int_eq(modblas_gemm_batch(context, p, COUNT), MODBLAS_OK);
    for (int i = 0; i < COUNT; i++)
        ck_assert_uint_eq(y[i], (uint64_t)x[2 * i] * x[2 * i + 1] % p[i].N * p[i].alpha % p[i].N);
    p[4500].A.cols = 2;
    REFUSED(EINVAL, modblas_gemm_batch(context, p, COUNT));
    ck_assert_msg(strstr(modblas_detail(), "product 4500: ") != NULL, "%s", modblas_detail());
    free(p);
    free(x);
    free(y);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(empty_batches_and_products)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    uint32_t x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
    ck_assert_int_eq(modblas_gemm_batch(context, NULL, 0), MODBLAS_OK);
    modblas_product p = {.C = modblas_row_major(y, MODBLAS_U32, 2, 2, 2),
                         .A = modblas_row_major(x, MODBLAS_U32, 2, 0, 2),
                         .B = modblas_row_major(x, MODBLAS_U32, 0, 2, 2),
                         .alpha = 1,
                         .beta = 2,
                         .N = 11};
    ck_assert_int_eq(modblas_gemm_batch(context, &p, 1), MODBLAS_OK);
    ck_assert(y[0] == 10 && y[1] == 1 && y[2] == 3 && y[3] == 5);
    REFUSED(EINVAL, modblas_gemm_batch(context, NULL, 1));
    REFUSED(EINVAL, modblas_gemm_batch(context, &p, -1));
    REFUSED(EINVAL, modblas_gemm_batch(NULL, &p, 1));
    modblas_context_destroy(context);
}
END_TEST

/* Nothing runs, and the sentence says which. */
START_TEST(bad_products_are_named)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    uint32_t x[3] = {3, 4, 5}, y[3] = {7, 7, 7};
    modblas_product p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (modblas_product){.C = modblas_row_major(&y[i], MODBLAS_U32, 1, 1, 1),
                                 .A = modblas_row_major(&x[i], MODBLAS_U32, 1, 1, 1),
                                 .B = modblas_row_major(&x[0], MODBLAS_U32, 1, 1, 1),
                                 .alpha = 1,
                                 .N = 101};
    p[2].A.cols = 2;
    REFUSED(EINVAL, modblas_gemm_batch(context, p, 3));
    ck_assert_msg(strstr(modblas_detail(), "product 2: ") != NULL, "%s", modblas_detail());
    p[2].A.cols = 1;
    p[1].N = 0;
    REFUSED(EINVAL, modblas_gemm_batch(context, p, 3));
    ck_assert_msg(strstr(modblas_detail(), "product 1: ") != NULL, "%s", modblas_detail());
    ck_assert(y[0] == 7 && y[1] == 7 && y[2] == 7);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(bad_entries_are_reported)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    for (int operand = 0; operand < 6; operand++) {
        double x[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 1, 1, 1}};
        const bool across = operand >= 3;
        x[operand % 3][2] = 0.5;
        modblas_matrix C = modblas_row_major(x[2], MODBLAS_F64, 2, 2, 2);
        const modblas_product p = {.C = across ? modblas_transpose(C) : C,
                                   .A = modblas_row_major(x[0], MODBLAS_F64, 2, 2, 2),
                                   .B = modblas_row_major(x[1], MODBLAS_F64, 2, 2, 2),
                                   .alpha = 1,
                                   .beta = 1,
                                   .N = 101};
        REFUSED(ENOTINT, modblas_gemm_batch(context, &p, 1));
        const char name[] = {"ABC"[operand % 3], ' ', 'h', 'a', 's', '\0'};
        ck_assert_msg(strstr(modblas_detail(), name) != NULL, "%s", modblas_detail());
    }
    modblas_context_destroy(context);
}
END_TEST

START_TEST(checked_products_are_right)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_FREIVALDS);
    test_random random = {8};
    test_batch *b = calloc(1, sizeof *b);
    for (int i = 0; i < TEST_BATCH_MOST; i++) {
        const test_product p = mixed(&random);
        test_batch_add(b, &p, &random);
    }
    test_batch_run(b, context);
    free(b);
    modblas_context_destroy(context);
}
END_TEST

/* ---- independence --------------------------------------------------------------------------- */

static uint32_t field[64 * 64];

static modblas_matrix window(int i, int j, int rows, int cols)
{
    return modblas_row_major(&field[i * 64 + j], MODBLAS_U32, rows, cols, 64);
}

static uint32_t apart[16];

static modblas_product product_to(modblas_matrix C)
{
    modblas_product p = {.C = C,
                         .A = modblas_row_major(apart, MODBLAS_U32, C.rows, 1, 0),
                         .B = modblas_row_major(apart, MODBLAS_U32, 1, C.cols, 1),
                         .alpha = 1,
                         .N = 101};
    p.B.col_stride = 0;
    return p;
}

START_TEST(outputs_are_no_inputs_of_others)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    for (int operand = 0; operand < 2; operand++) {
        modblas_product p[3];
        for (int i = 0; i < 3; i++)
            p[i] = product_to(window(0, 8 * i, 4, 4));
        *(operand ? &p[2].B : &p[2].A) = window(0, 12, 4, 4);
        *(operand ? &p[2].A : &p[2].B) = window(8, 0, 4, 4);
        ck_assert_int_eq(modblas_gemm_batch(context, p, 3), MODBLAS_OK);
        (operand ? &p[2].B : &p[2].A)->data = window(3, 11, 1, 1).data;
        REFUSED(EINVAL, modblas_gemm_batch(context, p, 3));
        const char *name = operand ? "overlaps B of product 2" : "overlaps A of product 2";
        ck_assert_msg(strstr(modblas_detail(), "C of product 1") != NULL, "%s", modblas_detail());
        ck_assert_msg(strstr(modblas_detail(), name) != NULL, "%s", modblas_detail());
    }
    modblas_context_destroy(context);
}
END_TEST

/* C may be its own A or B: as if it were not. */
START_TEST(products_in_place)
{
    modblas_context *context = test_batch_context(_i, MODBLAS_VERIFY_OFF);
    test_random random = {9};
    uint64_t x[2][9], y[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, *expected[2];
    modblas_product p[2];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 9; j++)
            x[i][j] = test_below(&random, 1009);
        const modblas_matrix X = modblas_row_major(x[i], MODBLAS_U64, 3, 3, 3);
        const modblas_matrix Y = modblas_row_major(y, MODBLAS_U64, 3, 3, 3);
        p[i] = (modblas_product){X, i ? Y : X, i ? X : Y, 1, 0, 1009};
        expected[i] = test_expected(&X, &p[i].A, &p[i].B, 1, 0, 1009);
    }
    ck_assert_int_eq(modblas_gemm_batch(context, p, 2), MODBLAS_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_mem_eq(x[i], expected[i], sizeof x[i]);
        free(expected[i]);
    }
    modblas_context_destroy(context);
}
END_TEST

/* ---- failures ------------------------------------------------------------------------------- */

/* Whichever call of the backend fails, so does the batch, and nothing is lost. */
START_TEST(failures_come_back)
{
    mb_backend faulty;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    test_fault_make(&faulty, test_batched());
    modblas_context *context;
    ck_assert_int_eq(mb_context_make(&context, &faulty, &options), MODBLAS_OK);
    test_random random = {10};
    test_batch *b = calloc(1, sizeof *b);
    test_product p = test_product_of(10, 10, 10, MODBLAS_U32, MODBLAS_U32, 2147483647);
    for (int i = 0; i < 3; i++)
        test_batch_add(b, &p, &random);
    bool batch_met = false;
    for (int n = 1;; n++) {
        test_fault_arm(n, MODBLAS_EDEVICE);
        const modblas_status status = modblas_gemm_batch(context, b->batch, b->count);
        const char *met = test_fault_met();
        test_fault_arm(0, MODBLAS_OK);
        if (met == NULL)
            break;
        batch_met = batch_met || strcmp(met, "batch") == 0;
        /* Where memory lies is asked again by the product that is not fused. */
        ck_assert_int_eq(status, strcmp(met, "span") == 0 ? MODBLAS_OK : MODBLAS_EDEVICE);
    }
    ck_assert(batch_met);
    test_batch_run(b, context);
    free(b);
    modblas_context_destroy(context);
    ck_assert_int_eq(test_fault_outstanding(), 0);
}
END_TEST

/* Where k is no multiple of the backend's step, a product goes the ordinary way. */
START_TEST(steps_are_kept_to)
{
    const uint32_t a[65] = {3}, b[65] = {5};
    uint32_t c = 0;
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    ck_assert_int_eq(mb_context_make(&context, test_batched(), &options), MODBLAS_OK);
    test_batched_step(64);
    (void)test_batched_count();
    for (int k = 63; k <= 65; k++) {
        const modblas_product p = {.C = modblas_row_major(&c, MODBLAS_U32, 1, 1, 1),
                                   .A = modblas_row_major(a, MODBLAS_U32, 1, k, k),
                                   .B = modblas_row_major(b, MODBLAS_U32, k, 1, 1),
                                   .alpha = 1,
                                   .N = 1000003};
        ck_assert_int_eq(modblas_gemm_batch(context, &p, 1), MODBLAS_OK);
        ck_assert_uint_eq(c, 15);
        ck_assert_int_eq(test_batched_count(), k == 64);
    }
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const everywhere[] = {
        mixed_products_are_right, all_types_are_read,         extremes_are_right_at_the_largest_k,
        parts_follow_each_other,  empty_batches_and_products, bad_products_are_named,
        bad_entries_are_reported, checked_products_are_right, outputs_are_no_inputs_of_others,
        products_in_place};
    const TTest *const once[] = {small_products_are_fused, failures_come_back, steps_are_kept_to};
    const int failed =
        test_main_each("batch", everywhere, TEST_COUNT(everywhere), test_batch_contexts());
    return test_main("batch", once, TEST_COUNT(once)) || failed;
}
