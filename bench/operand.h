/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices that products are made of: in host memory, where they are filled and checked, and,
 * with residency device, a copy in device memory that the products see. */
#ifndef MB_BENCH_OPERAND_H
#define MB_BENCH_OPERAND_H

#include "src/run/context.h"

/* How entries follow each other in memory. PADDED: rows begin MB_PADDING entries further apart. */
typedef enum mb_order { MB_ORDER_ROWS, MB_ORDER_COLUMNS, MB_ORDER_PADDED } mb_order;
enum { MB_PADDING = 3 };
const char *mb_order_name(mb_order order);

typedef struct mb_operand {
    modblas_matrix host;
    modblas_matrix run; /* what products are given: host, or the copy on the device */
    modblas_matrix host_all, run_all; /* the same with the padding: dense */
    void *owned;                      /* host memory to be freed */
    void *device;
} mb_operand;

/* A matrix, its entries undefined. With `device`, its copy is on the first device
 * of the context. */
modblas_status mb_operand_create(mb_operand *operand, modblas_context *context, modblas_type type,
                                 int64_t rows, int64_t cols, mb_order order, bool device);

/* Takes over a dense host view and its memory. */
modblas_status mb_operand_adopt(mb_operand *operand, modblas_context *context,
                                const modblas_matrix *host, void *owned, bool device);

/* Host to device and back; nothing to do without a copy. */
modblas_status mb_operand_push(const mb_operand *operand, modblas_context *context);
modblas_status mb_operand_pull(const mb_operand *operand, modblas_context *context);

/* A zeroed operand is allowed. */
void mb_operand_free(mb_operand *operand, modblas_context *context);

/* Bytes of the entries and the padding. */
uint64_t mb_operand_bytes(const mb_operand *operand);

/* 64-byte aligned host memory; free() frees it. */
modblas_status mb_host_alloc(void **pointer, uint64_t bytes);

#endif
