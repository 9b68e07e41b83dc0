/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

void mb_put(mb_writer *w, const char *format, ...)
{
    char none[1];
    bool room = w->used < w->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room ? w->text + w->used : none, room ? w->size - w->used : 0, format, args);
    va_end(args);
    w->used += n > 0 ? (size_t)n : 0;
}
