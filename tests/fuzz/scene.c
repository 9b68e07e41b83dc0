/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"

#include "../support/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, STRIDES = 24 };

void fuzz_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

static bool is_float(modblas_type type)
{
    return type == MODBLAS_F32 || type == MODBLAS_F64;
}

bool fuzz_type_holds(modblas_type type, uint64_t N)
{
    test_int n = N == 0 ? (test_int)1 << 64 : (test_int)N;
    test_int largest = type == MODBLAS_F32 ? (test_int)1 << 24 : test_greatest(type);
    bool wraps = !is_float(type) && test_least(type) < 0 && n == 2 * (test_greatest(type) + 1);
    return wraps || n - 1 <= largest;
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Nine of ten are dense or nearly so; the others are any, also 0. */
static void draw_strides(modblas_matrix *view, bool plain, fuzz_input *in)
{
    int kind = plain ? 2 : fuzz_below(in, 10);
    int64_t gap = kind < 2 ? 0 : fuzz_below(in, 4), inner = kind < 7 ? 1 : 1 + fuzz_below(in, 3);
    bool by_rows = plain || fuzz_byte(in) & 1;
    int64_t lines = by_rows ? view->cols : view->rows;
    int64_t outer = inner * (lines > 0 ? lines : 1) + gap;
    view->row_stride = by_rows ? outer : inner;
    view->col_stride = by_rows ? inner : outer;
    if (kind == 9) {
        view->row_stride = fuzz_below(in, STRIDES);
        view->col_stride = fuzz_below(in, STRIDES);
    }
    int flips = plain ? 0 : fuzz_byte(in);
    view->row_stride *= flips & 64 ? -1 : 1;
    view->col_stride *= flips & 128 ? -1 : 1;
}

/* Bytes from the first one that a view touches to entry (0, 0), and to the end of the last. */
static void extent(const modblas_matrix *view, int64_t *before, int64_t *all)
{
    int64_t size = (int64_t)test_type_size(view->type);
    int64_t down = (view->rows - 1) * view->row_stride,
            right = (view->cols - 1) * view->col_stride;
    *before = *all = 0;
    if (view->rows == 0 || view->cols == 0)
        return;
    *before = ((down < 0 ? -down : 0) + (right < 0 ? -right : 0)) * size;
    *all = *before + ((down > 0 ? down : 0) + (right > 0 ? right : 0) + 1) * size;
}

static void make_block(fuzz_block *block, int64_t size, test_random *random)
{
    block->size = (size_t)size;
    block->bytes = malloc(block->size + 1);
    block->before = malloc(block->size + 1);
    if (block->bytes == NULL || block->before == NULL)
        abort();
    for (size_t i = 0; i < block->size; i++)
        block->bytes[i] = (unsigned char)test_word(random);
}

/* A and B in memory of exactly their size, where a read beyond them is seen; C in a margin. */
static void place_apart(fuzz_scene *s, test_random *random)
{
    for (int v = 0; v < FUZZ_OPERANDS; v++) {
        int64_t before, all, margin = v == FUZZ_C ? MARGIN : 0;
        extent(&s->view[v], &before, &all);
        make_block(&s->block[v], all + 2 * margin, random);
        s->view[v].data = s->block[v].bytes + margin + before;
    }
    s->blocks = FUZZ_OPERANDS;
}

/* Each begins somewhere in the first bytes that the others could touch. */
static void place_together(fuzz_scene *s, fuzz_input *in, test_random *random)
{
    int64_t before[FUZZ_OPERANDS], all[FUZZ_OPERANDS], at[FUZZ_OPERANDS], size = 0;
    for (int v = 0; v < FUZZ_OPERANDS; v++) {
        extent(&s->view[v], &before[v], &all[v]);
        at[v] = MARGIN + 8 * (int64_t)fuzz_byte(in) * (fuzz_byte(in) & 7);
        size = at[v] + all[v] > size ? at[v] + all[v] : size;
    }
    make_block(&s->block[0], size + MARGIN, random);
    for (int v = 0; v < FUZZ_OPERANDS; v++)
        s->view[v].data = s->block[0].bytes + at[v] + before[v];
    s->blocks = 1;
}

/* True if two places of the view are the same entry, by marking each. */
static bool overlaps_itself(const modblas_matrix *view)
{
    int64_t before, all;
    extent(view, &before, &all);
    unsigned char *seen = calloc((size_t)all + 1, 1);
    bool twice = false;
    if (seen == NULL)
        abort();
    for (int64_t i = 0; i < view->rows; i++) {
        for (int64_t j = 0; j < view->cols; j++) {
            int64_t at = i * view->row_stride + j * view->col_stride;
            unsigned char *mark = &seen[before + at * (int64_t)test_type_size(view->type)];
            twice = twice || *mark;
            *mark = 1;
        }
    }
    free(seen);
    return twice;
}

/* ---- contents ------------------------------------------------------------------------------- */

static double raw_value(const modblas_matrix *view, int64_t i, int64_t j)
{
    const void *p = test_at(view, i, j);
    float single;
    double x;
    if (view->type == MODBLAS_F32) {
        memcpy(&single, p, sizeof single);
        return single;
    }
    memcpy(&x, p, sizeof x);
    return x;
}

static bool is_integer(double x)
{
    return x >= -0x1p53 && x <= 0x1p53 && (double)(int64_t)x == x;
}

/* Notes which failures the entries of a view call for; bound 0: none. */
static void inspect(fuzz_scene *s, const modblas_matrix *view, uint64_t bound)
{
    for (int64_t at = 0; at < view->rows * view->cols; at++) {
        int64_t i = at / view->cols, j = at % view->cols;
        if (is_float(view->type) && !is_integer(raw_value(view, i, j))) {
            s->may[MODBLAS_ENOTINT] = true;
            continue;
        }
        test_int x = test_get(view, i, j);
        if (bound != 0 && (x < 0 ? -x : x) > (test_int)bound)
            s->may[MODBLAS_EBOUND] = true;
    }
}

/* Now and then an entry that is no integer, or beyond a stated bound. */
static void spoil(const modblas_matrix *view, uint64_t bound, fuzz_input *in)
{
    static const double bad[] = {0.5, -0x1p54, 1e300, -0.0, NAN, INFINITY};
    int64_t entries = view->rows * view->cols;
    if (entries == 0 || fuzz_below(in, 8) != 7)
        return;
    int64_t at = fuzz_byte(in) % entries;
    void *p = test_at(view, at / view->cols, at % view->cols);
    double x = bad[fuzz_below(in, 6)];
    float single = (float)x;
    if (view->type == MODBLAS_F64)
        memcpy(p, &x, sizeof x);
    else if (view->type == MODBLAS_F32)
        memcpy(p, &single, sizeof single);
    else
        test_set(view, at / view->cols, at % view->cols,
                 test_legal(view->type, (test_int)bound + fuzz_below(in, 2)));
}

static void fill(fuzz_scene *s, const modblas_problem *p, const modblas_plan_options *o,
                 fuzz_input *in, test_random *random)
{
    test_data data = (test_data)fuzz_below(in, TEST_DATA_COUNT);
    test_fill_random(&s->view[FUZZ_C], p->N, 0, fuzz_byte(in) & 1, random);
    test_fill_operands(&s->view[FUZZ_A], &s->view[FUZZ_B], data, p->N, o->bound_a, o->bound_b,
                       random);
    spoil(&s->view[FUZZ_A], o->bound_a, in);
    spoil(&s->view[FUZZ_B], o->bound_b, in);
}

/* What the call must answer; `reads`: A and B count. */
static void foresee(fuzz_scene *s, const modblas_problem *p, const modblas_plan_options *o,
                    bool reads)
{
    const modblas_matrix *C = &s->view[FUZZ_C];
    const modblas_matrix no_a = {.rows = p->m}, no_b = {.cols = p->n};
    bool legal = !overlaps_itself(C), empty = p->m == 0 || p->n == 0;
    if (reads) {
        inspect(s, &s->view[FUZZ_A], o->bound_a);
        inspect(s, &s->view[FUZZ_B], o->bound_b);
    }
    if (!empty && test_residue((test_int)s->beta, p->N) != 0)
        inspect(s, C, 0);
    s->may_succeed = legal && !s->may[MODBLAS_ENOTINT] && !s->may[MODBLAS_EBOUND];
    if (!legal)
        memset(s->may, 0, sizeof s->may);
    s->may[MODBLAS_EINVAL] = !legal;
    if (s->may_succeed)
        s->expected = test_expected(C, reads ? &s->view[FUZZ_A] : &no_a,
                                    reads ? &s->view[FUZZ_B] : &no_b, s->alpha, s->beta, p->N);
}

void fuzz_scene_draw(fuzz_scene *s, const modblas_problem *p, const modblas_plan_options *o,
                     bool plain, fuzz_input *in)
{
    test_random random = {(uint64_t)fuzz_byte(in) << 8 | fuzz_byte(in)};
    *s = (fuzz_scene){
        .view = {{.type = p->a, .rows = p->m, .cols = p->k},
                 {.type = p->b, .rows = p->k, .cols = p->n},
                 {.type = p->c, .rows = p->m, .cols = p->n}},
    };
    for (int v = 0; v < FUZZ_OPERANDS; v++)
        draw_strides(&s->view[v], plain, in);
    if (fuzz_below(in, 3) == 0)
        place_together(s, in, &random);
    else
        place_apart(s, &random);
    s->alpha = !plain && fuzz_byte(in) & 1 ? fuzz_number(in) : 1;
    s->beta = !plain && fuzz_byte(in) & 1 ? fuzz_number(in) : 0;
    fill(s, p, o, in, &random);
    bool empty = p->m == 0 || p->n == 0 || p->k == 0;
    foresee(s, p, o, !empty && test_residue((test_int)s->alpha, p->N) != 0);
    for (int b = 0; b < s->blocks; b++)
        memcpy(s->block[b].before, s->block[b].bytes, s->block[b].size);
}

void fuzz_scene_free(fuzz_scene *s)
{
    for (int b = 0; b < s->blocks; b++) {
        free(s->block[b].bytes);
        free(s->block[b].before);
    }
    free(s->expected);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* Puts back what C held, so that the rest can be compared. */
static void restore_c(const fuzz_scene *s)
{
    const modblas_matrix *C = &s->view[FUZZ_C];
    const fuzz_block *block = &s->block[s->blocks - 1];
    size_t size = test_type_size(C->type);
    for (int64_t at = 0; at < C->rows * C->cols; at++) {
        unsigned char *p = test_at(C, at / C->cols, at % C->cols);
        memcpy(p, block->before + (p - block->bytes), size);
    }
}

void fuzz_scene_judge(const fuzz_scene *s, uint64_t N, modblas_status status, bool no_plan)
{
    int64_t i, j;
    bool right = status == MODBLAS_OK ? s->may_succeed
                                      : s->may[status] || (status == MODBLAS_ENOPLAN && no_plan);
    if (!right)
        fuzz_wrong("status %s: %s", modblas_status_text(status), modblas_detail());
    if (status == MODBLAS_OK && !test_holds(&s->view[FUZZ_C], s->expected, N, &i, &j))
        fuzz_wrong("entry (%" PRId64 ", %" PRId64 ") is wrong mod %" PRIu64, i, j, N);
    if (status != MODBLAS_EINVAL && status != MODBLAS_ENOPLAN)
        restore_c(s);
    for (int b = 0; b < s->blocks; b++) {
        if (memcmp(s->block[b].bytes, s->block[b].before, s->block[b].size) != 0)
            fuzz_wrong("a byte outside C changed (status %s)", modblas_status_text(status));
    }
}
