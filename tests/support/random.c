/* SPDX-License-Identifier: BSD-3-Clause */
#include "random.h"

/* SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014. */
uint64_t test_word(test_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t test_below(test_random *random, uint64_t n)
{
    uint64_t hi = test_word(random), lo = test_word(random);
    if (n == 0)
        return lo;
    return (uint64_t)((((unsigned __int128)hi << 64) | lo) % n);
}
