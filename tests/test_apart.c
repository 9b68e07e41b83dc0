/* SPDX-License-Identifier: BSD-3-Clause */
/* Which products of a batch are independent. */
#include "src/apart.h"
#include "support/refused.h"
#include "support/suite.h"

#include <stdbool.h>

static uint32_t field[64 * 64];

static modblas_matrix window(int i, int j, int rows, int cols)
{
    return modblas_row_major(&field[i * 64 + j], MODBLAS_U32, rows, cols, 64);
}

static uint32_t apart[16];

static modblas_product product_to(modblas_matrix C)
{
    modblas_product p = {.C = C,
                         .A = modblas_row_major(apart, MODBLAS_U32, C.rows, 1, 0),
                         .B = modblas_row_major(apart, MODBLAS_U32, 1, C.cols, 1),
                         .alpha = 1,
                         .N = 101};
    p.B.col_stride = 0;
    return p;
}

static modblas_status pair(modblas_matrix x, modblas_matrix y)
{
    const modblas_product p[] = {product_to(x), product_to(y)};
    const modblas_product q[] = {p[1], p[0]};
    const modblas_status status = mb_check_apart(p, 2);
    ck_assert_int_eq(mb_check_apart(q, 2), status);
    return status;
}

/* All pairs of windows of a small field, against counting. */
START_TEST(windows_are_told_apart)
{
    enum { SIDE = 4 };
    for (int n = 0; n < 1 << 16; n++) {
        const int i = n & 3, j = n >> 2 & 3, k = n >> 4 & 3, l = n >> 6 & 3;
        const int a = n >> 8 & 3, b = n >> 10 & 3, c = n >> 12 & 3, d = n >> 14 & 3;
        const modblas_matrix x = window(i, j, a + 1, b + 1), y = window(k, l, c + 1, d + 1);
        const bool meet = i <= k + c && k <= i + a && j <= l + d && l <= j + b;
        ck_assert_int_eq(pair(x, y), meet ? MODBLAS_EINVAL : MODBLAS_OK);
        if (n % 3 == 0)
            ck_assert_int_eq(pair(modblas_transpose(x), y), meet ? MODBLAS_EINVAL : MODBLAS_OK);
    }
}
END_TEST

START_TEST(other_distances_are_taken_to_meet)
{
    modblas_matrix narrow = modblas_row_major(field, MODBLAS_U32, 4, 2, 64);
    modblas_matrix other = modblas_row_major(field + 8, MODBLAS_U32, 4, 2, 32);
    ck_assert_int_eq(pair(narrow, other), MODBLAS_EINVAL);
    modblas_matrix flipped = narrow;
    flipped.data = field + 3 * 64;
    flipped.row_stride = -64;
    ck_assert_int_eq(pair(flipped, narrow), MODBLAS_EINVAL);
    flipped.data = field + 3 * 64 + 2;
    ck_assert_int_eq(pair(flipped, narrow), MODBLAS_OK);
    ck_assert_int_eq(pair(modblas_row_major(field, MODBLAS_U8, 1, 9, 9),
                          modblas_row_major(field + 2, MODBLAS_U8, 1, 9, 9)),
                     MODBLAS_EINVAL);
}
END_TEST

/* Many columns of one matrix, in any order; then two of them the same. */
START_TEST(columns_of_one_matrix)
{
    modblas_product p[64];
    for (int i = 0; i < 64; i++)
        p[i] = product_to(window(0, i * 5 % 64, 64, 1));
    ck_assert_int_eq(mb_check_apart(p, 64), MODBLAS_OK);
    p[40].C = window(20, 17, 2, 2);
    REFUSED(EINVAL, mb_check_apart(p, 64));
    ck_assert(strstr(modblas_detail(), "product 40") != NULL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {windows_are_told_apart, other_distances_are_taken_to_meet,
                                  columns_of_one_matrix};
    return test_main("apart", tests, TEST_COUNT(tests));
}
