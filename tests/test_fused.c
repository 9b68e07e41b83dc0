/* SPDX-License-Identifier: BSD-3-Clause */
/* GEMMs whose sums leave as residues: the reduction in four instructions, and products through it
 * on the host's twin. On a GPU that has the kernel, the other tests use it wherever a plan is
 * fused. */
#include "kernels/residue.h"
#include "src/api.h"
#include "support/product.h"
#include "support/suite.h"

static bool always(int device)
{
    return device == 0;
}

static uint32_t residue(int64_t x, uint32_t m)
{
    return (uint32_t)((x % m + m) % m);
}

/* Every m, every t = x mod m that the dot product can give, and sums at the ends. */
START_TEST(sums_are_reduced)
{
    test_random random = {1};
    for (uint32_t m = 2; m <= 256; m++) {
        const mb_residue rule = mb_residue_of(m);
        const int64_t edges[] = {INT32_MIN, INT32_MIN + 1, -256, -1, 0, 1, 255, INT32_MAX};
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(mb_residue_reduce((int32_t)edges[i], &rule) & 255,
                              residue(edges[i], m));
        uint32_t wrong = 0;
        for (int i = 0; i < 20000; i++) {
            int32_t x = (int32_t)test_word(&random);
            wrong += (mb_residue_reduce(x, &rule) & 255) != residue(x, m);
        }
        ck_assert_uint_eq(wrong, 0);
    }
}
END_TEST

/* The quotient is exact for every dot product t < 2^18, whatever sums there are. */
START_TEST(quotients_are_exact)
{
    for (uint32_t m = 2; m <= 256; m++) {
        const mb_residue rule = mb_residue_of(m);
        const uint32_t z = ((1U << 23) + m - 1) / m * m;
        const uint32_t bits = mb_bits_of_float((float)z);
        uint32_t wrong = 0;
        for (uint32_t t = 0; t < 1U << 18; t++) {
            float q = mb_floor_above_two_23(mb_float_of_bits(bits + t), rule.inverse);
            wrong += (uint32_t)q - (1U << 23) != (z + t) / m;
        }
        ck_assert_uint_eq(wrong, 0);
    }
}
END_TEST

START_TEST(products_are_right)
{
    static const uint64_t moduli[] = {
        2, 251, 65521, (1 << 20) - 3, 2147483647, (uint64_t)1 << 32, UINT64_MAX - 58, 0};
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 2;
    backend.fuses = always;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    ck_assert(context->device[0].caps.fuses);
    test_random random = {2};
    for (int i = 0; i < 8; i++) {
        for (int way = 0; way < 4; way++) {
            modblas_plan *plan = NULL;
            test_product p = test_product_of(193, 209, 70, MODBLAS_U64, MODBLAS_U64, moduli[i]);
            bool direct = moduli[i] <= 256 && moduli[i] > 0 && way != 0;
            p.options.scheme = direct ? MODBLAS_SCHEME_DIRECT : MODBLAS_SCHEME_RNS;
            p.options.engine = MODBLAS_ENGINE_I8;
            p.data = way < 2 ? TEST_CORNERS : TEST_RANDOM;
            p.alpha = way == 1 ? 3 : 1;
            p.beta = way == 1 ? 5 : 0;
            p.options.tile_m = way == 2 ? 100 : 0;
            p.options.chunk_k = way == 2 ? 33 : 0;
            p.c = way == 3 ? TEST_COLUMNS : TEST_ROWS;
            ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options),
                             MODBLAS_OK);
            ck_assert(plan->plan.math.fused);
            modblas_plan_destroy(plan);
            test_product_check(context, &p, &random);
        }
    }
    modblas_context_destroy(context);
}
END_TEST

/* A kernel that leaves one wrong residue is not used. */
static modblas_status wrong_gemm(mb_worker *worker, const mb_gemm_job *job)
{
    modblas_status status = mb_backend_host()->gemm(worker, job);
    uint8_t *last = (uint8_t *)job->C + (job->m - 1) * job->ldc + job->n - 1;
    if (status == MODBLAS_OK && job->moduli != NULL && job->moduli[0] == 173)
        *last = (uint8_t)((*last + 1U) % 173);
    return status;
}

START_TEST(a_wrong_kernel_is_found)
{
    mb_backend backend = *mb_backend_host();
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    backend.fuses = always;
    backend.gemm = wrong_gemm;
    ck_assert_int_eq(mb_context_make(&context, &backend, &options), MODBLAS_OK);
    ck_assert(!context->device[0].caps.fuses);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums_are_reduced, quotients_are_exact, products_are_right,
                                  a_wrong_kernel_is_found};
    return test_main("fused", tests, TEST_COUNT(tests));
}
