/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of a batch that are fused (batch.cu): what the device reads of each, and how digits and
 * sums are read, compiled by the C compiler and by nvcc. */
#ifndef MB_KERNELS_BATCH_H
#define MB_KERNELS_BATCH_H

#include "scheme.h"

/* Both operands have the same number of digits of 8 bits; digits t of A and u of B meet in sum
 * t + u. A tile is MB_BATCH_TILE rows of C by as many columns, or by half of them if there are
 * more than MB_BATCH_WORD_DIGITS digits. */
enum {
    MB_BATCH_DIGITS = 8,
    MB_BATCH_WORD_DIGITS = 4,
    MB_BATCH_SUMS = 2 * MB_BATCH_DIGITS - 1,
    MB_BATCH_TILE = 64,
    MB_BATCH_LONGEST_K = 4096
};

MB_FN int mb_batch_columns(int digits)
{
    return digits > MB_BATCH_WORD_DIGITS ? MB_BATCH_TILE / 2 : MB_BATCH_TILE;
}

/* At least the magnitude of a sum: MB_BATCH_LONGEST_K * digits products of at most 2^14. */
MB_FN uint64_t mb_batch_bias(int digits)
{
    return (uint64_t)digits << 26;
}

/* How entries enter (A, then B; as in mb_cut), and what sums weigh (as in mb_join). */
typedef struct mb_batch_rule {
    mb_mod mod;
    uint64_t bound[2], center[2];
    int32_t raw[2];
    double float_limit;
    uint64_t constant; /* -bias * sum of weights mod N */
    uint64_t bias;
    uint64_t weight[MB_BATCH_SUMS]; /* alpha * 256^i mod N */
} mb_batch_rule;

/* One product. Entry (r, c) of operand i (A, B transposed, C) is at data[i] + r*row[i] + c*col[i],
 * in elements. */
typedef struct mb_batch_product {
    void *data[3];
    int64_t row[3], col[3];
    uint64_t beta;
    int32_t m, n, k;
    uint8_t type[3];
    uint8_t swapped; /* A and B are the caller's B and A: which bits of a fault to set */
} mb_batch_product;

/* A tile of a product, the row-th down and the column-th across. */
typedef struct mb_batch_tile {
    uint32_t product, rule;
    uint16_t row, column;
} mb_batch_tile;

/* What an operand's cut needs of the rule. */
MB_FN mb_cut mb_batch_cut(const mb_batch_rule *rule, int operand)
{
    mb_cut cut;
    cut.mod = rule->mod;
    cut.raw = rule->raw[operand];
    cut.bound = rule->bound[operand];
    cut.center = rule->center[operand];
    cut.float_limit = rule->float_limit;
    return cut;
}

/* What sum w adds to v. Of few digits weights are words, and all sums together fit 64 bits:
 * 7 * 2^29 * 2^32 < 2^64. */
MB_FN mb_u128 mb_batch_add(mb_u128 v, int32_t sum, int w, int digits, const mb_batch_rule *rule)
{
    const uint32_t y = (uint32_t)sum + (uint32_t)rule->bias;
    if (digits > MB_BATCH_WORD_DIGITS)
        return mb_mad128(v, y, rule->weight[w]);
    v.lo += (uint64_t)y * (uint32_t)rule->weight[w];
    return v;
}

MB_FN uint64_t mb_batch_finish(mb_u128 v, int digits, const mb_batch_rule *rule)
{
    return digits > MB_BATCH_WORD_DIGITS ? mb_reduce128(v, &rule->mod)
                                         : mb_reduce64(v.lo, &rule->mod);
}

#endif
