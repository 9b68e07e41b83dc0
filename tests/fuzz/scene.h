/* SPDX-License-Identifier: BSD-3-Clause */
/* The operands of one call in memory: apart or in one buffer, with any strides, legal or not, and
 * what the call must answer. */
#ifndef TEST_FUZZ_SCENE_H
#define TEST_FUZZ_SCENE_H

#include "../support/product.h"
#include "input.h"

enum { FUZZ_A, FUZZ_B, FUZZ_C, FUZZ_OPERANDS };

typedef struct fuzz_block {
    unsigned char *bytes, *before; /* before: a copy made ahead of the call */
    size_t size;
} fuzz_block;

typedef struct fuzz_scene {
    modblas_matrix view[FUZZ_OPERANDS];
    fuzz_block block[FUZZ_OPERANDS];
    int blocks; /* 1: all in one buffer, where they may overlap */
    uint64_t alpha, beta;
    bool may_succeed;   /* the views are legal, and so are the entries that are read */
    bool may[16];       /* statuses of failures that are right */
    uint64_t *expected; /* residues; NULL unless may_succeed */
} fuzz_scene;

/* Draws strides, places, contents and scalars for a problem whose sizes are small. plain: as
 * modblas_matmul takes them, row-major, alpha 1 and beta 0. */
void fuzz_scene_draw(fuzz_scene *scene, const modblas_problem *problem,
                     const modblas_plan_options *options, bool plain, fuzz_input *in);
void fuzz_scene_free(fuzz_scene *scene);

/* Aborts with a sentence if the status, an entry of C or a byte outside C is wrong. C may be
 * written only if the call got as far as that. no_plan: ENOPLAN is right. */
void fuzz_scene_judge(const fuzz_scene *scene, uint64_t N, modblas_status status, bool no_plan);

/* True if C's type holds N - 1, or N = 2^w and it is the signed type of w bits. */
bool fuzz_type_holds(modblas_type type, uint64_t N);

/* Prints a sentence and aborts, so that the fuzzer keeps the input. */
_Noreturn void fuzz_wrong(const char *format, ...);

#endif
