/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of FLINT's matrices by modblas. In a library of its own, so that modblas needs no
 * FLINT. */
#ifndef MODBLAS_FLINT_H
#define MODBLAS_FLINT_H

#include "modblas.h"

#include <flint/flint.h>
#include <flint/nmod_mat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C <- A*B modulo C's modulus: A is m x k, B is k x n, C is m x n. The entries of A and B are
 * taken as integers, whatever their own moduli. Windows, matrices with swapped rows and aliases
 * are allowed. Statuses as modblas_gemm. */
MODBLAS_API modblas_status modblas_nmod_mat_mul(modblas_context *context, nmod_mat_t C,
                                                const nmod_mat_t A, const nmod_mat_t B);

#ifdef __cplusplus
}
#endif

#endif
