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

/* Lines of an operand along k. */
typedef struct {
    modblas_matrix view;
    const mb_indices *lines;
} side;

/* The block of C, or its transpose: FLINT's products of few rows with many columns take six to
 * eight times as long as those of many rows with few columns. */
typedef struct {
    side tall, wide;
    bool transposed;
    int64_t m, n, k; /* lines of tall, lines of wide */
} block;

static block make_block(const mb_product *p, const mb_indices *rows, const mb_indices *cols)
{
    side a = {p->A, rows}, b = {modblas_transpose(p->B), cols};
    bool swap = rows->count < cols->count;
    block result = {swap ? b : a, swap ? a : b, swap, 0, 0, p->A.cols};
    result.m = result.tall.lines->count;
    result.n = result.wide.lines->count;
    return result;
}

static mb_number entry(const side *s, int64_t line, int64_t l)
{
    return mb_entry_get(&s->view, s->lines->at[line], l);
}

static uint64_t *place(uint64_t *residues, const block *b, int64_t i, int64_t j)
{
    return &residues[b->transposed ? j * b->m + i : i * b->n + j];
}

static mp_limb_t residue(mb_number x, nmod_t mod)
{
    /* NMOD_RED shifts an int too far. */
    mp_limb_t r = n_mod2_preinv(x.magnitude, mod.n, mod.ninv);
    return x.negative ? nmod_neg(r, mod) : r;
}

static void multiply_nmod(uint64_t *residues, const block *b, uint64_t N, double *seconds)
{
    nmod_mat_t A, B, C;
    nmod_mat_init(A, b->m, b->k, N);
    nmod_mat_init(B, b->k, b->n, N);
    nmod_mat_init(C, b->m, b->n, N);
    for (int64_t l = 0; l < b->k; l++) {
        for (int64_t i = 0; i < b->m; i++)
            nmod_mat_entry(A, i, l) = residue(entry(&b->tall, i, l), A->mod);
        for (int64_t j = 0; j < b->n; j++)
            nmod_mat_entry(B, l, j) = residue(entry(&b->wide, j, l), B->mod);
    }
    double begin = mb_clock();
    nmod_mat_mul(C, A, B);
    *seconds += mb_clock() - begin;
    for (int64_t i = 0; i < b->m; i++) {
        for (int64_t j = 0; j < b->n; j++)
            *place(residues, b, i, j) = nmod_mat_entry(C, i, j);
    }
    nmod_mat_clear(A);
    nmod_mat_clear(B);
    nmod_mat_clear(C);
}

/* Half 0 or 1 of the entry mod 2^64. */
static uint64_t half_of(mb_number x, int half)
{
    uint64_t word = x.negative ? 0 - x.magnitude : x.magnitude;
    return half ? word >> 32 : word & UINT32_MAX;
}

/* Adds 2^(32(s+t)) times the product of halves s and t. */
static void add_halves(uint64_t *residues, const block *b, int s, int t, double *seconds)
{
    fmpz_mat_t A, B, C;
    fmpz_mat_init(A, b->m, b->k);
    fmpz_mat_init(B, b->k, b->n);
    fmpz_mat_init(C, b->m, b->n);
    for (int64_t l = 0; l < b->k; l++) {
        for (int64_t i = 0; i < b->m; i++)
            fmpz_set_ui(fmpz_mat_entry(A, i, l), half_of(entry(&b->tall, i, l), s));
        for (int64_t j = 0; j < b->n; j++)
            fmpz_set_ui(fmpz_mat_entry(B, l, j), half_of(entry(&b->wide, j, l), t));
    }
    double begin = mb_clock();
    fmpz_mat_mul(C, A, B);
    *seconds += mb_clock() - begin;
    for (int64_t i = 0; i < b->m; i++) {
        for (int64_t j = 0; j < b->n; j++) {
            fmpz *sum = fmpz_mat_entry(C, i, j);
            fmpz_fdiv_r_2exp(sum, sum, 64);
            *place(residues, b, i, j) += fmpz_get_ui(sum) << (32 * (s + t));
        }
    }
    fmpz_mat_clear(A);
    fmpz_mat_clear(B);
    fmpz_mat_clear(C);
}

/* By halves: entries above 2^62 would each be an allocation of FLINT's, and the whole slower. */
static void multiply_words(uint64_t *residues, const block *b, double *seconds)
{
    for (int64_t i = 0; i < b->m * b->n; i++)
        residues[i] = 0;
    add_halves(residues, b, 0, 0, seconds);
    add_halves(residues, b, 0, 1, seconds);
    add_halves(residues, b, 1, 0, seconds);
}

modblas_status mb_flint_multiply(uint64_t *residues, const mb_product *product,
                                 const mb_indices *rows, const mb_indices *cols, double *seconds)
{
    block b = make_block(product, rows, cols);
    if (product->N == 0)
        multiply_words(residues, &b, seconds);
    else
        multiply_nmod(residues, &b, product->N, seconds);
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
