/* SPDX-License-Identifier: BSD-3-Clause */
/* Products as long as the bound allows, and one longer: the worst matrices at the plan's longest
 * k and at that k + 1, on the model backend, which sees every partial sum, and on the real ones.
 */
#include "src/api.h"
#include "support/model.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdio.h>

static const uint64_t moduli[] = {2,
                                  251,
                                  255,
                                  256,
                                  65521,
                                  65535,
                                  65536,
                                  (1 << 20) - 3,
                                  (1 << 23) - 15,
                                  (1 << 26) - 5,
                                  2147483647,
                                  (uint64_t)1 << 32,
                                  ((uint64_t)1 << 52) - 47,
                                  ((uint64_t)1 << 63) - 25,
                                  UINT64_MAX - 58,
                                  UINT64_MAX,
                                  0};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static modblas_backend backend[2];

/* Lengths beyond this are not tried: the sums cannot pass S in a test's time. */
enum { LONGEST = 1 << 18 };

/* The plan's longest chunk; 0 if there is no plan. */
static int64_t longest_k(modblas_context *context, const test_product *p)
{
    modblas_plan *plan = NULL;
    if (modblas_plan_create(context, &plan, &p->problem, &p->options) != MODBLAS_OK)
        return 0;
    int64_t k = plan->plan.math.longest_k;
    modblas_plan_destroy(plan);
    return k;
}

/* At kc in one chunk, and at kc + 1. Returns how many products ran. */
static int try_lengths(modblas_context *context, test_product *p, test_random *random)
{
    int64_t kc = longest_k(context, p);
    ck_assert_int_eq(kc > 0, test_product_is_possible(p));
    if (kc == 0 || kc > LONGEST)
        return 0;
    for (int64_t k = kc; k <= kc + 1; k++) {
        p->problem.k = k;
        p->options.chunk_k = k == kc ? k : 0;
        test_product_check(context, p, random);
    }
    /* As one chunk, one more is refused, or done in another way whose sums reach farther. */
    p->options.chunk_k = kc + 1;
    int64_t other = longest_k(context, p);
    ck_assert(other == 0 || (p->options.scheme == MODBLAS_SCHEME_SPLIT && other > kc));
    return 2;
}

static test_product product(int i, int scheme, int engine)
{
    test_product p = test_product_of(5, 5, 1, MODBLAS_U64, MODBLAS_U64, moduli[i]);
    p.data = TEST_CORNERS;
    p.options.scheme = (modblas_scheme)scheme;
    p.options.engine = (modblas_engine)engine;
    return p;
}

START_TEST(the_model_sees_no_sum_pass)
{
    static const mb_engine *const engines[] = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32};
    static mb_backend model;
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1;
    test_model_make(&model, engines, 3);
    ck_assert_int_eq(mb_context_make(&context, &model, &options), MODBLAS_OK);
    test_random random = {1};
    int ran = 0;
    for (int i = 0; i < MODULI; i++) {
        for (int choice = 0; choice < 9; choice++) {
            test_product p = product(i, 1 + choice % 3, 1 + choice / 3);
            ran += try_lengths(context, &p, &random);
        }
    }
    ck_assert_int_ge(ran, 100);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(the_longest_chunks_are_right)
{
    test_random random = {2};
    int backends = test_backends(backend), ran = 0;
    for (int b = 0; b < backends; b++) {
        modblas_context *context = test_context(backend[b], 1);
        printf("backend %s\n", test_backend_name(backend[b]));
        int engines = backend[b] == MODBLAS_BACKEND_CUDA ? 2 : 3;
        for (int i = 0; i < MODULI; i++) {
            for (int choice = 0; choice < 3 * engines; choice++) {
                test_product p = product(i, 1 + choice % 3, 1 + choice / 3);
                ran += try_lengths(context, &p, &random);
            }
        }
        modblas_context_destroy(context);
    }
    ck_assert_int_ge(ran, 100);
}
END_TEST

/* Residues of the stored number, not of the balanced one, would need more moduli than are used. */
START_TEST(all_entries_minus_one)
{
    test_random random = {3};
    int backends = test_backends(backend);
    for (int b = 0; b < backends; b++) {
        modblas_context *context = test_context(backend[b], 1);
        for (int i = 0; i < 2; i++) {
            uint64_t N = i == 0 ? ((uint64_t)1 << 40) - 87 : ((uint64_t)1 << 52) - 47;
            test_product p = test_product_of(3, 2, 16384, MODBLAS_U64, MODBLAS_U64, N);
            p.options.scheme = MODBLAS_SCHEME_RNS;
            p.options.engine = MODBLAS_ENGINE_I8;
            test_operands o;
            test_operands_make(&o, &p, &random);
            for (int64_t j = 0; j < 16384; j++) {
                for (int64_t l = 0; l < 3; l++)
                    test_set(&o.A.view, l, j, (test_int)N - 1);
                for (int64_t l = 0; l < 2; l++)
                    test_set(&o.B.view, j, l, (test_int)N - 1);
            }
            ck_assert_int_eq(modblas_gemm(context, &o.C.view, &o.A.view, &o.B.view, 1, 0, N),
                             MODBLAS_OK);
            for (int x = 0; x < 6; x++)
                ck_assert(test_get(&o.C.view, x / 2, x % 2) == 16384);
            test_operands_free(&o);
        }
        modblas_context_destroy(context);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_model_sees_no_sum_pass, the_longest_chunks_are_right,
                                  all_entries_minus_one};
    return test_main("chunks", tests, TEST_COUNT(tests));
}
