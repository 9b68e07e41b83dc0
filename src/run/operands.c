/* SPDX-License-Identifier: BSD-3-Clause */
#include "operands.h"

#include <inttypes.h>

int64_t mb_lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

modblas_matrix mb_window(const modblas_matrix *view, int64_t i, int64_t j, int64_t rows,
                         int64_t cols)
{
    modblas_matrix w = *view;
    int64_t offset = i * view->row_stride + j * view->col_stride;
    w.data = (char *)view->data + offset * (int64_t)mb_type_size(view->type);
    w.rows = rows;
    w.cols = cols;
    return w;
}

/* First and last entry that a view touches, in entries from data: below 2^127 for any sizes and
 * strides. Requires rows, cols >= 1. */
static void entry_extent(const modblas_matrix *view, __int128 *first, __int128 *last)
{
    __int128 down = (__int128)(view->rows - 1) * view->row_stride;
    __int128 right = (__int128)(view->cols - 1) * view->col_stride;
    *first = (down < 0 ? down : 0) + (right < 0 ? right : 0);
    *last = (down > 0 ? down : 0) + (right > 0 ? right : 0);
}

/* The same in bytes. Requires a checked view. */
static void extent(const modblas_matrix *view, __int128 *first, __int128 *last)
{
    __int128 size = (__int128)mb_type_size(view->type);
    entry_extent(view, first, last);
    *first *= size;
    *last = *last * size + size - 1;
}

static bool is_empty(const modblas_matrix *view)
{
    return view->rows == 0 || view->cols == 0;
}

bool mb_size_fits(int64_t rows, int64_t cols, modblas_type type)
{
    int64_t entries, bytes;
    return !__builtin_mul_overflow(rows, cols, &entries) &&
           !__builtin_mul_overflow(entries, (int64_t)mb_type_size(type), &bytes);
}

modblas_status mb_view_check(const modblas_matrix *view, char name)
{
    if (view == NULL)
        return mb_fail(MODBLAS_EINVAL, "%c is NULL; a view is required", name);
    if (!mb_type_is_valid(view->type))
        return mb_fail(MODBLAS_EINVAL, "%c has type %d; types are MODBLAS_U8 to MODBLAS_F64", name,
                       (int)view->type);
    if (view->rows < 0 || view->cols < 0)
        return mb_fail(MODBLAS_EINVAL, "%c is %" PRId64 " x %" PRId64 "; sizes are at least 0",
                       name, view->rows, view->cols);
    if (is_empty(view))
        return MODBLAS_OK;
    if (view->data == NULL)
        return mb_fail(MODBLAS_EINVAL, "%c has data NULL; only empty views may", name);
    const size_t size = mb_type_size(view->type);
    if ((uintptr_t)view->data % size != 0)
        return mb_fail(MODBLAS_EINVAL,
                       "%c has data at %p; entries of %zu bytes are aligned to %zu", name,
                       view->data, size, size);
    __int128 first, last, at = (__int128)(uintptr_t)view->data;
    entry_extent(view, &first, &last);
    bool near = first > -INT64_MAX && last < INT64_MAX;
    if (near)
        extent(view, &first, &last);
    if (!near || !mb_size_fits(view->rows, view->cols, view->type) || last - first > INT64_MAX ||
        at + first < 0 || at + last > (__int128)UINTPTR_MAX)
        return mb_fail(MODBLAS_EINVAL,
                       "%c, %" PRId64 " x %" PRId64 " with strides %" PRId64 ", %" PRId64
                       ", does not fit the address space",
                       name, view->rows, view->cols, view->row_stride, view->col_stride);
    return MODBLAS_OK;
}

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Entries (i, j) and (i', j') are the same if (i - i') row_stride = (j' - j) col_stride; the least
 * solution besides 0 is i - i' = col_stride/g, j' - j = row_stride/g. */
bool mb_view_overlaps_itself(const modblas_matrix *view)
{
    if (is_empty(view))
        return false;
    uint64_t rs = magnitude(view->row_stride), cs = magnitude(view->col_stride);
    if ((rs == 0 && view->rows > 1) || (cs == 0 && view->cols > 1))
        return true;
    if (rs == 0 || cs == 0)
        return false;
    uint64_t g = rs, r = cs;
    while (r != 0) {
        uint64_t rest = g % r;
        g = r;
        r = rest;
    }
    return cs / g < (uint64_t)view->rows && rs / g < (uint64_t)view->cols;
}

bool mb_views_overlap(const modblas_matrix *x, const modblas_matrix *y)
{
    __int128 x0, x1, y0, y1;
    if (is_empty(x) || is_empty(y))
        return false;
    extent(x, &x0, &x1);
    extent(y, &y0, &y1);
    __int128 at_x = (__int128)(uintptr_t)x->data, at_y = (__int128)(uintptr_t)y->data;
    return at_x + x0 <= at_y + y1 && at_y + y0 <= at_x + x1;
}

bool mb_lies_in_bytes(const modblas_matrix *view)
{
    const int64_t align = 16, longest = (int64_t)1 << 38;
    const int64_t size = (int64_t)mb_type_size(view->type);
    const bool contiguous = view->col_stride == 1 || view->cols == 1;
    const bool rows =
        view->rows == 1 || (view->row_stride >= view->cols && view->row_stride < longest / size &&
                            view->row_stride * size % align == 0);
    return contiguous && rows && (uintptr_t)view->data % (uintptr_t)align == 0;
}

modblas_status mb_locate_all(const mb_device *device, const modblas_matrix *C,
                             const modblas_matrix *A, const modblas_matrix *B)
{
    const modblas_matrix *view[] = {A, B, C};
    modblas_status status = MODBLAS_OK;
    for (int v = 0; v < 3 && status == MODBLAS_OK; v++) {
        mb_place place;
        status = device->backend->locate(device->slot[0].worker, view[v], &place);
    }
    return status;
}

modblas_status mb_choose_device(modblas_context *context, const modblas_matrix *C,
                                const modblas_matrix *A, const modblas_matrix *B,
                                mb_device **device)
{
    modblas_status status = MODBLAS_OK;
    *device = &context->device[0];
    /* Where there is no choice, the first job says what is wrong. */
    if (context->device_count == 1)
        return MODBLAS_OK;
    int first = __atomic_fetch_add(&context->next_device, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < context->device_count; i++) {
        *device = &context->device[(unsigned)(first + i) % (unsigned)context->device_count];
        status = mb_locate_all(*device, C, A, B);
        if (status == MODBLAS_OK)
            return MODBLAS_OK;
    }
    return status;
}

modblas_status mb_judge_faults(uint32_t faults, bool swapped)
{
    const char *name = swapped ? "BAC" : "ABC";
    for (int operand = 0; operand < 3; operand++) {
        if (faults & (uint32_t)MB_FAULT_NOTINT << operand)
            return mb_fail(MODBLAS_ENOTINT,
                           "%c has an entry that is not an integer of magnitude at most 2^53",
                           name[operand]);
        if (faults & (uint32_t)MB_FAULT_BOUND << operand)
            return mb_fail(MODBLAS_EBOUND, "%c has an entry beyond its stated bound",
                           name[operand]);
    }
    return MODBLAS_OK;
}
