/* SPDX-License-Identifier: BSD-3-Clause */
#include "staged.h"

#include "entry.h"

#include <pthread.h>
#include <string.h>

enum { BUFFERS = 1024 };

static mb_backend staged;
static struct {
    const char *begin;
    size_t size;
} buffer[BUFFERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_workspace(const void *pointer)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS; i++) {
        uintptr_t at = (uintptr_t)pointer, begin = (uintptr_t)buffer[i].begin;
        found = found || (at >= begin && at - begin < buffer[i].size);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Changes the entry that begins at `from`; NULL begins a free one. */
static bool replace(const void *from, const void *to, size_t size)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS && !found; i++) {
        found = buffer[i].begin == from;
        if (found) {
            buffer[i].begin = to;
            buffer[i].size = size;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static modblas_status alloc(mb_worker *worker, void **pointer, size_t bytes)
{
    modblas_status status = mb_backend_host()->alloc(worker, pointer, bytes);
    if (status == MODBLAS_OK && !replace(NULL, *pointer, bytes))
        return mb_fail(MODBLAS_EINTERNAL, "staged: more than %d buffers", (int)BUFFERS);
    return status;
}

static void release(mb_worker *worker, void *pointer)
{
    if (pointer != NULL)
        replace(pointer, NULL, 0);
    mb_backend_host()->free(worker, pointer);
}

static modblas_status locate(mb_worker *worker, const modblas_matrix *view, mb_place *place)
{
    (void)worker;
    *place = is_workspace(view->data) ? MB_PLACE_DIRECT : MB_PLACE_STAGED;
    return MODBLAS_OK;
}

static modblas_status refuse(const char *what)
{
    return mb_fail(MODBLAS_EINTERNAL, "staged: %s is in the wrong memory", what);
}

static modblas_status split(mb_worker *worker, const mb_split_job *job)
{
    if (!is_workspace(job->src.data) || !is_workspace(job->dst))
        return refuse("an operand of split");
    return mb_backend_host()->split(worker, job);
}

static modblas_status gemm(mb_worker *worker, const mb_gemm_job *job)
{
    if (!is_workspace(job->A) || !is_workspace(job->B) || !is_workspace(job->C))
        return refuse("an operand of gemm");
    return mb_backend_host()->gemm(worker, job);
}

static modblas_status join(mb_worker *worker, const mb_join_job *job)
{
    if ((job->join != NULL && !is_workspace(job->acc)) ||
        ((job->to_carry || job->add_carry) && !is_workspace(job->carry)) ||
        (!job->to_carry && !is_workspace(job->C.data)))
        return refuse("an operand of join");
    return mb_backend_host()->join(worker, job);
}

static void copy(const modblas_matrix *dst, const modblas_matrix *src)
{
    for (int64_t at = 0; at < src->rows * src->cols; at++)
        memcpy(test_at(dst, at / src->cols, at % src->cols),
               test_at(src, at / src->cols, at % src->cols), test_type_size(src->type));
}

static modblas_status upload(mb_worker *worker, const modblas_matrix *dst,
                             const modblas_matrix *src)
{
    (void)worker;
    if (!is_workspace(dst->data) || is_workspace(src->data))
        return refuse("an operand of upload");
    copy(dst, src);
    return MODBLAS_OK;
}

static modblas_status download(mb_worker *worker, const modblas_matrix *dst,
                               const modblas_matrix *src)
{
    (void)worker;
    if (is_workspace(dst->data) || !is_workspace(src->data))
        return refuse("an operand of download");
    copy(dst, src);
    return MODBLAS_OK;
}

const mb_backend *test_staged(void)
{
    staged = *mb_backend_host();
    staged.name = "staged";
    staged.synchronous = false;
    staged.alloc = alloc;
    staged.free = release;
    staged.locate = locate;
    staged.split = split;
    staged.gemm = gemm;
    staged.join = join;
    staged.upload = upload;
    staged.download = download;
    return &staged;
}
