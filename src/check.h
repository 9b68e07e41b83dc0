/* SPDX-License-Identifier: BSD-3-Clause */
/* Argument checks of the public entry points: EINVAL with a sentence that says what is wrong,
 * where, and what is allowed. */
#ifndef MB_CHECK_H
#define MB_CHECK_H

#include "backend/backend.h"

modblas_status mb_check_options(const modblas_options *o);

/* The devices named are the backend's, each once. */
modblas_status mb_check_devices(const modblas_options *o, const mb_backend *backend);

modblas_status mb_check_plan_options(const modblas_plan_options *o);

/* Sizes, types, and that C's type holds residues mod N. */
modblas_status mb_check_problem(const modblas_problem *p);

/* Legal views of matching sizes; C does not overlap itself. */
modblas_status mb_check_views(const modblas_matrix *C, const modblas_matrix *A,
                              const modblas_matrix *B);

#endif
