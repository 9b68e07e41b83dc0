/* SPDX-License-Identifier: BSD-3-Clause */
/* C <- beta*C: a join without sums. */
#include "exec.h"
#include "operands.h"

/* C in host memory goes through a buffer of about this size. */
static const int64_t buffer_bytes = (int64_t)32 << 20;

static modblas_status scale_rows(const mb_team *team, mb_join_job *job, const modblas_matrix *rows,
                                 mb_place place)
{
    modblas_status status = MODBLAS_OK;
    const mb_backend *backend = team->device->backend;
    mb_worker *worker = mb_team_worker(team, 0);
    job->C = *rows;
    job->rows = rows->rows;
    job->cols = rows->cols;
    if (place == MB_PLACE_DIRECT)
        return backend->join(worker, job);
    job->C.data = mb_team_memory(team, 0);
    job->C.row_stride = rows->cols;
    job->C.col_stride = 1;
    if (job->beta != 0)
        MB_TRY(backend->upload(worker, &job->C, rows));
    MB_TRY(backend->join(worker, job));
    MB_TRY(backend->download(worker, rows, &job->C));
fail:
    return status;
}

modblas_status mb_exec_scale(modblas_context *context, mb_device *device, const modblas_matrix *C,
                             uint64_t beta, uint64_t N)
{
    modblas_status status = MODBLAS_OK, waited;
    uint32_t faults = 0;
    mb_team team;
    mb_mod mod = mb_mod_make(N);
    mb_place place;
    mb_join_job job = {.mod = &mod, .float_limit = MB_FLOAT_LIMIT, .beta = beta};
    MB_TRY(context->backend->locate(device->slot[0].worker, C, &place));
    int64_t row = C->cols * (int64_t)mb_type_size(C->type), step = C->rows;
    if (place == MB_PLACE_STAGED && step > buffer_bytes / row)
        step = row < buffer_bytes ? buffer_bytes / row : 1;
    uint64_t buffer = place == MB_PLACE_STAGED ? (uint64_t)(step * row) : 0;
    MB_TRY(mb_team_take(&team, context, device, 1, 0, buffer));
    for (int64_t i = 0; i < C->rows && status == MODBLAS_OK; i += step) {
        modblas_matrix rows = mb_window(C, i, 0, mb_lesser(step, C->rows - i), C->cols);
        status = scale_rows(&team, &job, &rows, place);
    }
    waited = mb_team_wait(&team, &faults);
    status = status == MODBLAS_OK ? waited : status;
    mb_team_give(&team);
    return status == MODBLAS_OK ? mb_judge_faults(faults, false) : status;
fail:
    return status;
}

modblas_status mb_exec_order_scale(const mb_team *team, const modblas_matrix *C, uint64_t beta,
                                   uint64_t N)
{
    mb_mod mod = mb_mod_make(N);
    mb_join_job job = {.mod = &mod, .float_limit = MB_FLOAT_LIMIT, .beta = beta};
    return scale_rows(team, &job, C, MB_PLACE_DIRECT);
}
