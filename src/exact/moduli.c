/* SPDX-License-Identifier: BSD-3-Clause */
#include "moduli.h"

const uint32_t mb_moduli_byte[MB_MODULI_BYTE_COUNT] = {256, 255, 253, 251, 247, 241, 239,
                                                       233, 229, 227, 223, 217, 211, 199,
                                                       197, 193, 191, 181, 179, 173};

const uint32_t mb_moduli_wide[MB_MODULI_WIDE_COUNT] = {1048576, 1048575, 1048573, 1048571,
                                                       1048567, 1048561, 1048559, 1048549};
