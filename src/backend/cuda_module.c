/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of libmodblas_cuda.so. The module has a mb_fail of its own, which hands the sentence
 * to the library that opened it. */
#include "cuda_worker.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 512 };

static mb_report_fn *report;

modblas_status mb_fail(modblas_status status, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    report(status, sentence);
    return status;
}

MODBLAS_API mb_cuda_entry_fn mb_cuda_module;

const mb_backend *mb_cuda_module(int abi, mb_report_fn *keep)
{
    if (abi != MB_BACKEND_ABI)
        return NULL;
    report = keep;
    return &mb_cuda_table;
}
