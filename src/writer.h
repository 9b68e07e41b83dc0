/* SPDX-License-Identifier: BSD-3-Clause */
/* Text into a buffer of any size: what does not fit is counted, not written. */
#ifndef MB_WRITER_H
#define MB_WRITER_H

#include <stddef.h>

typedef struct mb_writer {
    char *text;  /* always ends with a 0 if size > 0 */
    size_t size; /* bytes at text */
    size_t used; /* bytes needed so far, without the final 0 */
} mb_writer;

__attribute__((format(printf, 2, 3))) void mb_put(mb_writer *writer, const char *format, ...);

#endif
