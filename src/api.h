/* SPDX-License-Identifier: BSD-3-Clause */
/* What bench and tests may know beyond the public header. */
#ifndef MB_API_H
#define MB_API_H

#include "run/exec.h"

struct modblas_plan {
    modblas_context *context;
    modblas_problem problem;
    modblas_plan_options options;
    mb_plan plan; /* for it, with sizes 0 taken as 1 */
    mb_reasons reasons;
};

/* A checked product; options are those of a plan. plan may be NULL, or made for other views; trace
 * may be NULL. */
modblas_status mb_multiply(modblas_context *context, const modblas_matrix *C,
                           const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                           uint64_t beta, uint64_t N, const modblas_plan_options *options,
                           const mb_plan *plan, mb_trace *trace);

/* modblas_plan_run that keeps a record; trace may be NULL. */
modblas_status mb_plan_run_traced(modblas_plan *plan, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta, mb_trace *trace);

#endif
