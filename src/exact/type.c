/* SPDX-License-Identifier: BSD-3-Clause */
#include "type.h"

#include "bound.h"

typedef enum { UNSIGNED, SIGNED, FLOATING } kind;

typedef struct {
    const char *name;
    size_t size;
    kind kind;
    uint64_t exact; /* floating: all integers up to this are entries */
} facts;

static const facts table[] = {
    [MODBLAS_U8] = {"u8", 1, UNSIGNED, 0},
    [MODBLAS_U16] = {"u16", 2, UNSIGNED, 0},
    [MODBLAS_U32] = {"u32", 4, UNSIGNED, 0},
    [MODBLAS_U64] = {"u64", 8, UNSIGNED, 0},
    [MODBLAS_I8] = {"i8", 1, SIGNED, 0},
    [MODBLAS_I16] = {"i16", 2, SIGNED, 0},
    [MODBLAS_I32] = {"i32", 4, SIGNED, 0},
    [MODBLAS_I64] = {"i64", 8, SIGNED, 0},
    [MODBLAS_F32] = {"f32", 4, FLOATING, (uint64_t)1 << 24},
    [MODBLAS_F64] = {"f64", 8, FLOATING, (uint64_t)1 << 53},
};

bool mb_type_is_valid(modblas_type type)
{
    return (unsigned)type < sizeof table / sizeof table[0];
}

const char *mb_type_name(modblas_type type)
{
    return table[type].name;
}

size_t mb_type_size(modblas_type type)
{
    return table[type].size;
}

int mb_type_bits(modblas_type type)
{
    return 8 * (int)table[type].size;
}

bool mb_type_is_signed_integer(modblas_type type)
{
    return table[type].kind == SIGNED;
}

bool mb_type_is_float(modblas_type type)
{
    return table[type].kind == FLOATING;
}

uint64_t mb_type_largest(modblas_type type)
{
    if (table[type].kind == FLOATING)
        return table[type].exact;
    return mb_type_most_positive(type);
}

uint64_t mb_type_most_negative(modblas_type type)
{
    if (table[type].kind == FLOATING)
        return (uint64_t)MB_FLOAT_LIMIT;
    return table[type].kind == SIGNED ? (uint64_t)1 << (mb_type_bits(type) - 1) : 0;
}

uint64_t mb_type_most_positive(modblas_type type)
{
    if (table[type].kind == FLOATING)
        return (uint64_t)MB_FLOAT_LIMIT;
    uint64_t all = UINT64_MAX >> (64 - mb_type_bits(type));
    return table[type].kind == SIGNED ? all / 2 : all;
}
