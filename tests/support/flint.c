/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#if MODBLAS_HAVE_FLINT

#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>
#include <stdlib.h>

static void put_nmod(nmod_mat_t out, const modblas_matrix *M, uint64_t N)
{
    nmod_mat_init(out, M->rows, M->cols, N);
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++)
            nmod_mat_entry(out, i, j) = test_residue(test_get(M, i, j), N);
    }
}

static void product_nmod(uint64_t *r, const modblas_matrix *A, const modblas_matrix *B, uint64_t N)
{
    nmod_mat_t a, b, c;
    put_nmod(a, A, N);
    put_nmod(b, B, N);
    nmod_mat_init(c, A->rows, B->cols, N);
    nmod_mat_mul(c, a, b);
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t j = 0; j < B->cols; j++)
            r[i * B->cols + j] = nmod_mat_entry(c, i, j);
    }
    nmod_mat_clear(a);
    nmod_mat_clear(b);
    nmod_mat_clear(c);
}

static void put_fmpz(fmpz_mat_t out, const modblas_matrix *M)
{
    fmpz_mat_init(out, M->rows, M->cols);
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++)
            fmpz_set_ui(fmpz_mat_entry(out, i, j), test_residue(test_get(M, i, j), 0));
    }
}

static void product_fmpz(uint64_t *r, const modblas_matrix *A, const modblas_matrix *B)
{
    fmpz_mat_t a, b, c;
    put_fmpz(a, A);
    put_fmpz(b, B);
    fmpz_mat_init(c, A->rows, B->cols);
    fmpz_mat_mul(c, a, b);
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t j = 0; j < B->cols; j++) {
            fmpz *x = fmpz_mat_entry(c, i, j);
            fmpz_fdiv_r_2exp(x, x, 64);
            r[i * B->cols + j] = fmpz_get_ui(x);
        }
    }
    fmpz_mat_clear(a);
    fmpz_mat_clear(b);
    fmpz_mat_clear(c);
}

uint64_t *test_expected_flint(const modblas_matrix *C, const modblas_matrix *A,
                              const modblas_matrix *B, uint64_t alpha, uint64_t beta, uint64_t N)
{
    uint64_t *r = malloc((size_t)(A->rows * B->cols + 1) * sizeof *r);
    if (r == NULL)
        abort();
    if (N == 0)
        product_fmpz(r, A, B);
    else
        product_nmod(r, A, B, N);
    bool reads = test_residue((test_int)beta, N) != 0;
    for (int64_t i = 0; i < A->rows * B->cols; i++) {
        uint64_t old = reads ? test_residue(test_get(C, i / B->cols, i % B->cols), N) : 0;
        unsigned __int128 x = (unsigned __int128)test_residue((test_int)alpha, N) * r[i];
        unsigned __int128 y = (unsigned __int128)test_residue((test_int)beta, N) * old;
        uint64_t rx = N ? (uint64_t)(x % N) : (uint64_t)x;
        uint64_t ry = N ? (uint64_t)(y % N) : (uint64_t)y;
        unsigned __int128 sum = (unsigned __int128)rx + ry;
        r[i] = N ? (uint64_t)(sum % N) : (uint64_t)sum;
    }
    return r;
}

#endif
