/* SPDX-License-Identifier: BSD-3-Clause */
/* Residues by double arithmetic, for wide planes and for sums of doubles: what mb_cut_wide and
 * mb_join_f64 (kernels/scheme.h) compute, in operations that vectors have.
 *
 * Let |x| <= 2^53 and 16 < m, and let recip be (1 - 2^-50)/m, rounded. Then |x * recip|, rounded,
 * is below |x|/m, by less than 2^-49 |x|/m < 1, so that q = trunc(x * recip) is the quotient or
 * one too near 0; q*m and x - q*m are exact, and |x - q*m| < 2m. */
#include "host.h"

#include <math.h>

static const double two_31 = 2147483648.0, nearly_one = 1 - 0x1p-50;

/* x - q*m as above. */
static inline double rest(double x, double m, double recip)
{
    return x - trunc(x * recip) * m;
}

bool mb_host_is_divisor(uint64_t m, uint64_t most)
{
    return m > 16 && m <= most;
}

MB_MANY_TARGETS static void halves(double *lo, double *hi, const uint64_t *u, int count)
{
    const uint32_t sign = (uint32_t)1 << 31;
    for (int j = 0; j < count; j++) {
        lo[j] = (double)(int32_t)((uint32_t)u[j] ^ sign) + two_31;
        hi[j] = (double)(int32_t)((uint32_t)(u[j] >> 32) ^ sign) + two_31;
    }
}

/* u * fold + add is lo * fold + hi * (2^32 * fold mod m) + add modulo m: below 2^53. */
MB_MANY_TARGETS static void cut_wide(double *dst, const double *lo, const double *hi, int count,
                                     const mb_plane *plane)
{
    const double m = plane->m, recip = nearly_one / m, half = plane->half, add = plane->add;
    const double low = plane->fold, high = (double)(((uint64_t)plane->fold << 32) % plane->m);
    for (int j = 0; j < count; j++) {
        double r = rest(lo[j] * low + hi[j] * high + add, m, recip);
        dst[j] = (r >= m ? r - m : r) - half;
    }
}

/* Sums of plane p as doubles: they themselves, or in buffer[]. */
static inline const double *doubles_of(double *buffer, const void *sums, mb_element type,
                                       int64_t first, int count)
{
    if (type == MB_ELEMENT_F64)
        return (const double *)sums + first;
    for (int j = 0; j < count && type == MB_ELEMENT_I32; j++)
        buffer[j] = ((const int32_t *)sums)[first + j];
    for (int j = 0; j < count && type == MB_ELEMENT_F32; j++)
        buffer[j] = ((const float *)sums)[first + j];
    return buffer;
}

/* y = sum mod m. Requires: m <= 2^31. */
static inline void remainders(uint32_t *y, const double *sum, int count, uint32_t divisor)
{
    const double m = divisor, recip = nearly_one / m;
    for (int j = 0; j < count; j++) {
        double r = rest(sum[j], m, recip);
        r += r < 0 ? 2 * m : 0;
        y[j] = (uint32_t)(int32_t)(r >= m ? r - m : r);
    }
}

/* Terms of at most 2^31 * 2^31. */
MB_MANY_TARGETS static void join_digits(uint64_t *r, const void *sums, mb_element type,
                                        int64_t stride, int count, const mb_join *join)
{
    uint32_t y[MB_HOST_RUN];
    double x[MB_HOST_RUN];
    for (int j = 0; j < count; j++)
        r[j] = 0;
    for (int p = 0; p < join->terms; p++) {
        const uint32_t weight = (uint32_t)join->term[p].weight;
        remainders(y, doubles_of(x, sums, type, p * stride, count), count, (uint32_t)join->mod.n);
        for (int j = 0; j < count; j++)
            r[j] += (uint64_t)y[j] * weight;
    }
    for (int j = 0; j < count; j++)
        r[j] = mb_reduce64(r[j], &join->mod);
}

/* The halves of weights are summed apart: each term is below 2^20 * 2^32. */
MB_MANY_TARGETS static void join_residues(uint64_t *r, const void *sums, mb_element type,
                                          int64_t stride, int count, const mb_join *join)
{
    uint32_t y[MB_HOST_RUN];
    double x[MB_HOST_RUN];
    uint64_t t[MB_HOST_RUN], lo[MB_HOST_RUN], hi[MB_HOST_RUN];
    for (int j = 0; j < count; j++) {
        t[j] = ((uint64_t)1 << join->fraction_bits) >> 1;
        lo[j] = hi[j] = 0;
    }
    for (int p = 0; p <= join->terms; p++) {
        bool last = p == join->terms;
        const mb_term *term = &join->term[last ? 0 : p];
        const uint64_t weight = last ? join->minus_M : term->weight;
        const uint32_t low = (uint32_t)weight, high = (uint32_t)(weight >> 32);
        const uint32_t fraction = term->fraction;
        if (!last)
            remainders(y, doubles_of(x, sums, type, p * stride, count), count, term->m);
        for (int j = 0; j < count && last; j++)
            y[j] = (uint32_t)(t[j] >> join->fraction_bits);
        for (int j = 0; j < count; j++) {
            t[j] += (uint64_t)y[j] * fraction;
            lo[j] += (uint64_t)y[j] * low;
            hi[j] += (uint64_t)y[j] * high;
        }
    }
    for (int j = 0; j < count; j++) {
        unsigned __int128 v = ((unsigned __int128)hi[j] << 32) + lo[j];
        r[j] = join->narrow
                   ? mb_reduce64((uint64_t)v, &join->mod)
                   : mb_reduce128((mb_u128){(uint64_t)v, (uint64_t)(v >> 64)}, &join->mod);
    }
}

void mb_host_halves(double *lo, double *hi, const uint64_t *u, int count)
{
    halves(lo, hi, u, count);
}

void mb_host_cut_wide(double *dst, const double *lo, const double *hi, int count,
                      const mb_plane *plane)
{
    cut_wide(dst, lo, hi, count, plane);
}

void mb_host_join_digits(uint64_t *r, const void *sums, mb_element type, int64_t stride, int count,
                         const mb_join *join)
{
    join_digits(r, sums, type, stride, count, join);
}

void mb_host_join_residues(uint64_t *r, const void *sums, mb_element type, int64_t stride,
                           int count, const mb_join *join)
{
    join_residues(r, sums, type, stride, count, join);
}
