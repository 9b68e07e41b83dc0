/* SPDX-License-Identifier: BSD-3-Clause */
/* The target of a fuzzer: a few calls of the public API on a context of the host or the model,
 * each judged by a 128-bit oracle and by the bytes around C. Anything wrong aborts. */
#include "../support/moduli.h"
#include "contexts.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 3, RUNS = 3, TEXT = 64, TILES = 40, CHUNKS = 80 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- problems ------------------------------------------------------------------------------- */

static uint64_t draw_modulus(fuzz_input *in)
{
    int choice = fuzz_byte(in);
    return choice < 200 ? test_moduli[choice % test_moduli_count] : fuzz_number(in);
}

static modblas_problem draw_problem(fuzz_input *in)
{
    modblas_problem p = {.m = fuzz_below(in, 36), .n = fuzz_below(in, 36)};
    p.k = fuzz_below(in, 8) ? fuzz_below(in, 50) : fuzz_byte(in);
    p.N = draw_modulus(in);
    p.a = (modblas_type)fuzz_below(in, 10);
    p.b = fuzz_byte(in) & 1 ? p.a : (modblas_type)fuzz_below(in, 10);
    p.c = (modblas_type)fuzz_below(in, 10);
    if (!fuzz_type_holds(p.c, p.N) && fuzz_below(in, 8) != 7)
        p.c = MODBLAS_U64;
    return p;
}

/* Half are left to the planner. */
static modblas_plan_options draw_options(fuzz_input *in)
{
    modblas_plan_options o;
    modblas_plan_options_init(&o);
    int which = fuzz_byte(in);
    o.scheme = (modblas_scheme)(which & 1 ? fuzz_below(in, 4) : 0);
    o.engine = (modblas_engine)(which & 2 ? fuzz_below(in, 4) : 0);
    o.bound_a = which & 4 ? fuzz_number(in) : 0;
    o.bound_b = which & 8 ? fuzz_number(in) : 0;
    o.tile_m = which & 16 ? fuzz_below(in, TILES) : 0;
    o.tile_n = which & 32 ? fuzz_below(in, TILES) : 0;
    o.chunk_k = which & 64 ? fuzz_below(in, CHUNKS) : 0;
    return o;
}

/* Whether a plan may be refused: where something is forced, or missing. */
static bool may_lack_plan(const fuzz_context *c, const modblas_plan_options *o)
{
    return !c->full || o->scheme != MODBLAS_SCHEME_AUTO || o->engine != MODBLAS_ENGINE_AUTO ||
           o->chunk_k != 0;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void judge_text(modblas_status status, const char *text, size_t room, size_t needed)
{
    if (status != MODBLAS_OK || needed < 2)
        fuzz_wrong("a text has status %s", modblas_status_text(status));
    for (size_t i = room; i < TEXT; i++) {
        if (text[i] != '?')
            fuzz_wrong("a text wrote behind its %zu bytes", room);
    }
    if (room > 0 && strlen(text) != (room < needed ? room : needed) - 1)
        fuzz_wrong("a text of %zu bytes fills %zu of %zu", needed, strlen(text), room);
}

static void read_texts(const fuzz_context *c, const modblas_plan *plan, fuzz_input *in)
{
    char text[TEXT];
    size_t needed = 0, room = (size_t)fuzz_below(in, TEXT);
    memset(text, '?', sizeof text);
    modblas_status status = modblas_context_text(c->context, text, room, &needed);
    judge_text(status, text, room, needed);
    if (plan == NULL)
        return;
    memset(text, '?', sizeof text);
    status = modblas_plan_text(plan, text, room, &needed);
    judge_text(status, text, room, needed);
}

/* One plan, run several times on operands of any layout. */
static void try_plan(const fuzz_context *c, fuzz_input *in)
{
    modblas_problem p = draw_problem(in);
    modblas_plan_options o = draw_options(in);
    modblas_plan *plan = NULL;
    bool legal = fuzz_type_holds(p.c, p.N), no_plan = may_lack_plan(c, &o);
    modblas_status status = modblas_plan_create(c->context, &plan, &p, &o);
    bool right = legal ? status == MODBLAS_OK || (status == MODBLAS_ENOPLAN && no_plan)
                       : status == MODBLAS_EINVAL;
    if (!right || (plan == NULL) != (status != MODBLAS_OK))
        fuzz_wrong("plan: %s: %s", modblas_status_text(status), modblas_detail());
    read_texts(c, plan, in);
    for (int runs = plan != NULL ? 1 + fuzz_below(in, RUNS) : 0; runs > 0; runs--) {
        fuzz_scene s;
        fuzz_scene_draw(&s, &p, &o, false, in);
        status = modblas_plan_run(plan, &s.view[FUZZ_C], &s.view[FUZZ_A], &s.view[FUZZ_B], s.alpha,
                                  s.beta);
        fuzz_scene_judge(&s, p.N, status, no_plan);
        fuzz_scene_free(&s);
    }
    modblas_plan_destroy(plan);
}

static void try_gemm(const fuzz_context *c, fuzz_input *in)
{
    modblas_problem p = draw_problem(in);
    modblas_plan_options o;
    fuzz_scene s;
    modblas_plan_options_init(&o);
    fuzz_scene_draw(&s, &p, &o, false, in);
    if (!fuzz_type_holds(p.c, p.N)) {
        s.may_succeed = false;
        s.may[MODBLAS_EINVAL] = true;
        s.may[MODBLAS_ENOTINT] = false;
    }
    modblas_status status = modblas_gemm(c->context, &s.view[FUZZ_C], &s.view[FUZZ_A],
                                         &s.view[FUZZ_B], s.alpha, s.beta, p.N);
    fuzz_scene_judge(&s, p.N, status, !c->full);
    fuzz_scene_free(&s);
}

/* The convenience call. */
static void try_matmul(const fuzz_context *c, fuzz_input *in)
{
    modblas_problem p = draw_problem(in);
    modblas_plan_options o;
    fuzz_scene s;
    p.a = p.b = p.c = MODBLAS_U64;
    modblas_plan_options_init(&o);
    fuzz_scene_draw(&s, &p, &o, true, in);
    const modblas_matrix *v = s.view;
    modblas_status status = modblas_matmul(c->context, v[FUZZ_C].data, v[FUZZ_C].row_stride,
                                           v[FUZZ_A].data, v[FUZZ_A].row_stride, v[FUZZ_B].data,
                                           v[FUZZ_B].row_stride, p.m, p.n, p.k, p.N);
    fuzz_scene_judge(&s, p.N, status, !c->full);
    fuzz_scene_free(&s);
}

/* ---- calls that must be refused ------------------------------------------------------------- */

/* Spoils one thing about the views of a product without empty sizes. */
static void spoil_view(modblas_matrix view[FUZZ_OPERANDS], fuzz_input *in)
{
    modblas_matrix *v = &view[fuzz_below(in, FUZZ_OPERANDS)];
    int64_t far = INT64_MAX - fuzz_byte(in);
    int64_t *size = fuzz_byte(in) & 1 ? &v->rows : &v->cols;
    switch (fuzz_below(in, 6)) {
    case 0:
        v->data = NULL;
        return;
    case 1:
        *size = -1 - fuzz_byte(in);
        return;
    case 2:
        *size += 1 + fuzz_byte(in);
        return;
    case 3:
        *size = far;
        return;
    case 4:
        v->rows = v->cols = 2;
        v->row_stride = fuzz_byte(in) & 1 ? far : -far;
        return;
    default:
        v->type = (modblas_type)(10 + fuzz_byte(in));
    }
}

static modblas_status refused_plan(const fuzz_context *c, fuzz_input *in)
{
    modblas_plan *plan = NULL;
    modblas_plan_options o;
    modblas_problem p = {3, 4, 5, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 7};
    modblas_plan_options_init(&o);
    switch (fuzz_below(in, 7)) {
    case 0:
        o.size += 1 + fuzz_byte(in);
        break;
    case 1:
        o.scheme = (modblas_scheme)(4 + fuzz_byte(in));
        break;
    case 2:
        o.engine = (modblas_engine)(4 + fuzz_byte(in));
        break;
    case 3:
        o.tile_m = -1 - fuzz_byte(in);
        break;
    case 4:
        o.chunk_k = -1 - fuzz_byte(in);
        break;
    case 5:
        p.m = -1 - fuzz_byte(in);
        break;
    default:
        p.n = p.k = INT64_MAX - fuzz_byte(in);
    }
    modblas_status status = modblas_plan_create(c->context, &plan, &p, &o);
    if (plan != NULL)
        fuzz_wrong("a refused plan was made");
    return status;
}

static modblas_status refused_context(fuzz_input *in)
{
    modblas_context *context = NULL;
    modblas_options o;
    modblas_options_init(&o);
    int bad = 1 + fuzz_byte(in), device = bad;
    o.backend = MODBLAS_BACKEND_HOST;
    switch (fuzz_below(in, 5)) {
    case 0:
        o.size -= (size_t)bad;
        break;
    case 1:
        o.workers = bad & 1 ? -bad : 64 + bad;
        break;
    case 2:
        o.verify = (modblas_verify)(1 + bad);
        break;
    case 3:
        o.backend = (modblas_backend)(2 + bad);
        break;
    default:
        o.devices = &device;
        o.device_count = 1;
    }
    modblas_status status = modblas_context_create(&context, &o);
    if (context != NULL)
        fuzz_wrong("a refused context was made");
    return status;
}

static modblas_status refused_product(const fuzz_context *c, fuzz_input *in)
{
    static const modblas_problem p = {3, 4, 5, MODBLAS_U64, MODBLAS_I32, MODBLAS_F64, 251};
    modblas_plan_options o;
    fuzz_scene s;
    modblas_plan_options_init(&o);
    fuzz_scene_draw(&s, &p, &o, true, in);
    modblas_matrix view[FUZZ_OPERANDS];
    memcpy(view, s.view, sizeof view);
    spoil_view(view, in);
    s.may_succeed = false;
    s.may[MODBLAS_EINVAL] = true;
    modblas_status status = modblas_gemm(c->context, &view[FUZZ_C], &view[FUZZ_A], &view[FUZZ_B],
                                         s.alpha, s.beta, p.N);
    fuzz_scene_judge(&s, p.N, status, false);
    fuzz_scene_free(&s);
    return status;
}

static modblas_status refused_matmul(const fuzz_context *c, fuzz_input *in)
{
    uint64_t x[16] = {0};
    int64_t ld[3] = {4, 4, 4};
    ld[fuzz_below(in, 3)] = 3 - fuzz_byte(in);
    return modblas_matmul(c->context, x, ld[0], x, ld[1], x, ld[2], 4, 4, 4, 7);
}

static void try_refused(const fuzz_context *c, fuzz_input *in)
{
    modblas_status status = MODBLAS_OK;
    switch (fuzz_below(in, 4)) {
    case 0:
        status = refused_product(c, in);
        break;
    case 1:
        status = refused_plan(c, in);
        break;
    case 2:
        status = refused_matmul(c, in);
        break;
    default:
        status = refused_context(in);
    }
    if (status != MODBLAS_EINVAL || modblas_detail()[0] == '\0')
        fuzz_wrong("%s, where it must be refused", modblas_status_text(status));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    for (int call = 0; call < CALLS && in.left > 0; call++) {
        const fuzz_context *c = fuzz_context_get(fuzz_below(&in, FUZZ_CONTEXTS));
        switch (fuzz_below(&in, 8)) {
        case 0:
            try_refused(c, &in);
            break;
        case 1:
            try_matmul(c, &in);
            break;
        case 2:
        case 3:
            try_gemm(c, &in);
            break;
        default:
            try_plan(c, &in);
        }
    }
    return 0;
}
