/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of the host's operands, as they enter a product, and its results as they are stored. */
#include "host.h"

/* Rows that lie apart are fetched so many places before they are read: no other prefetcher does.
 */
enum { AHEAD = 16 };

/* Lines of entries as words, in the order of memory: places of a line, or lines of a place, next
 * to each other. */
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
