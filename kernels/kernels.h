/* SPDX-License-Identifier: BSD-3-Clause */
/* Launchers of the CUDA kernels. kernels/README.md is the contract: operation, layout, alignment,
 * edge cases and costs.
 *
 * Each orders one kernel on `stream`, of the current device, and returns the launch's status. All
 * pointers are to memory that the device can read and write; arguments are copied before return.
 * Sizes and strides are 64-bit; an empty job launches nothing. */
#ifndef MB_KERNELS_KERNELS_H
#define MB_KERNELS_KERNELS_H

#include "../include/modblas.h"
#include "batch.h"
#include "scheme.h"

#include <cuda_runtime_api.h>

/* Columns of x that one launch of the check's kernel treats in one pass over M. */
enum { MB_CHECK_COLUMNS = 5 };

/* Planes of one operand; strides in elements of dst.
 * Requires, unless wide: dst aligned to 16 bytes; ld, both strides and k_padded multiples of 16;
 * cut.kind is not MB_CUT_WIDE. */
typedef struct mb_split_args {
    modblas_matrix src; /* lines x k */
    void *dst;
    int wide; /* planes are double, else int8 */
    int64_t ld, plane_stride, fold_stride;
    int64_t lines_padded, k_padded;
    uint32_t *faults; /* bits are ORed in, shifted left by `operand` */
    int operand;
    /* Folds lie side by side: fold t of entry (l, j) of plane i at dst + i*plane_stride + l*ld +
     * j*folds + t. Requires cut.kind MB_CUT_DIGITS of 8 bits; folds are 1, 2, 4 or 8, and dst, ld
     * and plane_stride multiples of that; padded sizes are those of src. */
    int interleaved;
} mb_split_args;

/* Sums to residues; see mb_join_job in src/backend/backend.h for the operation.
 * Requires: sums are double if join.wide, uint8 or uint16 if join.reduced is 1 or 2, else int32;
 * acc_ld >= cols, and for uint8 acc, acc_ld and acc_plane_stride multiples of 4: a word is read
 * beyond the last column. */
typedef struct mb_join_args {
    const void *acc;
    int64_t acc_ld, acc_plane_stride;
    int64_t rows, cols;
    uint64_t *carry;
    int64_t carry_ld;
    int add_carry, to_carry;
    modblas_matrix C;
    uint64_t beta;
    double float_limit;
    uint32_t *faults;
} mb_join_args;

/* y[i*count + r] = sum_j M[i][j] * x[j*count + r] mod N, N = 2^64 written 0; y[i*count] = N if
 * `residues` is set and a row of M holds anything but residues as its type stores them. */
typedef struct mb_check_args {
    modblas_matrix M;
    const uint64_t *x;
    uint64_t *y;
    int count;
    int residues;
    uint64_t N;
} mb_check_args;

/* INT8 products whose sums leave as residues: for i < count, r < m, c < n
 *     C[i*stride_c + r*ldc + c] = (sum_{u<digits} 256^u sum_{j<k} A[i*stride_a + r*lda + j] *
 *                                  B[(i*digits + u)*stride_b + c*ldb + j]) mod moduli[i]
 * in [0, moduli[i]), as uint8 if digits is 1, as uint16 if it is 2; strides in elements.
 * Requires: compute capability 9.0; 0 < count*digits <= MB_MAX_PLANES; m, n, k > 0 and below 2^31
 * - 256; A, B, C and all strides in bytes multiples of 16, k too; strides of A and B may be 0. 2
 * <= moduli[i] <= 256 if digits is 1, 512 < moduli[i] <= 65536 if it is 2. Bound: |every sum over
 * j| <= 2^31 - 1. */
typedef struct mb_fused_args {
    const int8_t *A, *B;
    void *C;
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    int64_t stride_a, stride_b, stride_c;
    int count;
    int digits;
    const uint32_t *moduli; /* in host memory */
} mb_fused_args;

/* `count` tiles of fused products, all in device memory: for each tile, with p its product,
 *     C(i, j) = alpha * sum_l A(i, l) B(l, j) + p.beta * C(i, j) mod N      for (i, j) in the tile
 * Requires: products have `digits` digits (1, 2, 4 or 8), 0 < m, n and 0 < k <=
 * MB_BATCH_LONGEST_K; size is that of all entries of A and B, or 0; a tile lies in C; no C
 * overlaps an input; rules are as batch.h says, with N <= 2^32 if digits <= MB_BATCH_WORD_DIGITS.
 */
typedef struct mb_batch_args {
    const mb_batch_product *products;
    const mb_batch_rule *rules;
    const mb_batch_tile *tiles;
    int count;
    int digits;
    int size;
    uint32_t *faults;
} mb_batch_args;

/* Thin INT8 products: for u < terms, r < m, c < n
 *     C[u*term_stride + c*ldc + r] = sum_{j<k} A[r*lda + j] * B[(u*n + c)*ldb + j]
 * A is uint8 if a_unsigned, else int8; strides in elements. Sums of longest_k products fit 32
 * bits. Requires: compute capability 9.0; 0 < n*terms <= 256; m, k > 0 and below 2^31
 * - 256; longest_k >= 128; A, B, lda and ldb multiples of 16. */
typedef struct mb_thin_args {
    const void *A;
    const int8_t *B;
    int64_t *C;
    int64_t m, k;
    int n, terms;
    int64_t lda, ldb, ldc, term_stride;
    int64_t longest_k;
    int a_unsigned;
} mb_thin_args;

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t mb_launch_split(const mb_cut *cut, const mb_split_args *args, cudaStream_t stream);
cudaError_t mb_launch_join(const mb_join *join, const mb_join_args *args, cudaStream_t stream);
cudaError_t mb_launch_fused(const mb_fused_args *args, cudaStream_t stream);
cudaError_t mb_launch_batch(const mb_batch_args *args, cudaStream_t stream);
cudaError_t mb_launch_thin(const mb_thin_args *args, cudaStream_t stream);
cudaError_t mb_launch_check(const mb_check_args *args, cudaStream_t stream);

/* The same into a node of an executable graph: later launches of the graph have these arguments.
 * Requires: the node was captured from a launch of sums and entries of the same types. */
cudaError_t mb_revise_split(const mb_cut *cut, const mb_split_args *args, cudaGraphExec_t exec,
                            cudaGraphNode_t node);
cudaError_t mb_revise_join(const mb_join *join, const mb_join_args *args, cudaGraphExec_t exec,
                           cudaGraphNode_t node);
cudaError_t mb_revise_thin(const mb_thin_args *args, cudaGraphExec_t exec, cudaGraphNode_t node);
cudaError_t mb_revise_fused(const mb_fused_args *args, cudaGraphExec_t exec, cudaGraphNode_t node);

#ifdef __cplusplus
}
#endif

#endif
