/* SPDX-License-Identifier: BSD-3-Clause */
#include "apart.h"

#include "exact/type.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

/* Bytes [begin, begin + width) and so on, `lines` times, `pitch` apart. */
typedef struct {
    uintptr_t begin, end; /* of all lines */
    uint64_t width, pitch;
    int64_t lines; /* 0: nothing */
    int64_t index; /* of the product */
} area;

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* Views are checked: everything fits the address space. Lines go along the smaller stride; a
 * single row or column is one line if its entries are neighbours, else each entry is a line. */
static area area_of(const modblas_matrix *M, int64_t index)
{
    area a = {.index = index};
    if (M->rows == 0 || M->cols == 0)
        return a;
    const uint64_t size = mb_type_size(M->type);
    const uint64_t down = magnitude(M->row_stride) * size, right = magnitude(M->col_stride) * size;
    const uint64_t rows = down * (uint64_t)(M->rows - 1), cols = right * (uint64_t)(M->cols - 1);
    a.begin = (uintptr_t)M->data - (M->row_stride < 0 ? rows : 0) - (M->col_stride < 0 ? cols : 0);
    a.end = a.begin + rows + cols + size;
    bool along_rows = right <= down;
    if (M->rows == 1 || M->cols == 1)
        along_rows = M->rows == 1 ? M->cols == 1 || right == size : down != size;
    a.width = (along_rows ? cols : rows) + size;
    a.pitch = along_rows ? down : right;
    a.lines = along_rows ? M->rows : M->cols;
    return a;
}

static bool meet(const area *x, const area *y)
{
    return x->lines > 0 && y->lines > 0 && x->begin < y->end && y->begin < x->end;
}

/* Lines r of x and s of y meet if -y.width < (r - s) pitch - d < x.width, d = y.begin - x.begin.
 * With d = q pitch + t: r - s = q if t < x.width, or q + 1 if pitch - t < y.width. */
static bool lines_meet(const area *x, const area *y, uint64_t pitch)
{
    if (x->begin > y->begin) {
        const area *z = x;
        x = y;
        y = z;
    }
    const uint64_t d = y->begin - x->begin;
    const int64_t q = (int64_t)(d / pitch);
    const uint64_t t = d % pitch;
    return (t < x->width && q < x->lines) || (pitch - t < y->width && q + 1 < x->lines);
}

/* The distance between lines that both can be seen to have; 0: none. A single line goes with any
 * that is not shorter than the line. */
static uint64_t common_pitch(const area *x, const area *y)
{
    const uint64_t pitch = x->lines > 1 ? x->pitch : y->lines > 1 ? y->pitch : 0;
    const bool same = x->lines == 1 || y->lines == 1 || x->pitch == y->pitch;
    return same && x->width <= pitch && y->width <= pitch ? pitch : 0;
}

static bool share(const area *x, const area *y)
{
    if (!meet(x, y))
        return false;
    const uint64_t pitch = common_pitch(x, y);
    return pitch == 0 || lines_meet(x, y, pitch);
}

static modblas_status refuse(const area *C, const area *other, const char *what)
{
    return mb_fail(MODBLAS_EINVAL,
                   "C of product %" PRId64 " overlaps %s of product %" PRId64
                   "; products of a batch are independent",
                   C->index, what, other->index);
}

static int by_begin(const void *x, const void *y)
{
    const area *a = x, *b = y;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* ---- Cs against each other ------------------------------------------------------------------ */

/* Of areas of one pitch each is a strip of columns, modulo the pitch, from a first line on. */
typedef struct {
    uint64_t from, to; /* columns, in bytes */
    int64_t first, last;
    const area *area;
} strip;

static int by_column(const void *x, const void *y)
{
    const strip *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The strips of a cluster, cut where a line wraps round the pitch. */
static int64_t make_strips(strip *out, const area *a, int64_t count, uint64_t pitch)
{
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t d = a[i].begin - a[0].begin, from = d % pitch, to = from + a[i].width;
        const int64_t first = (int64_t)(d / pitch), last = first + a[i].lines - 1;
        out[made++] = (strip){from, to < pitch ? to : pitch, first, last, &a[i]};
        if (to > pitch)
            out[made++] = (strip){0, to - pitch, first + 1, last + 1, &a[i]};
    }
    return made;
}

/* All pairs of strips that share columns are looked at: of windows side by side there are none. */
static modblas_status check_strips(strip *s, int64_t count)
{
    qsort(s, (size_t)count, sizeof *s, by_column);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i + 1; j < count && s[j].from < s[i].to; j++) {
            if (s[i].first <= s[j].last && s[j].first <= s[i].last)
                return refuse(s[i].area, s[j].area, "that");
        }
    return MODBLAS_OK;
}

/* Areas whose ranges hang together, in the order of their beginnings. */
static modblas_status check_cluster(const area *a, int64_t count)
{
    uint64_t pitch = 0;
    const area *far = &a[0];
    for (int64_t i = 1; i < count; i++) {
        const uint64_t common = common_pitch(far, &a[i]);
        if (common == 0 || (pitch != 0 && common != pitch))
            return refuse(far, &a[i], "that");
        pitch = common;
        far = a[i].end > far->end ? &a[i] : far;
    }
    strip *s = malloc((size_t)count * 2 * sizeof *s);
    if (s == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to see that products are independent");
    modblas_status status = check_strips(s, make_strips(s, a, count, pitch));
    free(s);
    return status;
}

/* C: sorted by their beginnings. */
static modblas_status check_outputs(const area *C, int64_t count)
{
    modblas_status status = MODBLAS_OK;
    int64_t begin = 0;
    uintptr_t end = count > 0 ? C[0].end : 0;
    for (int64_t i = 1; i <= count; i++) {
        if (i < count && C[i].begin < end) {
            end = C[i].end > end ? C[i].end : end;
            continue;
        }
        if (i - begin > 1)
            MB_TRY(check_cluster(C + begin, i - begin));
        begin = i;
        end = i < count ? C[i].end : 0;
    }
fail:
    return status;
}

/* ---- Cs against inputs ---------------------------------------------------------------------- */

/* Outputs in the order of their beginnings, and how far those up to each reach. */
typedef struct {
    const area *C;
    uintptr_t *reach;
    int64_t count;
    int64_t near; /* where the last search ended: inputs often come in the same order */
} outputs;

/* The first C that is not wholly before p. reach only grows. */
static int64_t first_beyond(outputs *o, uintptr_t p)
{
    const int64_t n = o->near;
    if (n < o->count && o->reach[n] > p && (n == 0 || o->reach[n - 1] <= p))
        return n;
    int64_t low = 0, high = o->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (o->reach[middle] > p)
            high = middle;
        else
            low = middle + 1;
    }
    o->near = low;
    return low;
}

static modblas_status check_input(outputs *o, const area *in, const char *name)
{
    if (in->lines == 0)
        return MODBLAS_OK;
    for (int64_t i = first_beyond(o, in->begin); i < o->count && o->C[i].begin < in->end; i++) {
        if (o->C[i].index != in->index && share(&o->C[i], in))
            return refuse(&o->C[i], in, name);
    }
    return MODBLAS_OK;
}

static modblas_status check_inputs(outputs *o, const modblas_product *product, int64_t count)
{
    modblas_status status = MODBLAS_OK;
    if (o->count == 0)
        return MODBLAS_OK;
    const uintptr_t begin = o->C[0].begin, end = o->reach[o->count - 1];
    for (int64_t i = 0; i < count; i++) {
        const area a = area_of(&product[i].A, i), b = area_of(&product[i].B, i);
        if (a.begin < end && begin < a.end)
            MB_TRY(check_input(o, &a, "A"));
        if (b.begin < end && begin < b.end)
            MB_TRY(check_input(o, &b, "B"));
    }
fail:
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Areas of the Cs that are not empty, sorted; returns their number. */
static int64_t sort_outputs(area *C, const modblas_product *product, int64_t count)
{
    int64_t filled = 0;
    bool sorted = true;
    for (int64_t i = 0; i < count; i++) {
        C[filled] = area_of(&product[i].C, i);
        sorted = sorted && (filled == 0 || C[filled - 1].begin <= C[filled].begin);
        filled += C[filled].lines > 0;
    }
    if (!sorted)
        qsort(C, (size_t)filled, sizeof *C, by_begin);
    return filled;
}

modblas_status mb_check_apart(const modblas_product *product, int64_t count)
{
    modblas_status status = MODBLAS_OK;
    area *C = calloc((size_t)count, sizeof *C);
    uintptr_t *reach = calloc((size_t)count, sizeof *reach);
    if (C == NULL || reach == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory to see that products are independent"));
    outputs o = {.C = C, .reach = reach, .count = sort_outputs(C, product, count)};
    for (int64_t i = 0; i < o.count; i++)
        reach[i] = i > 0 && reach[i - 1] > C[i].end ? reach[i - 1] : C[i].end;
    MB_TRY(check_outputs(C, o.count));
    MB_TRY(check_inputs(&o, product, count));
fail:
    free(reach);
    free(C);
    return status;
}
