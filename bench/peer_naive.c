/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"
#include "naive.h"
#include "operand.h"
#include "peer.h"

#if defined(MODBLAS_HAVE_CBLAS)
#include <cblas.h>
#endif

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)256 << 20)
#define DEVICE_COPY_BYTES ((size_t)1 << 30)

/* The module lies beside the program, or where the loader looks. */
static const mb_cuda_peers *cuda_peers(void)
{
    static const char name[] = "libmodblas_bench_cuda.so";
    static const mb_cuda_peers *peers;
    static bool tried;
    char path[PATH_MAX + sizeof name];
    if (tried)
        return peers;
    tried = true;
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    while (n > 0 && path[n - 1] != '/')
        n--;
    memcpy(path + (n > 0 ? n : 0), name, sizeof name);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        module = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        fprintf(stderr, "modblas-bench: no peers on the GPU: %s\n", dlerror());
        return NULL;
    }
    mb_cuda_peers_fn *entry;
    *(void **)&entry = dlsym(module, MB_CUDA_PEERS_ENTRY);
    peers = entry != NULL ? entry() : NULL;
    return peers;
}

/* The largest lambda with lambda*(p-1)^2 + (p-1) <= 2^53; 0 if there is none. p >= 2. */
static int64_t longest_block(uint64_t p)
{
    unsigned __int128 room = (uint64_t)1 << 53, r = p - 1;
    return r >= room ? 0 : (int64_t)((room - r) / (r * r));
}

static bool in_int(const mb_naive_job *job)
{
    return job->m <= INT_MAX && job->n <= INT_MAX && job->k <= INT_MAX;
}

#if defined(MODBLAS_HAVE_CBLAS)

/* c mod p for an integer c in [0, 2^53]: the quotient is off by one at most. */
static void reduce(double *C, int64_t count, int64_t p)
{
    double inverse = 1 / (double)p;
    for (int64_t i = 0; i < count; i++) {
        int64_t c = (int64_t)C[i];
        int64_t r = c - (int64_t)(C[i] * inverse) * p;
        r += r < 0 ? p : 0;
        C[i] = (double)(r >= p ? r - p : r);
    }
}

static void multiply_once(const mb_naive_job *job)
{
    int m = (int)job->m, n = (int)job->n, k = (int)job->k;
    memset(job->C, 0, sizeof *job->C * (size_t)job->m * (size_t)job->n);
    for (int64_t l = 0; l < job->k; l += job->lambda) {
        int block = job->k - l < job->lambda ? (int)(job->k - l) : (int)job->lambda;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, block, 1, job->A + l, k,
                    job->B + l * job->n, n, 1, job->C, n);
        reduce(job->C, job->m * job->n, (int64_t)job->p);
    }
}

static modblas_status run_on_host(mb_naive_job *job)
{
    double begin = mb_clock(), now = begin;
    job->seconds = INFINITY;
    do {
        multiply_once(job);
        double end = mb_clock();
        job->seconds = fmin(job->seconds, end - now);
        now = end;
    } while (now - begin < job->at_least);
    return MODBLAS_OK;
}

#else

static modblas_status run_on_host(mb_naive_job *job)
{
    job->seconds = NAN;
    return MODBLAS_OK;
}

#endif

/* threads = 0: one product after the other, timed on the device. */
static modblas_status run_on_device(const modblas_context *context, mb_naive_job *job, int threads)
{
    char error[MB_NAIVE_ERROR_SIZE];
    const mb_cuda_peers *peers = cuda_peers();
    const int device = context->device[0].ordinal;
    job->seconds = NAN;
    if (peers != NULL && (threads ? peers->naive_threads(device, job, threads, error)
                                  : peers->naive(device, job, error)) != 0)
        return mb_fail(MODBLAS_EDEVICE, "the naive peer: %s", error);
    return MODBLAS_OK;
}

modblas_status mb_stream_make(const modblas_context *context, void **stream)
{
    char error[MB_NAIVE_ERROR_SIZE];
    *stream = NULL;
    if (context->backend->streams == NULL)
        return MODBLAS_OK;
    const mb_cuda_peers *peers = cuda_peers();
    if (peers == NULL)
        return mb_fail(MODBLAS_EUNAVAILABLE, "no streams without the peers on the GPU");
    if (peers->stream(context->device[0].ordinal, stream, error) != 0)
        return mb_fail(MODBLAS_EDEVICE, "a stream: %s", error);
    return MODBLAS_OK;
}

modblas_status mb_stream_wait(const modblas_context *context, void *stream)
{
    char error[MB_NAIVE_ERROR_SIZE];
    if (context->backend->streams == NULL || cuda_peers()->wait(stream, error) == 0)
        return MODBLAS_OK;
    return mb_fail(MODBLAS_EDEVICE, "a stream: %s", error);
}

/* Residues in [0, N) as doubles, row-major. */
static modblas_status residues_of(void **residues, const modblas_matrix *view, const mb_mod *mod)
{
    uint64_t entries = mb_times((uint64_t)view->rows, (uint64_t)view->cols);
    modblas_status status = mb_host_alloc(residues, mb_times(entries, sizeof(double)));
    if (status != MODBLAS_OK)
        return status;
    double *out = *residues;
    for (int64_t i = 0; i < view->rows; i++) {
        for (int64_t j = 0; j < view->cols; j++)
            *out++ = (double)mb_number_residue(mb_entry_get(view, i, j), mod);
    }
    return MODBLAS_OK;
}

static modblas_status time_naive(const modblas_context *context, const mb_product *product,
                                 int threads, double *seconds, double at_least)
{
    modblas_status status = MODBLAS_OK;
    void *A = NULL, *B = NULL, *C = NULL;
    uint64_t N = product->N;
    mb_mod mod = mb_mod_make(N);
    *seconds = NAN;
    int64_t lambda = N < 2 ? 0 : longest_block(N);
    mb_naive_job job = {.m = product->C.rows,
                        .n = product->C.cols,
                        .k = product->A.cols,
                        .p = N,
                        .lambda = lambda,
                        .at_least = at_least};
    if (lambda == 0 || !in_int(&job))
        return MODBLAS_OK;
    MB_TRY(residues_of(&A, &product->A, &mod));
    MB_TRY(residues_of(&B, &product->B, &mod));
    uint64_t entries = mb_times((uint64_t)job.m, (uint64_t)job.n);
    MB_TRY(mb_host_alloc(&C, mb_times(entries, sizeof(double))));
    job.A = A;
    job.B = B;
    job.C = C;
    MB_TRY(context->backend->synchronous ? run_on_host(&job)
                                         : run_on_device(context, &job, threads));
    *seconds = job.seconds;
    modblas_matrix got = modblas_row_major(C, MODBLAS_F64, job.m, job.n, job.n);
    if (!isnan(job.seconds))
        MB_TRY(mb_verify_same(&product->C, &got, N));
fail:
    free(A);
    free(B);
    free(C);
    return status;
}

modblas_status mb_time_naive(const modblas_context *context, const mb_product *product,
                             double *seconds, double at_least)
{
    return time_naive(context, product, 0, seconds, at_least);
}

modblas_status mb_time_naive_threads(const modblas_context *context, const mb_product *product,
                                     int threads, double *seconds, double at_least)
{
    *seconds = NAN;
    if (context->backend->synchronous)
        return MODBLAS_OK;
    return time_naive(context, product, threads, seconds, at_least);
}

static modblas_status copy_on_host(double *gbps)
{
    enum { RUNS = 5 };
    modblas_status status = MODBLAS_OK;
    void *from = NULL, *to = NULL;
    double best = INFINITY;
    MB_TRY(mb_host_alloc(&from, COPY_BYTES));
    MB_TRY(mb_host_alloc(&to, COPY_BYTES));
    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    for (int i = 0; i < RUNS; i++) {
        double begin = mb_clock();
        memcpy(to, from, COPY_BYTES);
        best = fmin(best, mb_clock() - begin);
    }
    *gbps = 2e-9 * (double)COPY_BYTES / best;
fail:
    free(from);
    free(to);
    return status;
}

modblas_status mb_copy_rate(const modblas_context *context, double *gbps)
{
    *gbps = NAN;
    if (context->backend->synchronous)
        return copy_on_host(gbps);
    char error[MB_NAIVE_ERROR_SIZE];
    double rate = NAN;
    const mb_cuda_peers *peers = cuda_peers();
    if (peers != NULL &&
        peers->copy(context->device[0].ordinal, DEVICE_COPY_BYTES, &rate, error) != 0)
        return mb_fail(MODBLAS_EDEVICE, "the copy: %s", error);
    *gbps = 1e-9 * rate;
    return MODBLAS_OK;
}
