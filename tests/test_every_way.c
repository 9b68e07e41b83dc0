/* SPDX-License-Identifier: BSD-3-Clause */
/* One size, the moduli of the standard suite, every scheme and engine that admits them, on every
 * backend: random and, below n = 1024, extremal matrices, compared entry by entry with FLINT.
 *
 * Usage: test_every_way [n], default 160. */
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO_TO(e) ((uint64_t)1 << (e))

static int64_t n = 160;

#if MODBLAS_HAVE_FLINT

#include <flint/flint.h>
#include <unistd.h>

static const uint64_t moduli[] = {2,
                                  251,
                                  65521,
                                  TWO_TO(20) - 3,
                                  TWO_TO(23) - 15,
                                  TWO_TO(26) - 5,
                                  TWO_TO(31) - 1,
                                  TWO_TO(32),
                                  TWO_TO(52) - 47,
                                  TWO_TO(63) - 25,
                                  UINT64_MAX - 58,
                                  0};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static const test_data data[] = {TEST_RANDOM, TEST_CORNERS};

static modblas_type type_of(uint64_t N)
{
    static const modblas_type type[] = {MODBLAS_U8, MODBLAS_U16, MODBLAS_U32};
    for (int i = 0; i < 3; i++) {
        if (N - 1 < TWO_TO(8 << i))
            return type[i];
    }
    return MODBLAS_U64;
}

/* Runs the product each way on one context; returns the number of ways. */
static int try_ways(modblas_context *context, const char *backend, const test_product *product,
                    test_operands *operands)
{
    static const char *const scheme[] = {"direct", "split", "rns"};
    static const char *const engine[] = {"i8", "f64", "f32"};
    int ways = 0;
    printf("%-4s mod %20" PRIu64 " %-8s", backend, product->problem.N,
           test_data_name(product->data));
    for (int choice = 0; choice < 9; choice++) {
        test_product p = *product;
        modblas_plan *plan = NULL;
        p.options.scheme = (modblas_scheme)(1 + choice % 3);
        p.options.engine = (modblas_engine)(1 + choice / 3);
        modblas_status status = modblas_plan_create(context, &plan, &p.problem, &p.options);
        if (status == MODBLAS_ENOPLAN)
            continue;
        if (status == MODBLAS_OK)
            status = modblas_plan_run(plan, &operands->C.view, &operands->A.view,
                                      &operands->B.view, 1, 0);
        modblas_plan_destroy(plan);
        test_verdict v = test_operands_judge(operands, &p, status);
        ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
        ck_assert_msg(status == MODBLAS_OK, "%s", modblas_detail());
        printf(" %s/%s", scheme[choice % 3], engine[choice / 3]);
        test_fill_random(&operands->C.view, p.problem.N, 0, 1, &(test_random){1});
        ways++;
    }
    printf("\n");
    fflush(stdout);
    return ways;
}

START_TEST(every_way)
{
    modblas_backend backend[2];
    modblas_context *context[2];
    int backends = test_backends(backend);
    for (int b = 0; b < backends; b++)
        context[b] = test_context(backend[b], 0);
    flint_set_num_threads((int)sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < MODULI; i++) {
        for (int d = 0; d < (n < 1024 ? 2 : 1); d++) {
            test_random random = {(uint64_t)i};
            modblas_type type = type_of(moduli[i]);
            test_product p = test_product_of(n, n, n, type, type, moduli[i]);
            p.data = data[d];
            test_operands operands;
            test_operands_make(&operands, &p, &random);
            for (int b = 0; b < backends; b++) {
                int ways = try_ways(context[b], test_backend_name(backend[b]), &p, &operands);
                ck_assert_int_ge(ways, 2);
            }
            test_operands_free(&operands);
        }
    }
    for (int b = 0; b < backends; b++)
        modblas_context_destroy(context[b]);
}
END_TEST

int main(int argc, char **argv)
{
    const TTest *const tests[] = {every_way};
    if (argc > 1)
        n = strtoll(argv[1], NULL, 10);
    return test_main("every way", tests, TEST_COUNT(tests));
}

#else

int main(void)
{
    printf("skipped: every way of %" PRId64 " (FLINT is not here)\n", n);
    return 77;
}

#endif
