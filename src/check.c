/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "run/operands.h"

#include <inttypes.h>

modblas_status mb_check_options(const modblas_options *o)
{
    if (o->size != sizeof *o)
        return mb_fail(MODBLAS_EINVAL, "options.size is %zu; modblas_options_init sets it to %zu",
                       o->size, sizeof *o);
    if ((unsigned)o->backend > MODBLAS_BACKEND_CUDA)
        return mb_fail(MODBLAS_EINVAL, "options.backend is %d; 0 to 2 are backends",
                       (int)o->backend);
    if ((unsigned)o->verify > MODBLAS_VERIFY_FREIVALDS)
        return mb_fail(MODBLAS_EINVAL, "options.verify is %d; 0 and 1 are allowed",
                       (int)o->verify);
    if (o->workers < 0 || o->workers > MB_MAX_WORKERS)
        return mb_fail(MODBLAS_EINVAL, "options.workers is %d; 0 to %d are allowed", o->workers,
                       (int)MB_MAX_WORKERS);
    if (o->device_count < 0 || o->device_count > MB_MAX_DEVICES ||
        (o->device_count > 0 && o->devices == NULL))
        return mb_fail(MODBLAS_EINVAL,
                       "options.device_count is %d; 0 to %d are allowed, with a list of devices",
                       o->device_count, (int)MB_MAX_DEVICES);
    return MODBLAS_OK;
}

modblas_status mb_check_devices(const modblas_options *o, const mb_backend *backend)
{
    int count = backend->device_count();
    for (int d = 0; d < o->device_count; d++) {
        if (o->devices[d] < 0 || o->devices[d] >= count)
            return mb_fail(MODBLAS_EINVAL, "options.devices[%d] is %d; %s has devices 0 to %d", d,
                           o->devices[d], backend->name, count - 1);
        for (int e = 0; e < d; e++) {
            if (o->devices[e] == o->devices[d])
                return mb_fail(MODBLAS_EINVAL, "options.devices names device %d twice",
                               o->devices[d]);
        }
    }
    return MODBLAS_OK;
}

modblas_status mb_check_problem(const modblas_problem *p)
{
    if (p->m < 0 || p->n < 0 || p->k < 0)
        return mb_fail(MODBLAS_EINVAL,
                       "m, n, k are %" PRId64 ", %" PRId64 ", %" PRId64 "; sizes are at least 0",
                       p->m, p->n, p->k);
    const modblas_type type[] = {p->a, p->b, p->c};
    const int64_t size[][2] = {{p->m, p->k}, {p->k, p->n}, {p->m, p->n}};
    for (int i = 0; i < 3; i++) {
        if (!mb_type_is_valid(type[i]))
            return mb_fail(MODBLAS_EINVAL, "%c has type %d; types are MODBLAS_U8 to MODBLAS_F64",
                           "ABC"[i], (int)type[i]);
        if (!mb_size_fits(size[i][0], size[i][1], type[i]))
            return mb_fail(MODBLAS_EINVAL,
                           "%c of %" PRId64 " x %" PRId64 " does not fit the address space",
                           "ABC"[i], size[i][0], size[i][1]);
    }
    if (!mb_mod_fits_type(p->N, p->c))
        return mb_fail(MODBLAS_EINVAL,
                       "C of type %s cannot hold residues mod %" PRIu64
                       "%s; it holds those mod N <= %" PRIu64 " + 1",
                       mb_type_name(p->c), p->N, p->N ? "" : " (2^64)", mb_type_largest(p->c));
    return MODBLAS_OK;
}

modblas_status mb_check_views(const modblas_matrix *C, const modblas_matrix *A,
                              const modblas_matrix *B)
{
    modblas_status status = MODBLAS_OK;
    MB_TRY(mb_view_check(A, 'A'));
    MB_TRY(mb_view_check(B, 'B'));
    MB_TRY(mb_view_check(C, 'C'));
    if (A->rows != C->rows || B->cols != C->cols || A->cols != B->rows)
        return mb_fail(MODBLAS_EINVAL,
                       "A is %" PRId64 " x %" PRId64 ", B %" PRId64 " x %" PRId64 ", C %" PRId64
                       " x %" PRId64 "; they must be m x k, k x n and m x n",
                       A->rows, A->cols, B->rows, B->cols, C->rows, C->cols);
    if (mb_view_overlaps_itself(C))
        return mb_fail(MODBLAS_EINVAL,
                       "C of %" PRId64 " x %" PRId64 " with strides %" PRId64 ", %" PRId64
                       " overlaps itself",
                       C->rows, C->cols, C->row_stride, C->col_stride);
fail:
    return status;
}

modblas_status mb_check_plan_options(const modblas_plan_options *o)
{
    if (o->size != sizeof *o)
        return mb_fail(MODBLAS_EINVAL,
                       "options.size is %zu; modblas_plan_options_init sets it to %zu", o->size,
                       sizeof *o);
    if ((unsigned)o->scheme > MODBLAS_SCHEME_PLAIN || (unsigned)o->engine > MODBLAS_ENGINE_F32)
        return mb_fail(MODBLAS_EINVAL,
                       "scheme is %d, engine %d; schemes are 0 to 4, engines 0 to 3",
                       (int)o->scheme, (int)o->engine);
    if (o->tile_m < 0 || o->tile_n < 0 || o->chunk_k < 0)
        return mb_fail(MODBLAS_EINVAL,
                       "tile_m, tile_n, chunk_k are %" PRId64 ", %" PRId64 ", %" PRId64
                       "; sizes are at least 0",
                       o->tile_m, o->tile_n, o->chunk_k);
    return MODBLAS_OK;
}
