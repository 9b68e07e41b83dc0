/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain jobs. B is packed once, as panels of MB_PLAIN_COLS columns; then blocks of MB_PLAIN_LINES
 * rows of A are packed, MB_PLAIN_DEPTH places at a time, which stay in the second cache with their
 * sums, and are multiplied panel by panel. */
#include "host_panel.h"

#include <string.h>

enum {
    ROWS = MB_PLAIN_ROWS,
    COLS = MB_PLAIN_COLS,
    LINES = MB_PLAIN_LINES,
    LANES = MB_DIGIT_LANES
};

/* ---- panels --------------------------------------------------------------------------------- */

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

/* What entered as r[] becomes balanced words. */
MB_MANY_TARGETS static void balance_words(uint64_t *r, int count, const mb_cut *cut)
{
    const mb_mod mod = cut->mod;
    const uint64_t center = cut->center;
    for (int j = 0; j < count && cut->raw; j++)
        r[j] -= center;
    for (int j = 0; j < count && !cut->raw; j++)
        r[j] = mb_addmod(r[j], center, &mod) - center;
}

/* What entered as r[] becomes the bits of balanced doubles. */
MB_MANY_TARGETS static void balance_doubles(uint64_t *r, int count, const mb_cut *cut)
{
    bool small = cut->center <= MB_HOST_REAL_LIMIT;
    balance_words(r, count, cut);
    for (int j = 0; j < count && small; j++)
        r[j] = bits_of(mb_host_real((int64_t)r[j]));
    for (int j = 0; j < count && !small; j++)
        r[j] = bits_of((double)(int64_t)r[j]);
}

/* The digits of LANES lines of a panel of `width`. */
MB_MANY_TARGETS static void cut_digits(uint64_t *panel, const uint64_t *r, int width, int count)
{
    const int64_t digit = ((int64_t)1 << MB_DIGIT_BITS) - 1;
    for (int j = 0; j < count; j++, r += width)
        for (int d = 0; d < MB_DIGITS; d++, panel += LANES)
            for (int x = 0; x < LANES; x++)
                panel[x] = bits_of(mb_host_real((int64_t)(r[x] >> d * MB_DIGIT_BITS) & digit));
}

/* Places j .. j + depth - 1 of the lines of a view from l0 on, at most `width` of them, as a
 * panel. */
static uint32_t pack(uint64_t *panel, int width, const modblas_matrix *view, int64_t l0, int64_t j,
                     int64_t depth, const mb_cut *cut, mb_sums sums)
{
    uint64_t own[COLS * MB_HOST_RUN];
    uint32_t fault = 0;
    const int lines = (int)(view->rows - l0 < width ? view->rows - l0 : width);
    for (int64_t x = 0; x < depth; x += MB_HOST_RUN) {
        int count = (int)(depth - x < MB_HOST_RUN ? depth - x : MB_HOST_RUN);
        uint64_t *r = sums == MB_SUMS_DIGITS ? own : panel + x * width;
        fault |= mb_host_enter_panel(r, width, view, l0, j + x, lines, count, cut);
        if (sums == MB_SUMS_F64)
            balance_doubles(r, count * width, cut);
        else if (sums == MB_SUMS_I64)
            balance_words(r, count * width, cut);
        for (int l = 0; l < width && sums == MB_SUMS_DIGITS; l += LANES)
            cut_digits(panel + (l * depth + x * LANES) * MB_DIGITS, r + l, width, count);
    }
    return fault;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* What a job multiplies with. */
typedef struct {
    const mb_plain_job *job;
    mb_panel *f64, *u64;
    mb_panel_folded *i64;
    mb_fold fold;
    int words;
    int64_t ld; /* of sums */
} kit;

/* Adds the product of a panel of A and one of B to the sums of their entries. */
static void multiply(const kit *t, uint64_t *sum, const uint64_t *a, const uint64_t *b,
                     int64_t depth, int64_t digits)
{
    const mb_sums sums = t->job->sums;
    const mb_mod *mod = &t->job->a->mod;
    if (sums == MB_SUMS_F64)
        t->f64(sum, t->ld, a, b, depth);
    else if (sums == MB_SUMS_I64)
        t->i64(sum, t->ld, a, b, depth, &t->fold);
    else if (sums == MB_SUMS_U64)
        t->u64(sum, t->ld, a, b, depth);
    else
        mb_host_panel_reduced(sums, sum, t->ld, a, b, depth, mod);
    if (sums == MB_SUMS_DIGITS)
        mb_host_panel_reduced(sums, sum + LANES, t->ld, a, b + digits, depth, mod);
}

/* Adds the products of places l .. l + depth - 1 of a block of rows that is packed. */
static void multiply_block(const kit *t, uint64_t *sum, int64_t rows, int64_t l, int64_t depth)
{
    const uint64_t *a = t->job->space_a, *b = t->job->space_b;
    const int64_t k = t->job->A.cols, n = t->job->C.cols;
    const int64_t digits = k * LANES * MB_DIGITS; /* between a panel's two */
    const int64_t from = l * (t->words == 1 ? COLS : LANES * MB_DIGITS);
    for (int64_t j = 0; j < n; j += COLS)
        for (int64_t i = 0; i < rows; i += ROWS)
            multiply(t, sum + i * t->ld + j, a + i * depth * t->words, b + j * k * t->words + from,
                     depth, digits);
}

/* Sums become residues. */
MB_MANY_TARGETS static void reduce(uint64_t *sum, int64_t count, mb_sums sums,
                                   const mb_mod *modulus)
{
    typedef double real __attribute__((may_alias));
    const mb_mod mod = *modulus;
    for (int64_t j = 0; j < count && sums == MB_SUMS_F64; j++)
        sum[j] = mb_residue_signed((int64_t)((const real *)sum)[j], &mod);
    for (int64_t j = 0; j < count && sums == MB_SUMS_I64; j++)
        sum[j] = mb_residue_signed((int64_t)sum[j], &mod);
    for (int64_t j = 0; j < count && sums == MB_SUMS_U64; j++)
        sum[j] = mb_reduce64(sum[j], &mod);
}

uint32_t mb_host_plain_store(const mb_plain_job *job, uint64_t *residues, int64_t ld, int64_t i,
                             int64_t rows)
{
    uint32_t fault = 0;
    mb_cut whole; /* only how entries of C enter */
    whole.mod = job->a->mod;
    whole.raw = 0;
    whole.bound = UINT64_MAX;
    whole.float_limit = job->a->float_limit;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t j = 0; j < job->C.cols; j += MB_HOST_RUN) {
            uint64_t *residue = residues + r * ld + j;
            int cols = (int)(job->C.cols - j < MB_HOST_RUN ? job->C.cols - j : MB_HOST_RUN);
            for (int c = 0; c < cols && job->alpha != 1; c++)
                residue[c] = mb_mulmod(residue[c], job->alpha, &whole.mod);
            fault |= mb_host_finish(&job->C, i + r, j, residue, cols, job->beta, &whole);
        }
    }
    return fault;
}

/* Stores rows i .. i + rows - 1 of C, whose sums these are. */
static uint32_t finish(const kit *t, uint64_t *sum, int64_t i, int64_t rows)
{
    reduce(sum, rows * t->ld, t->job->sums, &t->job->a->mod);
    return mb_host_plain_store(t->job, sum, t->ld, i, rows);
}

static kit kit_of(const mb_plain_job *job)
{
    const bool avx2 = mb_host_has_avx2();
    kit t = {
        .job = job,
        .f64 = mb_host_panel_f64,
        .u64 = mb_host_panel_u64,
        .i64 = mb_host_panel_i64,
        .fold = job->fold,
        .words = words_each(job->sums),
        .ld = (job->C.cols + COLS - 1) / COLS * COLS,
    };
#if MB_HOST_X86
    if (avx2) {
        t.f64 = mb_avx2_panel_f64;
        t.u64 = mb_avx2_panel_u64;
        t.i64 = mb_avx2_panel_i64;
    }
#endif
    return t;
}

void mb_host_plain_block(const mb_plain_job *job, uint64_t *sums, int64_t rows, int64_t depth)
{
    const kit t = kit_of(job);
    multiply_block(&t, sums, rows, 0, depth);
}

/* The sums of rows i .. i + rows - 1. */
static uint32_t sum_block(const kit *t, uint64_t *sum, int64_t i, int64_t rows)
{
    const mb_plain_job *job = t->job;
    const int64_t k = job->A.cols, padded = (rows + ROWS - 1) / ROWS * ROWS;
    uint32_t fault = 0;
    int64_t depth;
    memset(sum, 0, (size_t)(padded * t->ld) * sizeof *sum);
    for (int64_t l = 0; l < k; l += depth) {
        depth = k - l < MB_PLAIN_DEPTH ? k - l : MB_PLAIN_DEPTH;
        for (int64_t r = 0; r < rows; r += ROWS)
            fault |= pack((uint64_t *)job->space_a + r * depth * t->words, ROWS, &job->A, i + r, l,
                          depth, job->a, job->sums);
        multiply_block(t, sum, rows, l, depth);
    }
    return fault;
}

modblas_status mb_host_plain(mb_worker *worker, const mb_plain_job *job)
{
    const modblas_matrix columns = modblas_transpose(job->B);
    const kit t = kit_of(job);
    const int64_t k = job->A.cols, m = job->C.rows;
    uint64_t *b = job->space_b, *sums = job->space_c;
    if (job->C.cols <= MB_PLAIN_FEW) {
        mb_host_few(worker, job);
        return MODBLAS_OK;
    }
    for (int64_t j = 0; j < columns.rows; j += COLS)
        worker->faults |= pack(b + j * k * t.words, COLS, &columns, j, 0, k, job->b, job->sums)
                          << !job->turned;
    for (int64_t i = 0; i < m; i += LINES) {
        const int64_t rows = m - i < LINES ? m - i : LINES;
        uint64_t *sum = job->overlap ? sums + i * t.ld : sums;
        worker->faults |= sum_block(&t, sum, i, rows) << job->turned;
        if (!job->overlap)
            worker->faults |= finish(&t, sum, i, rows);
    }
    if (job->overlap)
        worker->faults |= finish(&t, sums, 0, m);
    return MODBLAS_OK;
}
