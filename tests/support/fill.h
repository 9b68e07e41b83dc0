/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of operands. Random data says nothing about bounds: every exactness test also runs the
 * others. */
#ifndef TEST_SUPPORT_FILL_H
#define TEST_SUPPORT_FILL_H

#include "entry.h"
#include "random.h"

typedef enum test_data {
    TEST_RANDOM,     /* residues in [0, N) where the type holds them */
    TEST_UNREDUCED,  /* any entries of the type */
    TEST_ALL_HIGH,   /* all entries at the upper end of the balanced residues */
    TEST_ALL_LOW,    /* all at the lower end */
    TEST_OPPOSITE,   /* A high, B low */
    TEST_ONE_LINE,   /* so for one row of A and one column of B; the rest random */
    TEST_PLANES_LOW, /* all entries = 128 mod 256: residues mod 256 and digits 0 are -128 */
    TEST_DIGITS_LOW, /* all balanced digits base 256 are -128 */
    TEST_CORNERS,    /* lines of A and B in turn high, low, planes low, digits low, random: with 5
                        lines each, all pairs */
    TEST_DATA_COUNT
} test_data;

const char *test_data_name(test_data data);

/* The entry that bal() takes to an end of the balanced residues mod N, or the legal entry of the
 * type nearest to that end; magnitude at most bound (0: no bound). */
test_int test_extreme(modblas_type type, uint64_t N, uint64_t bound, int low);

/* Fills all of M with residues mod N or, if unreduced, with any entries; |entry| <= bound. */
void test_fill_random(const modblas_matrix *M, uint64_t N, uint64_t bound, int unreduced,
                      test_random *random);

/* Fills both operands; a bound of 0 is none. */
void test_fill_operands(const modblas_matrix *A, const modblas_matrix *B, test_data data,
                        uint64_t N, uint64_t bound_a, uint64_t bound_b, test_random *random);

#endif
