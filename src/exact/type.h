/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about entry types. */
#ifndef MB_EXACT_TYPE_H
#define MB_EXACT_TYPE_H

#include "modblas.h"

#include <stdbool.h>

bool mb_type_is_valid(modblas_type type);
const char *mb_type_name(modblas_type type); /* "u8" */
size_t mb_type_size(modblas_type type);      /* bytes */
int mb_type_bits(modblas_type type);
bool mb_type_is_signed_integer(modblas_type type);
bool mb_type_is_float(modblas_type type);

/* The largest n such that every integer of [0, n] is a legal entry. */
uint64_t mb_type_largest(modblas_type type);

/* Legal entries x have -most_negative <= x <= most_positive. */
uint64_t mb_type_most_negative(modblas_type type);
uint64_t mb_type_most_positive(modblas_type type);

#endif
