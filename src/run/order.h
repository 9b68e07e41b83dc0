/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a caller's stream. */
#ifndef MB_RUN_ORDER_H
#define MB_RUN_ORDER_H

#include "way.h"

/* A worker that belongs to a captured product, until what was captured is gone. */
typedef struct mb_hold {
    mb_device *device;
    mb_slot *slot;
    struct mb_hold *next;
} mb_hold;

void mb_holds_drop(mb_hold *holds, modblas_context *context);

/* EINVAL unless C, or all operands, lie in memory of the device. */
modblas_status mb_require_direct(const mb_device *device, const mb_operands *o, bool all);

/* Orders a product by a way on a stream of the device, or C <- beta*C if way is NULL. Requires:
 * the backend has streams. EINVAL if an operand is not in memory of the device. A worker that is
 * needed for good is put before *holds. */
modblas_status mb_order_on(modblas_context *context, mb_device *device, mb_way *way, uint64_t N,
                           const mb_operands *o, void *stream, mb_hold **holds);

#endif
