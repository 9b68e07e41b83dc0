/* SPDX-License-Identifier: BSD-3-Clause */
/* src/plan: what is chosen, what is refused and why, and that chunks, tiles and bytes keep their
 * rules. No device. */
#include "src/plan/plan.h"
#include "support/moduli.h"
#include "support/product.h"
#include "support/suite.h"

#include <inttypes.h>
#include <string.h>

static mb_caps make_caps(uint64_t memory)
{
    return (mb_caps){.engine = {&mb_engine_i8, &mb_engine_f64, &mb_engine_f32},
                     .rates = {.gemm = {1e11, 4e10, 8e10}, .bytes = 2e9, .launch = 1e-6},
                     .workers_add = true,
                     .workers = 4,
                     .memory = memory};
}

static const uint64_t gib = (uint64_t)1 << 30;

static modblas_status make(mb_plan *plan, mb_reasons *reasons, const test_product *product,
                           const mb_caps *caps)
{
    mb_request request = {.problem = product->problem, .options = product->options};
    return mb_plan_make(plan, reasons, &request, caps);
}

/* One product entry by the plan's constants alone: cut, multiply, join. */
static uint64_t multiply(const mb_plan *plan, const mb_constants *c, int64_t x, int64_t y)
{
    uint32_t fault = 0;
    uint64_t a = mb_enter_signed(x, &c->a, &fault), b = mb_enter_signed(y, &c->b, &fault);
    bool split = plan->math.scheme == MODBLAS_SCHEME_SPLIT;
    mb_joining s = mb_join_start(&c->join);
    for (int u = 0; u < c->join.terms; u++) {
        double sum = 0;
        for (int t = 0; t < c->b.folds; t++) {
            uint64_t word[2] = {mb_cut_u(a, 0, &c->a), mb_cut_u(b, t, &c->b)};
            const mb_cut *cut[2] = {&c->a, &c->b};
            double digit[2];
            for (int o = 0; o < 2; o++) {
                int i = split && o == 0 ? t : u;
                if (cut[o]->kind == MB_CUT_DIGITS)
                    digit[o] = (double)mb_cut_digit(word[o], i, cut[o]);
                else if (cut[o]->kind == MB_CUT_BYTEWISE)
                    digit[o] = mb_cut_bytewise(word[o], &cut[o]->plane[i]);
                else
                    digit[o] = mb_cut_wide(word[o], &cut[o]->plane[i]);
            }
            sum += digit[0] * digit[1];
        }
        if (c->join.wide)
            mb_join_f64(&s, sum, &c->join.term[u], &c->join);
        else
            mb_join_i32(&s, (int32_t)sum, &c->join.term[u], &c->join);
    }
    ck_assert_uint_eq(fault, 0);
    return mb_join_finish(s, &c->join);
}

static void check_constants(const mb_plan *plan, const test_product *product, test_random *random)
{
    uint64_t N = product->problem.N, bound = product->options.bound_a;
    uint64_t alpha = test_below(random, N);
    mb_constants constants;
    mb_plan_constants(plan, alpha, &constants);
    for (int i = 0; i < 12; i++) {
        modblas_matrix A = {.type = MODBLAS_I64, .rows = 1, .cols = 1}, B = A;
        int64_t x, y;
        A.data = &x;
        B.data = &y;
        test_fill_operands(&A, &B, (test_data)(i % TEST_DATA_COUNT), N, bound, bound, random);
        uint64_t product_of = (uint64_t)test_residue((test_int)x * y, N);
        uint64_t expected = (uint64_t)((unsigned __int128)product_of * alpha %
                                       (N ? N : (unsigned __int128)1 << 64));
        uint64_t got = multiply(plan, &constants, x, y);
        ck_assert_msg(got == expected, "%" PRId64 " * %" PRId64 " gave %" PRIu64 ": %s", x, y, got,
                      test_product_text(product));
    }
}

/* What the options force is done if it is possible, else refused with a reason. */
static void check_forced(const test_product *product, const mb_caps *caps, test_random *random)
{
    mb_plan plan;
    mb_reasons reasons;
    modblas_status status = make(&plan, &reasons, product, caps);
    bool possible = test_product_is_possible(product);
    ck_assert_msg(status == (possible ? MODBLAS_OK : MODBLAS_ENOPLAN), "status %d (%s): %s",
                  (int)status, modblas_detail(), test_product_text(product));
    ck_assert_int_ge(reasons.count, 1);
    for (int i = 0; i < reasons.count; i++) {
        const mb_candidate *c = &reasons.candidate[i];
        ck_assert_int_eq(c->scheme, product->options.scheme);
        ck_assert_str_eq(c->engine, mb_engine_name(product->options.engine));
        ck_assert((c->seconds > 0) != (c->reason[0] != '\0'));
    }
    if (!possible) {
        ck_assert_ptr_nonnull(strstr(modblas_detail(), reasons.candidate[0].reason));
        return;
    }
    ck_assert_int_eq(plan.math.scheme, product->options.scheme);
    ck_assert_int_eq(plan.math.engine->id, product->options.engine);
    check_constants(&plan, product, random);
}

START_TEST(schemes_and_engines_are_forced_or_refused)
{
    test_random random = {1};
    mb_caps caps = make_caps(gib);
    const uint64_t bounds[] = {0, 1, 127, 128, 1000, (uint64_t)1 << 20, INT64_MAX};
    for (int i = 0; i < test_moduli_count; i++) {
        for (int b = 0; b < 7; b++) {
            test_product p = test_product_of(3, 5, 40, MODBLAS_I64, MODBLAS_I64, test_moduli[i]);
            p.options.bound_a = p.options.bound_b = bounds[b];
            for (int s = MODBLAS_SCHEME_DIRECT; s <= MODBLAS_SCHEME_RNS; s++) {
                for (int e = MODBLAS_ENGINE_I8; e <= MODBLAS_ENGINE_F32; e++) {
                    p.options.scheme = (modblas_scheme)s;
                    p.options.engine = (modblas_engine)e;
                    check_forced(&p, &caps, &random);
                }
            }
        }
    }
}
END_TEST

START_TEST(the_cheapest_candidate_wins)
{
    mb_caps caps = make_caps(gib);
    for (int i = 0; i < test_moduli_count; i++) {
        test_product p = test_product_of(300, 200, 1000, MODBLAS_U64, MODBLAS_U64, test_moduli[i]);
        mb_plan plan;
        mb_reasons reasons;
        ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
        ck_assert_int_ge(reasons.count, 9);
        double least = 0;
        for (int c = 0; c < reasons.count; c++) {
            double seconds = reasons.candidate[c].seconds;
            ck_assert((seconds > 0) != (reasons.candidate[c].reason[0] != '\0'));
            least = least == 0 || (seconds > 0 && seconds < least) ? seconds : least;
        }
        ck_assert_double_eq(plan.seconds, least);
    }
}
END_TEST

START_TEST(struck_engines_are_not_chosen)
{
    test_product p = test_product_of(100, 100, 100, MODBLAS_U8, MODBLAS_U8, 251);
    mb_plan plan;
    mb_reasons reasons;
    for (int struck = 0; struck < 8; struck++) {
        mb_caps caps = make_caps(gib);
        for (int e = 0; e < 3; e++) {
            if (struck >> e & 1)
                strcpy(caps.struck[e], "it lost a bit");
        }
        modblas_status status = make(&plan, &reasons, &p, &caps);
        ck_assert_int_eq(status, struck == 7 ? MODBLAS_ENOPLAN : MODBLAS_OK);
        if (struck == 7)
            ck_assert_ptr_nonnull(strstr(modblas_detail(), "it lost a bit"));
        else
            ck_assert_int_eq(struck >> plan.math.engine_index & 1, 0);
    }
}
END_TEST

START_TEST(no_plan_without_memory)
{
    mb_plan plan;
    mb_reasons reasons;
    for (int i = 0; i < test_moduli_count; i++) {
        test_product p = test_product_of(50, 50, 50, MODBLAS_U64, MODBLAS_U64, test_moduli[i]);
        mb_caps caps = make_caps(1000);
        ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_ENOPLAN);
        bool said = false;
        for (int c = 0; c < reasons.count; c++)
            said = said || strstr(reasons.candidate[c].reason, "memory of 1000 bytes") != NULL;
        ck_assert(said);
    }
    mb_caps caps = make_caps(gib);
    caps.engine[1] = caps.engine[2] = NULL;
    test_product p = test_product_of(5, 5, 5, MODBLAS_U64, MODBLAS_U64, 7);
    p.options.engine = MODBLAS_ENGINE_F64;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_ENOPLAN);
    ck_assert_ptr_nonnull(strstr(modblas_detail(), "f64"));
}
END_TEST

/* The longest chunk is exact and one more is not. */
static void check_longest(const mb_arithmetic *math)
{
    test_int S = (test_int)math->engine->S, k = math->longest_k;
    test_int a = (test_int)mb_range_magnitude(math->a.range);
    test_int b = (test_int)mb_range_magnitude(math->b.range), each = a * b;
    if (math->scheme == MODBLAS_SCHEME_RNS) {
        a = math->engine->moduli[0] / 2;
        each = a * a;
    }
    if (math->scheme == MODBLAS_SCHEME_SPLIT) {
        b = (test_int)1 << (math->radix_bits - 1);
        bool whole = math->engine->radix_bits == 0 && math->digits_a == 1;
        each = math->digits_a * b * (whole ? a : b);
    }
    ck_assert_int_ge(math->longest_k, 1);
    ck_assert(each == 0 || (k * each <= S && (k + 1) * each > S));
}

static void check_tiling(const mb_plan *plan, const mb_caps *caps)
{
    const modblas_problem *p = &plan->request.problem;
    int align = plan->math.engine->align;
    check_longest(&plan->math);
    ck_assert_int_ge(plan->chunk_k, 1);
    ck_assert_int_le(plan->chunk_k, plan->math.longest_k);
    ck_assert_int_eq(plan->chunks, (p->k + plan->chunk_k - 1) / plan->chunk_k);
    ck_assert_int_eq(plan->tiles_m, (p->m + plan->tile_m - 1) / plan->tile_m);
    ck_assert_int_eq(plan->tiles_n, (p->n + plan->tile_n - 1) / plan->tile_n);
    if (plan->chunks > 1 && plan->math.longest_k >= align)
        ck_assert_int_eq(plan->chunk_k % align, 0);
    if (plan->tiles_m > 1)
        ck_assert_int_eq(plan->tile_m % align, 0);
    if (plan->tiles_n > 1)
        ck_assert_int_eq(plan->tile_n % align, 0);
    ck_assert_int_ge(plan->workers, 1);
    ck_assert_int_le(plan->workers, caps->workers);
    ck_assert_uint_le(plan->bytes_shared, caps->memory);
    ck_assert_uint_le(plan->bytes_each,
                      (caps->memory - plan->bytes_shared) / (uint64_t)plan->workers);
    ck_assert_uint_eq(plan->bytes_each, mb_region_total(plan->region));
    ck_assert_uint_eq(plan->bytes_shared, mb_region_total(plan->shared_region));
    uint64_t sums = (uint64_t)(plan->tile_m * plan->tile_n * plan->math.terms);
    ck_assert_uint_ge(plan->region[MB_REGION_SUMS],
                      sums * mb_element_size(plan->math.engine->acc));
}

START_TEST(tiles_and_chunks_fit)
{
    test_random random = {2};
    int made = 0;
    for (int i = 0; i < 4000; i++) {
        uint64_t N = test_moduli[test_below(&random, (uint64_t)test_moduli_count)];
        int64_t size[3];
        for (int d = 0; d < 3; d++)
            size[d] = 1 + (int64_t)(test_word(&random) >> (45 + test_below(&random, 19)));
        modblas_type type = (modblas_type)test_below(&random, 10);
        test_product p = test_product_of(size[0], size[1], size[2], type, MODBLAS_U64, N);
        p.options.scheme = (modblas_scheme)test_below(&random, 4);
        p.options.engine = (modblas_engine)test_below(&random, 4);
        mb_caps caps = make_caps((uint64_t)1 << (14 + test_below(&random, 20)));
        caps.staging = test_word(&random) & 1;
        mb_request request = {.problem = p.problem, .options = p.options};
        request.overlap = test_word(&random) & 1;
        mb_plan plan;
        mb_reasons reasons;
        if (mb_plan_make(&plan, &reasons, &request, &caps) != MODBLAS_OK)
            continue;
        made++;
        check_tiling(&plan, &caps);
        bool carries = plan.region[MB_REGION_CARRY] + plan.shared_region[MB_REGION_CARRY] > 0;
        ck_assert_int_eq(carries, plan.chunks > 1 || request.overlap);
    }
    ck_assert_int_ge(made, 1000);
}
END_TEST

START_TEST(forced_tiles_and_chunks_are_kept)
{
    mb_caps caps = make_caps(gib);
    mb_plan plan;
    mb_reasons reasons;
    test_product p = test_product_of(100, 70, 50, MODBLAS_U64, MODBLAS_U64, 251);
    p.options.tile_m = 33;
    p.options.tile_n = 17;
    p.options.chunk_k = 7;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    ck_assert(plan.tile_m == 33 && plan.tile_n == 17 && plan.chunk_k == 7);
    ck_assert(plan.tiles_m == 4 && plan.tiles_n == 5 && plan.chunks == 8);
    /* Larger than the matrix is the matrix. */
    p.options.tile_m = p.options.tile_n = p.options.chunk_k = INT64_MAX;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    ck_assert(plan.tiles_m == 1 && plan.tiles_n == 1 && plan.chunks == 1);
    /* A chunk that is too long is refused. */
    p = test_product_of(4, 4, 1 << 18, MODBLAS_U64, MODBLAS_U64, 256);
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.options.engine = MODBLAS_ENGINE_I8;
    p.options.chunk_k = 131071;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    p.options.chunk_k = 131072;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_ENOPLAN);
    ck_assert_ptr_nonnull(strstr(modblas_detail(), "131071"));
}
END_TEST

START_TEST(known_plans)
{
    mb_caps caps = make_caps(gib);
    mb_plan plan;
    mb_reasons reasons;
    test_product p = test_product_of(64, 64, 1 << 20, MODBLAS_I8, MODBLAS_I8, 0);
    p.options.scheme = MODBLAS_SCHEME_DIRECT;
    p.options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    ck_assert_int_eq(plan.math.longest_k, 131071);
    ck_assert_int_le(plan.chunk_k, 131056);
    ck_assert(plan.math.a.raw && plan.math.b.raw);
    p = test_product_of(64, 64, 1 << 14, MODBLAS_I64, MODBLAS_I64, 0);
    p.options.scheme = MODBLAS_SCHEME_RNS;
    p.options.engine = MODBLAS_ENGINE_I8;
    p.options.bound_a = p.options.bound_b = 1 << 20;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    ck_assert_int_eq(plan.math.moduli, 7);
    p = test_product_of(64, 64, 1 << 14, MODBLAS_U16, MODBLAS_U16, 1 << 16);
    p.options.scheme = MODBLAS_SCHEME_SPLIT;
    p.options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    ck_assert(plan.math.triangular && plan.math.digits_a == 2 && plan.math.digits_b == 2);
    /* 3 of the 4 products of digits. */
    ck_assert_int_eq(mb_plan_term_k(&plan.math, 0, 16) + mb_plan_term_k(&plan.math, 1, 16), 48);
}
END_TEST

START_TEST(plans_are_told_in_words)
{
    mb_caps caps = make_caps(gib);
    mb_plan plan;
    mb_reasons reasons;
    char text[4000], part[100];
    test_product p = test_product_of(12, 34, 56, MODBLAS_U32, MODBLAS_I16, 2147483647);
    p.options.scheme = MODBLAS_SCHEME_RNS;
    p.options.engine = MODBLAS_ENGINE_I8;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    size_t needed = mb_plan_write_text(&plan, &reasons, text, sizeof text);
    ck_assert_uint_eq(needed, strlen(text) + 1);
    static const char *const said[] = {
        "12", "34",          "56",     "2147483647", "u32",        "i16",   "u64",  "rns",
        "i8", "256 255 253", "chosen", "131071",     "1073741823", "bytes", "tiles"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        ck_assert_msg(strstr(text, said[i]) != NULL, "no \"%s\" in:\n%s", said[i], text);
    /* Cut short, never beyond the size given. */
    memset(part, 'x', sizeof part);
    ck_assert_uint_eq(mb_plan_write_text(&plan, &reasons, part, 50), needed);
    ck_assert(strlen(part) == 49 && part[50] == 'x' && strncmp(part, text, 49) == 0);
    p.options.scheme = MODBLAS_SCHEME_AUTO;
    p.options.engine = MODBLAS_ENGINE_AUTO;
    p.problem.N = 0;
    p.problem.a = MODBLAS_U64;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    mb_plan_write_text(&plan, &reasons, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "2^64"));
    ck_assert_ptr_nonnull(strstr(text, "direct/f64: entries of A lie in"));
    p.problem.N = 251;
    ck_assert_int_eq(make(&plan, &reasons, &p, &caps), MODBLAS_OK);
    mb_plan_write_text(&plan, &reasons, text, sizeof text);
    const char *chosen = strstr(text, "chosen");
    ck_assert(chosen != NULL && strstr(chosen + 1, "chosen") == NULL);
}
END_TEST

START_TEST(sizes_do_not_overflow)
{
    ck_assert_int_eq(mb_round_up(0, 16), 0);
    ck_assert_int_eq(mb_round_up(1, 16), 16);
    ck_assert_int_eq(mb_round_up(16, 16), 16);
    ck_assert_uint_eq(mb_times(1u << 31, 1u << 31), (uint64_t)1 << 62);
    ck_assert_uint_eq(mb_times((uint64_t)1 << 32, (uint64_t)1 << 32), UINT64_MAX);
    uint64_t region[MB_REGION_COUNT] = {1, 256, 257};
    ck_assert_uint_eq(mb_region_total(region), 256 + 256 + 512);
    region[3] = UINT64_MAX;
    ck_assert_uint_eq(mb_region_total(region), UINT64_MAX);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {schemes_and_engines_are_forced_or_refused,
                                  the_cheapest_candidate_wins,
                                  struck_engines_are_not_chosen,
                                  no_plan_without_memory,
                                  tiles_and_chunks_fit,
                                  forced_tiles_and_chunks_are_kept,
                                  known_plans,
                                  plans_are_told_in_words,
                                  sizes_do_not_overflow};
    return test_main("plan", tests, TEST_COUNT(tests));
}
