/* SPDX-License-Identifier: BSD-3-Clause */
/* Types, strides, overlap and unusual entries. What is refused is in test_errors.c. */
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = MODBLAS_F64 + 1 };

static modblas_backend backend[2];
static modblas_context *context;

static void use_backend(int i)
{
    modblas_context_destroy(context);
    context = test_context(backend[i], 2);
}

static const uint64_t moduli[] = {2,
                                  128,
                                  251,
                                  256,
                                  65521,
                                  65536,
                                  2147483647,
                                  (uint64_t)1 << 32,
                                  ((uint64_t)1 << 52) - 47,
                                  UINT64_MAX - 58,
                                  0};
enum { MODULI = sizeof moduli / sizeof moduli[0] };

static bool holds(modblas_type type, uint64_t N)
{
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N;
    test_int largest = type == MODBLAS_F32 ? 1 << 24 : test_greatest(type);
    /* Two's complement: the greatest entry is n/2 - 1 and there are negative ones. */
    return n - 1 <= largest || (test_least(type) < 0 && largest == n / 2 - 1);
}

static const test_data contents[] = {TEST_UNREDUCED, TEST_RANDOM, TEST_CORNERS};

START_TEST(all_pairs_of_types)
{
    use_backend(_i);
    test_random random = {1};
    for (int pair = 0; pair < TYPES * TYPES; pair++) {
        for (int i = 0; i < MODULI; i++) {
            test_product p = test_product_of(6, 7, 35, (modblas_type)(pair % TYPES),
                                             (modblas_type)(pair / TYPES), moduli[i]);
            for (int d = 0; d < 3; d++) {
                p.data = contents[d];
                p.a = (test_layout)test_below(&random, TEST_INPUT_LAYOUTS);
                p.b = (test_layout)test_below(&random, TEST_INPUT_LAYOUTS);
                p.c = (test_layout)test_below(&random, TEST_LAYOUTS);
                p.alpha = d == 0 ? test_word(&random) : 1;
                p.beta = d == 1 ? test_word(&random) : 0;
                test_product_check(context, &p, &random);
            }
        }
    }
}
END_TEST

START_TEST(all_types_of_C)
{
    use_backend(_i);
    test_random random = {2};
    int tried = 0;
    for (int t = 0; t < TYPES; t++) {
        for (int i = 0; i < MODULI; i++) {
            test_product p = test_product_of(9, 5, 20, MODBLAS_I64, MODBLAS_U32, moduli[i]);
            p.problem.c = (modblas_type)t;
            if (!holds(p.problem.c, moduli[i]))
                continue;
            for (int beta = 0; beta < 2; beta++) {
                p.beta = beta ? test_word(&random) : 0;
                p.c = (test_layout)test_below(&random, TEST_LAYOUTS);
                test_product_check(context, &p, &random);
                tried++;
            }
        }
    }
    ck_assert_int_ge(tried, 100);
}
END_TEST

START_TEST(all_layouts)
{
    use_backend(_i);
    test_random random = {3};
    for (int layout = 0; layout < TEST_INPUT_LAYOUTS * TEST_INPUT_LAYOUTS; layout++) {
        for (int c = 0; c < TEST_LAYOUTS; c++) {
            test_product p = test_product_of(19, 18, 21, MODBLAS_I32, MODBLAS_U8, 65521);
            p.a = (test_layout)(layout % TEST_INPUT_LAYOUTS);
            p.b = (test_layout)(layout / TEST_INPUT_LAYOUTS);
            p.c = (test_layout)c;
            p.data = TEST_UNREDUCED;
            p.options.tile_m = layout & 1 ? 16 : 0;
            p.options.chunk_k = layout & 2 ? 16 : 0;
            p.beta = layout & 4 ? 5 : 0;
            test_product_check(context, &p, &random);
        }
    }
}
END_TEST

/* The stride of a single row or column is never used. */
START_TEST(strides_of_single_lines_are_free)
{
    use_backend(_i);
    const int64_t far[] = {0, INT64_MAX, INT64_MIN, -1};
    uint64_t a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {6, 5, 4, 3, 2, 1}, c[4];
    for (int x = 0; x < 4 * 3; x++) {
        int64_t stride = far[x % 4];
        modblas_matrix A = {a, MODBLAS_U64, 1, 6, stride, 1};
        modblas_matrix B = {b, MODBLAS_U64, 6, 1, 1, stride};
        modblas_matrix C = {c, MODBLAS_U64, 1, 1, stride, far[x / 4]};
        ck_assert_msg(modblas_gemm(context, &C, &A, &B, 1, 0, 251) == MODBLAS_OK, "%s",
                      modblas_detail());
        ck_assert_uint_eq(c[0], 56);
        B = (modblas_matrix){b, MODBLAS_U64, 6, 4, 1, 0};
        C = (modblas_matrix){c, MODBLAS_U64, 1, 4, stride, 1};
        ck_assert_msg(modblas_gemm(context, &C, &A, &B, 1, 0, 251) == MODBLAS_OK, "%s",
                      modblas_detail());
        ck_assert_uint_eq(c[3], 56);
    }
}
END_TEST

/* ---- overlap -------------------------------------------------------------------------------- */

enum { SIDE = 40, BUFFER = 3 * SIDE * SIDE };

/* A view that begins at entry `at` of the buffer: rows `down` apart, columns `right` apart. */
static modblas_matrix at(uint64_t *buffer, int64_t at_entry, modblas_type type, int64_t down,
                         int64_t right)
{
    return (modblas_matrix){buffer + at_entry, type, SIDE, SIDE, down, right};
}

/* C <- alpha*A*B + beta*C on views of one buffer, by a call (options NULL) or by a plan. */
static void check_overlap(uint64_t *buffer, const modblas_matrix *C, const modblas_matrix *A,
                          const modblas_matrix *B, uint64_t N, int way,
                          const modblas_plan_options *options)
{
    test_canvas canvas = {*C, (unsigned char *)buffer, NULL, BUFFER * sizeof *buffer};
    uint64_t alpha = way & 1 ? 3 : 1, beta = way & 2 ? 7 : 0;
    uint64_t *expected = test_expected(C, A, B, alpha, beta, N);
    canvas.before = malloc(canvas.size);
    ck_assert_ptr_nonnull(canvas.before);
    test_canvas_keep(&canvas);
    modblas_plan *plan = NULL;
    modblas_problem problem = {SIDE, SIDE, SIDE, C->type, A->type, B->type, N};
    if (options)
        ck_assert_int_eq(modblas_plan_create(context, &plan, &problem, options), MODBLAS_OK);
    modblas_status status = plan ? modblas_plan_run(plan, C, A, B, alpha, beta)
                                 : modblas_gemm(context, C, A, B, alpha, beta, N);
    ck_assert_msg(status == MODBLAS_OK, "%s", modblas_detail());
    int64_t i = 0, j = 0;
    bool right = test_holds(C, expected, N, &i, &j);
    ck_assert_msg(right, "way %d, entry (%d, %d)", way, (int)i, (int)j);
    ck_assert(test_canvas_is_intact(&canvas));
    modblas_plan_destroy(plan);
    free(expected);
    free(canvas.before);
}

/* All ways in which views of one buffer may lie to each other, C in its middle. */
static void check_all_overlaps(uint64_t N, int way, const modblas_plan_options *options,
                               test_random *random)
{
    static uint64_t buffer[BUFFER];
    enum { MIDDLE = SIDE * SIDE, LAST = 2 * SIDE * SIDE };
    modblas_matrix whole = at(buffer, MIDDLE, MODBLAS_U64, SIDE, 1);
    modblas_matrix apart = at(buffer, LAST, MODBLAS_U64, SIDE, 1);
    const modblas_matrix other[] = {
        whole,
        modblas_transpose(whole),
        at(buffer, MIDDLE + 1, MODBLAS_U64, SIDE, 1),
        at(buffer, MIDDLE - SIDE / 2, MODBLAS_U64, SIDE, 1),
        at(buffer, LAST - SIDE, MODBLAS_U64, SIDE, 1),
        at(buffer, 1, MODBLAS_U64, SIDE, 1),
        at(buffer, LAST - 1, MODBLAS_U64, -SIDE, -1),
        at(buffer, MIDDLE, MODBLAS_U8, SIDE, 1),
        at(buffer, MIDDLE + 5, MODBLAS_I32, SIDE + 1, 1),
        at(buffer, MIDDLE + 7, MODBLAS_U16, 0, 0),
    };
    for (size_t o = 0; o < sizeof other / sizeof other[0]; o++) {
        const modblas_matrix *pair[][2] = {
            {&other[o], &apart}, {&apart, &other[o]}, {&other[o], &other[o]}};
        for (int x = 0; x < 3; x++) {
            for (int i = 0; i < BUFFER; i++)
                buffer[i] = test_below(random, N);
            check_overlap(buffer, &whole, pair[x][0], pair[x][1], N, way, options);
        }
    }
}

static const uint64_t overlap_moduli[] = {251, 2147483647, UINT64_MAX - 58, 0};

START_TEST(C_overlaps_inputs)
{
    use_backend(_i);
    test_random random = {4};
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    options.tile_m = options.tile_n = 16;
    for (int way = 0; way < 4 * 4; way++) {
        uint64_t N = overlap_moduli[way / 4];
        options.chunk_k = way & 2 ? 7 : 0;
        check_all_overlaps(N, way, NULL, &random);
        check_all_overlaps(N, way, &options, &random);
    }
}
END_TEST

/* Too little memory to cut all of A and B before the first tile of C is done. */
START_TEST(C_overlaps_inputs_that_are_read_late)
{
    test_random random = {4};
    modblas_options small;
    modblas_options_init(&small);
    small.backend = backend[_i];
    small.workers = 2;
    small.memory = 1 << 16;
    modblas_context_destroy(context);
    context = NULL;
    ck_assert_int_eq(modblas_context_create(&context, &small), MODBLAS_OK);
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    options.scheme = MODBLAS_SCHEME_RNS;
    options.engine = MODBLAS_ENGINE_I8;
    options.tile_m = options.tile_n = options.chunk_k = 16;
    for (int way = 0; way < 4 * 4; way++)
        check_all_overlaps(overlap_moduli[way / 4], way, &options, &random);
}
END_TEST

/* ---- entries -------------------------------------------------------------------------------- */

typedef struct {
    double value;
    bool is_integer;
} number;

static const number numbers[] = {
    {0.5, false},
    {-0.5, false},
    {1e-300, false},
    {NAN, false},
    {INFINITY, false},
    {-INFINITY, false},
    {1e300, false},
    {4503599627370495.5, false},
    {9007199254740994.0, false}, /* 2^53 + 2 */
    {-9007199254740994.0, false},
    {-0.0, true},
    {9007199254740992.0, true},
    {-9007199254740992.0, true},
    {-1, true},
};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static void put_number(const modblas_matrix *M, double value)
{
    void *p = test_at(M, M->rows - 1, M->cols - 1);
    float narrow = (float)value;
    if (M->type == MODBLAS_F32)
        memcpy(p, &narrow, sizeof narrow);
    else
        memcpy(p, &value, sizeof value);
}

/* The number as last entry of operand o of a product. */
static void check_number(test_product *p, int o, number x, test_random *random)
{
    test_operands v;
    p->beta = o == 2;
    test_operands_make(&v, p, random);
    modblas_matrix *view[] = {&v.A.view, &v.B.view, &v.C.view};
    put_number(view[o], x.value);
    test_canvas_keep(&v.A);
    test_canvas_keep(&v.B);
    test_canvas_keep(&v.C);
    if (x.is_integer) {
        free(v.expected);
        v.expected = test_expected(view[2], view[0], view[1], 1, p->beta, p->problem.N);
    }
    modblas_status status =
        modblas_gemm(context, view[2], view[0], view[1], 1, p->beta, p->problem.N);
    test_verdict verdict = test_operands_judge(&v, p, status);
    ck_assert_msg(verdict.wrong[0] == '\0', "%g: %s", x.value, verdict.wrong);
    ck_assert_msg(status == (x.is_integer ? MODBLAS_OK : MODBLAS_ENOTINT), "%g in %c: %s", x.value,
                  "ABC"[o], modblas_status_text(status));
    char name[] = {"ABC"[o], '\0'};
    if (!x.is_integer)
        ck_assert_ptr_nonnull(strstr(modblas_detail(), name));
    test_operands_free(&v);
}

START_TEST(what_is_no_integer_is_said)
{
    use_backend(_i);
    test_random random = {5};
    const uint64_t N[] = {2, 251, 65521, (1 << 24) - 3, ((uint64_t)1 << 40) - 87};
    for (int x = 0; x < 5 * 2 * 3 * NUMBERS; x++) {
        number value = numbers[x % NUMBERS];
        int o = x / NUMBERS % 3;
        bool narrow = x / NUMBERS / 3 % 2;
        uint64_t n = N[x / NUMBERS / 6];
        modblas_type type = narrow ? MODBLAS_F32 : MODBLAS_F64;
        if (narrow) {
            /* Rounded to a float: 2^53 + 2 becomes 2^53, 2^52 - 0.5 becomes 2^52. */
            double rounded = (double)(float)value.value;
            value.is_integer = value.is_integer || fabs(rounded) == 4503599627370496.0 ||
                               fabs(rounded) == 9007199254740992.0 || rounded == 0;
        }
        test_product p = test_product_of(20, 19, 18, type, type, n);
        p.problem.c = n > 1 << 24 ? MODBLAS_F64 : type;
        if (o < 2 || p.problem.c == type)
            check_number(&p, o, value, &random);
    }
}
END_TEST

/* C is not read when beta is 0: it may hold anything. */
START_TEST(old_entries_do_not_matter_without_beta)
{
    use_backend(_i);
    test_random random = {6};
    test_product p = test_product_of(20, 19, 18, MODBLAS_F64, MODBLAS_F32, 251);
    p.problem.c = MODBLAS_F64;
    const uint64_t zero[] = {0, 251, 251 * 1000};
    for (int x = 0; x < NUMBERS * 3; x++) {
        test_operands v;
        p.beta = zero[x / NUMBERS];
        test_operands_make(&v, &p, &random);
        for (int64_t i = 0; i < 20 * 19; i++)
            memcpy(test_at(&v.C.view, i / 19, i % 19), &numbers[x % NUMBERS].value,
                   sizeof(double));
        modblas_status status =
            modblas_gemm(context, &v.C.view, &v.A.view, &v.B.view, 1, p.beta, 251);
        test_verdict verdict = test_operands_judge(&v, &p, status);
        ck_assert_msg(status == MODBLAS_OK && verdict.wrong[0] == '\0', "%s%s", modblas_detail(),
                      verdict.wrong);
        test_operands_free(&v);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_pairs_of_types,
                                  all_types_of_C,
                                  all_layouts,
                                  strides_of_single_lines_are_free,
                                  C_overlaps_inputs,
                                  C_overlaps_inputs_that_are_read_late,
                                  what_is_no_integer_is_said,
                                  old_entries_do_not_matter_without_beta};
    int count = test_backends(backend);
    int result = test_main_each("views", tests, TEST_COUNT(tests), count);
    modblas_context_destroy(context);
    return result;
}
