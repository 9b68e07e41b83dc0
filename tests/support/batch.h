/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches of products with canvases, and the contexts that they are run on. */
#ifndef TEST_SUPPORT_BATCH_H
#define TEST_SUPPORT_BATCH_H

#include "product.h"

enum { TEST_BATCH_MOST = 64 };

typedef struct test_batch {
    test_product product[TEST_BATCH_MOST];
    test_operands operands[TEST_BATCH_MOST];
    modblas_product batch[TEST_BATCH_MOST];
    int count;
} test_batch;

/* Contexts that batches are tried on: of the backends there are, and then of the readable twin of
 * the fused kernel (batched.h). */
int test_batch_contexts(void);
modblas_context *test_batch_context(int i, modblas_verify verify);

/* Makes and fills the operands of one product more. */
void test_batch_add(test_batch *b, const test_product *product, test_random *random);

/* Runs the batch, asserts that every product is right, and empties it. */
void test_batch_run(test_batch *b, modblas_context *context);

#endif
