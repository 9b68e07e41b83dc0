/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain jobs: panels of MB_PLAIN_ROWS rows of A against panels of MB_PLAIN_COLS columns of B, both
 * packed with the places of k one after another. */
#include "../exact/bound.h"
#include "host.h"

enum { ROWS = MB_PLAIN_ROWS, COLS = MB_PLAIN_COLS, LANES = 4, PARTS = COLS / LANES };
_Static_assert(ROWS == LANES, "digits of A lie LANES apart");

static const double two_52 = 4503599627370496.0;

/* Panels are written as words. */
typedef double real __attribute__((may_alias));
typedef double doubles __attribute__((vector_size(8 * LANES), may_alias));
typedef uint64_t words __attribute__((vector_size(8 * LANES), may_alias));

/* Operations a second of one Zen 3 core. */
void mb_host_plain_rates(double rate[MB_SUMS_COUNT])
{
    rate[MB_SUMS_F64] = 40e9;
    rate[MB_SUMS_U64] = 13.5e9;
    rate[MB_SUMS_HALVES] = 7.3e9;
    rate[MB_SUMS_DIGITS] = 4.4e9;
    rate[MB_SUMS_U192] = 1.8e9;
}

static mb_u128 words_of(unsigned __int128 v)
{
    return (mb_u128){(uint64_t)v, (uint64_t)(v >> 64)};
}

/* ---- panels --------------------------------------------------------------------------------- */

/* sum[r][c] += a[l][r] * b[l][c] for all l < k. */
#define PANEL(name, vector, word)                                                                 \
    MB_MANY_TARGETS static void name(word sum[ROWS][COLS], const word *a, const word *b,          \
                                     int64_t k)                                                   \
    {                                                                                             \
        vector s[ROWS][PARTS];                                                                    \
        for (int r = 0; r < ROWS; r++)                                                            \
            for (int p = 0; p < PARTS; p++)                                                       \
                s[r][p] = (vector){0};                                                            \
        for (int64_t l = 0; l < k; l++) {                                                         \
            const vector *x = (const vector *)(b + l * COLS);                                     \
            for (int r = 0; r < ROWS; r++)                                                        \
                for (int p = 0; p < PARTS; p++)                                                   \
                    s[r][p] += a[l * ROWS + r] * x[p];                                            \
        }                                                                                         \
        for (int r = 0; r < ROWS; r++)                                                            \
            for (int c = 0; c < COLS; c++)                                                        \
                sum[r][c] = s[r][c / LANES][c % LANES];                                           \
    }
PANEL(panel_f64, doubles, real)
PANEL(panel_u64, words, uint64_t)

/* Low and high halves of the products are summed apart. */
MB_MANY_TARGETS static void panel_halves(mb_u128 sum[ROWS][COLS], const uint64_t *a,
                                         const uint64_t *b, int64_t k)
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
            sum[r][c] = words_of(all);
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

MB_MANY_TARGETS static void panel_digits(uint64_t residue[ROWS][COLS], const real *a,
                                         const real *b, int64_t k, int rows, int cols,
                                         const mb_mod *mod)
{
    enum { BITS = MB_DIGIT_BITS };
    for (int x = 0; x < ROWS * PARTS; x++) {
        int r = x % ROWS, c0 = x / ROWS * LANES;
        words all[2 * MB_DIGITS - 1];
        if (r >= rows || c0 >= cols)
            continue;
        sum_digits(all, a + r, b + c0 * k * MB_DIGITS, k);
        for (int c = 0; c < LANES; c++) {
            unsigned __int128 low = all[0][c] + ((unsigned __int128)all[1][c] << BITS);
            unsigned __int128 top = all[2][c] + ((unsigned __int128)all[3][c] << BITS) +
                                    ((unsigned __int128)all[4][c] << 2 * BITS);
            top += low >> 2 * BITS;
            unsigned __int128 v = (top << 2 * BITS) | (low & (((uint64_t)1 << 2 * BITS) - 1));
            uint64_t hi = (uint64_t)(top >> (128 - 2 * BITS));
            residue[r][c0 + c] = mb_reduce192(hi, words_of(v), mod);
        }
    }
}

/* Low and high words of the products are summed apart, as in hi * 2^64 + lo. */
MB_MANY_TARGETS static void panel_u192(uint64_t residue[ROWS][COLS], const uint64_t *a,
                                       const uint64_t *b, int64_t k, int rows, int cols,
                                       const mb_mod *mod)
{
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            unsigned __int128 lo = 0, hi = 0;
            for (int64_t l = 0; l < k; l++) {
                unsigned __int128 p = (unsigned __int128)a[l * ROWS + r] * b[l * COLS + c];
                lo += (uint64_t)p;
                hi += (uint64_t)(p >> 64);
            }
            hi += lo >> 64;
            mb_u128 low = {(uint64_t)lo, (uint64_t)hi};
            residue[r][c] = mb_reduce192((uint64_t)(hi >> 64), low, mod);
        }
    }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Words of an entry in a panel. */
static int words_each(mb_sums sums)
{
    return sums == MB_SUMS_DIGITS ? MB_DIGITS : 1;
}

static inline uint64_t bits_of(double x)
{
    union {
        double real;
        uint64_t bits;
    } u = {x};
    return u.bits;
}

/* What entered as r[] becomes the bits of balanced doubles. */
MB_MANY_TARGETS static void balance(uint64_t *r, int count, const mb_cut *cut)
{
    bool small = cut->center <= MB_HOST_REAL_LIMIT;
    for (int j = 0; j < count && small; j++)
        r[j] = bits_of(mb_host_real((int64_t)(mb_cut_u(r[j], 0, cut) - cut->center)));
    for (int j = 0; j < count && !small; j++)
        r[j] = bits_of((double)(int64_t)(mb_cut_u(r[j], 0, cut) - cut->center));
}

/* The digits of a line, LANES apart. */
MB_MANY_TARGETS static void cut_digits(uint64_t *panel, const uint64_t *r, int count)
{
    const int64_t digit = ((int64_t)1 << MB_DIGIT_BITS) - 1;
    for (int j = 0; j < count; j++)
        for (int d = 0; d < MB_DIGITS; d++)
            panel[(j * MB_DIGITS + d) * LANES] =
                bits_of(mb_host_real((int64_t)(r[j] >> d * MB_DIGIT_BITS) & digit));
}

/* The lines of a view from l0 on, at most `width` of them, as a panel: place j of line l at
 * panel[j * width + l]; 0 for lines that are not there. Digits lie LANES apart, in a panel for
 * each LANES lines. */
MB_MANY_TARGETS static uint32_t pack(uint64_t *panel, int width, const modblas_matrix *view,
                                     int64_t l0, const mb_cut *cut, mb_sums sums)
{
    uint64_t r[MB_HOST_LINES][MB_HOST_RUN];
    uint32_t fault = 0;
    int lines = (int)(view->rows - l0 < width ? view->rows - l0 : width);
    for (int64_t j0 = 0; j0 < view->cols; j0 += MB_HOST_RUN) {
        int count = (int)(view->cols - j0 < MB_HOST_RUN ? view->cols - j0 : MB_HOST_RUN);
        fault |= mb_host_enter(r, view, l0, j0, lines, count, cut);
        for (int l = lines; l < width; l++)
            for (int j = 0; j < count; j++)
                r[l][j] = cut->raw ? cut->center : 0;
        for (int l = 0; l < width && sums == MB_SUMS_F64; l++)
            balance(r[l], count, cut);
        for (int l = 0; l < width && sums == MB_SUMS_DIGITS; l++) {
            int64_t first = (l / LANES * view->cols + j0) * LANES * MB_DIGITS;
            cut_digits(panel + first + l % LANES, r[l], count);
        }
        for (int j = 0; j < count && sums != MB_SUMS_DIGITS; j++)
            for (int l = 0; l < width; l++)
                panel[(j0 + j) * width + l] = r[l][j];
    }
    return fault;
}

/* The residues of a block of rows x cols entries of A*B. */
static inline void multiply(uint64_t residue[ROWS][COLS], const mb_plain_job *job, const void *a,
                            const void *b, int rows, int cols)
{
    const mb_mod *mod = &job->a->mod;
    int64_t k = job->A.cols;
    double f64[ROWS][COLS];
    mb_u128 u128[ROWS][COLS];
    if (job->sums == MB_SUMS_F64)
        panel_f64(f64, a, b, k);
    else if (job->sums == MB_SUMS_U64)
        panel_u64(residue, a, b, k);
    else if (job->sums == MB_SUMS_HALVES)
        panel_halves(u128, a, b, k);
    else if (job->sums == MB_SUMS_DIGITS)
        panel_digits(residue, a, b, k, rows, cols, mod);
    else
        panel_u192(residue, a, b, k, rows, cols, mod);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            if (job->sums == MB_SUMS_F64)
                residue[r][c] = mb_residue_signed((int64_t)f64[r][c], mod);
            else if (job->sums == MB_SUMS_U64)
                residue[r][c] = mb_reduce64(residue[r][c], mod);
            else if (job->sums == MB_SUMS_HALVES)
                residue[r][c] = mb_reduce128(u128[r][c], mod);
        }
    }
}

MB_MANY_TARGETS static uint32_t multiply_rows(const mb_plain_job *job, const mb_cut *whole,
                                              const uint64_t *a, int64_t i)
{
    uint64_t residue[ROWS][COLS];
    uint32_t fault = 0;
    int rows = (int)(job->C.rows - i < ROWS ? job->C.rows - i : ROWS);
    for (int64_t j = 0; j < job->C.cols; j += COLS) {
        int cols = (int)(job->C.cols - j < COLS ? job->C.cols - j : COLS);
        const uint64_t *b =
            (const uint64_t *)job->space_b + j * job->A.cols * words_each(job->sums);
        multiply(residue, job, a, b, rows, cols);
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols && job->alpha != 1; c++)
                residue[r][c] = mb_mulmod(residue[r][c], job->alpha, &whole->mod);
            fault |= mb_host_finish(&job->C, i + r, j, residue[r], cols, job->beta, whole);
        }
    }
    return fault;
}

modblas_status mb_host_plain(mb_worker *worker, const mb_plain_job *job)
{
    const modblas_matrix columns = modblas_transpose(job->B);
    uint64_t *a = job->space_a, *b = job->space_b;
    int64_t k = job->A.cols * words_each(job->sums), m = job->C.rows;
    mb_cut whole; /* only how entries enter */
    whole.mod = job->a->mod;
    whole.raw = 0;
    whole.bound = UINT64_MAX;
    whole.float_limit = job->a->float_limit;
    for (int64_t j = 0; j < columns.rows; j += COLS)
        worker->faults |= pack(b + j * k, COLS, &columns, j, job->b, job->sums) << 1;
    for (int64_t i = 0; i < m && job->overlap; i += ROWS)
        worker->faults |= pack(a + i * k, ROWS, &job->A, i, job->a, job->sums);
    for (int64_t i = 0; i < m; i += ROWS) {
        if (!job->overlap)
            worker->faults |= pack(a, ROWS, &job->A, i, job->a, job->sums);
        worker->faults |= multiply_rows(job, &whole, job->overlap ? a + i * k : a, i);
    }
    return MODBLAS_OK;
}
