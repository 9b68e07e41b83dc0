/* SPDX-License-Identifier: BSD-3-Clause */
#include "modblas_flint.h"

#include <stdbool.h>

/* The view of a matrix whose rows lie at equal distances; false if they do not (rows that were
 * swapped). Rows are found by nmod_mat_entry_ptr, which every version of FLINT has. */
static bool view_of(modblas_matrix *view, const nmod_mat_t M)
{
    int64_t rows = nmod_mat_nrows(M), cols = nmod_mat_ncols(M), ld = cols;
    *view = modblas_row_major(NULL, MODBLAS_U64, rows, cols, ld);
    if (rows == 0 || cols == 0)
        return true;
    const mp_limb_t *first = nmod_mat_entry_ptr(M, 0, 0);
    ld = rows > 1 ? nmod_mat_entry_ptr(M, 1, 0) - first : cols;
    for (int64_t i = 2; i < rows; i++) {
        if (nmod_mat_entry_ptr(M, i, 0) - first != i * ld)
            return false;
    }
    *view = modblas_row_major(first, MODBLAS_U64, rows, cols, ld);
    return true;
}

/* A view of M, or of a copy in *copy with its rows in order. */
static modblas_matrix view_or_copy(nmod_mat_t copy, bool *copied, const nmod_mat_t M)
{
    modblas_matrix view;
    *copied = !view_of(&view, M);
    if (*copied) {
        nmod_mat_init_set(copy, M);
        (void)view_of(&view, copy);
    }
    return view;
}

modblas_status modblas_nmod_mat_mul(modblas_context *context, nmod_mat_t C, const nmod_mat_t A,
                                    const nmod_mat_t B)
{
    nmod_mat_t copy[3];
    bool copied[3];
    modblas_matrix a = view_or_copy(copy[0], &copied[0], A);
    modblas_matrix b = view_or_copy(copy[1], &copied[1], B);
    modblas_matrix c = view_or_copy(copy[2], &copied[2], C);
    modblas_status status = modblas_gemm(context, &c, &a, &b, 1, 0, C->mod.n);
    if (copied[2] && status == MODBLAS_OK)
        nmod_mat_set(C, copy[2]);
    for (int i = 0; i < 3; i++) {
        if (copied[i])
            nmod_mat_clear(copy[i]);
    }
    return status;
}
