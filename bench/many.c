/* SPDX-License-Identifier: BSD-3-Clause */
#include "many.h"

#include "clock.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- checks --------------------------------------------------------------------------------- */

modblas_status mb_many_keep(const mb_ready *ready, void **copy)
{
    const uint64_t bytes = mb_operand_bytes(&ready->C);
    modblas_status status = mb_host_alloc(copy, bytes);
    if (status == MODBLAS_OK)
        memcpy(*copy, ready->C.host_all.data, bytes);
    return status;
}

modblas_status mb_many_compare(const mb_ready *ready, const void *copy)
{
    modblas_status status = MODBLAS_OK;
    const modblas_matrix C = ready->C.host;
    const modblas_matrix before =
        modblas_row_major(copy, C.type, ready->C.host_all.rows, ready->C.host_all.cols,
                          ready->C.host_all.row_stride);
    MB_TRY(mb_operand_pull(&ready->C, ready->bench->context));
    MB_TRY(mb_verify_same(&ready->C.host_all, &before, ready->what.N));
fail:
    return status;
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { WARM_UP = 10 };

typedef struct {
    atomic_int waiting;
    atomic_bool go, stop;
} gate;

/* A thread's product, with a plan and operands of its own. */
typedef struct {
    gate *gate;
    mb_bench bench;
    mb_ready ready;
    long products;
    void *right; /* the checked C */
    modblas_status status;
    char detail[MB_ROW_TEXT];
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int i = 0; i < WARM_UP && w->status == MODBLAS_OK; i++)
        w->status = mb_ready_run(&w->ready);
    atomic_fetch_add(&w->gate->waiting, 1);
    while (!atomic_load(&w->gate->go))
        usleep(100);
    while (w->status == MODBLAS_OK && !atomic_load(&w->gate->stop)) {
        w->status = mb_ready_run(&w->ready);
        w->products++;
    }
    snprintf(w->detail, sizeof w->detail, "%s", modblas_detail());
    return NULL;
}

static modblas_status run_threads(worker *w, int count, double *rate, double seconds)
{
    modblas_status status = MODBLAS_OK;
    gate g = {0};
    pthread_t *thread = calloc((size_t)count, sizeof *thread);
    int started = 0;
    long products = 0;
    if (thread == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the threads");
    for (; started < count; started++) {
        w[started].gate = &g;
        if (pthread_create(&thread[started], NULL, work, &w[started]) != 0)
            break;
    }
    while (atomic_load(&g.waiting) < started)
        usleep(100);
    double begin = mb_clock();
    atomic_store(&g.go, true);
    usleep((useconds_t)(1e6 * seconds));
    atomic_store(&g.stop, true);
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
        products += w[i].products;
    }
    *rate = (double)products / (mb_clock() - begin);
    if (started < count)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "%d of %d threads could be made", started, count));
    for (int i = 0; i < count; i++) {
        if (w[i].status != MODBLAS_OK)
            MB_TRY(mb_fail(w[i].status, "%s", w[i].detail));
        MB_TRY(mb_many_compare(&w[i].ready, w[i].right));
    }
fail:
    free(thread);
    return status;
}

static modblas_status make_context(mb_bench *bench)
{
    const mb_bench_options *o = bench->options;
    modblas_options options;
    modblas_options_init(&options);
    options.backend = o->backend;
    options.workers = o->workers;
    options.memory = o->memory;
    return modblas_context_create(&bench->context, &options);
}

/* The rate of so many threads, on one new context or on one each. */
static modblas_status time_threads(mb_many *many, const mb_bench *bench, bool contexts,
                                   double *rate)
{
    modblas_status status = MODBLAS_OK;
    const int count = many->threads;
    worker *w = calloc((size_t)count, sizeof *w);
    if (w == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the threads");
    for (int i = 0; i < count; i++) {
        w[i].bench = *bench;
        w[i].bench.context = i > 0 && !contexts ? w[0].bench.context : NULL;
        if (w[i].bench.context == NULL)
            MB_TRY(make_context(&w[i].bench));
        MB_TRY(mb_ready_open(&w[i].ready, &w[i].bench, &many->what));
        MB_TRY(mb_many_keep(&w[i].ready, &w[i].right));
    }
    w[0].bench.context->watch.on = !contexts;
    MB_TRY(run_threads(w, count, rate, bench->seconds));
    if (!contexts)
        many->lock = w[0].bench.context->watch;
fail:
    for (int i = 0; i < count; i++) {
        if (w[i].ready.bench != NULL)
            mb_ready_close(&w[i].ready);
        free(w[i].right);
    }
    for (int i = 0; i < (contexts ? count : 1); i++)
        modblas_context_destroy(w[i].bench.context);
    free(w);
    return status;
}

static modblas_status time_naive(mb_many *many, const mb_bench *bench)
{
    modblas_status status = MODBLAS_OK;
    mb_ready r;
    double seconds = NAN;
    MB_TRY(mb_ready_open(&r, bench, &many->what));
    mb_product product = mb_ready_product(&r);
    MB_TRY(
        mb_time_naive_threads(bench->context, &product, many->threads, &seconds, bench->seconds));
    many->naive_rate = 1 / seconds;
fail:
    mb_ready_close(&r);
    return status;
}

static modblas_status measure_threads(mb_many *many, const mb_bench *bench)
{
    modblas_status status = MODBLAS_OK;
    MB_TRY(time_threads(many, bench, false, &many->rate));
    if (bench->options->contexts)
        MB_TRY(time_threads(many, bench, true, &many->contexts_rate));
    if (bench->options->peers & MB_PEER_NAIVE)
        MB_TRY(time_naive(many, bench));
fail:
    return status;
}

size_t mb_many_each(const mb_bench_options *o)
{
    return (size_t)o->thread_count + (o->sets > 0);
}

modblas_status mb_many_run(mb_many *many, const mb_bench *bench, const mb_case *what, int i)
{
    const mb_bench_options *o = bench->options;
    char name[MB_ROW_TEXT];
    *many = (mb_many){.what = *what,
                      .verified = o->verify,
                      .threads = i < o->thread_count ? (int)o->threads[i] : 0,
                      .rate = NAN,
                      .contexts_rate = NAN,
                      .naive_rate = NAN,
                      .graph_seconds = NAN,
                      .ordered_seconds = NAN,
                      .runs_seconds = NAN,
                      .side_by_side = NAN,
                      .call_seconds = NAN,
                      .done_seconds = NAN,
                      .other_call_seconds = NAN,
                      .other_done_seconds = NAN};
    mb_case_name(name, what);
    mb_progress("timing many of", name);
    many->status = many->threads ? measure_threads(many, bench) : mb_many_sets(many, bench);
    mb_progress(NULL, NULL);
    if (many->status != MODBLAS_OK)
        fprintf(stderr, "modblas-bench: %s: %s\n", name, modblas_detail());
    return many->status;
}

/* ---- reporting ------------------------------------------------------------------------------ */

static void put_rate(FILE *file, const char *of, double rate)
{
    if (!isnan(rate))
        fprintf(file, "%s%.0f/s", of, rate);
}

static void put_time(FILE *file, const char *of, double seconds)
{
    if (!isnan(seconds))
        fprintf(file, "%s%.1f us", of, 1e6 * seconds);
}

void mb_many_write_line(FILE *file, const mb_many *m)
{
    char name[MB_ROW_TEXT];
    mb_case_name(name, &m->what);
    fprintf(file, "%s, ", name);
    if (m->status != MODBLAS_OK)
        fputs("FAILED", file);
    else if (m->threads)
        fprintf(file, "%d thread%s: ", m->threads, m->threads == 1 ? "" : "s");
    else
        fprintf(file, "%d sets of %d: ", m->sets, m->width);
    put_rate(file, "", m->rate);
    put_rate(file, ", a context each ", m->contexts_rate);
    put_rate(file, ", naive ", m->naive_rate);
    put_time(file, "as a graph ", m->graph_seconds);
    put_time(file, ", ordered on a stream ", m->ordered_seconds);
    put_time(file, ", run one by one ", m->runs_seconds);
    if (!isnan(m->side_by_side))
        fprintf(file, ", %.2f side by side", m->side_by_side);
    put_time(file, "; one on a stream: call ", m->call_seconds);
    put_time(file, ", done ", m->done_seconds);
    put_time(file, "; operands changed: call ", m->other_call_seconds);
    put_time(file, ", done ", m->other_done_seconds);
    fputc('\n', file);
}

static void put_number(FILE *file, const char *name, double x)
{
    fprintf(file, isnan(x) ? ", \"%s\": null" : ", \"%s\": %.6g", name, x);
}

static void put_json(FILE *file, const mb_many *m)
{
    char name[MB_ROW_TEXT];
    mb_case_name(name, &m->what);
    fprintf(file, "{\"product\": ");
    mb_write_json_text(file, name);
    fprintf(file, ", \"threads\": %d, \"sets\": %d, \"width\": %d, \"ok\": %s", m->threads,
            m->sets, m->width, m->status == MODBLAS_OK ? "true" : "false");
    fprintf(file, ", \"checked\": %s", m->verified == MB_CHECK_OFF ? "false" : "true");
    put_number(file, "products_per_second", m->rate);
    put_number(file, "contexts_products_per_second", m->contexts_rate);
    put_number(file, "naive_products_per_second", m->naive_rate);
    put_number(file, "lock_count", m->lock.on ? (double)m->lock.count : NAN);
    put_number(file, "lock_seconds", m->lock.on ? m->lock.total : NAN);
    put_number(file, "lock_longest_seconds", m->lock.on ? m->lock.longest : NAN);
    put_number(file, "graph_seconds", m->graph_seconds);
    put_number(file, "ordered_seconds", m->ordered_seconds);
    put_number(file, "runs_seconds", m->runs_seconds);
    put_number(file, "side_by_side", m->side_by_side);
    put_number(file, "call_seconds", m->call_seconds);
    put_number(file, "done_seconds", m->done_seconds);
    put_number(file, "changed_call_seconds", m->other_call_seconds);
    put_number(file, "changed_done_seconds", m->other_done_seconds);
    fputs("}", file);
}

void mb_many_write_json(FILE *file, const mb_bench *bench, const mb_many *list, int count)
{
    char device[MB_ROW_TEXT];
    mb_device_name(device, bench->context);
    fprintf(file, "{\"backend\": \"%s\", \"device\": ", bench->context->backend->name);
    mb_write_json_text(file, device);
    fprintf(file, ", \"version\": \"%s\", \"commit\": \"%s\", \"results\": [", MODBLAS_VERSION,
            mb_commit());
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", file);
        put_json(file, &list[i]);
    }
    fputs("\n]}\n", file);
}
