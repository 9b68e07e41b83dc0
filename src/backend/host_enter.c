/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of the host's operands, as they enter a product, and its results as they are stored. */
#include "host.h"

/* Rows that lie apart are fetched so many places before they are read: no other prefetcher does.
 */
enum { AHEAD = 16, CACHE_LINE = 64 };

/* Lines of entries as words, in the order of memory: places of a line, or lines of a place, next
 * to each other. And as a panel, with 0 for lines that are not there; the panel after it, of rows,
 * is fetched meanwhile. */
#define READ(name, ctype, value)                                                                  \
    MB_MANY_TARGETS static uint32_t read_##name(uint64_t(*r)[MB_HOST_RUN], const ctype *at,       \
                                                int64_t line, int64_t step, int lines, int count, \
                                                double limit)                                     \
    {                                                                                             \
        uint32_t fault = 0;                                                                       \
        (void)limit;                                                                              \
        if (line == 1 && step != 1) {                                                             \
            for (int j = 0; j < count; j++) {                                                     \
                __builtin_prefetch(at + (j + AHEAD < count ? j + AHEAD : j) * step);              \
                for (int l = 0; l < lines; l++)                                                   \
                    r[l][j] = value(at[j * step + l], limit, &fault);                             \
            }                                                                                     \
        } else {                                                                                  \
            for (int l = 0; l < lines; l++)                                                       \
                for (int j = 0; j < count; j++)                                                   \
                    r[l][j] = value(at[l * line + j * step], limit, &fault);                      \
        }                                                                                         \
        return fault;                                                                             \
    }                                                                                             \
    static inline uint32_t panel_##name(uint64_t *p, int width, const ctype *at, int64_t line,    \
                                        int64_t step, int lines, int count, double limit)         \
    {                                                                                             \
        const int per = CACHE_LINE / (int)sizeof *at;                                             \
        uint32_t fault = 0;                                                                       \
        (void)limit;                                                                              \
        for (int j = 0; j < count; j++) {                                                         \
            for (int l = 0; step == 1 && j % per == 0 && l < lines; l++)                          \
                __builtin_prefetch(beyond(at, ((l + width) * line + j), sizeof *at));             \
            if (step != 1 && line == 1)                                                           \
                __builtin_prefetch(beyond(at, (j + AHEAD) * step, sizeof *at));                   \
            for (int l = 0; l < width; l++)                                                       \
                p[j * width + l] = l < lines ? value(at[l * line + j * step], limit, &fault) : 0; \
        }                                                                                         \
        return fault;                                                                             \
    }                                                                                             \
    MB_MANY_TARGETS static uint32_t narrow_##name(uint64_t *p, const ctype *at, int64_t line,     \
                                                  int64_t step, int lines, int count,             \
                                                  double limit)                                   \
    {                                                                                             \
        const int width = MB_PLAIN_ROWS;                                                          \
        return lines == width ? panel_##name(p, width, at, line, step, width, count, limit)       \
                              : panel_##name(p, width, at, line, step, lines, count, limit);      \
    }                                                                                             \
    MB_MANY_TARGETS static uint32_t broad_##name(uint64_t *p, const ctype *at, int64_t line,      \
                                                 int64_t step, int lines, int count,              \
                                                 double limit)                                    \
    {                                                                                             \
        const int width = MB_PLAIN_COLS;                                                          \
        return lines == width ? panel_##name(p, width, at, line, step, width, count, limit)       \
                              : panel_##name(p, width, at, line, step, lines, count, limit);      \
    }

/* An address that is only fetched, and may lie outside the matrix. */
static inline const void *beyond(const void *at, int64_t entries, size_t size)
{
    return (const void *)((uintptr_t)at + (uintptr_t)entries * size);
}

static uint64_t integer(double x, double limit, uint32_t *fault)
{
    int64_t v = 0;
    if (!mb_integer_of(x, limit, &v))
        *fault |= MB_FAULT_NOTINT;
    return (uint64_t)v;
}

#define UNSIGNED(x, limit, fault) ((uint64_t)(x))
#define SIGNED(x, limit, fault) ((uint64_t)(int64_t)(x))
READ(U8, uint8_t, UNSIGNED)
READ(U16, uint16_t, UNSIGNED)
READ(U32, uint32_t, UNSIGNED)
READ(U64, uint64_t, UNSIGNED)
READ(I8, int8_t, SIGNED)
READ(I16, int16_t, SIGNED)
READ(I32, int32_t, SIGNED)
READ(I64, int64_t, SIGNED)
READ(F32, float, integer)
READ(F64, double, integer)

/* Entries of at most this magnitude are no fault and need no division. */
static uint64_t easy_limit(const mb_cut *cut)
{
    uint64_t easy = cut->raw ? UINT64_MAX : cut->mod.n - 1;
    return easy < cut->bound ? easy : cut->bound;
}

MB_MANY_TARGETS static uint32_t enter_unsigned(uint64_t *r, int count, const mb_cut *cut)
{
    uint64_t limit = easy_limit(cut), add = cut->raw ? cut->center : 0;
    uint32_t fault = 0, hard = 0;
    for (int j = 0; j < count; j++)
        hard |= r[j] > limit;
    for (int j = 0; j < count && hard; j++)
        r[j] = mb_enter_unsigned(r[j], cut, &fault);
    for (int j = 0; j < count && !hard; j++)
        r[j] += add;
    return fault;
}

/* -v enters as N - v, or raw as center - v. */
MB_MANY_TARGETS static uint32_t enter_signed(uint64_t *r, int count, const mb_cut *cut)
{
    uint64_t limit = easy_limit(cut), add = cut->raw ? cut->center : 0;
    uint64_t below = cut->raw ? cut->center : cut->mod.n;
    uint32_t fault = 0, hard = 0;
    for (int j = 0; j < count; j++)
        hard |= ((int64_t)r[j] < 0 ? 0 - r[j] : r[j]) > limit;
    for (int j = 0; j < count && hard; j++)
        r[j] = mb_enter_signed((int64_t)r[j], cut, &fault);
    for (int j = 0; j < count && !hard; j++)
        r[j] += (int64_t)r[j] < 0 ? below : add;
    return fault;
}

uint32_t mb_host_enter(uint64_t (*r)[MB_HOST_RUN], const modblas_matrix *view, int64_t i,
                       int64_t j, int lines, int count, const mb_cut *cut)
{
    uint32_t fault = 0;
    const char *at = mb_host_at(view, i, j);
    switch (view->type) {
#define CASE(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        fault = read_##name(r, (const ctype *)at, view->row_stride, view->col_stride, lines,      \
                            count, cut->float_limit);                                             \
        break;
        MODBLAS_TYPE_MAP(CASE)
#undef CASE
    }
    bool is_signed = mb_type_most_negative(view->type) > 0;
    for (int l = 0; l < lines; l++)
        fault |= is_signed ? enter_signed(r[l], count, cut) : enter_unsigned(r[l], count, cut);
    return fault;
}

uint32_t mb_host_enter_panel(uint64_t *panel, int width, const modblas_matrix *view, int64_t i,
                             int64_t j, int lines, int count, const mb_cut *cut)
{
    uint32_t fault = 0;
    const char *at = mb_host_at(view, i, j);
    const int64_t line = view->row_stride, step = view->col_stride;
    const double limit = cut->float_limit;
    switch (view->type) {
#define CASE(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        fault = width == MB_PLAIN_ROWS                                                            \
                    ? narrow_##name(panel, (const ctype *)at, line, step, lines, count, limit)    \
                    : broad_##name(panel, (const ctype *)at, line, step, lines, count, limit);    \
        break;
        MODBLAS_TYPE_MAP(CASE)
#undef CASE
    }
    count *= width;
    return fault | (mb_type_most_negative(view->type) > 0 ? enter_signed(panel, count, cut)
                                                          : enter_unsigned(panel, count, cut));
}

static void store(void *data, modblas_type type, int64_t stride, const uint64_t *r, int count)
{
    switch (type) {
#define STORE(name, ctype)                                                                        \
    case MODBLAS_##name:                                                                          \
        for (int j = 0; j < count; j++)                                                           \
            ((ctype *)data)[j * stride] = (ctype)r[j];                                            \
        break;
        MODBLAS_TYPE_MAP(STORE)
#undef STORE
    }
}

uint32_t mb_host_finish(const modblas_matrix *C, int64_t i, int64_t j, uint64_t *r, int count,
                        uint64_t beta, const mb_cut *whole)
{
    uint64_t old[1][MB_HOST_RUN];
    uint32_t fault = 0;
    if (beta != 0) {
        fault = mb_host_enter(old, C, i, j, 1, count, whole);
        for (int x = 0; x < count; x++)
            r[x] = mb_addmod(r[x], mb_mulmod(beta, old[0][x], &whole->mod), &whole->mod);
    }
    store(mb_host_at(C, i, j), C->type, C->col_stride, r, count);
    return fault << 2;
}
