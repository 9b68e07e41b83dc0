/* SPDX-License-Identifier: BSD-3-Clause */
#include <gmp.h> /* FLINT's headers call it inline */
#include <modblas_flint.h>
#include <stdio.h>

int main(void)
{
    nmod_mat_t A, B, C;
    modblas_context *context = NULL;
    mpz_t z;
    mpz_init(z);
    mpz_clear(z);
    nmod_mat_init(A, 2, 2, 10);
    nmod_mat_init(B, 2, 2, 10);
    nmod_mat_init(C, 2, 2, 10);
    for (int i = 0; i < 4; i++) {
        nmod_mat_entry(A, i / 2, i % 2) = (mp_limb_t)(i + 1);
        nmod_mat_entry(B, i / 2, i % 2) = (mp_limb_t)(i + 5);
    }
    if (modblas_context_create(&context, NULL) || modblas_nmod_mat_mul(context, C, A, B))
        return printf("%s\n", modblas_detail()), 1;
    for (int i = 0; i < 4; i++)
        printf("%d%c", (int)nmod_mat_entry(C, i / 2, i % 2), i < 3 ? ' ' : '\n');
    modblas_context_destroy(context);
    nmod_mat_clear(A);
    nmod_mat_clear(B);
    nmod_mat_clear(C);
    return 0;
}
