/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the tables and constants that exactness rests on, and what the predicates say near their
 * ends, for check.py to judge: a line each, a name and integers. */
#include "src/exact/bound.h"
#include "src/plan/plan.h"

#include <inttypes.h>
#include <stdio.h>

static const mb_engine *const engines[] = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32};
enum { ENGINES = 3, WORDS = 65, LIMITS = 8 };

/* engine S most_negative most_positive bias radix_bits align count, then its moduli. */
static void print_engine(const mb_engine *e)
{
    printf("engine %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %d", e->S,
           e->most_negative, e->most_positive, e->bias, e->radix_bits, e->align, e->modulus_count);
    for (int i = 0; i < e->modulus_count; i++)
        printf(" %" PRIu32, e->moduli[i]);
    printf("\n");
}

/* term terms m fraction magic unbias bias, and plane m fold half add magic center, as a plan of N
 * makes them. */
static void print_constants(const mb_engine *e, uint64_t N)
{
    mb_plan plan = {.request.problem.N = N};
    static mb_constants c;
    plan.math = (mb_arithmetic){
        .scheme = MODBLAS_SCHEME_RNS,
        .engine = e,
        .moduli = e->modulus_count,
        .terms = e->modulus_count,
        .a = mb_bound_entries(MODBLAS_U64, N, 0),
        .b = mb_bound_entries(MODBLAS_U64, N, 0),
    };
    mb_plan_constants(&plan, 1, &c);
    for (int i = 0; i < c.join.terms; i++) {
        const mb_term *t = &c.join.term[i];
        const mb_plane *p = &c.a.plane[i];
        printf("term %d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64
               " %" PRIu64 "\n",
               c.join.terms, t->m, t->fraction, t->magic, t->unbias, c.join.bias, t->weight, N);
        printf("plane %d %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64
               "\n",
               c.a.planes, p->m, p->fold, p->half, p->add, p->magic, c.a.center);
    }
}

/* digits bits d center, and residue_digits N bits d for N = 2^(bits d) - 1, 2^(bits d) and
 * 2^(bits d) + 1. */
static void print_digits(int bits)
{
    for (int d = 1; bits * d <= 64; d++) {
        uint64_t power = bits * d == 64 ? 0 : (uint64_t)1 << (bits * d);
        printf("digits %d %d %" PRIu64 "\n", bits, d, mb_bound_digit_center(bits, d));
        for (uint64_t N = power - 1; N != power + 2; N++)
            printf("residue_digits %" PRIu64 " %d %d\n", N, bits,
                   mb_bound_digits_of_residues(N, bits));
    }
}

/* moduli engine k bits s: how many are taken for operands of magnitude 2^(bits - 1). */
static void print_moduli(int e)
{
    for (int bits = 1; bits < WORDS; bits++) {
        for (int64_t k = 1; k <= (int64_t)1 << 27; k *= 2) {
            uint64_t h = (uint64_t)1 << (bits - 1);
            printf("moduli %d %" PRId64 " %d %d\n", e, k, bits,
                   mb_bound_rns_moduli(engines[e]->moduli, engines[e]->modulus_count, k, h, h));
        }
    }
}

int main(void)
{
    static const uint64_t N[LIMITS] = {
        2, 251, 65521, 1048573, 2147483647, 4503599627370449, 18446744073709551557u, 0};
    for (int e = 0; e < ENGINES; e++) {
        print_engine(engines[e]);
        print_moduli(e);
        for (int i = 0; i < LIMITS; i++)
            print_constants(engines[e], N[i]);
    }
    for (int bits = 2; bits <= 32; bits++)
        print_digits(bits);
    printf("planes %d %d\n", (int)MB_MAX_PLANES, (int)MB_MAX_FOLDS);
    return 0;
}
