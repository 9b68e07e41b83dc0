/* SPDX-License-Identifier: BSD-3-Clause */
/* Reproducible random words. */
#ifndef TEST_SUPPORT_RANDOM_H
#define TEST_SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct test_random {
    uint64_t state; /* any value is a seed */
} test_random;

uint64_t test_word(test_random *random);

/* Uniform in [0, n) up to a bias of n/2^128; n = 0 is 2^64. */
uint64_t test_below(test_random *random, uint64_t n);

#endif
