/* SPDX-License-Identifier: BSD-3-Clause */
#include "numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

/* Numbers up to 2^64 in decimal notation and as powers stay below this. */
#define WIDE_LIMIT ((wide)1 << 65)

/* Reads digits at *text and moves it behind them. */
static bool read_digits(const char **text, wide *value)
{
    const char *p = *text;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        *value = *value * 10u + digit;
        if (*value >= WIDE_LIMIT)
            return false;
    }
    bool any = p != *text;
    *text = p;
    return any;
}

/* Reads d, 2^e, 2^e-c or 2^e+c and moves *text behind it. */
static bool read_number(const char **text, wide *value)
{
    wide exponent, c;
    if (!read_digits(text, value))
        return false;
    if (**text != '^')
        return true;
    ++*text;
    if (*value != 2 || !read_digits(text, &exponent) || exponent > 64)
        return false;
    *value = (wide)1 << exponent;
    char sign = **text;
    if (sign != '-' && sign != '+')
        return true;
    ++*text;
    if (!read_digits(text, &c) || (sign == '-' && c > *value))
        return false;
    *value = sign == '-' ? *value - c : *value + c;
    return true;
}

bool mb_parse_modulus(const char *text, uint64_t *N)
{
    wide value;
    if (!read_number(&text, &value) || *text != 0 || value < 1 || value > (wide)1 << 64)
        return false;
    *N = (uint64_t)value;
    return true;
}

bool mb_parse_size(const char *text, int64_t *size)
{
    wide value;
    if (!read_number(&text, &value) || *text != 0 || value > INT64_MAX)
        return false;
    *size = (int64_t)value;
    return true;
}

bool mb_parse_bytes(const char *text, uint64_t *bytes)
{
    static const char *const unit[] = {"", "KB", "MB", "GB"};
    wide value, factor = 1;
    if (!read_number(&text, &value))
        return false;
    for (int i = 0; i < 4; i++, factor *= 1000) {
        if (strcmp(text, unit[i]) == 0) {
            *bytes = (uint64_t)(value * factor);
            return value * factor <= UINT64_MAX;
        }
    }
    return false;
}

bool mb_parse_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*seconds) && *seconds >= 0;
}

void mb_write_modulus(char text[MB_NUMBER_SIZE], uint64_t N)
{
    if (N == 0)
        snprintf(text, MB_NUMBER_SIZE, "18446744073709551616");
    else
        snprintf(text, MB_NUMBER_SIZE, "%" PRIu64, N);
}

void mb_write_modulus_short(char text[MB_NUMBER_SIZE], uint64_t N)
{
    enum { SHORT = 65536, FAR = 1000 };
    if (N == 0) {
        snprintf(text, MB_NUMBER_SIZE, "2^64");
        return;
    }
    int e = 63 - __builtin_clzll(N);
    uint64_t above = N - ((uint64_t)1 << e);
    uint64_t below = (e == 63 ? 0 : (uint64_t)1 << (e + 1)) - N;
    if (N >= SHORT && above == 0)
        snprintf(text, MB_NUMBER_SIZE, "2^%d", e);
    else if (N >= SHORT && above < FAR)
        snprintf(text, MB_NUMBER_SIZE, "2^%d+%" PRIu64, e, above);
    else if (N > SHORT && below < FAR)
        snprintf(text, MB_NUMBER_SIZE, "2^%d-%" PRIu64, e + 1, below);
    else
        mb_write_modulus(text, N);
}
