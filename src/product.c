/* SPDX-License-Identifier: BSD-3-Clause */
#include "product.h"

#include "packed.h"
#include "run/freivalds.h"
#include "run/operands.h"
#include "run/proof.h"

/* The product of the transposes. */
static modblas_plan_options swapped(const modblas_plan_options *o)
{
    modblas_plan_options s = *o;
    s.bound_a = o->bound_b;
    s.bound_b = o->bound_a;
    s.tile_m = o->tile_n;
    s.tile_n = o->tile_m;
    return s;
}

static uint64_t distance(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

static const mb_packing *packing_of(const modblas_plan_options *options)
{
    return options->packed != NULL ? &options->packed->packing : NULL;
}

/* A checked product as it will be run: perhaps that of the transposes. */
typedef struct {
    modblas_context *context;
    mb_operands o;
    mb_request request;
} product;

/* Whether rows of C are contiguous, if anything is, only in the transposed product. */
static bool lies_across(const modblas_matrix *C)
{
    return distance(C->row_stride) < distance(C->col_stride);
}

/* Whether the transposed product is computed: the one whose A was packed, or the one with fewer
 * columns if it is thin, or the one that suits C. */
static bool is_transposed(const modblas_context *context, const modblas_plan_options *options,
                          const modblas_matrix *C)
{
    if (options->packed != NULL)
        return options->packed->packing.side == MODBLAS_SIDE_B;
    if (C->rows != C->cols && mb_plan_is_thin(&context->device[0].caps, C->rows, C->cols))
        return C->rows < C->cols;
    return lies_across(C);
}

/* Views of C <- A*B, or of the transposed product. */
static void set_views(product *p, const modblas_matrix *C, const modblas_matrix *A,
                      const modblas_matrix *B, const modblas_plan_options *options, uint64_t N,
                      bool swap)
{
    p->o.C = swap ? modblas_transpose(*C) : *C;
    p->o.A = swap ? modblas_transpose(*B) : *A;
    p->o.B = swap ? modblas_transpose(*A) : *B;
    p->request = (mb_request){
        .problem = {.m = p->o.C.rows,
                    .n = p->o.C.cols,
                    .k = p->o.A.cols,
                    .c = p->o.C.type,
                    .a = p->o.A.type,
                    .b = p->o.B.type,
                    .N = N},
        .options = swap ? swapped(options) : *options,
        .overlap = mb_views_overlap(C, A) || mb_views_overlap(C, B),
        .swapped = swap,
        .packing = packing_of(options),
    };
}

mb_request mb_usual_request(const modblas_context *context, const modblas_problem *problem,
                            const modblas_plan_options *options)
{
    const int64_t m = problem->m + (problem->m == 0), n = problem->n + (problem->n == 0);
    const modblas_matrix C = modblas_row_major(NULL, problem->c, m, n, n);
    const bool swap = is_transposed(context, options, &C), packed = options->packed != NULL;
    mb_request request = {
        .problem = *problem,
        .options = swap ? swapped(options) : *options,
        .swapped = swap,
        .packing = packing_of(options),
        .bytes_a = !packed && !swap && mb_plan_is_thin(&context->device[0].caps, m, n),
    };
    request.problem.m = swap ? n : m;
    request.problem.n = swap ? m : n;
    request.problem.k += problem->k == 0;
    request.problem.a = swap ? problem->b : problem->a;
    request.problem.b = swap ? problem->a : problem->b;
    return request;
}

static bool is_planned(const mb_plan *plan, const mb_request *request)
{
    if (plan == NULL || plan->request.overlap != request->overlap ||
        plan->request.swapped != request->swapped || plan->request.packing != request->packing ||
        plan->request.bytes_a != request->bytes_a)
        return false;
    const modblas_problem *x = &plan->request.problem, *y = &request->problem;
    return x->m == y->m && x->n == y->n && x->k == y->k && x->a == y->a && x->b == y->b &&
           x->c == y->c && x->N == y->N;
}

/* False if what the plan uses was struck off since it was made. */
static bool is_usable(const mb_plan *plan, const mb_caps *caps)
{
    if (plan->math.scheme == MODBLAS_SCHEME_PLAIN)
        return true;
    return caps->struck[plan->math.engine_index][0] == '\0' &&
           (caps->fuses || !plan->math.fused) && (caps->thins || !plan->math.thin);
}

/* The given plan, or one made for the product, whose engine is proved at its sizes. Each round but
 * the last strikes off an engine. */
static modblas_status find_proved_plan(const product *p, const mb_plan *plan, mb_device *device,
                                       mb_plan *proved)
{
    modblas_status status = MODBLAS_OK;
    bool right = false, given = is_planned(plan, &p->request);
    for (int round = 0; !right && round <= MB_MAX_ENGINES + 1; round++) {
        mb_caps caps = mb_device_caps(p->context, device);
        if (given && round == 0 && is_usable(plan, &caps))
            *proved = *plan;
        else
            MB_TRY(mb_plan_make(proved, NULL, &p->request, &caps));
        MB_TRY(mb_prove_plan(p->context, device, proved, &right));
    }
    if (!right)
        MB_TRY(mb_fail(MODBLAS_EINTERNAL, "more engines were struck off than there are"));
fail:
    return status;
}

/* The plan of a product, from what its owner keeps (owner may be NULL: then it goes to *own), with
 * its engine proved on the device. */
static modblas_status find_way(const product *p, modblas_plan *owner, mb_device *device,
                               mb_way **way, mb_plan *own)
{
    modblas_status status = MODBLAS_OK;
    bool current = false;
    *way = NULL;
    if (owner != NULL)
        *way = mb_way_find(&owner->ways, p->context, device, &p->request, &current);
    if (current)
        return MODBLAS_OK;
    const mb_plan *given = *way != NULL ? &(*way)->plan : owner != NULL ? &owner->plan : NULL;
    int strikes = __atomic_load_n(&p->context->strikes, __ATOMIC_ACQUIRE);
    MB_TRY(find_proved_plan(p, given, device, own));
    if (owner != NULL)
        MB_TRY(mb_way_keep(way, &owner->ways, p->context, device, own, strikes));
fail:
    return status;
}

/* A device that can use the operands, and whether it can read A as the bytes it is. */
static modblas_status find_device(product *p, mb_device **device)
{
    mb_place place = MB_PLACE_STAGED;
    const mb_operands *o = &p->o;
    modblas_status status = mb_choose_device(p->context, &o->C, &o->A, &o->B, device);
    if (status == MODBLAS_OK && p->request.packing == NULL && mb_lies_in_bytes(&o->A) &&
        mb_plan_is_thin(&(*device)->caps, o->C.rows, o->C.cols))
        status = (*device)->backend->locate((*device)->slot[0].worker, &o->A, &place);
    p->request.bytes_a = status == MODBLAS_OK && place == MB_PLACE_DIRECT;
    return status;
}

/* Runs a product with alpha != 0 and no size 0. */
static modblas_status run_product(product *p, modblas_plan *owner, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    mb_freivalds *check = NULL;
    const mb_operands *o = &p->o;
    mb_device *device;
    mb_way *way;
    mb_plan own;
    MB_TRY(find_device(p, &device));
    MB_TRY(find_way(p, owner, device, &way, &own));
    if (p->context->verify == MODBLAS_VERIFY_FREIVALDS)
        MB_TRY(mb_freivalds_before(&check, p->context, device, &o->C, &o->A, &o->B, o->alpha,
                                   o->beta, p->request.problem.N));
    if (way != NULL)
        MB_TRY(mb_way_run(p->context, device, way, o, trace));
    else
        MB_TRY(mb_exec(p->context, device, &own, o, trace));
    if (check != NULL)
        MB_TRY(mb_freivalds_after(check, &o->C));
fail:
    mb_freivalds_free(check);
    return status;
}

/* True if A and B count. */
static bool prepare(product *p, const modblas_matrix *C, const modblas_matrix *A,
                    const modblas_matrix *B, uint64_t alpha, uint64_t beta, uint64_t N,
                    const modblas_plan_options *options)
{
    mb_mod mod = mb_mod_make(N);
    set_views(p, C, A, B, options, N, is_transposed(p->context, options, C));
    p->o.alpha = mb_reduce64(alpha, &mod);
    p->o.beta = mb_reduce64(beta, &mod);
    return p->o.alpha != 0 && p->o.A.cols > 0;
}

modblas_status mb_multiply(modblas_context *context, const modblas_matrix *C,
                           const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                           uint64_t beta, uint64_t N, const modblas_plan_options *options,
                           modblas_plan *owner, mb_trace *trace)
{
    product p = {.context = context};
    if (C->rows == 0 || C->cols == 0)
        return MODBLAS_OK;
    if (prepare(&p, C, A, B, alpha, beta, N, options)) {
        modblas_status ran = run_product(&p, owner, trace);
        if (ran != MODBLAS_ENOPLAN || !p.request.swapped || options->packed != NULL)
            return ran;
        /* Forced tiles, or little memory, may fit one of the two products only. */
        set_views(&p, C, A, B, options, N, false);
        return run_product(&p, owner, trace);
    }
    mb_device *device;
    modblas_status status = mb_choose_device(context, &p.o.C, &p.o.C, &p.o.C, &device);
    return status == MODBLAS_OK ? mb_exec_scale(context, device, &p.o.C, p.o.beta, N) : status;
}

modblas_status mb_item_prepare(mb_item *item)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan *plan = item->plan;
    product p = {.context = plan->context};
    const modblas_plan_options *options = &plan->options;
    uint64_t shared = 0, each = 0;
    mb_plan own;
    item->way = NULL;
    item->empty = item->C.rows == 0 || item->C.cols == 0;
    bool whole = prepare(&p, &item->C, &item->A, &item->B, item->alpha, item->beta,
                         plan->problem.N, options);
    const modblas_matrix *C = &p.o.C;
    if (whole && !item->empty)
        MB_TRY(find_device(&p, &item->device));
    else
        MB_TRY(mb_choose_device(p.context, C, C, C, &item->device));
    if (whole && !item->empty) {
        status = find_way(&p, plan, item->device, &item->way, &own);
        if (status == MODBLAS_ENOPLAN && p.request.swapped && options->packed == NULL) {
            set_views(&p, &item->C, &item->A, &item->B, options, plan->problem.N, false);
            status = find_way(&p, plan, item->device, &item->way, &own);
        }
        MB_TRY(status);
        mb_exec_bytes(&item->way->plan, &shared, &each);
    }
    item->o = p.o;
    item->bytes = shared + each;
fail:
    return status;
}

modblas_status mb_item_order(const mb_item *item, const mb_team *team, int worker)
{
    mb_team alone = {.context = team->context,
                     .device = team->device,
                     .count = 1,
                     .slot = {team->slot[worker]}};
    mb_constants constants;
    if (item->empty)
        return MODBLAS_OK;
    if (item->way == NULL)
        return mb_exec_order_scale(&alone, &item->o.C, item->o.beta, item->plan->problem.N);
    const mb_plan *plan = &item->way->plan;
    mb_exec_bytes(plan, &alone.shared, &alone.each);
    if (plan->math.scheme != MODBLAS_SCHEME_PLAIN)
        mb_plan_constants(plan, item->o.alpha, &constants);
    return mb_exec_order(&alone, plan, &constants, &item->o, NULL);
}

modblas_status mb_multiply_on(mb_item *item, void *stream)
{
    modblas_status status = mb_item_prepare(item);
    if (status != MODBLAS_OK || item->empty)
        return status;
    return mb_order_on(item->plan->context, item->device, item->way, item->plan->problem.N,
                       &item->o, stream, &item->plan->holds);
}
