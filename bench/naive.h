/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers that need a GPU, in a module opened at run time: libmodblas_bench_cuda.so. No library
 * code takes part. Each returns 0, or another number with a sentence in error. */
#ifndef MB_BENCH_NAIVE_H
#define MB_BENCH_NAIVE_H

#include <stddef.h>
#include <stdint.h>

enum { MB_NAIVE_ERROR_SIZE = 200 };

/* Algorithm 1 of J. Berthomieu, S. Graillat, D. Lesnoff, T. Mary, "Modular matrix multiplication
 * on GPU for polynomial system solving", ACM Communications in Computer Algebra 57 (2023): with
 * residues in [0, p) as doubles, sums of `lambda` products and a reduced sum are exact, so C is
 * reduced after each block of lambda. Row-major, dense, in host memory. */
typedef struct mb_naive_job {
    int64_t m, n, k;
    const double *A, *B;
    double *C;
    uint64_t p;
    int64_t lambda;
    double at_least; /* repeat for so many seconds */
    double seconds;  /* out: the least of the runs, on device-resident data */
} mb_naive_job;

typedef struct mb_cuda_peers {
    int (*naive)(int device, mb_naive_job *job, char error[MB_NAIVE_ERROR_SIZE]);
    /* Bytes a second, read + written, of copies of `bytes` bytes. */
    int (*copy)(int device, size_t bytes, double *rate, char error[MB_NAIVE_ERROR_SIZE]);
    /* The same job by so many threads, each with a stream, a handle and operands, waiting for each
     * product; `seconds` is the time over the products. */
    int (*naive_threads)(int device, mb_naive_job *job, int threads,
                         char error[MB_NAIVE_ERROR_SIZE]);
    /* A stream of a caller's, and its end. */
    int (*stream)(int device, void **stream, char error[MB_NAIVE_ERROR_SIZE]);
    int (*wait)(void *stream, char error[MB_NAIVE_ERROR_SIZE]);
} mb_cuda_peers;

typedef const mb_cuda_peers *mb_cuda_peers_fn(void);
#define MB_CUDA_PEERS_ENTRY "mb_cuda_peers_table"

#endif
