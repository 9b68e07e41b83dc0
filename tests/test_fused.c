/* SPDX-License-Identifier: BSD-3-Clause */
/* GEMMs whose sums leave as residues: the reduction in four instructions, and products through it
 * on the host's twin. On a GPU that has the kernel, the other tests use it wherever a plan is
 * fused. */
#include "kernels/residue.h"
#include "src/api.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>

static bool always(int device)
{
    return device == 0;
}

static uint32_t residue(int64_t x, uint32_t m)
{
    return (uint32_t)((x % m + m) % m);
}

/* Every m, every t = x mod m that the dot product can give, and sums at the ends. */
START_TEST(sums_are_reduced)
{
    test_random random = {1};
    for (uint32_t m = 2; m <= 256; m++) {
        const mb_residue rule = mb_residue_of(m);
        const int64_t edges[] = {INT32_MIN, INT32_MIN + 1, -256, -1, 0, 1, 255, INT32_MAX};
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(mb_residue_reduce((int32_t)edges[i], &rule) & 255,
                              residue(edges[i], m));
        uint32_t wrong = 0;
        for (int i = 0; i < 20000; i++) {
            int32_t x = (int32_t)test_word(&random);
            wrong += (mb_residue_reduce(x, &rule) & 255) != residue(x, m);
        }
        ck_assert_uint_eq(wrong, 0);
    }
}
END_TEST

/* The quotient is exact for every dot product t < 2^18, whatever sums there are. */
START_TEST(quotients_are_exact)
{
    for (uint32_t m = 2; m <= 256; m++) {
        const mb_residue rule = mb_residue_of(m);
        const uint32_t z = ((1U << 23) + m - 1) / m * m;
        const uint32_t bits = mb_bits_of_float((float)z);
        uint32_t wrong = 0;
        for (uint32_t t = 0; t < 1U << 18; t++) {
            float q = mb_floor_above(mb_float_of_bits(bits + t), rule.inverse, 8388608.0F);
            wrong += (uint32_t)q - (1U << 23) != (z + t) / m;
        }
        ck_assert_uint_eq(wrong, 0);
    }
}
END_TEST

/* v mod n for two sums, by the definition. */
static uint32_t pair_residue(int32_t s0, int32_t s1, uint32_t n)
{
    return residue((int64_t)s0 + 256 * (int64_t)s1, n);
}

/* Every n on sums at the ends, and next to multiples of n. */
START_TEST(pairs_of_sums_are_reduced)
{
    static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    test_random random = {3};
    uint32_t wrong = 0;
    for (uint32_t n = 513; n <= 65536; n++) {
        const mb_pair rule = mb_pair_of(n);
        for (int i = 0; i < 49; i++)
            wrong += mb_pair_reduce(edges[i % 7], edges[i / 7], &rule) !=
                     pair_residue(edges[i % 7], edges[i / 7], n);
        for (int i = 0; i < 100; i++) {
            const int32_t s1 = (int32_t)test_word(&random), s0 = (int32_t)test_word(&random);
            const int32_t near = s0 - (int32_t)pair_residue(s0, s1, n) + i % 3 - 1;
            wrong += mb_pair_reduce(s0, s1, &rule) != pair_residue(s0, s1, n);
            wrong += mb_pair_reduce(near, s1, &rule) != pair_residue(near, s1, n);
        }
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(products_are_right)
{
    static const uint64_t moduli[] = {
        2, 251, 65521, (1 << 20) - 3, 2147483647, (uint64_t)1 << 32, UINT64_MAX - 58,
        0, 513, 65535, 40000};
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    backend.fuses = always;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    ck_assert(context->device[0].caps.fuses);
    test_random random = {2};
    for (int i = 0; i < 11; i++) {
        for (int way = 0; way < 4; way++) {
            modblas_plan *plan = NULL;
            test_product p = test_product_of(193, 209, 70, MODBLAS_U64, MODBLAS_U64, moduli[i]);
            bool direct = moduli[i] <= 256 && moduli[i] > 0 && way != 0;
            bool split = moduli[i] > 512 && moduli[i] < 65536 && way != 0;
            p.options.scheme = direct  ? MODBLAS_SCHEME_DIRECT
                               : split ? MODBLAS_SCHEME_SPLIT
                                       : MODBLAS_SCHEME_RNS;
            p.options.engine = MODBLAS_ENGINE_I8;
            p.data = way < 2 ? TEST_CORNERS : TEST_RANDOM;
            p.alpha = way == 1 ? 3 : 1;
            p.beta = way == 1 ? 5 : 0;
            p.options.tile_m = way == 2 ? 100 : 0;
            p.options.chunk_k = way == 2 ? 33 : 0;
            p.c = way == 3 ? TEST_COLUMNS : TEST_ROWS;
            ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options),
                             MODBLAS_OK);
            ck_assert(plan->plan.math.fused);
            modblas_plan_destroy(plan);
            test_product_check(context, &p, &random);
        }
    }
    modblas_context_destroy(context);
}
END_TEST

static int joins;

static modblas_status counted_join(mb_worker *worker, const mb_join_job *job)
{
    joins++;
    return mb_backend_host()->join(worker, job);
}

/* Where C has the residues' type and is aligned they go straight there, and nowhere else. */
START_TEST(residues_land_in_C)
{
    static const struct {
        int64_t n;
        test_layout c;
        uint64_t alpha, beta;
        int64_t tile_n, chunk_k;
        bool lands;
    } way[] = {{208, TEST_ROWS, 1, 0, 0, 0, true},          {205, TEST_PADDED, 1, 0, 0, 0, false},
               {208, TEST_ROWS, 1, 0, 112, 0, true},        {208, TEST_ROWS, 2, 0, 0, 0, false},
               {208, TEST_ROWS, 1, 1, 0, 0, false},         {207, TEST_ROWS, 1, 0, 0, 0, false},
               {208, TEST_PADDED, 1, 0, 0, 0, false},       {208, TEST_ROWS, 1, 0, 100, 0, false},
               {208, TEST_FLIPPED_ROWS, 1, 0, 0, 0, false}, {208, TEST_GAPS, 1, 0, 0, 0, false},
               {208, TEST_ROWS, 1, 0, 0, 48, false}};
    static const struct {
        uint64_t N;
        modblas_type type;
    } kind[] = {{2, MODBLAS_U8},    {251, MODBLAS_U8},  {256, MODBLAS_I8},   {65521, MODBLAS_U16},
                {513, MODBLAS_I16}, {251, MODBLAS_U16}, {32003, MODBLAS_U32}};
    test_random random = {4};
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    backend.fuses = always;
    backend.join = counted_join;
    modblas_options options;
    modblas_options_init(&options);
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    for (int i = 0; i < 7 * 11; i++) {
        const int w = i % 11, t = i / 11;
        test_product p = test_product_of(200, way[w].n, 70, kind[t].type, kind[t].type, kind[t].N);
        p.problem.c = kind[t].type;
        p.options.engine = MODBLAS_ENGINE_I8;
        p.options.scheme = kind[t].N > 256 ? MODBLAS_SCHEME_SPLIT : MODBLAS_SCHEME_DIRECT;
        p.options.tile_n = way[w].tile_n;
        p.options.chunk_k = way[w].chunk_k;
        p.c = way[w].c;
        p.alpha = way[w].alpha;
        p.beta = way[w].beta;
        joins = 0;
        test_product_check(context, &p, &random);
        ck_assert_msg((joins == 0) == (way[w].lands && t < 5), "%d joins: %s", joins,
                      test_product_text(&p));
    }
    modblas_context_destroy(context);
}
END_TEST

/* C = A B in place of A, with so little memory that each tile of C splits A again. */
START_TEST(residues_wait_for_inputs)
{
    enum { M = 192, N = 2000 };
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1;
    options.memory = 5 << 20;
    backend.fuses = always;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    test_random random = {6};
    test_canvas A, B;
    test_canvas_make(&A, MODBLAS_U8, M, N, TEST_ROWS);
    test_canvas_make(&B, MODBLAS_U8, N, N, TEST_ROWS);
    test_fill_operands(&A.view, &B.view, TEST_RANDOM, 251, 0, 0, &random);
    uint64_t *expected = test_expected(&A.view, &A.view, &B.view, 1, 0, 251);
    modblas_plan *plan = NULL;
    test_product p = test_product_of(M, N, N, MODBLAS_U8, MODBLAS_U8, 251);
    p.problem.c = MODBLAS_U8;
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options), MODBLAS_OK);
    ck_assert_int_eq(modblas_plan_run(plan, &A.view, &A.view, &B.view, 1, 0), MODBLAS_OK);
    modblas_plan_destroy(plan);
    int64_t i = 0, j = 0;
    ck_assert(test_holds(&A.view, expected, 251, &i, &j));
    free(expected);
    test_canvas_free(&A);
    test_canvas_free(&B);
    modblas_context_destroy(context);
}
END_TEST

/* A kernel that leaves one wrong residue is not used. */
static modblas_status wrong_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    uint8_t *last = (uint8_t *)job->C + (job->m - 1) * job->ldc + job->n - 1;
    if (status == MODBLAS_OK && job->moduli != NULL && job->moduli[0] == 173)
        *last = (uint8_t)((*last + 1U) % 173);
    return status;
}

START_TEST(a_wrong_kernel_is_found)
{
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    backend.fuses = always;
    backend.gemm = wrong_gemm;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    ck_assert(!context->device[0].caps.fuses);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums_are_reduced,          quotients_are_exact,
                                  pairs_of_sums_are_reduced, products_are_right,
                                  residues_land_in_C,        residues_wait_for_inputs,
                                  a_wrong_kernel_is_found};
    return test_main("fused", tests, TEST_COUNT(tests));
}
