/* SPDX-License-Identifier: BSD-3-Clause */
/* The public entry point of batches: check all, fuse what can be, run the others. */
#include "run/batch.h"
#include "apart.h"
#include "check.h"
#include "product.h"
#include "run/crew.h"
#include "run/freivalds.h"
#include "run/operands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DETAIL_SIZE = 4096 };

/* The failure of product i, with its index before its detail. */
static modblas_status name_product(modblas_status status, int64_t i)
{
    char detail[DETAIL_SIZE];
    if (status == MODBLAS_OK)
        return status;
    snprintf(detail, sizeof detail, "%s", modblas_detail());
    return mb_fail(status, "product %" PRId64 ": %s", i, detail);
}

static modblas_status check_product(const modblas_product *p)
{
    const modblas_status status = mb_check_views(&p->C, &p->A, &p->B);
    if (status != MODBLAS_OK)
        return status;
    const modblas_problem problem = {.m = p->C.rows,
                                     .n = p->C.cols,
                                     .k = p->A.cols,
                                     .c = p->C.type,
                                     .a = p->A.type,
                                     .b = p->B.type,
                                     .N = p->N};
    return mb_check_problem(&problem);
}

/* Threads beyond that order no more on a GPU. */
enum { MOST_THREADS = 16 };

static int threads_of(const modblas_context *context)
{
    int threads = 0;
    for (int d = 0; d < context->device_count; d++) {
        const int most = context->device[d].most;
        threads += context->backend->synchronous || most < MOST_THREADS ? most : MOST_THREADS;
    }
    return threads;
}

/* Products are checked by threads where they are many, in blocks. */
enum { BLOCK = 2048, CHECKERS = 8 };

typedef struct {
    const modblas_product *product;
    int64_t count;
} list;

static modblas_status check_block(void *call, int64_t block)
{
    const list *l = call;
    const int64_t end = mb_lesser((block + 1) * BLOCK, l->count);
    for (int64_t i = block * BLOCK; i < end; i++) {
        const modblas_status status = check_product(&l->product[i]);
        if (status != MODBLAS_OK)
            return name_product(status, i);
    }
    return MODBLAS_OK;
}

static modblas_status check_all(const modblas_context *context, const modblas_product *product,
                                int64_t count)
{
    if (context == NULL)
        return mb_fail(MODBLAS_EINVAL, "context is NULL; modblas_context_create makes one");
    if (count < 0 || (product == NULL && count > 0))
        return mb_fail(MODBLAS_EINVAL,
                       "product is NULL or count, %" PRId64 ", negative; only an empty batch "
                       "may have none",
                       count);
    list l = {product, count};
    const int64_t blocks = count / BLOCK + (count % BLOCK != 0);
    modblas_status status = MODBLAS_OK;
    if (blocks > 0)
        status =
            mb_crew_run((int)mb_lesser(CHECKERS, threads_of(context)), blocks, check_block, &l);
    return status == MODBLAS_OK && count > 1 ? mb_check_apart(product, count) : status;
}

/* ---- one by one ----------------------------------------------------------------------------- */

typedef struct {
    modblas_context *context;
    const modblas_product *product;
    const int64_t *left; /* indices of products that were not fused */
} singles;

static modblas_status run_single(void *call, int64_t task)
{
    const singles *s = call;
    const int64_t i = s->left[task];
    const modblas_product *p = &s->product[i];
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    return name_product(mb_multiply(s->context, &p->C, &p->A, &p->B, p->alpha, p->beta, p->N,
                                    &options, NULL, NULL),
                        i);
}

/* Each thread takes the next product, and a worker for it. */
static modblas_status run_singles(modblas_context *context, const modblas_product *product,
                                  int64_t count, const bool *done)
{
    int64_t *left = malloc((size_t)count * sizeof *left), found = 0;
    if (left == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a batch");
    for (int64_t i = 0; i < count; i++) {
        if (!done[i])
            left[found++] = i;
    }
    singles s = {.context = context, .product = product, .left = left};
    modblas_status status = MODBLAS_OK;
    if (found > 0)
        status = mb_crew_run(threads_of(context), found, run_single, &s);
    free(left);
    return status;
}

/* ---- fused ---------------------------------------------------------------------------------- */

/* How many products are fused at a time where each is checked: what Freivalds' check needs of
 * their operands is kept meanwhile. */
enum { CHECKED = 64 };

static modblas_status check_before(mb_freivalds **check, modblas_context *context,
                                   mb_device *device, const modblas_product *p)
{
    const mb_mod mod = mb_mod_make(p->N);
    if (p->C.rows == 0 || p->C.cols == 0 || p->A.cols == 0)
        return MODBLAS_OK;
    return mb_freivalds_before(check, context, device, &p->C, &p->A, &p->B,
                               mb_reduce64(p->alpha, &mod), mb_reduce64(p->beta, &mod), p->N);
}

static modblas_status run_checked(modblas_context *context, mb_device *device,
                                  const modblas_product *product, int64_t from, int64_t to,
                                  bool *done)
{
    modblas_status status = MODBLAS_OK;
    mb_freivalds *check[CHECKED] = {NULL};
    for (int64_t i = from; i < to && status == MODBLAS_OK; i++)
        status =
            done[i]
                ? MODBLAS_OK
                : name_product(check_before(&check[i - from], context, device, &product[i]), i);
    if (status == MODBLAS_OK)
        status = mb_batch_run(context, device, product, from, to, done);
    for (int64_t i = from; i < to; i++) {
        if (status == MODBLAS_OK && done[i] && check[i - from] != NULL)
            status = name_product(mb_freivalds_after(check[i - from], &product[i].C), i);
        mb_freivalds_free(check[i - from]);
    }
    return status;
}

static modblas_status run_fused(modblas_context *context, mb_device *device,
                                const modblas_product *product, int64_t count, bool *done)
{
    modblas_status status = MODBLAS_OK;
    if (context->backend->batch == NULL)
        return MODBLAS_OK;
    if (context->verify != MODBLAS_VERIFY_FREIVALDS)
        return mb_batch_run(context, device, product, 0, count, done);
    for (int64_t from = 0; from < count && status == MODBLAS_OK; from += CHECKED)
        status =
            run_checked(context, device, product, from, mb_lesser(from + CHECKED, count), done);
    return status;
}

modblas_status modblas_gemm_batch(modblas_context *context, const modblas_product *product,
                                  int64_t count)
{
    modblas_status status = check_all(context, product, count);
    if (status != MODBLAS_OK || count == 0)
        return status;
    bool *done = calloc((size_t)count, sizeof *done);
    if (done == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a batch");
    for (int d = 0; d < context->device_count && status == MODBLAS_OK; d++)
        status = run_fused(context, &context->device[d], product, count, done);
    if (status == MODBLAS_OK)
        status = run_singles(context, product, count, done);
    free(done);
    return status;
}
