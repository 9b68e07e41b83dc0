/* SPDX-License-Identifier: BSD-3-Clause */
/* The thin product of Freivalds' check in plain C, for matrices in host memory on any backend. */
#ifndef MB_CHECK_HOST_H
#define MB_CHECK_HOST_H

#include "backend.h"

/* See mb_check_job. */
modblas_status mb_check_host(const mb_check_job *job);

#endif
