/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of matrices in host memory: reading, writing, random and extremal data. */
#ifndef MB_BENCH_DATA_H
#define MB_BENCH_DATA_H

#include "src/exact/bound.h"

/* An entry: -magnitude if negative. */
typedef struct mb_number {
    uint64_t magnitude;
    bool negative;
} mb_number;

/* False for an entry of a floating type that mb_entry_get cannot give. */
bool mb_entry_is_integer(const modblas_matrix *view, int64_t i, int64_t j);

/* The entry (i, j), which is an integer. */
mb_number mb_entry_get(const modblas_matrix *view, int64_t i, int64_t j);

/* Requires that the view's type holds the number. */
void mb_entry_set(const modblas_matrix *view, int64_t i, int64_t j, mb_number x);

uint64_t mb_number_residue(mb_number x, const mb_mod *mod);

/* How a type that fits N stores the residue r: r, or r - N in two's complement. */
mb_number mb_number_of_residue(uint64_t r, modblas_type type);

/* xoshiro256**, seeded by splitmix64. Source: D. Blackman, S. Vigna, "Scrambled linear
 * pseudorandom number generators", ACM TOMS 47 (2021). */
typedef struct mb_random {
    uint64_t s[4];
} mb_random;

void mb_random_seed(mb_random *random, uint64_t seed);
uint64_t mb_random_next(mb_random *random);

/* Nearly uniform below `count`; 0 is 2^64. */
uint64_t mb_random_below(mb_random *random, uint64_t count);

/* Uniform over the residues mod N, stored as the type does (unsigned: [0, N), others: balanced),
 * or over the type's range where that is smaller. */
void mb_fill_random(const modblas_matrix *view, uint64_t N, mb_random *random);

/* All entries have the balanced value of largest magnitude that the type can store: the largest
 * if high, else the least. An unsigned type stores -h as N - h. */
void mb_fill_extremal(const modblas_matrix *view, uint64_t N, bool high);

/* The smallest unsigned type that holds N - 1. */
modblas_type mb_smallest_type(uint64_t N);

#endif
