/* SPDX-License-Identifier: BSD-3-Clause */
/* Public entry points: check, trivial cases, plan, run. */
#include "api.h"

#include "check.h"
#include "packed.h"
#include "run/freivalds.h"
#include "run/operands.h"
#include "run/proof.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- options and contexts --------------------------------------------------------------------
 */

void modblas_options_init(modblas_options *options)
{
    if (options != NULL)
        *options = (modblas_options){.size = sizeof *options};
}

void modblas_plan_options_init(modblas_plan_options *options)
{
    if (options != NULL)
        *options = (modblas_plan_options){.size = sizeof *options};
}

/* The backend that the options name; AUTO falls back to the host as it is, since devices are
 * CUDA's. */
static modblas_status choose_backend(modblas_options *options, const mb_backend **backend)
{
    const char *reason;
    *backend = mb_backend_host();
    if (options->backend == MODBLAS_BACKEND_HOST)
        return MODBLAS_OK;
    const mb_backend *cuda = mb_backend_cuda(&reason);
    if (cuda != NULL)
        *backend = cuda;
    else if (options->backend == MODBLAS_BACKEND_CUDA)
        return mb_fail(MODBLAS_EUNAVAILABLE, "%s", reason);
    else
        options->device_count = 0;
    return MODBLAS_OK;
}

modblas_status modblas_context_create(modblas_context **context, const modblas_options *options)
{
    modblas_status status = MODBLAS_OK;
    const mb_backend *backend;
    modblas_options chosen;
    modblas_options_init(&chosen);
    if (context == NULL)
        return mb_fail(MODBLAS_EINVAL, "context is NULL; a place for the new context is required");
    *context = NULL;
    if (options != NULL)
        chosen = *options;
    MB_TRY(mb_check_options(&chosen));
    MB_TRY(choose_backend(&chosen, &backend));
    MB_TRY(mb_check_devices(&chosen, backend));
    MB_TRY(mb_context_make(context, backend, &chosen));
fail:
    return status;
}

modblas_status modblas_device_list(modblas_device_info *list, int capacity, int *count)
{
    modblas_status status = MODBLAS_OK;
    if (count == NULL || capacity < 0 || (list == NULL && capacity > 0))
        return mb_fail(MODBLAS_EINVAL, "list or count is NULL, or capacity is negative");
    const char *reason;
    const mb_backend *backend[] = {mb_backend_cuda(&reason), mb_backend_host()};
    int found = 0;
    for (int b = 0; b < 2; b++) {
        int devices = backend[b] == NULL ? 0 : backend[b]->device_count();
        for (int d = 0; d < devices; d++, found++) {
            if (found < capacity)
                MB_TRY(backend[b]->device_info(d, &list[found]));
        }
    }
    *count = found;
fail:
    return status;
}

/* ---- products --------------------------------------------------------------------------------
 */

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

/* A is not read where it is packed. */
typedef struct {
    modblas_context *context;
    modblas_matrix C, A, B;
    const modblas_packed *packed;
    mb_request request;
    uint64_t alpha, beta;
} product;

/* Whether rows of C are contiguous, if anything is, only in the transposed product. */
static bool lies_across(const modblas_matrix *C)
{
    return distance(C->row_stride) < distance(C->col_stride);
}

/* Whether the transposed product is computed: the one with fewer columns if it is thin, else the
 * one that suits C. */
static bool is_transposed(const modblas_context *context, const modblas_matrix *C)
{
    if (C->rows != C->cols && mb_plan_is_thin(&context->device[0].caps, C->rows, C->cols))
        return C->rows < C->cols;
    return lies_across(C);
}

/* Views of C <- A*B, or of the transposed product. */
static void set_views(product *p, const modblas_matrix *C, const modblas_matrix *A,
                      const modblas_matrix *B, const modblas_plan_options *options, uint64_t N,
                      bool swap)
{
    p->C = swap ? modblas_transpose(*C) : *C;
    p->A = swap ? modblas_transpose(*B) : *A;
    p->B = swap ? modblas_transpose(*A) : *B;
    p->request = (mb_request){
        .problem = {.m = p->C.rows,
                    .n = p->C.cols,
                    .k = p->A.cols,
                    .c = p->C.type,
                    .a = p->A.type,
                    .b = p->B.type,
                    .N = N},
        .options = swap ? swapped(options) : *options,
        .swapped = swap,
        .packing = p->packed != NULL ? &p->packed->packing : NULL,
    };
    p->request.overlap =
        mb_views_overlap(&p->C, &p->B) || (p->packed == NULL && mb_views_overlap(&p->C, &p->A));
}

static bool is_planned(const mb_plan *plan, const mb_request *request)
{
    if (plan == NULL || plan->request.overlap != request->overlap ||
        plan->request.packing != request->packing || plan->request.swapped != request->swapped)
        return false;
    const modblas_problem *x = &plan->request.problem, *y = &request->problem;
    return x->m == y->m && x->n == y->n && x->k == y->k && x->a == y->a && x->b == y->b &&
           x->c == y->c && x->N == y->N && plan->request.bytes_a == request->bytes_a;
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

/* The packed operand's device, or one that can use all views. */
static modblas_status choose_device(const product *p, mb_device **device)
{
    if (p->packed == NULL)
        return mb_choose_device(p->context, &p->C, &p->A, &p->B, device);
    *device = p->packed->device;
    return mb_locate_all(*device, &p->C, &p->B, &p->B);
}

/* Finds out whether A can be read as the bytes it is. */
static modblas_status find_bytes(product *p, mb_device *device)
{
    mb_place place = MB_PLACE_STAGED;
    modblas_status status = MODBLAS_OK;
    if (p->packed == NULL && mb_plan_is_thin(&device->caps, p->C.rows, p->C.cols) &&
        mb_lies_in_bytes(&p->A))
        status = device->backend->locate(device->slot[0].worker, &p->A, &place);
    p->request.bytes_a = status == MODBLAS_OK && place == MB_PLACE_DIRECT;
    return status;
}

/* Runs a checked product with alpha != 0 and no size 0; plan may be NULL, or made for other views.
 */
static modblas_status run_product(product *p, const mb_plan *plan, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    mb_freivalds *check = NULL;
    mb_device *device;
    mb_plan proved;
    uint64_t N = p->request.problem.N;
    MB_TRY(choose_device(p, &device));
    MB_TRY(find_bytes(p, device));
    MB_TRY(find_proved_plan(p, plan, device, &proved));
    if (p->context->verify == MODBLAS_VERIFY_FREIVALDS)
        MB_TRY(mb_freivalds_before(&check, p->context, device, &p->C, &p->A, &p->B, p->alpha,
                                   p->beta, N));
    MB_TRY(mb_exec(p->context, device, &proved, &p->C, p->packed != NULL ? NULL : &p->A, &p->B,
                   p->alpha, p->beta, trace));
    if (check != NULL)
        MB_TRY(mb_freivalds_after(check, &p->C));
fail:
    mb_freivalds_free(check);
    return status;
}

modblas_status mb_multiply(modblas_context *context, const modblas_matrix *C,
                           const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                           uint64_t beta, uint64_t N, const modblas_plan_options *options,
                           const mb_plan *plan, mb_trace *trace)
{
    const modblas_packed *packed = options->packed;
    product p = {.context = context, .packed = packed};
    mb_mod mod = mb_mod_make(N);
    if (C->rows == 0 || C->cols == 0)
        return MODBLAS_OK;
    const bool swap =
        packed != NULL ? packed->packing.side == MODBLAS_SIDE_B : is_transposed(context, C);
    set_views(&p, C, A, B, options, N, swap);
    p.alpha = mb_reduce64(alpha, &mod);
    p.beta = mb_reduce64(beta, &mod);
    if (p.alpha != 0 && p.A.cols > 0) {
        modblas_status ran = run_product(&p, plan, trace);
        if (ran != MODBLAS_ENOPLAN || !p.request.swapped || packed != NULL)
            return ran;
        /* Forced tiles, or little memory, may fit one of the two products only. */
        set_views(&p, C, A, B, options, N, false);
        return run_product(&p, plan, trace);
    }
    mb_device *device;
    modblas_status status = mb_choose_device(context, &p.C, &p.C, &p.C, &device);
    return status == MODBLAS_OK ? mb_exec_scale(context, device, &p.C, p.beta, N) : status;
}

static modblas_problem problem_of(const modblas_matrix *C, const modblas_matrix *A,
                                  const modblas_matrix *B, uint64_t N)
{
    return (modblas_problem){.m = C->rows,
                             .n = C->cols,
                             .k = A->cols,
                             .c = C->type,
                             .a = A->type,
                             .b = B->type,
                             .N = N};
}

modblas_status modblas_gemm(modblas_context *context, const modblas_matrix *C,
                            const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                            uint64_t beta, uint64_t N)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan_options options;
    modblas_plan_options_init(&options);
    if (context == NULL)
        return mb_fail(MODBLAS_EINVAL, "context is NULL; modblas_context_create makes one");
    MB_TRY(mb_check_views(C, A, B));
    modblas_problem problem = problem_of(C, A, B, N);
    MB_TRY(mb_check_problem(&problem));
    MB_TRY(mb_multiply(context, C, A, B, alpha, beta, N, &options, NULL, NULL));
fail:
    return status;
}

modblas_status modblas_matmul(modblas_context *context, uint64_t *C, int64_t ldc,
                              const uint64_t *A, int64_t lda, const uint64_t *B, int64_t ldb,
                              int64_t m, int64_t n, int64_t k, uint64_t N)
{
    const struct {
        const char *name;
        int64_t ld, least;
    } given[] = {{"ldc", ldc, n}, {"lda", lda, k}, {"ldb", ldb, n}};
    for (int i = 0; i < 3; i++) {
        if (given[i].ld < given[i].least)
            return mb_fail(MODBLAS_EINVAL,
                           "%s is %" PRId64 "; rows of %" PRId64 " need at least that",
                           given[i].name, given[i].ld, given[i].least);
    }
    modblas_matrix c = modblas_row_major(C, MODBLAS_U64, m, n, ldc);
    modblas_matrix a = modblas_row_major(A, MODBLAS_U64, m, k, lda);
    modblas_matrix b = modblas_row_major(B, MODBLAS_U64, k, n, ldb);
    return modblas_gemm(context, &c, &a, &b, 1, 0, N);
}

/* ---- plans -----------------------------------------------------------------------------------
 */

/* The product of row-major views that the device reads as they lie. An empty one needs no plan;
 * size 1 stands in, so that what is forced is still checked. */
static mb_request usual_request(const modblas_context *context, const modblas_problem *problem,
                                const modblas_plan_options *options)
{
    const int64_t m = problem->m + (problem->m == 0), n = problem->n + (problem->n == 0);
    const modblas_matrix C = modblas_row_major(NULL, problem->c, m, n, n);
    const mb_packing *packing = options->packed != NULL ? &options->packed->packing : NULL;
    const bool swap = packing ? packing->side == MODBLAS_SIDE_B : is_transposed(context, &C);
    mb_request request = {.problem = *problem,
                          .options = swap ? swapped(options) : *options,
                          .swapped = swap,
                          .packing = packing,
                          .bytes_a = !packing && !swap &&
                                     mb_plan_is_thin(&context->device[0].caps, m, n)};
    request.problem.m = swap ? n : m;
    request.problem.n = swap ? m : n;
    request.problem.k += problem->k == 0;
    request.problem.a = swap ? problem->b : problem->a;
    request.problem.b = swap ? problem->a : problem->b;
    return request;
}

modblas_status modblas_plan_create(modblas_context *context, modblas_plan **plan,
                                   const modblas_problem *problem,
                                   const modblas_plan_options *options)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan *made = NULL;
    modblas_plan_options defaults;
    modblas_plan_options_init(&defaults);
    if (context == NULL || plan == NULL || problem == NULL)
        return mb_fail(MODBLAS_EINVAL, "context, plan or problem is NULL; all are required");
    *plan = NULL;
    options = options != NULL ? options : &defaults;
    MB_TRY(mb_check_plan_options(options));
    MB_TRY(mb_check_problem(problem));
    if (options->packed != NULL)
        MB_TRY(mb_check_packed(options->packed, context, problem, options));
    made = calloc(1, sizeof *made);
    if (made == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for a plan"));
    made->context = context;
    made->options = *options;
    mb_request request = usual_request(context, problem, options);
    mb_device *device = options->packed != NULL ? options->packed->device : &context->device[0];
    mb_caps caps = mb_device_caps(context, device);
    MB_TRY(mb_plan_make(&made->plan, &made->reasons, &request, &caps));
    made->problem = *problem;
    *plan = made;
    made = NULL;
fail:
    free(made);
    return status;
}

void modblas_plan_destroy(modblas_plan *plan)
{
    free(plan);
}

/* A view in the place of the packed operand, with sizes and type but nothing to read. */
static modblas_status put_packed(const modblas_plan *plan, modblas_matrix *view,
                                 const modblas_matrix **A, const modblas_matrix **B)
{
    static const uint64_t place;
    const modblas_packed *packed = plan->options.packed;
    const modblas_problem *p = &plan->problem;
    if (packed == NULL)
        return MODBLAS_OK;
    const bool b = packed->packing.side == MODBLAS_SIDE_B;
    const modblas_matrix **given = b ? B : A;
    if (*given != NULL)
        return mb_fail(MODBLAS_EINVAL, "%c was packed; NULL takes its place", "AB"[b]);
    *view = modblas_row_major(&place, b ? p->b : p->a, b ? p->k : p->m, b ? p->n : p->k, 0);
    view->col_stride = 0;
    *given = view;
    return MODBLAS_OK;
}

modblas_status mb_plan_run_traced(modblas_plan *plan, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    if (plan == NULL)
        return mb_fail(MODBLAS_EINVAL, "plan is NULL; modblas_plan_create makes one");
    modblas_matrix packed;
    const modblas_problem *p = &plan->problem;
    MB_TRY(put_packed(plan, &packed, &A, &B));
    MB_TRY(mb_check_views(C, A, B));
    if (C->rows != p->m || C->cols != p->n || A->cols != p->k)
        return mb_fail(MODBLAS_EINVAL,
                       "the views have m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64
                       "; the plan is for %" PRId64 ", %" PRId64 ", %" PRId64,
                       C->rows, C->cols, A->cols, p->m, p->n, p->k);
    if (C->type != p->c || A->type != p->a || B->type != p->b)
        return mb_fail(MODBLAS_EINVAL,
                       "the views are %s <- %s * %s; the plan is for %s <- %s * %s",
                       mb_type_name(C->type), mb_type_name(A->type), mb_type_name(B->type),
                       mb_type_name(p->c), mb_type_name(p->a), mb_type_name(p->b));
    MB_TRY(mb_multiply(plan->context, C, A, B, alpha, beta, p->N, &plan->options, &plan->plan,
                       trace));
fail:
    return status;
}

modblas_status modblas_plan_run(modblas_plan *plan, const modblas_matrix *C,
                                const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                uint64_t beta)
{
    return mb_plan_run_traced(plan, C, A, B, alpha, beta, NULL);
}

modblas_status modblas_plan_text(const modblas_plan *plan, char *text, size_t size, size_t *needed)
{
    if (plan == NULL || (text == NULL && size > 0))
        return mb_fail(MODBLAS_EINVAL, "plan or text is NULL; both are required");
    size_t all = mb_plan_write_text(&plan->plan, &plan->reasons, text, size);
    if (needed != NULL)
        *needed = all;
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
        return mb_fail(MODBLAS_EINVAL, "the operand was packed as %c; it is none for side %d",
                       "AB"[b], (int)side);
    modblas_plan_options_init(&options);
    options.packed = packed;
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
