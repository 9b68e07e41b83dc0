/* SPDX-License-Identifier: BSD-3-Clause */
/* Thin products, whose GEMMs sum in 64 bits and read A as its bytes where it lies so, through the
 * host's twin. On a GPU test_device has them. */
#include "src/api.h"
#include "src/run/operands.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>

static bool always(int device)
{
    return device == 0;
}

/* What the last thin job read A as; every job must keep to what 32 bits hold. */
static int thin_jobs, jobs_on_bytes;

static modblas_status counted_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    if (job->thin) {
        const uint64_t S = mb_engine_i8.S, most = job->bytes_a ? 255 : 128;
        ck_assert_uint_le((uint64_t)job->longest_k * most * 128, S);
        ck_assert_uint_gt(((uint64_t)job->longest_k + 1) * most * 128, S);
        ck_assert_int_le(job->n * job->count, MB_THIN_COLUMNS);
        ck_assert(job->count == 1 || job->stride_b == job->n * job->ldb);
        ck_assert(job->lda % 16 == 0 && job->ldb % 16 == 0 && (uintptr_t)job->A % 16 == 0);
        thin_jobs++;
        jobs_on_bytes += job->bytes_a;
    }
    return mb_backend_host()->gemm(worker, job);
}

static modblas_context *make_context(mb_backend *backend, int workers)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = workers;
    *backend = *mb_backend_host();
    backend->thins = always;
    backend->gemm = counted_gemm;
    ck_assert_int_eq(mb_context_make(&context, backend, &options), MODBLAS_OK);
    ck_assert(context->device[0].caps.thins);
    return context;
}

static test_product thin_product(int64_t m, int64_t n, int64_t k, modblas_type type, uint64_t N)
{
    test_product p = test_product_of(m, n, k, type, type, N);
    p.options.scheme = MODBLAS_SCHEME_SPLIT;
    p.options.engine = MODBLAS_ENGINE_I8;
    return p;
}

/* Every type, modulus, layout and side, on random and extremal entries. */
START_TEST(products_are_right)
{
    static const uint64_t moduli[] = {1,
                                      2,
                                      3,
                                      251,
                                      256,
                                      257,
                                      65521,
                                      65536,
                                      (1 << 21) - 9,
                                      2147483647,
                                      (uint64_t)1 << 32,
                                      ((uint64_t)1 << 52) - 47,
                                      ((uint64_t)1 << 63) - 25,
                                      UINT64_MAX - 58,
                                      0};
    test_random random = {1};
    mb_backend backend;
    modblas_context *context = make_context(&backend, 2);
    for (int i = 0; i < 3000; i++) {
        const int64_t thin = 1 + (int64_t)(test_word(&random) % (i % 3 ? 9 : MB_THIN_MOST));
        const int64_t thick = 1 + (int64_t)(test_word(&random) % 90);
        const int64_t k = 1 + (int64_t)(test_word(&random) % 70);
        const bool left = i % 2;
        test_product p = thin_product(left ? thin : thick, left ? thick : thin, k,
                                      (modblas_type)(i % 10), moduli[i % 15]);
        p.problem.b = (modblas_type)(test_word(&random) % 10);
        p.data = (test_data)(test_word(&random) % TEST_DATA_COUNT);
        p.a = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.b = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        if (i % 10 < 4 && i % 4 < 2) { /* lies in bytes */
            p.problem.k = mb_round_up(k, 16);
            p.problem.b = p.problem.a;
            p.a = left ? p.a : TEST_ROWS;
            p.b = left ? TEST_COLUMNS : p.b;
        }
        p.c = (test_layout)(test_word(&random) % TEST_LAYOUTS);
        p.alpha = i % 4 ? 1 : test_word(&random);
        p.beta = i % 5 ? 0 : test_word(&random);
        if (i % 7 == 0) {
            p.options.tile_m = 1 + (int64_t)(test_word(&random) % 40);
            p.options.tile_n = 1 + (int64_t)(test_word(&random) % 40);
            p.options.chunk_k = 16 * (1 + (int64_t)(test_word(&random) % 3));
        }
        test_product_check(context, &p, &random);
    }
    ck_assert_int_gt(jobs_on_bytes, 200);
    ck_assert_int_gt(thin_jobs - jobs_on_bytes, 1000);
    modblas_context_destroy(context);
}
END_TEST

/* Sums that pass 32 bits. */
START_TEST(long_sums)
{
    static const test_data data[] = {TEST_ALL_HIGH, TEST_ALL_LOW, TEST_OPPOSITE, TEST_DIGITS_LOW};
    test_random random = {5};
    mb_backend backend;
    modblas_context *context = make_context(&backend, 2);
    for (int i = 0; i < 8; i++) {
        test_product p = thin_product(2, 2, 70000, MODBLAS_U64, i < 4 ? 0 : UINT64_MAX - 58);
        p.data = data[i % 4];
        test_product_check(context, &p, &random);
    }
    modblas_context_destroy(context);
}
END_TEST

/* A's bytes are read where they lie in lines of multiples of 16 bytes, on the side that is not
 * thin, unsigned and without a stated bound; else A is cut. */
START_TEST(bytes_are_read_in_place)
{
    static const struct {
        int64_t m, n, k;
        modblas_type type;
        test_layout a, b;
        uint64_t bound, N;
        bool in_place;
    } way[] = {{50, 3, 32, MODBLAS_U32, TEST_ROWS, TEST_ROWS, 0, 2147483647, true},
               {50, 3, 30, MODBLAS_U32, TEST_ROWS, TEST_ROWS, 0, 2147483647, false},
               {1, 1, 30, MODBLAS_U32, TEST_ROWS, TEST_ROWS, 0, 2147483647, true},
               {50, 3, 32, MODBLAS_U8, TEST_ROWS, TEST_ROWS, 0, 2147483647, true},
               {50, 3, 32, MODBLAS_U16, TEST_ROWS, TEST_COLUMNS, 0, 2147483647, true},
               {50, 3, 32, MODBLAS_U64, TEST_ROWS, TEST_ROWS, 0, UINT64_MAX - 58, true},
               {50, 3, 32, MODBLAS_I32, TEST_ROWS, TEST_ROWS, 0, 2147483647, false},
               {50, 3, 32, MODBLAS_F64, TEST_ROWS, TEST_ROWS, 0, 2147483647, false},
               {50, 3, 32, MODBLAS_U32, TEST_COLUMNS, TEST_ROWS, 0, 2147483647, false},
               {50, 3, 32, MODBLAS_U32, TEST_ROWS, TEST_ROWS, UINT32_MAX, 2147483647, false},
               {3, 50, 32, MODBLAS_U32, TEST_ROWS, TEST_COLUMNS, 0, 2147483647, true},
               {3, 50, 32, MODBLAS_U32, TEST_ROWS, TEST_ROWS, 0, 2147483647, false}};
    test_random random = {2};
    mb_backend backend;
    modblas_context *context = make_context(&backend, 2);
    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        test_product p = thin_product(way[i].m, way[i].n, way[i].k, way[i].type, way[i].N);
        p.data = TEST_RANDOM;
        p.a = way[i].a;
        p.b = way[i].b;
        p.options.bound_a = way[i].bound;
        thin_jobs = jobs_on_bytes = 0;
        test_product_check(context, &p, &random);
        ck_assert_int_gt(thin_jobs, 0);
        ck_assert_msg((jobs_on_bytes > 0) == way[i].in_place, "way %zu", i);
    }
    modblas_context_destroy(context);
}
END_TEST

/* One plan, whose A lies in bytes in one run and otherwise in the next; forced chunks that begin
 * between the places where bytes may be read. */
START_TEST(plans_meet_other_layouts)
{
    static const test_layout layout[] = {TEST_ROWS, TEST_COLUMNS, TEST_FLIPPED_COLUMNS, TEST_ROWS};
    test_random random = {7};
    mb_backend backend;
    modblas_context *context = make_context(&backend, 2);
    for (int64_t chunk = 0; chunk < 34; chunk++) {
        modblas_plan *plan = NULL;
        test_product p = thin_product(50, 3, 32, chunk % 2 ? MODBLAS_U32 : MODBLAS_U8, 251);
        p.options.chunk_k = chunk;
        ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options), MODBLAS_OK);
        for (int i = 0; i < 4; i++) {
            test_operands o;
            p.a = layout[i];
            p.data = TEST_RANDOM;
            test_operands_make(&o, &p, &random);
            modblas_status status =
                modblas_plan_run(plan, &o.C.view, &o.A.view, &o.B.view, p.alpha, p.beta);
            test_verdict v = test_operands_judge(&o, &p, status);
            ck_assert_msg(status == MODBLAS_OK && v.wrong[0] == '\0', "layout %d: %s", i, v.wrong);
            test_operands_free(&o);
        }
        modblas_plan_destroy(plan);
    }
    modblas_context_destroy(context);
}
END_TEST

/* v <- A v, with C on top of B, and in a slice of A. */
START_TEST(results_may_replace_inputs)
{
    enum { M = 96, N = 5 };
    test_random random = {3};
    mb_backend backend;
    modblas_context *context = make_context(&backend, 2);
    for (int i = 0; i < 4; i++) {
        test_canvas A, B;
        test_canvas_make(&A, MODBLAS_U32, M, M, TEST_ROWS);
        test_canvas_make(&B, MODBLAS_U32, M, N, i % 2 ? TEST_COLUMNS : TEST_ROWS);
        test_fill_operands(&A.view, &B.view, TEST_RANDOM, 2147483647, 0, 0, &random);
        modblas_matrix C = i < 2 ? B.view : mb_window(&A.view, 0, 7, M, N);
        uint64_t *expected = test_expected(&C, &A.view, &B.view, 1, 3, 2147483647);
        ck_assert_int_eq(modblas_gemm(context, &C, &A.view, &B.view, 1, 3, 2147483647),
                         MODBLAS_OK);
        int64_t r = 0, c = 0;
        ck_assert(test_holds(&C, expected, 2147483647, &r, &c));
        free(expected);
        test_canvas_free(&A);
        test_canvas_free(&B);
    }
    modblas_context_destroy(context);
}
END_TEST

/* A kernel that loses one sum is not used, whichever bytes it was asked for. */
static bool lose_bytes;

static modblas_status wrong_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    if (status == MODBLAS_OK && job->thin && job->bytes_a == lose_bytes)
        ((int64_t *)job->C)[(job->n - 1) * job->ldc + job->m - 1] -= 1;
    return status;
}

START_TEST(a_wrong_kernel_is_found)
{
    for (int i = 0; i < 2; i++) {
        mb_backend backend = *mb_backend_host();
        modblas_context *context = NULL;
        modblas_options options;
        modblas_options_init(&options);
        backend.thins = always;
        backend.gemm = wrong_gemm;
        lose_bytes = i;
        ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
        ck_assert(!context->device[0].caps.thins);
        modblas_context_destroy(context);
    }
}
END_TEST

/* ... nor is one that fails only at a plan's own size. */
static modblas_status wrong_when_large(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    if (status == MODBLAS_OK && job->thin && job->m > 1000)
        ((int64_t *)job->C)[job->stride_c * (job->count - 1) + 7] += 1;
    return status;
}

START_TEST(a_wrong_kernel_is_found_at_full_size)
{
    mb_backend backend;
    modblas_context *context = make_context(&backend, 1);
    backend.gemm = wrong_when_large;
    test_random random = {4};
    for (int i = 0; i < 2; i++) {
        test_product p = thin_product(1100, 64, 16384, MODBLAS_U8, 251);
        p.a = i ? TEST_COLUMNS : TEST_ROWS;
        context->device[0].caps.thins = true;
        test_product_check(context, &p, &random);
        ck_assert(!context->device[0].caps.thins);
    }
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {products_are_right,
                                  long_sums,
                                  bytes_are_read_in_place,
                                  plans_meet_other_layouts,
                                  results_may_replace_inputs,
                                  a_wrong_kernel_is_found,
                                  a_wrong_kernel_is_found_at_full_size};
    return test_main("thin", tests, TEST_COUNT(tests));
}
