/* SPDX-License-Identifier: BSD-3-Clause */
/* What bench and tests may know beyond the public header. */
#ifndef MB_API_H
#define MB_API_H

#include "run/order.h"

struct modblas_plan {
    modblas_context *context;
    modblas_problem problem;
    modblas_plan_options options;
    mb_plan plan; /* for it, with sizes 0 taken as 1 */
    mb_reasons reasons;
    mb_ways ways;   /* made by runs */
    mb_hold *holds; /* of products that were captured */
};

/* OK, or EINVAL: the views are legal and the plan's. For an operand that was packed *A or *B,
 * which then is NULL, becomes a view of what was packed, in *packed. */
modblas_status mb_check_plan_views(const modblas_plan *plan, modblas_matrix *packed,
                                   const modblas_matrix *C, const modblas_matrix **A,
                                   const modblas_matrix **B);

/* modblas_plan_run that keeps a record; trace may be NULL. */
modblas_status mb_plan_run_traced(modblas_plan *plan, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta, mb_trace *trace);

#endif
