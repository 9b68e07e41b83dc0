/* SPDX-License-Identifier: BSD-3-Clause */
/* A backend that is the host's except for its GEMM, which computes in 128-bit integers and fails
 * with EINTERNAL if partial sums in any order could pass S, or if an operand does not fit the
 * engine. Engines can be chosen, and may be smaller than any machine's. */
#ifndef TEST_SUPPORT_MODEL_H
#define TEST_SUPPORT_MODEL_H

#include "src/backend/backend.h"

/* Requires count <= MB_MAX_ENGINES. */
void test_model_make(mb_backend *backend, const mb_engine *const *engines, int count);

/* Tiny engines: int8 operands, int32 sums, S from 15 to 255. */
enum { TEST_TINY_COUNT = 5 };
extern const mb_engine test_tiny[TEST_TINY_COUNT];

#endif
