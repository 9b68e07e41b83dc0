/* SPDX-License-Identifier: BSD-3-Clause */
/* One product through the public API, and everything there is to check about it. */
#ifndef TEST_SUPPORT_PRODUCT_H
#define TEST_SUPPORT_PRODUCT_H

#include "canvas.h"
#include "fill.h"

typedef struct test_product {
    modblas_problem problem;
    modblas_plan_options options;
    test_data data;
    uint64_t alpha, beta;
    test_layout a, b, c;
} test_product;

/* C (u64) <- A (type_a) * B (type_b), dense rows, all choices left to the planner. */
test_product test_product_of(int64_t m, int64_t n, int64_t k, modblas_type type_a,
                             modblas_type type_b, uint64_t N);

typedef struct test_operands {
    test_canvas A, B, C;
    uint64_t *expected;
} test_operands;

/* Makes and fills the operands of a product; C holds noise, or legal entries if beta is not 0. */
void test_operands_make(test_operands *operands, const test_product *product, test_random *random);
void test_operands_free(test_operands *operands);

/* A sentence about what is wrong; empty if nothing is. */
typedef struct test_verdict {
    modblas_status status;
    char wrong[600];
} test_verdict;

/* Looks at all three canvases; at C's entries too if the status is OK. */
test_verdict test_operands_judge(const test_operands *operands, const test_product *product,
                                 modblas_status status);

/* Plans and runs the product, and, if all was left to the planner, once more by GEMMs, which it
 * does not choose for what is small. Wrong: a result that differs, a changed input, a byte outside
 * C, a failure without a detail. */
test_verdict test_product_run(modblas_context *context, const test_product *product,
                              test_random *random);

/* Asserts that the product runs and is right. */
void test_product_check(modblas_context *context, const test_product *product,
                        test_random *random);

/* True if the scheme and engine that the options name can do the problem, given memory. */
bool test_product_is_possible(const test_product *product);

/* The product in words, for messages; valid until the thread's next call. */
const char *test_product_text(const test_product *product);

/* Backends that can be used here, in list (room for 2); returns their number and names the others
 * in the output. */
int test_backends(modblas_backend list[2]);

const char *test_backend_name(modblas_backend backend);

/* A context with its own number of workers; asserts success. */
modblas_context *test_context(modblas_backend backend, int workers);

#endif
