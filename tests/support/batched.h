/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's backend with fused products as a GPU's has them: their readable twin, digit by digit
 * from the same rules. A sum beyond its bound, or a tile outside C, fails with EINTERNAL. */
#ifndef TEST_SUPPORT_BATCHED_H
#define TEST_SUPPORT_BATCHED_H

#include "src/backend/backend.h"

const mb_backend *test_batched(void);

/* k of what is fused is a multiple of it from now on, until test_batched is called (1). */
void test_batched_step(int step);

/* Products that were fused since the last call. */
int64_t test_batched_count(void);

#endif
