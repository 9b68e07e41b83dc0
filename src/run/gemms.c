/* SPDX-License-Identifier: BSD-3-Clause */
#include "gemms.h"

/* Sets k and count of the batch that begins at `term`. */
static void set_batch(const mb_arithmetic *math, const mb_block *a, mb_gemm_job *job)
{
    job->count = 0;
    job->k = mb_plan_term_k(math, job->term, a->k);
    if (job->digits > 1) {
        job->count = job->term < math->terms;
        return;
    }
    while (job->term + job->count < math->terms &&
           mb_plan_term_k(math, job->term + job->count, a->k) == job->k)
        job->count++;
}

/* The moduli of fused products. */
static const uint32_t *moduli_of(const mb_arithmetic *math)
{
    if (!math->fused)
        return NULL;
    return math->scheme == MODBLAS_SCHEME_RNS ? math->engine->moduli : &math->modulus;
}

mb_gemm_job mb_gemms_first(const mb_arithmetic *math, const mb_block *a, const mb_block *b,
                           const void *A, const void *B, void *C)
{
    const mb_sum_plane plane = mb_plan_sum_plane(math, a->lines, b->lines);
    mb_gemm_job job = {
        .engine = math->engine,
        .m = a->lines,
        .n = b->lines,
        .A = A,
        .B = B,
        .C = C,
        .lda = a->ld,
        .ldb = b->ld,
        .ldc = plane.ld,
        .stride_a = math->scheme == MODBLAS_SCHEME_RNS ? a->plane_stride : 0,
        .stride_b = b->plane_stride,
        .moduli = moduli_of(math),
        .digits = math->terms / mb_plan_sums(math),
        .stride_c = plane.lines * plane.ld,
        .thin = math->thin,
        .bytes_a = math->bytes_a,
        .longest_k = math->band_k,
    };
    set_batch(math, a, &job);
    return job;
}

void mb_gemms_next(const mb_arithmetic *math, const mb_block *a, mb_gemm_job *job)
{
    int64_t in = (int64_t)mb_element_size(math->engine->in);
    int64_t acc = (int64_t)mb_element_size(mb_plan_sum(math));
    job->A = (const char *)job->A + in * job->stride_a * job->count;
    job->B = (const char *)job->B + in * job->stride_b * job->count;
    job->C = (char *)job->C + acc * job->stride_c * job->count;
    if (job->moduli != NULL)
        job->moduli += job->count;
    job->term += job->count * job->digits;
    set_batch(math, a, job);
}
