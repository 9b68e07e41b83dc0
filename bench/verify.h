/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of products with what they should be. A difference is EVERIFY, with the first wrong
 * entry as detail. Views are of host memory. */
#ifndef MB_BENCH_VERIFY_H
#define MB_BENCH_VERIFY_H

#include "data.h"

typedef struct mb_product {
    modblas_matrix C, A, B; /* C should be A*B mod N */
    uint64_t N;
} mb_product;

/* True if FLINT multiplies the whole in reasonable time: to check, or as a peer. */
bool mb_whole_is_checked(const mb_product *product);
bool mb_whole_is_timed(const mb_product *product);

/* Compares with FLINT's product; *seconds is what the multiplication took. */
modblas_status mb_verify_whole(const mb_product *product, double *seconds);

/* Compares random rows and columns of C with FLINT's. */
modblas_status mb_verify_blocks(const mb_product *product, mb_random *random);

/* Entries that are equal modulo N. Requires equal sizes. */
modblas_status mb_verify_same(const modblas_matrix *got, const modblas_matrix *expected,
                              uint64_t N);

/* Fills a dense C with a pattern, so that entries left alone are found. */
void mb_poison(const modblas_matrix *C);

#endif
