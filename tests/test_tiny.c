/* SPDX-License-Identifier: BSD-3-Clause */
/* The shrunken world: the same planner, executor and kernels on engines whose sums end at 15 to
 * 255, so that everything can be tried and every bound is met. */
#include "src/run/context.h"
#include "support/model.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>

enum { LARGEST_N = 16, LARGEST_SHAPE = 4 };

static mb_backend model;

static modblas_context *tiny_context(const mb_engine *engine)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1;
    options.memory = 1 << 24;
    test_model_make(&model, &engine, 1);
    modblas_status status = mb_context_make(&context, &model, &options);
    ck_assert_msg(status == MODBLAS_OK, "%s: %s", engine->name, modblas_detail());
    ck_assert_msg(context->device[0].caps.struck[0][0] == '\0', "%s: %s", engine->name,
                  context->device[0].caps.struck[0]);
    return context;
}

/* Written down apart from the planner: balanced residues fit the engine, and one product fits S.
 */
static bool is_possible(const mb_engine *engine, const test_product *p)
{
    uint64_t h = p->problem.N / 2;
    if (p->options.scheme == MODBLAS_SCHEME_DIRECT)
        return h <= engine->most_negative && h * h <= engine->S;
    if (p->options.scheme == MODBLAS_SCHEME_SPLIT) {
        int digits = 1;
        while ((uint64_t)1 << (digits * engine->radix_bits) < p->problem.N)
            digits++;
        return (uint64_t)digits << (2 * engine->radix_bits - 2) <= engine->S;
    }
    uint64_t M = 1;
    for (int i = 0; i < engine->modulus_count; i++)
        M *= engine->moduli[i];
    /* A chunk may be as long as the residues allow. */
    uint64_t m = engine->moduli[0] / 2, chunk = engine->S / (m * m);
    uint64_t k = (uint64_t)p->problem.k < chunk ? (uint64_t)p->problem.k : chunk;
    return 2 * k * h * h < M;
}

/* Runs it, or sees it refused where it is impossible. Returns whether it ran. */
static int try_product(modblas_context *context, const mb_engine *engine, const test_product *p,
                       test_random *random)
{
    test_verdict v = test_product_run(context, p, random);
    bool possible = is_possible(engine, p);
    ck_assert_msg(v.wrong[0] == '\0', "%s: %s", engine->name, v.wrong);
    ck_assert_msg(v.status == (possible ? MODBLAS_OK : MODBLAS_ENOPLAN), "%s: %s: %s",
                  engine->name, modblas_detail(), test_product_text(p));
    return possible;
}

/* Entries = 128 mod 256 are nothing special here. */
static const test_data contents[] = {TEST_RANDOM,   TEST_ALL_HIGH, TEST_ALL_LOW,
                                     TEST_OPPOSITE, TEST_ONE_LINE, TEST_DIGITS_LOW};
enum { CONTENTS = sizeof contents / sizeof contents[0] };

static int try_shapes(modblas_context *context, const mb_engine *engine, test_product *p,
                      test_random *random)
{
    int ran = 0;
    for (int shape = 0; shape < LARGEST_SHAPE * LARGEST_SHAPE * LARGEST_SHAPE; shape++) {
        p->problem.m = 1 + shape % LARGEST_SHAPE;
        p->problem.n = 1 + shape / LARGEST_SHAPE % LARGEST_SHAPE;
        p->problem.k = 1 + shape / (LARGEST_SHAPE * LARGEST_SHAPE);
        for (int d = 0; d < CONTENTS; d++) {
            p->data = contents[d];
            p->alpha = test_word(random) & 1 ? 1 : test_word(random);
            p->beta = test_word(random) & 1 ? 0 : test_word(random);
            ran += try_product(context, engine, p, random);
        }
    }
    return ran;
}

START_TEST(all_moduli_shapes_and_schemes)
{
    const mb_engine *engine = &test_tiny[_i];
    test_random random = {(uint64_t)_i};
    modblas_context *context = tiny_context(engine);
    int ran[MODBLAS_SCHEME_RNS + 1] = {0};
    for (uint64_t N = 1; N <= LARGEST_N; N++) {
        for (int s = MODBLAS_SCHEME_DIRECT; s <= MODBLAS_SCHEME_RNS; s++) {
            test_product p = test_product_of(1, 1, 1, MODBLAS_U64, MODBLAS_U64, N);
            p.problem.a = test_word(&random) & 1 ? MODBLAS_I16 : MODBLAS_U64;
            p.options.scheme = (modblas_scheme)s;
            ran[s] += try_shapes(context, engine, &p, &random);
        }
    }
    for (int s = MODBLAS_SCHEME_DIRECT; s <= MODBLAS_SCHEME_RNS; s++)
        ck_assert_int_ge(ran[s], 1000);
    modblas_context_destroy(context);
}
END_TEST

/* A holds all rows of length k over [0, N), B all columns: one product is all dot products. */
static void try_all_operands(modblas_context *context, const mb_engine *engine, test_product *p)
{
    int64_t lines =
        p->problem.k == 1 ? (int64_t)p->problem.N : (int64_t)(p->problem.N * p->problem.N);
    p->problem.m = p->problem.n = lines;
    test_random random = {1};
    test_operands operands;
    test_operands_make(&operands, p, &random);
    free(operands.expected);
    for (int64_t l = 0; l < lines; l++) {
        for (int64_t j = 0; j < p->problem.k; j++) {
            int64_t digit = j == 0 ? l % (int64_t)p->problem.N : l / (int64_t)p->problem.N;
            test_set(&operands.A.view, l, j, digit);
            test_set(&operands.B.view, j, l, digit);
        }
    }
    operands.expected =
        test_expected(&operands.C.view, &operands.A.view, &operands.B.view, 1, 0, p->problem.N);
    test_canvas_keep(&operands.A);
    test_canvas_keep(&operands.B);
    modblas_plan *plan = NULL;
    modblas_status status = modblas_plan_create(context, &plan, &p->problem, &p->options);
    ck_assert_int_eq(status == MODBLAS_OK, is_possible(engine, p));
    if (status == MODBLAS_OK)
        status =
            modblas_plan_run(plan, &operands.C.view, &operands.A.view, &operands.B.view, 1, 0);
    test_verdict v = test_operands_judge(&operands, p, status);
    ck_assert_msg(v.wrong[0] == '\0', "%s: %s", engine->name, v.wrong);
    ck_assert_msg(status == MODBLAS_OK || plan == NULL, "%s: %s", engine->name, modblas_detail());
    modblas_plan_destroy(plan);
    test_operands_free(&operands);
}

START_TEST(all_dot_products_of_length_1_and_2)
{
    const mb_engine *engine = &test_tiny[_i];
    modblas_context *context = tiny_context(engine);
    for (uint64_t N = 1; N <= LARGEST_N; N++) {
        for (int s = MODBLAS_SCHEME_DIRECT; s <= MODBLAS_SCHEME_RNS; s++) {
            for (int64_t k = 1; k <= 2; k++) {
                test_product p = test_product_of(1, 1, k, MODBLAS_U8, MODBLAS_U8, N);
                p.options.scheme = (modblas_scheme)s;
                try_all_operands(context, engine, &p);
            }
        }
    }
    modblas_context_destroy(context);
}
END_TEST

/* The worst matrix passes at the longest chunk and, cut into chunks, at one more; a GEMM of one
 * more passes S. */
static void check_bound(modblas_context *context, const mb_engine *engine, uint64_t N)
{
    test_random random = {N};
    test_product p = test_product_of(2, 2, 1, MODBLAS_I8, MODBLAS_I8, N);
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.data = TEST_ALL_LOW;
    if (N < 2 || !is_possible(engine, &p))
        return;
    int64_t h = (int64_t)N / 2, kc = (int64_t)engine->S / (h * h);
    for (int64_t k = kc; k <= kc + 1; k++) {
        p.problem.k = k;
        test_product_check(context, &p, &random);
    }
    int8_t worst[256];
    int32_t sum = 0;
    for (int j = 0; j < 256; j++)
        worst[j] = (int8_t)-h;
    mb_gemm_job job = {.engine = engine, .m = 1, .n = 1, .A = worst, .B = worst, .C = &sum};
    job.lda = job.ldb = job.ldc = job.count = 1;
    ck_assert_int_le(kc, 255);
    mb_worker *worker = context->device[0].slot[0].worker;
    job.k = kc;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_OK);
    ck_assert_int_eq(sum, kc * h * h);
    job.k = kc + 1;
    ck_assert_int_eq(model.gemm(worker, &job), MODBLAS_EINTERNAL);
}

START_TEST(bounds_are_tight_on_both_sides)
{
    const mb_engine *engine = &test_tiny[_i];
    modblas_context *context = tiny_context(engine);
    for (uint64_t N = 1; N <= 2 * LARGEST_N; N++)
        check_bound(context, engine, N);
    /* A forced chunk of one more is refused. */
    test_product p = test_product_of(1, 1, 100, MODBLAS_I8, MODBLAS_I8, 5);
    int64_t kc = (int64_t)engine->S / 4;
    test_random random = {1};
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.options.chunk_k = kc;
    test_product_check(context, &p, &random);
    p.options.chunk_k = kc + 1;
    ck_assert_int_eq(test_product_run(context, &p, &random).status, MODBLAS_ENOPLAN);
    modblas_context_destroy(context);
}
END_TEST

/* Many chunks and tiles of the smallest kind. */
START_TEST(long_products)
{
    const mb_engine *engine = &test_tiny[_i];
    test_random random = {(uint64_t)_i};
    modblas_context *context = tiny_context(engine);
    for (int i = 0; i < 2000; i++) {
        test_product p = test_product_of(1 + (int64_t)test_below(&random, 9),
                                         1 + (int64_t)test_below(&random, 9),
                                         1 + (int64_t)test_below(&random, 70), MODBLAS_I32,
                                         MODBLAS_U16, 1 + test_below(&random, LARGEST_N));
        p.options.scheme = (modblas_scheme)(1 + test_below(&random, 3));
        p.options.tile_m = (int64_t)test_below(&random, 4);
        p.options.tile_n = (int64_t)test_below(&random, 4);
        p.data = (test_data)test_below(&random, TEST_DATA_COUNT);
        p.alpha = test_word(&random);
        p.beta = test_word(&random) & 3;
        try_product(context, engine, &p, &random);
    }
    modblas_context_destroy(context);
}
END_TEST

/* A of one digit and B of as many as there are planes, and of one more. */
START_TEST(digits_end_where_planes_do)
{
    const mb_engine *engine = &test_tiny[_i];
    test_random random = {1};
    modblas_context *context = tiny_context(engine);
    for (int more = 0; more < 2 && engine->radix_bits * MB_MAX_PLANES < 64; more++) {
        uint64_t N = ((uint64_t)1 << (engine->radix_bits * MB_MAX_PLANES)) + (uint64_t)more;
        test_product p = test_product_of(3, 3, 3, MODBLAS_U8, MODBLAS_U64, N);
        p.options.scheme = MODBLAS_SCHEME_SPLIT;
        p.options.bound_a = 1;
        test_verdict v = test_product_run(context, &p, &random);
        ck_assert_msg(v.wrong[0] == '\0', "%s: %s", engine->name, v.wrong);
        ck_assert_int_eq(v.status, more ? MODBLAS_ENOPLAN : MODBLAS_OK);
    }
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        all_moduli_shapes_and_schemes, all_dot_products_of_length_1_and_2,
        bounds_are_tight_on_both_sides, long_products, digits_end_where_planes_do};
    return test_main_each("tiny", tests, TEST_COUNT(tests), TEST_TINY_COUNT);
}
