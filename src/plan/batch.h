/* SPDX-License-Identifier: BSD-3-Clause */
/* Which products of a batch are fused, and their constants. */
#ifndef MB_PLAN_BATCH_H
#define MB_PLAN_BATCH_H

#include "../../kernels/batch.h"
#include "plan.h"

/* The arithmetic of a fused product: balanced digits of 8 bits, as many of A as of B. */
typedef struct mb_batch_math {
    mb_entries a, b;
    int digits; /* 1, 2, 4 or 8, the kernels there are */
} mb_batch_math;

/* The arithmetic for entries of these types modulo N. */
mb_batch_math mb_batch_math_of(modblas_type a, modblas_type b, uint64_t N);

/* True if sums of k products of digits are exact, and weighed as the kernel weighs them. */
bool mb_batch_is_exact(const mb_batch_math *math, int64_t k);

/* True if the product is so small that fusing pays. */
bool mb_batch_pays(int64_t m, int64_t n, int digits);

/* The constants; alpha is a residue. */
mb_batch_rule mb_batch_rule_of(const mb_batch_math *math, uint64_t N, uint64_t alpha);

#endif
