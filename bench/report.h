/* SPDX-License-Identifier: BSD-3-Clause */
/* Results and their notations. */
#ifndef MB_BENCH_REPORT_H
#define MB_BENCH_REPORT_H

#include "options.h"
#include "suite.h"

#include <stdio.h>

enum { MB_ROW_TEXT = 280, MB_ROW_TYPE = 16 };

/* One product and what was measured of it; NAN: not measured. */
typedef struct mb_row {
    mb_case what;
    const char *backend;
    char device[MB_ROW_TEXT];
    modblas_scheme scheme;
    const char *engine;
    int moduli; /* of the rns scheme, else 0 */
    int digits_a, digits_b;
    int workers;
    bool on_device;
    bool packed;           /* A was */
    const char *layout[3]; /* of A, B, C */
    char *plan;            /* in words; freed by mb_row_free */
    double seconds_min, seconds_median, seconds_max;
    double kernel_seconds, split_seconds, crt_seconds, gemm_seconds;
    double gemm_fraction, bytes, copy_gbps;
    double peer_flint_seconds, peer_naive_seconds;
    mb_check verified;
    bool expected; /* --expect compared it */
    modblas_status status;
} mb_row;

mb_row mb_row_empty(const mb_case *what);
void mb_row_free(mb_row *row);

/* "u32", or "u8,u16,u64" for A, B, C if they differ. */
void mb_row_type(char text[MB_ROW_TYPE], const mb_case *what);

/* "4096^3 mod 2^31-1", or "10 x 20 x 30 mod 251" for m, k, n. */
void mb_case_name(char text[MB_ROW_TEXT], const mb_case *what);

void mb_table_head(FILE *file);
void mb_table_row(FILE *file, const mb_row *row);
void mb_write_csv(FILE *file, const mb_row *rows, int count);
void mb_write_json(FILE *file, const mb_row *rows, int count);

/* A string with its quotes. */
void mb_write_json_text(FILE *file, const char *text);

/* The commit that this program was built from. */
const char *mb_commit(void);

#endif
