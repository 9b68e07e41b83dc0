/* SPDX-License-Identifier: BSD-3-Clause */
#include "fill.h"

const char *test_data_name(test_data data)
{
    static const char *const name[TEST_DATA_COUNT] = {"random",     "unreduced",  "all high",
                                                      "all low",    "opposite",   "one line",
                                                      "planes low", "digits low", "corners"};
    return name[data];
}

static int is_legal(modblas_type type, uint64_t bound, test_int x)
{
    test_int magnitude = x < 0 ? -x : x;
    return test_legal(type, x) == x && (bound == 0 || magnitude <= (test_int)bound);
}

static test_int modulus(uint64_t N)
{
    return N == 0 ? (test_int)1 << 64 : (test_int)N;
}

/* The representative of x mod N that the type holds within the bound, or what comes nearest to x.
 */
static test_int represent(modblas_type type, uint64_t N, uint64_t bound, test_int x)
{
    test_int n = modulus(N);
    const test_int other[] = {x, x + n, x - n};
    for (int i = 0; i < 3; i++) {
        if (is_legal(type, bound, other[i]))
            return other[i];
    }
    test_int b = (test_int)bound;
    if (bound != 0 && x > b)
        x = b;
    if (bound != 0 && x < -b)
        x = -b;
    return test_legal(type, x);
}

test_int test_extreme(modblas_type type, uint64_t N, uint64_t bound, int low)
{
    test_int n = modulus(N);
    test_int x = represent(type, N, bound, low ? -(n / 2) : (n - 1) / 2);
    /* No negative entries: their other end is the largest. */
    if (x == 0 && n > 2)
        x = represent(type, 0, bound, (test_int)UINT64_MAX);
    return x;
}

static test_int random_entry(modblas_type type, uint64_t N, uint64_t bound, int unreduced,
                             test_random *random)
{
    test_int x = (test_int)test_below(random, unreduced ? 0 : N);
    test_int span = test_greatest(type) - test_least(type) + 1;
    if (unreduced || !is_legal(type, 0, x))
        x = test_least(type) + x % span;
    if (bound != 0 && !is_legal(type, bound, x))
        x %= (test_int)bound + 1;
    return test_legal(type, x);
}

void test_fill_random(const modblas_matrix *M, uint64_t N, uint64_t bound, int unreduced,
                      test_random *random)
{
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++)
            test_set(M, i, j, random_entry(M->type, N, bound, unreduced, random));
    }
}

static void fill_all(const modblas_matrix *M, test_int x)
{
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++)
            test_set(M, i, j, x);
    }
}

/* -128 (256^d - 1)/255 for the least d with N <= 256^d. */
static test_int lowest_digits(uint64_t N)
{
    test_int center = 128, power = 256;
    for (; power < modulus(N); power *= 256)
        center += 128 * power;
    return -center;
}

static void fill_planes(const modblas_matrix *M, uint64_t N, uint64_t bound, test_random *random)
{
    /* The balanced residue counts, so entries are made from numbers in its range. */
    test_int n = modulus(N), steps = n / 256;
    for (int64_t i = 0; i < M->rows; i++) {
        for (int64_t j = 0; j < M->cols; j++) {
            test_int step = (test_int)test_below(random, (uint64_t)(steps > 0 ? steps : 1));
            test_int x = -128 + 256 * (step - steps / 2);
            if (x < -(n / 2))
                x = -128;
            x = represent(M->type, N, bound, x);
            test_set(M, i, j, x);
        }
    }
}

/* Line l of M's lines (rows of A, columns of B) by its turn. */
static void fill_corners(const modblas_matrix *lines, uint64_t N, uint64_t bound,
                         test_random *random)
{
    modblas_type type = lines->type;
    for (int64_t l = 0; l < lines->rows; l++) {
        modblas_matrix line = *lines;
        line.data = test_at(lines, l, 0);
        line.rows = 1;
        switch (l % 5) {
        case 0:
        case 1:
            fill_all(&line, test_extreme(type, N, bound, l % 5 == 1));
            break;
        case 2:
            fill_planes(&line, N, bound, random);
            break;
        case 3:
            fill_all(&line, represent(type, N, bound, lowest_digits(N)));
            break;
        default:
            test_fill_random(&line, N, bound, 0, random);
        }
    }
}

void test_fill_operands(const modblas_matrix *A, const modblas_matrix *B, test_data data,
                        uint64_t N, uint64_t bound_a, uint64_t bound_b, test_random *random)
{
    int low_a = data != TEST_ALL_HIGH && data != TEST_OPPOSITE, low_b = data != TEST_ALL_HIGH;
    test_int a = test_extreme(A->type, N, bound_a, low_a);
    test_int b = test_extreme(B->type, N, bound_b, low_b);
    modblas_matrix columns = modblas_transpose(*B);
    switch (data) {
    case TEST_CORNERS:
        fill_corners(A, N, bound_a, random);
        fill_corners(&columns, N, bound_b, random);
        return;
    case TEST_PLANES_LOW:
        fill_planes(A, N, bound_a, random);
        fill_planes(B, N, bound_b, random);
        return;
    case TEST_DIGITS_LOW:
        fill_all(A, represent(A->type, N, bound_a, lowest_digits(N)));
        fill_all(B, represent(B->type, N, bound_b, lowest_digits(N)));
        return;
    case TEST_ALL_HIGH:
    case TEST_ALL_LOW:
    case TEST_OPPOSITE:
        fill_all(A, a);
        fill_all(B, b);
        return;
    default:
        test_fill_random(A, N, bound_a, data == TEST_UNREDUCED, random);
        test_fill_random(B, N, bound_b, data == TEST_UNREDUCED, random);
    }
    if (data != TEST_ONE_LINE || A->rows == 0 || B->cols == 0)
        return;
    int64_t row = A->rows / 2, col = B->cols / 2;
    for (int64_t j = 0; j < A->cols; j++) {
        test_set(A, row, j, a);
        test_set(B, j, col, b);
    }
}
