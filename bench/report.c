/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "commit.h"
#include "numbers.h"
#include "src/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const check_name[] = {"off", "freivalds", "flint", "blocks"};

const char *mb_commit(void)
{
    return MODBLAS_COMMIT;
}

mb_row mb_row_empty(const mb_case *what)
{
    return (mb_row){
        .what = *what,
        .seconds_min = NAN,
        .seconds_median = NAN,
        .seconds_max = NAN,
        .kernel_seconds = NAN,
        .split_seconds = NAN,
        .crt_seconds = NAN,
        .gemm_seconds = NAN,
        .gemm_fraction = NAN,
        .bytes = NAN,
        .copy_gbps = NAN,
        .peer_flint_seconds = NAN,
        .peer_naive_seconds = NAN,
    };
}

void mb_row_free(mb_row *row)
{
    free(row->plan);
    row->plan = NULL;
}

void mb_row_type(char text[MB_ROW_TYPE], const mb_case *what)
{
    const char *a = mb_type_name(what->a), *b = mb_type_name(what->b), *c = mb_type_name(what->c);
    if (what->a == what->b && what->b == what->c)
        snprintf(text, MB_ROW_TYPE, "%s", a);
    else
        snprintf(text, MB_ROW_TYPE, "%s,%s,%s", a, b, c);
}

void mb_case_name(char text[MB_ROW_TEXT], const mb_case *what)
{
    char N[MB_NUMBER_SIZE];
    mb_write_modulus_short(N, what->N);
    if (what->m == what->k && what->k == what->n)
        snprintf(text, MB_ROW_TEXT, "%" PRId64 "^3 mod %s", what->m, N);
    else
        snprintf(text, MB_ROW_TEXT, "%" PRId64 " x %" PRId64 " x %" PRId64 " mod %s", what->m,
                 what->k, what->n, N);
}

static double eff_gops(const mb_row *row)
{
    const mb_case *w = &row->what;
    return 2e-9 * (double)w->m * (double)w->n * (double)w->k / row->seconds_median;
}

/* ---- table ---------------------------------------------------------------------------------- */

void mb_table_head(FILE *file)
{
    fprintf(file, "%-10s %6s %6s %6s  %-11s %-12s %10s %9s %5s  %8s  %8s  %s\n", "N", "m", "k",
            "n", "type", "plan", "ms", "Gop/s", "gemm", "vs FLINT", "vs naive", "verified");
}

static void plan_name(char text[MB_ROW_TEXT], const mb_row *row)
{
    const char *scheme = mb_scheme_name(row->scheme);
    if (row->engine == NULL)
        snprintf(text, MB_ROW_TEXT, "-");
    else if (row->scheme == MODBLAS_SCHEME_RNS)
        snprintf(text, MB_ROW_TEXT, "%s/%s x%d", scheme, row->engine, row->moduli);
    else if (row->scheme == MODBLAS_SCHEME_SPLIT)
        snprintf(text, MB_ROW_TEXT, "%s/%s %dx%d", scheme, row->engine, row->digits_a,
                 row->digits_b);
    else
        snprintf(text, MB_ROW_TEXT, "%s/%s", scheme, row->engine);
}

static void put_number(FILE *file, int width, int digits, const char *unit, double x)
{
    if (isnan(x))
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*.*f%s", width - (int)strlen(unit), digits, x, unit);
}

/* FAILED is kept for wrong products. */
static const char *verdict(const mb_row *row)
{
    switch (row->status) {
    case MODBLAS_OK:
        return row->expected && row->verified == MB_CHECK_OFF ? "expect"
                                                              : check_name[row->verified];
    case MODBLAS_ENOPLAN:
        return "no plan";
    case MODBLAS_EVERIFY:
        return "FAILED";
    default:
        return "error";
    }
}

void mb_table_row(FILE *file, const mb_row *row)
{
    char N[MB_NUMBER_SIZE], type[MB_ROW_TYPE], plan[MB_ROW_TEXT];
    const mb_case *w = &row->what;
    mb_write_modulus_short(N, w->N);
    mb_row_type(type, w);
    plan_name(plan, row);
    fprintf(file, "%-10s %6" PRId64 " %6" PRId64 " %6" PRId64 "  %-11s %-12s", N, w->m, w->k, w->n,
            type, plan);
    put_number(file, 10, 3, "", 1e3 * row->seconds_median);
    put_number(file, 9, 1, "", eff_gops(row));
    put_number(file, 5, 2, "", row->gemm_fraction);
    put_number(file, 9, 1, "x", row->peer_flint_seconds / row->seconds_median);
    put_number(file, 9, 1, "x", row->peer_naive_seconds / row->seconds_median);
    fprintf(file, "  %s\n", verdict(row));
    fflush(file);
}

/* ---- csv and json: the same fields -----------------------------------------------------------
 */

enum { MAX_FIELDS = 40 };

typedef enum { TEXT, NUMBER, BOOLEAN } kind;

typedef struct {
    const char *name;
    kind kind;
    const char *text;
    double number;
} field;

typedef struct {
    field at[MAX_FIELDS];
    int count;
    char modulus[MB_NUMBER_SIZE], type[MB_ROW_TYPE];
} fields;

static void add_text(fields *f, const char *name, const char *text)
{
    f->at[f->count++] = (field){.name = name, .kind = TEXT, .text = text ? text : ""};
}

static void add_number(fields *f, const char *name, double number)
{
    f->at[f->count++] = (field){.name = name, .kind = NUMBER, .number = number};
}

static void add_boolean(fields *f, const char *name, bool value)
{
    f->at[f->count++] = (field){.name = name, .kind = BOOLEAN, .number = value};
}

static void collect(fields *f, const mb_row *row)
{
    f->count = 0;
    mb_write_modulus(f->modulus, row->what.N);
    mb_row_type(f->type, &row->what);
    add_number(f, "m", (double)row->what.m);
    add_number(f, "k", (double)row->what.k);
    add_number(f, "n", (double)row->what.n);
    add_text(f, "modulus", f->modulus);
    add_text(f, "type", f->type);
    add_text(f, "backend", row->backend);
    add_text(f, "device", row->device);
    add_text(f, "scheme", mb_scheme_name(row->scheme));
    add_text(f, "engine", row->engine);
    add_number(f, "moduli", row->moduli);
    add_number(f, "workers", row->workers);
    add_text(f, "residency", row->on_device ? "device" : "host");
    static const char *const layout[] = {"layout_a", "layout_b", "layout_c"};
    for (int i = 0; i < 3; i++)
        add_text(f, layout[i], row->layout[i]);
    add_text(f, "packed", row->packed ? "A" : "no");
    add_text(f, "plan", row->plan);
    add_number(f, "seconds_min", row->seconds_min);
    add_number(f, "seconds_median", row->seconds_median);
    add_number(f, "seconds_max", row->seconds_max);
    add_number(f, "eff_gops", eff_gops(row));
    add_number(f, "kernel_seconds", row->kernel_seconds);
    add_number(f, "split_seconds", row->split_seconds);
    add_number(f, "crt_seconds", row->crt_seconds);
    add_number(f, "gemm_seconds", row->gemm_seconds);
    add_number(f, "gemm_fraction", row->gemm_fraction);
    add_number(f, "bytes", row->bytes);
    add_number(f, "copy_gbps", row->copy_gbps);
    add_number(f, "peer_flint_seconds", row->peer_flint_seconds);
    add_number(f, "peer_naive_seconds", row->peer_naive_seconds);
    add_text(f, "verified", check_name[row->verified]);
    add_boolean(f, "ok", row->status == MODBLAS_OK);
    add_text(f, "version", MODBLAS_VERSION);
    add_text(f, "commit", MODBLAS_COMMIT);
}

/* Numbers up to 2^53 that are integers are written as such. */
static void put_value(FILE *file, double x, const char *missing)
{
    if (!isfinite(x))
        fputs(missing, file);
    else
        fprintf(file, x == floor(x) && fabs(x) < 9e15 ? "%.0f" : "%.9g", x);
}

void mb_write_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != 0; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", file);
        else if (c < ' ')
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void put_json_field(FILE *file, const field *f)
{
    fprintf(file, "\"%s\": ", f->name);
    if (f->kind == TEXT)
        mb_write_json_text(file, f->text);
    else if (f->kind == BOOLEAN)
        fputs(f->number != 0 ? "true" : "false", file);
    else
        put_value(file, f->number, "null");
}

void mb_write_json(FILE *file, const mb_row *rows, int count)
{
    fields f;
    fputs("[", file);
    for (int r = 0; r < count; r++) {
        collect(&f, &rows[r]);
        fputs(r ? ",\n  {" : "\n  {", file);
        for (int i = 0; i < f.count; i++) {
            fputs(i ? ", " : "", file);
            put_json_field(file, &f.at[i]);
        }
        fputs("}", file);
    }
    fputs("\n]\n", file);
}

/* RFC 4180: texts are quoted, quotes doubled. A row is a line: "; " stands between the lines of a
 * text. */
static void put_csv_field(FILE *file, const field *f)
{
    if (f->kind == NUMBER)
        put_value(file, f->number, "");
    if (f->kind == BOOLEAN)
        fputs(f->number != 0 ? "true" : "false", file);
    if (f->kind != TEXT)
        return;
    fputc('"', file);
    for (const char *text = f->text; *text != 0; text++) {
        if (*text == '"')
            fputc('"', file);
        if (*text != '\n')
            fputc(*text, file);
        else if (text[1] != 0)
            fputs("; ", file);
    }
    fputc('"', file);
}

void mb_write_csv(FILE *file, const mb_row *rows, int count)
{
    fields f;
    for (int r = 0; r < count; r++) {
        collect(&f, &rows[r]);
        for (int i = 0; r == 0 && i < f.count; i++)
            fprintf(file, "%s%s", i ? "," : "", f.at[i].name);
        fputs(r ? "" : "\n", file);
        for (int i = 0; i < f.count; i++) {
            fputs(i ? "," : "", file);
            put_csv_field(file, &f.at[i]);
        }
        fputc('\n', file);
    }
}
