/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"
#include "peer.h"

#if defined(MODBLAS_HAVE_FLINT)

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>

void mb_flint_threads(int threads)
{
    flint_set_num_threads(threads);
}

static mp_limb_t residue(mb_number x, nmod_t mod)
{
    mp_limb_t r;
    NMOD_RED(r, x.magnitude, mod);
    return x.negative ? nmod_neg(r, mod) : r;
}

static void multiply_nmod(uint64_t *residues, const mb_product *p, const mb_indices *rows,
                          const mb_indices *cols, double *seconds)
{
    nmod_mat_t A, B, C;
    int64_t m = rows->count, n = cols->count, k = p->A.cols;
    nmod_mat_init(A, m, k, p->N);
    nmod_mat_init(B, k, n, p->N);
    nmod_mat_init(C, m, n, p->N);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t l = 0; l < k; l++)
            nmod_mat_entry(A, i, l) = residue(mb_entry_get(&p->A, rows->at[i], l), A->mod);
    }
    for (int64_t l = 0; l < k; l++) {
        for (int64_t j = 0; j < n; j++)
            nmod_mat_entry(B, l, j) = residue(mb_entry_get(&p->B, l, cols->at[j]), B->mod);
    }
    double begin = mb_clock();
    nmod_mat_mul(C, A, B);
    *seconds += mb_clock() - begin;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++)
            residues[i * n + j] = nmod_mat_entry(C, i, j);
    }
    nmod_mat_clear(A);
    nmod_mat_clear(B);
    nmod_mat_clear(C);
}

static void set_integer(fmpz_t z, mb_number x)
{
    fmpz_set_ui(z, x.magnitude);
    if (x.negative)
        fmpz_neg(z, z);
}

static void multiply_fmpz(uint64_t *residues, const mb_product *p, const mb_indices *rows,
                          const mb_indices *cols, double *seconds)
{
    fmpz_mat_t A, B, C;
    int64_t m = rows->count, n = cols->count, k = p->A.cols;
    fmpz_mat_init(A, m, k);
    fmpz_mat_init(B, k, n);
    fmpz_mat_init(C, m, n);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t l = 0; l < k; l++)
            set_integer(fmpz_mat_entry(A, i, l), mb_entry_get(&p->A, rows->at[i], l));
    }
    for (int64_t l = 0; l < k; l++) {
        for (int64_t j = 0; j < n; j++)
            set_integer(fmpz_mat_entry(B, l, j), mb_entry_get(&p->B, l, cols->at[j]));
    }
    double begin = mb_clock();
    fmpz_mat_mul(C, A, B);
    *seconds += mb_clock() - begin;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            fmpz *entry = fmpz_mat_entry(C, i, j);
            fmpz_fdiv_r_2exp(entry, entry, 64);
            residues[i * n + j] = fmpz_get_ui(entry);
        }
    }
    fmpz_mat_clear(A);
    fmpz_mat_clear(B);
    fmpz_mat_clear(C);
}

modblas_status mb_flint_multiply(uint64_t *residues, const mb_product *product,
                                 const mb_indices *rows, const mb_indices *cols, double *seconds)
{
    if (product->N == 0)
        multiply_fmpz(residues, product, rows, cols, seconds);
    else
        multiply_nmod(residues, product, rows, cols, seconds);
    return MODBLAS_OK;
}

#else

void mb_flint_threads(int threads)
{
    (void)threads;
}

modblas_status mb_flint_multiply(uint64_t *residues, const mb_product *product,
                                 const mb_indices *rows, const mb_indices *cols, double *seconds)
{
    (void)residues, (void)product, (void)rows, (void)cols, (void)seconds;
    return mb_fail(MODBLAS_EUNAVAILABLE, "this build has no FLINT");
}

#endif
