/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

static int64_t offset_of(const modblas_matrix *view, int64_t i, int64_t j)
{
    return i * view->row_stride + j * view->col_stride;
}

static mb_number of_signed(int64_t v)
{
    return v < 0 ? (mb_number){0 - (uint64_t)v, true} : (mb_number){(uint64_t)v, false};
}

static mb_number of_unsigned(uint64_t v)
{
    return (mb_number){v, false};
}

bool mb_entry_is_integer(const modblas_matrix *view, int64_t i, int64_t j)
{
    int64_t at = offset_of(view, i, j), integer;
    if (view->type == MODBLAS_F32)
        return mb_integer_of(((const float *)view->data)[at], MB_FLOAT_LIMIT, &integer);
    if (view->type == MODBLAS_F64)
        return mb_integer_of(((const double *)view->data)[at], MB_FLOAT_LIMIT, &integer);
    return true;
}

mb_number mb_entry_get(const modblas_matrix *view, int64_t i, int64_t j)
{
    int64_t at = offset_of(view, i, j);
    switch (view->type) {
#define GET(name, ctype, from, wide)                                                              \
    case MODBLAS_##name:                                                                          \
        return from((wide)((const ctype *)view->data)[at]);
        GET(U8, uint8_t, of_unsigned, uint64_t)
        GET(U16, uint16_t, of_unsigned, uint64_t)
        GET(U32, uint32_t, of_unsigned, uint64_t)
        GET(U64, uint64_t, of_unsigned, uint64_t)
        GET(I8, int8_t, of_signed, int64_t)
        GET(I16, int16_t, of_signed, int64_t)
        GET(I32, int32_t, of_signed, int64_t)
        GET(I64, int64_t, of_signed, int64_t)
        GET(F32, float, of_signed, int64_t)
        GET(F64, double, of_signed, int64_t)
#undef GET
    }
    return of_unsigned(0);
}

void mb_entry_set(const modblas_matrix *view, int64_t i, int64_t j, mb_number x)
{
    int64_t at = offset_of(view, i, j);
    uint64_t word = x.negative ? 0 - x.magnitude : x.magnitude;
    switch (view->type) {
#define SET(name, ctype, wide)                                                                    \
    case MODBLAS_##name:                                                                          \
        ((ctype *)view->data)[at] = (ctype)(wide)word;                                            \
        break;
        SET(U8, uint8_t, uint64_t)
        SET(U16, uint16_t, uint64_t)
        SET(U32, uint32_t, uint64_t)
        SET(U64, uint64_t, uint64_t)
        SET(I8, int8_t, int64_t)
        SET(I16, int16_t, int64_t)
        SET(I32, int32_t, int64_t)
        SET(I64, int64_t, int64_t)
        SET(F32, float, int64_t)
        SET(F64, double, int64_t)
#undef SET
    }
}

uint64_t mb_number_residue(mb_number x, const mb_mod *mod)
{
    uint64_t r = mb_reduce64(x.magnitude, mod);
    return x.negative ? mb_negmod(r, mod) : r;
}

mb_number mb_number_of_residue(uint64_t r, modblas_type type)
{
    if (!mb_type_is_signed_integer(type) || r <= mb_type_most_positive(type))
        return (mb_number){r, false};
    uint64_t all = UINT64_MAX >> (64 - mb_type_bits(type));
    return (mb_number){all - r + 1, true};
}

static uint64_t splitmix(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void mb_random_seed(mb_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = splitmix(&seed);
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t mb_random_next(mb_random *random)
{
    uint64_t *s = random->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t mb_random_below(mb_random *random, uint64_t count)
{
    uint64_t x = mb_random_next(random);
    return count == 0 ? x : mb_mulhi64(x, count);
}

static uint64_t smaller(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* The largest magnitude of negative numbers that a type holds, all smaller ones included. */
static uint64_t most_negative(modblas_type type)
{
    return mb_type_is_float(type) ? mb_type_largest(type) : mb_type_most_negative(type);
}

static mb_range range_of(modblas_type type, uint64_t N)
{
    mb_range balanced = mb_bound_residues(N);
    uint64_t negative = most_negative(type), positive = mb_type_largest(type);
    if (negative == 0)
        return (mb_range){0, smaller(N - 1, positive)};
    return (mb_range){smaller(balanced.neg, negative), smaller(balanced.pos, positive)};
}

void mb_fill_random(const modblas_matrix *view, uint64_t N, mb_random *random)
{
    mb_range range = range_of(view->type, N);
    uint64_t count = range.neg + range.pos + 1;
    for (int64_t i = 0; i < view->rows; i++) {
        for (int64_t j = 0; j < view->cols; j++) {
            uint64_t u = mb_random_below(random, count);
            mb_number x = {u - range.neg, false};
            if (u < range.neg)
                x = (mb_number){range.neg - u, true};
            mb_entry_set(view, i, j, x);
        }
    }
}

static mb_number extremal(modblas_type type, uint64_t N, bool high)
{
    mb_range balanced = mb_bound_residues(N);
    uint64_t positive = mb_type_largest(type), negative = most_negative(type);
    if (high)
        return (mb_number){smaller(balanced.pos, positive), false};
    if (negative > 0)
        return (mb_number){smaller(balanced.neg, negative), balanced.neg > 0};
    uint64_t stored = N == 1 ? 0 : N - balanced.neg;
    return (mb_number){smaller(stored, positive), false};
}

void mb_fill_extremal(const modblas_matrix *view, uint64_t N, bool high)
{
    mb_number x = extremal(view->type, N, high);
    for (int64_t i = 0; i < view->rows; i++) {
        for (int64_t j = 0; j < view->cols; j++)
            mb_entry_set(view, i, j, x);
    }
}

modblas_type mb_smallest_type(uint64_t N)
{
    static const modblas_type types[] = {MODBLAS_U8, MODBLAS_U16, MODBLAS_U32};
    for (int i = 0; i < 3; i++) {
        if (mb_mod_fits_type(N, types[i]))
            return types[i];
    }
    return MODBLAS_U64;
}
