/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of products, one after the other, on backends of every kind. */
#include "src/graph.h"
#include "src/run/context.h"
#include "support/deferred.h"
#include "support/random.h"
#include "support/staged.h"
#include "support/suite.h"

#include <string.h>

enum { N = 24, WIDTH = 6, DEFERRED = 1, BACKENDS = 3 };
static const uint64_t modulus = 2147483647;

static test_random noise = {11};

typedef uint64_t square[N * N];

static modblas_matrix view(const square x)
{
    return modblas_row_major(x, MODBLAS_U64, N, N, N);
}

static modblas_context *make_context(int which, int workers, modblas_verify verify)
{
    const mb_backend *backend[BACKENDS] = {mb_backend_host(), test_deferred(), test_staged()};
    modblas_context *context = NULL;
    modblas_options options;
    modblas_options_init(&options);
    options.workers = workers;
    options.memory = (uint64_t)1 << 28;
    options.verify = verify;
    ck_assert_int_eq(mb_context_make(&context, backend[which], &options), MODBLAS_OK);
    return context;
}

static modblas_plan *make_plan(modblas_context *context)
{
    modblas_problem p = {N, N, N, MODBLAS_U64, MODBLAS_U64, MODBLAS_U64, modulus};
    modblas_plan *plan = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, NULL), MODBLAS_OK);
    return plan;
}

static void fill(square x)
{
    for (int i = 0; i < N * N; i++)
        x[i] = test_below(&noise, modulus);
}

/* C <- alpha*A*B + beta*C by definition. */
static void multiply(square C, const square A, const square B, uint64_t alpha, uint64_t beta)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            uint64_t sum = 0;
            for (int l = 0; l < N; l++)
                sum = (sum + A[i * N + l] * B[l * N + j] % modulus) % modulus;
            C[i * N + j] = (alpha * sum % modulus + beta * C[i * N + j] % modulus) % modulus;
        }
    }
}

static void add(modblas_graph *graph, modblas_plan *plan, const square C, const square A,
                const square B, uint64_t alpha, uint64_t beta)
{
    modblas_matrix c = view(C), a = view(A), b = view(B);
    ck_assert_int_eq(modblas_graph_add(graph, plan, &c, &a, &b, alpha, beta), MODBLAS_OK);
}

/* C_i = A_i B_i; then D_i = C_i C_i+1; then E = 3 D_0 D_1 + 5 E, of which a run depends on the run
 * before. */
typedef struct {
    square A[WIDTH], B[WIDTH], C[WIDTH], D[WIDTH], E;
} world;

static void add_world(modblas_graph *graph, modblas_plan *plan, const world *w)
{
    for (int i = 0; i < WIDTH; i++)
        add(graph, plan, w->C[i], w->A[i], w->B[i], 1, 0);
    ck_assert_int_eq(modblas_graph_join(graph), MODBLAS_OK);
    ck_assert_int_eq(modblas_graph_join(graph), MODBLAS_OK); /* an empty set is none */
    for (int i = 0; i < WIDTH; i++)
        add(graph, plan, w->D[i], w->C[i], w->C[(i + 1) % WIDTH], 1, 0);
    ck_assert_int_eq(modblas_graph_join(graph), MODBLAS_OK);
    add(graph, plan, w->E, w->D[0], w->D[1], 3, 5);
}

static void do_world(world *w)
{
    for (int i = 0; i < WIDTH; i++)
        multiply(w->C[i], w->A[i], w->B[i], 1, 0);
    for (int i = 0; i < WIDTH; i++)
        multiply(w->D[i], w->C[i], w->C[(i + 1) % WIDTH], 1, 0);
    multiply(w->E, w->D[0], w->D[1], 3, 5);
}

static void fill_world(world *w)
{
    for (int i = 0; i < WIDTH; i++) {
        fill(w->A[i]);
        fill(w->B[i]);
    }
}

static world got, expected;

static void compare(const char *when)
{
    ck_assert_msg(memcmp(&got, &expected, sizeof got) == 0, "%s: a product is wrong", when);
}

START_TEST(sets_follow_each_other)
{
    modblas_context *context = make_context(_i, 4, MODBLAS_VERIFY_OFF);
    modblas_plan *plan = make_plan(context);
    modblas_graph *graph = NULL;
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_OK);
    memset(&got, 0, sizeof got);
    memset(&expected, 0, sizeof expected);
    add_world(graph, plan, &got);
    for (int run = 0; run < 4; run++) {
        fill_world(&got);
        memcpy(expected.A, got.A, sizeof got.A);
        memcpy(expected.B, got.B, sizeof got.B);
        ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_OK);
        do_world(&expected);
        compare("a run");
    }
    /* More may be added later. */
    ck_assert_int_eq(modblas_graph_join(graph), MODBLAS_OK);
    add(graph, plan, got.A[0], got.E, got.E, 1, 0);
    ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_OK);
    do_world(&expected);
    multiply(expected.A[0], expected.E, expected.E, 1, 0);
    compare("a longer graph");
    modblas_graph_destroy(graph);
    modblas_plan_destroy(plan);
    ck_assert_uint_eq(context->device[0].held, 0);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(a_checked_context_runs_them_one_by_one)
{
    modblas_context *context = make_context(_i, 2, MODBLAS_VERIFY_FREIVALDS);
    modblas_plan *plan = make_plan(context);
    modblas_graph *graph = NULL;
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    memset(&got, 0, sizeof got);
    fill_world(&got);
    expected = got;
    add_world(graph, plan, &got);
    ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_OK);
    do_world(&expected);
    compare("checked");
    modblas_matrix c = view(got.C[0]), a = view(got.A[0]), b = view(got.B[0]);
    modblas_status on_streams = _i == DEFERRED ? MODBLAS_EUNAVAILABLE : MODBLAS_OK;
    test_stream *stream = test_stream_make();
    ck_assert_int_eq(modblas_graph_order(graph, stream), on_streams);
    ck_assert_int_eq(modblas_plan_order(plan, stream, &c, &a, &b, 1, 0), on_streams);
    test_stream_free(stream);
    modblas_graph_destroy(graph);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

/* On a stream it waits for the stream; without streams it is done at once. */
START_TEST(graphs_go_to_streams)
{
    modblas_context *context = make_context(_i, 4, MODBLAS_VERIFY_OFF);
    modblas_plan *plan = make_plan(context);
    modblas_graph *graph = NULL;
    test_stream *stream = test_stream_make();
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    memset(&got, 0, sizeof got);
    fill_world(&got);
    expected = got;
    add_world(graph, plan, &got);
    ck_assert_int_eq(modblas_graph_order(graph, stream), MODBLAS_OK);
    if (_i == DEFERRED) {
        ck_assert_int_eq(test_stream_waiting(stream), 1);
        compare("nothing is done yet");
        test_stream_capture(stream, true);
        ck_assert_int_eq(modblas_graph_order(graph, stream), MODBLAS_EINVAL);
        test_stream_capture(stream, false);
    }
    modblas_graph_destroy(graph); /* waits */
    ck_assert_int_eq(test_stream_waiting(stream), 0);
    do_world(&expected);
    compare("after the graph went");
    modblas_plan_destroy(plan);
    test_stream_free(stream);
    modblas_context_destroy(context);
}
END_TEST

/* The stamps of a traced run are those of its products, in their order. */
START_TEST(traced_graphs_stamp_products)
{
    enum { COUNT = 2 * WIDTH + 1 };
    static mb_trace_event event[COUNT];
    modblas_context *context = make_context(0, 2, MODBLAS_VERIFY_OFF);
    modblas_plan *plan = make_plan(context);
    modblas_graph *graph = NULL;
    mb_trace trace = {.event = event, .capacity = COUNT};
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    add_world(graph, plan, &got);
    ck_assert_int_eq(mb_graph_run_traced(graph, &trace), MODBLAS_OK);
    ck_assert_int_eq(trace.count, COUNT);
    double end[3] = {0, 0, 0}, begin[3] = {1e300, 1e300, 1e300};
    for (int i = 0; i < COUNT; i++) {
        int set = (int)(event[i].tile / WIDTH);
        ck_assert(event[i].end >= event[i].start);
        begin[set] = event[i].start < begin[set] ? event[i].start : begin[set];
        end[set] = event[i].end > end[set] ? event[i].end : end[set];
    }
    ck_assert(end[0] <= begin[1] && end[1] <= begin[2]);
    modblas_graph_destroy(graph);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(faults_of_a_set_are_told_by_its_run)
{
    double half[N * N] = {0}, zero[N * N] = {0}, out[2][N * N];
    half[N * N - 1] = 0.5;
    modblas_context *context = make_context(_i, 2, MODBLAS_VERIFY_OFF);
    modblas_problem p = {N, N, N, MODBLAS_F64, MODBLAS_F64, MODBLAS_F64, 65521};
    modblas_plan *plan = NULL;
    modblas_graph *graph = NULL;
    ck_assert_int_eq(modblas_plan_create(context, &plan, &p, NULL), MODBLAS_OK);
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    modblas_matrix good = modblas_row_major(zero, MODBLAS_F64, N, N, N);
    modblas_matrix bad = modblas_row_major(half, MODBLAS_F64, N, N, N);
    for (int i = 0; i < 2; i++) {
        modblas_matrix C = modblas_column_major(out[i], MODBLAS_F64, N, N, N);
        ck_assert_int_eq(modblas_graph_add(graph, plan, &C, &good, i ? &bad : &good, 1, 0),
                         MODBLAS_OK);
    }
    for (int run = 0; run < 2; run++) {
        ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_ENOTINT);
        ck_assert_int_eq(modblas_detail()[0], 'B');
    }
    half[N * N - 1] = 1;
    ck_assert_int_eq(modblas_graph_run(graph), MODBLAS_OK);
    ck_assert_int_eq(modblas_context_status(context), MODBLAS_OK);
    modblas_graph_destroy(graph);
    modblas_plan_destroy(plan);
    modblas_context_destroy(context);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    modblas_context *context = make_context(0, 1, MODBLAS_VERIFY_OFF);
    modblas_context *other = make_context(0, 1, MODBLAS_VERIFY_OFF);
    modblas_plan *plan = make_plan(context), *foreign = make_plan(other);
    modblas_matrix c = view(got.C[0]), a = view(got.A[0]), b = view(got.B[0]), thin = a;
    modblas_graph *graph = NULL;
    thin.cols--;
    ck_assert_int_eq(modblas_graph_create(NULL, &graph), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_create(context, NULL), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_create(context, &graph), MODBLAS_OK);
    ck_assert_int_eq(modblas_graph_add(NULL, plan, &c, &a, &b, 1, 0), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_add(graph, NULL, &c, &a, &b, 1, 0), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_add(graph, plan, &c, &thin, &b, 1, 0), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_add(graph, foreign, &c, &a, &b, 1, 0), MODBLAS_EINVAL);
    ck_assert_ptr_nonnull(strstr(modblas_detail(), "another context"));
    ck_assert_int_eq(modblas_graph_join(NULL), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_context_status(NULL), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_run(NULL), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_graph_order(NULL, NULL), MODBLAS_EINVAL);
    ck_assert_int_eq(modblas_plan_order(NULL, NULL, &c, &a, &b, 1, 0), MODBLAS_EINVAL);
    modblas_graph_destroy(NULL);
    modblas_graph_destroy(graph);
    modblas_plan_destroy(plan);
    modblas_plan_destroy(foreign);
    modblas_context_destroy(context);
    modblas_context_destroy(other);
}
END_TEST

int main(void)
{
    const TTest *const each[] = {sets_follow_each_other, a_checked_context_runs_them_one_by_one,
                                 graphs_go_to_streams, faults_of_a_set_are_told_by_its_run};
    const TTest *const once[] = {traced_graphs_stamp_products, bad_arguments_are_refused};
    int failed = test_main_each("graphs", each, TEST_COUNT(each), BACKENDS);
    return failed | test_main("graphs' arguments", once, TEST_COUNT(once));
}
