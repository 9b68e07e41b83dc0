/* SPDX-License-Identifier: BSD-3-Clause */
#include "operand.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

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
    uint64_t entries = mb_times((uint64_t)operand->host.rows, (uint64_t)operand->host.cols);
    return mb_times(entries, mb_type_size(operand->host.type));
}

modblas_status mb_operand_adopt(mb_operand *operand, modblas_context *context,
                                const modblas_matrix *host, void *owned, bool device)
{
    *operand = (mb_operand){.host = *host, .run = *host, .owned = owned};
    if (!device || context->backend->upload == NULL || mb_operand_bytes(operand) == 0)
        return MODBLAS_OK;
    modblas_status status = MODBLAS_OK;
    MB_TRY(context->backend->alloc(first_worker(context), &operand->device,
                                   mb_operand_bytes(operand)));
    operand->run.data = operand->device;
fail:
    return status;
}

modblas_status mb_operand_create(mb_operand *operand, modblas_context *context, modblas_type type,
                                 int64_t rows, int64_t cols, bool device)
{
    *operand = (mb_operand){.owned = NULL};
    uint64_t entries = mb_times((uint64_t)rows, (uint64_t)cols);
    modblas_status status = MODBLAS_OK;
    void *memory;
    MB_TRY(mb_host_alloc(&memory, mb_times(entries, mb_type_size(type))));
    modblas_matrix host = modblas_row_major(memory, type, rows, cols, cols);
    MB_TRY(mb_operand_adopt(operand, context, &host, memory, device));
fail:
    return status;
}

modblas_status mb_operand_push(const mb_operand *operand, modblas_context *context)
{
    if (operand->device == NULL)
        return MODBLAS_OK;
    uint32_t faults = 0;
    modblas_status status = MODBLAS_OK;
    MB_TRY(context->backend->upload(first_worker(context), &operand->run, &operand->host));
    MB_TRY(context->backend->wait(first_worker(context), &faults));
fail:
    return status;
}

modblas_status mb_operand_pull(const mb_operand *operand, modblas_context *context)
{
    if (operand->device == NULL)
        return MODBLAS_OK;
    return context->backend->download(first_worker(context), &operand->host, &operand->run);
}

void mb_operand_free(mb_operand *operand, modblas_context *context)
{
    if (operand->device != NULL)
        context->backend->free(first_worker(context), operand->device);
    free(operand->owned);
    *operand = (mb_operand){.owned = NULL};
}
