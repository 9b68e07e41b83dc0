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

/* ---- operands in device memory -------------------------------------------------------------- */

/* A canvas as bytes, and its copy. */
static modblas_matrix bytes_of(void *data, size_t size)
{
    return modblas_row_major(data, MODBLAS_U8, 1, (int64_t)size, (int64_t)size);
}

static void settle(const mb_device *device)
{
    uint32_t faults = 0;
    ck_assert_int_eq(device->backend->wait(device->slot[0].worker, &faults), MODBLAS_OK);
    ck_assert_uint_eq(faults, 0);
}

/* Moves the view to a copy of its canvas, whose memory is returned. */
static void *move_up(const mb_device *device, const test_canvas *canvas, modblas_matrix *view)
{
    void *copy;
    mb_worker *worker = device->slot[0].worker;
    ck_assert_int_eq(device->backend->alloc(worker, &copy, canvas->size), MODBLAS_OK);
    const modblas_matrix up = bytes_of(copy, canvas->size);
    const modblas_matrix bytes = bytes_of(canvas->bytes, canvas->size);
    ck_assert_int_eq(device->backend->upload(worker, &up, &bytes), MODBLAS_OK);
    view->data = (char *)copy + ((unsigned char *)view->data - canvas->bytes);
    return copy;
}

static void move_down(const mb_device *device, const test_canvas *canvas, void *copy)
{
    mb_worker *worker = device->slot[0].worker;
    const modblas_matrix up = bytes_of(copy, canvas->size);
    const modblas_matrix bytes = bytes_of(canvas->bytes, canvas->size);
    ck_assert_int_eq(device->backend->download(worker, &bytes, &up), MODBLAS_OK);
    device->backend->free(worker, copy);
}

static modblas_status run_on_device(test_batch *b, modblas_context *context)
{
    static void *copy[TEST_BATCH_MOST][3];
    const mb_device *device = &context->device[0];
    for (int i = 0; i < b->count; i++) {
        const test_operands *o = &b->operands[i];
        copy[i][0] = move_up(device, &o->A, &b->batch[i].A);
        copy[i][1] = move_up(device, &o->B, &b->batch[i].B);
        copy[i][2] = move_up(device, &o->C, &b->batch[i].C);
    }
    settle(device);
    const modblas_status status = modblas_gemm_batch(context, b->batch, b->count);
    for (int i = 0; i < b->count; i++) {
        const test_operands *o = &b->operands[i];
        move_down(device, &o->A, copy[i][0]);
        move_down(device, &o->B, copy[i][1]);
        move_down(device, &o->C, copy[i][2]);
    }
    settle(device);
    return status;
}

/* Three of four batches lie in device memory, where there is any: others are not fused. */
static modblas_status run_somewhere(test_batch *b, modblas_context *context)
{
    static int turn;
    if (context->backend->upload != NULL && turn++ % 4 != 3)
        return run_on_device(b, context);
    return modblas_gemm_batch(context, b->batch, b->count);
}

void test_batch_run(test_batch *b, modblas_context *context)
{
    const modblas_status status = run_somewhere(b, context);
    for (int i = 0; i < b->count; i++) {
        const test_verdict v = test_operands_judge(&b->operands[i], &b->product[i], status);
        ck_assert_msg(v.wrong[0] == '\0' && status == MODBLAS_OK, "product %d, %s: %s %s", i,
                      test_product_text(&b->product[i]), v.wrong, modblas_detail());
        test_operands_free(&b->operands[i]);
    }
    b->count = 0;
}
