/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the host backend. */
#ifndef MB_BACKEND_HOST_H
#define MB_BACKEND_HOST_H

#include "../exact/type.h"
#include "backend.h"

/* Compiled for wider vectors too, where the loader can choose; sanitizers cannot follow that. For
 * static functions: the loader's choice is exported whatever its visibility. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&     \
    !defined(__clang__) && __GNUC__ >= 12
#define MB_MANY_TARGETS                                                                           \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MB_MANY_TARGETS
#endif

enum { MB_HOST_SUMS = 1 << 14 };

/* Bytes that are packed at a time. */
enum { MB_BYTES_LINES = 192, MB_BYTES_DEPTH = 512 };

struct mb_worker {
    uint32_t faults;
    union {
        int32_t sums[2][MB_HOST_SUMS]; /* of products that leave residues */
        int64_t words[MB_HOST_SUMS];
    };
    int32_t bytes[MB_BYTES_LINES * MB_BYTES_DEPTH / 2]; /* of mb_avx2_gemm_i8 */
    double stamp[MB_MAX_STAMPS];
};

/* Operands are read in blocks of so many lines and places, which stay in the first cache. */
enum { MB_HOST_RUN = 256, MB_HOST_LINES = 8 };

/* x as a double: as an integer it is added to the bits of 3 * 2^51, next to which doubles are the
 * integers. Requires |x| <= MB_HOST_REAL_LIMIT. */
#define MB_HOST_REAL_LIMIT ((uint64_t)1 << 51)
static inline double mb_host_real(int64_t x)
{
    const double middle = 6755399441055744.0;
    union {
        double real;
        uint64_t bits;
    } u = {middle};
    u.bits += (uint64_t)x;
    return u.real - middle;
}

/* Address of entry (i, j). */
static inline void *mb_host_at(const modblas_matrix *view, int64_t i, int64_t j)
{
    int64_t offset = i * view->row_stride + j * view->col_stride;
    return (char *)view->data + offset * (int64_t)mb_type_size(view->type);
}

/* r[x][y] is what entry (i + x, j + y) of the view enters as (kernels/scheme.h), x < lines <=
 * MB_HOST_LINES, y < count <= MB_HOST_RUN. Returns the faults met. */
uint32_t mb_host_enter(uint64_t (*r)[MB_HOST_RUN], const modblas_matrix *view, int64_t i,
                       int64_t j, int lines, int count, const mb_cut *cut);

/* panel[y*width + x] is what entry (i + x, j + y) of the view enters as, x < lines, y < count; and
 * what 0 enters as for lines <= x < width. Width is MB_PLAIN_ROWS or MB_PLAIN_COLS. Returns the
 * faults met. */
uint32_t mb_host_enter_panel(uint64_t *panel, int width, const modblas_matrix *view, int64_t i,
                             int64_t j, int lines, int count, const mb_cut *cut);

/* Stores r + beta*C, residues, at entries (i, j) .. (i, j + count - 1) of C; `whole` says how C's
 * entries enter. Returns the faults of C. r is overwritten. */
uint32_t mb_host_finish(const modblas_matrix *C, int64_t i, int64_t j, uint64_t *r, int count,
                        uint64_t beta, const mb_cut *whole);

/* True if 16 < m <= most: the numbers that the functions below divide by. */
bool mb_host_is_divisor(uint64_t m, uint64_t most);
#define MB_HOST_WIDE ((uint64_t)1 << 20)
#define MB_HOST_DIGITS ((uint64_t)1 << 31)

/* The halves of u[], for mb_host_cut_wide. */
void mb_host_halves(double *lo, double *hi, const uint64_t *u, int count);

/* dst[] is mb_cut_wide of the u[] whose halves these are. Requires: m a divisor up to
 * MB_HOST_WIDE. */
void mb_host_cut_wide(double *dst, const double *lo, const double *hi, int count,
                      const mb_plane *plane);

/* r[j] is the join of sums[p * stride + j], p < terms, of type I32, F32 or F64. Requires of
 * digits: N a divisor up to MB_HOST_DIGITS, at most 4 terms; of residues: every m a divisor up to
 * MB_HOST_WIDE. */
void mb_host_join_digits(uint64_t *r, const void *sums, mb_element type, int64_t stride, int count,
                         const mb_join *join);
void mb_host_join_residues(uint64_t *r, const void *sums, mb_element type, int64_t stride,
                           int count, const mb_join *join);

modblas_status mb_host_split(mb_worker *worker, const mb_split_job *job);
modblas_status mb_host_join(mb_worker *worker, const mb_join_job *job);
modblas_status mb_host_gemm(mb_worker *worker, const mb_gemm_job *job);
modblas_status mb_host_plain(mb_worker *worker, const mb_plain_job *job);

/* Plain jobs of at most MB_PLAIN_FEW columns. */
void mb_host_few(mb_worker *worker, const mb_plain_job *job);

/* Stores alpha*residues + beta*C, the residues of rows i .. i + rows - 1 with leading dimension
 * ld, which are overwritten. Returns the faults of C. */
uint32_t mb_host_plain_store(const mb_plain_job *job, uint64_t *residues, int64_t ld, int64_t i,
                             int64_t rows);

/* Multiplies panels of `rows` rows, and the first `depth` places of a job's columns, that are
 * packed. */
void mb_host_plain_block(const mb_plain_job *job, uint64_t *sums, int64_t rows, int64_t depth);

/* What one core does in GEMMs and in plain jobs: measured once per process, in less than 20 ms, or
 * told by MODBLAS_HOST_RATES. */
void mb_host_rates(mb_rates *rates);

/* What does the GEMMs of the host's engines, found out once per process: names, and whether INT8
 * is a library's, which wants larger products. */
void mb_host_gemm_libraries(char *text, size_t size);
bool mb_host_gemm_is_fast(void);

#endif
