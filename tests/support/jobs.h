/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that are kept and done later. */
#ifndef TEST_SUPPORT_JOBS_H
#define TEST_SUPPORT_JOBS_H

#include "src/backend/host.h"

typedef enum { TEST_JOB_SPLIT, TEST_JOB_JOIN, TEST_JOB_GEMM } test_job_sort;

/* A job and all that it points to. */
typedef struct test_job {
    test_job_sort sort;
    uint32_t *faults;
    mb_split_job split;
    mb_cut cut;
    mb_join_job join;
    mb_join how;
    mb_mod mod;
    mb_gemm_job gemm;
} test_job;

/* Does it as the host does. What entries were at fault goes to job->faults. */
modblas_status test_job_do(mb_worker *worker, const test_job *job);

#endif
