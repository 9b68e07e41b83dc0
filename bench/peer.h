/* SPDX-License-Identifier: BSD-3-Clause */
/* What products are compared with. Times are seconds; NAN where a peer does not apply. */
#ifndef MB_BENCH_PEER_H
#define MB_BENCH_PEER_H

#include "src/api.h"
#include "verify.h"

/* Rows or columns by number. */
typedef struct mb_indices {
    int64_t *at;
    int64_t count;
} mb_indices;

/* How many threads FLINT may use. */
void mb_flint_threads(int threads);

/* residues[i*cols->count + j] = sum_l A[rows_i][l] * B[l][cols_j] mod N, by nmod_mat_mul, or
 * fmpz_mat_mul on halves of the words for N = 2^64. Adds the seconds of the multiplication alone.
 * EUNAVAILABLE without FLINT. */
modblas_status mb_flint_multiply(uint64_t *residues, const mb_product *product,
                                 const mb_indices *rows, const mb_indices *cols, double *seconds);

/* The GEMMs of a plan alone, on the workspace as the last run of the plan left it. */
modblas_status mb_time_gemms(modblas_plan *plan, double *seconds, double at_least);

/* Delayed reduction in FP64, without library code (see naive.h); compares with product->C. */
modblas_status mb_time_naive(const modblas_context *context, const mb_product *product,
                             double *seconds, double at_least);

/* The same by so many threads at once: *seconds is the time over the products. On a GPU only. */
modblas_status mb_time_naive_threads(const modblas_context *context, const mb_product *product,
                                     int threads, double *seconds, double at_least);

/* A stream of the context's device, NULL on the host, which lives until the program ends; and
 * waiting for it. */
modblas_status mb_stream_make(const modblas_context *context, void **stream);
modblas_status mb_stream_wait(const modblas_context *context, void *stream);

/* GB/s (read + written) of a copy in the memory of the context's device. */
modblas_status mb_copy_rate(const modblas_context *context, double *gbps);

#endif
