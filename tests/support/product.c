/* SPDX-License-Identifier: BSD-3-Clause */
#include "product.h"

#include "oracle.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

test_product test_product_of(int64_t m, int64_t n, int64_t k, modblas_type type_a,
                             modblas_type type_b, uint64_t N)
{
    test_product p = {.problem = {m, n, k, MODBLAS_U64, type_a, type_b, N}, .alpha = 1};
    modblas_plan_options_init(&p.options);
    return p;
}

const char *test_product_text(const test_product *product)
{
    static _Thread_local char text[400];
    static const char *const type[] = {"u8",  "u16", "u32", "u64", "i8",
                                       "i16", "i32", "i64", "f32", "f64"};
    static const char *const scheme[] = {"auto", "direct", "split", "rns", "plain"};
    static const char *const engine[] = {"auto", "i8", "f64", "f32"};
    const modblas_problem *p = &product->problem;
    const modblas_plan_options *o = &product->options;
    snprintf(text, sizeof text,
             "%" PRId64 " x %" PRId64 " x %" PRId64 " mod %" PRIu64 ", %s <- %s * %s, %s/%s, %s, "
             "alpha %" PRIu64 ", beta %" PRIu64 ", bounds %" PRIu64 " %" PRIu64 ", tiles %" PRId64
             " %" PRId64 " %" PRId64 ", layouts %d %d %d",
             p->m, p->k, p->n, p->N, type[p->c], type[p->a], type[p->b], scheme[o->scheme],
             engine[o->engine], test_data_name(product->data), product->alpha, product->beta,
             o->bound_a, o->bound_b, o->tile_m, o->tile_n, o->chunk_k, (int)product->a,
             (int)product->b, (int)product->c);
    return text;
}

/* Large products by FLINT, where it is: the loop would take minutes. */
static uint64_t *expected(const test_operands *o, const test_product *product)
{
    const modblas_problem *p = &product->problem;
#if MODBLAS_HAVE_FLINT
    if (p->m * p->n * p->k > (int64_t)1 << 24)
        return test_expected_flint(&o->C.view, &o->A.view, &o->B.view, product->alpha,
                                   product->beta, p->N);
#endif
    return test_expected(&o->C.view, &o->A.view, &o->B.view, product->alpha, product->beta, p->N);
}

void test_operands_make(test_operands *operands, const test_product *product, test_random *random)
{
    const modblas_problem *p = &product->problem;
    const modblas_plan_options *o = &product->options;
    test_canvas_make(&operands->A, p->a, p->m, p->k, product->a);
    test_canvas_make(&operands->B, p->b, p->k, p->n, product->b);
    test_canvas_make(&operands->C, p->c, p->m, p->n, product->c);
    test_fill_operands(&operands->A.view, &operands->B.view, product->data, p->N, o->bound_a,
                       o->bound_b, random);
    if (test_residue((test_int)product->beta, p->N) != 0)
        test_fill_random(&operands->C.view, p->N, 0, test_word(random) & 1, random);
    operands->expected = expected(operands, product);
    test_canvas_keep(&operands->A);
    test_canvas_keep(&operands->B);
    test_canvas_keep(&operands->C);
}

void test_operands_free(test_operands *operands)
{
    test_canvas_free(&operands->A);
    test_canvas_free(&operands->B);
    test_canvas_free(&operands->C);
    free(operands->expected);
}

#define WRONG(verdict, product, ...)                                                              \
    do {                                                                                          \
        int used = snprintf((verdict).wrong, sizeof(verdict).wrong, __VA_ARGS__);                 \
        snprintf((verdict).wrong + used, sizeof(verdict).wrong - (size_t)used, ": %s",            \
                 test_product_text(product));                                                     \
    } while (0)

test_verdict test_operands_judge(const test_operands *operands, const test_product *product,
                                 modblas_status status)
{
    test_verdict v = {.status = status};
    const modblas_matrix *C = &operands->C.view;
    int64_t i, j;
    if (!test_canvas_is_unchanged(&operands->A) || !test_canvas_is_unchanged(&operands->B))
        WRONG(v, product, "an input changed");
    else if (!test_canvas_is_intact(&operands->C))
        WRONG(v, product, "a byte outside C changed");
    else if (status != MODBLAS_OK && modblas_detail()[0] == '\0')
        WRONG(v, product, "failed without a detail");
    else if (status == MODBLAS_OK &&
             !test_holds(C, operands->expected, product->problem.N, &i, &j))
        WRONG(v, product, "entry (%" PRId64 ", %" PRId64 ") is %" PRIu64 ", not %" PRIu64, i, j,
              (uint64_t)test_get(C, i, j), operands->expected[i * C->cols + j]);
    return v;
}

static test_verdict run_planned(modblas_context *context, const test_product *product,
                                const test_operands *operands)
{
    modblas_plan *plan = NULL;
    modblas_status status =
        modblas_plan_create(context, &plan, &product->problem, &product->options);
    if (status == MODBLAS_OK)
        status = modblas_plan_run(plan, &operands->C.view, &operands->A.view, &operands->B.view,
                                  product->alpha, product->beta);
    test_verdict verdict = test_operands_judge(operands, product, status);
    modblas_plan_destroy(plan);
    return verdict;
}

static bool is_all_planned(const modblas_plan_options *o)
{
    return o->scheme == MODBLAS_SCHEME_AUTO && o->engine == MODBLAS_ENGINE_AUTO &&
           o->tile_m == 0 && o->tile_n == 0 && o->chunk_k == 0;
}

test_verdict test_product_run(modblas_context *context, const test_product *product,
                              test_random *random)
{
    test_operands operands;
    test_operands_make(&operands, product, random);
    test_verdict verdict = run_planned(context, product, &operands);
    if (verdict.status == MODBLAS_OK && verdict.wrong[0] == '\0' &&
        is_all_planned(&product->options)) {
        test_product by_gemms = *product;
        by_gemms.options.scheme = MODBLAS_SCHEME_RNS;
        test_canvas_restore(&operands.C);
        test_verdict again = run_planned(context, &by_gemms, &operands);
        verdict = again.status == MODBLAS_ENOPLAN ? verdict : again;
    }
    test_operands_free(&operands);
    return verdict;
}

void test_product_check(modblas_context *context, const test_product *product, test_random *random)
{
    test_verdict v = test_product_run(context, product, random);
    ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
    ck_assert_msg(v.status == MODBLAS_OK, "%s: %s: %s", modblas_status_text(v.status),
                  modblas_detail(), test_product_text(product));
}

/* Bits of N - 1. */
static int bits(uint64_t N)
{
    int count = 0;
    for (uint64_t x = N - 1; x != 0; x >>= 1)
        count++;
    return count;
}

/* The largest magnitude of an operand, below 0 and above: of its entries or of their balanced
 * residues, whichever is smaller. */
static void magnitudes(modblas_type type, uint64_t N, uint64_t bound, test_int *neg, test_int *pos)
{
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N, most = (test_int)UINT64_MAX;
    test_int limit = bound == 0 ? most : (test_int)bound;
    *neg = -test_least(type) < limit ? -test_least(type) : limit;
    *pos = test_greatest(type) < limit ? test_greatest(type) : limit;
    test_int raw = *neg > *pos ? *neg : *pos;
    if (raw >= n / 2) {
        *neg = n / 2;
        *pos = (n - 1) / 2;
    }
}

static bool direct_is_possible(const test_product *product)
{
    const modblas_problem *p = &product->problem;
    test_int neg[2], pos[2];
    magnitudes(p->a, p->N, product->options.bound_a, &neg[0], &pos[0]);
    magnitudes(p->b, p->N, product->options.bound_b, &neg[1], &pos[1]);
    test_int a = neg[0] > pos[0] ? neg[0] : pos[0], b = neg[1] > pos[1] ? neg[1] : pos[1];
    if (product->options.engine == MODBLAS_ENGINE_I8)
        return neg[0] <= 128 && neg[1] <= 128 && pos[0] <= 127 && pos[1] <= 127;
    test_int S = (test_int)1 << (product->options.engine == MODBLAS_ENGINE_F64 ? 53 : 24);
    return a <= S && b <= S && a * b <= S;
}

bool test_product_is_possible(const test_product *product)
{
    const modblas_problem *p = &product->problem;
    if (product->options.scheme == MODBLAS_SCHEME_PLAIN)
        return product->options.engine == MODBLAS_ENGINE_AUTO;
    if (product->options.scheme == MODBLAS_SCHEME_DIRECT)
        return direct_is_possible(product);
    if (product->options.scheme == MODBLAS_SCHEME_RNS ||
        product->options.engine != MODBLAS_ENGINE_F64)
        return true;
    test_int neg, pos;
    magnitudes(p->a, p->N, product->options.bound_a, &neg, &pos);
    int all = bits(p->N), word = all < 4 ? 2 : (all + 1) / 2;
    test_int a = neg > pos ? neg : pos, half = (test_int)1 << (word - 1);
    return 2 * half * half <= (test_int)1 << 53 || a * half <= (test_int)1 << 53;
}

const char *test_backend_name(modblas_backend backend)
{
    return backend == MODBLAS_BACKEND_CUDA ? "cuda" : "host";
}

int test_backends(modblas_backend list[2])
{
    modblas_device_info info[16];
    int devices = 0, count = 0;
    bool cuda = false;
    if (modblas_device_list(info, 16, &devices) != MODBLAS_OK) {
        printf("%s\n", modblas_detail());
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < devices && i < 16; i++)
        cuda = cuda || info[i].backend == MODBLAS_BACKEND_CUDA;
    list[count++] = MODBLAS_BACKEND_HOST;
    if (cuda)
        list[count++] = MODBLAS_BACKEND_CUDA;
    else
        printf("skipped: backend cuda (no device of it is listed)\n");
    return count;
}

modblas_context *test_context(modblas_backend backend, int workers)
{
    modblas_options options;
    modblas_context *context = NULL;
    modblas_options_init(&options);
    options.backend = backend;
    options.workers = workers;
    modblas_status status = modblas_context_create(&context, &options);
    ck_assert_msg(status == MODBLAS_OK, "%s", modblas_detail());
    return context;
}
