/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of pairwise coprime moduli for the residue scheme, in the order of use. */
#ifndef MB_EXACT_MODULI_H
#define MB_EXACT_MODULI_H

#include <stdint.h>

enum { MB_MODULI_BYTE_COUNT = 20, MB_MODULI_WIDE_COUNT = 8 };

/* At most 256, 155.37 bits together: the largest pairwise coprime ones, greedily. */
extern const uint32_t mb_moduli_byte[MB_MODULI_BYTE_COUNT];

/* At most 2^20, 159.99 bits together. */
extern const uint32_t mb_moduli_wide[MB_MODULI_WIDE_COUNT];

#endif
