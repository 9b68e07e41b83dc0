/* SPDX-License-Identifier: BSD-3-Clause */
/* Fused products of a batch: what is known of them goes up through the staging buffer. */
#include "../../kernels/kernels.h"
#include "cuda_worker.h"

#include <string.h>

enum { PART_ALIGN = 256 };

static size_t aligned(size_t bytes)
{
    return (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
}

/* Parts of one upload, in this order. */
typedef struct {
    size_t rules, products, tiles, total;
} parts;

static parts parts_of(const mb_batch_job *job)
{
    parts p = {.rules = 0};
    p.products = aligned((size_t)job->rule_count * sizeof *job->rules);
    p.tiles = p.products + aligned((size_t)job->product_count * sizeof *job->products);
    p.total = p.tiles + (size_t)job->tile_count * sizeof *job->tiles;
    return p;
}

/* The half whose last copy was ordered first. */
static modblas_status take_half(mb_worker *worker, int *half)
{
    modblas_status status;
    MB_TRY(mb_cuda_staging(worker));
    *half = worker->next_half;
    worker->next_half ^= 1;
    MB_CUDA(cudaEventSynchronize, worker->half_free[*half]);
fail:
    return status;
}

static modblas_status launch(mb_worker *worker, const mb_batch_job *job, const parts *p,
                             unsigned char *device, int half)
{
    modblas_status status;
    unsigned char *host = worker->half[half];
    memcpy(host + p->rules, job->rules, (size_t)job->rule_count * sizeof *job->rules);
    memcpy(host + p->products, job->products, (size_t)job->product_count * sizeof *job->products);
    memcpy(host + p->tiles, job->tiles, (size_t)job->tile_count * sizeof *job->tiles);
    const mb_batch_args args = {
        .products = (const mb_batch_product *)(device + p->products),
        .rules = (const mb_batch_rule *)(device + p->rules),
        .tiles = (const mb_batch_tile *)(device + p->tiles),
        .count = job->tile_count,
        .digits = job->digits,
        .size = job->size,
        .faults = worker->faults,
    };
    MB_CUDA(cudaMemcpyAsync, device, host, p->total, cudaMemcpyHostToDevice, worker->stream);
    MB_CUDA(cudaEventRecord, worker->half_free[half], worker->stream);
    MB_CUDA(mb_launch_batch, &args, worker->stream);
fail:
    return status;
}

static modblas_status batch(mb_worker *worker, const mb_batch_job *job)
{
    modblas_status status;
    void *device = NULL;
    int half;
    const parts p = parts_of(job);
    if (p.total > MB_STAGING_BYTES)
        return mb_fail(MODBLAS_EINTERNAL, "a part of a batch takes %zu bytes", p.total);
    MB_TRY(take_half(worker, &half));
    MB_TRY(mb_cuda_alloc(worker, &device, p.total));
    MB_TRY(launch(worker, job, &p, device, half));
fail:
    mb_cuda_free(worker, device);
    return status;
}

modblas_status mb_cuda_batch(mb_worker *worker, const mb_batch_job *job)
{
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(batch(worker, job));
}

modblas_status mb_cuda_span(mb_worker *worker, const void *p, uintptr_t *begin, uintptr_t *end,
                            mb_place *place)
{
    const modblas_matrix byte = modblas_row_major(p, MODBLAS_U8, 1, 1, 1);
    modblas_status status = mb_cuda_locate(worker, &byte, place);
    *begin = (uintptr_t)p;
    *end = *begin + 1;
    if (status != MODBLAS_OK || *place != MB_PLACE_DIRECT)
        return status;
    status = mb_cuda_enter(worker->device);
    if (status != MODBLAS_OK)
        return status;
    mb_cuda_range(p, begin, end);
    return mb_cuda_leave(MODBLAS_OK);
}
