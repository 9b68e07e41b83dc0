/* SPDX-License-Identifier: BSD-3-Clause */
/* The contexts that a fuzzer's products run on: made once each, and kept. */
#ifndef TEST_FUZZ_CONTEXTS_H
#define TEST_FUZZ_CONTEXTS_H

#include "modblas.h"

#include <stdbool.h>

typedef struct fuzz_context {
    modblas_context *context;
    bool full; /* all engines are there, and memory for any plan */
} fuzz_context;

enum { FUZZ_CONTEXTS = 10 };

/* The host's, with one worker or several, with little memory, with checks, with fused products;
 * the model's, which fails where a partial sum could pass S, on engines of all sizes. */
const fuzz_context *fuzz_context_get(int index);

#endif
