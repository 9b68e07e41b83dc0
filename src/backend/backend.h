/* SPDX-License-Identifier: BSD-3-Clause */
/* A backend is a table of functions that do the steps of a product on a worker. Jobs of one worker
 * happen in the order of the calls. On a synchronous backend a job is done when its call returns;
 * on others it is only ordered, and `wait` waits. All functions return a status with a detail
 * (mb_fail); a worker serves one host thread at a time, different workers any threads at once. */
#ifndef MB_BACKEND_H
#define MB_BACKEND_H

#include "../../kernels/batch.h"
#include "../exact/bound.h"
#include "../status.h"

enum { MB_MAX_ENGINES = 3 };

typedef struct mb_worker mb_worker; /* each backend's own */
typedef struct mb_replay mb_replay; /* jobs that were recorded; each backend's own */

/* Where an operand lies, as seen by one device. */
typedef enum mb_place {
    MB_PLACE_DIRECT, /* kernels can read and write it as it lies */
    MB_PLACE_STAGED  /* host memory that must be uploaded and downloaded */
} mb_place;

/* Cut one operand into planes. Line l is a row of A or a column of B; entry (l, j) of src is
 * src.data[l*row_stride + j*col_stride], with src.rows lines of src.cols entries along k.
 *
 * Element (l, j) of plane i of fold t goes to
 *     dst + t*fold_stride + i*plane_stride + l*ld + j           (in elements of type `type`)
 * for 0 <= l < lines_padded, 0 <= j < k_padded; places outside src are set to 0. Where type is I8,
 * dst is aligned to 16 bytes, and ld, both strides and k_padded are multiples of 16.
 *
 * If interleaved, all folds of an entry lie side by side, at dst + i*plane_stride + l*ld +
 * j*folds + t; lines_padded and k_padded are the sizes of src then, and folds are 1, 2, 4 or 8. */
typedef struct mb_split_job {
    const mb_cut *cut;
    modblas_matrix src;
    int operand; /* 0 for A, 1 for B: which bits of a fault to set */
    void *dst;
    mb_element type; /* I8, F32 or F64 */
    int64_t ld, plane_stride, fold_stride;
    int64_t lines_padded, k_padded;
    bool interleaved;
} mb_split_job;

/* `count` products of the same shape, C_i <- A_i * B_i^T over the integers:
 *     C[i*stride_c + r*ldc + c] = sum_{j<k} A[i*stride_a + r*lda + j] * B[i*stride_b + c*ldb + j]
 * for r < m, c < n; strides in elements, 0 allowed for A and B. Every size and leading dimension
 * is a multiple of the engine's align; every base pointer is aligned to 16 bytes at least. Exact
 * if |every partial sum| <= engine->S. */
typedef struct mb_gemm_job {
    const mb_engine *engine;
    int64_t m, n, k;
    const void *A, *B;
    void *C;
    int64_t lda, ldb, ldc;
    int64_t stride_a, stride_b, stride_c;
    int count;
    int term; /* the caller's: which terms of a plan these are */
    /* NULL; or, where the backend fuses, the modulus of each product: C then holds the sums mod
     * it, in [0, m): bytes, 2 <= m <= 256, where digits is 1. Where digits is 2, C_i holds the
     * sums of A_i B_2i^T + 256 A_i B_2i+1^T mod m in two bytes each, 512 < m <= 65536. m may be
     * any size; n residues, ldc, stride_c and C itself are multiples of 16 bytes. */
    const uint32_t *moduli;
    int digits;
    /* Where the backend thins: C holds int64 sums of any length, the lines of its transpose: that
     * of A's line r and B's line c at C[i*stride_c + c*ldc + r]. A is the same for all products,
     * unsigned bytes if bytes_a; B_i+1 lies n lines after B_i; n*count <= MB_THIN_COLUMNS; sums of
     * longest_k products fit 32 bits, longest_k >= 128; lda, ldb, A and B are multiples of 16
     * bytes, m, n and k any size. */
    bool thin, bytes_a;
    int64_t longest_k;
} mb_gemm_job;

/* Join planes of sums to residues, add what is to be added, and store:
 *     r = join(acc planes)                          (0 if join is NULL)
 *     r += carry                                    (if add_carry)
 *     to_carry:  carry <- r                         (residues as uint64, leading dimension
 * carry_ld) else:      C <- r + beta*C                    (C is not read if beta is 0; beta is a
 * residue) */
typedef struct mb_join_job {
    const mb_join *join;
    const mb_mod *mod;  /* the modulus, also when join is NULL */
    double float_limit; /* for entries of C, as in mb_cut */
    const void *acc;
    mb_element acc_type; /* I32, F32 or F64; U8 or U16, as join.reduced says */
    int64_t acc_ld, acc_plane_stride;
    int64_t rows, cols;
    uint64_t *carry;
    int64_t carry_ld;
    bool add_carry, to_carry;
    modblas_matrix C; /* rows x cols */
    uint64_t beta;
} mb_join_job;

/* C <- alpha*A*B + beta*C mod N in one go, without planes. The sums hold k products
 * (src/exact/bound.h). If overlap, A and B are read before C is written. Space, in words of 8
 * bytes, aligned to 64 bytes; M and N are m and n rounded up to multiples of MB_PLAIN_ROWS and
 * MB_PLAIN_COLS, and M' = min(M, MB_PLAIN_LINES), or MB_PLAIN_FEW_LINES if n <= MB_PLAIN_FEW:
 *     space_a: min(k, MB_PLAIN_DEPTH) * M', three times as many if sums are DIGITS
 *     space_b: k * N, three times as many if sums are DIGITS
 *     space_c: (M if overlap, else M') * N */
enum { MB_PLAIN_ROWS = 4, MB_PLAIN_COLS = 8, MB_PLAIN_LINES = 128 };
enum { MB_PLAIN_FEW = 4, MB_PLAIN_FEW_LINES = 1024 };
typedef struct mb_plain_job {
    mb_sums sums;
    mb_fold fold;        /* of sums of kind I64 */
    bool turned;         /* A and B are the product's B and A: so are their faults */
    const mb_cut *a, *b; /* how entries enter: planes and folds are not used */
    modblas_matrix C, A, B;
    bool overlap;
    uint64_t alpha, beta; /* residues */
    void *space_a, *space_b, *space_c;
} mb_plain_job;

/* y[i*count + r] = sum_j M[i][j] * x[j*count + r] mod N for i < M.rows, r < count: the thin
 * product of the check. x and y are residues in host memory, whatever M's place. Shares no
 * arithmetic with the product. With `residues` row i of y holds N, which is no residue, in its
 * first place if a row of M holds anything but residues as its type stores them. */
typedef struct mb_check_job {
    modblas_matrix M;
    const uint64_t *x;
    uint64_t *y;
    int count;
    bool residues;
    uint64_t N;
} mb_check_job;

/* Tiles of products of a batch (kernels/batch.h), all of `digits` digits; the arrays may change
 * once the call returns. All operands are in DIRECT places, no C overlaps anything else. size:
 * bytes of all entries of A and B, or 0 if they differ. At most MB_BATCH_MOST_TILES tiles and as
 * many products. */
enum { MB_BATCH_MOST_TILES = 16384 };
typedef struct mb_batch_job {
    const mb_batch_product *products;
    const mb_batch_rule *rules;
    const mb_batch_tile *tiles;
    int product_count, rule_count, tile_count;
    int digits;
    int size;
} mb_batch_job;

/* What planning needs to know of a device's speed. */
typedef struct mb_rates {
    double gemm[MB_MAX_ENGINES]; /* operations a second of one worker, as backend.engine[] */
    double knee_i8;              /* side of i8 tiles that reach half of that; 0: as others */
    double fused;                /* ... of GEMMs that leave residues, where the backend fuses */
    int fused_units;             /* of these, blocks of MB_FUSED_TILE^2 sums done at a time */
    double bytes;                /* bytes a second (read + written) of split and join */
    double launch;               /* seconds that each job costs */
    double plain[MB_SUMS_COUNT]; /* operations a second of plain jobs; 0 if there are none */
} mb_rates;

/* Sides of a block of sums that a unit of the fused kernel does at once. */
enum { MB_FUSED_TILE = 256 };

/* Lines of B that a thin job takes. */
enum { MB_THIN_COLUMNS = 256 };

typedef struct mb_backend {
    const char *name;
    modblas_backend id;
    bool synchronous; /* jobs are done on return, so workers need threads of their own */
    const mb_engine *engine[MB_MAX_ENGINES]; /* NULL-terminated if fewer */

    /* Number of usable devices; 0 with a detail that says why there is none. */
    int (*device_count)(void);
    modblas_status (*device_info)(int device, modblas_device_info *info);
    /* Default number of workers on a device. */
    int (*default_workers)(int device);
    void (*rates)(int device, mb_rates *rates);
    /* True if gemm takes i8 jobs with moduli on the device; thin jobs. NULL if it never does. */
    bool (*fuses)(int device);
    bool (*thins)(int device);

    /* A worker on a device: on cuda a stream, a cuBLAS handle with its own workspace, pinned
     * staging buffers made when first needed. */
    modblas_status (*worker_create)(mb_worker **worker, int device);
    void (*worker_destroy)(mb_worker *worker); /* NULL allowed; waits for the worker's jobs */

    /* Workspace memory, at least 256-byte aligned; ordered like a job. free accepts NULL. */
    modblas_status (*alloc)(mb_worker *worker, void **pointer, size_t bytes);
    void (*free)(mb_worker *worker, void *pointer);

    /* Where the memory that a view touches lies. EINVAL for another device's memory. */
    modblas_status (*locate)(mb_worker *worker, const modblas_matrix *view, mb_place *place);

    modblas_status (*split)(mb_worker *worker, const mb_split_job *job);
    modblas_status (*gemm)(mb_worker *worker, const mb_gemm_job *job);
    modblas_status (*join)(mb_worker *worker, const mb_join_job *job);

    /* NULL where rates.plain is 0. */
    modblas_status (*plain)(mb_worker *worker, const mb_plain_job *job);

    /* Both NULL where products are not fused. span: the memory [begin, end) around p that lies in
     * the same place; EINVAL as for locate. */
    modblas_status (*batch)(mb_worker *worker, const mb_batch_job *job);
    int batch_step; /* k of its products is a multiple of this */
    modblas_status (*span)(mb_worker *worker, const void *p, uintptr_t *begin, uintptr_t *end,
                           mb_place *place);

    /* Copy between a staged view in host memory and a view of equal sizes and type in workspace
     * memory that is dense in one of its two orders. upload returns when src may be changed;
     * download when dst is written. NULL on backends where every place is direct. */
    modblas_status (*upload)(mb_worker *worker, const modblas_matrix *dst,
                             const modblas_matrix *src);
    modblas_status (*download)(mb_worker *worker, const modblas_matrix *dst,
                               const modblas_matrix *src);

    /* Later jobs of `worker` start after everything ordered on `other` so far. */
    modblas_status (*after)(mb_worker *worker, mb_worker *other);

    /* Waits for the worker's jobs; ORs the faults of entries met since the last wait into *faults.
     */
    modblas_status (*wait)(mb_worker *worker, uint32_t *faults);

    /* NULL on backends that take no order from a caller's stream and record nothing. */
    const struct mb_streams *streams;

    modblas_status (*check)(mb_worker *worker, const mb_check_job *job);

    /* Time stamps for traces: mark orders a stamp (slot in [0, MB_MAX_STAMPS)), stamp reads it
     * after wait, in seconds since the first `epoch` of the process. */
    modblas_status (*mark)(mb_worker *worker, int slot);
    modblas_status (*stamp)(mb_worker *worker, int slot, double *seconds);
} mb_backend;

enum { MB_MAX_STAMPS = 4096 };

/* Whose bits the faults of a worker's jobs set: wait reports and clears those of its own calls;
 * the others are kept for mb_streams.faults, those of swapped products apart. */
typedef enum mb_blame { MB_BLAME_CALL, MB_BLAME_ORDER, MB_BLAME_SWAPPED, MB_BLAMES } mb_blame;

/* Work on a caller's stream, and jobs that are recorded once and replayed. */
typedef struct mb_streams {
    /* Whether a capture is under way; if none is, a number that no other stream of the process has
     * had. */
    modblas_status (*identify)(mb_worker *worker, void *stream, uint64_t *id, bool *captured);

    /* The worker's later jobs start after what is on the stream (enter), and later work on the
     * stream after the worker's jobs (leave). If the stream is captured, so are the jobs between
     * the two: they use the worker's memory whenever that graph runs. */
    modblas_status (*enter)(mb_worker *worker, void *stream);
    modblas_status (*leave)(mb_worker *worker, void *stream);

    /* Jobs ordered from now on set bits of this kind. */
    void (*blame)(mb_worker *worker, mb_blame blame);

    /* Takes the bits of a kind, which is not CALL; any thread may, at any time. Those of jobs
     * that are not done may be missing, and bits that they set at that moment may come twice. */
    uint32_t (*faults)(mb_worker *worker, mb_blame blame);

    /* Jobs of the worker between begin and end are not done but recorded: *replay is NULL, and
     * made. Or it is of this worker, and jobs whose arguments differ from those recorded replace
     * them. end says in *stale if they are others altogether: *replay is then of no use, like
     * after a failure, which `failed` tells. A NULL *replay after end needs no free. */
    modblas_status (*begin)(mb_worker *worker, mb_replay **replay);
    modblas_status (*end)(mb_worker *worker, mb_replay **replay, bool failed, bool *stale);
    /* Orders the recorded jobs on the stream, or if own, on the worker's. */
    modblas_status (*launch)(mb_worker *worker, mb_replay *replay, void *stream, bool own);
    void (*drop)(mb_worker *worker, mb_replay *replay); /* NULL allowed; its launches are done */

    /* mark notes the end of what is on the stream; done says whether that is reached, after
     * waiting for it if asked to. */
    modblas_status (*mark)(mb_worker *worker, void *stream);
    modblas_status (*done)(mb_worker *worker, bool wait, bool *done);
} mb_streams;

/* The host backend; always there. */
const mb_backend *mb_backend_host(void);

/* The CUDA backend, from the module libmodblas_cuda.so, opened once per process; NULL if it cannot
 * be used, with the reason in *reason. */
const mb_backend *mb_backend_cuda(const char **reason);

/* What the module exports under the name MB_CUDA_ENTRY: `abi` must equal MB_BACKEND_ABI, else
 * NULL; `report` keeps a detail in the calling library. */
typedef void mb_report_fn(modblas_status status, const char *sentence);
typedef const mb_backend *mb_cuda_entry_fn(int abi, mb_report_fn *report);
#define MB_CUDA_ENTRY "mb_cuda_module"
enum { MB_BACKEND_ABI = 4 };

#endif
