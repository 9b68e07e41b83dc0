/* SPDX-License-Identifier: BSD-3-Clause */
/* An assertion about calls that must be refused. */
#ifndef TEST_SUPPORT_REFUSED_H
#define TEST_SUPPORT_REFUSED_H

#include "src/status.h"

#include <check.h>
#include <string.h>

/* The call fails so, and leaves a detail of its own. */
#define REFUSED(expected, call)                                                                   \
    do {                                                                                          \
        mb_fail(MODBLAS_EINTERNAL, "untouched");                                                  \
        ck_assert_int_eq(call, MODBLAS_##expected);                                               \
        ck_assert_str_ne(modblas_detail(), "untouched");                                          \
        ck_assert_uint_gt(strlen(modblas_detail()), 10);                                          \
    } while (0)

#endif
