/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core of this machine does in a second, measured once per process, or told. */
#include "host_panel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The least time of a few runs, in processor time of this thread, so that a busy machine does not
 * tell; no further run after so many seconds. */
enum { MOST_RUNS = 5 };
static const double enough_seconds = 1.5e-3;

/* Sizes that are measured: in the cache, long enough for a clock. */
enum { SIDE = 160, DEPTH = 256, SIDE_FAST = 512, PANEL_ROWS = 32, PANEL_COLS = 64 };

/* Read off oneDNN's INT8 product on a core with AMX: 327, 514, 650 and 726 Gop/s at 512, 1024,
 * 2048 and 4096. */
static const double knee_of_library = 500;

/* Operands at first, then results: the largest are those of the fast INT8 product and of digits.
 */
enum { OPERANDS = 768 << 10, RESULTS = SIDE_FAST * SIDE_FAST * 4, HALF = OPERANDS / 3 };
_Static_assert(OPERANDS >= SIDE * DEPTH * (int)sizeof(double), "operands fit");
_Static_assert(OPERANDS - HALF >= PANEL_COLS * DEPTH * MB_DIGITS * 8, "columns fit");
_Static_assert(HALF >= PANEL_ROWS * DEPTH * MB_DIGITS * 8, "rows fit");
static _Alignas(64) unsigned char space[OPERANDS + RESULTS];

static double gemm_rate[MB_MAX_ENGINES], plain_rate[MB_SUMS_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void work(void *argument);

static double least_seconds(work *run, void *argument)
{
    double least = 1e9, all = 0;
    run(argument);
    for (int i = 0; i < MOST_RUNS && all < enough_seconds; i++) {
        double start = seconds_now();
        run(argument);
        double seconds = seconds_now() - start;
        all += seconds;
        least = seconds < least ? seconds : least;
    }
    return least > 1e-9 ? least : 1e-9;
}

static void run_gemm(void *argument)
{
    static mb_worker worker;
    /* One that fails is found out elsewhere. */
    (void)mb_host_gemm(&worker, argument);
}

static double measure_gemm(const mb_engine *engine, int side)
{
    mb_gemm_job job = {
        .engine = engine,
        .m = side,
        .n = side,
        .k = DEPTH,
        .A = space,
        .B = space,
        .C = space + OPERANDS,
        .lda = DEPTH,
        .ldb = DEPTH,
        .ldc = side,
        .count = 1,
    };
    return 2.0 * side * side * DEPTH / least_seconds(run_gemm, &job);
}

typedef struct {
    mb_plain_job job;
    uint64_t *sums;
} plain_work;

static void run_plain(void *argument)
{
    plain_work *w = argument;
    mb_host_plain_block(&w->job, w->sums, PANEL_ROWS, DEPTH);
}

static double measure_plain(mb_sums sums, mb_cut *cut)
{
    const mb_range half = mb_bound_residues(cut->mod.n);
    plain_work w = {
        .job = {.sums = sums,
                .fold = mb_bound_fold(cut->mod.n, half, half),
                .a = cut,
                .b = cut,
                .space_a = space,
                .space_b = space + HALF},
        .sums = (uint64_t *)(void *)(space + OPERANDS),
    };
    w.job.A.cols = DEPTH;
    w.job.C.cols = PANEL_COLS;
    return 2.0 * PANEL_ROWS * PANEL_COLS * DEPTH / least_seconds(run_plain, &w);
}

/* MODBLAS_HOST_RATES: "i8=600,plain/u64=12", in 10^9 operations a second. */
static bool is_told(const char *scheme, const char *name, double *rate)
{
    char key[32];
    const char *told = getenv("MODBLAS_HOST_RATES");
    int length = snprintf(key, sizeof key, "%s%s=", scheme, name);
    for (; told != NULL; told = strchr(told, ',')) {
        told += *told == ',';
        double value = strncmp(told, key, (size_t)length) == 0 ? atof(told + length) : 0;
        if (value > 0) {
            *rate = 1e9 * value;
            return true;
        }
    }
    return false;
}

static void measure(void)
{
    static const mb_engine *const engine[] = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32};
    const uint64_t slowest_folds = ((uint64_t)1 << 31) - 1;
    mb_cut cut;
    for (int e = 0; e < MB_MAX_ENGINES; e++) {
        const bool fast = e == 0 && mb_host_gemm_is_fast();
        const int side = fast ? SIDE_FAST : SIDE;
        const double knee = fast ? knee_of_library / side : 0;
        if (!is_told("", engine[e]->name, &gemm_rate[e]))
            gemm_rate[e] = (1 + knee * knee) * measure_gemm(engine[e], side);
    }
    memset(&cut, 0, sizeof cut);
    cut.mod = mb_mod_make(slowest_folds);
    for (int s = 0; s < MB_SUMS_COUNT; s++) {
        if (!is_told("plain/", mb_sums_name((mb_sums)s), &plain_rate[s]))
            plain_rate[s] = measure_plain((mb_sums)s, &cut);
    }
}

void mb_host_rates(mb_rates *rates)
{
    pthread_once(&once, measure);
    memcpy(rates->gemm, gemm_rate, sizeof gemm_rate);
    memcpy(rates->plain, plain_rate, sizeof plain_rate);
    rates->knee_i8 = mb_host_gemm_is_fast() ? knee_of_library : 0;
}
