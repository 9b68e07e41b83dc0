/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands that lie in device memory, where kernels read and write them by their strides. */
#include "src/api.h"
#include "support/product.h"
#include "support/suite.h"

#include <stdio.h>

static modblas_context *context;

static mb_worker *worker(void)
{
    return context->device[0].slot[0].worker;
}

static const mb_backend *backend(void)
{
    return context->backend;
}

/* The bytes of a canvas as one row, at `data`. */
static modblas_matrix bytes_at(const test_canvas *canvas, void *data)
{
    int64_t size = (int64_t)canvas->size;
    return modblas_row_major(data, MODBLAS_U8, 1, size, size);
}

/* Copies a canvas to the device; the view is the same one there. */
static modblas_matrix send(const test_canvas *canvas, void **memory)
{
    modblas_matrix view = canvas->view;
    ck_assert_int_eq(backend()->alloc(worker(), memory, canvas->size), MODBLAS_OK);
    modblas_matrix dst = bytes_at(canvas, *memory), src = bytes_at(canvas, canvas->bytes);
    ck_assert_int_eq(backend()->upload(worker(), &dst, &src), MODBLAS_OK);
    view.data = (unsigned char *)*memory + ((unsigned char *)view.data - canvas->bytes);
    return view;
}

static void fetch(const test_canvas *canvas, void *memory)
{
    modblas_matrix dst = bytes_at(canvas, canvas->bytes), src = bytes_at(canvas, memory);
    ck_assert_int_eq(backend()->download(worker(), &dst, &src), MODBLAS_OK);
    backend()->free(worker(), memory);
}

/* Operands whose bit of `where` is set lie on the device, the others in host memory. */
static void check(const test_product *product, int where, test_random *random)
{
    test_operands operands;
    modblas_plan *plan = NULL;
    uint32_t faults = 0;
    test_operands_make(&operands, product, random);
    test_canvas *canvas[] = {&operands.A, &operands.B, &operands.C};
    modblas_matrix view[3];
    void *memory[3];
    for (int i = 0; i < 3; i++)
        view[i] = where >> i & 1 ? send(canvas[i], &memory[i]) : canvas[i]->view;
    ck_assert_int_eq(backend()->wait(worker(), &faults), MODBLAS_OK);
    modblas_status status =
        modblas_plan_create(context, &plan, &product->problem, &product->options);
    if (status == MODBLAS_OK)
        status =
            modblas_plan_run(plan, &view[2], &view[0], &view[1], product->alpha, product->beta);
    for (int i = 0; i < 3; i++) {
        if (where >> i & 1)
            fetch(canvas[i], memory[i]);
    }
    test_verdict v = test_operands_judge(&operands, product, status);
    ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
    ck_assert_msg(status == MODBLAS_OK, "%s: %s", modblas_detail(), test_product_text(product));
    modblas_plan_destroy(plan);
    test_operands_free(&operands);
}

START_TEST(types_and_layouts)
{
    static const uint64_t moduli[] = {2, 251, 256, 65521, 65536, 2147483647, UINT64_MAX - 58, 0};
    test_random random = {5};
    for (int i = 0; i < 800; i++) {
        test_product p = test_product_of(
            1 + (int64_t)(test_word(&random) % 150), 1 + (int64_t)(test_word(&random) % 150),
            1 + (int64_t)(test_word(&random) % 300), (modblas_type)(i % 10),
            (modblas_type)(i / 10 % 10), moduli[i % 8]);
        p.problem.c = i % 3 ? MODBLAS_U64 : MODBLAS_I64;
        if (p.problem.c == MODBLAS_I64 && p.problem.N > INT64_MAX)
            p.problem.N = 0;
        p.data = (test_data)(i % TEST_DATA_COUNT);
        p.a = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.b = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.c = (test_layout)(test_word(&random) % TEST_LAYOUTS);
        p.alpha = i % 4 ? 1 : test_word(&random);
        p.beta = i % 5 ? 0 : test_word(&random);
        if (i % 2) {
            p.options.tile_m = 1 + (int64_t)(test_word(&random) % 100);
            p.options.tile_n = 1 + (int64_t)(test_word(&random) % 100);
            p.options.chunk_k = 1 + (int64_t)(test_word(&random) % 100);
        }
        check(&p, i % 8 ? 7 : (int)(test_word(&random) % 8), &random);
    }
}
END_TEST

START_TEST(every_way)
{
    static const uint64_t moduli[] = {251, 65521, 65536, (1 << 20) - 3, 2147483647, 0};
    test_random random = {6};
    for (int i = 0; i < 6 * 6; i++) {
        test_product p = test_product_of(257, 130, 500, MODBLAS_U64, MODBLAS_U64, moduli[i / 6]);
        p.data = TEST_CORNERS;
        p.options.scheme = (modblas_scheme)(1 + i % 3);
        p.options.engine = i % 6 < 3 ? MODBLAS_ENGINE_I8 : MODBLAS_ENGINE_F64;
        if (test_product_is_possible(&p))
            check(&p, 7, &random);
    }
}
END_TEST

/* Products wide enough for a kernel that leaves residues, some of them in C itself. */
START_TEST(residues_of_GEMMs)
{
    static const struct {
        uint64_t N;
        modblas_type type;
    } kind[] = {{2, MODBLAS_U8},      {251, MODBLAS_U8},        {256, MODBLAS_I8},
                {65521, MODBLAS_U16}, {513, MODBLAS_I16},       {65535, MODBLAS_U32},
                {40000, MODBLAS_U64}, {2147483647, MODBLAS_U32}};
    test_random random = {7};
    for (int i = 0; i < 8 * 12; i++) {
        test_product p = test_product_of(200 + (int64_t)(test_word(&random) % 400),
                                         200 + (int64_t)(test_word(&random) % 400),
                                         1 + (int64_t)(test_word(&random) % 700), kind[i % 8].type,
                                         kind[i % 8].type, kind[i % 8].N);
        p.problem.c = kind[i % 8].type;
        p.problem.n = i / 8 % 3 == 0   ? p.problem.n / 16 * 16
                      : i / 8 % 3 == 1 ? p.problem.n / 16 * 16 - 3
                                       : p.problem.n;
        p.c = i / 8 % 3 == 1 ? TEST_PADDED : TEST_ROWS;
        p.data = i / 8 % 2 ? TEST_CORNERS : TEST_RANDOM;
        p.a = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.b = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.alpha = i / 8 == 3 ? 5 : 1;
        p.beta = i / 8 == 4 ? 3 : 0;
        p.options.engine = MODBLAS_ENGINE_I8;
        p.options.tile_n = i / 8 == 5 ? 208 : 0;
        if (p.problem.N < 65536)
            p.options.scheme = p.problem.N > 256 ? MODBLAS_SCHEME_SPLIT : MODBLAS_SCHEME_DIRECT;
        check(&p, 7, &random);
    }
}
END_TEST

/* Thin products, some longer than sums of 32 bits, on both sides, with A as bytes and as planes.
 */
START_TEST(thin_products)
{
    static const uint64_t moduli[] = {
        2, 251, 65521, 65536, (1 << 21) - 9, 2147483647, UINT64_MAX - 58, 0};
    static const test_data data[] = {TEST_RANDOM, TEST_CORNERS};
    test_random random = {8};
    for (int i = 0; i < 8 * 30; i++) {
        const bool left = i % 3 == 0, lies_so = i / 8 % 2;
        const bool is_long = i / 8 % 5 == 0;
        const int64_t thick = 1 + (int64_t)(test_word(&random) % (is_long ? 40 : 400));
        const int64_t thin = 1 + (int64_t)(test_word(&random) % (is_long ? 9 : MB_THIN_MOST));
        const int64_t longest = is_long ? 70000 : 1500;
        const int64_t k = 1 + (int64_t)(test_word(&random) % (uint64_t)longest);
        const modblas_type type = (modblas_type)(i / 8 % 4 == 3 ? i % 10 : i % 4);
        test_product p = test_product_of(left ? thin : thick, left ? thick : thin, k, type, type,
                                         moduli[i % 8]);
        p.a = lies_so ? TEST_ROWS : (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.b = lies_so ? TEST_COLUMNS : (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.problem.k = lies_so ? mb_round_up(k, 16) : k;
        p.c = (test_layout)(test_word(&random) % TEST_LAYOUTS);
        p.data = data[i / 16 % 2];
        p.alpha = i % 4 ? 1 : test_word(&random);
        p.beta = i % 5 ? 0 : test_word(&random);
        check(&p, i % 8 ? 7 : (int)(test_word(&random) % 8), &random);
    }
}
END_TEST

/* One product by a plan on operands of its own; on the default stream if `ordered`. */
static void run_by(modblas_plan *plan, const test_product *p, bool ordered, test_random *random)
{
    test_operands operands;
    modblas_matrix view[3];
    void *memory[3];
    uint32_t faults = 0;
    modblas_status status;
    test_operands_make(&operands, p, random);
    test_canvas *canvas[] = {&operands.A, &operands.B, &operands.C};
    for (int v = 0; v < 3; v++)
        view[v] = send(canvas[v], &memory[v]);
    ck_assert_int_eq(backend()->wait(worker(), &faults), MODBLAS_OK);
    if (ordered) {
        status = modblas_plan_order(plan, NULL, &view[2], &view[0], &view[1], p->alpha, p->beta);
        ck_assert_int_eq(backend()->streams->enter(worker(), NULL), MODBLAS_OK);
        ck_assert_int_eq(backend()->wait(worker(), &faults), MODBLAS_OK);
        ck_assert_int_eq(modblas_context_status(context), MODBLAS_OK);
    } else
        status = modblas_plan_run(plan, &view[2], &view[0], &view[1], p->alpha, p->beta);
    for (int v = 0; v < 3; v++)
        fetch(canvas[v], memory[v]);
    test_verdict v = test_operands_judge(&operands, p, status);
    ck_assert_msg(status == MODBLAS_OK && v.wrong[0] == '\0', "%s: %s", v.wrong,
                  test_product_text(p));
    test_operands_free(&operands);
}

/* One plan, run again and again on other operands, with what its records keep. */
START_TEST(thin_plans_are_replayed)
{
    test_random random = {10};
    for (int way = 0; way < 4; way++) { /* A as bytes, as planes; B of 2 and of 40 columns */
        test_product p =
            test_product_of(300, way % 2 ? 40 : 2, 512, MODBLAS_U32, MODBLAS_U32, 2147483647);
        modblas_plan *plan = NULL;
        p.a = way / 2 ? TEST_COLUMNS : TEST_ROWS;
        ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, NULL), MODBLAS_OK);
        ck_assert(plan->plan.math.thin);
        for (int run = 0; run < 6; run++) {
            p.alpha = run < 3 ? 1 : 7;
            p.beta = (uint64_t)(run % 2);
            run_by(plan, &p, false, &random);
        }
        modblas_plan_destroy(plan);
    }
}
END_TEST

/* Runs and orders in turns, C along and across, whatever alpha, beta and data. */
START_TEST(plans_run_and_are_ordered)
{
    static const uint64_t moduli[] = {2, 251, 65521, 8388593, 2147483647, 0};
    static const int64_t size[] = {1, 65, 230, 520};
    test_random random = {11};
    for (int i = 0; i < 6 * 4; i++) {
        const int64_t n = size[i % 4];
        test_product p = test_product_of(n, n + 3, n + 7, MODBLAS_U64, MODBLAS_I32, moduli[i / 4]);
        modblas_plan *plan = NULL;
        ck_assert_int_eq(modblas_plan_create(context, &plan, &p.problem, NULL), MODBLAS_OK);
        for (int run = 0; run < 10; run++) {
            p.c = run < 5 ? TEST_ROWS : TEST_COLUMNS;
            p.data = (test_data)(run % TEST_DATA_COUNT);
            p.alpha = run % 3 ? test_word(&random) : 1;
            p.beta = run % 4 ? 0 : test_word(&random);
            run_by(plan, &p, run % 2, &random);
        }
        modblas_plan_destroy(plan);
    }
}
END_TEST

/* Packed on the device, by thin GEMMs and by others. */
START_TEST(packed_operands)
{
    static const uint64_t moduli[] = {251, 65521, (1 << 21) - 9, 2147483647, UINT64_MAX - 58, 0};
    test_random random = {9};
    for (int i = 0; i < 6 * 12; i++) {
        const bool b = i % 2;
        const int64_t lines = 1 + (int64_t)(test_word(&random) % 300);
        const int64_t n = 1 + (int64_t)(test_word(&random) % (i / 6 % 3 ? MB_THIN_MOST : 250));
        const int64_t k = 1 + (int64_t)(test_word(&random) % 900);
        const modblas_type type = (modblas_type)(i / 6 % 2 ? 3 : i % 10);
        test_product p =
            test_product_of(b ? n : lines, b ? lines : n, k, type, type, moduli[i % 6]);
        test_operands operands;
        modblas_packed *packed = NULL;
        modblas_pack_options options;
        modblas_matrix view[3];
        void *memory[3];
        uint32_t faults = 0;
        p.data = i / 12 % 2 ? TEST_CORNERS : TEST_RANDOM;
        p.a = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.b = (test_layout)(test_word(&random) % TEST_INPUT_LAYOUTS);
        p.c = (test_layout)(test_word(&random) % TEST_LAYOUTS);
        p.alpha = i % 4 ? 1 : test_word(&random);
        p.beta = i % 5 ? 0 : test_word(&random);
        test_operands_make(&operands, &p, &random);
        test_canvas *canvas[] = {&operands.A, &operands.B, &operands.C};
        for (int v = 0; v < 3; v++)
            view[v] = send(canvas[v], &memory[v]);
        ck_assert_int_eq(backend()->wait(worker(), &faults), MODBLAS_OK);
        modblas_pack_options_init(&options);
        options.width = n;
        const modblas_side side = b ? MODBLAS_SIDE_B : MODBLAS_SIDE_A;
        modblas_status status =
            modblas_pack(context, &packed, &view[b], side, p.problem.N, &options);
        if (status == MODBLAS_OK)
            status = modblas_gemm_packed(packed, side, &view[2], &view[!b], p.alpha, p.beta);
        for (int v = 0; v < 3; v++)
            fetch(canvas[v], memory[v]);
        test_verdict v = test_operands_judge(&operands, &p, status);
        ck_assert_msg(v.wrong[0] == '\0', "%s", v.wrong);
        ck_assert_msg(status == MODBLAS_OK, "%s: %s", modblas_detail(), test_product_text(&p));
        modblas_packed_destroy(packed);
        test_operands_free(&operands);
    }
}
END_TEST

int main(void)
{
    modblas_options options;
    modblas_options_init(&options);
    options.backend = MODBLAS_BACKEND_CUDA;
    if (modblas_context_create(&context, &options) != MODBLAS_OK) {
        printf("skipped: operands in device memory (%s)\n", modblas_detail());
        return 77;
    }
    const TTest *const tests[] = {types_and_layouts,        every_way,
                                  residues_of_GEMMs,        thin_products,
                                  packed_operands,          thin_plans_are_replayed,
                                  plans_run_and_are_ordered};
    int result = test_main("device", tests, TEST_COUNT(tests));
    modblas_context_destroy(context);
    return result;
}
