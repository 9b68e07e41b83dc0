/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA backend: its table, and the jobs that our own kernels do. */
#include "check_host.h"
#include "cuda_worker.h"

enum { BYTES_ALIGN = 16 };

/* Where k ends within a step of the batch kernel, an earlier build of it was wrong for entries of
 * 8 bytes (ptxas 13.0 took a clamp and a comparison for one); until the present one was tried
 * there on a GPU, such products go the ordinary way. */
enum { BATCH_STEP = 64 };

static bool is_aligned(int64_t count)
{
    return count % BYTES_ALIGN == 0;
}

static modblas_status require_split(const mb_split_job *job)
{
    if (job->type == MB_ELEMENT_F64)
        return MODBLAS_OK;
    if (job->type != MB_ELEMENT_I8 || job->cut->kind == MB_CUT_WIDE)
        return mb_fail(MODBLAS_EINTERNAL, "the CUDA backend cannot cut into this type of plane");
    if (!is_aligned((int64_t)(uintptr_t)job->dst) || !is_aligned(job->ld) ||
        !is_aligned(job->plane_stride) || !is_aligned(job->fold_stride) ||
        !is_aligned(job->k_padded))
        return mb_fail(MODBLAS_EINTERNAL, "planes of bytes are not laid out in multiples of %d",
                       BYTES_ALIGN);
    if (job->cut->kind == MB_CUT_DIGITS && job->cut->planes > 1 && job->cut->radix_bits != 8)
        return mb_fail(MODBLAS_EINTERNAL, "the CUDA backend cuts bytes of 8 bits only");
    return MODBLAS_OK;
}

static modblas_status split(mb_worker *worker, const mb_split_job *job)
{
    modblas_status status;
    const mb_split_args args = {
        .src = job->src,
        .dst = job->dst,
        .wide = job->type == MB_ELEMENT_F64,
        .ld = job->ld,
        .plane_stride = job->plane_stride,
        .fold_stride = job->fold_stride,
        .lines_padded = job->lines_padded,
        .k_padded = job->k_padded,
        .faults = worker->faults,
        .operand = job->operand,
        .interleaved = job->interleaved,
    };
    if (!job->interleaved)
        MB_TRY(require_split(job));
    MB_TRY(mb_cuda_send_split(worker, job->cut, &args));
fail:
    return status;
}

static mb_element sum_type(const mb_join *join)
{
    if (join->longs)
        return MB_ELEMENT_I64;
    if (join->reduced)
        return join->reduced == 1 ? MB_ELEMENT_U8 : MB_ELEMENT_U16;
    return join->wide ? MB_ELEMENT_F64 : MB_ELEMENT_I32;
}

static modblas_status join(mb_worker *worker, const mb_join_job *job)
{
    modblas_status status;
    const mb_join nothing = {.mod = *job->mod};
    const mb_join_args args = {
        .acc = job->acc,
        .acc_ld = job->acc_ld,
        .acc_plane_stride = job->acc_plane_stride,
        .rows = job->rows,
        .cols = job->cols,
        .carry = job->carry,
        .carry_ld = job->carry_ld,
        .add_carry = job->add_carry,
        .to_carry = job->to_carry,
        .C = job->C,
        .beta = job->beta,
        .float_limit = job->float_limit,
        .faults = worker->faults,
    };
    if (job->join && job->acc_type != sum_type(job->join))
        return mb_fail(MODBLAS_EINTERNAL, "the CUDA backend cannot join this type of sum");
    MB_TRY(mb_cuda_send_join(worker, job->join ? job->join : &nothing, &args));
fail:
    return status;
}

/* M is in device memory; x and y travel. */
static modblas_status check_on_device(mb_worker *worker, const mb_check_job *job)
{
    modblas_status status;
    void *x = NULL, *y = NULL;
    const int64_t k = job->M.cols, rows = job->M.rows, count = job->count;
    const modblas_matrix host_x = modblas_row_major(job->x, MODBLAS_U64, k, count, count);
    const modblas_matrix host_y = modblas_row_major(job->y, MODBLAS_U64, rows, count, count);
    MB_TRY(mb_cuda_alloc(worker, &x, (size_t)(k * count) * sizeof *job->x));
    MB_TRY(mb_cuda_alloc(worker, &y, (size_t)(rows * count) * sizeof *job->y));
    const modblas_matrix device_x = modblas_row_major(x, MODBLAS_U64, k, count, count);
    const modblas_matrix device_y = modblas_row_major(y, MODBLAS_U64, rows, count, count);
    const mb_check_args args = {
        .M = job->M, .x = x, .y = y, .count = job->count, .residues = job->residues, .N = job->N};
    MB_TRY(mb_cuda_upload(worker, &device_x, &host_x));
    MB_CUDA(mb_launch_check, &args, worker->stream);
    MB_TRY(mb_cuda_download(worker, &host_y, &device_y));
fail:
    mb_cuda_free(worker, x);
    mb_cuda_free(worker, y);
    return status;
}

static modblas_status cuda_split(mb_worker *worker, const mb_split_job *job)
{
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(split(worker, job));
}

static modblas_status cuda_join(mb_worker *worker, const mb_join_job *job)
{
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(join(worker, job));
}

static modblas_status cuda_check(mb_worker *worker, const mb_check_job *job)
{
    mb_place place;
    modblas_status status = mb_cuda_locate(worker, &job->M, &place);
    if (status != MODBLAS_OK)
        return status;
    if (place == MB_PLACE_STAGED)
        return mb_check_host(job);
    status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(check_on_device(worker, job));
}

const mb_backend mb_cuda_table = {
    .name = "cuda",
    .id = MODBLAS_BACKEND_CUDA,
    .synchronous = false,
    .engine = {&mb_engine_i8, &mb_engine_f64},
    .device_count = mb_cuda_device_count,
    .device_info = mb_cuda_device_info,
    .default_workers = mb_cuda_default_workers,
    .rates = mb_cuda_rates,
    .fuses = mb_cuda_fuses,
    .thins = mb_cuda_thins,
    .worker_create = mb_cuda_worker_create,
    .worker_destroy = mb_cuda_worker_destroy,
    .alloc = mb_cuda_alloc,
    .free = mb_cuda_free,
    .locate = mb_cuda_locate,
    .split = cuda_split,
    .gemm = mb_cuda_gemm,
    .join = cuda_join,
    .batch = mb_cuda_batch,
    .batch_step = BATCH_STEP,
    .span = mb_cuda_span,
    .upload = mb_cuda_upload,
    .download = mb_cuda_download,
    .after = mb_cuda_after,
    .wait = mb_cuda_wait,
    .streams = &mb_cuda_streams,
    .check = cuda_check,
    .mark = mb_cuda_mark,
    .stamp = mb_cuda_stamp,
};
