/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite.h"

#include "data.h"

enum { DEFAULT_SIZE = 1024 };

#define TWO_TO(e) ((uint64_t)1 << (e))
#define TWO_TO_64 0
#define BITS_31 (TWO_TO(31) - 1)

typedef enum { HOST = 1, GPU = 2, BOTH = 3 } where;

/* Squares: every size with every modulus; 0 ends the sizes. */
typedef struct {
    where where;
    int64_t size[8];
} squares;

static const squares short_sizes[] = {
    {HOST, {256, 1024}},
    {GPU, {1024, 4096}},
};
static const uint64_t short_moduli[] = {251, TWO_TO(20) - 3, BITS_31, TWO_TO_64};

static const squares standard_sizes[] = {
    {HOST, {512, 1024, 2048}},
    {GPU, {512, 1024, 2048, 4096, 8192, 16384}},
};
static const uint64_t standard_moduli[] = {
    2,       251,        65521,           TWO_TO(20) - 3,  TWO_TO(23) - 15,  TWO_TO(26) - 5,
    BITS_31, TWO_TO(32), TWO_TO(52) - 47, TWO_TO(63) - 25, (uint64_t)0 - 59, TWO_TO_64,
};

/* Single products; type -1 and zeros stand for what follows from the modulus and the plan. */
typedef struct {
    mb_suite from; /* in this suite and in larger ones */
    where where;
    int64_t m, k, n;
    uint64_t N;
    int type;
    modblas_scheme scheme;
    modblas_engine engine;
} single;

enum { BY_MODULUS = -1 };
#define PLAIN(from, where, m, k, n, N)                                                            \
    {                                                                                             \
        from, where, m, k, n, N, BY_MODULUS, 0, 0                                                 \
    }
#define TYPED(from, where, m, k, n, N, type)                                                      \
    {                                                                                             \
        from, where, m, k, n, N, type, 0, 0                                                       \
    }

static const single singles[] = {
    /* thin, odd, rectangular */
    PLAIN(MB_SUITE_STANDARD, GPU, 10923, 32768, 1, BITS_31),
    PLAIN(MB_SUITE_STANDARD, GPU, 10923, 32768, 32, BITS_31),
    PLAIN(MB_SUITE_STANDARD, GPU, 4095, 4095, 4095, BITS_31),
    PLAIN(MB_SUITE_STANDARD, GPU, 4097, 4097, 4097, BITS_31),
    PLAIN(MB_SUITE_STANDARD, GPU, 2048, 65536, 2048, BITS_31),
    PLAIN(MB_SUITE_STANDARD, GPU, 16384, 16384, 512, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 2731, 8192, 1, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 2731, 8192, 32, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 511, 511, 511, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 1023, 1023, 1023, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 256, 16384, 256, BITS_31),
    PLAIN(MB_SUITE_STANDARD, HOST, 2048, 2048, 64, BITS_31),
    /* one product at the speed of its GEMMs */
    PLAIN(MB_SUITE_FULL, GPU, 4096, 4096, 4096, TWO_TO(16)),
    PLAIN(MB_SUITE_FULL, GPU, 16384, 16384, 16384, TWO_TO(16)),
    {MB_SUITE_FULL, GPU, 8192, 8192, 8192, TWO_TO(20) - 3, BY_MODULUS, MODBLAS_SCHEME_DIRECT,
     MODBLAS_ENGINE_F64},
    PLAIN(MB_SUITE_FULL, GPU, 8191, 8191, 8191, BITS_31),
    PLAIN(MB_SUITE_FULL, GPU, 8200, 8200, 8200, BITS_31),
    PLAIN(MB_SUITE_FULL, GPU, 4001, 6007, 5003, BITS_31),
    PLAIN(MB_SUITE_FULL, GPU, 16384, 512, 16384, BITS_31),
    TYPED(MB_SUITE_FULL, GPU, 8192, 8192, 8192, BITS_31, MODBLAS_U64),
    TYPED(MB_SUITE_FULL, GPU, 8192, 8192, 8192, BITS_31, MODBLAS_I64),
    TYPED(MB_SUITE_FULL, GPU, 8192, 8192, 8192, BITS_31, MODBLAS_F64),
    PLAIN(MB_SUITE_FULL, HOST, 401, 607, 503, BITS_31),
    TYPED(MB_SUITE_FULL, HOST, 1024, 1024, 1024, BITS_31, MODBLAS_I64),
    TYPED(MB_SUITE_FULL, HOST, 1024, 1024, 1024, BITS_31, MODBLAS_F64),
    /* thin products at memory speed */
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 1, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 8, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 32, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 64, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 8, BITS_31),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 64, BITS_31),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 1, 251),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 32, 251),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 1, (uint64_t)0 - 59),
    PLAIN(MB_SUITE_FULL, GPU, 10923, 32768, 32, (uint64_t)0 - 59),
    PLAIN(MB_SUITE_FULL, HOST, 2731, 8192, 1, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, HOST, 2731, 8192, 32, TWO_TO(21) - 9),
    PLAIN(MB_SUITE_FULL, BOTH, 1, 32768, 1, BITS_31),
    PLAIN(MB_SUITE_FULL, BOTH, 32, 8192, 2731, BITS_31),
    /* small products */
    PLAIN(MB_SUITE_FULL, BOTH, 64, 64, 64, BITS_31),
    PLAIN(MB_SUITE_FULL, BOTH, 128, 128, 128, BITS_31),
    PLAIN(MB_SUITE_FULL, BOTH, 256, 256, 256, BITS_31),
};

enum { SINGLES = sizeof singles / sizeof singles[0] };

modblas_type mb_type_of_result(modblas_type a, uint64_t N)
{
    return mb_mod_fits_type(N, a) ? a : mb_smallest_type(N);
}

static mb_case make(const mb_bench_options *o, int64_t m, int64_t k, int64_t n, uint64_t N)
{
    modblas_type type = mb_smallest_type(N);
    mb_case c = {.m = m, .k = k, .n = n, .N = N, .scheme = o->scheme, .engine = o->engine};
    c.a = o->type_count ? o->type[0] : type;
    c.b = o->type_count ? o->type[1] : type;
    c.c = o->out_type_given ? o->out_type : mb_type_of_result(c.a, N);
    return c;
}

static int add_squares(const mb_bench_options *o, const squares *table, int rows,
                       const uint64_t *moduli, int count, where here, mb_case *list)
{
    int added = 0;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; (table[r].where & here) && i < 8 && table[r].size[i]; i++) {
            int64_t s = table[r].size[i];
            for (int j = 0; j < count; j++)
                list[added++] = make(o, s, s, s, moduli[j]);
        }
    }
    return added;
}

static int add_singles(const mb_bench_options *o, where here, mb_case *list)
{
    int added = 0;
    for (int i = 0; i < SINGLES; i++) {
        const single *s = &singles[i];
        if (s->from > o->suite || !(s->where & here))
            continue;
        mb_case c = make(o, s->m, s->k, s->n, s->N);
        if (s->type != BY_MODULUS && o->type_count == 0) {
            c.a = c.b = (modblas_type)s->type;
            c.c = o->out_type_given ? o->out_type : mb_type_of_result(c.a, s->N);
        }
        if (o->scheme == MODBLAS_SCHEME_AUTO && o->engine == MODBLAS_ENGINE_AUTO) {
            c.scheme = s->scheme;
            c.engine = s->engine;
        }
        list[added++] = c;
    }
    return added;
}

static int add_given(const mb_bench_options *o, mb_case *list)
{
    static const uint64_t usual = BITS_31;
    const uint64_t *modulus = o->modulus_count ? o->modulus : &usual;
    int moduli = o->modulus_count ? o->modulus_count : 1, added = 0;
    int sizes = o->size_count ? o->size_count : 1;
    for (int i = 0; i < sizes; i++) {
        int64_t s = o->size_count ? o->size[i] : DEFAULT_SIZE;
        for (int j = 0; j < moduli; j++) {
            bool sides = o->m > 0;
            list[added++] =
                make(o, sides ? o->m : s, sides ? o->k : s, sides ? o->n : s, modulus[j]);
        }
    }
    return added;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

int mb_suite_cases(const mb_bench_options *options, bool gpu, mb_case *list)
{
    where here = gpu ? GPU : HOST;
    if (options->suite == MB_SUITE_NONE)
        return add_given(options, list);
    if (options->suite == MB_SUITE_SHORT)
        return add_squares(options, short_sizes, COUNT(short_sizes), short_moduli,
                           COUNT(short_moduli), here, list);
    int count = add_squares(options, standard_sizes, COUNT(standard_sizes), standard_moduli,
                            COUNT(standard_moduli), here, list);
    return count + add_singles(options, here, list + count);
}

double mb_suite_seconds(mb_suite suite)
{
    return suite == MB_SUITE_SHORT ? 0.1 : 0.5;
}
