/* SPDX-License-Identifier: BSD-3-Clause */
/* Views inside larger buffers, so that a write outside the window is seen. */
#ifndef TEST_SUPPORT_CANVAS_H
#define TEST_SUPPORT_CANVAS_H

#include "entry.h"

#include <stdbool.h>

typedef enum test_layout {
    TEST_ROWS,                     /* row-major, dense */
    TEST_COLUMNS,                  /* column-major, dense */
    TEST_PADDED,                   /* row-major, rows further apart */
    TEST_PADDED_COLUMNS,           /* column-major, columns further apart */
    TEST_GAPS,                     /* entries apart in both directions */
    TEST_FLIPPED_ROWS,             /* row-major from the last row up */
    TEST_FLIPPED_COLUMNS,          /* row-major, each row from its end */
    TEST_FLIPPED,                  /* column-major, both strides negative */
    TEST_LAYOUTS,                  /* how many can be written */
    TEST_SAME_ROWS = TEST_LAYOUTS, /* row stride 0 */
    TEST_SAME_COLUMNS,             /* column stride 0 */
    TEST_ONE_ENTRY,                /* both 0 */
    TEST_INPUT_LAYOUTS             /* how many can be read */
} test_layout;

typedef struct test_canvas {
    modblas_matrix view;
    unsigned char *bytes;  /* the buffer, filled with noise */
    unsigned char *before; /* its copy, made by test_canvas_keep */
    size_t size;
} test_canvas;

/* A view of noise with a margin of noise around it. */
void test_canvas_make(test_canvas *canvas, modblas_type type, int64_t rows, int64_t cols,
                      test_layout layout);
void test_canvas_free(test_canvas *canvas);

/* Remembers all bytes. */
void test_canvas_keep(test_canvas *canvas);

/* Puts them back. */
void test_canvas_restore(test_canvas *canvas);

/* True if no byte outside the view changed since test_canvas_keep. */
bool test_canvas_is_intact(const test_canvas *canvas);

/* True if no byte at all did. */
bool test_canvas_is_unchanged(const test_canvas *canvas);

#endif
