/* SPDX-License-Identifier: BSD-3-Clause */
/* Public entry points: check, trivial cases, plan, run. */
#include "api.h"

#include "check.h"
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

typedef struct {
    modblas_context *context;
    modblas_matrix C, A, B;
    mb_request request;
    uint64_t alpha, beta;
} product;

/* Whether rows of C are contiguous, if anything is, only in the transposed product. */
static bool lies_across(const modblas_matrix *C)
{
    return distance(C->row_stride) < distance(C->col_stride);
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
        .overlap = mb_views_overlap(C, A) || mb_views_overlap(C, B),
        .swapped = swap,
    };
}

static bool is_planned(const mb_plan *plan, const mb_request *request)
{
    if (plan == NULL || plan->request.overlap != request->overlap ||
        plan->request.swapped != request->swapped)
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
    return caps->struck[plan->math.engine_index][0] == '\0' && (caps->fuses || !plan->math.fused);
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

/* Runs a checked product with alpha != 0 and no size 0; plan may be NULL, or made for other views.
 */
static modblas_status run_product(const product *p, const mb_plan *plan, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    mb_freivalds *check = NULL;
    mb_device *device;
    mb_plan proved;
    uint64_t N = p->request.problem.N;
    MB_TRY(mb_choose_device(p->context, &p->C, &p->A, &p->B, &device));
    MB_TRY(find_proved_plan(p, plan, device, &proved));
    if (p->context->verify == MODBLAS_VERIFY_FREIVALDS)
        MB_TRY(mb_freivalds_before(&check, p->context, device, &p->C, &p->A, &p->B, p->alpha,
                                   p->beta, N));
    MB_TRY(mb_exec(p->context, device, &proved, &p->C, &p->A, &p->B, p->alpha, p->beta, trace));
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
    product p = {.context = context};
    mb_mod mod = mb_mod_make(N);
    if (C->rows == 0 || C->cols == 0)
        return MODBLAS_OK;
    set_views(&p, C, A, B, options, N, lies_across(C));
    p.alpha = mb_reduce64(alpha, &mod);
    p.beta = mb_reduce64(beta, &mod);
    if (p.alpha != 0 && p.A.cols > 0) {
        modblas_status ran = run_product(&p, plan, trace);
        if (ran != MODBLAS_ENOPLAN || !p.request.swapped)
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
    made = calloc(1, sizeof *made);
    if (made == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for a plan"));
    made->context = context;
    mb_request request = {.problem = *problem, .options = *options};
    /* An empty product needs no plan; one for size 1 stands in, so that what is forced is still
     * checked. */
    request.problem.m += problem->m == 0;
    request.problem.n += problem->n == 0;
    request.problem.k += problem->k == 0;
    mb_caps caps = mb_device_caps(context, &context->device[0]);
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

modblas_status mb_plan_run_traced(modblas_plan *plan, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    if (plan == NULL)
        return mb_fail(MODBLAS_EINVAL, "plan is NULL; modblas_plan_create makes one");
    MB_TRY(mb_check_views(C, A, B));
    const modblas_problem *p = &plan->problem;
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
    MB_TRY(mb_multiply(plan->context, C, A, B, alpha, beta, p->N, &plan->plan.request.options,
                       &plan->plan, trace));
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
