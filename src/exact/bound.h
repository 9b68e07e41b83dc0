/* SPDX-License-Identifier: BSD-3-Clause */
/* The exactness predicates: everything that decides whether a sum is exact is asked here and
 * nowhere else, in integers. Planner and executor call the same functions.
 *
 * Convention: S is inclusive. An engine is exact while |every partial sum| <= S.
 */
#ifndef MB_EXACT_BOUND_H
#define MB_EXACT_BOUND_H

#include "engine.h"
#include "modulus.h"
#include "type.h"

/* Entries of floating types are integers of at most this magnitude. */
#define MB_FLOAT_LIMIT 9007199254740992.0

/* Integers x with -neg <= x <= pos. */
typedef struct mb_range {
    uint64_t neg, pos;
} mb_range;

/* max(neg, pos): |x| <= magnitude. */
uint64_t mb_range_magnitude(mb_range range);

/* What is known of the entries of an operand as they enter the product. */
typedef struct mb_entries {
    mb_range
        range; /* of what enters: the entries themselves if raw, else their balanced residues */
    bool raw;  /* not reduced mod N, since that would not make them smaller */
    uint64_t limit; /* an entry of larger magnitude breaks what the caller stated */
} mb_entries;

/* stated = 0: the caller stated no bound. */
mb_entries mb_bound_entries(modblas_type type, uint64_t N, uint64_t stated);

/* The balanced residues mod m: [-floor(m/2), ceil(m/2) - 1]; m = 0 is 2^64. */
mb_range mb_bound_residues(uint64_t m);

bool mb_bound_holds(const mb_engine *engine, mb_range range);

/* The largest k with k*a*b <= S; INT64_MAX if a*b = 0 (or if larger than that). */
int64_t mb_bound_longest_k(uint64_t S, uint64_t a, uint64_t b);

/* Sums of thin products: those of 32 bits are added up in int64, |every sum| <= MB_LONG_SUM. */
#define MB_LONG_SUM ((uint64_t)1 << 46)

/* ---- plain: no GEMM; residues in [0, N), or for F64 what enters an engine ------------------ */

/* How sums of I64 stay in a word: after `every` products, each sum s <- s - by or, if it is
 * negative, s + by. N divides `by`; from |s| <= by products lead to |s| <= 2*by < 2^63, or N
 * divides 2^64 and s may wrap. `every` is 0 if there is no such number. */
typedef struct mb_fold {
    uint64_t by;
    int64_t every;
} mb_fold;
mb_fold mb_bound_fold(uint64_t N, mb_range a, mb_range b);

/* The cheapest sums that hold k products: F64 if k*a*b <= 2^53; I64 if N <= 2^32, entries have 32
 * bits and folds are not too many; U64 if k (N-1)^2 < 2^64 or N divides 2^64. The others are
 * reduced after MB_PLAIN_DEPTH products: HALVES if N <= 2^32; else DIGITS, since MB_PLAIN_DEPTH
 * (2^MB_DIGIT_BITS - 1)^2 < 2^52, with MB_DIGITS digits that hold any residue. */
enum { MB_DIGIT_BITS = 22, MB_DIGITS = 3, MB_PLAIN_DEPTH = 256 };

/* So many products of an entry of 32 bits and a digit sum up to less than 2^63. */
enum { MB_FEW_RUN = 512 };

mb_sums mb_bound_plain_sums(uint64_t N, int64_t k, mb_range a, mb_range b);

/* ---- digits: balanced base 2^bits, d of them: each in [-2^(bits-1), 2^(bits-1) - 1] --------- */

/* The number that must be added to make all digits non-negative: 2^(bits-1) (2^(bits d) -
 * 1)/(2^bits - 1). Numbers in [-center, 2^(bits d) - 1 - center] have d digits. Requires bits*d
 * <= 64. */
uint64_t mb_bound_digit_center(int bits, int d);

/* The least d such that every residue mod N has a representative with d digits (N <= 2^(bits d)).
 */
int mb_bound_digits_of_residues(uint64_t N, int bits);

/* The least d such that every number of the range has d digits; 0 if that needs more than 64 bits.
 */
int mb_bound_digits_of_range(mb_range range, int bits);

/* ---- residues: X is rebuilt from its residues mod m_0 .. m_(s-1) -------------------------- */

/* Bits f of the fractions F_i = round(2^f/m_i) for a table of moduli, the largest of which comes
 * first: 32, or 15 if all are bytes; those of moduli from 129 on then are bytes, too. */
int mb_bound_fraction_bits(const uint32_t *moduli);

/* True if every |X| <= k*a*b is rebuilt exactly by mb_join (kernels/scheme.h): with M the product
 * of the moduli, k*a*b/M + sum (m_i - 1)/2^(f+1) < 1/2, where the second term bounds the rounding
 * of the fractions. */
bool mb_bound_rns_is_exact(const uint32_t *moduli, int s, int64_t k, uint64_t a, uint64_t b);

/* The least s for which that holds; 0 if the table is too short. */
int mb_bound_rns_moduli(const uint32_t *moduli, int count, int64_t k, uint64_t a, uint64_t b);

#endif
