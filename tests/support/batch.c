/* SPDX-License-Identifier: BSD-3-Clause */
#include "batch.h"

#include "batched.h"
#include "src/run/context.h"

#include <check.h>

int test_batch_contexts(void)
{
    modblas_backend list[2];
    return test_backends(list) + 1;
}

modblas_context *test_batch_context(int i, modblas_verify verify)
{
    modblas_context *context = NULL;
    modblas_backend list[2];
    const int backends = test_backends(list);
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    options.verify = verify;
    if (i == backends) {
        ck_assert_int_eq(mb_context_make(&context, test_batched(), &options), MODBLAS_OK);
        return context;
    }
    options.backend = list[i];
    ck_assert_int_eq(modblas_context_create(&context, &options), MODBLAS_OK);
    return context;
}

void test_batch_add(test_batch *b, const test_product *product, test_random *random)
{
    test_operands *o = &b->operands[b->count];
    b->product[b->count] = *product;
    test_operands_make(o, product, random);
    b->batch[b->count++] = (modblas_product){.C = o->C.view,
                                             .A = o->A.view,
                                             .B = o->B.view,
                                             .alpha = product->alpha,
                                             .beta = product->beta,
                                             .N = product->problem.N};
}

void test_batch_run(test_batch *b, modblas_context *context)
{
    const modblas_status status = modblas_gemm_batch(context, b->batch, b->count);
    for (int i = 0; i < b->count; i++) {
        const test_verdict v = test_operands_judge(&b->operands[i], &b->product[i], status);
        ck_assert_msg(v.wrong[0] == '\0' && status == MODBLAS_OK, "product %d, %s: %s %s", i,
                      test_product_text(&b->product[i]), v.wrong, modblas_detail());
        test_operands_free(&b->operands[i]);
    }
    b->count = 0;
}
