/* SPDX-License-Identifier: BSD-3-Clause */
#include "entry.h"

#include <string.h>

static const test_int float_limit = (test_int)1 << 53;

size_t test_type_size(modblas_type type)
{
    switch (type) {
#define SIZE(name, ctype)                                                                         \
    case MODBLAS_##name:                                                                          \
        return sizeof(ctype);
        MODBLAS_TYPE_MAP(SIZE)
    }
    return 0;
}

void *test_at(const modblas_matrix *M, int64_t i, int64_t j)
{
    int64_t index = i * M->row_stride + j * M->col_stride;
    return (char *)M->data + index * (int64_t)test_type_size(M->type);
}

test_int test_get(const modblas_matrix *M, int64_t i, int64_t j)
{
    const void *p = test_at(M, i, j);
    switch (M->type) {
#define GET(name, ctype)                                                                          \
    case MODBLAS_##name: {                                                                        \
        ctype x;                                                                                  \
        memcpy(&x, p, sizeof x);                                                                  \
        return (test_int)x;                                                                       \
    }
        MODBLAS_TYPE_MAP(GET)
    }
    return 0;
}

void test_set(const modblas_matrix *M, int64_t i, int64_t j, test_int value)
{
    void *p = test_at(M, i, j);
    switch (M->type) {
#define SET(name, ctype)                                                                          \
    case MODBLAS_##name: {                                                                        \
        ctype x = (ctype)value;                                                                   \
        memcpy(p, &x, sizeof x);                                                                  \
        return;                                                                                   \
    }
        MODBLAS_TYPE_MAP(SET)
    }
}

static int is_float(modblas_type type)
{
    return type == MODBLAS_F32 || type == MODBLAS_F64;
}

static int is_unsigned(modblas_type type)
{
    return type == MODBLAS_U8 || type == MODBLAS_U16 || type == MODBLAS_U32 || type == MODBLAS_U64;
}

test_int test_greatest(modblas_type type)
{
    if (is_float(type))
        return float_limit;
    int bits = 8 * (int)test_type_size(type) - !is_unsigned(type);
    return ((test_int)1 << bits) - 1;
}

test_int test_least(modblas_type type)
{
    if (is_float(type))
        return -float_limit;
    return is_unsigned(type) ? 0 : -test_greatest(type) - 1;
}

test_int test_legal(modblas_type type, test_int value)
{
    if (value < test_least(type))
        value = test_least(type);
    if (value > test_greatest(type))
        value = test_greatest(type);
    if (type != MODBLAS_F32)
        return value;
    test_int unit = 1, magnitude = value < 0 ? -value : value;
    while (magnitude / unit > 1 << 24)
        unit *= 2;
    return value / unit * unit;
}

uint64_t test_residue(test_int value, uint64_t N)
{
    if (N != 0 && value >= 0 && value <= (test_int)UINT64_MAX)
        return (uint64_t)value % N;
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N;
    test_int r = value % n;
    return (uint64_t)(r < 0 ? r + n : r);
}

test_int test_stored(uint64_t residue, modblas_type type, uint64_t N)
{
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N;
    test_int sign = test_greatest(type) + 1;
    int wraps = !is_float(type) && !is_unsigned(type) && n == 2 * sign;
    return wraps && residue >= (uint64_t)sign ? (test_int)residue - n : (test_int)residue;
}
