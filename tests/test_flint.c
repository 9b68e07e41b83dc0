/* SPDX-License-Identifier: BSD-3-Clause */
/* The nmod_mat_t entry point against FLINT's own product. */
#include <stdio.h>

#if MODBLAS_HAVE_FLINT

/* Compiled in: its library would bring a second copy of the core. */
#include "src/flint/nmod_mat.c"

#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static modblas_backend backend[2];
static modblas_context *context;

static void use_backend(int i)
{
    modblas_context_destroy(context);
    context = test_context(backend[i], 2);
}

static void fill(nmod_mat_t M, test_random *random)
{
    for (slong i = 0; i < nmod_mat_nrows(M); i++) {
        for (slong j = 0; j < nmod_mat_ncols(M); j++)
            nmod_mat_entry(M, i, j) = test_below(random, M->mod.n);
    }
}

static void check_product(nmod_mat_t C, nmod_mat_t A, nmod_mat_t B)
{
    nmod_mat_t expected;
    nmod_mat_init(expected, nmod_mat_nrows(A), nmod_mat_ncols(B), C->mod.n);
    nmod_mat_mul(expected, A, B);
    modblas_status status = modblas_nmod_mat_mul(context, C, A, B);
    ck_assert_msg(status == MODBLAS_OK, "%s", modblas_detail());
    ck_assert(nmod_mat_equal(C, expected));
    nmod_mat_clear(expected);
}

START_TEST(products_equal_flint)
{
    use_backend(_i);
    test_random random = {1};
    const slong shapes[][3] = {{1, 1, 1}, {7, 5, 9}, {0, 3, 4},
                               {3, 0, 4}, {3, 4, 0}, {40, 33, 70}};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int s = 0; s < 6 && test_moduli[i] != 0; s++) {
            nmod_mat_t A, B, C;
            nmod_mat_init(A, shapes[s][0], shapes[s][2], test_moduli[i]);
            nmod_mat_init(B, shapes[s][2], shapes[s][1], test_moduli[i]);
            nmod_mat_init(C, shapes[s][0], shapes[s][1], test_moduli[i]);
            fill(A, &random);
            fill(B, &random);
            fill(C, &random);
            check_product(C, A, B);
            nmod_mat_clear(A);
            nmod_mat_clear(B);
            nmod_mat_clear(C);
        }
    }
}
END_TEST

START_TEST(aliases_windows_and_swapped_rows)
{
    use_backend(_i);
    test_random random = {2};
    for (int way = 0; way < 27; way++) {
        nmod_mat_t M[3], window[3];
        for (int x = 0, w = way; x < 3; x++, w /= 3) {
            nmod_mat_init(M[x], 20, 20, 2147483647);
            fill(M[x], &random);
            if (w % 3 == 1)
                nmod_mat_swap_rows(M[x], NULL, 3, 11);
            slong corner = w % 3 == 2 ? 5 : 0;
            nmod_mat_window_init(window[x], M[x], corner, corner, corner + 15, corner + 15);
        }
        nmod_mat_t outside;
        nmod_mat_init_set(outside, M[0]);
        check_product(window[0], window[1], window[2]);
        check_product(window[0], window[0], window[2]);
        check_product(window[0], window[1], window[0]);
        check_product(window[0], window[0], window[0]);
        slong corner = way % 3 == 2 ? 5 : 0;
        for (slong e = 0; e < 400; e++) {
            slong i = e / 20 - corner, j = e % 20 - corner;
            if (i < 0 || i >= 15 || j < 0 || j >= 15)
                ck_assert_uint_eq(nmod_mat_entry(M[0], e / 20, e % 20),
                                  nmod_mat_entry(outside, e / 20, e % 20));
        }
        nmod_mat_clear(outside);
        for (int x = 0; x < 3; x++) {
            nmod_mat_window_clear(window[x]);
            nmod_mat_clear(M[x]);
        }
    }
}
END_TEST

/* A matrix from tests/data, of 512 x 512 little-endian uint32 after a header of 128 bytes. */
static void load(nmod_mat_t M, const char *file)
{
    enum { SIDE = 512, HEADER = 128 };
    static uint32_t entries[SIDE * SIDE];
    FILE *f = fopen(file, "rb");
    ck_assert_msg(f != NULL, "%s", file);
    ck_assert_int_eq(fseek(f, HEADER, SEEK_SET), 0);
    ck_assert_uint_eq(fread(entries, sizeof entries, 1, f), 1);
    fclose(f);
    for (slong e = 0; e < SIDE * SIDE; e++)
        nmod_mat_entry(M, e / SIDE, e % SIDE) = entries[e];
}

/* A^2, A^4, ... A^1024 of the Katsura-9 matrix, in place. */
START_TEST(powers_of_a_real_matrix)
{
    use_backend(_i);
    nmod_mat_t A;
    nmod_mat_init(A, 512, 512, 2147483647);
    load(A, MODBLAS_TEST_DATA "/katsura9_mod2147483647.npy");
    for (int power = 2; power <= 1024; power *= 2)
        check_product(A, A, A);
    ck_assert(!nmod_mat_is_zero(A));
    nmod_mat_clear(A);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    use_backend(_i);
    nmod_mat_t A, B, C;
    nmod_mat_init(A, 3, 4, 7);
    nmod_mat_init(B, 5, 3, 7);
    nmod_mat_init(C, 3, 3, 7);
    ck_assert_int_eq(modblas_nmod_mat_mul(context, C, A, B), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_nmod_mat_mul(NULL, C, C, C), MODBLAS_EINVAL);
    ck_assert_uint_gt(strlen(modblas_detail()), 0);
    nmod_mat_clear(A);
    nmod_mat_clear(B);
    nmod_mat_clear(C);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {products_equal_flint, aliases_windows_and_swapped_rows,
                                  powers_of_a_real_matrix, what_does_not_fit_is_refused};
    int count = test_backends(backend);
    int result = test_main_each("flint", tests, TEST_COUNT(tests), count);
    modblas_context_destroy(context);
    return result;
}

#else

int main(void)
{
    enum { SKIPPED = 77 };
    printf("skipped: built without FLINT\n");
    return SKIPPED;
}

#endif
