/* SPDX-License-Identifier: BSD-3-Clause */
/* modblas: dense matrix products exactly modulo N, for every N from 1 to 2^64.
 *
 *     C <- alpha*A*B + beta*C  mod N          A: m x k,  B: k x n,  C: m x n
 *
 * Every product is split into plain GEMMs that cannot lose a bit (INT8 with INT32 sums, FP64,
 * FP32), and put together again modulo N. The answer is exact, or a status says why there is none.
 *
 * Conventions
 *   - N = 2^64 is written 0. Residues are in [0, N).
 *   - Argument order: context or plan, outputs, inputs, scalars.
 *   - A matrix is a view: data, type, sizes and two signed strides in elements. Windows,
 *     transposes and column-major storage are strides, not flags. A, B and C may be of different
 *     types. Data is aligned to its entries.
 *   - Data may lie in host memory, in pinned host memory or in device memory; which is found out
 *     per operand. Device memory needs a context on that device.
 *   - Entries are any integers of their type; they are reduced on the way in. Entries of floating
 *     types must be integers of magnitude at most 2^53; anything else is MODBLAS_ENOTINT.
 *   - Inputs are only read. C may overlap A or B: the result is as if it did not.
 *   - After a failure C holds unspecified values inside its window and is untouched outside it.
 *   - Every function that can fail returns a modblas_status; modblas_detail() has a sentence about
 *     the last failure of the calling thread. Nothing is printed, nothing aborts.
 *   - A context may be used by any number of threads at once; so may a plan. Creating and
 *     destroying one object is for one thread. A plan must be destroyed before its context. A
 *     child of fork must not use its parent's contexts, nor destroy them. Threads of the library
 *     are made when they are first needed, belong to a context, take no signals, and end with it.
 *   - A call needs a stack of 256 KiB.
 */
#ifndef MODBLAS_H
#define MODBLAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MODBLAS_VERSION_MAJOR 0
#define MODBLAS_VERSION_MINOR 1
#define MODBLAS_VERSION_PATCH 0
#define MODBLAS_VERSION "0.1.0"

#if defined(__GNUC__)
#define MODBLAS_API __attribute__((visibility("default")))
#else
#define MODBLAS_API
#endif

/* X(name, value, text) for every status. */
#define MODBLAS_STATUS_MAP(X)                                                                     \
    X(OK, 0, "success")                                                                           \
    X(EINVAL, 1, "an argument is invalid")                                                        \
    X(ENOMEM, 2, "memory could not be allocated")                                                 \
    X(ENOPLAN, 3, "no exact plan fits the problem, the engines and the memory budget")            \
    X(ENOTINT, 4, "an entry is not an integer of magnitude at most 2^53")                         \
    X(EBOUND, 5, "an entry exceeds the bound the caller stated")                                  \
    X(EDEVICE, 6, "a device, its driver or a library on it failed")                               \
    X(EUNAVAILABLE, 7, "not available in this build or on this machine")                          \
    X(EVERIFY, 8, "the product failed its check")                                                 \
    X(EINTERNAL, 9, "an internal invariant does not hold")

typedef enum modblas_status {
#define MODBLAS_STATUS_ENUM(name, value, text) MODBLAS_##name = value,
    MODBLAS_STATUS_MAP(MODBLAS_STATUS_ENUM)
#undef MODBLAS_STATUS_ENUM
} modblas_status;

/* X(name, C type) for every entry type. */
#define MODBLAS_TYPE_MAP(X)                                                                       \
    X(U8, uint8_t)                                                                                \
    X(U16, uint16_t)                                                                              \
    X(U32, uint32_t)                                                                              \
    X(U64, uint64_t)                                                                              \
    X(I8, int8_t)                                                                                 \
    X(I16, int16_t)                                                                               \
    X(I32, int32_t)                                                                               \
    X(I64, int64_t)                                                                               \
    X(F32, float)                                                                                 \
    X(F64, double)

typedef enum modblas_type {
#define MODBLAS_TYPE_ENUM(name, ctype) MODBLAS_##name,
    MODBLAS_TYPE_MAP(MODBLAS_TYPE_ENUM)
#undef MODBLAS_TYPE_ENUM
} modblas_type;

typedef enum modblas_backend {
    MODBLAS_BACKEND_AUTO,
    MODBLAS_BACKEND_HOST,
    MODBLAS_BACKEND_CUDA
} modblas_backend;

typedef enum modblas_scheme {
    MODBLAS_SCHEME_AUTO,
    MODBLAS_SCHEME_DIRECT, /* balanced operands fit the engine; with F64 this is Algorithm 1 of
                              Berthomieu et al. 2023 */
    MODBLAS_SCHEME_SPLIT,  /* balanced digits (multiword) */
    MODBLAS_SCHEME_RNS,    /* one GEMM per coprime modulus, Chinese remainder theorem */
    MODBLAS_SCHEME_PLAIN   /* residues as machine words, one loop in the cache: small products on
                              the host; has no engine, no tiles and no chunks */
} modblas_scheme;

typedef enum modblas_engine {
    MODBLAS_ENGINE_AUTO,
    MODBLAS_ENGINE_I8,
    MODBLAS_ENGINE_F64,
    MODBLAS_ENGINE_F32
} modblas_engine;

typedef enum modblas_verify {
    MODBLAS_VERIFY_OFF,
    MODBLAS_VERIFY_FREIVALDS /* after each product; misses a wrong one with probability below 2^-40
                              */
} modblas_verify;

/* A view of rows x cols entries: entry (i, j) is data[i*row_stride + j*col_stride]. An input's
 * data is only read. Sizes are not negative; strides count elements and may be negative or, for
 * inputs, 0. */
typedef struct modblas_matrix {
    void *data;
    modblas_type type;
    int64_t rows, cols;
    int64_t row_stride, col_stride;
} modblas_matrix;

typedef struct modblas_context modblas_context;
typedef struct modblas_plan modblas_plan;
typedef struct modblas_packed modblas_packed;

/* ---- status, version, devices ------------------------------------------------------------- */

MODBLAS_API const char *modblas_version(void);

/* One line about a status; never NULL. */
MODBLAS_API const char *modblas_status_text(modblas_status status);

/* The sentence about the calling thread's last failure: what was wrong, where, what is allowed.
 * Empty before the first. Valid until the thread's next call. */
MODBLAS_API const char *modblas_detail(void);

typedef struct modblas_device_info {
    modblas_backend backend;
    int device; /* ordinal within its backend */
    char name[128];
    char libraries[128];   /* versions of what does the GEMMs */
    uint64_t memory_total; /* bytes */
    uint64_t memory_free;
} modblas_device_info;

/* Writes up to `capacity` devices to list (which may be NULL if capacity is 0) and their number to
 * *count. The host is always among them, last. */
MODBLAS_API modblas_status modblas_device_list(modblas_device_info *list, int capacity,
                                               int *count);

/* ---- contexts ----------------------------------------------------------------------------- */

typedef struct modblas_options {
    size_t size;             /* set by modblas_options_init */
    modblas_backend backend; /* AUTO: CUDA if a device can be used, else the host */
    const int *devices;      /* ordinals of CUDA devices; NULL: the first */
    int device_count;
    /* Per device, 1 to 64. 0: on the host the usable cores; on a GPU one call uses 2 at most, and
     * there are as many (up to 64, each with a stream and 34 MB of its own besides its workspace)
     * as calls and streams were under way at once. */
    int workers;
    uint64_t memory; /* bytes of workspace per device; 0: half of what is free at creation */
    modblas_verify verify;
} modblas_options;

MODBLAS_API void modblas_options_init(modblas_options *options);

/* options may be NULL. Fails with EUNAVAILABLE where the backend named cannot be used here. */
MODBLAS_API modblas_status modblas_context_create(modblas_context **context,
                                                  const modblas_options *options);

/* NULL is allowed. No call on the context may be running. */
MODBLAS_API void modblas_context_destroy(modblas_context *context);

/* The context in words: backend, devices, workers, budget, engines and why any was struck off.
 * At most `size` bytes are written, with a final 0; *needed (may be NULL) is the size for all of
 * it. */
MODBLAS_API modblas_status modblas_context_text(const modblas_context *context, char *text,
                                                size_t size, size_t *needed);

/* ---- products ----------------------------------------------------------------------------- */

/* C <- alpha*A*B + beta*C mod N. alpha and beta are any uint64_t, reduced mod N; for -1 pass N - 1
 * (UINT64_MAX mod 2^64). A and B are not read if alpha is 0 mod N, nor C if beta is. C's type must
 * hold N - 1; for N = 2^w the w-bit signed type holds residues in two's complement (so N = 2^64 on
 * I64 is the product every integer language has). F32 holds N <= 2^24 + 1, F64 N <= 2^53 + 1. m, n
 * or k may be 0. */
MODBLAS_API modblas_status modblas_gemm(modblas_context *context, const modblas_matrix *C,
                                        const modblas_matrix *A, const modblas_matrix *B,
                                        uint64_t alpha, uint64_t beta, uint64_t N);

/* C <- A*B mod N for row-major uint64_t: A is m x k with rows lda apart, B is k x n (ldb), C is m
 * x n (ldc). */
MODBLAS_API modblas_status modblas_matmul(modblas_context *context, uint64_t *C, int64_t ldc,
                                          const uint64_t *A, int64_t lda, const uint64_t *B,
                                          int64_t ldb, int64_t m, int64_t n, int64_t k,
                                          uint64_t N);

/* ---- plans -------------------------------------------------------------------------------- */

typedef struct modblas_problem {
    int64_t m, n, k;
    modblas_type c, a, b;
    uint64_t N;
} modblas_problem;

typedef struct modblas_plan_options {
    size_t size; /* set by modblas_plan_options_init */
    /* A scheme or engine other than AUTO is used, or refused with the reason. */
    modblas_scheme scheme;
    modblas_engine engine;
    /* The caller's word that |entry| <= bound for all of A, and of B, as stored; 0: none given. An
     * entry beyond it makes the run fail with EBOUND. */
    uint64_t bound_a;
    uint64_t bound_b;
    int64_t tile_m; /* sizes of the tiles of C and of the chunks of k; 0: the planner's choice */
    int64_t tile_n;
    int64_t chunk_k;
    /* An operand that was packed: NULL takes its place in modblas_plan_run. Its side, sizes, type
     * and N are the problem's; scheme, engine, its bound, tiles and chunks are left out. */
    const modblas_packed *packed;
} modblas_plan_options;

MODBLAS_API void modblas_plan_options_init(modblas_plan_options *options);

/* Makes a plan; options may be NULL. ENOPLAN if no exact plan fits, with the reasons as detail. */
MODBLAS_API modblas_status modblas_plan_create(modblas_context *context, modblas_plan **plan,
                                               const modblas_problem *problem,
                                               const modblas_plan_options *options);

/* NULL is allowed. Waits for what was ordered on streams by the plan. */
MODBLAS_API void modblas_plan_destroy(modblas_plan *plan);

/* As modblas_gemm, for views of the sizes and types the plan was made for, and NULL for an operand
 * that was packed. On a GPU the second run
 * of a small product records its kernels as a CUDA graph, and later ones replay it, with whatever
 * operands. */
MODBLAS_API modblas_status modblas_plan_run(modblas_plan *plan, const modblas_matrix *C,
                                            const modblas_matrix *A, const modblas_matrix *B,
                                            uint64_t alpha, uint64_t beta);

/* The same on a caller's stream: `stream` is a cudaStream_t, NULL the legacy default stream, and
 * the operands lie in device memory. Returns when the product is ordered; the device is not waited
 * for, except the first time, if the plan's engine must be proved at this size, and where
 * workspace is short. What is on the stream before is done before, what comes later sees C.
 * Entries that are not integers, or beyond a bound, are reported by modblas_context_status.
 *
 * If the stream is being captured, so is the product, with these operands; it can be launched
 * until the plan is destroyed, and keeps a worker and workspace of its own so long. Destroy the
 * plan when no such graph runs or is captured. Nothing that the library does breaks a capture in
 * another thread.
 *
 * On the host backend `stream` is not looked at: this is modblas_plan_run, which returns what is
 * wrong itself. Elsewhere EUNAVAILABLE on a context that checks each product. */
MODBLAS_API modblas_status modblas_plan_order(modblas_plan *plan, void *stream,
                                              const modblas_matrix *C, const modblas_matrix *A,
                                              const modblas_matrix *B, uint64_t alpha,
                                              uint64_t beta);

/* ENOTINT or EBOUND if a product that was ordered on a stream met such an entry since the last
 * call; OK if none did that is done: synchronise with the stream first. Does not wait. */
MODBLAS_API modblas_status modblas_context_status(modblas_context *context);

/* The plan in words: scheme, engine, bounds, chunks, tiles, bytes, and why each other candidate
 * lost. Sizes as for modblas_context_text. */
MODBLAS_API modblas_status modblas_plan_text(const modblas_plan *plan, char *text, size_t size,
                                             size_t *needed);

/* ---- batches ------------------------------------------------------------------------------ */

/* C <- alpha*A*B + beta*C mod N, as in modblas_gemm. */
typedef struct modblas_product {
    modblas_matrix C, A, B;
    uint64_t alpha, beta, N;
} modblas_product;

/* `count` products, each with sizes, types, places and a modulus of its own, in any order and
 * concurrently: small ones on a GPU are fused into few launches, the others run on all workers.
 * All are checked before any runs; the detail names a product by its index, or, of entries in
 * fused products, the operand alone. product may be NULL if count is 0.
 *
 * No C may share memory with another product's C, A or B (EINVAL). Whether two views do is decided
 * by their first and last byte or, where both are lines of neighbours and the lines of both are
 * the same distance apart, exactly: windows side by side in one matrix are fine. A C may overlap
 * its own A or B. After a failure every C holds unspecified values inside its window. */
MODBLAS_API modblas_status modblas_gemm_batch(modblas_context *context,
                                              const modblas_product *product, int64_t count);

/* ---- graphs of products ------------------------------------------------------------------- */

/* Sets of products: those of a set are independent of each other and run side by side; the next
 * set starts when all of the set before are done. On a GPU the whole is one CUDA graph with
 * parallel branches, which is captured by the first run and launched by each; on the host a set's
 * products are spread over the workers. */
typedef struct modblas_graph modblas_graph;

/* One graph is for one thread at a time; it is destroyed before its plans. */
MODBLAS_API modblas_status modblas_graph_create(modblas_context *context, modblas_graph **graph);

/* NULL is allowed. Waits for what was ordered. */
MODBLAS_API void modblas_graph_destroy(modblas_graph *graph);

/* Adds a product to the current set, as modblas_plan_run would run it. The plan is of the graph's
 * context; operands are not looked at before the graph runs, and on a GPU lie in device memory. C
 * is no operand of another product of the set: nothing checks that. */
MODBLAS_API modblas_status modblas_graph_add(modblas_graph *graph, modblas_plan *plan,
                                             const modblas_matrix *C, const modblas_matrix *A,
                                             const modblas_matrix *B, uint64_t alpha,
                                             uint64_t beta);

/* Ends the current set: products added later start after all added before. */
MODBLAS_API modblas_status modblas_graph_join(modblas_graph *graph);

/* Runs all sets and waits for them. On a context that checks each product they run one by one. */
MODBLAS_API modblas_status modblas_graph_run(modblas_graph *graph);

/* Orders all sets on a caller's stream, as modblas_plan_order does one product; the stream is not
 * being captured. */
MODBLAS_API modblas_status modblas_graph_order(modblas_graph *graph, void *stream);

/* ---- packed operands ----------------------------------------------------------------------- */

/* An operand that is used many times is split and laid out once. On the host, where many products
 * are plain, and are not when packed, that may cost more than it saves: measure both. A packed
 * operand holds a copy, in memory of the device that is not part of the budget, and serves any
 * number of threads. */
typedef enum modblas_side { MODBLAS_SIDE_A, MODBLAS_SIDE_B } modblas_side;

typedef struct modblas_pack_options {
    size_t size; /* set by modblas_pack_options_init */
    /* Columns of the products that it is packed for (rows of C, for side B); 0: up to 64, the
     * block iterations of Krylov methods. Others work, too, but may be slower. At most 2^30. */
    int64_t width;
    /* The caller's word that |entry| <= bound, as stored, for the packed operand, and for all
     * others that it is multiplied with; an entry beyond it is EBOUND. A plan with the packed
     * operand must state a bound of the other that is no larger. 0: none given. Bounds below N/2
     * save time. */
    uint64_t bound;
    uint64_t other_bound;
    /* A scheme (not PLAIN) or engine other than AUTO is used, or refused with the reason. */
    modblas_scheme scheme;
    modblas_engine engine;
} modblas_pack_options;

MODBLAS_API void modblas_pack_options_init(modblas_pack_options *options);

/* Packs X, the A (m x k) or the B (k x n) of products mod N; options may be NULL. X may change or
 * go when this returns. Products with it need workspace for all of the other operand's planes at
 * once, so that one that modblas_gemm can do in little memory may be ENOPLAN; so is every one if
 * the kernels it was packed for are found to be wrong on the device: pack again then. EUNAVAILABLE
 * if the context verifies its products: the check needs the operand itself. */
MODBLAS_API modblas_status modblas_pack(modblas_context *context, modblas_packed **packed,
                                        const modblas_matrix *X, modblas_side side, uint64_t N,
                                        const modblas_pack_options *options);

/* NULL is allowed. No product with it may be under way; plans made with it are not run any more.
 * Before its context is destroyed. */
MODBLAS_API void modblas_packed_destroy(modblas_packed *packed);

/* C <- alpha*P*X + beta*C for a P that was packed as A, alpha*X*P + beta*C for one packed as B,
 * mod the N it was packed for, as modblas_gemm. EINVAL if `side` is not that of P. */
MODBLAS_API modblas_status modblas_gemm_packed(const modblas_packed *packed, modblas_side side,
                                               const modblas_matrix *C, const modblas_matrix *X,
                                               uint64_t alpha, uint64_t beta);

/* What was packed, how, and in how many bytes. Sizes as for modblas_context_text. */
MODBLAS_API modblas_status modblas_packed_text(const modblas_packed *packed, char *text,
                                               size_t size, size_t *needed);

/* ---- views -------------------------------------------------------------------------------- */

/* A row-major view: rows ld elements apart. */
static inline modblas_matrix modblas_row_major(const void *data, modblas_type type, int64_t rows,
                                               int64_t cols, int64_t ld)
{
    modblas_matrix view;
    view.data = (void *)(uintptr_t)data;
    view.type = type;
    view.rows = rows;
    view.cols = cols;
    view.row_stride = ld;
    view.col_stride = 1;
    return view;
}

/* The transpose of a view, on the same data. */
static inline modblas_matrix modblas_transpose(modblas_matrix view)
{
    modblas_matrix t = view;
    t.rows = view.cols;
    t.cols = view.rows;
    t.row_stride = view.col_stride;
    t.col_stride = view.row_stride;
    return t;
}

/* A column-major view: columns ld elements apart. */
static inline modblas_matrix modblas_column_major(const void *data, modblas_type type,
                                                  int64_t rows, int64_t cols, int64_t ld)
{
    return modblas_transpose(modblas_row_major(data, type, cols, rows, ld));
}

#ifdef __cplusplus
}
#endif

#endif
