/* SPDX-License-Identifier: BSD-3-Clause */
#include "moduli.h"

#define TWO_TO(e) ((uint64_t)1 << (e))
#define AROUND(x) (x) - 1, (x), (x) + 1

const uint64_t test_moduli[] = {
    1,
    2,
    3,
    7,
    127,
    128,
    251,
    AROUND(256),        /* direct/i8 ends here; one digit */
    AROUND(8193),       /* direct/f32 ends here: h = 2^12 */
    65521,              /* the largest prime below 2^16 */
    AROUND(TWO_TO(16)), /* two digits end here; 65535: all folds of a digit reach -128 */
    TWO_TO(20) - 3,
    TWO_TO(23) - 15, /* primes next to powers of two */
    TWO_TO(23) + 9,
    AROUND(TWO_TO(24)),
    TWO_TO(26) - 5,
    TWO_TO(26) + 15,
    AROUND(189812531), /* direct/f64 ends here: h^2 <= 2^53 */
    TWO_TO(31) - 1,
    TWO_TO(31),
    TWO_TO(31) + 11,
    TWO_TO(32) - 5,
    TWO_TO(32) - 1,
    TWO_TO(32),
    TWO_TO(32) + 15,
    AROUND(TWO_TO(36) + 1), /* split/f64 with a whole A ends here: h = 2^35, words of 19 bits */
    TWO_TO(40) - 87,
    AROUND(TWO_TO(48)),
    TWO_TO(52) - 47,
    TWO_TO(52) + 21,
    AROUND(TWO_TO(54)), /* split/f64 ends here */
    TWO_TO(63) - 25,
    TWO_TO(63),
    TWO_TO(63) + 29,
    UINT64_MAX - 58, /* the largest prime below 2^64 */
    UINT64_MAX,
    0,
};
const int test_moduli_count = sizeof test_moduli / sizeof test_moduli[0];

static void put(uint64_t N, uint64_t *list, int capacity, int *count)
{
    for (int i = 0; i < *count; i++) {
        if (list[i] == N)
            return;
    }
    if (*count < capacity)
        list[(*count)++] = N;
}

int test_moduli_all(uint64_t *list, int capacity)
{
    int count = 0;
    for (int i = 0; i < test_moduli_count; i++)
        put(test_moduli[i], list, capacity, &count);
    for (int k = 0; k < 64; k++) {
        for (uint64_t d = 0; d < 3; d++)
            put(TWO_TO(k) - 1 + d, list, capacity, &count);
    }
    return count;
}
