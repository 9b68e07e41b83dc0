/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed operands: made by a plan that splits its A alone, used through plans that have it. */
#include "packed.h"

#include "check.h"
#include "run/operands.h"

#include <inttypes.h>
#include <stdlib.h>

enum { USUAL_WIDTH = MB_THIN_MOST };
static const int64_t MOST_WIDTH = (int64_t)1 << 30;

void modblas_pack_options_init(modblas_pack_options *options)
{
    if (options != NULL)
        *options = (modblas_pack_options){.size = sizeof *options};
}

static modblas_status check_pack_options(const modblas_pack_options *o)
{
    if (o->size != sizeof *o)
        return mb_fail(MODBLAS_EINVAL,
                       "options.size is %zu; modblas_pack_options_init sets it to %zu", o->size,
                       sizeof *o);
    if ((unsigned)o->scheme > MODBLAS_SCHEME_RNS || (unsigned)o->engine > MODBLAS_ENGINE_F32)
        return mb_fail(MODBLAS_EINVAL,
                       "scheme is %d, engine %d; 0 to 3 are allowed for both, since what is plain "
                       "is not packed",
                       (int)o->scheme, (int)o->engine);
    if (o->width < 0 || o->width > MOST_WIDTH)
        return mb_fail(MODBLAS_EINVAL, "width is %" PRId64 "; 0 to %" PRId64 " are allowed",
                       o->width, MOST_WIDTH);
    return MODBLAS_OK;
}

/* The product whose A is X, or the transpose of X. */
static mb_request request_of(const modblas_matrix *X, modblas_side side, uint64_t N,
                             const modblas_pack_options *o)
{
    const bool b = side == MODBLAS_SIDE_B;
    return (mb_request){
        .problem = {.m = b ? X->cols : X->rows,
                    .n = o->width > 0 ? o->width : USUAL_WIDTH,
                    .k = b ? X->rows : X->cols,
                    .c = MODBLAS_U64,
                    .a = X->type,
                    .b = MODBLAS_U64,
                    .N = N},
        .options = {.scheme = o->scheme,
                    .engine = o->engine,
                    .bound_a = o->bound,
                    .bound_b = o->other_bound},
        .swapped = b,
        .packs = true,
    };
}

static modblas_status check_operand(const modblas_matrix *X, modblas_side side)
{
    if ((unsigned)side > MODBLAS_SIDE_B)
        return mb_fail(MODBLAS_EINVAL, "side is %d; 0 (A) and 1 (B) are sides", (int)side);
    modblas_status status = mb_view_check(X, "AB"[side]);
    if (status == MODBLAS_OK && (X->rows == 0 || X->cols == 0))
        return mb_fail(MODBLAS_EINVAL, "%c is %" PRId64 " x %" PRId64 "; nothing is to be packed",
                       "AB"[side], X -> rows, X -> cols);
    return status;
}

/* Memory of the device for the planes, or back with it. */
static modblas_status with_worker(modblas_packed *p, bool take)
{
    modblas_status status = MODBLAS_OK, waited;
    mb_team team;
    uint32_t faults = 0;
    MB_TRY(mb_team_take(&team, p->context, p->device, 1, 0, 0));
    if (take)
        status = p->device->backend->alloc(mb_team_worker(&team, 0), &p->packing.planes,
                                           p->packing.bytes);
    else
        p->device->backend->free(mb_team_worker(&team, 0), p->packing.planes);
    waited = mb_team_wait(&team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    mb_team_give(&team);
fail:
    return status;
}

static modblas_status make(modblas_packed *p, const mb_request *request, const modblas_matrix *A)
{
    modblas_status status = MODBLAS_OK;
    mb_plan plan;
    MB_TRY(mb_choose_device(p->context, A, A, A, &p->device));
    mb_caps caps = mb_device_caps(p->context, p->device);
    MB_TRY(mb_plan_make(&plan, NULL, request, &caps));
    p->packing = mb_packing_of(&plan);
    MB_TRY(with_worker(p, true));
    MB_TRY(mb_exec_pack(p->context, p->device, &plan, &p->packing, A));
fail:
    return status;
}

modblas_status modblas_pack(modblas_context *context, modblas_packed **packed,
                            const modblas_matrix *X, modblas_side side, uint64_t N,
                            const modblas_pack_options *options)
{
    modblas_status status = MODBLAS_OK;
    modblas_packed *made = NULL;
    modblas_pack_options defaults;
    modblas_pack_options_init(&defaults);
    if (context == NULL || packed == NULL)
        return mb_fail(MODBLAS_EINVAL, "context or packed is NULL; both are required");
    *packed = NULL;
    options = options != NULL ? options : &defaults;
    MB_TRY(check_pack_options(options));
    MB_TRY(check_operand(X, side));
    if (context->verify != MODBLAS_VERIFY_OFF)
        return mb_fail(MODBLAS_EUNAVAILABLE,
                       "this context verifies its products, which takes the operands themselves; "
                       "pack on one that does not");
    const mb_request request = request_of(X, side, N, options);
    MB_TRY(mb_check_problem(&request.problem));
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return mb_fail(MODBLAS_ENOMEM, "no memory for a packed operand");
    made->context = context;
    const modblas_matrix A = side == MODBLAS_SIDE_B ? modblas_transpose(*X) : *X;
    MB_TRY(make(made, &request, &A));
    *packed = made;
    made = NULL;
fail:
    modblas_packed_destroy(made);
    return status;
}

void modblas_packed_destroy(modblas_packed *packed)
{
    if (packed != NULL && packed->packing.planes != NULL)
        (void)with_worker(packed, false);
    free(packed);
}

modblas_status modblas_packed_text(const modblas_packed *packed, char *text, size_t size,
                                   size_t *needed)
{
    if (packed == NULL || (text == NULL && size > 0))
        return mb_fail(MODBLAS_EINVAL, "packed or text is NULL; both are required");
    size_t all = mb_packing_write_text(&packed->packing, text, size);
    if (needed != NULL)
        *needed = all;
    return MODBLAS_OK;
}

modblas_status mb_put_packed(const modblas_plan_options *options, const modblas_problem *p,
                             modblas_matrix *view, const modblas_matrix **A,
                             const modblas_matrix **B)
{
    const modblas_packed *packed = options->packed;
    if (packed == NULL)
        return MODBLAS_OK;
    const void *planes = packed->packing.planes;
    const bool b = packed->packing.side == MODBLAS_SIDE_B;
    const modblas_matrix **given = b ? B : A;
    if (*given != NULL && (*given)->data != planes)
        return mb_fail(MODBLAS_EINVAL, "%c was packed; NULL takes its place", "AB"[b]);
    *view = modblas_row_major(planes, b ? p->b : p->a, b ? p->k : p->m, b ? p->n : p->k, 0);
    view->col_stride = 0;
    *given = view;
    return MODBLAS_OK;
}

modblas_status modblas_gemm_packed(const modblas_packed *packed, modblas_side side,
                                   const modblas_matrix *C, const modblas_matrix *X,
                                   uint64_t alpha, uint64_t beta)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan_options options;
    modblas_plan *plan = NULL;
    if (packed == NULL || C == NULL || X == NULL)
        return mb_fail(MODBLAS_EINVAL, "packed, C or X is NULL; all are required");
    const mb_packing *x = &packed->packing;
    const bool b = x->side == MODBLAS_SIDE_B;
    if (side != x->side)
        return mb_fail(MODBLAS_EINVAL,
                       "the operand was packed as %c, and side is %d; 0 is A, 1 is B", "AB"[b],
                       (int)side);
    modblas_plan_options_init(&options);
    options.packed = packed;
    *(b ? &options.bound_a : &options.bound_b) = x->other_bound;
    modblas_problem problem = {.m = C->rows,
                               .n = C->cols,
                               .k = b ? X->cols : X->rows,
                               .c = C->type,
                               .a = b ? X->type : x->type,
                               .b = b ? x->type : X->type,
                               .N = x->N};
    MB_TRY(modblas_plan_create(packed->context, &plan, &problem, &options));
    MB_TRY(modblas_plan_run(plan, C, b ? X : NULL, b ? NULL : X, alpha, beta));
fail:
    modblas_plan_destroy(plan);
    return status;
}

modblas_status mb_check_packed(const modblas_packed *packed, const modblas_context *context,
                               const modblas_problem *p, const modblas_plan_options *o)
{
    const mb_packing *x = &packed->packing;
    const bool b = x->side == MODBLAS_SIDE_B;
    if (packed->context != context)
        return mb_fail(MODBLAS_EINVAL, "the packed operand belongs to another context");
    if (x->lines != (b ? p->n : p->m) || x->k != p->k || x->type != (b ? p->b : p->a))
        return mb_fail(MODBLAS_EINVAL,
                       "%c was packed as %" PRId64 " x %" PRId64 " of %s, the problem has %" PRId64
                       " x %" PRId64 " of %s",
                       "AB"[b], b ? x->k : x->lines, b ? x->lines : x->k, mb_type_name(x->type),
                       b ? p->k : p->m, b ? p->n : p->k, mb_type_name(b ? p->b : p->a));
    if (x->N != p->N)
        return mb_fail(MODBLAS_EINVAL,
                       "the operand was packed modulo %" PRIu64 ", the problem is modulo %" PRIu64
                       " (0 is 2^64)",
                       x->N, p->N);
    const uint64_t other = b ? o->bound_a : o->bound_b;
    if (x->other_bound != 0 && (other == 0 || other > x->other_bound))
        return mb_fail(MODBLAS_EINVAL,
                       "the operand was packed for others whose entries are at most %" PRIu64
                       "; bound_%c must say so",
                       x->other_bound, b ? 'a' : 'b');
    if (o->tile_m || o->tile_n || o->chunk_k || o->scheme != MODBLAS_SCHEME_AUTO ||
        o->engine != MODBLAS_ENGINE_AUTO || (b ? o->bound_b : o->bound_a) != 0)
        return mb_fail(MODBLAS_EINVAL,
                       "a packed operand decides on scheme, engine, tiles, chunks and its own "
                       "bound; leave these options out");
    return MODBLAS_OK;
}
