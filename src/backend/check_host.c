/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_host.h"

typedef unsigned __int128 u128;

/* Columns of x treated in one pass over a row. */
enum { COLUMNS = 8 };

/* high*2^128 + low, exactly. */
typedef struct sum {
    u128 low;
    int64_t high;
} sum;

typedef struct entry {
    uint64_t magnitude;
    bool negative;
} entry;

static entry entry_of_unsigned(uint64_t v)
{
    return (entry){.magnitude = v};
}

static entry entry_of_signed(int64_t v)
{
    return (entry){.magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, .negative = v < 0};
}

/* Entries that are no integers below 2^63 were reported by the product; here they are 0. */
static entry entry_of_double(double x)
{
    return x > -0x1p63 && x < 0x1p63 ? entry_of_signed((int64_t)x) : (entry){0};
}

static entry entry_at(const modblas_matrix *M, int64_t i, int64_t j)
{
    const int64_t at = i * M->row_stride + j * M->col_stride;
    switch (M->type) {
    case MODBLAS_U8:
        return entry_of_unsigned(((const uint8_t *)M->data)[at]);
    case MODBLAS_U16:
        return entry_of_unsigned(((const uint16_t *)M->data)[at]);
    case MODBLAS_U32:
        return entry_of_unsigned(((const uint32_t *)M->data)[at]);
    case MODBLAS_U64:
        return entry_of_unsigned(((const uint64_t *)M->data)[at]);
    case MODBLAS_I8:
        return entry_of_signed(((const int8_t *)M->data)[at]);
    case MODBLAS_I16:
        return entry_of_signed(((const int16_t *)M->data)[at]);
    case MODBLAS_I32:
        return entry_of_signed(((const int32_t *)M->data)[at]);
    case MODBLAS_I64:
        return entry_of_signed(((const int64_t *)M->data)[at]);
    case MODBLAS_F32:
        return entry_of_double((double)((const float *)M->data)[at]);
    case MODBLAS_F64:
        return entry_of_double(((const double *)M->data)[at]);
    }
    return (entry){0};
}

/* A residue as the type stores it: in [0, N), or, where a signed type's N - 1 is too large for it,
 * any entry: its two's complement. */
static bool is_residue(const modblas_matrix *M, int64_t i, int64_t j, uint64_t N)
{
    const int64_t at = i * M->row_stride + j * M->col_stride;
    const entry v = entry_at(M, i, j);
    const uint64_t most = N - 1;
    switch (M->type) {
    case MODBLAS_I8:
        return most > INT8_MAX || (!v.negative && v.magnitude <= most);
    case MODBLAS_I16:
        return most > INT16_MAX || (!v.negative && v.magnitude <= most);
    case MODBLAS_I32:
        return most > INT32_MAX || (!v.negative && v.magnitude <= most);
    case MODBLAS_I64:
        return most > INT64_MAX || (!v.negative && v.magnitude <= most);
    case MODBLAS_F32:
        return ((const float *)M->data)[at] == (float)v.magnitude && v.magnitude <= most;
    case MODBLAS_F64:
        return ((const double *)M->data)[at] == (double)v.magnitude && v.magnitude <= most;
    default:
        return v.magnitude <= most;
    }
}

static void add_product(sum *s, entry v, uint64_t x)
{
    u128 product = (u128)v.magnitude * x;
    if (v.negative) {
        s->high -= s->low < product;
        s->low -= product;
    } else {
        s->low += product;
        s->high += s->low < product;
    }
}

static uint64_t reduce(sum s, uint64_t N)
{
    if (N == 0)
        return (uint64_t)s.low;
    const bool negative = s.high < 0;
    if (negative) {
        s.high = -s.high - (s.low != 0);
        s.low = -s.low;
    }
    uint64_t r = (uint64_t)s.high % N;
    r = (uint64_t)(((u128)r << 64 | (uint64_t)(s.low >> 64)) % N);
    r = (uint64_t)(((u128)r << 64 | (uint64_t)s.low) % N);
    return negative && r != 0 ? N - r : r;
}

/* Columns first .. first + count - 1 of row i of y. */
static void check_row(const mb_check_job *job, int64_t i, int first, int count)
{
    sum s[COLUMNS] = {{0}};
    for (int64_t j = 0; j < job->M.cols; j++) {
        const entry v = entry_at(&job->M, i, j);
        const uint64_t *x = job->x + j * job->count + first;
        for (int r = 0; r < count; r++)
            add_product(&s[r], v, x[r]);
    }
    for (int r = 0; r < count; r++)
        job->y[i * job->count + first + r] = reduce(s[r], job->N);
}

static bool holds_residues(const mb_check_job *job, int64_t i)
{
    bool all = true;
    for (int64_t j = 0; j < job->M.cols && all; j++)
        all = is_residue(&job->M, i, j, job->N);
    return all;
}

modblas_status mb_check_host(const mb_check_job *job)
{
    for (int64_t i = 0; i < job->M.rows; i++) {
        for (int first = 0; first < job->count; first += COLUMNS) {
            int left = job->count - first;
            check_row(job, i, first, left < COLUMNS ? left : COLUMNS);
        }
        if (job->residues && !holds_residues(job, i))
            job->y[i * job->count] = job->N;
    }
    return MODBLAS_OK;
}
