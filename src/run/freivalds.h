/* SPDX-License-Identifier: BSD-3-Clause */
/* Freivalds' check of C = alpha*A*B + beta*C0 mod N: with random vectors x, uniform mod N,
 * compares C x with alpha A(B x)
 * + beta C0 x, and sees that C holds residues. One round misses a wrong product with probability
 * at most 1/p, p the least prime factor of N. Source: R. Freivalds, "Probabilistic machines can
 * use less running time", IFIP 1977. */
#ifndef MB_RUN_FREIVALDS_H
#define MB_RUN_FREIVALDS_H

#include "context.h"

/* Rounds for a miss probability below 2^-40. */
int mb_freivalds_rounds(uint64_t N);

typedef struct mb_freivalds mb_freivalds;

/* Before the product: everything that depends on A, B and the old C. alpha and beta are residues.
 */
modblas_status mb_freivalds_before(mb_freivalds **check, modblas_context *context,
                                   mb_device *device, const modblas_matrix *C,
                                   const modblas_matrix *A, const modblas_matrix *B,
                                   uint64_t alpha, uint64_t beta, uint64_t N);

/* After it: EVERIFY with the first wrong row if C is wrong. */
modblas_status mb_freivalds_after(mb_freivalds *check, const modblas_matrix *C);

/* NULL is allowed. */
void mb_freivalds_free(mb_freivalds *check);

#endif
