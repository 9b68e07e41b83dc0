/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices in NumPy's .npy files, versions 1 to 3: two-dimensional (sizes of 0 are
 * allowed), little-endian, of the ten types, in C or Fortran order. */
#ifndef MB_BENCH_NPY_H
#define MB_BENCH_NPY_H

#include "modblas.h"

/* Reads a matrix; view->data is to be freed by the caller. */
modblas_status mb_npy_read(const char *path, modblas_matrix *view);

/* Writes a view of host memory in C order. */
modblas_status mb_npy_write(const char *path, const modblas_matrix *view);

#endif
