/* SPDX-License-Identifier: BSD-3-Clause */
/* INT8 products on CPUs whose INT8 instructions would saturate: bytes are widened to 16 bits, and
 * vpmaddwd adds pairs of their products in 32, which is exact. Blocks of LINES rows of A and
 * panels of COLS columns of B are packed, DEPTH places at a time, as pairs of places. */
#include "host_panel.h"

#if MB_HOST_X86

#include <immintrin.h>

enum { ROWS = 4, COLS = 16, LANES = 8, PARTS = COLS / LANES, STEP = 16, PAIRS = STEP / 2 };
enum { LINES = MB_BYTES_LINES, DEPTH = MB_BYTES_DEPTH };
_Static_assert(DEPTH % STEP == 0 && LINES % ROWS == 0, "blocks are whole");

#define AVX2 __attribute__((target("avx2")))
#define EACH(x, count) _Pragma("GCC unroll 8") for (int x = 0; x < (count); x++)

/* STEP bytes of a line as PAIRS pairs; 0 for a line that is not there. */
AVX2 static inline __m256i widen(const int8_t *line, bool present)
{
    return present ? _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)line))
                   : _mm256_setzero_si256();
}

AVX2 static inline void store(int32_t *at, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)at, v);
}

/* Pairs of ROWS lines: pair p of line r at panel[p*ROWS + r]. */
AVX2 static void pack_rows(int32_t *panel, const int8_t *A, int64_t lda, int64_t rows, int64_t k)
{
    for (int64_t j = 0; j < k; j += STEP, panel += PAIRS * ROWS) {
        __m256i x[ROWS];
        EACH(r, ROWS) x[r] = widen(A + r * lda + j, r < rows);
        const __m256i low01 = _mm256_unpacklo_epi32(x[0], x[1]);
        const __m256i low23 = _mm256_unpacklo_epi32(x[2], x[3]);
        const __m256i high01 = _mm256_unpackhi_epi32(x[0], x[1]);
        const __m256i high23 = _mm256_unpackhi_epi32(x[2], x[3]);
        /* Pairs i and i + 4 of all lines. */
        const __m256i p[4] = {
            _mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23),
            _mm256_unpacklo_epi64(high01, high23), _mm256_unpackhi_epi64(high01, high23)};
        EACH(i, 2)
        {
            store(panel + i * LANES, _mm256_permute2x128_si256(p[2 * i], p[2 * i + 1], 0x20));
            store(panel + (i + 2) * LANES,
                  _mm256_permute2x128_si256(p[2 * i], p[2 * i + 1], 0x31));
        }
    }
}

/* Pairs of LANES lines: pair p of line c at panel[p*COLS + c]. */
AVX2 static void pack_columns(int32_t *panel, const int8_t *B, int64_t ldb, int64_t cols,
                              int64_t k)
{
    for (int64_t j = 0; j < k; j += STEP, panel += PAIRS * COLS) {
        __m256i x[LANES], y[LANES];
        EACH(c, LANES) x[c] = widen(B + c * ldb + j, c < cols);
        EACH(c, LANES / 2)
        {
            y[2 * c] = _mm256_unpacklo_epi32(x[2 * c], x[2 * c + 1]);
            y[2 * c + 1] = _mm256_unpackhi_epi32(x[2 * c], x[2 * c + 1]);
        }
        /* x[4h + i]: pairs i and i + 4 of lines 4h .. 4h + 3. */
        EACH(h, 2)
        {
            x[4 * h] = _mm256_unpacklo_epi64(y[4 * h], y[4 * h + 2]);
            x[4 * h + 1] = _mm256_unpackhi_epi64(y[4 * h], y[4 * h + 2]);
            x[4 * h + 2] = _mm256_unpacklo_epi64(y[4 * h + 1], y[4 * h + 3]);
            x[4 * h + 3] = _mm256_unpackhi_epi64(y[4 * h + 1], y[4 * h + 3]);
        }
        EACH(i, 4)
        {
            store(panel + i * COLS, _mm256_permute2x128_si256(x[i], x[4 + i], 0x20));
            store(panel + (4 + i) * COLS, _mm256_permute2x128_si256(x[i], x[4 + i], 0x31));
        }
    }
}

/* sum[r][c] = sum of both products of all pairs. */
AVX2 static void multiply(int32_t sum[ROWS][COLS], const int32_t *a, const int32_t *b,
                          int64_t pairs)
{
    __m256i s[ROWS][PARTS];
    EACH(r, ROWS) EACH(p, PARTS) s[r][p] = _mm256_setzero_si256();
    for (int64_t l = 0; l < pairs; l++) {
        __m256i y[PARTS];
        EACH(p, PARTS)
        y[p] = _mm256_load_si256((const __m256i *)(const void *)(b + l * COLS + p * LANES));
        EACH(r, ROWS)
        {
            const __m256i x = _mm256_set1_epi32(a[l * ROWS + r]);
            EACH(p, PARTS) s[r][p] = _mm256_add_epi32(s[r][p], _mm256_madd_epi16(x, y[p]));
        }
    }
    EACH(r, ROWS) EACH(p, PARTS) store(&sum[r][p * LANES], s[r][p]);
}

/* Sums that are there, to C or added to it. */
static void put(int32_t *C, int64_t ldc, int32_t sum[ROWS][COLS], int64_t rows, int64_t cols,
                bool first)
{
    for (int64_t r = 0; r < ROWS && r < rows; r++) {
        for (int64_t x = 0; x < cols && first; x++)
            C[r * ldc + x] = sum[r][x];
        for (int64_t x = 0; x < cols && !first; x++)
            C[r * ldc + x] += sum[r][x];
    }
}

/* A block of rows that is packed, times all columns. */
static void multiply_block(const int32_t *a, int64_t rows, int64_t n, int64_t depth,
                           const int8_t *B, int64_t ldb, int32_t *C, int64_t ldc, bool first)
{
    _Alignas(64) int32_t b[DEPTH / 2 * COLS];
    int32_t sum[ROWS][COLS];
    for (int64_t c = 0; c < n; c += COLS) {
        const int64_t cols = n - c < COLS ? n - c : COLS;
        for (int h = 0; h < PARTS; h++)
            pack_columns(b + h * LANES, B + (c + h * LANES) * ldb, ldb, cols - h * LANES, depth);
        for (int64_t i = 0; i < rows; i += ROWS) {
            multiply(sum, a + i * (depth / 2), b, depth / 2);
            put(C + i * ldc + c, ldc, sum, rows - i, cols, first);
        }
    }
}

void mb_avx2_gemm_i8(int32_t *space, int64_t m, int64_t n, int64_t k, const int8_t *A, int64_t lda,
                     const int8_t *B, int64_t ldb, int32_t *C, int64_t ldc)
{
    for (int64_t i = 0; i < m; i += LINES) {
        const int64_t rows = m - i < LINES ? m - i : LINES;
        for (int64_t j = 0; j < k; j += DEPTH) {
            const int64_t depth = k - j < DEPTH ? k - j : DEPTH;
            for (int64_t r = 0; r < rows; r += ROWS)
                pack_rows(space + r * (depth / 2), A + (i + r) * lda + j, lda, rows - r, depth);
            multiply_block(space, rows, n, depth, B + j, ldb, C + i * ldc, ldc, j == 0);
        }
    }
}

#endif
