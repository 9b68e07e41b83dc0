/* SPDX-License-Identifier: BSD-3-Clause */
/* Silent errors of the hardware: one bit of one intermediate buffer (planes, sums, carries, staged
 * tiles, uploads) flips in each run. Freivalds' check lets a right C pass, and misses a wrong one
 * with probability below 2^-40. */
#include "src/run/context.h"
#include "support/oracle.h"
#include "support/product.h"
#include "support/staged.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 10000 };

typedef enum { PLANES, SUMS, CARRY, STAGED, PLACES } place;

static const mb_backend *inner;
static int countdown; /* the job that takes it to 0 leaves a flipped bit */
static bool armed;
static uint64_t where; /* random bits that choose the bit */
static int flipped[PLACES];

/* Flips a bit of rows x bytes at data, rows `step` bytes apart. */
static void flip(place what, void *data, int64_t rows, int64_t bytes, int64_t step)
{
    if (!armed || rows * bytes == 0 || --countdown != 0)
        return;
    uint64_t bit = where % (uint64_t)(rows * bytes * 8);
    int64_t at = (int64_t)(bit / 8);
    ((unsigned char *)data)[at / bytes * step + at % bytes] ^= (unsigned char)(1 << bit % 8);
    flipped[what]++;
}

static modblas_status split(mb_worker *worker, const mb_split_job *job)
{
    int64_t size = (int64_t)mb_element_size(job->type);
    int64_t plane = (int64_t)(where >> 32) % job->cut->planes;
    int64_t fold = (int64_t)(where >> 48) % job->cut->folds;
    int64_t at = plane * job->plane_stride + fold * job->fold_stride;
    modblas_status status = inner->split(worker, job);
    flip(PLANES, (char *)job->dst + at * size, job->src.rows, job->src.cols * size,
         job->ld * size);
    return status;
}

static modblas_status gemm(mb_worker *worker, const mb_gemm_job *job)
{
    mb_element sum = job->moduli != NULL ? MB_ELEMENT_U8 : job->engine->acc;
    int64_t size = (int64_t)mb_element_size(sum), i = (int64_t)(where >> 32) % job->count;
    modblas_status status = inner->gemm(worker, job);
    flip(SUMS, (char *)job->C + i * job->stride_c * size, job->m, job->n * size, job->ldc * size);
    return status;
}

static modblas_status join(mb_worker *worker, const mb_join_job *job)
{
    int64_t word = (int64_t)sizeof(uint64_t), size = (int64_t)mb_type_size(job->C.type);
    modblas_status status = inner->join(worker, job);
    if (job->to_carry)
        flip(CARRY, job->carry, job->rows, job->cols * word, job->carry_ld * word);
    else if (job->C.col_stride == 1)
        flip(STAGED, job->C.data, job->rows, job->cols * size, job->C.row_stride * size);
    return status;
}

static modblas_status upload(mb_worker *worker, const modblas_matrix *dst,
                             const modblas_matrix *src)
{
    modblas_status status = inner->upload(worker, dst, src);
    int64_t size = (int64_t)mb_type_size(dst->type);
    if (dst->col_stride == 1)
        flip(STAGED, dst->data, dst->rows, dst->cols * size, dst->row_stride * size);
    return status;
}

static modblas_context *make_context(mb_backend *flipping)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = 1;
    options.verify = MODBLAS_VERIFY_FREIVALDS;
    options.memory = 1 << 22;
    inner = test_staged();
    *flipping = *inner;
    flipping->split = split;
    flipping->gemm = gemm;
    flipping->join = join;
    flipping->upload = upload;
    ck_assert_int_eq(mb_context_make(&context, flipping, &options), MODBLAS_OK);
    return context;
}

/* Small products of several tiles and chunks, by every scheme, on i8: a flipped bit of a double is
 * another double, and of its exponent no integer any more. */
static test_product draw(test_random *random)
{
    static const uint64_t moduli[] = {2, 3, 6, 251, 65521, 2147483647, UINT64_MAX - 58, 0};
    uint64_t N = moduli[test_below(random, 8)];
    test_product p =
        test_product_of(1 + (int64_t)test_below(random, 20), 1 + (int64_t)test_below(random, 20),
                        1 + (int64_t)test_below(random, 40), MODBLAS_U64, MODBLAS_I32, N);
    bool small = N != 0 && N <= 256;
    p.options.scheme = (modblas_scheme)((small ? 1 : 2) + (int)test_below(random, small ? 3 : 2));
    p.options.engine = MODBLAS_ENGINE_I8;
    p.options.tile_m = p.options.chunk_k = 16;
    p.beta = test_below(random, 2);
    return p;
}

START_TEST(wrong_products_are_caught)
{
    static mb_backend flipping;
    test_random random = {1};
    modblas_context *context = make_context(&flipping);
    int changed = 0, caught = 0, ran = 0;
    while (ran < RUNS) {
        test_operands o;
        modblas_plan *plan = NULL;
        test_product p = draw(&random);
        int64_t i, j;
        test_operands_make(&o, &p, &random);
        ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, &p.options), MODBLAS_OK);
        where = test_word(&random);
        countdown = 1 + (int)test_below(&random, 24);
        armed = true;
        modblas_status status = modblas_plan_run(plan, &o.C.view, &o.A.view, &o.B.view, 1, p.beta);
        armed = false;
        bool right = test_holds(&o.C.view, o.expected, p.problem.N, &i, &j);
        if (right)
            ck_assert_msg(status == MODBLAS_OK, "%s: %s", modblas_detail(), test_product_text(&p));
        else
            ck_assert_msg(status == MODBLAS_EVERIFY, "%s: %s", modblas_status_text(status),
                          test_product_text(&p));
        ck_assert(test_canvas_is_unchanged(&o.A) && test_canvas_is_unchanged(&o.B));
        ck_assert(test_canvas_is_intact(&o.C));
        ran += countdown <= 0;
        changed += !right;
        caught += status == MODBLAS_EVERIFY;
        modblas_plan_destroy(plan);
        test_operands_free(&o);
    }
    modblas_context_destroy(context);
    printf("%d flips (planes %d, sums %d, carries %d, staged %d): %d changed C, %d were caught\n",
           ran, flipped[PLANES], flipped[SUMS], flipped[CARRY], flipped[STAGED], changed, caught);
    ck_assert_int_eq(caught, changed);
    ck_assert_int_gt(changed, RUNS / 2);
    for (int i = 0; i < PLACES; i++)
        ck_assert_int_gt(flipped[i], RUNS / 20);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {wrong_products_are_caught};
    return test_main("flips", tests, TEST_COUNT(tests));
}
