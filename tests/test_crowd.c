/* SPDX-License-Identifier: BSD-3-Clause */
/* A crowd of threads: products of random shapes and moduli on one context, one plan run by all
 * with changing operands, contexts that come and go meanwhile. */
#include "src/api.h"
#include "support/deferred.h"
#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 16, ROUNDS = 25, BACKENDS = 2, DEFERRED = 1 };

typedef struct {
    const mb_backend *backend;
    modblas_context *context; /* everyone's */
    modblas_plan *plan;
    test_product planned;
    test_random random;
    char wrong[600]; /* the first thing that was */
} member;

static void note(member *m, const test_verdict *v)
{
    if (m->wrong[0] != '\0')
        return;
    if (v->wrong[0] != '\0')
        snprintf(m->wrong, sizeof m->wrong, "%s", v->wrong);
    else if (v->status != MODBLAS_OK)
        snprintf(m->wrong, sizeof m->wrong, "%.500s", modblas_detail());
}

static test_product random_product(test_random *random)
{
    uint64_t N = test_moduli[test_below(random, (uint64_t)test_moduli_count)];
    test_product p =
        test_product_of((int64_t)test_below(random, 40), (int64_t)test_below(random, 40),
                        (int64_t)test_below(random, 40), MODBLAS_U64, MODBLAS_I32, N);
    p.data = (test_data)test_below(random, TEST_DATA_COUNT);
    p.beta = test_word(random) & 1;
    return p;
}

/* A product on a context, which may be the thread's alone. */
static void multiply(member *m, modblas_context *context)
{
    test_product p = random_product(&m->random);
    test_verdict v = test_product_run(context, &p, &m->random);
    note(m, &v);
}

static void use_own_context(member *m)
{
    modblas_context *own = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1 + (int)test_below(&m->random, 3);
    options.memory = (uint64_t)1 << 26;
    test_verdict v = {.status = mb_context_make(&own, m->backend, &options)};
    note(m, &v);
    if (v.status == MODBLAS_OK)
        multiply(m, own);
    modblas_context_destroy(own);
}

/* The plan of all, with operands of the thread's own; on a stream of its own where there are any.
 */
static void use_plan(member *m, test_stream *stream)
{
    test_product p = m->planned;
    test_operands o;
    p.alpha = test_word(&m->random);
    p.beta = test_word(&m->random) & 1;
    p.data = (test_data)test_below(&m->random, TEST_DATA_COUNT);
    test_operands_make(&o, &p, &m->random);
    modblas_status status;
    if (test_word(&m->random) & 1)
        status = modblas_plan_run(m->plan, &o.C.view, &o.A.view, &o.B.view, p.alpha, p.beta);
    else
        status =
            modblas_plan_order(m->plan, stream, &o.C.view, &o.A.view, &o.B.view, p.alpha, p.beta);
    test_stream_do(stream);
    test_verdict v = test_operands_judge(&o, &p, status);
    note(m, &v);
    test_operands_free(&o);
}

static void *live(void *argument)
{
    member *m = argument;
    test_stream *stream = test_stream_make();
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t what = test_below(&m->random, 8);
        if (what == 0)
            use_own_context(m);
        else if (what < 4)
            multiply(m, m->context);
        else
            use_plan(m, stream);
        if (modblas_context_status(m->context) != MODBLAS_OK && m->wrong[0] == '\0')
            snprintf(m->wrong, sizeof m->wrong, "%.500s", modblas_detail());
    }
    test_stream_free(stream);
    return NULL;
}

START_TEST(a_crowd_gets_the_same_results)
{
    static member crowd[THREADS];
    pthread_t thread[THREADS];
    const mb_backend *backend = _i == DEFERRED ? test_deferred() : mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.memory = (uint64_t)1 << 30;
    ck_assert_int_eq(mb_context_make(&context, backend, &options), MODBLAS_OK);
    test_product planned = test_product_of(21, 18, 30, MODBLAS_U64, MODBLAS_I32, 2147483647);
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &planned.problem, NULL), MODBLAS_OK);
    for (int i = 0; i < THREADS; i++) {
        crowd[i] = (member){.backend = backend,
                            .context = context,
                            .plan = plan,
                            .planned = planned,
                            .random = {(uint64_t)(1000 * _i + i)}};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, live, &crowd[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(crowd[i].wrong[0] == '\0', "thread %d: %s", i, crowd[i].wrong);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_crowd_gets_the_same_results};
    return test_main_each("crowd", tests, TEST_COUNT(tests), BACKENDS);
}
