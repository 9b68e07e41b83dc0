/* SPDX-License-Identifier: BSD-3-Clause */
/* Split and join on the host: the readable twins of kernels/split.cu and kernels/join.cu. Entries
 * are handled in runs that stay in the first-level cache, one plane after another. */
#include "host.h"

#include <string.h>

enum { RUN = MB_HOST_RUN };

/* Plane i of the run, as the destination's element type. */
#define CUT_RUN(ctype, value)                                                                     \
    for (int j = 0; j < count; j++)                                                               \
    ((ctype *)dst)[j] = (ctype)(value)

#define CUT_RUN_OF_TYPE(value)                                                                    \
    switch (type) {                                                                               \
    case MB_ELEMENT_I8:                                                                           \
        CUT_RUN(int8_t, value);                                                                   \
        break;                                                                                    \
    case MB_ELEMENT_F32:                                                                          \
        CUT_RUN(float, value);                                                                    \
        break;                                                                                    \
    default:                                                                                      \
        CUT_RUN(double, value);                                                                   \
    }

/* The case that a CPU with a fast INT8 product spends its time on. */
MB_MANY_TARGETS static void cut_bytes(int8_t *dst, const uint64_t *u, int count,
                                      const mb_plane *plane)
{
    for (int j = 0; j < count; j++)
        dst[j] = (int8_t)mb_cut_bytewise(u[j], plane);
}

static void cut_run(void *dst, mb_element type, const uint64_t *u, int count, int i,
                    const mb_cut *cut)
{
    const mb_plane *plane = &cut->plane[i];
    if (cut->kind == MB_CUT_BYTEWISE && type == MB_ELEMENT_I8) {
        cut_bytes(dst, u, count, plane);
    } else if (cut->kind == MB_CUT_DIGITS) {
        CUT_RUN_OF_TYPE(mb_cut_digit(u[j], i, cut))
    } else if (cut->kind == MB_CUT_BYTEWISE) {
        CUT_RUN_OF_TYPE(mb_cut_bytewise(u[j], plane))
    } else {
        CUT_RUN_OF_TYPE(mb_cut_wide(u[j], plane))
    }
}

/* All planes of the entries r[], which are j0 .. j0+count-1 of line l; `zeros` places after them
 * are cleared. */
static void split_run(const mb_split_job *job, const uint64_t *r, int64_t l, int64_t j0, int count,
                      int64_t zeros)
{
    uint64_t u[RUN];
    const mb_cut *cut = job->cut;
    size_t size = mb_element_size(job->type);
    for (int t = 0; t < cut->folds; t++) {
        for (int j = 0; j < count; j++)
            u[j] = mb_cut_u(r[j], t, cut);
        for (int i = 0; i < cut->planes; i++) {
            int64_t at = t * job->fold_stride + i * job->plane_stride + l * job->ld + j0;
            char *dst = (char *)job->dst + at * (int64_t)size;
            cut_run(dst, job->type, u, count, i, cut);
            memset(dst + (size_t)count * size, 0, (size_t)zeros * size);
        }
    }
}

static void clear_line(const mb_split_job *job, int64_t l)
{
    size_t size = mb_element_size(job->type);
    for (int t = 0; t < job->cut->folds; t++) {
        for (int i = 0; i < job->cut->planes; i++) {
            int64_t at = t * job->fold_stride + i * job->plane_stride + l * job->ld;
            memset((char *)job->dst + at * (int64_t)size, 0, (size_t)job->k_padded * size);
        }
    }
}

modblas_status mb_host_split(mb_worker *worker, const mb_split_job *job)
{
    uint64_t r[MB_HOST_LINES][RUN];
    int64_t k = job->src.cols, rows = job->src.rows;
    for (int64_t l = 0; l < rows; l += MB_HOST_LINES) {
        int lines = (int)(rows - l < MB_HOST_LINES ? rows - l : MB_HOST_LINES);
        for (int64_t j = 0; j < k; j += RUN) {
            bool last = k - j <= RUN;
            int count = (int)(last ? k - j : RUN);
            uint32_t fault = mb_host_enter(r, &job->src, l, j, lines, count, job->cut);
            worker->faults |= fault << job->operand;
            for (int i = 0; i < lines; i++)
                split_run(job, r[i], l + i, j, count, last ? job->k_padded - k : 0);
        }
    }
    for (int64_t l = job->src.rows; l < job->lines_padded; l++)
        clear_line(job, l);
    return MODBLAS_OK;
}

/* Residues of a run of joined sums. */
MB_MANY_TARGETS static void join_run(uint64_t *r, const mb_join_job *job, int64_t i, int64_t j0,
                                     int count)
{
    const mb_join *join = job->join;
    mb_joining s[RUN];
    for (int j = 0; j < count; j++)
        s[j] = mb_join_start(join);
    for (int p = 0; p < join->terms; p++) {
        const mb_term *term = &join->term[p];
        int64_t at = p * job->acc_plane_stride + i * job->acc_ld + j0;
        if (job->acc_type == MB_ELEMENT_I32) {
            for (int j = 0; j < count; j++)
                mb_join_i32(&s[j], ((const int32_t *)job->acc)[at + j], term, join);
        } else if (job->acc_type == MB_ELEMENT_U8) {
            for (int j = 0; j < count; j++)
                mb_join_u8(&s[j], ((const uint8_t *)job->acc)[at + j], term, join);
        } else if (job->acc_type == MB_ELEMENT_F32) {
            for (int j = 0; j < count; j++)
                mb_join_i32(&s[j], (int32_t)((const float *)job->acc)[at + j], term, join);
        } else {
            for (int j = 0; j < count; j++)
                mb_join_f64(&s[j], ((const double *)job->acc)[at + j], term, join);
        }
    }
    for (int j = 0; j < count; j++)
        r[j] = mb_join_finish(s[j], join);
}

modblas_status mb_host_join(mb_worker *worker, const mb_join_job *job)
{
    const mb_cut whole = {.mod = *job->mod, .bound = UINT64_MAX, .float_limit = job->float_limit};
    uint64_t r[RUN];
    for (int64_t i = 0; i < job->rows; i++) {
        for (int64_t j = 0; j < job->cols; j += RUN) {
            int count = (int)(job->cols - j < RUN ? job->cols - j : RUN);
            uint64_t *carry = job->carry + i * job->carry_ld + j;
            memset(r, 0, sizeof r);
            if (job->join != NULL)
                join_run(r, job, i, j, count);
            for (int x = 0; job->add_carry && x < count; x++)
                r[x] = mb_addmod(r[x], carry[x], job->mod);
            if (job->to_carry)
                memcpy(carry, r, (size_t)count * sizeof *r);
            else
                worker->faults |= mb_host_finish(&job->C, i, j, r, count, job->beta, &whole);
        }
    }
    return MODBLAS_OK;
}
