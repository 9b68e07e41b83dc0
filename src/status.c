/* SPDX-License-Identifier: BSD-3-Clause */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

enum { DETAIL_SIZE = 4096 };
static _Thread_local char detail[DETAIL_SIZE];

modblas_status(mb_fail)(modblas_status status, const char *format, ...)
{
    /* The arguments may point into the old detail. */
    char sentence[DETAIL_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    snprintf(detail, sizeof detail, "%s", sentence);
    return status;
}

const char *modblas_detail(void)
{
    return detail;
}

const char *modblas_status_text(modblas_status status)
{
    switch (status) {
#define CASE(name, value, text)                                                                   \
    case MODBLAS_##name:                                                                          \
        return text;
        MODBLAS_STATUS_MAP(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *modblas_version(void)
{
    return MODBLAS_VERSION;
}
