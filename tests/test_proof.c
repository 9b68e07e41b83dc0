/* SPDX-License-Identifier: BSD-3-Clause */
/* Engines that are wrong are not used: on shapes that the self-test sees, and on those that only a
 * plan brings. Products are checked by Freivalds' check, which shares nothing with them. */
#include "src/api.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdlib.h>

enum { LARGE = 1024, SMALL = 256 };

static int fused_jobs;

static bool always(int device)
{
    return device == 0;
}

/* The last sum of large products in FP64, and the last residue of large fused ones, is off by one.
 */
static modblas_status wrong_when_large(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    int64_t last = (job->m - 1) * job->ldc + job->n - 1;
    fused_jobs += job->moduli != NULL;
    if (job->m < LARGE || status != MODBLAS_OK)
        return status;
    if (job->moduli != NULL)
        ((uint8_t *)job->C)[last] ^= 1;
    else if (job->engine == &mb_engine_f64)
        ((double *)job->C)[last] += 1;
    return status;
}

static modblas_status wrong_always(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    if (status == MODBLAS_OK && job->engine == &mb_engine_f64)
        ((double *)job->C)[0] += 1;
    return status;
}

static modblas_context *context_on(mb_backend *backend)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    options.verify = MODBLAS_VERIFY_FREIVALDS;
    ck_assert_int_eq(mb_context_make(&context, backend, &options), MODBLAS_OK);
    return context;
}

static bool is_struck(modblas_context *context, const mb_engine *engine)
{
    const mb_caps caps = mb_device_caps(context, &context->device[0]);
    for (int e = 0; e < MB_MAX_ENGINES && caps.engine[e] != NULL; e++) {
        if (caps.engine[e] == engine)
            return caps.struck[e][0] != '\0';
    }
    return false;
}

/* One product of n x n mod N by a plan made for it before. */
static modblas_status multiply(modblas_context *context, modblas_plan *plan, int64_t n, uint64_t N)
{
    test_random random = {N};
    size_t size = (size_t)(n * n);
    uint32_t *A = malloc(size * sizeof *A), *B = malloc(size * sizeof *B);
    uint32_t *C = malloc(size * sizeof *C);
    ck_assert(A != NULL && B != NULL && C != NULL);
    modblas_matrix a = modblas_row_major(A, MODBLAS_U32, n, n, n);
    modblas_matrix b = modblas_row_major(B, MODBLAS_U32, n, n, n);
    modblas_matrix c = modblas_row_major(C, MODBLAS_U32, n, n, n);
    test_fill_random(&a, N, 0, 0, &random);
    test_fill_random(&b, N, 0, 0, &random);
    modblas_status status = plan != NULL ? modblas_plan_run(plan, &c, &a, &b, 1, 0)
                                         : modblas_gemm(context, &c, &a, &b, 1, 0, N);
    free(A);
    free(B);
    free(C);
    return status;
}

START_TEST(wrong_on_small_shapes)
{
    mb_backend backend = *mb_backend_host();
    backend.gemm = wrong_always;
    modblas_context *context = context_on(&backend);
    ck_assert(is_struck(context, &mb_engine_f64));
    ck_assert(!is_struck(context, &mb_engine_i8) && !is_struck(context, &mb_engine_f32));
    ck_assert_int_eq(multiply(context, NULL, 100, (1 << 20) - 3), MODBLAS_OK);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(wrong_on_large_shapes)
{
    mb_backend backend = *mb_backend_host();
    backend.gemm = wrong_when_large;
    /* FP64 is what the planner takes here, whatever else the machine is good at. */
    backend.engine[0] = &mb_engine_f64;
    backend.engine[1] = &mb_engine_f32;
    backend.engine[2] = NULL;
    modblas_context *context = context_on(&backend);
    modblas_plan *plan = NULL;
    modblas_problem p = {LARGE, LARGE, LARGE, MODBLAS_U32, MODBLAS_U32, MODBLAS_U32, 1048573};
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    options.tile_m = options.tile_n = LARGE;
    ck_assert(!is_struck(context, &mb_engine_f64));
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, &options), MODBLAS_OK);
    ck_assert_ptr_eq(plan->plan.math.engine, &mb_engine_f64);
    ck_assert_int_eq(multiply(context, plan, LARGE, 1048573), MODBLAS_OK);
    ck_assert(is_struck(context, &mb_engine_f64));
    /* The plan's own engine stays unused. */
    ck_assert_int_eq(multiply(context, plan, LARGE, 1048573), MODBLAS_OK);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(wrong_fused_products)
{
    mb_backend backend = *mb_backend_host();
    backend.gemm = wrong_when_large;
    backend.fuses = always;
    modblas_context *context = context_on(&backend);
    modblas_plan *plan = NULL, *unused = NULL, *used = NULL;
    modblas_problem p = {LARGE, LARGE, LARGE, MODBLAS_U32, MODBLAS_U32, MODBLAS_U32, 251};
    modblas_problem small = {SMALL, SMALL, SMALL, MODBLAS_U32, MODBLAS_U32, MODBLAS_U32, 251};
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    options.tile_m = options.tile_n = LARGE;
    options.scheme = MODBLAS_SCHEME_DIRECT;
    options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, &options), MODBLAS_OK);
    ck_assert(context->device[0].caps.fuses && plan->plan.math.fused);
    /* Plans that are too small for a proof: one that has run, and one that has not. */
    options.tile_m = options.tile_n = 0;
    ck_assert_int_eq(modblas_plan_create(context, &unused, &small, &options), MODBLAS_OK);
    ck_assert_int_eq(modblas_plan_create(context, &used, &small, &options), MODBLAS_OK);
    fused_jobs = 0;
    ck_assert_int_eq(multiply(context, used, SMALL, 251), MODBLAS_OK);
    ck_assert_int_gt(fused_jobs, 0);
    ck_assert_int_eq(multiply(context, plan, LARGE, 251), MODBLAS_OK);
    ck_assert(!context->device[0].caps.fuses);
    fused_jobs = 0;
    ck_assert_int_eq(multiply(context, plan, LARGE, 251), MODBLAS_OK);
    ck_assert_int_eq(multiply(context, used, SMALL, 251), MODBLAS_OK);
    ck_assert_int_eq(multiply(context, unused, SMALL, 251), MODBLAS_OK);
    ck_assert_int_eq(fused_jobs, 0);
    modblas_plan_destroy(used);
    modblas_plan_destroy(unused);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {wrong_on_small_shapes, wrong_on_large_shapes,
                                  wrong_fused_products};
    return test_main("proof", tests, TEST_COUNT(tests));
}
