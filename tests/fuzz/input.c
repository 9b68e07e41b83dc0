/* SPDX-License-Identifier: BSD-3-Clause */
#include "input.h"

uint8_t fuzz_byte(fuzz_input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++;
}

uint64_t fuzz_word(fuzz_input *in)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | fuzz_byte(in);
    return word;
}

int fuzz_below(fuzz_input *in, int count)
{
    return fuzz_byte(in) % count;
}

uint64_t fuzz_number(fuzz_input *in)
{
    uint64_t kind = fuzz_byte(in);
    if (kind < 128)
        return kind;
    if (kind < 192)
        return ((uint64_t)1 << (kind & 63)) + (uint64_t)fuzz_below(in, 3) - 1;
    return fuzz_word(in) >> (kind & 63);
}
