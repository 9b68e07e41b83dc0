/* SPDX-License-Identifier: BSD-3-Clause */
#include "operand.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

const char *mb_order_name(mb_order order)
{
    static const char *const name[] = {"rows", "columns", "padded"};
    return name[order];
}

modblas_status mb_host_alloc(void **pointer, uint64_t bytes)
{
    size_t rounded = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    *pointer = bytes > INT64_MAX / 2 ? NULL : aligned_alloc(ALIGNMENT, rounded);
    if (*pointer == NULL)
        return mb_fail(MODBLAS_ENOMEM, "%" PRIu64 " bytes of host memory could not be had", bytes);
    return MODBLAS_OK;
}

static mb_worker *first_worker(const modblas_context *context)
{
    return context->device[0].slot[0].worker;
}

uint64_t mb_operand_bytes(const mb_operand *operand)
{
    uint64_t entries =
        mb_times((uint64_t)operand->host_all.rows, (uint64_t)operand->host_all.cols);
    return mb_times(entries, mb_type_size(operand->host_all.type));
}

modblas_status mb_operand_adopt(mb_operand *operand, modblas_context *context,
                                const modblas_matrix *host, void *owned, bool device)
{
    *operand = (mb_operand){
        .host = *host, .run = *host, .host_all = *host, .run_all = *host, .owned = owned};
    if (!device || context->backend->upload == NULL || mb_operand_bytes(operand) == 0)
        return MODBLAS_OK;
    modblas_status status = MODBLAS_OK;
    MB_TRY(context->backend->alloc(first_worker(context), &operand->device,
                                   mb_operand_bytes(operand)));
    operand->run.data = operand->run_all.data = operand->device;
fail:
    return status;
}

modblas_status mb_operand_create(mb_operand *operand, modblas_context *context, modblas_type type,
                                 int64_t rows, int64_t cols, mb_order order, bool device)
{
    *operand = (mb_operand){.owned = NULL};
    int64_t wide = cols + (order == MB_ORDER_PADDED ? MB_PADDING : 0);
    uint64_t entries = mb_times((uint64_t)rows, (uint64_t)wide);
    modblas_status status = MODBLAS_OK;
    void *memory;
    MB_TRY(mb_host_alloc(&memory, mb_times(entries, mb_type_size(type))));
    modblas_matrix host = order == MB_ORDER_COLUMNS
                              ? modblas_column_major(memory, type, rows, wide, rows)
                              : modblas_row_major(memory, type, rows, wide, wide);
    MB_TRY(mb_operand_adopt(operand, context, &host, memory, device));
    operand->host.cols = operand->run.cols = cols;
fail:
    return status;
}

modblas_status mb_operand_push(const mb_operand *operand, modblas_context *context)
{
    if (operand->device == NULL)
        return MODBLAS_OK;
    uint32_t faults = 0;
    modblas_status status = MODBLAS_OK;
    MB_TRY(context->backend->upload(first_worker(context), &operand->run_all, &operand->host_all));
    MB_TRY(context->backend->wait(first_worker(context), &faults));
fail:
    return status;
}

modblas_status mb_operand_pull(const mb_operand *operand, modblas_context *context)
{
    if (operand->device == NULL)
        return MODBLAS_OK;
    return context->backend->download(first_worker(context), &operand->host_all,
                                      &operand->run_all);
}

void mb_operand_free(mb_operand *operand, modblas_context *context)
{
    if (operand->device != NULL)
        context->backend->free(first_worker(context), operand->device);
    free(operand->owned);
    *operand = (mb_operand){.owned = NULL};
}
