/* SPDX-License-Identifier: BSD-3-Clause */
/* Public entry points: check, trivial cases, plan, run. */
#include "api.h"

#include "check.h"
#include "packed.h"
#include "product.h"
#include "run/operands.h"

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

modblas_status modblas_context_status(modblas_context *context)
{
    modblas_status status = MODBLAS_OK;
    uint32_t faults[MB_BLAMES];
    if (context == NULL)
        return mb_fail(MODBLAS_EINVAL, "context is NULL; modblas_context_create makes one");
    mb_context_faults(context, faults);
    MB_TRY(mb_judge_faults(faults[MB_BLAME_ORDER], false));
    MB_TRY(mb_judge_faults(faults[MB_BLAME_SWAPPED], true));
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
    if (options->packed != NULL)
        MB_TRY(mb_check_packed(options->packed, context, problem, options));
    made = calloc(1, sizeof *made);
    if (made == NULL)
        MB_TRY(mb_fail(MODBLAS_ENOMEM, "no memory for a plan"));
    made->context = context;
    made->options = *options;
    mb_request request = mb_usual_request(context, problem, options);
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
    if (plan == NULL)
        return;
    mb_ways_drop(&plan->ways, plan->context);
    mb_holds_drop(plan->holds, plan->context);
    free(plan);
}

modblas_status mb_check_plan_views(const modblas_plan *plan, modblas_matrix *packed,
                                   const modblas_matrix *C, const modblas_matrix **given_A,
                                   const modblas_matrix **given_B)
{
    modblas_status status = MODBLAS_OK;
    if (plan == NULL)
        return mb_fail(MODBLAS_EINVAL, "plan is NULL; modblas_plan_create makes one");
    const modblas_problem *p = &plan->problem;
    MB_TRY(mb_put_packed(&plan->options, p, packed, given_A, given_B));
    const modblas_matrix *A = *given_A, *B = *given_B;
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
fail:
    return status;
}

modblas_status mb_plan_run_traced(modblas_plan *plan, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta, mb_trace *trace)
{
    modblas_status status = MODBLAS_OK;
    modblas_matrix packed;
    MB_TRY(mb_check_plan_views(plan, &packed, C, &A, &B));
    MB_TRY(mb_multiply(plan->context, C, A, B, alpha, beta, plan->problem.N, &plan->options, plan,
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

modblas_status modblas_plan_order(modblas_plan *plan, void *stream, const modblas_matrix *C,
                                  const modblas_matrix *A, const modblas_matrix *B, uint64_t alpha,
                                  uint64_t beta)
{
    modblas_status status = MODBLAS_OK;
    modblas_matrix packed;
    MB_TRY(mb_check_plan_views(plan, &packed, C, &A, &B));
    if (plan->context->backend->streams == NULL)
        return mb_multiply(plan->context, C, A, B, alpha, beta, plan->problem.N, &plan->options,
                           plan, NULL);
    if (plan->context->verify != MODBLAS_VERIFY_OFF)
        return mb_fail(MODBLAS_EUNAVAILABLE,
                       "the context checks each product, and one on a stream is not done when it "
                       "would have to be checked; use a context without verify");
    mb_item item = {.plan = plan, .C = *C, .A = *A, .B = *B, .alpha = alpha, .beta = beta};
    MB_TRY(mb_multiply_on(&item, stream));
fail:
    return status;
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
