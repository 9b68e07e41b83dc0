/* SPDX-License-Identifier: BSD-3-Clause */
/* modblas-fglm: from the multiplication matrix of a polynomial system to the minimal polynomial of
 * its variable, as sparse FGLM does it (Faugere, Mou, "Sparse FGLM algorithms", J. Symbolic
 * Computation 80, 2017): A is packed once, the vectors A^i v are made on the device, one after the
 * other without waiting for any, and Berlekamp and Massey find what generates u A^i v.
 *
 *     modblas-fglm A.npy|SIZE PRIME STEPS COLUMNS [host|cuda]
 *
 * A is a square matrix from a file, or a random one of SIZE; v has COLUMNS columns, u is a row. */
#include "clock.h"
#include "data.h"
#include "npy.h"
#include "numbers.h"
#include "operand.h"

#include <flint/nmod_poly.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Blocks A^i v that lie side by side, column-major: one product with u then serves them all. */
enum { BLOCKS = 64 };

typedef struct {
    int64_t size, columns;
    int64_t terms, steps; /* of the sequence, and what is made: whole BLOCKS */
    uint64_t N;
    modblas_context *context;
    mb_operand A, U, V, S; /* u: 1 x size; BLOCKS blocks; u A^i v: 1 x steps*columns */
    modblas_packed *packed;
    modblas_plan *step, *project;
} fglm;

/* Columns [from, from + count) of a view. */
static modblas_matrix columns_of(const modblas_matrix *view, int64_t from, int64_t count)
{
    modblas_matrix part = *view;
    part.data = (char *)view->data + from * view->col_stride * (int64_t)mb_type_size(view->type);
    part.cols = count;
    return part;
}

static modblas_status make_operands(fglm *f, const char *source)
{
    modblas_status status = MODBLAS_OK;
    const modblas_type type = mb_smallest_type(f->N);
    modblas_matrix file = {.data = NULL};
    mb_random random;
    mb_random_seed(&random, 1);
    if (mb_parse_size(source, &f->size)) {
        MB_TRY(mb_operand_create(&f->A, f->context, type, f->size, f->size, MB_ORDER_ROWS, true));
        mb_fill_random(&f->A.host, f->N, &random);
    } else {
        MB_TRY(mb_npy_read(source, &file));
        f->size = file.rows;
        MB_TRY(mb_operand_adopt(&f->A, f->context, &file, file.data, true));
        if (file.rows != file.cols)
            MB_TRY(mb_fail(MODBLAS_EINVAL, "%s is no square matrix", source));
    }
    MB_TRY(mb_operand_create(&f->U, f->context, type, 1, f->size, MB_ORDER_ROWS, true));
    MB_TRY(mb_operand_create(&f->V, f->context, type, f->size, BLOCKS * f->columns,
                             MB_ORDER_COLUMNS, true));
    MB_TRY(
        mb_operand_create(&f->S, f->context, type, 1, f->steps * f->columns, MB_ORDER_ROWS, true));
    mb_fill_random(&f->U.host, f->N, &random);
    MB_TRY(mb_operand_push(&f->A, f->context));
    MB_TRY(mb_operand_push(&f->U, f->context));
fail:
    return status;
}

/* v, and what comes to lie behind it. */
static modblas_status begin(fglm *f)
{
    mb_random random;
    mb_random_seed(&random, 2);
    mb_fill_random(&f->V.host, f->N, &random);
    return mb_operand_push(&f->V, f->context);
}

static modblas_status pack(fglm *f)
{
    modblas_pack_options options;
    modblas_pack_options_init(&options);
    options.width = f->columns;
    return modblas_pack(f->context, &f->packed, &f->A.run, MODBLAS_SIDE_A, f->N, &options);
}

static modblas_status make_plans(fglm *f)
{
    modblas_status status = MODBLAS_OK;
    modblas_plan_options options;
    const modblas_type type = f->V.run.type;
    modblas_plan_options_init(&options);
    options.packed = f->packed;
    modblas_problem step = {f->size, f->columns, f->size, type, f->A.run.type, type, f->N};
    modblas_problem project = {1, BLOCKS * f->columns, f->size, type, type, type, f->N};
    MB_TRY(modblas_plan_create(f->context, &f->step, &step, &options));
    MB_TRY(modblas_plan_create(f->context, &f->project, &project, NULL));
fail:
    return status;
}

/* Waits for what was ordered. */
static void drop_plans(fglm *f)
{
    modblas_plan_destroy(f->step);
    modblas_plan_destroy(f->project);
    f->step = f->project = NULL;
}

/* Orders `steps` steps, whole BLOCKS, and waits once they are all ordered. */
static modblas_status iterate(fglm *f, int64_t steps)
{
    modblas_status status = MODBLAS_OK;
    const int64_t n = f->columns;
    MB_TRY(make_plans(f));
    for (int64_t i = 0; i < steps; i++) {
        const int64_t at = i % BLOCKS, next = (at + 1) % BLOCKS;
        if (next == 0) {
            modblas_matrix S = columns_of(&f->S.run, (i - at) * n, BLOCKS * n);
            MB_TRY(modblas_plan_order(f->project, NULL, &S, &f->U.run, &f->V.run, 1, 0));
        }
        modblas_matrix from = columns_of(&f->V.run, at * n, n);
        modblas_matrix to = columns_of(&f->V.run, next * n, n);
        MB_TRY(modblas_plan_order(f->step, NULL, &to, NULL, &from, 1, 0));
    }
fail:
    drop_plans(f);
    return status == MODBLAS_OK ? modblas_context_status(f->context) : status;
}

/* The monic polynomial of least degree that generates column c of the sequence. */
static void generate(const fglm *f, int64_t c, nmod_poly_t poly)
{
    mb_mod mod = mb_mod_make(f->N);
    nmod_berlekamp_massey_t machine;
    nmod_berlekamp_massey_init(machine, f->N);
    for (int64_t i = 0; i < f->terms; i++)
        nmod_berlekamp_massey_add_point(
            machine, mb_number_residue(mb_entry_get(&f->S.host, 0, i * f->columns + c), &mod));
    nmod_berlekamp_massey_reduce(machine);
    nmod_poly_make_monic(poly, nmod_berlekamp_massey_V_poly(machine));
    nmod_berlekamp_massey_clear(machine);
}

/* All columns must agree, but for chance. */
static void report(const fglm *f, double seconds)
{
    nmod_poly_t first, other;
    int64_t same = 1;
    nmod_poly_init(first, f->N);
    nmod_poly_init(other, f->N);
    generate(f, 0, first);
    for (int64_t c = 1; c < f->columns; c++) {
        generate(f, c, other);
        same += nmod_poly_equal(first, other);
    }
    const slong degree = nmod_poly_degree(first);
    printf("%" PRId64 " x %" PRId64 " modulo %" PRIu64 ", %" PRId64 " steps of %" PRId64
           " columns on %s: %.2f us a step\n",
           f->size, f->size, f->N, f->terms, f->columns, f->context->backend->name,
           1e6 * seconds / (double)f->steps);
    printf("degree %ld, x^%ld: %lu, x: %lu, 1: %lu; %" PRId64 " of %" PRId64 " columns have it\n",
           (long)degree, (long)degree - 1, nmod_poly_get_coeff_ui(first, degree - 1),
           nmod_poly_get_coeff_ui(first, 1), nmod_poly_get_coeff_ui(first, 0), same, f->columns);
    if (2 * degree + 2 > f->terms)
        printf("The sequence may be too short: it takes twice the degree, and some more.\n");
    nmod_poly_clear(first);
    nmod_poly_clear(other);
}

static modblas_status run(fglm *f, const char *source, modblas_backend backend)
{
    modblas_status status = MODBLAS_OK;
    modblas_options options;
    modblas_options_init(&options);
    options.backend = backend;
    MB_TRY(modblas_context_create(&f->context, &options));
    MB_TRY(make_operands(f, source));
    MB_TRY(pack(f));
    MB_TRY(begin(f));
    MB_TRY(iterate(f, BLOCKS)); /* proves engines, makes workspace */
    MB_TRY(begin(f));
    const double before = mb_clock();
    MB_TRY(iterate(f, f->steps));
    const double seconds = mb_clock() - before;
    MB_TRY(mb_operand_pull(&f->S, f->context));
    report(f, seconds);
fail:
    return status;
}

static bool parse(fglm *f, modblas_backend *backend, int argc, char **argv)
{
    const bool host = argc == 6 && strcmp(argv[5], "host") == 0;
    const bool cuda = argc == 6 && strcmp(argv[5], "cuda") == 0;
    *backend = host ? MODBLAS_BACKEND_HOST : cuda ? MODBLAS_BACKEND_CUDA : MODBLAS_BACKEND_AUTO;
    if (argc != 5 && !host && !cuda)
        return false;
    if (!mb_parse_modulus(argv[2], &f->N) || !mb_parse_size(argv[3], &f->terms) ||
        !mb_parse_size(argv[4], &f->columns))
        return false;
    f->steps = mb_round_up(f->terms, BLOCKS);
    return n_is_prime(f->N) && f->terms >= 2 && f->columns >= 1 && f->columns <= 64;
}

int main(int argc, char **argv)
{
    fglm f = {.size = 0};
    modblas_backend backend;
    if (!parse(&f, &backend, argc, argv)) {
        fprintf(stderr, "Usage: modblas-fglm A.npy|SIZE PRIME STEPS COLUMNS [host|cuda]\n"
                        "The modulus is a prime below 2^64; 2 steps or more, 1 to 64 columns.\n");
        return 2;
    }
    modblas_status status = run(&f, argv[1], backend);
    if (status != MODBLAS_OK)
        fprintf(stderr, "modblas-fglm: %s\n", modblas_detail());
    drop_plans(&f);
    modblas_packed_destroy(f.packed);
    if (f.context != NULL) {
        mb_operand *all[] = {&f.A, &f.U, &f.V, &f.S};
        for (int i = 0; i < 4; i++)
            mb_operand_free(all[i], f.context);
    }
    modblas_context_destroy(f.context);
    return status != MODBLAS_OK;
}
