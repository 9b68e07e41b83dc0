/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: options, devices, texts, details. */
#include "support/product.h"
#include "support/refused.h"
#include "support/suite.h"

#include <pthread.h>

static modblas_backend backend[2];

START_TEST(options_of_contexts)
{
    modblas_context *made = NULL;
    modblas_options good, o;
    modblas_options_init(&good);
    good.backend = backend[_i];
    const int twice[] = {0, 0}, none[] = {1000}, negative[] = {-1};
#define CONTEXT_WITH(field, value)                                                                \
    do {                                                                                          \
        o.field = value;                                                                          \
        REFUSED(EINVAL, modblas_context_create(&made, &o));                                       \
        ck_assert_ptr_null(made);                                                                 \
        o = good;                                                                                 \
    } while (0)
    o = good;
    CONTEXT_WITH(size, 0);
    CONTEXT_WITH(backend, (modblas_backend)3);
    CONTEXT_WITH(workers, -1);
    CONTEXT_WITH(workers, 65);
    CONTEXT_WITH(verify, (modblas_verify)2);
    CONTEXT_WITH(device_count, -1);
    CONTEXT_WITH(device_count, 1);
    o.devices = twice;
    CONTEXT_WITH(device_count, 2);
    o.devices = none;
    CONTEXT_WITH(device_count, 1);
    o.devices = negative;
    CONTEXT_WITH(device_count, 1);
    if (test_backends(backend) == 1) {
        o.backend = MODBLAS_BACKEND_CUDA;
        REFUSED(EUNAVAILABLE, modblas_context_create(&made, &o));
    }
}
END_TEST

/* ---- words ---------------------------------------------------------------------------------- */

static void *detail_of_new_thread(void *result)
{
    *(size_t *)result = strlen(modblas_detail());
    return NULL;
}

START_TEST(words)
{
    modblas_context *context = test_context(backend[_i], 2);
    for (int s = -1; s <= MODBLAS_EINTERNAL + 1; s++) {
        ck_assert_ptr_nonnull(modblas_status_text((modblas_status)s));
        ck_assert_uint_gt(strlen(modblas_status_text((modblas_status)s)), 3);
    }
    ck_assert_str_eq(modblas_version(), MODBLAS_VERSION);
    /* Details belong to a thread. */
    size_t length = 1;
    pthread_t thread;
    mb_fail(MODBLAS_EINTERNAL, "of this thread");
    ck_assert_int_eq(pthread_create(&thread, NULL, detail_of_new_thread, &length), 0);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(length, 0);
    ck_assert_str_eq(modblas_detail(), "of this thread");
    /* Texts are cut to the size given and say what they need. */
    char text[4000], part[40];
    size_t needed = 0;
    ck_assert_int_eq(modblas_context_text(context, text, sizeof text, &needed), MODBLAS_OK);
    ck_assert_uint_eq(needed, strlen(text) + 1);
    ck_assert_ptr_nonnull(strstr(text, test_backend_name(backend[_i])));
    memset(part, 'x', sizeof part);
    ck_assert_int_eq(modblas_context_text(context, part, 20, NULL), MODBLAS_OK);
    ck_assert(strlen(part) == 19 && part[20] == 'x' && strncmp(part, text, 19) == 0);
    ck_assert_int_eq(modblas_context_text(context, NULL, 0, &needed), MODBLAS_OK);
    ck_assert_uint_eq(needed, strlen(text) + 1);
    int count = 0;
    modblas_device_info info[16];
    ck_assert_int_eq(modblas_device_list(info, 16, &count), MODBLAS_OK);
    ck_assert(count >= 1 && info[count - 1].backend == MODBLAS_BACKEND_HOST);
    ck_assert_uint_gt(info[count - 1].memory_total, info[count - 1].memory_free);
    int again = 0;
    ck_assert_int_eq(modblas_device_list(NULL, 0, &again), MODBLAS_OK);
    ck_assert_int_eq(again, count);
    modblas_context_destroy(context);
}
END_TEST

/* Falling back to the host is no failure: neither a detail nor the devices named are in the way.
 */
static void *create_on_new_thread(void *result)
{
    const int first[] = {0, 1};
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.devices = first;
    options.device_count = test_backends(backend) > 1 ? 1 : 2;
    if (modblas_context_create(&context, &options) == MODBLAS_OK)
        *(size_t *)result = strlen(modblas_detail());
    modblas_context_destroy(context);
    return NULL;
}

START_TEST(auto_leaves_no_detail)
{
    pthread_t thread;
    size_t length = 1;
    ck_assert_int_eq(pthread_create(&thread, NULL, create_on_new_thread, &length), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(length, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {options_of_contexts, words, auto_leaves_no_detail};
    return test_main_each("context", tests, TEST_COUNT(tests), test_backends(backend));
}
