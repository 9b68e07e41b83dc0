/* SPDX-License-Identifier: BSD-3-Clause */
/* The moduli that every test of products and arithmetic runs through. */
#ifndef TEST_SUPPORT_MODULI_H
#define TEST_SUPPORT_MODULI_H

#include <stdint.h>

/* 1, 2, 3; powers of two and their neighbours; the largest N of each scheme and its neighbours;
 * the primes next to 2^23, 2^26, 2^31, 2^32, 2^52, 2^63, 2^64; 2^64 itself (0). */
extern const uint64_t test_moduli[];
extern const int test_moduli_count;

/* All 2^k - 1, 2^k, 2^k + 1 for 0 <= k <= 64 that are words, and test_moduli: at most `capacity`
 * of them go to list. Returns their number. */
int test_moduli_all(uint64_t *list, int capacity);

#endif
