/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain jobs of few columns: dot products of the entries of A as they lie, each read once. The
 * column is residues in words, or, for entries of at most 32 bits, their digits of MB_DIGIT_BITS
 * bits, so that sums of MB_FEW_RUN products fit a word. */
#include "host_panel.h"

#include <string.h>

#if MB_HOST_X86
#include <immintrin.h>
#endif

enum { ROWS = 4, FEW = MB_PLAIN_FEW, COLS = MB_PLAIN_COLS };
enum { AHEAD = MB_FEW_RUN * 4 }; /* bytes from an entry to one that is fetched meanwhile */
enum { RUN = MB_FEW_RUN, LINES = MB_PLAIN_FEW_LINES, PLACES = 4 };
_Static_assert(FEW *MB_DIGITS *LINES <= MB_HOST_SUMS, "sums of lines fit the worker");
_Static_assert(FEW *MB_DIGITS * sizeof(uint32_t) <= COLS * sizeof(uint64_t), "as do digits");
_Static_assert(RUN % PLACES == 0, "runs are whole");

/* One job under way. */
typedef struct {
    const mb_plain_job *job;
    mb_worker *worker;
    int columns, digits; /* no digits: words */
    const uint64_t *x;   /* column c at x + c*k */
    const uint32_t *cut; /* digit d of column c at cut + (c*digits + d)*k */
} few;

/* Fetches what will be read soon, or lies beyond the matrix. */
static inline void fetch(const void *at)
{
    __builtin_prefetch((const void *)((uintptr_t)at + AHEAD));
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The words, or the digits, of places j .. j + count - 1 of column c. */
static void keep_column(const few *f, int c, int64_t j, const uint64_t *r, int count)
{
    const uint64_t mask = ((uint64_t)1 << MB_DIGIT_BITS) - 1;
    const int64_t k = f->job->A.cols;
    uint32_t *digits = (uint32_t *)f->job->space_b + j;
    if (f->digits == 0)
        memcpy((uint64_t *)f->job->space_b + c * k + j, r, (size_t)count * sizeof *r);
    for (int d = 0; d < f->digits; d++)
        for (int x = 0; x < count; x++)
            digits[(c * f->digits + d) * k + x] = (uint32_t)(r[x] >> d * MB_DIGIT_BITS & mask);
}

static void enter_columns(const few *f)
{
    const mb_plain_job *job = f->job;
    const modblas_matrix columns = modblas_transpose(job->B);
    const int64_t k = columns.cols;
    uint64_t r[1][MB_HOST_RUN];
    for (int c = 0; c < f->columns; c++) {
        for (int64_t j = 0; j < k; j += MB_HOST_RUN) {
            int count = (int)(k - j < MB_HOST_RUN ? k - j : MB_HOST_RUN);
            f->worker->faults |= mb_host_enter(r, &columns, c, j, 1, count, job->b)
                                 << !job->turned;
            keep_column(f, c, j, r[0], count);
        }
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Low and high words of products, summed apart. */
typedef struct {
    unsigned __int128 low, high;
} word_sums;

/* *s += sum of a[j] * x[j]. */
static inline void dot(word_sums *s, const uint64_t *a, const uint64_t *x, int64_t count)
{
    unsigned __int128 low = s->low, high = s->high;
    for (int64_t j = 0; j < count; j++) {
        unsigned __int128 product = (unsigned __int128)a[j] * x[j];
        low += (uint64_t)product;
        high += (uint64_t)(product >> 64);
    }
    s->low = low;
    s->high = high;
}

MB_MANY_TARGETS static uint64_t dot_word(const uint64_t *a, const uint64_t *x, int64_t count)
{
    uint64_t s = 0;
    for (int64_t j = 0; j < count; j++)
        s += a[j] * x[j];
    return s;
}

static void add_dot(word_sums *s, const uint64_t *a, const uint64_t *x, int64_t count, bool wraps)
{
    if (wraps)
        s->low += dot_word(a, x, count);
    else
        dot(s, a, x, count);
}

/* Rows of A that are entered first, or unsigned words as they are. */
static void sum_words(const few *f, uint64_t *residue, int64_t i, int lines)
{
    const mb_plain_job *job = f->job;
    const modblas_matrix *A = &job->A;
    const mb_mod *mod = &job->a->mod;
    const bool wraps = (mod->n & (mod->n - 1)) == 0;
    const bool as_they_are =
        A->type == MODBLAS_U64 && A->col_stride == 1 && job->a->bound == UINT64_MAX;
    word_sums s[MB_HOST_LINES][FEW] = {{{0, 0}}};
    uint64_t r[MB_HOST_LINES][MB_HOST_RUN];
    const int64_t run = as_they_are ? A->cols : MB_HOST_RUN;
    for (int64_t j = 0; j < A->cols; j += run) {
        const int64_t count = A->cols - j < run ? A->cols - j : run;
        if (!as_they_are)
            f->worker->faults |= mb_host_enter(r, A, i, j, lines, (int)count, job->a)
                                 << job->turned;
        for (int l = 0; l < lines; l++) {
            const uint64_t *a = as_they_are ? mb_host_at(A, i + l, j) : r[l];
            for (int c = 0; c < f->columns; c++)
                add_dot(&s[l][c], a, f->x + c * A->cols + j, count, wraps);
        }
    }
    for (int l = 0; l < lines; l++) {
        for (int c = 0; c < f->columns; c++) {
            const unsigned __int128 high = s[l][c].high + (uint64_t)(s[l][c].low >> 64);
            mb_u128 low = {(uint64_t)s[l][c].low, (uint64_t)high};
            residue[l * COLS + c] =
                mb_reduce192(mb_reduce64((uint64_t)(high >> 64), mod), low, mod);
        }
    }
}

/* ---- digits --------------------------------------------------------------------------------- */

#if MB_HOST_X86

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const void *at)
{
    return _mm256_loadu_si256(at);
}

/* Eight entries in 32 bits each, and what multiplies those. */
#define LOAD_U8(at) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(at)))
#define LOAD_I8(at) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(at)))
#define LOAD_U16(at) _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(at)))
#define LOAD_I16(at) _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(at)))
#define LOAD_U32(at) load(at)
#define LOAD_I32(at) load(at)

/* rows_T: sum[r] = sum_j a[r*ld + j] * x[j], for ROWS rows; lines_T: sum[i] += sum_j a[j*ld + i] *
 * x[j], for PLACES places j. x < 2^31. */
#define SUMS(name, ctype, times)                                                                  \
    AVX2 static void rows_##name(int64_t *sum, const void *entries, int64_t ld,                   \
                                 const uint32_t *x, int64_t count)                                \
    {                                                                                             \
        const ctype *a = entries;                                                                 \
        __m256i s[ROWS][2];                                                                       \
        int64_t j = 0;                                                                            \
        _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++) s[r][0] = s[r][1] =                \
            _mm256_setzero_si256();                                                               \
        for (; j + 8 <= count; j += 8) {                                                          \
            const __m256i y = load(x + j), odd = _mm256_srli_epi64(y, 32);                        \
            _Pragma("GCC unroll 4") for (int r = 0; r < ROWS; r++)                                \
            {                                                                                     \
                const __m256i v = LOAD_##name(a + r * ld + j);                                    \
                fetch(a + r * ld + j);                                                            \
                s[r][0] = _mm256_add_epi64(s[r][0], times(v, y));                                 \
                s[r][1] = _mm256_add_epi64(s[r][1], times(_mm256_srli_epi64(v, 32), odd));        \
            }                                                                                     \
        }                                                                                         \
        for (int r = 0; r < ROWS; r++) {                                                          \
            int64_t part[4];                                                                      \
            _mm256_storeu_si256((__m256i *)(void *)part, _mm256_add_epi64(s[r][0], s[r][1]));     \
            sum[r] = part[0] + part[1] + part[2] + part[3];                                       \
            for (int64_t l = j; l < count; l++)                                                   \
                sum[r] += (int64_t)a[r * ld + l] * x[l];                                          \
        }                                                                                         \
    }                                                                                             \
    AVX2 static void lines_##name(int64_t *sum, const void *entries, int64_t ld,                  \
                                  const uint32_t *x, int64_t count)                               \
    {                                                                                             \
        const ctype *a = entries;                                                                 \
        int64_t i = 0;                                                                            \
        for (; i + 8 <= count; i += 8) {                                                          \
            __m256i even = _mm256_setzero_si256(), odd = even;                                    \
            _Pragma("GCC unroll 4") for (int j = 0; j < PLACES; j++)                              \
            {                                                                                     \
                const __m256i v = LOAD_##name(a + j * ld + i), y = _mm256_set1_epi64x(x[j]);      \
                even = _mm256_add_epi64(even, times(v, y));                                       \
                odd = _mm256_add_epi64(odd, times(_mm256_srli_epi64(v, 32), y));                  \
            }                                                                                     \
            const __m256i low = _mm256_unpacklo_epi64(even, odd);                                 \
            const __m256i high = _mm256_unpackhi_epi64(even, odd);                                \
            __m256i *s = (__m256i *)(void *)(sum + i);                                            \
            const __m256i first = _mm256_permute2x128_si256(low, high, 0x20);                     \
            const __m256i last = _mm256_permute2x128_si256(low, high, 0x31);                      \
            _mm256_storeu_si256(s, _mm256_add_epi64(_mm256_loadu_si256(s), first));               \
            _mm256_storeu_si256(s + 1, _mm256_add_epi64(_mm256_loadu_si256(s + 1), last));        \
        }                                                                                         \
        for (; i < count; i++)                                                                    \
            for (int j = 0; j < PLACES; j++)                                                      \
                sum[i] += (int64_t)a[j * ld + i] * x[j];                                          \
    }

SUMS(U8, uint8_t, _mm256_mul_epu32)
SUMS(I8, int8_t, _mm256_mul_epi32)
SUMS(U16, uint16_t, _mm256_mul_epu32)
SUMS(I16, int16_t, _mm256_mul_epi32)
SUMS(U32, uint32_t, _mm256_mul_epu32)
SUMS(I32, int32_t, _mm256_mul_epi32)

typedef void summer(int64_t *sum, const void *entries, int64_t ld, const uint32_t *x,
                    int64_t count);
static summer *const rows_of[] = {
    [MODBLAS_U8] = rows_U8, [MODBLAS_U16] = rows_U16, [MODBLAS_U32] = rows_U32,
    [MODBLAS_I8] = rows_I8, [MODBLAS_I16] = rows_I16, [MODBLAS_I32] = rows_I32};
static summer *const lines_of[] = {
    [MODBLAS_U8] = lines_U8, [MODBLAS_U16] = lines_U16, [MODBLAS_U32] = lines_U32,
    [MODBLAS_I8] = lines_I8, [MODBLAS_I16] = lines_I16, [MODBLAS_I32] = lines_I32};

/* Digits weigh 2^(bits d). */
static uint64_t weigh(const few *f, __int128 sum, int d)
{
    const mb_mod *mod = &f->job->a->mod;
    const unsigned __int128 v = sum < 0 ? 0 - (unsigned __int128)sum : (unsigned __int128)sum;
    uint64_t r = mb_reduce128((mb_u128){(uint64_t)v, (uint64_t)(v >> 64)}, mod);
    r = sum < 0 ? mb_negmod(r, mod) : r;
    return mb_mulmod(r, (uint64_t)1 << d * MB_DIGIT_BITS, mod);
}

/* Sums of a run of digits x: of ROWS rows, or, near the end, of one after another. */
static void add_run(const few *f, __int128 all[ROWS][FEW * MB_DIGITS], int64_t i, int rows,
                    int64_t j, int x)
{
    const modblas_matrix *A = &f->job->A;
    const uint32_t *digit = f->cut + x * A->cols + j;
    const int64_t count = A->cols - j < RUN ? A->cols - j : RUN;
    int64_t part[ROWS];
    for (int r = 0; r < rows && rows < ROWS; r++) {
        rows_of[A->type](part, mb_host_at(A, i + r, j), 0, digit, count);
        all[r][x] += part[0];
    }
    if (rows < ROWS)
        return;
    rows_of[A->type](part, mb_host_at(A, i, j), A->row_stride, digit, count);
    for (int r = 0; r < ROWS; r++)
        all[r][x] += part[r];
}

/* At most ROWS rows whose entries lie next to each other. */
static void sum_rows(const few *f, uint64_t *residue, int64_t i, int rows)
{
    const mb_mod *mod = &f->job->a->mod;
    __int128 all[ROWS][FEW * MB_DIGITS] = {{0}};
    const int sums = f->columns * f->digits;
    for (int64_t j = 0; j < f->job->A.cols; j += RUN)
        for (int x = 0; x < sums; x++)
            add_run(f, all, i, rows, j, x);
    for (int r = 0; r < rows; r++) {
        for (int x = 0; x < sums; x++) {
            uint64_t *y = &residue[r * COLS + x / f->digits];
            *y = mb_addmod(x % f->digits ? *y : 0, weigh(f, all[r][x], x % f->digits), mod);
        }
    }
}

/* Sums of PLACES places of lines, or of what is left of them. */
static void add_places(const few *f, int64_t *sum, int64_t i, int64_t lines, int64_t j, int x)
{
    const modblas_matrix *A = &f->job->A;
    const uint32_t *digit = f->cut + x * A->cols + j;
    const int64_t left = A->cols - j;
    for (int64_t l = 0; left < PLACES && l < left; l++) {
        const uint32_t one[PLACES] = {digit[l]};
        lines_of[A->type](sum, mb_host_at(A, i, j + l), 0, one, lines);
    }
    if (left >= PLACES)
        lines_of[A->type](sum, mb_host_at(A, i, j), A->col_stride, digit, lines);
}

/* Lines that lie next to each other, at most LINES. */
static void sum_lines(const few *f, uint64_t *residue, int64_t i, int64_t lines)
{
    const modblas_matrix *A = &f->job->A;
    const mb_mod *mod = &f->job->a->mod;
    const int sums = f->columns * f->digits;
    int64_t *all = f->worker->words;
    memset(residue, 0, (size_t)(lines * COLS) * sizeof *residue);
    memset(all, 0, (size_t)(sums * lines) * sizeof *all);
    for (int64_t j = 0; j < A->cols; j += PLACES) {
        const int64_t left = A->cols - j;
        for (int x = 0; x < sums; x++)
            add_places(f, all + x * lines, i, lines, j, x);
        if ((j + PLACES) % RUN != 0 && left > PLACES)
            continue;
        for (int64_t x = 0; x < sums * lines; x++) {
            uint64_t *y = &residue[x % lines * COLS + x / lines / f->digits];
            *y = mb_addmod(*y, weigh(f, all[x], (int)(x / lines) % f->digits), mod);
        }
        memset(all, 0, (size_t)(sums * lines) * sizeof *all);
    }
}

static bool takes_digits(const mb_plain_job *job)
{
    const modblas_type type = job->A.type;
    const bool near = job->A.col_stride == 1 || job->A.row_stride == 1;
    return mb_host_has_avx2() && near && mb_type_bits(type) <= 32 && type != MODBLAS_F32 &&
           job->a->bound >= mb_type_most_positive(type) &&
           job->a->bound >= mb_type_most_negative(type);
}

#else

static void sum_rows(const few *f, uint64_t *residue, int64_t i, int rows)
{
    sum_words(f, residue, i, rows);
}

static void sum_lines(const few *f, uint64_t *residue, int64_t i, int64_t lines)
{
    sum_words(f, residue, i, (int)lines);
}

static bool takes_digits(const mb_plain_job *job)
{
    (void)job;
    return false;
}

#endif

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Residues of rows of A*B from row i on, at most `most`; returns of how many. */
static int64_t sum_some(const few *f, uint64_t *residue, int64_t i, int64_t most)
{
    int64_t count = f->digits == 0 ? MB_HOST_LINES : f->job->A.col_stride == 1 ? ROWS : LINES;
    count = most < count ? most : count;
    if (f->digits == 0)
        sum_words(f, residue, i, (int)count);
    else if (f->job->A.col_stride == 1)
        sum_rows(f, residue, i, (int)count);
    else
        sum_lines(f, residue, i, count);
    return count;
}

void mb_host_few(mb_worker *worker, const mb_plain_job *given)
{
    mb_plain_job residues = *given;
    const mb_plain_job *job = &residues;
    mb_cut a = *given->a, b = *given->b;
    a.raw = b.raw = 0;
    residues.a = &a;
    residues.b = &b;
    const int64_t m = job->C.rows;
    few f = {.job = job, .worker = worker, .columns = (int)job->C.cols};
    f.digits = takes_digits(job) ? mb_bound_digits_of_residues(job->a->mod.n, MB_DIGIT_BITS) : 0;
    f.x = job->space_b;
    f.cut = job->space_b;
    enter_columns(&f);
    for (int64_t i = 0, rows; i < m; i += rows) {
        uint64_t *residue = (uint64_t *)job->space_c + (job->overlap ? i * COLS : 0);
        rows = sum_some(&f, residue, i, m - i);
        if (!job->overlap)
            worker->faults |= mb_host_plain_store(job, residue, COLS, i, rows);
    }
    if (job->overlap)
        worker->faults |= mb_host_plain_store(job, job->space_c, COLS, 0, m);
}
