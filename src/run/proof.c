/* SPDX-License-Identifier: BSD-3-Clause */
#include "proof.h"

#include "arena.h"
#include "gemms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Products with fewer operations than this are left to the self-test. */
static const double least_work = (double)((uint64_t)1 << 31);

/* Sums are checked modulo this prime, 2^61 - 1, with one random vector; sums that were reduced mod
 * m, mod m with several, since m may have small factors. */
static const uint64_t prime = ((uint64_t)1 << 61) - 1;
enum { FUSED_COLUMNS = 10 };

/* ---- shapes proved -------------------------------------------------------------------------- */

typedef struct {
    const mb_backend *backend;
    const mb_engine *engine;
    int ordinal;
    int terms;
    mb_element sum; /* residues of one digit, or of two, and long sums are other kernels' ... */
    bool bytes_a;   /* ... as are those of unsigned bytes */
    int64_t m, n, k, ld;
} shape;

enum { MAX_PROVED = 512 };
static shape proved[MAX_PROVED];
static int proved_count;
static pthread_mutex_t proved_lock = PTHREAD_MUTEX_INITIALIZER;

static bool same(const shape *x, const shape *y)
{
    return x->backend == y->backend && x->engine == y->engine && x->ordinal == y->ordinal &&
           x->terms == y->terms && x->sum == y->sum && x->bytes_a == y->bytes_a && x->m == y->m &&
           x->n == y->n && x->k == y->k && x->ld == y->ld;
}

static bool is_proved(const shape *s)
{
    bool found = false;
    pthread_mutex_lock(&proved_lock);
    for (int i = 0; i < proved_count && !found; i++)
        found = same(&proved[i], s);
    pthread_mutex_unlock(&proved_lock);
    return found;
}

/* When the list is full the shape is proved again each time. */
static void keep(const shape *s)
{
    pthread_mutex_lock(&proved_lock);
    if (proved_count < MAX_PROVED)
        proved[proved_count++] = *s;
    pthread_mutex_unlock(&proved_lock);
}

/* ---- one proof -------------------------------------------------------------------------------
 */

typedef struct {
    const mb_plan *plan;
    mb_team team;
    mb_layout layout;
    mb_block a, b;
} proof;

static void *at(const proof *p, mb_region region)
{
    return mb_arena_at(mb_team_memory(&p->team, 0), &p->layout, region, 0, 0);
}

static int64_t rows_of(const proof *p, const mb_block *block)
{
    int64_t line = block->ld * (int64_t)mb_element_size(p->plan->math.engine->in);
    return (int64_t)block->bytes / line;
}

/* The largest operand v with k v^2 <= S that the engine takes on both sides; thin products watch
 * S themselves. */
static uint64_t largest_operand(const mb_arithmetic *math, int64_t k)
{
    const mb_engine *engine = math->engine;
    uint64_t v = engine->most_positive;
    while (!math->thin && mb_bound_longest_k(engine->S, v, v) < k)
        v -= (v + 15) / 16;
    return v;
}

/* Fills a block of planes with random operands: a Hankel matrix, that is a view with strides 1, 1
 * on rows + columns random numbers. */
static modblas_status fill(const proof *p, int operand, const mb_block *block)
{
    modblas_status status = MODBLAS_OK;
    const mb_backend *backend = p->team.device->backend;
    mb_worker *worker = mb_team_worker(&p->team, 0);
    const mb_engine *engine = p->plan->math.engine;
    int64_t rows = rows_of(p, block), count = rows + block->ld;
    uint64_t most = largest_operand(&p->plan->math, block->ld), state = (uint64_t)operand;
    int64_t *pool = malloc((size_t)count * sizeof *pool);
    if (pool == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to prove an engine");
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        pool[i] = (int64_t)((state >> 11) % (2 * most + 1)) - (int64_t)most;
    }
    modblas_matrix src = modblas_row_major(pool, MODBLAS_I64, 1, count, count);
    modblas_matrix dst = modblas_row_major(at(p, MB_REGION_STAGE), MODBLAS_I64, 1, count, count);
    if (backend->upload != NULL)
        MB_TRY(backend->upload(worker, &dst, &src));
    else
        memcpy(dst.data, pool, (size_t)count * sizeof *pool);
    mb_mod mod = mb_mod_make(0);
    mb_entries entries = {.range = {most, most}, .raw = true, .limit = UINT64_MAX};
    mb_cut cut;
    mb_cut_begin(&cut, &mod, &entries);
    mb_cut_whole(&cut);
    dst.rows = rows;
    dst.cols = block->ld;
    dst.row_stride = 1;
    mb_split_job job = {.cut = &cut,
                        .src = dst,
                        .operand = operand,
                        .dst = at(p, operand ? MB_REGION_PLANES_B : MB_REGION_PLANES_A),
                        .type = engine->in,
                        .ld = block->ld,
                        .lines_padded = rows,
                        .k_padded = block->ld};
    MB_TRY(backend->split(worker, &job));
fail:
    free(pool);
    return status;
}

/* y = M x mod N for the thin product's `columns` columns. */
typedef struct {
    const proof *proof;
    int columns;
    uint64_t N;
} thin;

static modblas_status thin_product(const thin *t, const void *data, mb_element element,
                                   int64_t rows, int64_t cols, int64_t row_stride,
                                   int64_t col_stride, const uint64_t *x, uint64_t *y)
{
    modblas_matrix M = modblas_row_major(data, mb_element_type(element), rows, cols, row_stride);
    M.col_stride = col_stride;
    mb_check_job job = {.M = M, .x = x, .y = y, .count = t->columns, .N = t->N};
    const mb_team *team = &t->proof->team;
    return team->device->backend->check(mb_team_worker(team, 0), &job);
}

static int columns_of(const proof *p)
{
    return p->plan->math.fused ? FUSED_COLUMNS : 1;
}

/* y = B_u^T x, or (B_2u + 256 B_2u+1)^T x, for product u of a job; `more` holds room for another
 * y.
 */
static modblas_status thin_of_B(const thin *t, const mb_gemm_job *job, int u, const uint64_t *x,
                                uint64_t *y, uint64_t *more)
{
    modblas_status status = MODBLAS_OK;
    const mb_element in = job->engine->in;
    const int64_t plane = job->stride_b * (int64_t)mb_element_size(in);
    const char *B = (const char *)job->B + u * job->digits * plane;
    MB_TRY(thin_product(t, B, in, job->k, job->n, 1, job->ldb, x, y));
    if (job->digits == 1)
        return MODBLAS_OK;
    MB_TRY(thin_product(t, B + plane, in, job->k, job->n, 1, job->ldb, x, more));
    for (int64_t i = 0; i < job->k * t->columns; i++)
        y[i] = (y[i] + 256 * more[i]) % t->N;
fail:
    return status;
}

/* Compares C x with A (B^T x) for product u of a job. v holds room for x, B^T x twice, A B^T x and
 * C x. */
static modblas_status check_term(const proof *p, const mb_gemm_job *job, int u, uint64_t *v,
                                 bool *right)
{
    modblas_status status = MODBLAS_OK;
    const thin t = {p, columns_of(p), job->moduli != NULL ? job->moduli[u] : prime};
    mb_element in = job->engine->in, sum = mb_plan_sum(&p->plan->math);
    const char *A = (const char *)job->A + u * job->stride_a * (int64_t)mb_element_size(in);
    const char *C = (const char *)job->C + u * job->stride_c * (int64_t)mb_element_size(sum);
    uint64_t *x = v, *bx = x + job->n * t.columns, *abx = bx + 2 * job->k * t.columns;
    uint64_t *cx = abx + job->m * t.columns, state = (uint64_t)u + 1;
    for (int64_t i = 0; i < job->n * t.columns; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        x[i] = (state >> 4) % t.N;
    }
    MB_TRY(thin_of_B(&t, job, u, x, bx, bx + job->k * t.columns));
    MB_TRY(thin_product(&t, A, job->bytes_a ? MB_ELEMENT_U8 : in, job->m, job->k, job->lda, 1, bx,
                        abx));
    MB_TRY(thin_product(&t, C, sum, job->m, job->n, job->thin ? 1 : job->ldc,
                        job->thin ? job->ldc : 1, x, cx));
    *right = *right && memcmp(abx, cx, (size_t)(job->m * t.columns) * sizeof *cx) == 0;
fail:
    return status;
}

static modblas_status run_proof(const proof *p, bool *right)
{
    modblas_status status = MODBLAS_OK;
    const mb_arithmetic *math = &p->plan->math;
    uint32_t faults = 0;
    int64_t size = (p->b.lines + 2 * p->a.ld + 2 * p->a.lines) * columns_of(p);
    uint64_t *v = malloc((size_t)size * sizeof *v);
    if (v == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory to prove an engine");
    MB_TRY(fill(p, 0, &p->a));
    MB_TRY(fill(p, 1, &p->b));
    for (mb_gemm_job job = mb_gemms_first(math, &p->a, &p->b, at(p, MB_REGION_PLANES_A),
                                          at(p, MB_REGION_PLANES_B), at(p, MB_REGION_SUMS));
         job.count > 0; mb_gemms_next(math, &p->a, &job)) {
        MB_TRY(p->team.device->backend->gemm(mb_team_worker(&p->team, 0), &job));
        for (int u = 0; u < job.count; u++)
            MB_TRY(check_term(p, &job, u, v, right));
    }
fail:
    free(v);
    modblas_status waited = mb_team_wait(&p->team, &faults);
    return status == MODBLAS_OK ? waited : status;
}

static void strike_off(modblas_context *context, mb_device *device, const proof *p)
{
    const mb_arithmetic *math = &p->plan->math;
    mb_lock(context);
    if (math->fused)
        device->caps.fuses = false;
    else if (math->thin)
        __atomic_store_n(&device->caps.thins, false, __ATOMIC_RELAXED); /* read without the lock */
    else
        snprintf(device->caps.struck[math->engine_index], MB_REASON_SIZE,
                 "struck off: its product of %" PRId64 " x %" PRId64 " x %" PRId64
                 " is inexact on this device",
                 p->a.lines, p->a.ld, p->b.lines);
    __atomic_fetch_add(&context->strikes, 1, __ATOMIC_RELEASE);
    mb_unlock(context);
}

modblas_status mb_prove_plan(modblas_context *context, mb_device *device, const mb_plan *plan,
                             bool *right)
{
    modblas_status status = MODBLAS_OK;
    const mb_arithmetic *math = &plan->math;
    *right = true;
    if (math->scheme == MODBLAS_SCHEME_PLAIN)
        return MODBLAS_OK;
    proof p = {.plan = plan,
               .a = mb_plan_block(math, 0, plan->tile_m, plan->chunk_k),
               .b = mb_plan_block(math, 1, plan->tile_n, plan->chunk_k)};
    if (math->bytes_a) { /* bytes that stand for the caller's */
        const int64_t align = math->engine->align;
        p.a.ld = mb_round_up(math->digits_a * p.a.k, align);
        p.a.bytes = (uint64_t)p.a.lines * (uint64_t)p.a.ld;
    }
    shape s = {.backend = device->backend,
               .engine = math->engine,
               .ordinal = device->ordinal,
               .terms = math->terms,
               .sum = mb_plan_sum(math),
               .bytes_a = math->bytes_a,
               .m = p.a.lines,
               .n = p.b.lines,
               .k = p.a.k,
               .ld = p.a.ld};
    int64_t pool = rows_of(&p, &p.a) > rows_of(&p, &p.b) ? rows_of(&p, &p.a) : rows_of(&p, &p.b);
    uint64_t region[MB_REGION_COUNT] = {[MB_REGION_PLANES_A] = p.a.bytes,
                                        [MB_REGION_PLANES_B] = p.b.bytes,
                                        [MB_REGION_SUMS] = plan->region[MB_REGION_SUMS],
                                        [MB_REGION_STAGE] =
                                            (uint64_t)(pool + p.a.ld) * sizeof(int64_t)};
    double work = 2.0 * (double)s.m * (double)s.n * (double)s.ld;
    if (work < least_work || is_proved(&s) || mb_region_total(region) > device->caps.memory)
        return MODBLAS_OK;
    p.layout = mb_arena_layout(region);
    MB_TRY(mb_team_take(&p.team, context, device, 1, 0, p.layout.total));
    status = run_proof(&p, right);
    mb_team_give(&p.team);
    if (status == MODBLAS_OK && *right)
        keep(&s);
    else if (status == MODBLAS_OK)
        strike_off(context, device, &p);
fail:
    return status;
}
