/* SPDX-License-Identifier: BSD-3-Clause */
/* The GEMMs of one tile and chunk, as jobs: terms with the same k' are one batch. */
#ifndef MB_RUN_GEMMS_H
#define MB_RUN_GEMMS_H

#include "../plan/plan.h"

/* The first job on blocks a and b, whose planes lie at A and B; sums go to C. */
mb_gemm_job mb_gemms_first(const mb_arithmetic *math, const mb_block *a, const mb_block *b,
                           const void *A, const void *B, void *C);

/* Moves on to the next job; its count is 0 after the last. */
void mb_gemms_next(const mb_arithmetic *math, const mb_block *a, mb_gemm_job *job);

#endif
