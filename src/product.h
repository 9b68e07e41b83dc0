/* SPDX-License-Identifier: BSD-3-Clause */
/* A checked product: which way it is done, its plan, and its run. */
#ifndef MB_PRODUCT_H
#define MB_PRODUCT_H

#include "api.h"

/* C <- alpha*A*B + beta*C mod N for checked views. owner, a plan made for such views, keeps what
 * later runs can use; it may be NULL, and so may trace. */
modblas_status mb_multiply(modblas_context *context, const modblas_matrix *C,
                           const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                           uint64_t beta, uint64_t N, const modblas_plan_options *options,
                           modblas_plan *owner, mb_trace *trace);

/* The product of row-major views that the device reads as they lie. An empty one needs no plan;
 * size 1 stands in, so that what is forced is still checked. */
mb_request mb_usual_request(const modblas_context *context, const modblas_problem *problem,
                            const modblas_plan_options *options);

/* A product by a plan, with checked views, that is ordered without waiting for it. */
typedef struct mb_item {
    modblas_plan *plan;
    modblas_matrix C, A, B;
    uint64_t alpha, beta;
    /* What prepare finds: where it runs, by which proved plan (NULL: C <- beta*C), in how much
     * workspace. */
    mb_device *device;
    mb_way *way;
    mb_operands o;
    uint64_t bytes;
    bool empty;
} mb_item;

modblas_status mb_item_prepare(mb_item *item);

/* Orders a prepared item on one worker of a team, whose `shared` is 0 and `each` at least its
 * bytes. Requires: operands are where the device can use them. */
modblas_status mb_item_order(const mb_item *item, const mb_team *team, int worker);

/* Prepares it and orders it on a caller's stream. Requires: the backend has streams. */
modblas_status mb_multiply_on(mb_item *item, void *stream);

#endif
