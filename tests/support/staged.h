/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's backend behind the interface of a GPU's: workspace is memory of its own, operands in
 * host memory must be uploaded and downloaded, and one thread orders the jobs of all workers. A
 * job that is given memory of the wrong kind fails with EINTERNAL. */
#ifndef TEST_SUPPORT_STAGED_H
#define TEST_SUPPORT_STAGED_H

#include "src/backend/backend.h"

const mb_backend *test_staged(void);

#endif
