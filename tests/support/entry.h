/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries of views as integers, read and written without the library's help. */
#ifndef TEST_SUPPORT_ENTRY_H
#define TEST_SUPPORT_ENTRY_H

#include "modblas.h"

typedef __int128 test_int; /* holds every entry of every type */

/* Address of entry (i, j). */
void *test_at(const modblas_matrix *M, int64_t i, int64_t j);

/* Entry (i, j). Requires: an integer, if the type is floating. */
test_int test_get(const modblas_matrix *M, int64_t i, int64_t j);

/* Requires: the type holds the value. */
void test_set(const modblas_matrix *M, int64_t i, int64_t j, test_int value);

/* Smallest and largest legal entry of a type. */
test_int test_least(modblas_type type);
test_int test_greatest(modblas_type type);

/* The legal entry next to value, towards 0 (F32 holds 24 significant bits). */
test_int test_legal(modblas_type type, test_int value);

/* value mod N in [0, N). */
uint64_t test_residue(test_int value, uint64_t N);

/* What C holds for a residue: the residue, or for N = 2^w on the signed type of w bits its two's
 * complement. */
test_int test_stored(uint64_t residue, modblas_type type, uint64_t N);

size_t test_type_size(modblas_type type);

#endif
