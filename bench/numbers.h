/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as people write them: 65521, 2^31-1, 2^20+7, 2GB. Parsers take the whole text and say
 * false for anything else. */
#ifndef MB_BENCH_NUMBERS_H
#define MB_BENCH_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

enum { MB_NUMBER_SIZE = 24 };

/* 1 to 2^64, which becomes 0. */
bool mb_parse_modulus(const char *text, uint64_t *N);

/* 0 to 2^63 - 1. */
bool mb_parse_size(const char *text, int64_t *size);

/* 0 to 2^64 - 1, also with KB, MB or GB (powers of 1000). */
bool mb_parse_bytes(const char *text, uint64_t *bytes);

/* A finite number >= 0. */
bool mb_parse_seconds(const char *text, double *seconds);

/* Decimal; 2^64 in full. */
void mb_write_modulus(char text[MB_NUMBER_SIZE], uint64_t N);

/* 2^e, 2^e-c or 2^e+c where that is short and N is not; else decimal. */
void mb_write_modulus_short(char text[MB_NUMBER_SIZE], uint64_t N);

#endif
