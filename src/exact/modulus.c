/* SPDX-License-Identifier: BSD-3-Clause */
#include "modulus.h"

#include "bound.h"

mb_mod mb_mod_make(uint64_t N)
{
    mb_mod mod = {.n = N, .half = N / 2};
    if (N == 0) {
        mod.half = (uint64_t)1 << 63;
        return mod;
    }
    mod.shift = (uint32_t)__builtin_clzll(N);
    mod.norm = N << mod.shift;
    mod.recip = UINT64_MAX / N;
    unsigned __int128 all = ~(unsigned __int128)0;
    mod.inv = (uint64_t)(all / mod.norm - ((unsigned __int128)1 << 64));
    return mod;
}

int mb_mod_bits(uint64_t N)
{
    return N == 1 ? 0 : 64 - __builtin_clzll(N - 1);
}

bool mb_mod_is_power_of_two(uint64_t N)
{
    return (N & (N - 1)) == 0;
}

bool mb_mod_fits_type(uint64_t N, modblas_type type)
{
    if (N - 1 <= mb_type_largest(type))
        return true;
    return mb_mod_is_power_of_two(N) && mb_type_is_signed_integer(type) &&
           mb_mod_bits(N) == mb_type_bits(type);
}

uint64_t mb_mod_power(uint64_t x, uint64_t e, const mb_mod *mod)
{
    uint64_t result = mb_reduce64(1, mod);
    for (uint64_t square = mb_reduce64(x, mod); e > 0; e >>= 1) {
        if (e & 1)
            result = mb_mulmod(result, square, mod);
        square = mb_mulmod(square, square, mod);
    }
    return result;
}

uint64_t mb_mod_power_of_two(uint64_t e, const mb_mod *mod)
{
    return mb_mod_power(2, e, mod);
}

uint32_t mb_inverse_small(uint32_t x, uint32_t m)
{
    int64_t r0 = m, r1 = x % m, t0 = 0, t1 = 1;
    while (r1 != 0) {
        int64_t q = r0 / r1, r2 = r0 - q * r1, t2 = t0 - q * t1;
        r0 = r1;
        r1 = r2;
        t0 = t1;
        t1 = t2;
    }
    if (r0 != 1)
        return 0;
    return (uint32_t)(t0 < 0 ? t0 + m : t0);
}

uint32_t mb_mod_small_factor(uint64_t N)
{
    if (N == 0)
        return 2;
    for (uint32_t p = 2; p < 257; p++) {
        if (N % p == 0)
            return p;
    }
    return 0;
}
