/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused, with which status, and always with a sentence. */
#include "support/oracle.h"
#include "support/product.h"
#include "support/refused.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = MODBLAS_F64 + 1 };

static modblas_backend backend[2];
static modblas_context *context;
static uint64_t data[3][64];

static void use_backend(int i)
{
    modblas_context_destroy(context);
    context = test_context(backend[i], 2);
}

/* Three 4 x 4 views. */
static void make_views(modblas_matrix v[3])
{
    for (int i = 0; i < 3; i++)
        v[i] = modblas_row_major(data[i], MODBLAS_U64, 4, 4, 4);
}

/* C, A, B = v[0], v[1], v[2]; N = 7. */
static modblas_status gemm(const modblas_matrix v[3])
{
    return modblas_gemm(context, &v[0], &v[1], &v[2], 1, 0, 7);
}

START_TEST(null_arguments)
{
    use_backend(_i);
    modblas_matrix v[3];
    make_views(v);
    ck_assert_int_eq(gemm(v), MODBLAS_OK);
    REFUSED(EINVAL, modblas_gemm(NULL, &v[0], &v[1], &v[2], 1, 0, 7));
    REFUSED(EINVAL, modblas_gemm(context, NULL, &v[1], &v[2], 1, 0, 7));
    REFUSED(EINVAL, modblas_gemm(context, &v[0], NULL, &v[2], 1, 0, 7));
    REFUSED(EINVAL, modblas_gemm(context, &v[0], &v[1], NULL, 1, 0, 7));
    for (int i = 0; i < 3; i++) {
        make_views(v);
        v[i].data = NULL;
        REFUSED(EINVAL, gemm(v));
    }
    uint64_t *x = data[0];
    REFUSED(EINVAL, modblas_matmul(NULL, x, 4, data[1], 4, data[2], 4, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, NULL, 4, data[1], 4, data[2], 4, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, x, 4, NULL, 4, data[2], 4, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, x, 4, data[1], 4, NULL, 4, 4, 4, 4, 7));
    modblas_plan *plan = NULL;
    modblas_problem problem = {4, 4, 4, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 7};
    REFUSED(EINVAL, modblas_plan_create(NULL, &plan, &problem, NULL));
    REFUSED(EINVAL, modblas_plan_create(context, NULL, &problem, NULL));
    REFUSED(EINVAL, modblas_plan_create(context, &plan, NULL, NULL));
    make_views(v);
    REFUSED(EINVAL, modblas_plan_run(NULL, &v[0], &v[1], &v[2], 1, 0));
    REFUSED(EINVAL, modblas_plan_text(NULL, NULL, 0, NULL));
    REFUSED(EINVAL, modblas_context_text(NULL, NULL, 0, NULL));
    REFUSED(EINVAL, modblas_device_list(NULL, 0, NULL));
    REFUSED(EINVAL, modblas_context_create(NULL, NULL));
    modblas_plan_destroy(NULL);
    modblas_context_destroy(NULL);
}
END_TEST

START_TEST(sizes_and_strides)
{
    use_backend(_i);
    const int64_t bad[] = {-1, INT64_MIN, 5, INT64_MAX, (int64_t)1 << 40};
    modblas_matrix v[3];
    for (int x = 0; x < 3 * 5; x++) {
        make_views(v);
        v[x % 3].rows = bad[x / 3];
        REFUSED(EINVAL, gemm(v));
        make_views(v);
        v[x % 3].cols = bad[x / 3];
        REFUSED(EINVAL, gemm(v));
    }
    const int64_t far[] = {INT64_MAX, INT64_MIN, (int64_t)1 << 61, -((int64_t)1 << 61)};
    for (int x = 0; x < 3 * 4; x++) {
        make_views(v);
        v[x % 3].row_stride = far[x / 3];
        REFUSED(EINVAL, gemm(v));
        make_views(v);
        v[x % 3].col_stride = far[x / 3];
        REFUSED(EINVAL, gemm(v));
    }
    /* All of them huge and consistent, but nothing to address them. */
    make_views(v);
    for (int i = 0; i < 3; i++)
        v[i].rows = v[i].cols = INT64_MAX;
    REFUSED(EINVAL, gemm(v));
    /* 2^62 * 2^62 * 8 is 2^127: one bit too many for a sum in 128 bits. */
    const int64_t many = (int64_t)1 << 62;
    make_views(v);
    v[0].rows = v[1].rows = v[1].cols = v[2].rows = many;
    v[0].cols = v[2].cols = v[1].row_stride = v[1].col_stride = 0;
    REFUSED(EINVAL, gemm(v));
    modblas_plan *plan = NULL;
    modblas_problem problem = {many, 0, many, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 7};
    REFUSED(EINVAL, modblas_plan_create(context, &plan, &problem, NULL));
    for (int i = 0; i < 3; i++) {
        make_views(v);
        v[i].type = (modblas_type)TYPES;
        REFUSED(EINVAL, gemm(v));
        v[i].type = (modblas_type)-1;
        REFUSED(EINVAL, gemm(v));
    }
    uint64_t *x = data[0];
    REFUSED(EINVAL, modblas_matmul(context, x, 3, data[1], 4, data[2], 4, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, x, 4, data[1], 3, data[2], 4, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, x, 4, data[1], 4, data[2], 3, 4, 4, 4, 7));
    REFUSED(EINVAL, modblas_matmul(context, x, 4, data[1], 4, data[2], 4, -1, 4, 4, 7));
}
END_TEST

START_TEST(data_between_entries)
{
    use_backend(_i);
    const modblas_type wide[] = {MODBLAS_U16, MODBLAS_I32, MODBLAS_F32, MODBLAS_U64, MODBLAS_F64};
    for (int i = 0; i < 15; i++) {
        modblas_matrix v[3];
        make_views(v);
        v[i % 3].type = wide[i / 3];
        v[i % 3].data = (char *)data[i % 3] + 1;
        REFUSED(EINVAL, gemm(v));
    }
}
END_TEST

/* All 4-tuples of small sizes and strides, against the definition: two entries at one place. */
START_TEST(a_C_that_overlaps_itself)
{
    use_backend(_i);
    for (int x = 0; x < 4 * 4 * 9 * 9; x++) {
        modblas_matrix v[3];
        make_views(v);
        v[0].data = data[0] + 32;
        v[0].rows = v[1].rows = 1 + x % 4;
        v[0].cols = v[2].cols = 1 + x / 4 % 4;
        v[0].row_stride = x / 16 % 9 - 4;
        v[0].col_stride = x / 144 - 4;
        int used[65] = {0}, twice = 0;
        for (int64_t e = 0; e < v[0].rows * v[0].cols; e++)
            twice |=
                used[32 + e / v[0].cols * v[0].row_stride + e % v[0].cols * v[0].col_stride]++;
        if (twice)
            REFUSED(EINVAL, gemm(v));
        else
            ck_assert_msg(gemm(v) == MODBLAS_OK, "%s", modblas_detail());
    }
}
END_TEST

START_TEST(a_C_that_cannot_hold_residues)
{
    use_backend(_i);
    static const struct {
        modblas_type type;
        uint64_t largest, also; /* the largest N, and a larger one that wraps */
    } hold[] = {
        {MODBLAS_U8, 256, 1},
        {MODBLAS_U16, 65536, 1},
        {MODBLAS_U32, (uint64_t)1 << 32, 1},
        {MODBLAS_I8, 128, 256},
        {MODBLAS_I16, 32768, 65536},
        {MODBLAS_I32, (uint64_t)1 << 31, (uint64_t)1 << 32},
        {MODBLAS_I64, (uint64_t)1 << 63, 0},
        {MODBLAS_F32, (1 << 24) + 1, 1},
        {MODBLAS_F64, ((uint64_t)1 << 53) + 1, 1},
    };
    for (size_t i = 0; i < sizeof hold / sizeof hold[0]; i++) {
        modblas_matrix v[3];
        make_views(v);
        v[0].type = hold[i].type;
        modblas_problem problem = {4, 4, 4, hold[i].type, MODBLAS_U64, MODBLAS_U64, 0};
        const uint64_t good[] = {hold[i].largest, hold[i].also};
        for (int g = 0; g < 2; g++)
            ck_assert_int_eq(modblas_gemm(context, &v[0], &v[1], &v[2], 1, 0, good[g]),
                             MODBLAS_OK);
        const uint64_t bad[] = {hold[i].largest + 1, hold[i].also > 1 ? hold[i].also + 1 : 0,
                                UINT64_MAX};
        for (int b = 0; b < 3; b++) {
            if (bad[b] == 0 && hold[i].type == MODBLAS_I64)
                continue;
            modblas_plan *plan = NULL;
            problem.N = bad[b];
            REFUSED(EINVAL, modblas_gemm(context, &v[0], &v[1], &v[2], 1, 0, bad[b]));
            REFUSED(EINVAL, modblas_plan_create(context, &plan, &problem, NULL));
            ck_assert_ptr_null(plan);
        }
    }
}
END_TEST

/* ---- stated bounds -------------------------------------------------------------------------- */

/* One entry at the bound, or one beyond it, in operand o. */
static void check_bound(test_product *p, int o, test_int entry, bool fits, test_random *random)
{
    test_operands v;
    test_operands_make(&v, p, random);
    modblas_matrix *view[] = {&v.A.view, &v.B.view};
    test_set(view[o], view[o]->rows - 1, view[o]->cols / 2, entry);
    test_canvas_keep(&v.A);
    test_canvas_keep(&v.B);
    free(v.expected);
    v.expected = test_expected(&v.C.view, view[0], view[1], 1, 0, p->problem.N);
    modblas_plan *plan = NULL;
    modblas_status status = modblas_plan_create(context, &plan, &p->problem, &p->options);
    ck_assert_msg(status == MODBLAS_OK, "%s: %s", modblas_detail(), test_product_text(p));
    mb_fail(MODBLAS_EINTERNAL, "untouched");
    status = modblas_plan_run(plan, &v.C.view, view[0], view[1], 1, 0);
    test_verdict verdict = test_operands_judge(&v, p, status);
    ck_assert_msg(verdict.wrong[0] == '\0', "%s", verdict.wrong);
    ck_assert_msg(status == (fits ? MODBLAS_OK : MODBLAS_EBOUND), "%d: %s", (int)status,
                  test_product_text(p));
    ck_assert(fits || strcmp(modblas_detail(), "untouched") != 0);
    modblas_plan_destroy(plan);
    test_operands_free(&v);
}

START_TEST(entries_beyond_the_stated_bound)
{
    use_backend(_i);
    test_random random = {1};
    const uint64_t N[] = {7, 251, 65536, 2147483647, 0};
    for (int x = 0; x < 5 * TYPES * 2 * 4; x++) {
        modblas_type type = (modblas_type)(x / 5 % TYPES);
        int o = x / 5 / TYPES % 2, scheme = x / 5 / TYPES / 2;
        test_product p = test_product_of(18, 5, 20, type, type, N[x % 5]);
        p.options.scheme = (modblas_scheme)scheme;
        p.c = x & 1 ? TEST_COLUMNS : TEST_ROWS; /* the transposed product, or this one */
        p.options.bound_a = o == 0 ? 100 : 0;
        p.options.bound_b = o == 1 ? 100 : 0;
        /* A plan that there is: direct where the other operand is wide may not exist. */
        test_product engines = p;
        bool possible = scheme != MODBLAS_SCHEME_DIRECT;
        for (int e = 1; e <= 2; e++) {
            engines.options.engine = (modblas_engine)e;
            possible = possible || test_product_is_possible(&engines);
        }
        if (!possible)
            continue;
        check_bound(&p, o, 100, true, &random);
        check_bound(&p, o, 101, false, &random);
        check_bound(&p, o, test_greatest(type), false, &random);
        if (test_least(type) == 0)
            continue;
        check_bound(&p, o, -100, true, &random);
        check_bound(&p, o, -101, false, &random);
        check_bound(&p, o, test_least(type), false, &random);
    }
}
END_TEST

/* ---- options -------------------------------------------------------------------------------- */

START_TEST(options_of_plans)
{
    use_backend(_i);
    modblas_plan *plan = NULL;
    modblas_problem problem = {4, 4, 4, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, 7};
    modblas_plan_options good, o;
    modblas_plan_options_init(&good);
#define WITH(field, value)                                                                        \
    do {                                                                                          \
        o = good;                                                                                 \
        o.field = value;                                                                          \
        REFUSED(EINVAL, modblas_plan_create(context, &plan, &problem, &o));                       \
        ck_assert_ptr_null(plan);                                                                 \
    } while (0)
    WITH(size, 0);
    WITH(size, sizeof o - 1);
    WITH(scheme, (modblas_scheme)5);
    WITH(engine, (modblas_engine)4);
    WITH(engine, (modblas_engine)-1);
    WITH(tile_m, -1);
    WITH(tile_n, -1);
    WITH(chunk_k, -1);
    const int64_t sizes[] = {-1, INT64_MIN, INT64_MAX};
    for (int x = 0; x < 9; x++) {
        modblas_problem p = problem;
        int64_t *size[] = {&p.m, &p.n, &p.k};
        *size[x % 3] = sizes[x / 3];
        REFUSED(EINVAL, modblas_plan_create(context, &plan, &p, NULL));
    }
    ck_assert_int_eq(modblas_plan_create(context, &plan, &problem, &good), MODBLAS_OK);
    for (int i = 0; i < 3; i++) {
        modblas_matrix v[3];
        make_views(v);
        v[i].type = MODBLAS_I64;
        REFUSED(EINVAL, modblas_plan_run(plan, &v[0], &v[1], &v[2], 1, 0));
    }
    modblas_matrix v[3];
    make_views(v);
    v[0].rows = v[1].rows = 3;
    REFUSED(EINVAL, modblas_plan_run(plan, &v[0], &v[1], &v[2], 1, 0));
    modblas_plan_destroy(plan);
}
END_TEST

/* A column-major C is computed as the transposed product; bounds and names stay the caller's. */
START_TEST(operands_of_a_transposed_product)
{
    int64_t A[] = {1, 2, 3, 5}, B[] = {1000, 2, 3, 999}, C[4];
    double half[] = {0.5, 1, 1, 1};
    modblas_plan *plan = NULL;
    modblas_plan_options o;
    modblas_plan_options_init(&o);
    o.bound_a = 5;
    o.bound_b = 1000;
    modblas_problem p = {2, 2, 2, MODBLAS_I64, MODBLAS_I64, MODBLAS_I64, 1000003};
    modblas_matrix a = modblas_row_major(A, MODBLAS_I64, 2, 2, 2);
    modblas_matrix b = modblas_row_major(B, MODBLAS_I64, 2, 2, 2);
    modblas_matrix h = modblas_row_major(half, MODBLAS_F64, 2, 2, 2);
    modblas_matrix c[] = {modblas_row_major(C, MODBLAS_I64, 2, 2, 2),
                          modblas_column_major(C, MODBLAS_I64, 2, 2, 2)};
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, &o), MODBLAS_OK);
    for (int i = 0; i < 2; i++) {
        A[0] = 1;
        ck_assert_int_eq(modblas_plan_run(plan, &c[i], &a, &b, 1, 0), MODBLAS_OK);
        A[0] = 6;
        REFUSED(EBOUND, modblas_plan_run(plan, &c[i], &a, &b, 1, 0));
        ck_assert_int_eq(modblas_detail()[0], 'A');
        REFUSED(ENOTINT, modblas_gemm(context, &c[i], &h, &b, 1, 0, 7));
        ck_assert_int_eq(modblas_detail()[0], 'A');
        REFUSED(ENOTINT, modblas_gemm(context, &c[i], &a, &h, 1, 0, 7));
        ck_assert_int_eq(modblas_detail()[0], 'B');
    }
    modblas_plan_destroy(plan);
}
END_TEST

START_TEST(types_of_plans)
{
    for (int i = 0; i < 3; i++) {
        modblas_plan *plan = NULL;
        modblas_problem p = {2, 2, 2, MODBLAS_U8, MODBLAS_U8, MODBLAS_U8, 5};
        modblas_type *type[] = {&p.a, &p.b, &p.c};
        *type[i] = (modblas_type)(MODBLAS_F64 + 1);
        REFUSED(EINVAL, modblas_plan_create(context, &plan, &p, NULL));
        ck_assert_int_eq(modblas_detail()[0], "ABC"[i]);
        ck_assert_ptr_null(plan);
    }
}
END_TEST

/* Sizes that no memory holds, on inputs of stride 0. */
START_TEST(sizes_beyond_memory)
{
    uint8_t x = 1;
    uint64_t C = 0;
    modblas_context *small = NULL;
    modblas_options o;
    modblas_options_init(&o);
    o.backend = backend[_i];
    o.verify = MODBLAS_VERIFY_FREIVALDS;
    o.memory = (uint64_t)64 << 20; /* a chunk as large as the memory is proved first */
    ck_assert_int_eq(modblas_context_create(&small, &o), MODBLAS_OK);
    int64_t k = (int64_t)1 << 62;
    modblas_matrix a = {&x, MODBLAS_U8, 1, k, 0, 0}, b = {&x, MODBLAS_U8, k, 1, 0, 0};
    modblas_matrix c = modblas_row_major(&C, MODBLAS_U64, 1, 1, 1);
    REFUSED(ENOMEM, modblas_gemm(small, &c, &a, &b, 1, 0, 2));
    modblas_context_destroy(small);
    const int64_t sizes[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX - 15, k};
    for (int i = 0; i < 12; i++) {
        modblas_plan *plan = NULL;
        modblas_problem p = {1, 1, 1, MODBLAS_U8, MODBLAS_U8, MODBLAS_U8, 5};
        int64_t *size[] = {&p.m, &p.n, &p.k};
        *size[i % 3] = sizes[i / 3];
        modblas_status status = modblas_plan_create(context, &plan, &p, NULL);
        ck_assert(status == MODBLAS_OK || status == MODBLAS_ENOPLAN);
        modblas_plan_destroy(plan);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {null_arguments,
                                  sizes_and_strides,
                                  a_C_that_overlaps_itself,
                                  a_C_that_cannot_hold_residues,
                                  entries_beyond_the_stated_bound,
                                  options_of_plans,
                                  types_of_plans,
                                  operands_of_a_transposed_product,
                                  data_between_entries,
                                  sizes_beyond_memory};
    int result = test_main_each("errors", tests, TEST_COUNT(tests), test_backends(backend));
    modblas_context_destroy(context);
    return result;
}
