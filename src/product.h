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

/* The same by a plan, ordered on a caller's stream. Requires: the backend has streams. */
modblas_status mb_multiply_on(modblas_plan *plan, void *stream, const modblas_matrix *C,
                              const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                              uint64_t beta);

#endif
