/* SPDX-License-Identifier: BSD-3-Clause */
/* Views past 2^31 and 2^32 entries, and very many calls on one context. */
#define _GNU_SOURCE
#include "src/run/context.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CALLS = 100000, SHAPES = 500 };

static modblas_context *context;

static modblas_context *host_context(int workers, uint64_t memory)
{
    modblas_context *made = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.backend = MODBLAS_BACKEND_HOST;
    options.workers = workers;
    options.memory = memory;
    ck_assert_int_eq(modblas_context_create(&made, &options), MODBLAS_OK);
    return made;
}

/* ---- strides -------------------------------------------------------------------------------- */

/* Address space without memory; pages come when they are written. */
static const size_t space = (size_t)1 << 38;

static const int64_t far[] = {((int64_t)1 << 31) - 1, ((int64_t)1 << 31) + 1,
                              ((int64_t)1 << 32) - 1, ((int64_t)1 << 32) + 3};
enum { FAR = sizeof far / sizeof far[0], SIDE = 5, PART = 3 };

/* A view of SIDE x SIDE entries, neighbours `stride` apart along rows or columns, forwards or from
 * the end, in its third of the space. */
static modblas_matrix far_view(char *memory, int part, modblas_type type, int64_t stride, int how)
{
    int64_t size = (int64_t)test_type_size(type);
    int64_t third = (int64_t)(space / PART) / 4096 * 4096;
    bool down = how & 1, back = how & 2;
    int64_t far_stride = back ? -stride : stride;
    modblas_matrix view = {.type = type,
                           .rows = SIDE,
                           .cols = SIDE,
                           .row_stride = down ? far_stride : 1,
                           .col_stride = down ? 1 : far_stride};
    view.data = memory + part * third + (back ? (SIDE - 1) * stride * size : 0) + 64;
    return view;
}

static void try_far(char *memory, modblas_type type, int64_t stride, int how)
{
    test_random random = {(uint64_t)stride + (uint64_t)how};
    const uint64_t N = 251;
    modblas_matrix A = far_view(memory, 0, type, stride, how);
    modblas_matrix B = far_view(memory, 1, type, stride, how / 4);
    modblas_matrix C = far_view(memory, 2, type, stride, how / 16);
    int64_t i, j;
    test_fill_random(&A, N, 0, 0, &random);
    test_fill_random(&B, N, 0, 0, &random);
    test_fill_random(&C, N, 0, 0, &random);
    uint64_t *expected = test_expected(&C, &A, &B, 7, 3, N);
    ck_assert_int_eq(modblas_gemm(context, &C, &A, &B, 7, 3, N), MODBLAS_OK);
    ck_assert_msg(test_holds(&C, expected, N, &i, &j), "stride %lld, kind %d", (long long)stride,
                  how);
    free(expected);
}

START_TEST(strides_beyond_32_bits)
{
    char *memory = mmap(NULL, space, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        printf("skipped: strides beyond 2^32 (no address space)\n");
        return;
    }
    context = host_context(1, 1 << 26);
    for (int f = 0; f < FAR; f++) {
        for (int how = 0; how < 64; how++) {
            try_far(memory, MODBLAS_U8, far[f], how);
            if (how % 5 == 0)
                try_far(memory, MODBLAS_I16, far[f], how);
        }
    }
    modblas_context_destroy(context);
    munmap(memory, space);
}
END_TEST

/* ---- entries -------------------------------------------------------------------------------- */

/* 65537 x 65537 bytes: more than 2^32 entries, the last of them past every 32-bit index. */
enum { LARGE = 65537, GAP = 7, KINDS = 6 };

static uint64_t free_memory(void)
{
    modblas_device_info info;
    ck_assert_int_eq(mb_backend_host()->device_info(0, &info), MODBLAS_OK);
    return info.memory_free;
}

/* A has KINDS different rows in turn, so that C does. */
static void try_large(unsigned char *memory, int64_t k, modblas_scheme scheme)
{
    const uint64_t N = 251;
    const int64_t ld = LARGE + GAP;
    static uint8_t a[LARGE * 17], b[17 * LARGE];
    static const unsigned char gap[GAP] = {1, 2, 3, 4, 5, 6, 7};
    test_random random = {(uint64_t)k};
    modblas_plan *plan = NULL;
    modblas_plan_options options;
    modblas_matrix A = modblas_row_major(a, MODBLAS_U8, LARGE, k, k);
    modblas_matrix B = modblas_row_major(b, MODBLAS_U8, k, LARGE, LARGE);
    modblas_matrix C = modblas_row_major(memory, MODBLAS_U8, LARGE, LARGE, ld);
    modblas_problem p = {LARGE, LARGE, k, MODBLAS_U8, MODBLAS_U8, MODBLAS_U8, N};
    modblas_matrix few = A;
    few.rows = KINDS;
    test_fill_random(&few, N, 0, 0, &random);
    test_fill_random(&B, N, 0, 0, &random);
    for (int64_t i = KINDS; i < LARGE; i++)
        memcpy(a + i * k, a + i % KINDS * k, (size_t)k);
    for (int64_t i = 0; i < LARGE; i++)
        memcpy(memory + i * ld + LARGE, gap, GAP);
    uint64_t *expected = test_expected(NULL, &few, &B, 1, 0, N);
    unsigned char *row = malloc(KINDS * LARGE);
    ck_assert_ptr_nonnull(row);
    for (int x = 0; x < KINDS * LARGE; x++)
        row[x] = (unsigned char)expected[x];
    modblas_plan_options_init(&options);
    options.scheme = scheme;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, &options), MODBLAS_OK);
    ck_assert_int_eq(modblas_plan_run(plan, &C, &A, &B, 1, 0), MODBLAS_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; i < LARGE; i++) {
        wrong += memcmp(memory + i * ld, row + i % KINDS * LARGE, LARGE) != 0;
        wrong += memcmp(memory + i * ld + LARGE, gap, GAP) != 0;
    }
    ck_assert_int_eq(wrong, 0);
    modblas_plan_destroy(plan);
    free(row);
    free(expected);
}

START_TEST(more_than_2_to_the_32_entries)
{
    size_t size = (size_t)LARGE * (LARGE + GAP);
    if (free_memory() < 2 * size || getenv("MODBLAS_TEST_SMALL") != NULL) {
        printf("skipped: 65537 x 65537 (memory, or MODBLAS_TEST_SMALL)\n");
        return;
    }
    unsigned char *memory = malloc(size);
    ck_assert_ptr_nonnull(memory);
    context = host_context(0, (uint64_t)1 << 30);
    try_large(memory, 1, MODBLAS_SCHEME_AUTO);
    try_large(memory, 17, MODBLAS_SCHEME_AUTO);
    modblas_context_destroy(context);
    free(memory);
}
END_TEST

/* ---- calls ---------------------------------------------------------------------------------- */

/* Bytes of this process in memory. */
static uint64_t resident(void)
{
    unsigned long long all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    int read = file != NULL ? fscanf(file, "%llu %llu", &all, &pages) : 0;
    if (file != NULL)
        fclose(file);
    return read == 2 ? (uint64_t)pages * 4096 : 0;
}

static uint64_t kept(void)
{
    uint64_t bytes = 0;
    for (int i = 0; i < context->device[0].workers; i++)
        bytes += context->device[0].slot[i].size;
    return bytes;
}

static void call(int shape, bool checked)
{
    static uint64_t a[30 * 30], b[30 * 30], c[30 * 30];
    test_random random = {(uint64_t)shape};
    int64_t m = 1 + (int64_t)test_below(&random, 30), n = 1 + (int64_t)test_below(&random, 30);
    int64_t k = (int64_t)test_below(&random, 31), i, j;
    uint64_t N = test_word(&random) >> test_below(&random, 64);
    modblas_matrix A = modblas_row_major(a, MODBLAS_U64, m, k, k);
    modblas_matrix B = modblas_row_major(b, MODBLAS_U64, k, n, n);
    modblas_matrix C = modblas_row_major(c, MODBLAS_U64, m, n, n);
    if (checked) {
        test_fill_random(&A, N, 0, 1, &random);
        test_fill_random(&B, N, 0, 1, &random);
    }
    ck_assert_int_eq(modblas_gemm(context, &C, &A, &B, 1, 0, N), MODBLAS_OK);
    if (checked) {
        uint64_t *expected = test_expected(&C, &A, &B, 1, 0, N);
        ck_assert(test_holds(&C, expected, N, &i, &j));
        free(expected);
    }
}

START_TEST(many_calls_leave_what_they_found)
{
    enum { GROWTH = 4 << 20 };
    context = host_context(2, 1 << 26);
    for (int shape = 0; shape < SHAPES; shape++)
        call(shape, true);
    uint64_t workspace = kept(), process = resident();
    test_random random = {9};
    for (int i = 0; i < CALLS; i++)
        call((int)test_below(&random, SHAPES), i % 100 == 0);
    ck_assert_uint_gt(workspace, 0);
    ck_assert_uint_eq(kept(), workspace);
    ck_assert_uint_eq(context->device[0].charged, 0);
    /* A sanitizer keeps what is freed for a while. */
    if (getenv("MODBLAS_TEST_SMALL") == NULL)
        ck_assert_uint_lt(resident(), process + GROWTH);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {strides_beyond_32_bits, more_than_2_to_the_32_entries,
                                  many_calls_leave_what_they_found};
    return test_main("sizes", tests, TEST_COUNT(tests));
}
