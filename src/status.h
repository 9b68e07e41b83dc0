/* SPDX-License-Identifier: BSD-3-Clause */
/* Statuses with a sentence of detail, kept per host thread. */
#ifndef MB_STATUS_H
#define MB_STATUS_H

#include "modblas.h"

/* Stores the sentence as the calling thread's detail and returns status. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
modblas_status
mb_fail(modblas_status status, const char *format, ...);

/* The analyzer does not look into other files, and would go on after a failure. */
#if defined(__clang_analyzer__)
#define mb_fail(status, ...) ((void)mb_fail(status, __VA_ARGS__), (status))
#endif

/* Evaluates a status once; jumps to `fail` unless it is OK. Needs a variable `status`. */
#define MB_TRY(call)                                                                              \
    do {                                                                                          \
        status = (call);                                                                          \
        if (status != MODBLAS_OK)                                                                 \
            goto fail;                                                                            \
    } while (0)

#endif
