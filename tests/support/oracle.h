/* SPDX-License-Identifier: BSD-3-Clause */
/* What a product must be, computed without the library. */
#ifndef TEST_SUPPORT_ORACLE_H
#define TEST_SUPPORT_ORACLE_H

#include "entry.h"

#include <stdbool.h>

/* The residues of alpha*A*B + beta*C, row-major; C is not read if beta is 0 mod N. The caller
 * frees them. */
uint64_t *test_expected(const modblas_matrix *C, const modblas_matrix *A, const modblas_matrix *B,
                        uint64_t alpha, uint64_t beta, uint64_t N);

/* True if C holds them; else *i, *j is the first entry that differs. */
bool test_holds(const modblas_matrix *C, const uint64_t *expected, uint64_t N, int64_t *i,
                int64_t *j);

#if MODBLAS_HAVE_FLINT
/* The same as test_expected by nmod_mat_mul, or by fmpz_mat_mul for N = 2^64. */
uint64_t *test_expected_flint(const modblas_matrix *C, const modblas_matrix *A,
                              const modblas_matrix *B, uint64_t alpha, uint64_t beta, uint64_t N);
#endif

#endif
