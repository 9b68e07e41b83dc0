/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <stdlib.h>

typedef unsigned __int128 test_uint;

static uint64_t mod(test_uint x, uint64_t N)
{
    return N == 0 ? (uint64_t)x : (uint64_t)(x % N);
}

static uint64_t times(uint64_t x, uint64_t y, uint64_t N)
{
    return mod((test_uint)x * y, N);
}

static uint64_t plus(uint64_t x, uint64_t y, uint64_t N)
{
    return mod((test_uint)x + y, N);
}

/* Residues of M, row-major, or of its transpose. */
static uint64_t *residues(const modblas_matrix *M, uint64_t N, bool transposed)
{
    modblas_matrix v = transposed ? modblas_transpose(*M) : *M;
    uint64_t *r = malloc((size_t)(v.rows * v.cols + 1) * sizeof *r);
    if (r == NULL)
        abort();
    for (int64_t i = 0; i < v.rows; i++) {
        for (int64_t j = 0; j < v.cols; j++)
            r[i * v.cols + j] = test_residue(test_get(&v, i, j), N);
    }
    return r;
}

/* Sums of 128-bit products with the carries counted: one division a sum. */
static uint64_t dot(const uint64_t *a, const uint64_t *b, int64_t k, uint64_t N)
{
    test_uint sum = 0;
    uint64_t carries = 0;
    for (int64_t l = 0; l < k; l++) {
        test_uint p = (test_uint)a[l] * b[l];
        sum += p;
        carries += sum < p;
    }
    uint64_t two64 = mod((test_uint)1 << 64, N);
    uint64_t wrapped = times(mod(carries, N), times(two64, two64, N), N);
    return plus(mod(sum, N), wrapped, N);
}

uint64_t *test_expected(const modblas_matrix *C, const modblas_matrix *A, const modblas_matrix *B,
                        uint64_t alpha, uint64_t beta, uint64_t N)
{
    int64_t n = B->cols, k = A->cols;
    uint64_t *a = residues(A, N, false), *b = residues(B, N, true);
    uint64_t *r = malloc((size_t)(A->rows * n + 1) * sizeof *r);
    if (r == NULL)
        abort();
    alpha = mod(alpha, N);
    beta = mod(beta, N);
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t j = 0; j < n; j++) {
            uint64_t old = beta == 0 ? 0 : test_residue(test_get(C, i, j), N);
            uint64_t x = dot(a + i * k, b + j * k, k, N);
            r[i * n + j] = plus(times(alpha, x, N), times(beta, old, N), N);
        }
    }
    free(a);
    free(b);
    return r;
}

bool test_holds(const modblas_matrix *C, const uint64_t *expected, uint64_t N, int64_t *i,
                int64_t *j)
{
    for (*i = 0; *i < C->rows; ++*i) {
        for (*j = 0; *j < C->cols; ++*j) {
            uint64_t r = expected[*i * C->cols + *j];
            if (test_get(C, *i, *j) != test_stored(r, C->type, N))
                return false;
        }
    }
    return true;
}
