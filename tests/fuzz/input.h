/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a fuzzer as a stream of choices; behind their end there are zeros. */
#ifndef TEST_FUZZ_INPUT_H
#define TEST_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_input {
    const uint8_t *data;
    size_t left;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *in);
uint64_t fuzz_word(fuzz_input *in); /* eight bytes */

/* In [0, count), count from 1 to 256. */
int fuzz_below(fuzz_input *in, int count);

/* One of many numbers: small ones, powers of two and their neighbours, or any word. */
uint64_t fuzz_number(fuzz_input *in);

#endif
