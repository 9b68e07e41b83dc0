/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that a backend can fail, failed in turn: the status comes back with a detail, nothing
 * outside C changes, and the context works afterwards. */
#include "src/api.h"
#include "support/fault.h"
#include "support/product.h"
#include "support/staged.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CALLS = 3000 };
static const uint64_t plenty = 1 << 26;

static mb_backend fault;
static const mb_backend *inner[3];
static int inner_count;

/* The tests of one backend leave nothing behind. */
static void destroy(modblas_context *context)
{
    modblas_context_destroy(context);
    ck_assert_int_eq(test_fault_outstanding(), 0);
}

static modblas_context *make_context(int workers, modblas_verify verify, uint64_t memory)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = workers;
    options.verify = verify;
    options.memory = memory;
    ck_assert_int_eq(mb_context_make(&context, &fault, &options), MODBLAS_OK);
    return context;
}

/* The product when its n-th call fails, or, if it makes fewer, none. */
static void check_fault(modblas_context *context, const test_product *p, int n,
                        modblas_status status, test_random *random)
{
    test_fault_arm(n, status);
    test_verdict v = test_product_run(context, p, random);
    const char *met = test_fault_met();
    ck_assert_msg(v.wrong[0] == '\0', "call %d (%s): %s", n, met ? met : "none", v.wrong);
    ck_assert_msg(v.status == (met ? status : MODBLAS_OK), "call %d (%s): %s", n,
                  met ? met : "none", modblas_status_text(v.status));
    if (met)
        ck_assert_msg(strstr(modblas_detail(), met) != NULL, "%s: %s", met, modblas_detail());
    for (int i = 0; i < context->device[0].workers; i++)
        ck_assert(!context->device[0].slot[i].busy);
    ck_assert_uint_eq(context->device[0].charged, 0);
}

/* Fails call after call until the product gets through. */
static void try_all_faults(modblas_context *context, const test_product *p, int least)
{
    test_random random = {1};
    int n = 1;
    do {
        check_fault(context, p, n, n & 1 ? MODBLAS_EDEVICE : MODBLAS_ENOMEM, &random);
        if (test_fault_met() == NULL)
            break;
        check_fault(context, p, 0, MODBLAS_OK, &random);
    } while (++n < MOST_CALLS);
    test_fault_arm(0, MODBLAS_OK);
    ck_assert_int_ge(n, least);
    ck_assert_int_lt(n, MOST_CALLS);
}

static void try_schemes(int workers, modblas_verify verify)
{
    for (int scheme = MODBLAS_SCHEME_DIRECT; scheme <= MODBLAS_SCHEME_RNS; scheme++) {
        modblas_context *context = make_context(workers, verify, plenty);
        test_product p = test_product_of(30, 20, 40, MODBLAS_U64, MODBLAS_I16, 251);
        p.options.scheme = (modblas_scheme)scheme;
        p.options.tile_m = p.options.chunk_k = 16;
        p.beta = 3;
        try_all_faults(context, &p, 10);
        destroy(context);
    }
}

START_TEST(each_call_of_a_product_fails)
{
    test_fault_make(&fault, inner[_i]);
    try_schemes(1, MODBLAS_VERIFY_OFF);
    try_schemes(3, MODBLAS_VERIFY_OFF);
}
END_TEST

START_TEST(each_call_of_a_checked_product_fails)
{
    test_fault_make(&fault, inner[_i]);
    try_schemes(2, MODBLAS_VERIFY_FREIVALDS);
}
END_TEST

/* Planes are made for each tile where memory is too little to keep them. */
START_TEST(each_call_of_a_product_in_little_memory_fails)
{
    test_fault_make(&fault, inner[_i]);
    modblas_context *context = make_context(1, MODBLAS_VERIFY_OFF, 1 << 14);
    test_product p = test_product_of(40, 40, 40, MODBLAS_U64, MODBLAS_U64, 65521);
    p.options.scheme = MODBLAS_SCHEME_RNS;
    p.options.engine = MODBLAS_ENGINE_I8;
    p.options.tile_m = p.options.tile_n = p.options.chunk_k = 16;
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options), MODBLAS_OK);
    ck_assert(!plan->plan.shared);
    modblas_plan_destroy(plan);
    try_all_faults(context, &p, 100);
    destroy(context);
}
END_TEST

/* C is the same memory as A: stored in a phase of its own. */
static modblas_status square(modblas_context *context, int64_t n, uint64_t *x)
{
    modblas_matrix view = modblas_row_major(x, MODBLAS_U64, n, n, n);
    test_product p = test_product_of(n, n, n, MODBLAS_U64, MODBLAS_U64, 65521);
    modblas_plan *plan = NULL;
    p.options.scheme = MODBLAS_SCHEME_RNS;
    modblas_status status = modblas_plan_create(context, &plan, &p.problem, &p.options);
    if (status == MODBLAS_OK)
        status = modblas_plan_run(plan, &view, &view, &view, 1, 1);
    modblas_plan_destroy(plan);
    return status;
}

START_TEST(each_call_of_an_overlapping_product_fails)
{
    enum { N = 20 };
    uint64_t x[N * N], right[N * N];
    int n = 0;
    test_fault_make(&fault, inner[_i]);
    modblas_context *context = make_context(2, MODBLAS_VERIFY_OFF, 1 << 14);
    for (int i = 0; i < N * N; i++)
        right[i] = (uint64_t)i;
    ck_assert_int_eq(square(context, N, right), MODBLAS_OK);
    do {
        for (int i = 0; i < N * N; i++)
            x[i] = (uint64_t)i;
        test_fault_arm(++n, MODBLAS_ENOMEM);
        ck_assert_int_eq(square(context, N, x), test_fault_met() ? MODBLAS_ENOMEM : MODBLAS_OK);
    } while (test_fault_met() != NULL && n < MOST_CALLS);
    ck_assert_mem_eq(x, right, sizeof x);
    ck_assert_int_ge(n, 10);
    ck_assert_int_lt(n, MOST_CALLS);
    destroy(context);
}
END_TEST

/* Stamps are calls that fail too. */
START_TEST(each_call_of_a_traced_product_fails)
{
    enum { EVENTS = 64 };
    static mb_trace_event event[EVENTS];
    int n = 0;
    test_fault_make(&fault, inner[_i]);
    modblas_context *context = make_context(1, MODBLAS_VERIFY_OFF, plenty);
    test_product p = test_product_of(9, 9, 9, MODBLAS_U64, MODBLAS_U64, 65521);
    p.options.scheme = MODBLAS_SCHEME_RNS;
    test_random random = {1};
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options), MODBLAS_OK);
    do {
        mb_trace trace = {.event = event, .capacity = EVENTS};
        test_operands o;
        test_operands_make(&o, &p, &random);
        test_fault_arm(++n, MODBLAS_EDEVICE);
        modblas_status status =
            mb_plan_run_traced(plan, &o.C.view, &o.A.view, &o.B.view, p.alpha, p.beta, &trace);
        test_verdict v = test_operands_judge(&o, &p, status);
        ck_assert_msg(v.wrong[0] == '\0', "call %d: %s", n, v.wrong);
        ck_assert_int_eq(status, test_fault_met() ? MODBLAS_EDEVICE : MODBLAS_OK);
        test_operands_free(&o);
    } while (test_fault_met() != NULL && n < MOST_CALLS);
    ck_assert_int_ge(n, 15);
    ck_assert_int_lt(n, MOST_CALLS);
    modblas_plan_destroy(plan);
    destroy(context);
}
END_TEST

/* A device is lost at the n-th call: that call and all later ones say so, the context can be
 * destroyed, and another one lives on. */
START_TEST(a_lost_device_stays_lost)
{
    test_random random = {1};
    modblas_context *other = test_context(MODBLAS_BACKEND_HOST, 1);
    test_product p = test_product_of(20, 20, 20, MODBLAS_U64, MODBLAS_U64, 65521);
    p.options.tile_m = 16;
    p.beta = 1;
    int n = 0;
    bool met = true;
    for (; met && n < MOST_CALLS; n++) {
        test_fault_make(&fault, inner[_i]);
        modblas_context *context = make_context(2, MODBLAS_VERIFY_FREIVALDS, plenty);
        test_fault_lose(n + 1);
        test_verdict v = test_product_run(context, &p, &random);
        met = test_fault_met() != NULL;
        for (int again = 0; again < 3; again++) {
            ck_assert_msg(v.wrong[0] == '\0', "call %d: %s", n, v.wrong);
            ck_assert_int_eq(v.status, met ? MODBLAS_EDEVICE : MODBLAS_OK);
            test_product_check(other, &p, &random);
            v = met ? test_product_run(context, &p, &random) : v;
        }
        destroy(context);
    }
    ck_assert_int_ge(n, 20);
    ck_assert_int_lt(n, MOST_CALLS);
    modblas_context_destroy(other);
}
END_TEST

START_TEST(each_call_of_a_plain_product_fails)
{
    test_fault_make(&fault, inner[_i]);
    if (fault.plain == NULL)
        return;
    modblas_context *context = make_context(1, MODBLAS_VERIFY_OFF, plenty);
    test_product p = test_product_of(30, 20, 40, MODBLAS_U64, MODBLAS_I16, 251);
    p.options.scheme = MODBLAS_SCHEME_PLAIN;
    p.beta = 3;
    try_all_faults(context, &p, 3);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(each_call_of_a_scaling_fails)
{
    test_fault_make(&fault, inner[_i]);
    modblas_context *context = make_context(2, MODBLAS_VERIFY_OFF, plenty);
    test_product p = test_product_of(30, 20, 0, MODBLAS_U64, MODBLAS_U64, 0);
    p.beta = 5;
    try_all_faults(context, &p, 3);
    destroy(context);
}
END_TEST

/* A context whose creation met a fault is not made, or is made without what failed. */
START_TEST(each_call_of_a_creation_fails)
{
    test_fault_make(&fault, inner[_i]);
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    int n = 0, failed = 0;
    do {
        modblas_context *context = NULL;
        test_fault_arm(++n, MODBLAS_EDEVICE);
        modblas_status status = mb_context_make(&context, &fault, &options);
        ck_assert_int_eq(status, test_fault_met() ? MODBLAS_EDEVICE : MODBLAS_OK);
        ck_assert_int_eq(context == NULL, status != MODBLAS_OK);
        failed += status != MODBLAS_OK;
        if (status != MODBLAS_OK)
            ck_assert_ptr_nonnull(strstr(modblas_detail(), test_fault_met()));
        destroy(context);
    } while (test_fault_met() != NULL && n < MOST_CALLS);
    ck_assert_int_ge(failed, 5);
    ck_assert_int_lt(n, MOST_CALLS);
}
END_TEST

/* Every function of the backend failed somewhere above. */
START_TEST(each_kind_of_call_failed)
{
    static const char *const kind[] = {
        "device_info", "worker_create", "alloc", "locate", "split", "gemm",   "join",
        "after",       "wait",          "check", "mark",   "stamp", "upload", "download"};
    for (int i = 0; i < (int)(sizeof kind / sizeof kind[0]); i++)
        ck_assert_msg(test_fault_tally(kind[i]) > 0, "%s never failed", kind[i]);
    if (_i == 0)
        printf("%d faults\n", test_fault_tally(NULL));
}
END_TEST

/* A wrong GEMM strikes the engine off. */
static modblas_status saturating_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = inner[0]->gemm(worker, job);
    if (job->engine->id != MODBLAS_ENGINE_I8)
        return status;
    int32_t *C = job->C;
    for (int64_t i = 0; i < job->m; i++) {
        for (int64_t j = 0; j < job->n; j++) {
            int32_t *c = &C[i * job->ldc + j];
            *c = *c > 32767 * (job->k / 2) ? (int32_t)(32767 * (job->k / 2)) : *c;
        }
    }
    return status;
}

START_TEST(an_inexact_engine_is_struck_off)
{
    mb_backend saturating = *inner[0];
    saturating.gemm = saturating_gemm;
    /* 2 * 128 * 128 = 32768 saturates at 32767, as without VNNI. */
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1;
    modblas_context *context = NULL;
    ck_assert_int_eq(mb_context_make(&context, &saturating, &options), MODBLAS_OK);
    test_random random = {1};
    test_product p = test_product_of(8, 8, 64, MODBLAS_U64, MODBLAS_U64, 256);
    p.data = TEST_ALL_LOW;
    test_product_check(context, &p, &random);
    p.options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(test_product_run(context, &p, &random).status, MODBLAS_ENOPLAN);
    char text[2000];
    ck_assert_int_eq(modblas_context_text(context, text, sizeof text, NULL), MODBLAS_OK);
    ck_assert_msg(strstr(text, "struck off") != NULL, "%s", text);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {each_call_of_a_product_fails,
                                  each_call_of_a_checked_product_fails,
                                  each_call_of_a_product_in_little_memory_fails,
                                  each_call_of_an_overlapping_product_fails,
                                  each_call_of_a_traced_product_fails,
                                  a_lost_device_stays_lost,
                                  each_call_of_a_plain_product_fails,
                                  each_call_of_a_scaling_fails,
                                  each_call_of_a_creation_fails,
                                  each_kind_of_call_failed,
                                  an_inexact_engine_is_struck_off};
    inner[inner_count++] = mb_backend_host();
    inner[inner_count++] = test_staged();
    const char *reason;
    const mb_backend *cuda = mb_backend_cuda(&reason);
    if (cuda != NULL && cuda->device_count() > 0)
        inner[inner_count++] = cuda;
    else
        printf("skipped: backend cuda (%s)\n", modblas_detail());
    return test_main_each("faults", tests, TEST_COUNT(tests), inner_count);
}
