/* SPDX-License-Identifier: BSD-3-Clause */
#include "jobs.h"

modblas_status test_job_do(mb_worker *w, const test_job *j)
{
    const mb_backend *host = mb_backend_host();
    mb_split_job split = j->split;
    mb_join_job join = j->join;
    modblas_status status;
    split.cut = &j->cut;
    join.join = join.join != NULL ? &j->how : NULL;
    join.mod = &j->mod;
    if (j->sort == TEST_JOB_SPLIT)
        status = host->split(w, &split);
    else if (j->sort == TEST_JOB_JOIN)
        status = host->join(w, &join);
    else
        status = host->gemm(w, &j->gemm);
    __atomic_fetch_or(j->faults, w->faults, __ATOMIC_RELAXED);
    w->faults = 0;
    return status;
}
