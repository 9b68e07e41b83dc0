/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan. */
#ifndef MB_RUN_EXEC_H
#define MB_RUN_EXEC_H

#include "trace.h"

/* What a product works on: checked views of the plan's sizes and types, and residues. The plan was
 * made for an overlap if there is one. */
typedef struct mb_operands {
    modblas_matrix C, A, B;
    uint64_t alpha, beta;
} mb_operands;

/* Bytes that a plan's team takes. */
void mb_exec_bytes(const mb_plan *plan, uint64_t *shared, uint64_t *each);

/* Orders C <- alpha*A*B + beta*C on a team that has these bytes, and does not wait, except for
 * operands in host memory. constants are those of o->alpha (unless the scheme is plain); trace may
 * be NULL. */
modblas_status mb_exec_order(const mb_team *team, const mb_plan *plan,
                             const mb_constants *constants, const mb_operands *o, mb_trace *trace);

/* The same for a plan of the scheme plain. */
modblas_status mb_exec_order_plain(const mb_team *team, const mb_plan *plan, const mb_operands *o,
                                   mb_trace *trace);

/* Waits for a team's jobs, gives it back, and returns `status`, or what else went wrong. */
modblas_status mb_exec_finish(mb_team *team, modblas_status status, bool swapped, mb_trace *trace);

/* All of it on a device of the context: C is written on return. */
modblas_status mb_exec(modblas_context *context, mb_device *device, const mb_plan *plan,
                       const mb_operands *o, mb_trace *trace);

/* A -> the planes of a packing, by a plan that packs. */
modblas_status mb_exec_pack(modblas_context *context, mb_device *device, const mb_plan *plan,
                            const mb_packing *packing, const modblas_matrix *A);

/* C <- beta*C, for k = 0 or alpha = 0. */
modblas_status mb_exec_scale(modblas_context *context, mb_device *device, const modblas_matrix *C,
                             uint64_t beta, uint64_t N);

/* Orders it on a team's first worker. Requires: C is where the device can write it. */
modblas_status mb_exec_order_scale(const mb_team *team, const modblas_matrix *C, uint64_t beta,
                                   uint64_t N);

#endif
