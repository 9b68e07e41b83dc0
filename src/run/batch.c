/* SPDX-License-Identifier: BSD-3-Clause */
#include "batch.h"

#include "../plan/batch.h"
#include "operands.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Parts: products of one kernel, gathered until they are launched together. The first is small, so
 * that the device begins early. */
enum { FIRST_TILES = 1024, PART_TILES = 8192, PART_RULES = 1024, KERNELS = 7 };

/* Parts end on one while they run on the other. */
enum { WORKERS = 2 };
static_assert((int)PART_TILES <= (int)MB_BATCH_MOST_TILES, "a part is a job");

typedef struct {
    mb_batch_product *products;
    mb_batch_tile *tiles;
    mb_batch_rule *rules;
    int product_count, tile_count, rule_count;
    int number; /* how many such parts there were */
} part;

/* Rules met lately, by modulus, alpha and types. */
enum { RULES = 256 };
typedef struct {
    uint64_t N, alpha; /* as the caller gave it */
    modblas_type a, b;
    bool known;
    mb_batch_math math;
    mb_batch_rule rule;
    int part, number, index; /* where it lies, if that part is still being gathered */
} rule_slot;

/* Memory known to lie in one place. */
enum { SPANS = 8 };
typedef struct {
    uintptr_t begin, end;
    mb_place place;
    modblas_status status;
} span;

typedef struct {
    const mb_backend *backend;
    mb_team team;
    part part[KERNELS];
    rule_slot rule[RULES];
    span span[SPANS];
    int next_span, next_worker, launches;
} run;

/* ---- places --------------------------------------------------------------------------------- */

/* The bytes of a view, which is checked: the address space holds them. */
typedef struct {
    uintptr_t begin, end;
} extent;

static extent extent_of(const modblas_matrix *M)
{
    const int64_t rows = (M->rows - 1) * M->row_stride, cols = (M->cols - 1) * M->col_stride;
    const int64_t size = (int64_t)mb_type_size(M->type);
    const int64_t first = (rows < 0 ? rows : 0) + (cols < 0 ? cols : 0);
    const int64_t last = (rows > 0 ? rows : 0) + (cols > 0 ? cols : 0);
    return (extent){(uintptr_t)M->data + (uintptr_t)(first * size),
                    (uintptr_t)M->data + (uintptr_t)((last + 1) * size)};
}

static bool meet(extent x, extent y)
{
    return x.begin < y.end && y.begin < x.end;
}

/* True if kernels can read and write what begins at p as it lies. A failure is left to the
 * product. */
static bool is_direct(run *r, uintptr_t p)
{
    for (int i = 0; i < SPANS; i++) {
        const span *s = &r->span[i];
        if (s->begin <= p && p < s->end)
            return s->status == MODBLAS_OK && s->place == MB_PLACE_DIRECT;
    }
    span s;
    s.status =
        r->backend->span(mb_team_worker(&r->team, 0), (const void *)p, &s.begin, &s.end, &s.place);
    if (s.status != MODBLAS_OK)
        return false;
    r->span[r->next_span++ % SPANS] = s;
    return s.place == MB_PLACE_DIRECT;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t N, uint64_t alpha, modblas_type a, modblas_type b)
{
    const uint64_t x = (N ^ alpha << 32 ^ alpha >> 32) * 0x9E3779B97F4A7C15;
    return (x >> 40) + (uint64_t)a * 16 + (uint64_t)b;
}

static rule_slot *find_rule(run *r, uint64_t N, uint64_t alpha, modblas_type a, modblas_type b)
{
    rule_slot *s = &r->rule[hash_of(N, alpha, a, b) % RULES];
    if (s->known && s->N == N && s->alpha == alpha && s->a == a && s->b == b)
        return s;
    *s = (rule_slot){.N = N, .alpha = alpha, .a = a, .b = b, .known = true, .number = -1};
    s->math = mb_batch_math_of(a, b, N);
    const mb_mod mod = mb_mod_make(N);
    s->rule = mb_batch_rule_of(&s->math, N, mb_reduce64(alpha, &mod));
    return s;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Digits of the kernels, and the sizes of entries that they are made for. */
static const struct {
    int digits, size;
} kernel[KERNELS] = {{1, 1}, {1, 0}, {2, 2}, {2, 0}, {4, 4}, {4, 0}, {8, 0}};

static int kernel_of(int digits, size_t size_a, size_t size_b)
{
    int i = 0;
    while (kernel[i].digits != digits)
        i++;
    const bool made = kernel[i].size != 0 && size_a == size_b && (int)size_a == kernel[i].size;
    return kernel[i].size == 0 || made ? i : i + 1;
}

static modblas_status open_part(part *p)
{
    if (p->products != NULL)
        return MODBLAS_OK;
    p->products = malloc(PART_TILES * sizeof *p->products);
    p->tiles = malloc(PART_TILES * sizeof *p->tiles);
    p->rules = malloc(PART_RULES * sizeof *p->rules);
    if (p->products == NULL || p->tiles == NULL || p->rules == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for the parts of a batch");
    return MODBLAS_OK;
}

/* Launches on the workers in turn. */
static modblas_status launch(run *r, int k)
{
    part *p = &r->part[k];
    if (p->tile_count == 0)
        return MODBLAS_OK;
    const mb_batch_job job = {
        .products = p->products,
        .rules = p->rules,
        .tiles = p->tiles,
        .product_count = p->product_count,
        .rule_count = p->rule_count,
        .tile_count = p->tile_count,
        .digits = kernel[k].digits,
        .size = kernel[k].size,
    };
    p->product_count = p->tile_count = p->rule_count = 0;
    p->number++;
    r->launches++;
    r->next_worker = (r->next_worker + 1) % r->team.count;
    return r->backend->batch(mb_team_worker(&r->team, r->next_worker), &job);
}

static int tiles_along(int64_t size, int each)
{
    return (int)((size + each - 1) / each);
}

/* The product of the views, of which C lies by rows if by anything. */
static mb_batch_product product_of(const modblas_matrix *C, const modblas_matrix *A,
                                   const modblas_matrix *B, uint64_t beta, bool swapped)
{
    return (mb_batch_product){
        .data = {A->data, B->data, C->data},
        .row = {A->row_stride, B->col_stride, C->row_stride},
        .col = {A->col_stride, B->row_stride, C->col_stride},
        .beta = beta,
        .m = (int32_t)C->rows,
        .n = (int32_t)C->cols,
        .k = (int32_t)A->cols,
        .type = {(uint8_t)A->type, (uint8_t)B->type, (uint8_t)C->type},
        .swapped = swapped,
    };
}

/* Where the rule lies in the part; room is sure. */
static int place_rule(part *p, int k, rule_slot *s)
{
    if (s->number == p->number && s->part == k)
        return s->index;
    s->part = k;
    s->number = p->number;
    s->index = p->rule_count++;
    p->rules[s->index] = s->rule;
    return s->index;
}

static modblas_status gather(run *r, const mb_batch_product *q, rule_slot *s)
{
    modblas_status status = MODBLAS_OK;
    const int k = kernel_of(s->math.digits, mb_type_size((modblas_type)q->type[0]),
                            mb_type_size((modblas_type)q->type[1]));
    part *p = &r->part[k];
    const int down = tiles_along(q->m, MB_BATCH_TILE);
    const int across = tiles_along(q->n, mb_batch_columns(s->math.digits));
    const int most = r->launches < r->team.count ? FIRST_TILES : PART_TILES;
    MB_TRY(open_part(p));
    if (p->tile_count + down * across > most || p->rule_count == PART_RULES)
        MB_TRY(launch(r, k));
    const uint32_t rule = (uint32_t)place_rule(p, k, s);
    for (int i = 0; i < down; i++)
        for (int j = 0; j < across; j++)
            p->tiles[p->tile_count++] =
                (mb_batch_tile){(uint32_t)p->product_count, rule, (uint16_t)i, (uint16_t)j};
    p->products[p->product_count++] = *q;
fail:
    return status;
}

/* ---- products ------------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Gathers the product if it can be fused. */
static modblas_status consider(run *r, const modblas_product *p, bool *done)
{
    const bool swap = magnitude(p->C.row_stride) < magnitude(p->C.col_stride);
    const modblas_matrix C = swap ? modblas_transpose(p->C) : p->C;
    const modblas_matrix A = swap ? modblas_transpose(p->B) : p->A;
    const modblas_matrix B = swap ? modblas_transpose(p->A) : p->B;
    if (C.rows == 0 || C.cols == 0 || A.cols == 0)
        return MODBLAS_OK;
    rule_slot *s = find_rule(r, p->N, p->alpha, A.type, B.type);
    const extent c = extent_of(&C), x = extent_of(&A), y = extent_of(&B);
    if (s->rule.weight[0] == 0 || !mb_batch_pays(C.rows, C.cols, s->math.digits) ||
        A.cols % r->backend->batch_step != 0 || !mb_batch_is_exact(&s->math, A.cols) ||
        meet(c, x) || meet(c, y) || !is_direct(r, c.begin) || !is_direct(r, x.begin) ||
        !is_direct(r, y.begin))
        return MODBLAS_OK;
    const uint64_t beta = mb_reduce64(p->beta, &s->rule.mod);
    const mb_batch_product q = product_of(&C, &A, &B, beta, swap);
    *done = true;
    return gather(r, &q, s);
}

static void close_run(run *r)
{
    for (int k = 0; k < KERNELS; k++) {
        free(r->part[k].products);
        free(r->part[k].tiles);
        free(r->part[k].rules);
    }
    free(r);
}

static modblas_status judge(uint32_t faults)
{
    const modblas_status status = mb_judge_faults(faults, false);
    if (status == MODBLAS_OK)
        return status;
    char detail[200];
    snprintf(detail, sizeof detail, "%s", modblas_detail());
    return mb_fail(status, "in a product of the batch: %s", detail);
}

modblas_status mb_batch_run(modblas_context *context, mb_device *device,
                            const modblas_product *product, int64_t from, int64_t to, bool *done)
{
    modblas_status status = MODBLAS_OK, waited;
    uint32_t faults = 0;
    if (context->backend->batch == NULL)
        return MODBLAS_OK;
    run *r = calloc(1, sizeof *r);
    if (r == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a batch");
    r->backend = context->backend;
    MB_TRY(mb_team_take(&r->team, context, device, WORKERS, 0, 0));
    for (int64_t i = from; i < to && status == MODBLAS_OK; i++)
        status = done[i] ? MODBLAS_OK : consider(r, &product[i], &done[i]);
    for (int k = 0; k < KERNELS && status == MODBLAS_OK; k++)
        status = launch(r, k);
    waited = mb_team_wait(&r->team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    mb_team_give(&r->team);
    status = status == MODBLAS_OK ? judge(faults) : status;
fail:
    close_run(r);
    return status;
}
