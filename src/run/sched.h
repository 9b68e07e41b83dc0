/* SPDX-License-Identifier: BSD-3-Clause */
/* Hands tasks to the workers of a team. */
#ifndef MB_RUN_SCHED_H
#define MB_RUN_SCHED_H

#include "context.h"

/* Does task `task` of `call` on worker i of the team. */
typedef modblas_status mb_task(void *call, int i, int64_t task);

/* Runs tasks 0 .. count-1. begin orders a task's jobs; finish (may be NULL) does what needs them
 * done, and runs before the worker's next begin. On a synchronous backend every worker has a
 * thread (the caller's is the first); otherwise the calling thread orders task t on worker t mod
 * count. What is run next on the team starts after all of this. The first error wins and stops the
 * rest. */
modblas_status mb_sched_run(const mb_team *team, void *call, int64_t count, mb_task *begin,
                            mb_task *finish);

#endif
