/* SPDX-License-Identifier: BSD-3-Clause */
#include "batch.h"
#include "case.h"
#include "clock.h"
#include "many.h"
#include "npy.h"
#include "soak.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_OPTIONS = 2, MAX_DEVICES = 64 };

void mb_progress(const char *what, const char *name)
{
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    if (what != NULL)
        fprintf(stderr, "%s %s", what, name);
    fflush(stderr);
}

static void complain(void)
{
    fprintf(stderr, "modblas-bench: %s\n", modblas_detail());
}

static int list_devices(void)
{
    static modblas_device_info list[MAX_DEVICES];
    int count;
    if (modblas_device_list(list, MAX_DEVICES, &count) != MODBLAS_OK) {
        complain();
        return EXIT_WRONG;
    }
    for (int i = 0; i < count && i < MAX_DEVICES; i++) {
        const modblas_device_info *d = &list[i];
        printf("%s %d: %s, %s, %.1f GB of %.1f GB free\n",
               d->backend == MODBLAS_BACKEND_CUDA ? "cuda" : "host", d->device, d->name,
               d->libraries, 1e-9 * (double)d->memory_free, 1e-9 * (double)d->memory_total);
    }
    return EXIT_RIGHT;
}

/* The first context also starts CUDA and loads libraries; the second shows what is modblas's own.
 */
static modblas_status time_second_context(const modblas_options *options, double *seconds)
{
    modblas_context *second = NULL;
    double start = mb_clock();
    modblas_status status = modblas_context_create(&second, options);
    *seconds = mb_clock() - start;
    modblas_context_destroy(second);
    return status;
}

static modblas_status explain_context(const mb_bench *bench, const modblas_options *options,
                                      double first)
{
    modblas_status status = MODBLAS_OK;
    size_t size;
    double second;
    char *text = NULL;
    MB_TRY(time_second_context(options, &second));
    fprintf(bench->words, "context  made in %.1f ms, a second one in %.1f ms\n", 1e3 * first,
            1e3 * second);
    MB_TRY(modblas_context_text(bench->context, NULL, 0, &size));
    text = malloc(size);
    if (text == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the text of a context");
    MB_TRY(modblas_context_text(bench->context, text, size, NULL));
    fprintf(bench->words, "%s", text);
fail:
    free(text);
    return status;
}

/* FLINT gets as many threads as the product has: the host's workers, or all usable cores. */
static int flint_threads(const modblas_context *context)
{
    if (context->backend->synchronous)
        return context->device[0].workers;
    return mb_backend_host()->default_workers(0);
}

static modblas_status open_bench(mb_bench *bench, const mb_bench_options *o)
{
    modblas_status status = MODBLAS_OK;
    modblas_options options;
    *bench = (mb_bench){.options = o, .seconds = o->seconds, .copy_gbps = NAN};
    bench->words = o->format == MB_FORMAT_TABLE || o->output ? stdout : stderr;
    if (o->seconds < 0)
        bench->seconds = mb_suite_seconds(o->suite);
    modblas_options_init(&options);
    options.backend = o->backend;
    options.workers = o->workers;
    options.memory = o->memory;
    double start = mb_clock();
    MB_TRY(modblas_context_create(&bench->context, &options));
    double first = mb_clock() - start;
    bool gpu = !bench->context->backend->synchronous;
    if (o->residency == MB_RESIDENCY_DEVICE && !gpu)
        MB_TRY(mb_fail(MODBLAS_EUNAVAILABLE, "--residency device needs a GPU"));
    bench->on_device = gpu && o->residency != MB_RESIDENCY_HOST;
    mb_flint_threads(flint_threads(bench->context));
    /* The table has no room for it. */
    if (o->format != MB_FORMAT_TABLE)
        MB_TRY(mb_copy_rate(bench->context, &bench->copy_gbps));
    if (o->explain)
        MB_TRY(explain_context(bench, &options, first));
fail:
    return status;
}

/* Opened to append, so that a file which is there stays until the run has something better. */
static modblas_status try_output(const char *path)
{
    if (path == NULL)
        return MODBLAS_OK;
    FILE *file = fopen(path, "ab");
    if (file == NULL || fclose(file) != 0)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", path, strerror(errno));
    return MODBLAS_OK;
}

/* Files that cannot be used are found before anything is computed. */
static modblas_status open_files(mb_bench *bench, mb_case *what)
{
    modblas_status status = MODBLAS_OK;
    const mb_bench_options *o = bench->options;
    modblas_matrix *expected = &bench->expected;
    if (o->input[0] != NULL)
        MB_TRY(mb_case_from_files(o, what));
    if (o->expect != NULL) {
        MB_TRY(mb_npy_read(o->expect, expected));
        if (expected->rows != what->m || expected->cols != what->n)
            MB_TRY(mb_fail(MODBLAS_EINVAL,
                           "%s is %" PRId64 " x %" PRId64 ", the product %" PRId64 " x %" PRId64,
                           o->expect, expected->rows, expected->cols, what->m, what->n));
    }
    MB_TRY(try_output(o->output_matrix));
    MB_TRY(try_output(o->trace));
    MB_TRY(try_output(o->output));
fail:
    return status;
}

/* A suite with a forced scheme or engine has products that it does not fit; they are left out. */
static bool is_left_out(const mb_bench_options *o, modblas_status status)
{
    bool forced = o->scheme != MODBLAS_SCHEME_AUTO || o->engine != MODBLAS_ENGINE_AUTO;
    return status == MODBLAS_ENOPLAN && o->suite != MB_SUITE_NONE && forced;
}

/* Runs the products; returns how many failed. *rows are those that were not left out. */
static int run_cases(const mb_bench *bench, const mb_case *cases, int count, mb_row *rows,
                     int *filled)
{
    const mb_bench_options *o = bench->options;
    bool table = o->format == MB_FORMAT_TABLE || o->output != NULL;
    int failed = 0;
    char name[MB_ROW_TEXT];
    for (int i = 0; i < count; i++) {
        mb_row *row = &rows[*filled];
        modblas_status status = mb_case_run(bench, &cases[i], row);
        if (status != MODBLAS_OK) {
            mb_case_name(name, &cases[i]);
            fprintf(stderr, "modblas-bench: %s%s: %s\n", is_left_out(o, status) ? "left out " : "",
                    name, modblas_detail());
        }
        if (is_left_out(o, status)) {
            mb_row_free(row);
            continue;
        }
        failed += status != MODBLAS_OK;
        ++*filled;
        /* What --explain says stands between the rows. */
        if (table && (*filled == 1 || o->explain))
            mb_table_head(stdout);
        if (table)
            mb_table_row(stdout, row);
    }
    return failed;
}

static modblas_status close_results(const mb_bench_options *o, FILE *file)
{
    bool ok = fflush(file) == 0 && !ferror(file);
    if (o->output != NULL)
        ok = fclose(file) == 0 && ok;
    return ok ? MODBLAS_OK : mb_fail(MODBLAS_EINVAL, "the results cannot be written");
}

static modblas_status write_results(const mb_bench_options *o, const mb_row *rows, int count)
{
    FILE *file = o->output ? fopen(o->output, "w") : stdout;
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", o->output, strerror(errno));
    if (o->format == MB_FORMAT_JSON)
        mb_write_json(file, rows, count);
    else if (o->format == MB_FORMAT_CSV)
        mb_write_csv(file, rows, count);
    else if (o->output != NULL) {
        mb_table_head(file);
        for (int i = 0; i < count; i++)
            mb_table_row(file, &rows[i]);
    }
    return close_results(o, file);
}

static int run(const mb_bench_options *o)
{
    modblas_status status = MODBLAS_OK;
    mb_bench bench = {.context = NULL};
    int failed = 0, filled = 0;
    mb_case *cases = malloc(MB_MAX_CASES * sizeof *cases);
    mb_row *rows = NULL;
    if (cases == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the list of products"));
    MB_TRY(open_bench(&bench, o));
    int count = mb_suite_cases(o, !bench.context->backend->synchronous, cases);
    MB_TRY(open_files(&bench, &cases[0]));
    rows = calloc((size_t)count, sizeof *rows);
    if (rows == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the results"));
    failed = run_cases(&bench, cases, count, rows, &filled);
    MB_TRY(write_results(o, rows, filled));
    if (filled == 0)
        MB_TRY(mb_fail(MODBLAS_ENOPLAN, "nothing was computed: all products were left out"));
fail:
    if (status != MODBLAS_OK)
        complain();
    for (int i = 0; i < filled; i++)
        mb_row_free(&rows[i]);
    free(rows);
    free(cases);
    free(bench.expected.data);
    modblas_context_destroy(bench.context);
    return status == MODBLAS_OK && failed == 0 ? EXIT_RIGHT : EXIT_WRONG;
}

static modblas_status write_soak(const mb_bench_options *o, const mb_soak *soak)
{
    mb_soak_write_line(o->output || o->format == MB_FORMAT_TABLE ? stdout : stderr, soak);
    FILE *file = o->output ? fopen(o->output, "w") : stdout;
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", o->output, strerror(errno));
    if (o->format == MB_FORMAT_JSON)
        mb_soak_write_json(file, soak);
    else if (o->output != NULL)
        mb_soak_write_line(file, soak);
    return close_results(o, file);
}

/* SIGINT ends a soak as its time does. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

static int run_soak(const mb_bench_options *o)
{
    static mb_soak soak;
    modblas_status status = MODBLAS_OK;
    mb_bench bench = {.context = NULL};
    MB_TRY(open_bench(&bench, o));
    MB_TRY(try_output(o->output));
    interrupted = 0;
    signal(SIGINT, interrupt);
    mb_soak_run(&soak, &bench, &interrupted);
    signal(SIGINT, SIG_DFL);
    MB_TRY(write_soak(o, &soak));
    if (soak.whole.problems + soak.large.problems == 0)
        MB_TRY(mb_fail(MODBLAS_ENOPLAN, "nothing was computed: all problems were refused"));
fail:
    if (status != MODBLAS_OK)
        complain();
    modblas_context_destroy(bench.context);
    return status == MODBLAS_OK && soak.failed == 0 ? EXIT_RIGHT : EXIT_WRONG;
}

/* A batch of each of the products; an object of JSON a line. */
static modblas_status run_batches(const mb_bench *bench, const mb_case *cases, int count,
                                  FILE *file)
{
    modblas_status status = MODBLAS_OK;
    const mb_bench_options *o = bench->options;
    for (int i = 0; i < count; i++) {
        mb_batch_times times;
        MB_TRY(mb_batch_measure(&times, bench, &cases[i]));
        if (o->format == MB_FORMAT_JSON)
            mb_batch_write_json(file, &times);
        if (o->format != MB_FORMAT_JSON || o->output != NULL)
            mb_batch_write_line(stdout, &times);
    }
fail:
    return status;
}

static int run_batch(const mb_bench_options *o)
{
    static mb_case cases[MB_MAX_CASES];
    modblas_status status = MODBLAS_OK;
    mb_bench bench = {.context = NULL};
    FILE *file = stdout;
    MB_TRY(open_bench(&bench, o));
    if (o->output != NULL)
        file = fopen(o->output, "w");
    if (file == NULL)
        MB_TRY(mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", o->output, strerror(errno)));
    MB_TRY(run_batches(&bench, cases,
                       mb_suite_cases(o, !bench.context->backend->synchronous, cases), file));
    MB_TRY(close_results(o, file));
fail:
    if (status != MODBLAS_OK)
        complain();
    modblas_context_destroy(bench.context);
    return status == MODBLAS_OK ? EXIT_RIGHT : EXIT_WRONG;
}

static modblas_status write_many(const mb_bench *bench, const mb_many *list, int count)
{
    const mb_bench_options *o = bench->options;
    FILE *file = o->output ? fopen(o->output, "w") : stdout;
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", o->output, strerror(errno));
    if (o->format == MB_FORMAT_JSON)
        mb_many_write_json(file, bench, list, count);
    for (int i = 0; i < count && o->format == MB_FORMAT_TABLE && o->output != NULL; i++)
        mb_many_write_line(file, &list[i]);
    return close_results(o, file);
}

/* Many products at once. */
static int run_many(const mb_bench_options *o)
{
    modblas_status status = MODBLAS_OK;
    mb_bench bench = {.context = NULL};
    int filled = 0, failed = 0;
    mb_case *cases = malloc(MB_MAX_CASES * sizeof *cases);
    mb_many *list = NULL;
    if (cases == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the list of products"));
    MB_TRY(open_bench(&bench, o));
    int count = mb_suite_cases(o, !bench.context->backend->synchronous, cases);
    MB_TRY(try_output(o->output));
    list = calloc((size_t)count * mb_many_each(o), sizeof *list);
    if (list == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for the results"));
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < (int)mb_many_each(o); i++, filled++) {
            failed += mb_many_run(&list[filled], &bench, &cases[c], i) != MODBLAS_OK;
            if (o->format == MB_FORMAT_TABLE || o->output != NULL)
                mb_many_write_line(stdout, &list[filled]);
        }
    }
    MB_TRY(write_many(&bench, list, filled));
fail:
    if (status != MODBLAS_OK)
        complain();
    free(list);
    free(cases);
    modblas_context_destroy(bench.context);
    return status == MODBLAS_OK && failed == 0 ? EXIT_RIGHT : EXIT_WRONG;
}

int main(int argc, char **argv)
{
    static mb_bench_options options;
    char error[MB_ERROR_SIZE];
    if (!mb_options_parse(&options, argc, argv, error)) {
        fprintf(stderr, "modblas-bench: %s.\n", error);
        return EXIT_OPTIONS;
    }
    switch (options.action) {
    case MB_ACTION_HELP:
        fputs(mb_help_text(), stdout);
        return EXIT_RIGHT;
    case MB_ACTION_VERSION:
        printf("modblas-bench %s, commit %s\n", modblas_version(), mb_commit());
        return EXIT_RIGHT;
    case MB_ACTION_LIST_DEVICES:
        return list_devices();
    case MB_ACTION_RUN:
        if (options.batch > 0 || options.moduli > 0)
            return run_batch(&options);
        if (options.thread_count > 0 || options.sets > 0)
            return run_many(&options);
        return options.soak >= 0 ? run_soak(&options) : run(&options);
    }
    return EXIT_OPTIONS;
}
