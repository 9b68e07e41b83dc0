/* SPDX-License-Identifier: BSD-3-Clause */
/* Engines as data: GEMMs that are exact while |every partial sum| <= S. */
#ifndef MB_EXACT_ENGINE_H
#define MB_EXACT_ENGINE_H

#include "modblas.h"

#include <stdbool.h>

typedef enum mb_element {
    MB_ELEMENT_I8,
    MB_ELEMENT_I32,
    MB_ELEMENT_I64, /* sums of thin products, of any length */
    MB_ELEMENT_F32,
    MB_ELEMENT_F64,
    MB_ELEMENT_U8, /* sums that were reduced mod m <= 256 */
    MB_ELEMENT_U16 /* ... mod m <= 65536 */
} mb_element;

/* Bytes of one element. */
size_t mb_element_size(mb_element element);

/* The entry type of the same storage. */
modblas_type mb_element_type(mb_element element);

/* Sums of the plain scheme, which needs no engine. */
typedef enum mb_sums {
    MB_SUMS_F64,    /* doubles */
    MB_SUMS_I64,    /* signed words, folded now and then */
    MB_SUMS_U64,    /* words, mod 2^64 */
    MB_SUMS_HALVES, /* the halves of products in a word each */
    MB_SUMS_DIGITS, /* doubles, one for each pair of digits */
    MB_SUMS_COUNT
} mb_sums;

const char *mb_sums_name(mb_sums sums); /* "f64" */

typedef struct mb_engine {
    const char *name;
    modblas_engine id;
    uint64_t S;             /* |every partial sum| <= S is exact, inclusive */
    uint64_t most_negative; /* operands lie in [-most_negative, most_positive] */
    uint64_t most_positive;
    mb_element in;          /* type of operands */
    mb_element acc;         /* type of sums */
    uint64_t bias;          /* makes any sum non-negative: sum + bias >= 0 */
    int radix_bits;         /* digits of the split scheme are balanced base 2^radix_bits; 0: as the
                             * modulus needs */
    int align;              /* m, n, k and leading dimensions are padded to multiples */
    const uint32_t *moduli; /* pairwise coprime, descending use order */
    int modulus_count;
} mb_engine;

extern const mb_engine mb_engine_i8;
extern const mb_engine mb_engine_f64;
extern const mb_engine mb_engine_f32;

/* True if the engine can take balanced residues mod m, or digits base m: [-floor(m/2),
 * ceil(m/2)-1]. m >= 1. */
bool mb_engine_holds(const mb_engine *engine, uint64_t m);

#endif
