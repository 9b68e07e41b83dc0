/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a batch that are fused into few launches. */
#ifndef MB_RUN_BATCH_H
#define MB_RUN_BATCH_H

#include "context.h"

/* Fuses what can be on the device of products from .. to-1 that are not done, and sets their
 * done. Returns when they are. Nothing is done where the backend does not fuse. Requires checked,
 * independent products. */
modblas_status mb_batch_run(modblas_context *context, mb_device *device,
                            const modblas_product *product, int64_t from, int64_t to, bool *done);

#endif
