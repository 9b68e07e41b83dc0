/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on every backend: moduli, shapes, schemes, engines, contents, alpha and beta. */
#include "support/moduli.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>

static modblas_backend backend[2];
static modblas_context *context;

static void use_backend(int i)
{
    modblas_context_destroy(context);
    context = test_context(backend[i], 2);
    printf("backend %s\n", test_backend_name(backend[i]));
}

static const modblas_type all_types[] = {MODBLAS_U64, MODBLAS_I64, MODBLAS_U32, MODBLAS_F64,
                                         MODBLAS_I32, MODBLAS_U16, MODBLAS_F32, MODBLAS_I8,
                                         MODBLAS_U8,  MODBLAS_I16};
enum { TYPES = sizeof all_types / sizeof all_types[0] };

/* The next type, from any start, that holds residues mod N. */
static modblas_type type_for(uint64_t N, uint64_t start)
{
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N;
    for (uint64_t i = 0; i < TYPES; i++) {
        modblas_type type = all_types[(start + i) % TYPES];
        test_int largest = type == MODBLAS_F32 ? 1 << 24 : test_greatest(type);
        if (n - 1 <= largest)
            return type;
    }
    return MODBLAS_U64;
}

static uint64_t scalar(uint64_t N, test_random *random)
{
    const uint64_t list[] = {0, 1, 2, N - 1, N, UINT64_MAX, test_word(random), 1};
    return list[test_below(random, sizeof list / sizeof list[0])];
}

/* Right, or refused where that is what must be. */
static void try_product(const test_product *p, test_random *random)
{
    if (test_product_is_possible(p)) {
        test_product_check(context, p, random);
        return;
    }
    test_verdict v = test_product_run(context, p, random);
    ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
    ck_assert_msg(v.status == MODBLAS_ENOPLAN, "%s: %s", modblas_status_text(v.status),
                  test_product_text(p));
}

static const struct {
    int64_t m, n, k, tile_m, tile_n, chunk_k;
} shapes[] = {
    {0, 3, 5, 0, 0, 0},       {3, 0, 5, 0, 0, 0},       {5, 3, 0, 0, 0, 0},
    {1, 1, 1, 0, 0, 0},       {17, 19, 33, 0, 0, 0},    {1, 64, 7, 0, 0, 0},
    {64, 1, 100, 0, 0, 16},   {31, 32, 33, 32, 32, 32}, {32, 33, 31, 32, 32, 16},
    {33, 31, 64, 32, 16, 32}, {5, 65, 48, 16, 32, 17},  {64, 64, 64, 0, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], FULL = 4 };

static void set_shape(test_product *p, int shape)
{
    p->problem.m = shapes[shape].m;
    p->problem.n = shapes[shape].n;
    p->problem.k = shapes[shape].k;
    p->options.tile_m = shapes[shape].tile_m;
    p->options.tile_n = shapes[shape].tile_n;
    p->options.chunk_k = shapes[shape].chunk_k;
}

/* A forced chunk must not exceed the longest exact one, or the product is refused: leaves the
 * choice to the planner where that may be. */
static void relax_chunk(test_product *p)
{
    bool short_chunks = p->problem.N == 0 || p->problem.N > (uint64_t)1 << 20 ||
                        (p->options.engine == MODBLAS_ENGINE_F32 && p->problem.N > 256);
    if (short_chunks)
        p->options.chunk_k = 0;
}

static void try_all_shapes(test_product *p, test_random *random)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        int all = shape == FULL ? TEST_DATA_COUNT : 1;
        for (int d = 0; d < all; d++) {
            set_shape(p, shape);
            relax_chunk(p);
            p->data =
                shape == FULL ? (test_data)d : (test_data)test_below(random, TEST_DATA_COUNT);
            p->alpha = scalar(p->problem.N, random);
            p->beta = scalar(p->problem.N, random);
            p->c = (test_layout)test_below(random, TEST_LAYOUTS);
            p->problem.c = type_for(p->problem.N, test_word(random));
            try_product(p, random);
        }
    }
}

START_TEST(every_scheme_on_every_engine)
{
    use_backend(_i);
    test_random random = {1};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int choice = 0; choice < 9; choice++) {
            test_product p = test_product_of(0, 0, 0, MODBLAS_U64, MODBLAS_I64, test_moduli[i]);
            p.options.scheme = (modblas_scheme)(1 + choice % 3);
            p.options.engine = (modblas_engine)(1 + choice / 3);
            bool cuda_f32 =
                backend[_i] == MODBLAS_BACKEND_CUDA && p.options.engine == MODBLAS_ENGINE_F32;
            if (!cuda_f32)
                try_all_shapes(&p, &random);
        }
    }
}
END_TEST

START_TEST(the_planner_chooses)
{
    use_backend(_i);
    test_random random = {2};
    for (int i = 0; i < test_moduli_count; i++) {
        test_product p = test_product_of(0, 0, 0, all_types[i % TYPES], all_types[i * 3 % TYPES],
                                         test_moduli[i]);
        for (int shape = 0; shape < SHAPES; shape++) {
            set_shape(&p, shape);
            relax_chunk(&p);
            p.data = (test_data)test_below(&random, TEST_DATA_COUNT);
            p.alpha = scalar(test_moduli[i], &random);
            p.beta = scalar(test_moduli[i], &random);
            test_product_check(context, &p, &random);
        }
    }
}
END_TEST

/* Stated bounds that hold: int64 entries that are small. */
START_TEST(bounds_that_are_met)
{
    use_backend(_i);
    test_random random = {3};
    const uint64_t bounds[] = {1, 100, 127, 128, 1 << 20};
    for (int i = 0; i < 5 * 9 * TEST_DATA_COUNT; i++) {
        test_product p = test_product_of(9, 11, 70, MODBLAS_I64, MODBLAS_I64, 0);
        p.options.bound_a = bounds[i % 5];
        p.options.bound_b = bounds[test_below(&random, 5)];
        p.options.scheme = (modblas_scheme)(1 + i / 5 % 3);
        p.options.engine = (modblas_engine)(1 + i / 15 % 2);
        p.data = (test_data)(i / 45);
        try_product(&p, &random);
    }
}
END_TEST

#if MODBLAS_HAVE_FLINT
START_TEST(larger_products_equal_flint)
{
    use_backend(_i);
    test_random random = {4};
    for (int i = 0; i < test_moduli_count; i++) {
        uint64_t N = test_moduli[i];
        test_product p = test_product_of(130, 301, 257, MODBLAS_U64, MODBLAS_U64, N);
        p.data = i & 1 ? TEST_ALL_LOW : TEST_RANDOM;
        test_operands o;
        test_operands_make(&o, &p, &random);
        free(o.expected);
        o.expected = test_expected_flint(&o.C.view, &o.A.view, &o.B.view, 1, 0, N);
        modblas_status status = modblas_matmul(context, o.C.view.data, 301, o.A.view.data, 257,
                                               o.B.view.data, 301, 130, 301, 257, N);
        test_verdict v = test_operands_judge(&o, &p, status);
        ck_assert_msg(status == MODBLAS_OK && v.wrong[0] == '\0', "%s %s", modblas_detail(),
                      v.wrong);
        test_operands_free(&o);
    }
}
END_TEST
#endif

/* Without a plan, and a plan run several times with other scalars. */
START_TEST(calls_and_plans_agree)
{
    use_backend(_i);
    test_random random = {5};
    for (int i = 0; i < test_moduli_count; i++) {
        uint64_t N = test_moduli[i];
        test_product p = test_product_of(20, 23, 40, MODBLAS_U32, MODBLAS_I16, N);
        modblas_plan *plan = NULL;
        ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, NULL), MODBLAS_OK);
        for (int again = 0; again < 4; again++) {
            p.alpha = scalar(N, &random);
            p.beta = scalar(N, &random);
            test_operands o;
            test_operands_make(&o, &p, &random);
            const modblas_matrix *C = &o.C.view, *A = &o.A.view, *B = &o.B.view;
            modblas_status status = again & 1 ? modblas_gemm(context, C, A, B, p.alpha, p.beta, N)
                                              : modblas_plan_run(plan, C, A, B, p.alpha, p.beta);
            test_verdict v = test_operands_judge(&o, &p, status);
            ck_assert_msg(status == MODBLAS_OK && v.wrong[0] == '\0', "%s %s", modblas_detail(),
                          v.wrong);
            test_operands_free(&o);
        }
        modblas_plan_destroy(plan);
    }
}
END_TEST

/* Little memory: many tiles, planes made for each, or a refusal; never a wrong answer. */
START_TEST(little_memory_is_enough_or_said)
{
    test_random random = {6};
    modblas_options options;
    modblas_options_init(&options);
    options.backend = backend[_i];
    options.workers = 3;
    int ran = 0, refused = 0;
    for (int bits = 10; bits < 22; bits++) {
        modblas_context *small = NULL;
        options.memory = (uint64_t)1 << bits;
        ck_assert_int_eq(modblas_context_create(&small, &options), MODBLAS_OK);
        for (int i = 0; i < test_moduli_count; i += 3) {
            test_product p =
                test_product_of(150, 90, 200, MODBLAS_U64, MODBLAS_U32, test_moduli[i]);
            p.beta = 1;
            test_verdict v = test_product_run(small, &p, &random);
            ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
            ck_assert(v.status == MODBLAS_OK || v.status == MODBLAS_ENOPLAN);
            ran += v.status == MODBLAS_OK;
            refused += v.status == MODBLAS_ENOPLAN;
        }
        modblas_context_destroy(small);
    }
    ck_assert(ran >= 60 && refused >= 10);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_scheme_on_every_engine,
        the_planner_chooses,
        bounds_that_are_met,
#if MODBLAS_HAVE_FLINT
        larger_products_equal_flint,
#endif
        calls_and_plans_agree,
        little_memory_is_enough_or_said
    };
    int count = test_backends(backend);
    int result = test_main_each("gemm", tests, TEST_COUNT(tests), count);
    modblas_context_destroy(context);
    return result;
}
