/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands that are packed once: products by every scheme, on both sides, with and without thin
 * GEMMs, and what must be refused. */
#include "src/api.h"
#include "src/packed.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static bool always(int device)
{
    return device == 0;
}

static mb_backend backend;

static modblas_context *make_context(bool thins, modblas_verify verify)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    options.verify = verify;
    backend = *mb_backend_host();
    backend.thins = thins ? always : NULL;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    return context;
}

/* The call fails so, with a detail that says so. */
#define REFUSED(call, status, words)                                                              \
    do {                                                                                          \
        ck_assert_int_eq(call, status);                                                           \
        ck_assert_msg(strstr(modblas_detail(), words) != NULL, "%s", modblas_detail());           \
    } while (0)

/* What is multiplied: P is packed, X is not. */
typedef struct {
    test_canvas P, X, C;
    modblas_side side;
    uint64_t N, alpha, beta;
} scene;

static void make_scene(scene *s, int64_t lines, int64_t k, int64_t n, modblas_type type,
                       test_data data, test_random *random)
{
    const bool b = s->side == MODBLAS_SIDE_B;
    const test_layout layout = (test_layout)(test_word(random) % TEST_INPUT_LAYOUTS);
    test_canvas_make(&s->P, type, b ? k : lines, b ? lines : k, layout);
    test_canvas_make(&s->X, MODBLAS_U64, b ? n : k, b ? k : n, TEST_ROWS);
    test_canvas_make(&s->C, MODBLAS_U64, b ? n : lines, b ? lines : n,
                     (test_layout)(test_word(random) % TEST_LAYOUTS));
    test_fill_operands(b ? &s->X.view : &s->P.view, b ? &s->P.view : &s->X.view, data, s->N, 0, 0,
                       random);
    test_fill_random(&s->C.view, s->N, 0, 0, random);
}

static void free_scene(scene *s)
{
    test_canvas_free(&s->P);
    test_canvas_free(&s->X);
    test_canvas_free(&s->C);
}

/* The product with what was packed, after P itself was overwritten. */
static void check_scene(scene *s, const modblas_packed *packed, const char *text)
{
    const bool b = s->side == MODBLAS_SIDE_B;
    const modblas_matrix *A = b ? &s->X.view : &s->P.view, *B = b ? &s->P.view : &s->X.view;
    uint64_t *expected = test_expected(&s->C.view, A, B, s->alpha, s->beta, s->N);
    test_canvas_keep(&s->P);
    test_canvas_keep(&s->C);
    memset(s->P.bytes, 0x5a, s->P.size);
    int64_t i = 0, j = 0;
    ck_assert_msg(modblas_gemm_packed(packed, s->side, &s->C.view, &s->X.view, s->alpha,
                                      s->beta) == MODBLAS_OK,
                  "%s: %s", modblas_detail(), text);
    ck_assert_msg(test_holds(&s->C.view, expected, s->N, &i, &j), "(%d, %d): %s", (int)i, (int)j,
                  text);
    ck_assert(test_canvas_is_intact(&s->C));
    test_canvas_restore(&s->P);
    free(expected);
}

static void text_of(const modblas_packed *packed, char text[2000])
{
    ck_assert_int_eq(modblas_packed_text(packed, text, 2000, NULL), MODBLAS_OK);
}

START_TEST(every_scheme)
{
    static const uint64_t moduli[] = {
        1, 2, 251, 256, 65521, (1 << 21) - 9, 2147483647, (uint64_t)1 << 32, UINT64_MAX - 58, 0};
    test_random random = {1};
    for (int thins = 0; thins < 2; thins++) {
        modblas_context *context = make_context(thins, MODBLAS_VERIFY_OFF);
        int made = 0;
        for (int i = 0; i < 1200; i++) {
            modblas_pack_options options;
            modblas_packed *packed = NULL;
            char text[2000];
            scene s = {.side = (modblas_side)(i % 2),
                       .N = moduli[i / 2 % 10],
                       .alpha = i % 3 ? 1 : test_word(&random),
                       .beta = i % 4 ? 0 : test_word(&random)};
            modblas_pack_options_init(&options);
            options.scheme = (modblas_scheme)(i / 20 % 4);
            options.engine = (modblas_engine)(i / 80 % 4);
            options.width = i % 5 ? 0 : 200;
            const int64_t n = 1 + (int64_t)(test_word(&random) % (i % 3 ? 8 : 90));
            make_scene(&s, 1 + (int64_t)(test_word(&random) % 60),
                       1 + (int64_t)(test_word(&random) % 60), n, (modblas_type)(i % 10),
                       (test_data)(test_word(&random) % TEST_DATA_COUNT), &random);
            modblas_status status =
                modblas_pack(context, &packed, &s.P.view, s.side, s.N, &options);
            ck_assert_msg(status == MODBLAS_OK || status == MODBLAS_ENOPLAN, "%s",
                          modblas_detail());
            if (status == MODBLAS_OK) {
                text_of(packed, text);
                check_scene(&s, packed, text);
                check_scene(&s, packed, text);
                made++;
            }
            modblas_packed_destroy(packed);
            free_scene(&s);
        }
        ck_assert_int_gt(made, 600);
        modblas_context_destroy(context);
    }
}
END_TEST

/* Chunks of k, each with its own planes. */
START_TEST(long_operands)
{
    static const modblas_scheme scheme[] = {MODBLAS_SCHEME_DIRECT, MODBLAS_SCHEME_SPLIT,
                                            MODBLAS_SCHEME_RNS};
    test_random random = {2};
    modblas_context *context = make_context(false, MODBLAS_VERIFY_OFF);
    for (int i = 0; i < 3; i++) {
        modblas_pack_options options;
        modblas_packed *packed = NULL;
        char text[2000];
        scene s = {.side = MODBLAS_SIDE_A, .N = i == 0 ? 256 : 2147483647, .alpha = 1};
        modblas_pack_options_init(&options);
        options.scheme = scheme[i];
        options.engine = MODBLAS_ENGINE_I8;
        make_scene(&s, 3, 300000, 2, MODBLAS_U32, TEST_ALL_LOW, &random);
        ck_assert_int_eq(modblas_pack(context, &packed, &s.P.view, s.side, s.N, &options),
                         MODBLAS_OK);
        ck_assert_int_gt(packed->packing.chunks, 1);
        text_of(packed, text);
        check_scene(&s, packed, text);
        modblas_packed_destroy(packed);
        free_scene(&s);
    }
    modblas_context_destroy(context);
}
END_TEST

/* Through a plan, with NULL in its place, many times. */
START_TEST(plans_with_packed_operands)
{
    test_random random = {3};
    modblas_context *context = make_context(true, MODBLAS_VERIFY_OFF);
    for (int side = 0; side < 2; side++) {
        modblas_packed *packed = NULL;
        modblas_plan *plan = NULL;
        scene s = {.side = (modblas_side)side, .N = 2147483647, .alpha = 1};
        make_scene(&s, 40, 40, 5, MODBLAS_U32, TEST_RANDOM, &random);
        ck_assert_int_eq(modblas_pack(context, &packed, &s.P.view, s.side, s.N, NULL), MODBLAS_OK);
        modblas_plan_options options;
        modblas_plan_options_init(&options);
        options.packed = packed;
        const bool b = side == 1;
        modblas_problem problem = {.m = b ? 5 : 40,
                                   .n = b ? 40 : 5,
                                   .k = 40,
                                   .c = MODBLAS_U64,
                                   .a = b ? MODBLAS_U64 : MODBLAS_U32,
                                   .b = b ? MODBLAS_U32 : MODBLAS_U64,
                                   .N = s.N};
        ck_assert_int_eq(modblas_plan_create(context, &plan, &problem, &options), MODBLAS_OK);
        for (int i = 0; i < 3; i++) {
            const modblas_matrix *X = &s.X.view, *P = &s.P.view;
            uint64_t *expected =
                test_expected(&s.C.view, b ? X : P, b ? P : X, 1, (uint64_t)i, s.N);
            int64_t r, c;
            ck_assert_int_eq(
                modblas_plan_run(plan, &s.C.view, b ? X : NULL, b ? NULL : X, 1, (uint64_t)i),
                MODBLAS_OK);
            ck_assert(test_holds(&s.C.view, expected, s.N, &r, &c));
            free(expected);
        }
        REFUSED(modblas_plan_run(plan, &s.C.view, b ? &s.X.view : &s.P.view,
                                 b ? &s.P.view : &s.X.view, 1, 0),
                MODBLAS_EINVAL, "was packed; NULL takes its place");
        modblas_plan_destroy(plan);
        problem.N = 2147483629;
        REFUSED(modblas_plan_create(context, &plan, &problem, &options), MODBLAS_EINVAL,
                "packed modulo 2147483647");
        problem.N = s.N;
        problem.k = 41;
        REFUSED(modblas_plan_create(context, &plan, &problem, &options), MODBLAS_EINVAL,
                "was packed as 40 x 40 of u32");
        problem.k = 40;
        options.chunk_k = 16;
        REFUSED(modblas_plan_create(context, &plan, &problem, &options), MODBLAS_EINVAL,
                "leave these options out");
        REFUSED(modblas_gemm_packed(packed, (modblas_side)(1 - side), &s.C.view, &s.X.view, 1, 0),
                MODBLAS_EINVAL, "the operand was packed as");
        modblas_packed_destroy(packed);
        free_scene(&s);
    }
    modblas_context_destroy(context);
}
END_TEST

/* A product planned for a packed operand whose other operand may hold more than it was packed for.
 */
static modblas_status plan_beyond(const modblas_packed *packed, int64_t n)
{
    const mb_packing *x = &packed->packing;
    const mb_request request = {.problem = {.m = x->lines,
                                            .n = n,
                                            .k = x->k,
                                            .c = MODBLAS_U64,
                                            .a = x->type,
                                            .b = MODBLAS_U64,
                                            .N = x->N},
                                .packing = x};
    const mb_caps caps = mb_device_caps(packed->context, packed->device);
    mb_plan plan;
    return mb_plan_make(&plan, NULL, &request, &caps);
}

/* Fewer moduli do for small entries of the other operand, which are stated and checked; a plan for
 * larger ones is refused. */
START_TEST(larger_bounds_are_refused)
{
    test_random random = {4};
    modblas_context *context = make_context(false, MODBLAS_VERIFY_OFF);
    modblas_pack_options options;
    modblas_packed *packed = NULL;
    scene s = {.side = MODBLAS_SIDE_A, .N = 2147483647, .alpha = 1};
    make_scene(&s, 20, 30, 10, MODBLAS_U32, TEST_RANDOM, &random);
    modblas_pack_options_init(&options);
    options.scheme = MODBLAS_SCHEME_RNS;
    options.engine = MODBLAS_ENGINE_I8;
    options.other_bound = 7;
    ck_assert_int_eq(modblas_pack(context, &packed, &s.P.view, s.side, s.N, &options), MODBLAS_OK);
    REFUSED(modblas_gemm_packed(packed, s.side, &s.C.view, &s.X.view, 1, 0), MODBLAS_EBOUND,
            "B has an entry beyond");
    REFUSED(plan_beyond(packed, 10), MODBLAS_ENOPLAN, "made for entries of the other up to 7");
    modblas_plan *plan = NULL;
    modblas_plan_options stated;
    modblas_plan_options_init(&stated);
    stated.packed = packed;
    modblas_problem problem = {20, 10, 30, MODBLAS_U64, MODBLAS_U32, MODBLAS_U64, 2147483647};
    for (stated.bound_b = 0; stated.bound_b <= 8; stated.bound_b += 8)
        REFUSED(modblas_plan_create(context, &plan, &problem, &stated), MODBLAS_EINVAL,
                "at most 7; bound_b must say so");
    test_fill_random(&s.X.view, 8, 0, 0, &random);
    check_scene(&s, packed, "entries below 8");
    modblas_packed_destroy(packed);
    free_scene(&s);
    modblas_context_destroy(context);
}
END_TEST

/* ... as is one for longer chunks than its sums allow. */
START_TEST(longer_chunks_are_refused)
{
    test_random random = {6};
    modblas_context *context = make_context(false, MODBLAS_VERIFY_OFF);
    modblas_pack_options options;
    modblas_packed *packed = NULL;
    scene s = {.side = MODBLAS_SIDE_A, .N = ((uint64_t)1 << 26) - 5, .alpha = 1};
    make_scene(&s, 3, 500, 3, MODBLAS_U32, TEST_ALL_LOW, &random);
    modblas_pack_options_init(&options);
    options.scheme = MODBLAS_SCHEME_DIRECT;
    options.engine = MODBLAS_ENGINE_F64;
    options.other_bound = 7;
    ck_assert_int_eq(modblas_pack(context, &packed, &s.P.view, s.side, s.N, &options), MODBLAS_OK);
    ck_assert_int_eq(packed->packing.chunks, 1);
    REFUSED(plan_beyond(packed, 3), MODBLAS_ENOPLAN, "made for entries of the other up to 7");
    modblas_packed_destroy(packed);
    free_scene(&s);
    modblas_context_destroy(context);
}
END_TEST

/* All lines are one tile. */
START_TEST(too_many_lines_are_refused)
{
    const mb_request request = {
        .problem = {((int64_t)1 << 30) + 1, 1, 1, MODBLAS_U8, MODBLAS_U8, MODBLAS_U8, 251},
        .packs = true};
    mb_caps caps = {.engine = {&mb_engine_i8}, .workers = 1, .memory = UINT64_MAX / 4};
    mb_plan plan;
    caps.rates.gemm[0] = caps.rates.bytes = 1e9;
    REFUSED(mb_plan_make(&plan, NULL, &request, &caps), MODBLAS_ENOPLAN,
            "at most 1073741824 lines");
}
END_TEST

START_TEST(bad_operands_are_refused)
{
    test_random random = {5};
    modblas_context *context = make_context(true, MODBLAS_VERIFY_OFF);
    modblas_context *checks = make_context(false, MODBLAS_VERIFY_FREIVALDS);
    modblas_pack_options options;
    modblas_packed *packed = NULL;
    scene s = {.side = MODBLAS_SIDE_B, .N = 1000003};
    make_scene(&s, 8, 8, 2, MODBLAS_F64, TEST_RANDOM, &random);
    modblas_matrix *P = &s.P.view, empty = *P;
    empty.rows = 0;
    REFUSED(modblas_pack(NULL, &packed, P, s.side, s.N, NULL), MODBLAS_EINVAL, "is NULL");
    REFUSED(modblas_pack(context, NULL, P, s.side, s.N, NULL), MODBLAS_EINVAL, "is NULL");
    REFUSED(modblas_pack(context, &packed, NULL, s.side, s.N, NULL), MODBLAS_EINVAL, "B is NULL");
    REFUSED(modblas_pack(context, &packed, &empty, s.side, s.N, NULL), MODBLAS_EINVAL,
            "nothing is to be packed");
    REFUSED(modblas_pack(context, &packed, P, (modblas_side)2, s.N, NULL), MODBLAS_EINVAL,
            "side is 2");
    REFUSED(modblas_pack(checks, &packed, P, s.side, s.N, NULL), MODBLAS_EUNAVAILABLE,
            "verifies its products");
    modblas_pack_options_init(&options);
    options.scheme = MODBLAS_SCHEME_PLAIN;
    REFUSED(modblas_pack(context, &packed, P, s.side, s.N, &options), MODBLAS_EINVAL,
            "what is plain is not packed");
    options.scheme = MODBLAS_SCHEME_AUTO;
    options.width = -1;
    REFUSED(modblas_pack(context, &packed, P, s.side, s.N, &options), MODBLAS_EINVAL,
            "width is -1");
    options.width = 0;
    options.size = 1;
    REFUSED(modblas_pack(context, &packed, P, s.side, s.N, &options), MODBLAS_EINVAL,
            "options.size");
    modblas_pack_options_init(&options);
    options.bound = 1;
    test_fill_random(P, 1000003, 0, 0, &random);
    REFUSED(modblas_pack(context, &packed, P, s.side, s.N, &options), MODBLAS_EBOUND,
            "B has an entry beyond its stated bound");
    *(double *)P->data = 0.5;
    REFUSED(modblas_pack(context, &packed, P, s.side, s.N, NULL), MODBLAS_ENOTINT,
            "B has an entry that is not an integer");
    ck_assert_ptr_null(packed);
    REFUSED(modblas_gemm_packed(NULL, s.side, &s.C.view, P, 1, 0), MODBLAS_EINVAL, "NULL");
    REFUSED(modblas_packed_text(NULL, NULL, 0, NULL), MODBLAS_EINVAL, "NULL");
    modblas_packed_destroy(NULL);
    free_scene(&s);
    modblas_context_destroy(checks);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_scheme,
                                  long_operands,
                                  plans_with_packed_operands,
                                  larger_bounds_are_refused,
                                  longer_chunks_are_refused,
                                  too_many_lines_are_refused,
                                  bad_operands_are_refused};
    return test_main("packed", tests, TEST_COUNT(tests));
}
