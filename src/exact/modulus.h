/* SPDX-License-Identifier: BSD-3-Clause */
/* The modulus N and its constants. N = 2^64 is stored as 0; no other file divides by N. */
#ifndef MB_EXACT_MODULUS_H
#define MB_EXACT_MODULUS_H

#include "../../kernels/arith.h"
#include "modblas.h"

#include <stdbool.h>

/* N and its reciprocal. Any word is a modulus. */
mb_mod mb_mod_make(uint64_t N);

/* Bits of N - 1, the largest residue: 0 for N = 1, 64 for N = 2^64. */
int mb_mod_bits(uint64_t N);

/* True if N is a power of two (1 and 2^64 included). */
bool mb_mod_is_power_of_two(uint64_t N);

/* True if a residue mod N can be stored in the type: it holds N - 1, or N = 2^w and the type is
 * the signed one of w bits. */
bool mb_mod_fits_type(uint64_t N, modblas_type type);

/* x^e mod N. */
uint64_t mb_mod_power(uint64_t x, uint64_t e, const mb_mod *mod);

/* 2^e mod N for any e >= 0. */
uint64_t mb_mod_power_of_two(uint64_t e, const mb_mod *mod);

/* The inverse of x modulo a small m > 1; 0 if there is none. */
uint32_t mb_inverse_small(uint32_t x, uint32_t m);

/* The least prime factor of N below 257, or 0 if there is none. N > 1. */
uint32_t mb_mod_small_factor(uint64_t N);

#endif
