/* SPDX-License-Identifier: BSD-3-Clause */
#include "verify.h"

#include "operand.h"
#include "peer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LINES = 8, PANEL = 2048, PATTERN = 0xa5 };

/* Multiplications of a product that FLINT does in seconds, and in a minute. */
static const uint64_t check_limit = (uint64_t)1 << 33, time_limit = (uint64_t)1 << 36;

static uint64_t multiplications(const mb_product *p)
{
    return mb_times(mb_times((uint64_t)p->C.rows, (uint64_t)p->C.cols), (uint64_t)p->A.cols);
}

bool mb_whole_is_checked(const mb_product *product)
{
    return multiplications(product) <= check_limit;
}

bool mb_whole_is_timed(const mb_product *product)
{
    return multiplications(product) <= time_limit;
}

static modblas_status mismatch(int64_t i, int64_t j, mb_number got, mb_number expected)
{
    return mb_fail(MODBLAS_EVERIFY,
                   "entry (%" PRId64 ", %" PRId64 ") is %s%" PRIu64 ", expected %s%" PRIu64, i, j,
                   got.negative ? "-" : "", got.magnitude, expected.negative ? "-" : "",
                   expected.magnitude);
}

/* Compares the entries of C named by rows x cols with residues. */
static modblas_status compare(const mb_product *p, const mb_indices *rows, const mb_indices *cols,
                              const uint64_t *residues)
{
    for (int64_t i = 0; i < rows->count; i++) {
        for (int64_t j = 0; j < cols->count; j++) {
            int64_t r = rows->at[i], c = cols->at[j];
            mb_number got = mb_entry_get(&p->C, r, c);
            mb_number expected = mb_number_of_residue(residues[i * cols->count + j], p->C.type);
            if (got.magnitude != expected.magnitude || got.negative != expected.negative)
                return mismatch(r, c, got, expected);
        }
    }
    return MODBLAS_OK;
}

static modblas_status check_block(const mb_product *p, const mb_indices *rows,
                                  const mb_indices *cols, double *seconds)
{
    modblas_status status = MODBLAS_OK;
    void *residues = NULL;
    uint64_t entries = mb_times((uint64_t)rows->count, (uint64_t)cols->count);
    MB_TRY(mb_host_alloc(&residues, mb_times(entries, sizeof(uint64_t))));
    MB_TRY(mb_flint_multiply(residues, p, rows, cols, seconds));
    MB_TRY(compare(p, rows, cols, residues));
fail:
    free(residues);
    return status;
}

static void count_from(mb_indices *indices, int64_t first, int64_t count)
{
    indices->count = count;
    for (int64_t i = 0; i < count; i++)
        indices->at[i] = first + i;
}

modblas_status mb_verify_whole(const mb_product *product, double *seconds)
{
    modblas_status status = MODBLAS_OK;
    void *rows = NULL, *cols = NULL;
    *seconds = 0;
    MB_TRY(mb_host_alloc(&rows, mb_times((uint64_t)product->C.rows, sizeof(int64_t))));
    MB_TRY(mb_host_alloc(&cols, mb_times((uint64_t)product->C.cols, sizeof(int64_t))));
    mb_indices r = {.at = rows}, c = {.at = cols};
    count_from(&r, 0, product->C.rows);
    count_from(&c, 0, product->C.cols);
    MB_TRY(check_block(product, &r, &c, seconds));
fail:
    free(rows);
    free(cols);
    return status;
}

static void draw(mb_indices *indices, int64_t size, mb_random *random)
{
    indices->count = size < BLOCK_LINES ? size : BLOCK_LINES;
    for (int64_t i = 0; i < indices->count; i++)
        indices->at[i] = (int64_t)mb_random_below(random, (uint64_t)size);
}

/* Panels bound FLINT's memory: it stores every entry as a word. */
modblas_status mb_verify_blocks(const mb_product *product, mb_random *random)
{
    modblas_status status = MODBLAS_OK;
    int64_t drawn[BLOCK_LINES], counted[PANEL], m = product->C.rows, n = product->C.cols;
    mb_indices few = {.at = drawn}, panel = {.at = counted};
    double seconds = 0;
    draw(&few, m, random);
    for (int64_t j = 0; j < n; j += PANEL) {
        count_from(&panel, j, n - j < PANEL ? n - j : PANEL);
        MB_TRY(check_block(product, &few, &panel, &seconds));
    }
    draw(&few, n, random);
    for (int64_t i = 0; i < m; i += PANEL) {
        count_from(&panel, i, m - i < PANEL ? m - i : PANEL);
        MB_TRY(check_block(product, &panel, &few, &seconds));
    }
fail:
    return status;
}

modblas_status mb_verify_same(const modblas_matrix *got, const modblas_matrix *expected,
                              uint64_t N)
{
    mb_mod mod = mb_mod_make(N);
    for (int64_t i = 0; i < got->rows; i++) {
        for (int64_t j = 0; j < got->cols; j++) {
            if (!mb_entry_is_integer(expected, i, j))
                return mb_fail(MODBLAS_ENOTINT,
                               "entry (%" PRId64 ", %" PRId64
                               ") of what is expected is no integer "
                               "of magnitude at most 2^53",
                               i, j);
            mb_number x = mb_entry_get(got, i, j), y = mb_entry_get(expected, i, j);
            if (mb_number_residue(x, &mod) != mb_number_residue(y, &mod))
                return mismatch(i, j, x, y);
        }
    }
    return MODBLAS_OK;
}

void mb_poison(const modblas_matrix *C)
{
    size_t bytes = mb_type_size(C->type) * (size_t)C->rows * (size_t)C->cols;
    memset(C->data, PATTERN, bytes);
}
