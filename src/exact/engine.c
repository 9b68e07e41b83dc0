/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine.h"

#include "moduli.h"

#define TWO_TO(e) ((uint64_t)1 << (e))

const mb_engine mb_engine_i8 = {
    .name = "i8",
    .id = MODBLAS_ENGINE_I8,
    .S = TWO_TO(31) - 1,
    .most_negative = 128,
    .most_positive = 127,
    .in = MB_ELEMENT_I8,
    .acc = MB_ELEMENT_I32,
    .bias = TWO_TO(31),
    .radix_bits = 8,
    .align = 16,
    .moduli = mb_moduli_byte,
    .modulus_count = MB_MODULI_BYTE_COUNT,
};

const mb_engine mb_engine_f64 = {
    .name = "f64",
    .id = MODBLAS_ENGINE_F64,
    .S = TWO_TO(53),
    .most_negative = TWO_TO(53),
    .most_positive = TWO_TO(53),
    .in = MB_ELEMENT_F64,
    .acc = MB_ELEMENT_F64,
    .bias = TWO_TO(53),
    .radix_bits = 0,
    .align = 8,
    .moduli = mb_moduli_wide,
    .modulus_count = MB_MODULI_WIDE_COUNT,
};

const mb_engine mb_engine_f32 = {
    .name = "f32",
    .id = MODBLAS_ENGINE_F32,
    .S = TWO_TO(24),
    .most_negative = TWO_TO(24),
    .most_positive = TWO_TO(24),
    .in = MB_ELEMENT_F32,
    .acc = MB_ELEMENT_F32,
    .bias = TWO_TO(31),
    .radix_bits = 8,
    .align = 16,
    .moduli = mb_moduli_byte,
    .modulus_count = MB_MODULI_BYTE_COUNT,
};

size_t mb_element_size(mb_element element)
{
    static const size_t size[] = {
        [MB_ELEMENT_I8] = 1,  [MB_ELEMENT_I32] = 4, [MB_ELEMENT_I64] = 8, [MB_ELEMENT_F32] = 4,
        [MB_ELEMENT_F64] = 8, [MB_ELEMENT_U8] = 1,  [MB_ELEMENT_U16] = 2};
    return size[element];
}

modblas_type mb_element_type(mb_element element)
{
    static const modblas_type type[] = {
        [MB_ELEMENT_I8] = MODBLAS_I8,   [MB_ELEMENT_I32] = MODBLAS_I32,
        [MB_ELEMENT_I64] = MODBLAS_I64, [MB_ELEMENT_F32] = MODBLAS_F32,
        [MB_ELEMENT_F64] = MODBLAS_F64, [MB_ELEMENT_U8] = MODBLAS_U8,
        [MB_ELEMENT_U16] = MODBLAS_U16};
    return type[element];
}

const char *mb_sums_name(mb_sums sums)
{
    static const char *const name[MB_SUMS_COUNT] = {"f64", "i64", "u64", "halves", "digits"};
    return name[sums];
}

bool mb_engine_holds(const mb_engine *engine, uint64_t m)
{
    return m / 2 <= engine->most_negative && (m - 1) / 2 <= engine->most_positive;
}
