/* SPDX-License-Identifier: BSD-3-Clause */
#include "batch.h"

enum { BITS = 8 };

static int digits_of(mb_entries *entries, uint64_t N)
{
    const int digits = entries->raw ? mb_bound_digits_of_range(entries->range, BITS) : 0;
    entries->raw = digits > 0;
    return digits > 0 ? digits : mb_bound_digits_of_residues(N, BITS);
}

mb_batch_math mb_batch_math_of(modblas_type a, modblas_type b, uint64_t N)
{
    mb_batch_math math = {.a = mb_bound_entries(a, N, 0), .b = mb_bound_entries(b, N, 0)};
    const int x = digits_of(&math.a, N), y = digits_of(&math.b, N);
    const int most = x > y ? x : y;
    /* Weights of few digits are words. */
    math.digits = mb_mod_bits(N) > 32 ? MB_BATCH_DIGITS : 1;
    while (math.digits < most)
        math.digits *= 2;
    return math;
}

bool mb_batch_is_exact(const mb_batch_math *math, int64_t k)
{
    const uint64_t half = (uint64_t)1 << (BITS - 1), digits = (uint64_t)math->digits;
    return k <= mb_bound_longest_k(mb_engine_i8.S / digits, half, half) &&
           k <= mb_bound_longest_k(mb_batch_bias(math->digits) / digits, half, half);
}

/* Beyond these sizes a product of its own is no slower on an H200. */
enum { LARGEST = 768 };

bool mb_batch_pays(int64_t m, int64_t n, int digits)
{
    const int64_t most = digits > MB_BATCH_WORD_DIGITS ? LARGEST / 2 : LARGEST;
    return m <= most && n <= most;
}

static void set_operand(mb_batch_rule *rule, int i, const mb_entries *entries, int digits)
{
    const uint64_t center = mb_bound_digit_center(BITS, digits);
    rule->raw[i] = entries->raw;
    rule->bound[i] = entries->limit;
    rule->center[i] = entries->raw ? center : mb_reduce64(center, &rule->mod);
}

mb_batch_rule mb_batch_rule_of(const mb_batch_math *math, uint64_t N, uint64_t alpha)
{
    mb_batch_rule rule = {
        .mod = mb_mod_make(N), .float_limit = MB_FLOAT_LIMIT, .bias = mb_batch_bias(math->digits)};
    set_operand(&rule, 0, &math->a, math->digits);
    set_operand(&rule, 1, &math->b, math->digits);
    const uint64_t radix = mb_reduce64((uint64_t)1 << BITS, &rule.mod);
    uint64_t weights = 0;
    for (int w = 0; w < 2 * math->digits - 1; w++) {
        rule.weight[w] = alpha;
        weights = mb_addmod(weights, alpha, &rule.mod);
        alpha = mb_mulmod(alpha, radix, &rule.mod);
    }
    rule.constant = mb_negmod(mb_mulmod(rule.bias, weights, &rule.mod), &rule.mod);
    return rule;
}
