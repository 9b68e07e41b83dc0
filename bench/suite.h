/* SPDX-License-Identifier: BSD-3-Clause */
/* Which products a run of modblas-bench makes. */
#ifndef MB_BENCH_SUITE_H
#define MB_BENCH_SUITE_H

#include "options.h"

typedef struct mb_case {
    int64_t m, k, n;
    uint64_t N;
    modblas_type a, b, c;
    modblas_scheme scheme;
    modblas_engine engine;
} mb_case;

/* Writes the products that options ask for on a backend to list, which holds MB_MAX_CASES, and
 * returns their number. Types that are not given follow from the modulus. */
enum { MB_MAX_CASES = MB_MAX_LIST * MB_MAX_LIST };
int mb_suite_cases(const mb_bench_options *options, bool gpu, mb_case *list);

/* Seconds to repeat a product for, where --seconds does not say. */
double mb_suite_seconds(mb_suite suite);

/* The type of C where it is not given: that of A if it holds N - 1. */
modblas_type mb_type_of_result(modblas_type a, uint64_t N);

#endif
