/* SPDX-License-Identifier: BSD-3-Clause */
/* Many host threads on one context: all results are right, and what they took is given back. */
#include "src/run/context.h"
#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, PRODUCTS = 150 };

static modblas_backend backend[2];

typedef struct {
    modblas_context *context;
    test_random random;
    test_verdict verdict; /* the first that is not right */
    int right;
} job;

static void *multiply(void *argument)
{
    job *j = argument;
    test_random *random = &j->random;
    for (int i = 0; i < PRODUCTS; i++) {
        uint64_t N = test_moduli[test_below(random, (uint64_t)test_moduli_count)];
        test_product p =
            test_product_of((int64_t)test_below(random, 60), (int64_t)test_below(random, 60),
                            (int64_t)test_below(random, 60), MODBLAS_U64, MODBLAS_I32, N);
        p.options.tile_m = (int64_t)(test_word(random) & 31);
        p.options.tile_n = (int64_t)(test_word(random) & 31);
        p.data = (test_data)test_below(random, TEST_DATA_COUNT);
        p.beta = test_word(random) & 1;
        test_verdict v = test_product_run(j->context, &p, random);
        if (v.status == MODBLAS_OK && v.wrong[0] == '\0')
            j->right++;
        else if (j->verdict.wrong[0] == '\0') {
            j->verdict = v;
            if (v.wrong[0] == '\0')
                snprintf(j->verdict.wrong, sizeof j->verdict.wrong, "%.400s", modblas_detail());
        }
    }
    return NULL;
}

static void run_threads(modblas_context *context, uint64_t seed)
{
    static job jobs[THREADS];
    pthread_t thread[THREADS];
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].context = context;
        jobs[i].random.state = seed + (uint64_t)i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, multiply, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(jobs[i].right == PRODUCTS, "thread %d: %s", i, jobs[i].verdict.wrong);
}

/* No worker is busy, nothing is promised, and what is kept is within the budget. */
static void check_idle(const modblas_context *context)
{
    for (int d = 0; d < context->device_count; d++) {
        const mb_device *device = &context->device[d];
        uint64_t kept = 0;
        for (int i = 0; i < device->workers; i++) {
            ck_assert(!device->slot[i].busy);
            kept += device->slot[i].size;
        }
        ck_assert_uint_eq(device->charged, 0);
        ck_assert_uint_le(kept, device->caps.memory);
    }
}

static uint64_t kept_by(const modblas_context *context)
{
    uint64_t kept = 0;
    for (int i = 0; i < context->device[0].workers; i++)
        kept += context->device[0].slot[i].size;
    return kept;
}

START_TEST(threads_share_a_context)
{
    modblas_context *context = test_context(backend[_i], 2);
    ck_assert_int_eq(context->device[0].workers, 2);
    for (uint64_t round = 0; round < 3; round++) {
        run_threads(context, 100 * round);
        check_idle(context);
    }
    modblas_context_destroy(context);
}
END_TEST

/* The budget holds two calls at most: the others wait for workspace. */
START_TEST(threads_share_a_budget)
{
    modblas_options options;
    modblas_options_init(&options);
    options.backend = backend[_i];
    options.workers = 4;
    options.memory = 3 << 20;
    modblas_context *context = NULL;
    ck_assert_int_eq(modblas_context_create(&context, &options), MODBLAS_OK);
    run_threads(context, 7);
    check_idle(context);
    modblas_context_destroy(context);
}
END_TEST

/* The same products again take no more workspace. */
START_TEST(workspace_does_not_grow)
{
    modblas_context *context = test_context(backend[_i], 1);
    uint64_t kept = 0;
    for (int round = 0; round < 20; round++) {
        test_random random = {1};
        for (int i = 0; i < 20; i++) {
            test_product p =
                test_product_of(10 + i, 50 - i, 5 * i, MODBLAS_U64, MODBLAS_U64, test_moduli[i]);
            test_product_check(context, &p, &random);
        }
        check_idle(context);
        ck_assert(round == 0 || kept_by(context) == kept);
        kept = kept_by(context);
    }
    ck_assert_uint_gt(kept, 0);
    modblas_context_destroy(context);
}
END_TEST

/* Any number of workers gives the same bits. */
START_TEST(workers_do_not_matter)
{
    for (int workers = 1; workers <= 9; workers += 4) {
        modblas_context *context = test_context(backend[_i], workers);
        for (int i = 0; i < test_moduli_count; i += 4) {
            test_random random = {(uint64_t)i};
            test_product p =
                test_product_of(70, 90, 110, MODBLAS_I64, MODBLAS_U64, test_moduli[i]);
            p.options.tile_m = p.options.tile_n = 16;
            p.beta = 1;
            test_product_check(context, &p, &random);
        }
        modblas_context_destroy(context);
    }
}
END_TEST

/* Threads of this process; 0 where nobody says. */
static int threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    if (tasks == NULL)
        return 0;
    for (const struct dirent *d = readdir(tasks); d != NULL; d = readdir(tasks))
        count += d->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* A worker has one thread, which is made once and goes with the context. */
START_TEST(threads_are_kept)
{
    if (backend[_i] != MODBLAS_BACKEND_HOST)
        return;
    modblas_context *warm = test_context(backend[_i], 1);
    modblas_context_destroy(warm);
    int before = threads_now();
    modblas_context *context = test_context(backend[_i], 4);
    ck_assert_int_eq(threads_now(), before);
    test_random random = {1};
    test_product p = test_product_of(70, 70, 70, MODBLAS_U64, MODBLAS_U64, 0);
    p.options.tile_m = p.options.tile_n = 16;
    for (int i = 0; i < 50; i++) {
        test_product_check(context, &p, &random);
        ck_assert(before == 0 || threads_now() == before + 3);
    }
    run_threads(context, 11);
    ck_assert_int_le(threads_now(), before + 4);
    modblas_context_destroy(context);
    /* A thread that is joined may be listed a moment longer. */
    for (int i = 0; i < 1000 && threads_now() != before; i++)
        usleep(1000);
    ck_assert_int_eq(threads_now(), before);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads_share_a_context, threads_share_a_budget,
                                  workspace_does_not_grow, workers_do_not_matter,
                                  threads_are_kept};
    return test_main_each("threads", tests, TEST_COUNT(tests), test_backends(backend));
}
