/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the products of a batch are independent. */
#ifndef MB_APART_H
#define MB_APART_H

#include "status.h"

/* EINVAL with a sentence about two products unless every C is apart from every other product's C,
 * A and B: their byte ranges do not meet or, where both are lines of neighbours and the lines of
 * both are the same distance apart, they share no byte. Requires checked views. Takes time n log n
 * where byte ranges do not meet, and for Cs side by side in one matrix. */
modblas_status mb_check_apart(const modblas_product *product, int64_t count);

#endif
