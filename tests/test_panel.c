/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's products for AVX2 against those in plain C, and INT8 products at their corners. */
#include "src/backend/host_panel.h"
#include "support/random.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MB_HOST_X86

enum { ROWS = MB_PLAIN_ROWS, COLS = MB_PLAIN_COLS, DEPTH = 300, LD = COLS + 3 };

static uint64_t a[ROWS * DEPTH], b[COLS * DEPTH], sum[2][ROWS * LD];

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void fill(uint64_t *words, int count, int kind, test_random *random)
{
    for (int i = 0; i < count; i++) {
        uint64_t x = test_word(random);
        words[i] = kind == 0   ? bits_of((double)(x >> 44))
                   : kind == 1 ? (uint64_t)((int64_t)x >> 33)
                               : x;
    }
}

START_TEST(panels_are_the_same)
{
    test_random random = {1};
    for (int x = 0; x < 3 * 60; x++) {
        const int kind = x % 3;
        const int64_t k = x < 90 ? x / 3 : (int64_t)test_below(&random, DEPTH + 1);
        const mb_fold fold = {((uint64_t)1 << 62) - 1 - (uint64_t)x,
                              1 + (int64_t)test_below(&random, 4)};
        fill(a, ROWS * DEPTH, kind, &random);
        fill(b, COLS * DEPTH, kind, &random);
        fill(sum[0], ROWS * LD, kind, &random);
        memcpy(sum[1], sum[0], sizeof sum[0]);
        if (kind == 0) {
            mb_host_panel_f64(sum[0], LD, a, b, k);
            mb_avx2_panel_f64(sum[1], LD, a, b, k);
        } else if (kind == 1) {
            mb_host_panel_i64(sum[0], LD, a, b, k, &fold);
            mb_avx2_panel_i64(sum[1], LD, a, b, k, &fold);
        } else {
            mb_host_panel_u64(sum[0], LD, a, b, k);
            mb_avx2_panel_u64(sum[1], LD, a, b, k);
        }
        ck_assert_mem_eq(sum[0], sum[1], sizeof sum[0]);
    }
}
END_TEST

/* m, n, k; blocks of rows and of places begin anew at MB_BYTES_LINES and MB_BYTES_DEPTH. */
static void check_bytes(int64_t m, int64_t n, int64_t k, int kind, test_random *random)
{
    const int64_t ld = k + 16, ldc = n + 2;
    static int32_t space[MB_BYTES_LINES * MB_BYTES_DEPTH / 2];
    int8_t *A = malloc((size_t)(m * ld)), *B = malloc((size_t)(n * ld));
    int32_t *C = malloc((size_t)(m * ldc) * sizeof *C);
    for (int64_t i = 0; i < m * ld; i++)
        A[i] = (int8_t)(kind == 0 ? test_word(random) : kind & 1 ? 127 : 128);
    for (int64_t i = 0; i < n * ld; i++)
        B[i] = (int8_t)(kind == 0 ? test_word(random) : kind & 2 ? 127 : 128);
    memset(C, 0x55, (size_t)(m * ldc) * sizeof *C);
    mb_avx2_gemm_i8(space, m, n, k, A, ld, B, ld, C, ldc);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < ldc; j++) {
            int32_t right = 0;
            for (int64_t l = 0; l < k && j < n; l++)
                right += A[i * ld + l] * B[j * ld + l];
            ck_assert_int_eq(C[i * ldc + j], j < n ? right : 0x55555555);
        }
    }
    free(A);
    free(B);
    free(C);
}

START_TEST(bytes_are_exact)
{
    test_random random = {2};
    const int64_t shapes[][3] = {{1, 1, 16},  {4, 16, 32},  {5, 17, 48},     {16, 48, 512},
                                 {3, 7, 528}, {193, 5, 16}, {200, 33, 1040}, {1, 300, 64}};
    for (int x = 0; x < 8 * 5; x++)
        check_bytes(shapes[x % 8][0], shapes[x % 8][1], shapes[x % 8][2], x / 8, &random);
}
END_TEST

#endif

int main(void)
{
#if MB_HOST_X86
    const TTest *const tests[] = {panels_are_the_same, bytes_are_exact};
    if (mb_host_has_avx2())
        return test_main("panel", tests, TEST_COUNT(tests));
#endif
    const int skipped = 77;
    puts("skipped: AVX2 (not on this processor)");
    return skipped;
}
