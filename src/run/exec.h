/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a plan. */
#ifndef MB_RUN_EXEC_H
#define MB_RUN_EXEC_H

#include "trace.h"

/* C <- alpha*A*B + beta*C on a device of the context; A is NULL if it was packed. Views are
 * checked and of the plan's sizes and types; alpha and beta are residues; the plan was made for an
 * overlap if there is one. Waits until C is written. trace may be NULL. */
modblas_status mb_exec(modblas_context *context, mb_device *device, const mb_plan *plan,
                       const modblas_matrix *C, const modblas_matrix *A, const modblas_matrix *B,
                       uint64_t alpha, uint64_t beta, mb_trace *trace);

/* The same for a plan of the scheme plain. */
modblas_status mb_exec_plain(modblas_context *context, mb_device *device, const mb_plan *plan,
                             const modblas_matrix *C, const modblas_matrix *A,
                             const modblas_matrix *B, uint64_t alpha, uint64_t beta,
                             mb_trace *trace);

/* A -> the planes of a packing, by a plan that packs. */
modblas_status mb_exec_pack(modblas_context *context, mb_device *device, const mb_plan *plan,
                            const mb_packing *packing, const modblas_matrix *A);

/* C <- beta*C, for k = 0 or alpha = 0. */
modblas_status mb_exec_scale(modblas_context *context, mb_device *device, const modblas_matrix *C,
                             uint64_t beta, uint64_t N);

#endif
