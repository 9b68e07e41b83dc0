/* SPDX-License-Identifier: BSD-3-Clause */
/* Views: what they touch, where they lie, and what was wrong with their entries. */
#ifndef MB_RUN_OPERANDS_H
#define MB_RUN_OPERANDS_H

#include "context.h"

int64_t mb_lesser(int64_t x, int64_t y);

/* The rows x cols part of a view that begins at (i, j). */
modblas_matrix mb_window(const modblas_matrix *view, int64_t i, int64_t j, int64_t rows,
                         int64_t cols);

/* True if rows x cols entries of the type are fewer than 2^63 bytes. */
bool mb_size_fits(int64_t rows, int64_t cols, modblas_type type);

/* EINVAL with a sentence that calls the view `name` unless it is a legal one: known type, sizes
 * not negative, data present unless empty, all bytes within the address space. */
modblas_status mb_view_check(const modblas_matrix *view, char name);

/* True if two places of the view are the same entry. */
bool mb_view_overlaps_itself(const modblas_matrix *view);

/* True if the byte ranges of two views meet. */
bool mb_views_overlap(const modblas_matrix *x, const modblas_matrix *y);

/* True if a kernel can read the lines of the view as bytes: along k without gaps, in places that
 * are multiples of 16 bytes. */
bool mb_lies_in_bytes(const modblas_matrix *view);

/* OK if all three views can be used on the device. */
modblas_status mb_locate_all(const mb_device *device, const modblas_matrix *C,
                             const modblas_matrix *A, const modblas_matrix *B);

/* A device of the context on which all three views can be used. */
modblas_status mb_choose_device(modblas_context *context, const modblas_matrix *C,
                                const modblas_matrix *A, const modblas_matrix *B,
                                mb_device **device);

/* The status that fault bits of entries stand for, with a sentence; A and B of a swapped product
 * are the caller's B and A. */
modblas_status mb_judge_faults(uint32_t faults, bool swapped);

#endif
