/* SPDX-License-Identifier: BSD-3-Clause */
/* What a packed operand is, beyond the public header. */
#ifndef MB_PACKED_H
#define MB_PACKED_H

#include "run/exec.h"

struct modblas_packed {
    modblas_context *context;
    mb_device *device;
    mb_packing packing;
};

/* A view in the place of the operand that a plan has packed, of its sizes and type, whose data is
 * the planes': where it lies is what counts. EINVAL if something else is given for it. A plan
 * without one leaves A and B as they are. */
modblas_status mb_put_packed(const modblas_plan_options *options, const modblas_problem *problem,
                             modblas_matrix *view, const modblas_matrix **A,
                             const modblas_matrix **B);

/* EINVAL with a sentence unless a checked problem with these options can use what was packed. */
modblas_status mb_check_packed(const modblas_packed *packed, const modblas_context *context,
                               const modblas_problem *problem,
                               const modblas_plan_options *options);

#endif
