/* SPDX-License-Identifier: BSD-3-Clause */
#include "canvas.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, APART = 3 }; /* elements */

static void set_strides(modblas_matrix *v, test_layout layout)
{
    int64_t rows = v->rows, cols = v->cols;
    switch (layout) {
    case TEST_ROWS:
    case TEST_FLIPPED_ROWS:
    case TEST_FLIPPED_COLUMNS:
        v->row_stride = layout == TEST_FLIPPED_ROWS ? -cols : cols;
        v->col_stride = layout == TEST_FLIPPED_COLUMNS ? -1 : 1;
        return;
    case TEST_PADDED:
        v->row_stride = cols + APART;
        v->col_stride = 1;
        return;
    case TEST_COLUMNS:
        v->row_stride = 1;
        v->col_stride = rows;
        return;
    case TEST_PADDED_COLUMNS:
        v->row_stride = 1;
        v->col_stride = rows + APART;
        return;
    case TEST_GAPS:
        v->row_stride = 2 * cols + APART;
        v->col_stride = 2;
        return;
    case TEST_FLIPPED:
        v->row_stride = -1;
        v->col_stride = -rows - 1;
        return;
    default:
        v->row_stride = layout == TEST_SAME_COLUMNS ? 1 : 0;
        v->col_stride = layout == TEST_SAME_ROWS ? 1 : 0;
    }
}

/* Elements from the first address of the view to its entry (0, 0), and to its last address. */
static void extent(const modblas_matrix *v, int64_t *before, int64_t *after)
{
    int64_t rows = v->rows > 0 ? v->rows - 1 : 0, cols = v->cols > 0 ? v->cols - 1 : 0;
    int64_t reach[2] = {rows * v->row_stride, cols * v->col_stride};
    *before = *after = 0;
    for (int d = 0; d < 2; d++) {
        *before -= reach[d] < 0 ? reach[d] : 0;
        *after += reach[d] > 0 ? reach[d] : 0;
    }
}

void test_canvas_make(test_canvas *canvas, modblas_type type, int64_t rows, int64_t cols,
                      test_layout layout)
{
    test_random random = {(uint64_t)rows * 1000 + (uint64_t)cols};
    size_t element = test_type_size(type);
    modblas_matrix *v = &canvas->view;
    *v = (modblas_matrix){.type = type, .rows = rows, .cols = cols};
    set_strides(v, layout);
    int64_t before, after;
    extent(v, &before, &after);
    canvas->size = (size_t)(before + after + 1 + 2 * MARGIN) * element;
    canvas->bytes = malloc(canvas->size);
    canvas->before = malloc(canvas->size);
    if (canvas->bytes == NULL || canvas->before == NULL)
        abort();
    for (size_t i = 0; i < canvas->size; i++)
        canvas->bytes[i] = (unsigned char)test_word(&random);
    v->data = canvas->bytes + (size_t)(MARGIN + before) * element;
    test_canvas_keep(canvas);
}

void test_canvas_free(test_canvas *canvas)
{
    free(canvas->bytes);
    free(canvas->before);
    canvas->bytes = canvas->before = NULL;
}

void test_canvas_keep(test_canvas *canvas)
{
    memcpy(canvas->before, canvas->bytes, canvas->size);
}

void test_canvas_restore(test_canvas *canvas)
{
    memcpy(canvas->bytes, canvas->before, canvas->size);
}

bool test_canvas_is_intact(const test_canvas *canvas)
{
    size_t element = test_type_size(canvas->view.type);
    unsigned char *inside = calloc(canvas->size, 1);
    if (inside == NULL)
        abort();
    for (int64_t i = 0; i < canvas->view.rows; i++) {
        for (int64_t j = 0; j < canvas->view.cols; j++)
            memset(inside + ((unsigned char *)test_at(&canvas->view, i, j) - canvas->bytes), 1,
                   element);
    }
    bool intact = true;
    for (size_t i = 0; i < canvas->size; i++)
        intact = intact && (inside[i] || canvas->bytes[i] == canvas->before[i]);
    free(inside);
    return intact;
}

bool test_canvas_is_unchanged(const test_canvas *canvas)
{
    return memcmp(canvas->bytes, canvas->before, canvas->size) == 0;
}
