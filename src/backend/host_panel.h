/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of panels: for r < ROWS, c < COLS (MB_PLAIN_*),
 *     sum[r*ld + c] += sum_{l<k} a[l*ROWS + r] * b[l*COLS + c]
 * Each kind of sums has words of its own; those that mb_host_panel_reduced takes are residues. */
#ifndef MB_BACKEND_HOST_PANEL_H
#define MB_BACKEND_HOST_PANEL_H

#include "../exact/bound.h"
#include "host.h"

/* Intrinsics of x86. */
#if defined(__x86_64__) && defined(__GNUC__)
#define MB_HOST_X86 1
#else
#define MB_HOST_X86 0
#endif

/* Whether the functions called mb_avx2_* may be. */
bool mb_host_has_avx2(void);

/* All words are the bits of doubles. */
typedef void mb_panel(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b, int64_t k);
mb_panel mb_host_panel_f64, mb_avx2_panel_f64;

/* Modulo 2^64. */
mb_panel mb_host_panel_u64, mb_avx2_panel_u64;

/* Signed words, of a and b in 32 bits; the sums are folded as `fold` says (src/exact/bound.h), and
 * at the end: |sum| <= fold->by before and after. */
typedef void mb_panel_folded(uint64_t *sum, int64_t ld, const uint64_t *a, const uint64_t *b,
                             int64_t k, const mb_fold *fold);
mb_panel_folded mb_host_panel_i64, mb_avx2_panel_i64;

/* C <- A * B^T on bytes, exact in 32 bits as that of a gemm job on i8, for k a multiple of 16;
 * space is a worker's `bytes`. */
void mb_avx2_gemm_i8(int32_t *space, int64_t m, int64_t n, int64_t k, const int8_t *A, int64_t lda,
                     const int8_t *B, int64_t ldb, int32_t *C, int64_t ldc);

/* HALVES: words are residues. DIGITS: MB_DIGITS doubles for each residue of a and b,
 * MB_DIGIT_LANES apart, digit i of line r < MB_DIGIT_LANES at place l in
 * (l*MB_DIGITS + i)*MB_DIGIT_LANES + r; and only columns c < MB_DIGIT_LANES are summed. */
enum { MB_DIGIT_LANES = 4 };
void mb_host_panel_reduced(mb_sums sums, uint64_t *sum, int64_t ld, const uint64_t *a,
                           const uint64_t *b, int64_t k, const mb_mod *mod);

#endif
