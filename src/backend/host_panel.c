/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a panel of rows and a panel of columns, whose places of k lie one after another. In
 * plain C, and again for AVX2 where the compiler would not find its integer products. */
#include "host_panel.h"

#if MB_HOST_X86
#include <immintrin.h>
#endif

enum { ROWS = MB_PLAIN_ROWS, COLS = MB_PLAIN_COLS, LANES = 4, PARTS = COLS / LANES };
_Static_assert((int)ROWS == (int)MB_DIGIT_LANES, "digits of rows and of columns lie alike");

static const double two_52 = 4503599627370496.0;

/* Panels are written as words. */
typedef double real __attribute__((may_alias));
typedef double doubles __attribute__((vector_size(8 * LANES), may_alias));
typedef uint64_t words __attribute__((vector_size(8 * LANES), may_alias));

static mb_u128 words_of(unsigned __int128 v)
{
    return (mb_u128){(uint64_t)v, (uint64_t)(v >> 64)};
}

/* ---- sums that are carried on --------------------------------------------------------------- */

void mb_host_panel_f64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b, int64_t k)
{
    for (int r = 0; r < ROWS; r++) {
        real *s = (real *)(sum + r * ld);
        for (int64_t l = 0; l < k; l++)
            for (int c = 0; c < COLS; c++)
                s[c] += ((const real *)a)[l * ROWS + r] * ((const real *)b)[l * COLS + c];
    }
}

void mb_host_panel_u64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b, int64_t k)
{
    for (int r = 0; r < ROWS; r++)
        for (int64_t l = 0; l < k; l++)
            for (int c = 0; c < COLS; c++)
                sum[r * ld + c] += a[l * ROWS + r] * b[l * COLS + c];
}

void mb_host_panel_i64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b, int64_t k,
                       const mb_fold *fold)
{
    int64_t next;
    for (int64_t l = 0; l < k; l = next) {
        next = fold->every < k - l ? l + fold->every : k;
        mb_host_panel_u64(sum, ld, a + l * ROWS, b + l * COLS, next - l);
        for (int x = 0; x < ROWS * COLS; x++) {
            uint64_t *s = &sum[x / COLS * ld + x % COLS];
            *s += (int64_t)*s < 0 ? fold->by : 0 - fold->by;
        }
    }
}

#if MB_HOST_X86

#define AVX2 __attribute__((target("avx2,fma")))
#define EACH_SUM                                                                                  \
    _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++)                                        \
        _Pragma("GCC unroll 2") for (int p = 0; p < PARTS; p++)

AVX2 static inline __m256i load(const uint64_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

AVX2 static inline void store(uint64_t *at, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)at, v);
}

AVX2 static inline __m256i spread(uint64_t v)
{
    return _mm256_set1_epi64x((int64_t)v);
}

AVX2 void mb_avx2_panel_f64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b,
                            int64_t k)
{
    __m256d s[ROWS][PARTS];
    EACH_SUM s[r][p] = _mm256_castsi256_pd(load(sum + r * ld + p * LANES));
    for (int64_t l = 0; l < k; l++) {
        const __m256d x[PARTS] = {_mm256_castsi256_pd(load(b + l * COLS)),
                                  _mm256_castsi256_pd(load(b + l * COLS + LANES))};
        EACH_SUM s[r][p] =
            _mm256_fmadd_pd(_mm256_castsi256_pd(spread(a[l * ROWS + r])), x[p], s[r][p]);
    }
    EACH_SUM store(sum + r * ld + p * LANES, _mm256_castpd_si256(s[r][p]));
}

AVX2 void mb_avx2_panel_i64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b,
                            int64_t k, const mb_fold *fold)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i by = spread(fold->by), twice = spread(2 * fold->by);
    __m256i s[ROWS][PARTS];
    EACH_SUM s[r][p] = load(sum + r * ld + p * LANES);
    for (int64_t l = 0; l < k;) {
        const int64_t next = fold->every < k - l ? l + fold->every : k;
        for (; l < next; l++) {
            const __m256i x[PARTS] = {load(b + l * COLS), load(b + l * COLS + LANES)};
            EACH_SUM s[r][p] =
                _mm256_add_epi64(s[r][p], _mm256_mul_epi32(spread(a[l * ROWS + r]), x[p]));
        }
        EACH_SUM
        {
            const __m256i below = _mm256_and_si256(_mm256_cmpgt_epi64(zero, s[r][p]), twice);
            s[r][p] = _mm256_add_epi64(_mm256_sub_epi64(s[r][p], by), below);
        }
    }
    EACH_SUM store(sum + r * ld + p * LANES, s[r][p]);
}

/* Low halves and the two crossed products are summed apart: those weigh 2^32. */
AVX2 void mb_avx2_panel_u64(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b,
                            int64_t k)
{
    for (int p = 0; p < PARTS; p++, sum += LANES, b += LANES) {
        __m256i low[ROWS], crossed[ROWS];
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++) {
            low[r] = load(sum + r * ld);
            crossed[r] = _mm256_setzero_si256();
        }
        for (int64_t l = 0; l < k; l++) {
            const __m256i y = load(b + l * COLS), y_high = _mm256_srli_epi64(y, 32);
#pragma GCC unroll 4
            for (int r = 0; r < ROWS; r++) {
                const uint64_t v = a[l * ROWS + r];
                const __m256i x = spread(v), x_high = spread(v >> 32);
                low[r] = _mm256_add_epi64(low[r], _mm256_mul_epu32(x, y));
                crossed[r] = _mm256_add_epi64(crossed[r], _mm256_mul_epu32(x_high, y));
                crossed[r] = _mm256_add_epi64(crossed[r], _mm256_mul_epu32(x, y_high));
            }
        }
#pragma GCC unroll 4
        for (int r = 0; r < ROWS; r++)
            store(sum + r * ld, _mm256_add_epi64(low[r], _mm256_slli_epi64(crossed[r], 32)));
    }
}

bool mb_host_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#else

bool mb_host_has_avx2(void)
{
    return false;
}

#endif

/* ---- sums that are reduced ------------------------------------------------------------------ */

/* Low and high halves of the products are summed apart. */
MB_MANY_TARGETS static void panel_halves(uint64_t *residue, const uint64_t *a, const uint64_t *b,
                                         int64_t k, const mb_mod *mod)
{
    for (int r = 0; r < ROWS; r++) {
        words lo[PARTS], hi[PARTS];
        for (int p = 0; p < PARTS; p++)
            lo[p] = hi[p] = (words){0};
        for (int64_t l = 0; l < k; l++) {
            const words *x = (const words *)(b + l * COLS);
            for (int p = 0; p < PARTS; p++) {
                words product = a[l * ROWS + r] * x[p];
                lo[p] += product & UINT32_MAX;
                hi[p] += product >> 32;
            }
        }
        for (int c = 0; c < COLS; c++) {
            unsigned __int128 all = (unsigned __int128)hi[c / LANES][c % LANES] << 32;
            all += lo[c / LANES][c % LANES];
            residue[r * COLS + c] = mb_reduce128(words_of(all), mod);
        }
    }
}

/* Products of MB_DIGITS digits by MB_DIGITS, of a row and LANES columns: each has its own sums,
 * which start at 2^52 and end below 2^53, so that their last 52 bits hold what was added.
 * all[i + j] is what digit i of a times digit j of b adds up to. */
static inline void sum_digits(words all[2 * MB_DIGITS - 1], const real *a, const real *b,
                              int64_t k)
{
    const doubles start = {two_52, two_52, two_52, two_52};
    doubles s[MB_DIGITS][MB_DIGITS];
    for (int i = 0; i < MB_DIGITS; i++)
        for (int j = 0; j < MB_DIGITS; j++)
            s[i][j] = start;
    for (int64_t l = 0; l < k; l++) {
        const real *x = a + l * LANES * MB_DIGITS, *y = b + l * LANES * MB_DIGITS;
        for (int i = 0; i < MB_DIGITS; i++)
            for (int j = 0; j < MB_DIGITS; j++)
                s[i][j] += x[i * LANES] * *(const doubles *)(y + j * LANES);
    }
    for (int i = 0; i < 2 * MB_DIGITS - 1; i++)
        all[i] = (words){0};
    for (int i = 0; i < MB_DIGITS; i++)
        for (int j = 0; j < MB_DIGITS; j++)
            all[i + j] += (words)s[i][j] & (((uint64_t)1 << 52) - 1);
}

MB_MANY_TARGETS static void panel_digits(uint64_t *residue, const real *a, const real *b,
                                         int64_t k, const mb_mod *mod)
{
    enum { BITS = MB_DIGIT_BITS };
    for (int r = 0; r < ROWS; r++) {
        words all[2 * MB_DIGITS - 1];
        sum_digits(all, a + r, b, k);
        for (int c = 0; c < LANES; c++) {
            unsigned __int128 low = all[0][c] + ((unsigned __int128)all[1][c] << BITS);
            unsigned __int128 top = all[2][c] + ((unsigned __int128)all[3][c] << BITS) +
                                    ((unsigned __int128)all[4][c] << 2 * BITS);
            top += low >> 2 * BITS;
            unsigned __int128 v = (top << 2 * BITS) | (low & (((uint64_t)1 << 2 * BITS) - 1));
            uint64_t hi = (uint64_t)(top >> (128 - 2 * BITS));
            residue[r * COLS + c] = mb_reduce192(hi, words_of(v), mod);
        }
    }
}

static void add_residues(uint64_t *sum, int64_t ld, const uint64_t *residue, int cols,
                         const mb_mod *mod)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < cols; c++)
            sum[r * ld + c] = mb_addmod(sum[r * ld + c], residue[r * COLS + c], mod);
}

void mb_host_panel_reduced(mb_sums sums, uint64_t *sum, int64_t ld, const uint64_t *a,
                           const uint64_t *b, int64_t k, const mb_mod *mod)
{
    uint64_t residue[ROWS * COLS];
    if (sums == MB_SUMS_DIGITS) {
        panel_digits(residue, (const real *)a, (const real *)b, k, mod);
        add_residues(sum, ld, residue, LANES, mod);
        return;
    }
    panel_halves(residue, a, b, k, mod);
    add_residues(sum, ld, residue, COLS, mod);
}
