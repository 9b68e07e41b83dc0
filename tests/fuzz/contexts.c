/* SPDX-License-Identifier: BSD-3-Clause */
#include "contexts.h"

#include "../support/model.h"
#include "scene.h"
#include "src/run/context.h"

enum { LITTLE = 1 << 15, PLENTY = 1 << 26 };

typedef enum { HOST, FUSING, MODEL, TINY } kind;

static const struct {
    kind kind;
    int workers;
    uint64_t memory;
    modblas_verify verify;
    int engine; /* of the tiny ones */
} recipe[FUZZ_CONTEXTS] = {
    {HOST, 1, PLENTY, MODBLAS_VERIFY_OFF, 0},   {HOST, 3, PLENTY, MODBLAS_VERIFY_OFF, 0},
    {HOST, 2, LITTLE, MODBLAS_VERIFY_OFF, 0},   {HOST, 1, PLENTY, MODBLAS_VERIFY_FREIVALDS, 0},
    {FUSING, 1, PLENTY, MODBLAS_VERIFY_OFF, 0}, {MODEL, 1, PLENTY, MODBLAS_VERIFY_OFF, 0},
    {MODEL, 2, LITTLE, MODBLAS_VERIFY_OFF, 0},  {TINY, 1, PLENTY, MODBLAS_VERIFY_OFF, 0},
    {TINY, 1, PLENTY, MODBLAS_VERIFY_OFF, 3},   {TINY, 2, LITTLE, MODBLAS_VERIFY_OFF, 4},
};

static bool always(int device)
{
    return device == 0;
}

static void make_backend(mb_backend *backend, int index)
{
    static const mb_engine *const all[] = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32};
    const mb_engine *tiny[] = {&test_tiny[recipe[index].engine]};
    *backend = *mb_backend_host();
    if (recipe[index].kind == FUSING)
        backend->fuses = always;
    if (recipe[index].kind == MODEL)
        test_model_make(backend, all, 3);
    if (recipe[index].kind == TINY)
        test_model_make(backend, tiny, 1);
}

const fuzz_context *fuzz_context_get(int index)
{
    static fuzz_context made[FUZZ_CONTEXTS];
    static mb_backend backend[FUZZ_CONTEXTS];
    fuzz_context *c = &made[index];
    modblas_options options;
    if (c->context != NULL)
        return c;
    modblas_options_init(&options);
    options.workers = recipe[index].workers;
    options.memory = recipe[index].memory;
    options.verify = recipe[index].verify;
    make_backend(&backend[index], index);
    if (mb_context_make(&c->context, &backend[index], &options) != MODBLAS_OK)
        fuzz_wrong("context %d is not made: %s", index, modblas_detail());
    c->full = recipe[index].kind != TINY && recipe[index].memory == PLENTY;
    return c;
}
