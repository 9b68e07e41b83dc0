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

/* Digits whose offset is at most MB_HOST_REAL_LIMIT. */
MB_MANY_TARGETS static void cut_small_digits(double *dst, const uint64_t *u, int count, int i,
                                             const mb_cut *cut)
{
    for (int j = 0; j < count; j++)
        dst[j] = mb_host_real(mb_cut_digit(u[j], i, cut));
}

/* The same for narrower operands, which are small. */
MB_MANY_TARGETS static void cut_narrow_digits(void *dst, mb_element type, const uint64_t *u,
                                              int count, int i, const mb_cut *cut)
{
    const uint32_t shift = (uint32_t)i * cut->radix_bits;
    const uint64_t mask = cut->mask, offset = cut->offset;
    for (int j = 0; j < count && type == MB_ELEMENT_I8; j++)
        ((int8_t *)dst)[j] = (int8_t)(((u[j] >> shift) & mask) - offset);
    for (int j = 0; j < count && type == MB_ELEMENT_F32; j++)
        ((float *)dst)[j] = (float)(int32_t)(((u[j] >> shift) & mask) - offset);
}

static void cut_run(void *dst, mb_element type, const uint64_t *u, int count, int i,
                    const mb_cut *cut)
{
    const mb_plane *plane = &cut->plane[i];
    bool doubles = type == MB_ELEMENT_F64;
    if (cut->kind == MB_CUT_BYTEWISE && type == MB_ELEMENT_I8) {
        cut_bytes(dst, u, count, plane);
    } else if (cut->kind == MB_CUT_DIGITS && doubles && cut->offset <= MB_HOST_REAL_LIMIT) {
        cut_small_digits(dst, u, count, i, cut);
    } else if (cut->kind == MB_CUT_DIGITS && !doubles) {
        cut_narrow_digits(dst, type, u, count, i, cut);
    } else if (cut->kind == MB_CUT_DIGITS) {
        CUT_RUN_OF_TYPE(mb_cut_digit(u[j], i, cut))
    } else if (cut->kind == MB_CUT_BYTEWISE) {
        CUT_RUN_OF_TYPE(mb_cut_bytewise(u[j], plane))
    } else {
        CUT_RUN_OF_TYPE(mb_cut_wide(u[j], plane))
    }
}

MB_MANY_TARGETS static void center_run(uint64_t *u, const uint64_t *r, int count, int t,
                                       const mb_cut *cut)
{
    const mb_mod mod = cut->mod;
    for (int j = 0; j < count && (cut->raw || t > 0); j++)
        u[j] = mb_cut_u(r[j], t, cut);
    for (int j = 0; j < count && !cut->raw && t == 0; j++)
        u[j] = mb_addmod(r[j], cut->center, &mod);
}

/* All planes of the entries r[], which are j0 .. j0+count-1 of line l; `zeros` places after them
 * are cleared. */
static void split_run(const mb_split_job *job, const uint64_t *r, int64_t l, int64_t j0, int count,
                      int64_t zeros)
{
    uint64_t u[RUN];
    double lo[RUN], hi[RUN];
    const mb_cut *cut = job->cut;
    size_t size = mb_element_size(job->type);
    bool wide = cut->kind == MB_CUT_WIDE && job->type == MB_ELEMENT_F64;
    for (int t = 0; t < cut->folds; t++) {
        center_run(u, r, count, t, cut);
        if (wide)
            mb_host_halves(lo, hi, u, count);
        for (int i = 0; i < cut->planes; i++) {
            int64_t at = t * job->fold_stride + i * job->plane_stride + l * job->ld + j0;
            char *dst = (char *)job->dst + at * (int64_t)size;
            if (wide && mb_host_is_divisor(cut->plane[i].m, MB_HOST_WIDE))
                mb_host_cut_wide((double *)dst, lo, hi, count, &cut->plane[i]);
            else
                cut_run(dst, job->type, u, count, i, cut);
            memset(dst + (size_t)count * size, 0, (size_t)zeros * size);
        }
    }
}

/* The same, folds side by side. */
static void interleave_run(const mb_split_job *job, const uint64_t *r, int64_t l, int64_t j0,
                           int count)
{
    const mb_cut *cut = job->cut;
    for (int j = 0; j < count; j++) {
        int8_t *dst = (int8_t *)job->dst + l * job->ld + (j0 + j) * cut->folds;
        for (int t = 0; t < cut->folds; t++) {
            const uint64_t u = mb_cut_u(r[j], t, cut);
            for (int i = 0; i < cut->planes; i++)
                dst[i * job->plane_stride + t] = (int8_t)mb_cut_digit(u, i, cut);
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
            for (int i = 0; i < lines && job->interleaved; i++)
                interleave_run(job, r[i], l + i, j, count);
            for (int i = 0; i < lines && !job->interleaved; i++)
                split_run(job, r[i], l + i, j, count, last ? job->k_padded - k : 0);
        }
    }
    for (int64_t l = job->src.rows; l < job->lines_padded; l++)
        clear_line(job, l);
    return MODBLAS_OK;
}

typedef void joiner(uint64_t *r, const void *sums, mb_element type, int64_t stride, int count,
                    const mb_join *join);

/* What joins sums by double arithmetic; NULL if nothing does. */
static joiner *joiner_of(const mb_join *join, mb_element sums)
{
    if (sums != MB_ELEMENT_I32 && sums != MB_ELEMENT_F32 && sums != MB_ELEMENT_F64)
        return NULL;
    if (!join->residues) {
        bool fits = join->terms <= 4 && mb_host_is_divisor(join->mod.n, MB_HOST_DIGITS);
        return fits ? mb_host_join_digits : NULL;
    }
    for (int p = 0; p < join->terms; p++) {
        if (!mb_host_is_divisor(join->term[p].m, MB_HOST_WIDE))
            return NULL;
    }
    return mb_host_join_residues;
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
        } else if (job->acc_type == MB_ELEMENT_I64) {
            for (int j = 0; j < count; j++)
                mb_join_i64(&s[j], ((const int64_t *)job->acc)[at + j], term, join);
        } else if (job->acc_type == MB_ELEMENT_U8) {
            for (int j = 0; j < count; j++)
                mb_join_add(&s[j], ((const uint8_t *)job->acc)[at + j], term, join);
        } else if (job->acc_type == MB_ELEMENT_U16) {
            for (int j = 0; j < count; j++)
                mb_join_add(&s[j], ((const uint16_t *)job->acc)[at + j], term, join);
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
    const int64_t size = (int64_t)mb_element_size(job->acc_type);
    uint64_t r[RUN];
    joiner *by_doubles = job->join != NULL ? joiner_of(job->join, job->acc_type) : NULL;
    for (int64_t i = 0; i < job->rows; i++) {
        for (int64_t j = 0; j < job->cols; j += RUN) {
            int count = (int)(job->cols - j < RUN ? job->cols - j : RUN);
            int64_t at = i * job->carry_ld + j; /* carry may be NULL */
            if (job->join == NULL)
                memset(r, 0, sizeof r);
            else if (by_doubles != NULL)
                by_doubles(r, (const char *)job->acc + (i * job->acc_ld + j) * size, job->acc_type,
                           job->acc_plane_stride, count, job->join);
            else
                join_run(r, job, i, j, count);
            for (int x = 0; job->add_carry && x < count; x++)
                r[x] = mb_addmod(r[x], job->carry[at + x], job->mod);
            if (job->to_carry)
                memcpy(&job->carry[at], r, (size_t)count * sizeof *r);
            else
                worker->faults |= mb_host_finish(&job->C, i, j, r, count, job->beta, &whole);
        }
    }
    return MODBLAS_OK;
}
