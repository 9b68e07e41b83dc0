// SPDX-License-Identifier: BSD-3-Clause
// Algorithm 1 literally, and a copy: see naive.h. One handle, one stream, no library code.
#include "naive.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

// Jumps to `fail` unless the call succeeds; needs `error` and `failed`.
#define TRY_CUDA(call)                                                                            \
    do {                                                                                          \
        cudaError_t code = (call);                                                                \
        if (code != cudaSuccess) {                                                                \
            snprintf(error, MB_NAIVE_ERROR_SIZE, "%s", cudaGetErrorString(code));                 \
            goto fail;                                                                            \
        }                                                                                         \
    } while (0)
#define TRY_CUBLAS(call)                                                                          \
    do {                                                                                          \
        cublasStatus_t code = (call);                                                             \
        if (code != CUBLAS_STATUS_SUCCESS) {                                                      \
            snprintf(error, MB_NAIVE_ERROR_SIZE, "%s", cublasGetStatusString(code));              \
            goto fail;                                                                            \
        }                                                                                         \
    } while (0)

enum { THREADS = 256, MOST_BLOCKS = 65535 };

// c mod p for an integer c in [0, 2^53]: the quotient is off by one at most, and the remainder is
// exact through fma.
static __global__ void reduce(double *C, int64_t count, double p, double inverse)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
        double c = C[i];
        double r = fma(-floor(c * inverse), p, c);
        r = r < 0 ? r + p : r;
        C[i] = r >= p ? r - p : r;
    }
}

struct buffers {
    double *A, *B, *C;
    cudaStream_t stream;
    cublasHandle_t handle;
    cudaEvent_t begin, end;
};

static void release(buffers *b)
{
    cudaFree(b->A);
    cudaFree(b->B);
    cudaFree(b->C);
    if (b->begin != nullptr)
        cudaEventDestroy(b->begin);
    if (b->end != nullptr)
        cudaEventDestroy(b->end);
    if (b->handle != nullptr)
        cublasDestroy(b->handle);
    if (b->stream != nullptr)
        cudaStreamDestroy(b->stream);
}

static int prepare(buffers *b, const mb_naive_job *job, char error[MB_NAIVE_ERROR_SIZE])
{
    size_t m = (size_t)job->m, n = (size_t)job->n, k = (size_t)job->k, word = sizeof(double);
    TRY_CUDA(cudaMalloc(&b->A, m * k * word));
    TRY_CUDA(cudaMalloc(&b->B, k * n * word));
    TRY_CUDA(cudaMalloc(&b->C, m * n * word));
    TRY_CUDA(cudaMemcpy(b->A, job->A, m * k * word, cudaMemcpyHostToDevice));
    TRY_CUDA(cudaMemcpy(b->B, job->B, k * n * word, cudaMemcpyHostToDevice));
    TRY_CUDA(cudaStreamCreate(&b->stream));
    TRY_CUBLAS(cublasCreate(&b->handle));
    TRY_CUBLAS(cublasSetStream(b->handle, b->stream));
    TRY_CUDA(cudaEventCreate(&b->begin));
    TRY_CUDA(cudaEventCreate(&b->end));
    return 0;
fail:
    return 1;
}

// Row-major C = A*B is column-major C^T = B^T*A^T.
static int multiply(const buffers *b, const mb_naive_job *job, char error[MB_NAIVE_ERROR_SIZE])
{
    const double one = 1;
    int m = (int)job->m, n = (int)job->n, k = (int)job->k;
    int64_t count = job->m * job->n, blocks = (count + THREADS - 1) / THREADS;
    int grid = blocks < MOST_BLOCKS ? (int)blocks : MOST_BLOCKS;
    TRY_CUDA(cudaMemsetAsync(b->C, 0, (size_t)count * sizeof(double), b->stream));
    for (int64_t l = 0; l < job->k; l += job->lambda) {
        int block = job->k - l < job->lambda ? (int)(job->k - l) : (int)job->lambda;
        TRY_CUBLAS(cublasDgemm(b->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, block, &one,
                               b->B + l * job->n, n, b->A + l, k, &one, b->C, n));
        reduce<<<grid, THREADS, 0, b->stream>>>(b->C, count, (double)job->p, 1 / (double)job->p);
        TRY_CUDA(cudaGetLastError());
    }
    return 0;
fail:
    return 1;
}

static int naive(int device, mb_naive_job *job, char error[MB_NAIVE_ERROR_SIZE])
{
    buffers b = {};
    int failed = 1;
    double total = 0;
    TRY_CUDA(cudaSetDevice(device));
    if (prepare(&b, job, error) != 0 || multiply(&b, job, error) != 0)
        goto fail;
    job->seconds = INFINITY;
    do {
        float ms = 0;
        TRY_CUDA(cudaEventRecord(b.begin, b.stream));
        if (multiply(&b, job, error) != 0)
            goto fail;
        TRY_CUDA(cudaEventRecord(b.end, b.stream));
        TRY_CUDA(cudaEventSynchronize(b.end));
        TRY_CUDA(cudaEventElapsedTime(&ms, b.begin, b.end));
        job->seconds = fmin(job->seconds, 1e-3 * ms);
        total += 1e-3 * ms;
    } while (total < job->at_least);
    TRY_CUDA(cudaMemcpy(job->C, b.C, (size_t)job->m * (size_t)job->n * sizeof(double),
                        cudaMemcpyDeviceToHost));
    failed = 0;
fail:
    release(&b);
    return failed;
}

struct crowd {
    std::atomic<int> ready{0}, failed{0};
    std::atomic<bool> go{false}, stop{false};
    std::atomic<long> products{0};
};

static void work(crowd *all, int device, mb_naive_job *job, bool first, char *error)
{
    buffers b = {};
    long done = 0;
    size_t bytes = (size_t)job->m * (size_t)job->n * sizeof(double);
    bool right = cudaSetDevice(device) == cudaSuccess && prepare(&b, job, error) == 0 &&
                 multiply(&b, job, error) == 0 && cudaStreamSynchronize(b.stream) == cudaSuccess;
    all->ready++;
    while (!all->go)
        std::this_thread::yield();
    for (; right && !all->stop; done++)
        right = multiply(&b, job, error) == 0 && cudaStreamSynchronize(b.stream) == cudaSuccess;
    all->products += done;
    if (right && first)
        right = cudaMemcpy(job->C, b.C, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    all->failed += !right;
    release(&b);
}

static int naive_threads(int device, mb_naive_job *job, int threads,
                         char error[MB_NAIVE_ERROR_SIZE])
{
    crowd all;
    std::vector<std::thread> list;
    std::vector<std::vector<char>> errors(threads, std::vector<char>(MB_NAIVE_ERROR_SIZE));
    for (int i = 0; i < threads; i++)
        list.emplace_back(work, &all, device, job, i == 0, errors[i].data());
    while (all.ready < threads)
        std::this_thread::yield();
    auto begin = std::chrono::steady_clock::now();
    all.go = true;
    std::this_thread::sleep_for(std::chrono::duration<double>(job->at_least));
    all.stop = true;
    for (auto &thread : list)
        thread.join();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    job->seconds = took.count() / (double)all.products;
    snprintf(error, MB_NAIVE_ERROR_SIZE, "%d threads failed: %.100s", all.failed.load(),
             errors[0].data());
    return all.failed != 0;
}

static int stream(int device, void **made, char error[MB_NAIVE_ERROR_SIZE])
{
    TRY_CUDA(cudaSetDevice(device));
    TRY_CUDA(cudaStreamCreateWithFlags((cudaStream_t *)made, cudaStreamNonBlocking));
    return 0;
fail:
    return 1;
}

static int wait(void *on, char error[MB_NAIVE_ERROR_SIZE])
{
    TRY_CUDA(cudaStreamSynchronize((cudaStream_t)on));
    return 0;
fail:
    return 1;
}

static int copy(int device, size_t bytes, double *rate, char error[MB_NAIVE_ERROR_SIZE])
{
    enum { RUNS = 10 };
    void *from = nullptr, *to = nullptr;
    cudaEvent_t event[RUNS + 1] = {};
    int failed = 1;
    float best = INFINITY;
    TRY_CUDA(cudaSetDevice(device));
    TRY_CUDA(cudaMalloc(&from, bytes));
    TRY_CUDA(cudaMalloc(&to, bytes));
    TRY_CUDA(cudaMemset(from, 1, bytes));
    for (int i = 0; i <= RUNS; i++) {
        TRY_CUDA(cudaEventCreate(&event[i]));
        TRY_CUDA(cudaEventRecord(event[i], nullptr));
        if (i < RUNS)
            TRY_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
    }
    TRY_CUDA(cudaEventSynchronize(event[RUNS]));
    for (int i = 1; i < RUNS; i++) {
        float ms = 0;
        TRY_CUDA(cudaEventElapsedTime(&ms, event[i], event[i + 1]));
        best = fminf(best, ms);
    }
    *rate = 2e3 * (double)bytes / best;
    failed = 0;
fail:
    for (int i = 0; i <= RUNS; i++) {
        if (event[i] != nullptr)
            cudaEventDestroy(event[i]);
    }
    cudaFree(from);
    cudaFree(to);
    return failed;
}

extern "C" __attribute__((visibility("default"))) const mb_cuda_peers *mb_cuda_peers_table()
{
    static const mb_cuda_peers peers = {naive, copy, naive_threads, stream, wait};
    return &peers;
}
