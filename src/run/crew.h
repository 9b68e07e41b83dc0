/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that do the tasks of one call, each a call of its own. */
#ifndef MB_RUN_CREW_H
#define MB_RUN_CREW_H

#include "../status.h"

/* Does task number `task`; any number of threads at once. */
typedef modblas_status mb_crew_task(void *call, int64_t task);

/* Does tasks 0 .. count-1 on `threads` threads, the caller's among them, as they come. One that
 * cannot be had is done without. The first failure wins, with its detail, and stops the rest. */
modblas_status mb_crew_run(int threads, int64_t count, mb_crew_task *task, void *call);

#endif
