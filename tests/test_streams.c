/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on streams, replays and graphs, on a host that puts things off as a GPU does. */
#include "src/api.h"
#include "src/run/context.h"
#include "support/deferred.h"
#include "support/product.h"
#include "support/suite.h"

#include <string.h>

static test_random noise = {5};

static modblas_context *make_context(int workers, uint64_t memory)
{
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = workers;
    options.memory = memory ? memory : (uint64_t)1 << 30;
    ck_assert_int_eq(mb_context_make(&context, test_deferred(), &options), MODBLAS_OK);
    return context;
}

/* Products of one shape; each has operands of its own. */
static test_product shape_of(int64_t n, uint64_t N)
{
    return test_product_of(n, n + 1, n + 2, MODBLAS_U64, MODBLAS_I32, N);
}

static modblas_plan *plan_of(modblas_context *context, const test_product *p)
{
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p->problem, &p->options), MODBLAS_OK);
    return plan;
}

static void check(const test_operands *o, const test_product *p, modblas_status status)
{
    test_verdict v = test_operands_judge(o, p, status);
    ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
    ck_assert_msg(status == MODBLAS_OK, "%s", modblas_detail());
}

static modblas_status order(modblas_plan *plan, test_stream *s, const test_operands *o,
                            const test_product *p)
{
    return modblas_plan_order(plan, s, &o->C.view, &o->A.view, &o->B.view, p->alpha, p->beta);
}

static modblas_status run(modblas_plan *plan, const test_operands *o, const test_product *p)
{
    return modblas_plan_run(plan, &o->C.view, &o->A.view, &o->B.view, p->alpha, p->beta);
}

/* The second run is recorded; from then on the record is revised, whatever changes. */
START_TEST(runs_replay_with_other_operands)
{
    static const uint64_t moduli[] = {2, 251, 65521, 2147483647, 0};
    modblas_context *context = make_context(1, 0);
    for (int m = 0; m < 5; m++) {
        test_product p = shape_of(13, moduli[m]);
        modblas_plan *plan = plan_of(context, &p);
        int records, revised;
        test_deferred_count(&records, &revised);
        for (int i = 0; i < 8; i++) {
            test_operands o;
            p.alpha = i < 3 ? 1 : test_word(&noise) | 1;
            p.beta = i & 1 ? test_word(&noise) : 0;
            p.data = (test_data)test_below(&noise, TEST_DATA_COUNT);
            test_operands_make(&o, &p, &noise);
            check(&o, &p, run(plan, &o, &p));
            test_operands_free(&o);
        }
        test_deferred_count(&records, &revised);
        ck_assert(records == 1 && revised >= 6);
        modblas_plan_destroy(plan);
    }
    modblas_context_destroy(context);
}
END_TEST

/* A record is of one workspace: when the worker gets another, it is made anew. */
START_TEST(another_workspace_is_another_record)
{
    modblas_context *context = make_context(1, 0);
    test_product p = shape_of(9, 65521), large = shape_of(60, 65521);
    modblas_plan *plan = plan_of(context, &p);
    int records, revised;
    test_deferred_count(&records, &revised);
    for (int i = 0; i < 4; i++) {
        test_operands o;
        test_operands_make(&o, &p, &noise);
        check(&o, &p, run(plan, &o, &p));
        test_operands_free(&o);
        if (i == 2)
            test_product_check(context, &large, &noise);
    }
    test_deferred_count(&records, &revised);
    ck_assert_int_ge(records, 2);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

/* Nothing is done before the stream does it; what was ordered keeps the arguments that it had. */
START_TEST(ordered_products_wait_for_their_stream)
{
    enum { COUNT = 5 };
    modblas_context *context = make_context(0, 0);
    test_product p = shape_of(11, 2147483647);
    modblas_plan *plan = plan_of(context, &p);
    test_stream *stream = test_stream_make();
    test_operands o[COUNT];
    for (int i = 0; i < COUNT; i++) {
        test_operands_make(&o[i], &p, &noise);
        ck_assert_int_eq(order(plan, stream, &o[i], &p), MODBLAS_OK);
        ck_assert_int_eq(test_stream_waiting(stream), i);
    }
    ck_assert_int_eq(context->device[0].workers, 2);
    test_stream_do(stream);
    for (int i = 0; i < COUNT; i++) {
        check(&o[i], &p, MODBLAS_OK);
        test_operands_free(&o[i]);
    }
    ck_assert_int_eq(modblas_context_status(context), MODBLAS_OK);
    modblas_plan_destroy(plan);
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* A worker stays with the stream that its work is on; other calls and streams take others, which
 * are made when they are needed; when the work is done it is anyone's. */
START_TEST(streams_have_workers_of_their_own)
{
    enum { STREAMS = 5 };
    modblas_context *context = make_context(0, 0);
    const mb_device *device = &context->device[0];
    test_product p = shape_of(11, 65521);
    modblas_plan *plan = plan_of(context, &p);
    test_stream *stream[STREAMS];
    test_operands o[STREAMS], first;
    test_operands_make(&first, &p, &noise);
    check(&first, &p, run(plan, &first, &p));
    for (int i = 0; i < STREAMS; i++) {
        stream[i] = test_stream_make();
        test_operands_make(&o[i], &p, &noise);
        ck_assert_int_eq(order(plan, stream[i], &o[i], &p), MODBLAS_OK);
        ck_assert_int_eq(order(plan, stream[i], &o[i], &p), MODBLAS_OK);
    }
    ck_assert_int_eq(device->workers, STREAMS);
    check(&first, &p, run(plan, &first, &p));
    ck_assert_int_eq(device->workers, STREAMS + 1);
    for (int i = 0; i < STREAMS; i++)
        test_stream_do(stream[i]);
    test_stream *late = test_stream_make();
    ck_assert_int_eq(order(plan, late, &first, &p), MODBLAS_OK);
    ck_assert_int_eq(device->workers, STREAMS + 1);
    modblas_plan_destroy(plan);
    for (int i = 0; i < STREAMS; i++) {
        check(&o[i], &p, MODBLAS_OK);
        test_operands_free(&o[i]);
        test_stream_free(stream[i]);
    }
    test_stream_free(late);
    test_operands_free(&first);
    modblas_context_destroy(context);
}
END_TEST

/* Where there can be no more workers, or no more workspace, a call waits for a stream's work. */
START_TEST(calls_wait_where_workers_are_short)
{
    test_product p = shape_of(20, 65521);
    modblas_context *probe = make_context(1, 0);
    modblas_plan *plan = plan_of(probe, &p);
    uint64_t each = plan->plan.bytes_each + plan->plan.bytes_shared;
    modblas_plan_destroy(plan);
    modblas_context_destroy(probe);
    for (int how = 0; how < 3; how++) {
        test_deferred_workers(how == 2 ? 3 : 0);
        modblas_context *context = make_context(how == 0 ? 1 : 0, how == 1 ? each : 0);
        plan = plan_of(context, &p);
        test_stream *stream[3];
        test_operands o[3];
        for (int i = 0; i < 3; i++) {
            stream[i] = test_stream_make();
            test_operands_make(&o[i], &p, &noise);
            ck_assert_int_eq(order(plan, stream[i], &o[i], &p), MODBLAS_OK);
            ck_assert_int_eq(order(plan, stream[i], &o[i], &p), MODBLAS_OK);
        }
        ck_assert(test_stream_waiting(stream[0]) == 0 && test_stream_waiting(stream[2]) == 2);
        ck_assert_int_le(context->device[0].workers, how == 0 ? 1 : 2);
        modblas_plan_destroy(plan);
        for (int i = 0; i < 3; i++) {
            check(&o[i], &p, MODBLAS_OK);
            test_operands_free(&o[i]);
            test_stream_free(stream[i]);
        }
        modblas_context_destroy(context);
    }
    test_deferred_workers(0);
}
END_TEST

/* A captured product is done by each play, with what its operands hold then; it has a worker of
 * its own until its plan goes, and other calls do not get into the capture. */
START_TEST(captured_products_play_again)
{
    modblas_context *context = make_context(1, 0);
    mb_device *device = &context->device[0];
    test_product p = shape_of(10, 2147483647);
    modblas_plan *plan = plan_of(context, &p);
    test_stream *stream = test_stream_make();
    test_operands o, other;
    test_operands_make(&o, &p, &noise);
    test_operands_make(&other, &p, &noise);
    test_stream_capture(stream, true);
    ck_assert_int_eq(order(plan, stream, &o, &p), MODBLAS_OK);
    ck_assert_uint_gt(device->held, 0);
    check(&other, &p, run(plan, &other, &p));
    test_stream_capture(stream, false);
    for (int i = 0; i < 3; i++) {
        memset(o.C.view.data, 0, sizeof(uint64_t));
        check(&other, &p, run(plan, &other, &p));
        test_stream_play(stream);
        check(&o, &p, MODBLAS_OK);
    }
    modblas_plan_destroy(plan);
    ck_assert(device->held == 0 && device->holds == NULL);
    test_operands_free(&o);
    test_operands_free(&other);
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* The worker of a stream has too little workspace for a larger product, which takes another. */
START_TEST(larger_products_follow_on_a_stream)
{
    modblas_context *context = make_context(0, 0);
    test_stream *stream = test_stream_make();
    for (int i = 0; i < 4; i++) {
        test_product p = shape_of(10 + 40 * i, 65521);
        modblas_plan *plan = plan_of(context, &p);
        test_operands o[2];
        for (int j = 0; j < 2; j++) {
            test_operands_make(&o[j], &p, &noise);
            ck_assert_int_eq(order(plan, stream, &o[j], &p), MODBLAS_OK);
        }
        const mb_slot *slot = &context->device[0].slot[0];
        ck_assert(!slot->pending || slot->charged == slot->size);
        modblas_plan_destroy(plan); /* waits */
        for (int j = 0; j < 2; j++) {
            check(&o[j], &p, MODBLAS_OK);
            test_operands_free(&o[j]);
        }
    }
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* What a captured product keeps is not there for others, who are told so. */
START_TEST(held_workspace_is_of_the_budget)
{
    test_product p = shape_of(20, 65521);
    modblas_context *context = make_context(1, 0);
    modblas_plan *plan = plan_of(context, &p);
    uint64_t each = plan->plan.bytes_each + plan->plan.bytes_shared;
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
    context = make_context(1, each + each / 2);
    plan = plan_of(context, &p);
    test_stream *stream = test_stream_make();
    test_operands o;
    test_operands_make(&o, &p, &noise);
    test_stream_capture(stream, true);
    ck_assert_int_eq(order(plan, stream, &o, &p), MODBLAS_OK);
    ck_assert(order(plan, stream, &o, &p) == MODBLAS_ENOMEM &&
              strstr(modblas_detail(), "to keep"));
    test_stream_capture(stream, false);
    ck_assert_int_eq(run(plan, &o, &p), MODBLAS_ENOPLAN);
    ck_assert_ptr_nonnull(strstr(modblas_detail(), "captured products hold"));
    test_stream_play(stream);
    check(&o, &p, MODBLAS_OK);
    modblas_plan_destroy(plan);
    check(&o, &p, run(plan = plan_of(context, &p), &o, &p));
    modblas_plan_destroy(plan);
    test_operands_free(&o);
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* Faults of ordered work are told by the status alone, once, under the caller's names; those of a
 * run by the run. */
START_TEST(faults_are_told_by_whom_they_belong_to)
{
    enum { N = 4 };
    double one[N * N], half[N * N], out[N * N];
    for (int i = 0; i < N * N; i++)
        one[i] = half[i] = 1;
    half[5] = 0.5;
    modblas_matrix good = modblas_row_major(one, MODBLAS_F64, N, N, N), bad = good, C = good;
    bad.data = half;
    C.data = out;
    modblas_matrix across = modblas_transpose(C);
    modblas_context *context = make_context(1, 0);
    modblas_problem problem = {N, N, N, MODBLAS_F64, MODBLAS_F64, MODBLAS_F64, 65521};
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &problem, NULL), MODBLAS_OK);
    test_stream *stream = test_stream_make();
    for (int i = 0; i < 6; i++) {
        const modblas_matrix *to = i & 1 ? &across : &C;
        ck_assert_int_eq(modblas_plan_order(plan, stream, to, &good, &bad, 1, 0), MODBLAS_OK);
        test_stream_do(stream);
        ck_assert_int_eq(modblas_plan_run(plan, to, &good, &good, 1, 0), MODBLAS_OK);
        ck_assert_int_eq(modblas_context_status(context), MODBLAS_ENOTINT);
        ck_assert_int_eq(modblas_detail()[0], 'B');
        ck_assert_int_eq(modblas_context_status(context), MODBLAS_OK);
        ck_assert_int_eq(modblas_plan_run(plan, to, &bad, &good, 1, 0), MODBLAS_ENOTINT);
        ck_assert_int_eq(modblas_detail()[0], 'A');
        ck_assert_int_eq(modblas_context_status(context), MODBLAS_OK);
    }
    test_stream_capture(stream, true);
    ck_assert_int_eq(modblas_plan_order(plan, stream, &C, &bad, &good, 1, 0), MODBLAS_OK);
    test_stream_capture(stream, false);
    test_stream_play(stream);
    modblas_plan_destroy(plan); /* takes the worker, and leaves what it met */
    ck_assert_int_eq(modblas_context_status(context), MODBLAS_ENOTINT);
    ck_assert_int_eq(modblas_detail()[0], 'A');
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(operands_in_host_memory_are_refused)
{
    modblas_context *context = make_context(1, 0);
    test_product p = shape_of(8, 251);
    modblas_plan *plan = plan_of(context, &p);
    test_stream *stream = test_stream_make();
    test_operands o;
    test_operands_make(&o, &p, &noise);
    test_canvas *canvas[] = {&o.A, &o.B, &o.C};
    for (int i = 0; i < 3; i++) {
        test_deferred_hide(canvas[i]->view.data);
        ck_assert_int_eq(order(plan, stream, &o, &p), MODBLAS_EINVAL);
        ck_assert_ptr_nonnull(strstr(modblas_detail(), "host memory"));
    }
    test_deferred_hide(NULL);
    ck_assert_int_eq(order(plan, stream, &o, &p), MODBLAS_OK);
    check(&o, &p, MODBLAS_OK);
    modblas_plan_destroy(plan);
    test_operands_free(&o);
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* alpha = 0, k = 0 and empty products. */
START_TEST(products_without_a_product)
{
    static const int64_t size[][3] = {{7, 5, 6}, {7, 5, 0}, {0, 5, 6}, {7, 0, 6}};
    modblas_context *context = make_context(1, 0);
    test_stream *stream = test_stream_make();
    for (int s = 0; s < 4; s++) {
        test_product p =
            test_product_of(size[s][0], size[s][1], size[s][2], MODBLAS_U64, MODBLAS_U64, 65521);
        p.alpha = s == 0 ? 0 : 1;
        p.beta = 3;
        modblas_plan *plan = plan_of(context, &p);
        test_operands o;
        test_operands_make(&o, &p, &noise);
        ck_assert_int_eq(order(plan, stream, &o, &p), MODBLAS_OK);
        check(&o, &p, MODBLAS_OK);
        test_operands_free(&o);
        modblas_plan_destroy(plan);
    }
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {runs_replay_with_other_operands,
                                  another_workspace_is_another_record,
                                  ordered_products_wait_for_their_stream,
                                  streams_have_workers_of_their_own,
                                  calls_wait_where_workers_are_short,
                                  captured_products_play_again,
                                  faults_are_told_by_whom_they_belong_to,
                                  operands_in_host_memory_are_refused,
                                  products_without_a_product,
                                  larger_products_follow_on_a_stream,
                                  held_workspace_is_of_the_budget};
    return test_main("streams", tests, TEST_COUNT(tests));
}
