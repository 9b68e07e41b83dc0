/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of host memory and every creation of a thread inside every entry point, failed
 * in turn: ENOMEM with a detail, or a right result where the library can do without; nothing
 * outside C changes, and what was allocated is freed. The linker sends the calls of the library
 * here (--wrap). */
#include "src/run/context.h"
#include "support/product.h"
#include "support/suite.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000 };

static atomic_int countdown; /* the call that takes it to 0 fails */
static atomic_bool watched, met_memory, met_thread;
static atomic_int kept, faults; /* blocks allocated and not freed while watched */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *pointer);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *pointer);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

static bool strikes(atomic_bool *met)
{
    if (!atomic_load(&watched) || atomic_fetch_sub(&countdown, 1) != 1)
        return false;
    atomic_store(met, true);
    atomic_fetch_add(&faults, 1);
    return true;
}

static void *keep(void *pointer)
{
    atomic_fetch_add(&kept, atomic_load(&watched) && pointer != NULL);
    return pointer;
}

void *__wrap_malloc(size_t size)
{
    return strikes(&met_memory) ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strikes(&met_memory) ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return strikes(&met_memory) ? NULL : keep(__real_aligned_alloc(align, size));
}

void __wrap_free(void *pointer)
{
    atomic_fetch_sub(&kept, atomic_load(&watched) && pointer != NULL);
    __real_free(pointer);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    if (strikes(&met_thread))
        return EAGAIN;
    return __real_pthread_create(thread, attributes, start, argument);
}

/* The n-th call from now fails, until `unwatch`. Check's own assertions allocate, and wait until
 * then. */
static void watch(int n)
{
    atomic_store(&met_memory, false);
    atomic_store(&met_thread, false);
    atomic_store(&countdown, n);
    atomic_store(&watched, true);
}

/* True if a call failed meanwhile. */
static bool unwatch(modblas_status status)
{
    atomic_store(&watched, false);
    bool memory = atomic_load(&met_memory), thread = atomic_load(&met_thread);
    ck_assert_int_eq(status, memory ? MODBLAS_ENOMEM : MODBLAS_OK);
    if (memory)
        ck_assert_ptr_nonnull(strstr(modblas_detail(), "memory"));
    return memory || thread;
}

START_TEST(contexts)
{
    modblas_options options;
    modblas_options_init(&options);
    options.backend = MODBLAS_BACKEND_HOST;
    options.workers = 3;
    bool met = true;
    int n = 0;
    while (met && n < MOST) {
        modblas_context *context = NULL;
        atomic_store(&kept, 0);
        watch(++n);
        modblas_status status = modblas_context_create(&context, &options);
        bool made = context != NULL;
        modblas_context_destroy(context);
        met = unwatch(status);
        ck_assert_int_eq(made, status == MODBLAS_OK);
        int blocks = atomic_load(&kept);
        ck_assert_int_eq(blocks, 0);
    }
    ck_assert_int_ge(n, 15);
    ck_assert_int_lt(n, MOST);
}
END_TEST

static modblas_context *make_context(modblas_verify verify)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.backend = MODBLAS_BACKEND_HOST;
    options.workers = 3;
    options.verify = verify;
    options.memory = 1 << 27;
    ck_assert_int_eq(modblas_context_create(&context, &options), MODBLAS_OK);
    return context;
}

/* Workspace stays with the context: it is none of a leak, and is forgotten so that it is asked for
 * again. */
static int workspace(modblas_context *context)
{
    int blocks = 0;
    for (int i = 0; i < context->device[0].workers; i++) {
        mb_slot *slot = &context->device[0].slot[i];
        blocks += slot->memory != NULL;
        free(slot->memory);
        slot->memory = NULL;
        slot->size = 0;
    }
    return blocks;
}

/* A plan and its run, every call failed. Returns how many there were. */
static int try_product(modblas_context *context, const test_product *p)
{
    test_random random = {1};
    bool met = true;
    int n = 0;
    while (met && n < MOST) {
        test_operands o;
        modblas_plan *plan = NULL;
        test_operands_make(&o, p, &random);
        workspace(context);
        atomic_store(&kept, 0);
        watch(++n);
        modblas_status status = modblas_plan_create(context, &plan, &p->problem, &p->options);
        bool made = plan != NULL;
        if (status == MODBLAS_OK)
            status = modblas_plan_run(plan, &o.C.view, &o.A.view, &o.B.view, p->alpha, p->beta);
        modblas_plan_destroy(plan);
        met = unwatch(status);
        ck_assert(made || status != MODBLAS_OK);
        int blocks = atomic_load(&kept);
        ck_assert_int_eq(blocks, workspace(context));
        test_verdict v = test_operands_judge(&o, p, status);
        ck_assert_msg(v.wrong[0] == '\0', "allocation %d: %s", n, v.wrong);
        test_operands_free(&o);
    }
    ck_assert_int_lt(n, MOST);
    return n - 1;
}

START_TEST(products)
{
    for (int verify = MODBLAS_VERIFY_OFF; verify <= MODBLAS_VERIFY_FREIVALDS; verify++) {
        modblas_context *context = make_context((modblas_verify)verify);
        test_product p = test_product_of(50, 40, 30, MODBLAS_U64, MODBLAS_I16, 65521);
        p.options.tile_m = p.options.tile_n = 16;
        p.options.scheme = MODBLAS_SCHEME_RNS;
        p.beta = 3;
        /* A plan, three workspaces, a thread that is kept; vectors of the check. */
        int least = verify == MODBLAS_VERIFY_OFF ? 5 : 10;
        ck_assert_int_ge(try_product(context, &p), least);
        p.problem.k = 0;
        ck_assert_int_ge(try_product(context, &p), 1);
        modblas_context_destroy(context);
    }
}
END_TEST

/* Large enough for its engine to be proved, in memory of its own. */
START_TEST(proofs)
{
    modblas_context *context = make_context(MODBLAS_VERIFY_OFF);
    test_product p = test_product_of(1024, 1024, 1024, MODBLAS_U8, MODBLAS_U8, 251);
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.options.tile_m = p.options.tile_n = 1024;
    p.options.chunk_k = 1024;
    ck_assert_int_ge(try_product(context, &p), 5);
    modblas_context_destroy(context);
}
END_TEST

/* The plain calls: C is A here. */
START_TEST(plain_calls)
{
    enum { N = 12 };
    modblas_context *context = make_context(MODBLAS_VERIFY_FREIVALDS);
    uint64_t x[N * N], right[N * N];
    for (int i = 0; i < N * N; i++)
        right[i] = (uint64_t)i;
    ck_assert_int_eq(modblas_matmul(context, right, N, right, N, right, N, N, N, N, 251), 0);
    bool met = true;
    int n = 0;
    while (met && n < MOST) {
        for (int i = 0; i < N * N; i++)
            x[i] = (uint64_t)i;
        workspace(context);
        watch(++n);
        met = unwatch(modblas_matmul(context, x, N, x, N, x, N, N, N, N, 251));
    }
    ck_assert_mem_eq(x, right, sizeof x);
    ck_assert_int_ge(n, 7);
    modblas_context_destroy(context);
    int all = atomic_load(&faults);
    printf("%d faults\n", all);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {contexts, products, proofs, plain_calls};
    return test_main("memory", tests, TEST_COUNT(tests));
}
