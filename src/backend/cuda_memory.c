/* SPDX-License-Identifier: BSD-3-Clause */
/* Where memory lies, and copies between host and device. */
#include "../exact/type.h"
#include "cuda_worker.h"

#include <string.h>

/* Columns that are copied together where either side is strided, so that a cache line is used
 * whole before it leaves. */
enum { STRIP = 32 };

/* One side of a copy; strides in elements. */
typedef struct side {
    unsigned char *at;
    int64_t row, col;
} side;

/* rows x cols elements between host and device, turned so that device.col is 1. */
typedef struct transfer {
    side host, device;
    int64_t rows, cols;
    int64_t size;                   /* bytes of an element */
    int64_t piece_rows, piece_cols; /* what one half of the staging buffer takes */
} transfer;

/* A part of a transfer, from row i and column j. */
typedef struct piece {
    int64_t i, j, rows, cols;
} piece;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- places ------------------------------------------------------------------------------- */

static unsigned char *first_byte(const modblas_matrix *view)
{
    const int64_t rows = (view->rows - 1) * view->row_stride;
    const int64_t cols = (view->cols - 1) * view->col_stride;
    return (unsigned char *)view->data +
           (least(rows, 0) + least(cols, 0)) * (int64_t)mb_type_size(view->type);
}

static modblas_status locate(const mb_worker *worker, const modblas_matrix *view, mb_place *place)
{
    modblas_status status;
    struct cudaPointerAttributes found;
    *place = MB_PLACE_STAGED;
    MB_CUDA(cudaPointerGetAttributes, &found, first_byte(view));
    if (found.type == cudaMemoryTypeManaged)
        *place = MB_PLACE_DIRECT;
    if (found.type != cudaMemoryTypeDevice)
        return MODBLAS_OK;
    if (found.device != worker->device->ordinal)
        return mb_fail(MODBLAS_EINVAL,
                       "an operand lies in memory of CUDA device %d, the context is on device %d",
                       found.device, worker->device->ordinal);
    *place = MB_PLACE_DIRECT;
fail:
    return status;
}

modblas_status mb_cuda_locate(mb_worker *worker, const modblas_matrix *view, mb_place *place)
{
    *place = MB_PLACE_DIRECT;
    if (view->rows == 0 || view->cols == 0)
        return MODBLAS_OK;
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(locate(worker, view, place));
}

/* ---- host side ---------------------------------------------------------------------------- */

/* Inlined with a constant size, so that memcpy is one move. */
static inline __attribute__((always_inline)) void copy_strips(side dst, side src, int64_t rows,
                                                              int64_t cols, int64_t size)
{
    for (int64_t j0 = 0; j0 < cols; j0 += STRIP) {
        const int64_t end = least(j0 + STRIP, cols);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = j0; j < end; j++)
                memcpy(dst.at + (i * dst.row + j * dst.col) * size,
                       src.at + (i * src.row + j * src.col) * size, (size_t)size);
    }
}

static void copy_on_host(side dst, side src, int64_t rows, int64_t cols, int64_t size)
{
    if (dst.col == 1 && src.col == 1) {
        for (int64_t i = 0; i < rows; i++)
            memcpy(dst.at + i * dst.row * size, src.at + i * src.row * size,
                   (size_t)(cols * size));
        return;
    }
    switch (size) {
    case 1:
        copy_strips(dst, src, rows, cols, 1);
        break;
    case 2:
        copy_strips(dst, src, rows, cols, 2);
        break;
    case 4:
        copy_strips(dst, src, rows, cols, 4);
        break;
    default:
        copy_strips(dst, src, rows, cols, 8);
    }
}

/* ---- transfers ---------------------------------------------------------------------------- */

/* The largest pitch that two-dimensional copies take (cudaDevAttrMaxPitch). */
static bool pitch_fits(const transfer *t, side s)
{
    return s.row >= t->cols && s.row * t->size <= INT32_MAX;
}

static transfer transfer_of(const modblas_matrix *device, const modblas_matrix *host)
{
    const bool as_is = device->col_stride == 1;
    transfer t = {
        .host = {host->data, as_is ? host->row_stride : host->col_stride,
                 as_is ? host->col_stride : host->row_stride},
        .device = {device->data, as_is ? device->row_stride : device->col_stride, 1},
        .rows = as_is ? host->rows : host->cols,
        .cols = as_is ? host->cols : host->rows,
        .size = (int64_t)mb_type_size(host->type),
    };
    const int64_t most = MB_STAGING_BYTES / t.size;
    t.piece_cols = least(t.cols, most);
    t.piece_rows = t.device.row == t.cols || pitch_fits(&t, t.device) ? most / t.piece_cols : 1;
    return t;
}

static side at_piece(const transfer *t, side s, const piece *p)
{
    s.at += (p->i * s.row + p->j * s.col) * t->size;
    return s;
}

static side half_side(const mb_worker *worker, int half, const piece *p)
{
    return (side){worker->half[half], p->cols, 1};
}

/* Advances to the next piece of the transfer; from {0} to the first. */
static bool next_piece(const transfer *t, piece *p)
{
    p->j += p->cols;
    if (p->j == t->cols) {
        p->j = 0;
        p->i += p->rows;
    }
    p->rows = least(t->piece_rows, t->rows - p->i);
    p->cols = least(t->piece_cols, t->cols - p->j);
    return p->i < t->rows;
}

/* Orders the copy of rows whose elements are neighbours on both sides. */
static modblas_status order_copy(mb_worker *worker, side dst, side src, const piece *p,
                                 int64_t size, enum cudaMemcpyKind kind)
{
    modblas_status status;
    const size_t width = (size_t)(p->cols * size);
    if (p->rows == 1 || (dst.row == p->cols && src.row == p->cols))
        MB_CUDA(cudaMemcpyAsync, dst.at, src.at, (size_t)p->rows * width, kind, worker->stream);
    else
        MB_CUDA(cudaMemcpy2DAsync, dst.at, (size_t)(dst.row * size), src.at,
                (size_t)(src.row * size), width, (size_t)p->rows, kind, worker->stream);
fail:
    return status;
}

static bool is_pinned(const void *p)
{
    struct cudaPointerAttributes found;
    if (cudaPointerGetAttributes(&found, p) == cudaSuccess)
        return found.type == cudaMemoryTypeHost;
    (void)cudaGetLastError();
    return false;
}

/* Whether the copy engine can read or write the host's side as it lies. */
static bool is_direct(const transfer *t)
{
    const int64_t last = ((t->rows - 1) * t->host.row + t->cols) * t->size - 1;
    const bool rows_fit = pitch_fits(t, t->host) && pitch_fits(t, t->device);
    return t->host.col == 1 && (t->rows == 1 || rows_fit) && is_pinned(t->host.at) &&
           is_pinned(t->host.at + last);
}

static modblas_status copy_direct(mb_worker *worker, const transfer *t, bool up)
{
    modblas_status status;
    const piece whole = {.rows = t->rows, .cols = t->cols};
    if (up)
        MB_TRY(order_copy(worker, t->device, t->host, &whole, t->size, cudaMemcpyHostToDevice));
    else
        MB_TRY(order_copy(worker, t->host, t->device, &whole, t->size, cudaMemcpyDeviceToHost));
    MB_CUDA(cudaStreamSynchronize, worker->stream);
fail:
    return status;
}

static modblas_status upload(mb_worker *worker, const transfer *t)
{
    modblas_status status;
    if (is_direct(t))
        return copy_direct(worker, t, true);
    MB_TRY(mb_cuda_staging(worker));
    piece p = {0};
    for (int half = 0; next_piece(t, &p); half ^= 1) {
        const side packed = half_side(worker, half, &p);
        MB_CUDA(cudaEventSynchronize, worker->half_free[half]);
        copy_on_host(packed, at_piece(t, t->host, &p), p.rows, p.cols, t->size);
        MB_TRY(order_copy(worker, at_piece(t, t->device, &p), packed, &p, t->size,
                          cudaMemcpyHostToDevice));
        MB_CUDA(cudaEventRecord, worker->half_free[half], worker->stream);
    }
fail:
    return status;
}

static modblas_status unpack(mb_worker *worker, const transfer *t, const piece *p, int half)
{
    modblas_status status;
    MB_CUDA(cudaEventSynchronize, worker->half_free[half]);
    copy_on_host(at_piece(t, t->host, p), half_side(worker, half, p), p->rows, p->cols, t->size);
fail:
    return status;
}

/* While one half is unpacked, the other is on its way. */
static modblas_status download(mb_worker *worker, const transfer *t)
{
    modblas_status status;
    if (is_direct(t))
        return copy_direct(worker, t, false);
    MB_TRY(mb_cuda_staging(worker));
    piece p = {0}, before = {0};
    int half = 0;
    for (; next_piece(t, &p); half ^= 1) {
        MB_TRY(order_copy(worker, half_side(worker, half, &p), at_piece(t, t->device, &p), &p,
                          t->size, cudaMemcpyDeviceToHost));
        MB_CUDA(cudaEventRecord, worker->half_free[half], worker->stream);
        if (before.rows != 0)
            MB_TRY(unpack(worker, t, &before, half ^ 1));
        before = p;
    }
    MB_TRY(unpack(worker, t, &before, half ^ 1));
fail:
    return status;
}

modblas_status mb_cuda_upload(mb_worker *worker, const modblas_matrix *dst,
                              const modblas_matrix *src)
{
    if (src->rows == 0 || src->cols == 0)
        return MODBLAS_OK;
    const transfer t = transfer_of(dst, src);
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(upload(worker, &t));
}

modblas_status mb_cuda_download(mb_worker *worker, const modblas_matrix *dst,
                                const modblas_matrix *src)
{
    if (dst->rows == 0 || dst->cols == 0)
        return MODBLAS_OK;
    const transfer t = transfer_of(src, dst);
    modblas_status status = mb_cuda_enter(worker->device);
    return status != MODBLAS_OK ? status : mb_cuda_leave(download(worker, &t));
}
