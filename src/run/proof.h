/* SPDX-License-Identifier: BSD-3-Clause */
/* Proof of an engine at the sizes of a plan: libraries choose other kernels for other shapes, and
 * the self-test's are small. Made once per process for each device and shape, before it is used.
 */
#ifndef MB_RUN_PROOF_H
#define MB_RUN_PROOF_H

#include "context.h"

/* *right is false if the GEMMs of one tile of the plan, on random operands as large as its k
 * allows, fail Freivalds' check; the engine is then struck off the device, with the reason. Shapes
 * of less work than the self-test has covered, and plans without GEMMs, are right as they are. */
modblas_status mb_prove_plan(modblas_context *context, mb_device *device, const mb_plan *plan,
                             bool *right);

#endif
