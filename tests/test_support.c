/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests' own helpers: what they must notice, they notice. */
#include "support/canvas.h"
#include "support/fault.h"
#include "support/fill.h"
#include "support/model.h"
#include "support/moduli.h"
#include "support/oracle.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = MODBLAS_F64 + 1, ROWS = 3, COLS = 4 };

/* Changes each byte of the buffer in turn: inside the window it is allowed, outside it is seen. */
static void check_canvas(modblas_type type, test_layout layout)
{
    test_canvas canvas;
    test_canvas_make(&canvas, type, ROWS, COLS, layout);
    ck_assert(test_canvas_is_intact(&canvas) && test_canvas_is_unchanged(&canvas));
    size_t inside = 0, element = test_type_size(type);
    for (size_t at = 0; at < canvas.size; at++) {
        bool in = false;
        for (int64_t x = 0; x < ROWS * COLS; x++) {
            unsigned char *p = test_at(&canvas.view, x / COLS, x % COLS);
            in = in || (p <= canvas.bytes + at && canvas.bytes + at < p + element);
        }
        canvas.bytes[at] ^= 1;
        ck_assert_int_eq(test_canvas_is_intact(&canvas), in);
        ck_assert(!test_canvas_is_unchanged(&canvas));
        canvas.bytes[at] ^= 1;
        inside += in;
    }
    size_t rows = layout == TEST_SAME_ROWS || layout == TEST_ONE_ENTRY ? 1 : ROWS;
    size_t cols = layout == TEST_SAME_COLUMNS || layout == TEST_ONE_ENTRY ? 1 : COLS;
    ck_assert_uint_eq(inside, rows * cols * element);
    /* There is noise on both sides. */
    ck_assert(canvas.size > inside + 16 * element);
    test_canvas_free(&canvas);
}

START_TEST(canvases_see_every_byte)
{
    for (int layout = 0; layout < TEST_INPUT_LAYOUTS; layout++) {
        check_canvas(MODBLAS_U8, (test_layout)layout);
        check_canvas(MODBLAS_I32, (test_layout)layout);
        check_canvas(MODBLAS_F64, (test_layout)layout);
    }
}
END_TEST

START_TEST(canvases_hold_all_entries)
{
    for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
        for (int t = 0; t < TYPES; t++) {
            test_canvas canvas;
            test_canvas_make(&canvas, (modblas_type)t, ROWS, COLS, (test_layout)layout);
            for (int x = 0; x < ROWS * COLS; x++)
                test_set(&canvas.view, x / COLS, x % COLS, 10 * x);
            for (int x = 0; x < ROWS * COLS; x++)
                ck_assert(test_get(&canvas.view, x / COLS, x % COLS) == 10 * x);
            ck_assert(test_canvas_is_intact(&canvas));
            test_canvas_free(&canvas);
        }
    }
}
END_TEST

START_TEST(entries_are_legal)
{
    ck_assert(test_legal(MODBLAS_I8, 1000) == 127 && test_legal(MODBLAS_I8, -1000) == -128);
    ck_assert(test_legal(MODBLAS_U8, -1) == 0 && test_legal(MODBLAS_F64, -1) == -1);
    ck_assert(test_legal(MODBLAS_F32, (1 << 24) + 1) == 1 << 24);
    ck_assert(test_greatest(MODBLAS_U64) == (test_int)UINT64_MAX);
    ck_assert(test_least(MODBLAS_I64) == (test_int)INT64_MIN);
    ck_assert(test_residue(-1, 0) == UINT64_MAX && test_residue(-1, 7) == 6);
    ck_assert(test_stored(200, MODBLAS_I8, 256) == -56 &&
              test_stored(200, MODBLAS_U8, 256) == 200);
    ck_assert(test_stored(UINT64_MAX, MODBLAS_I64, 0) == -1);
    ck_assert(test_stored(100, MODBLAS_I8, 128) == 100);
}
END_TEST

START_TEST(extremes_are_extreme)
{
    for (int i = 0; i < test_moduli_count; i++) {
        test_int n = test_moduli[i] == 0 ? (test_int)1 << 64 : (test_int)test_moduli[i];
        uint64_t N = test_moduli[i];
        test_int low = test_extreme(MODBLAS_U64, N, 0, 1),
                 high = test_extreme(MODBLAS_U64, N, 0, 0);
        ck_assert(test_residue(low, N) == test_residue(-(n / 2), N));
        ck_assert(test_residue(high, N) == test_residue((n - 1) / 2, N));
    }
    ck_assert(test_extreme(MODBLAS_I8, 0, 0, 1) == -128);
    ck_assert(test_extreme(MODBLAS_I8, 0, 0, 0) == 127);
    ck_assert(test_extreme(MODBLAS_U8, 0, 0, 1) == 255);
    ck_assert(test_extreme(MODBLAS_I64, 0, 1000, 1) == -1000);
    ck_assert(test_extreme(MODBLAS_U64, 0, 1000, 1) == 1000);
}
END_TEST

START_TEST(filled_operands_keep_their_bounds)
{
    test_random random = {1};
    for (int t = 0; t < TYPES; t++) {
        for (int d = 0; d < TEST_DATA_COUNT; d++) {
            for (int i = 0; i < test_moduli_count; i++) {
                test_canvas A, B;
                test_canvas_make(&A, (modblas_type)t, 3, 3, TEST_ROWS);
                test_canvas_make(&B, (modblas_type)t, 3, 3, TEST_COLUMNS);
                test_fill_operands(&A.view, &B.view, (test_data)d, test_moduli[i], 100, 7,
                                   &random);
                for (int x = 0; x < 9; x++) {
                    test_int a = test_get(&A.view, x / 3, x % 3),
                             b = test_get(&B.view, x / 3, x % 3);
                    ck_assert(-100 <= a && a <= 100 && -7 <= b && b <= 7);
                }
                test_canvas_free(&A);
                test_canvas_free(&B);
            }
        }
    }
}
END_TEST

/* 2 x 2 by hand, N = 10: alpha 3, beta 4. */
START_TEST(the_oracle_is_right)
{
    int8_t a[] = {1, -2, 3, 4};
    uint16_t b[] = {5, 6, 7, 8};
    double c[] = {1, 2, 3, 4};
    modblas_matrix A = modblas_row_major(a, MODBLAS_I8, 2, 2, 2);
    modblas_matrix B = modblas_row_major(b, MODBLAS_U16, 2, 2, 2);
    modblas_matrix C = modblas_row_major(c, MODBLAS_F64, 2, 2, 2);
    uint64_t *r = test_expected(&C, &A, &B, 3, 4, 10);
    const uint64_t known[] = {7, 8, 1, 6}; /* 3*{-9, -10, 43, 50} + 4*{1, 2, 3, 4} */
    ck_assert_mem_eq(r, known, sizeof known);
    int64_t i, j;
    for (int x = 0; x < 4; x++)
        c[x] = (double)known[x];
    ck_assert(test_holds(&C, r, 10, &i, &j));
    c[2] += 10;
    ck_assert(!test_holds(&C, r, 10, &i, &j) && i == 1 && j == 0);
    free(r);
}
END_TEST

#if MODBLAS_HAVE_FLINT
START_TEST(the_oracle_agrees_with_flint)
{
    test_random random = {2};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int d = 0; d < TEST_DATA_COUNT; d++) {
            uint64_t N = test_moduli[i], alpha = test_word(&random), beta = test_word(&random);
            test_canvas A, B, C;
            test_canvas_make(&A, MODBLAS_I64, 7, 40, TEST_PADDED);
            test_canvas_make(&B, MODBLAS_U64, 40, 5, TEST_FLIPPED);
            test_canvas_make(&C, MODBLAS_U64, 7, 5, TEST_GAPS);
            test_fill_operands(&A.view, &B.view, (test_data)d, N, 0, 0, &random);
            test_fill_random(&C.view, N, 0, 1, &random);
            uint64_t *r = test_expected(&C.view, &A.view, &B.view, alpha, beta, N);
            uint64_t *f = test_expected_flint(&C.view, &A.view, &B.view, alpha, beta, N);
            ck_assert_mem_eq(r, f, 35 * sizeof *r);
            free(r);
            free(f);
            test_canvas_free(&A);
            test_canvas_free(&B);
            test_canvas_free(&C);
        }
    }
}
END_TEST
#endif

/* 2 products of 3*3 pass S = 15; one does not; 3*3 - 3*3 + 3*3 could, in some order. */
START_TEST(the_model_guards_every_partial_sum)
{
    static const mb_engine *const engines[] = {&test_tiny[0]};
    mb_backend model;
    mb_worker *worker = NULL;
    test_model_make(&model, engines, 1);
    ck_assert_int_eq(model.worker_create(&worker, 0), MODBLAS_OK);
    int8_t a[] = {3, 3, 3}, b[] = {3, 2, 0}, mixed[] = {3, -3, 3}, large[] = {4, 0, 0};
    int32_t c = 0;
    mb_gemm_job job = {.engine = engines[0], .m = 1, .n = 1, .k = 3, .A = a, .B = b, .C = &c};
    job.lda = job.ldb = job.ldc = job.count = 1;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_OK);
    ck_assert_int_eq(c, 15);
    b[2] = 1;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_EINTERNAL);
    b[2] = -1;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_OK);
    ck_assert_int_eq(c, 12);
    job.B = mixed;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_EINTERNAL);
    for (int j = 0; j < 3; j++)
        a[j] = (int8_t)-a[j];
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_EINTERNAL);
    job.B = large;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_EINTERNAL);
    ck_assert_uint_gt(strlen(modblas_detail()), 0);
    model.worker_destroy(worker);
}
END_TEST

START_TEST(the_fault_backend_fails_once)
{
    mb_backend fault;
    mb_worker *worker = NULL;
    test_fault_make(&fault, mb_backend_host());
    ck_assert_int_eq(fault.worker_create(&worker, 0), MODBLAS_OK);
    for (int n = 1; n <= 3; n++) {
        test_fault_arm(n, MODBLAS_EDEVICE);
        for (int call = 1; call <= 5; call++) {
            uint32_t faults = 0;
            modblas_status expected = call == n ? MODBLAS_EDEVICE : MODBLAS_OK;
            ck_assert_int_eq(fault.wait(worker, &faults), expected);
        }
        ck_assert_str_eq(test_fault_met(), "wait");
    }
    test_fault_arm(0, MODBLAS_OK);
    ck_assert_ptr_null(test_fault_met());
    fault.worker_destroy(worker);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        canvases_see_every_byte,
        canvases_hold_all_entries,
        entries_are_legal,
        extremes_are_extreme,
        filled_operands_keep_their_bounds,
        the_oracle_is_right,
#if MODBLAS_HAVE_FLINT
        the_oracle_agrees_with_flint,
#endif
        the_model_guards_every_partial_sum,
        the_fault_backend_fails_once
    };
    return test_main("support", tests, TEST_COUNT(tests));
}
