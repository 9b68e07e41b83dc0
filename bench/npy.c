/* SPDX-License-Identifier: BSD-3-Clause */
/* Source of the format: numpy/lib/format.py, "Format Version 1.0" and later. */
#include "npy.h"

#include "operand.h"
#include "src/exact/type.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_SIZE = 8, HEADER_LIMIT = 65536, HEADER_ALIGN = 64, MOST_QUOTED = 40 };
static const char magic[] = "\x93NUMPY";

/* What follows "'key':" in the header's dictionary; NULL if it is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    return p == NULL ? NULL : p + strlen(key) + strspn(p + strlen(key), " ");
}

static bool read_type(const char *header, modblas_type *type)
{
    const char *p = value_of(header, "'descr':");
    if (p == NULL || *p != '\'')
        return false;
    for (int t = 0; mb_type_is_valid((modblas_type)t); t++) {
        *type = (modblas_type)t;
        char descr[8];
        char kind = mb_type_is_float(*type) ? 'f' : mb_type_name(*type)[0];
        snprintf(descr, sizeof descr, "%c%zu'", kind, mb_type_size(*type));
        bool little = p[1] == '<' || p[1] == '=' || (p[1] == '|' && mb_type_size(*type) == 1);
        if (little && strncmp(p + 2, descr, strlen(descr)) == 0)
            return true;
    }
    return false;
}

static bool read_shape(const char *header, int64_t *rows, int64_t *cols)
{
    const char *p = value_of(header, "'shape':");
    int end = 0;
    if (p == NULL || sscanf(p, "(%" SCNd64 ", %" SCNd64 " %n", rows, cols, &end) != 2)
        return false;
    end += p[end] == ',';
    return end > 0 && p[end] == ')' && *rows >= 0 && *cols >= 0;
}

static modblas_status read_header(FILE *file, const char *path, char header[HEADER_LIMIT + 1])
{
    unsigned char begin[MAGIC_SIZE], length[4] = {0};
    if (fread(begin, 1, MAGIC_SIZE, file) != MAGIC_SIZE || memcmp(begin, magic, 6) != 0)
        return mb_fail(MODBLAS_EINVAL, "%s is not an .npy file", path);
    if (begin[6] < 1 || begin[6] > 3)
        return mb_fail(MODBLAS_EINVAL, "%s is of .npy version %d", path, begin[6]);
    size_t width = begin[6] == 1 ? 2 : 4;
    bool ok = fread(length, 1, width, file) == width;
    size_t size = length[0] + (size_t)length[1] * 256 + (size_t)length[2] * 65536 +
                  (size_t)length[3] * 16777216;
    if (!ok || size > HEADER_LIMIT || fread(header, 1, size, file) != size)
        return mb_fail(MODBLAS_EINVAL, "the header of %s cannot be read", path);
    header[size] = 0;
    return MODBLAS_OK;
}

/* How much of a value to quote: a text, tuple or list up to its end, all else up to a comma. */
static int extent(const char *value)
{
    static const char opening[] = "'([", closing[][3] = {"'\n", ")\n", "]\n"};
    const char *p = strchr(opening, *value);
    size_t length = 1 + strcspn(value + 1, p != NULL ? closing[p - opening] : ",\n");
    if (p != NULL && value[length] == *closing[p - opening])
        length++;
    return length < MOST_QUOTED ? (int)length : MOST_QUOTED;
}

/* Says what the header has under the key, and what is allowed. */
static modblas_status refuse(const char *path, const char *header, const char *key,
                             const char *allowed)
{
    const char *value = value_of(header, key);
    int name = (int)strlen(key) - 3; /* without quotes and colon */
    if (value == NULL || *value == 0)
        return mb_fail(MODBLAS_EINVAL, "%s has no %.*s; %s", path, name, key + 1, allowed);
    return mb_fail(MODBLAS_EINVAL, "%s has the %.*s %.*s; %s", path, name, key + 1, extent(value),
                   value, allowed);
}

static modblas_status parse_header(const char *header, const char *path, modblas_matrix *view)
{
    const char *order = value_of(header, "'fortran_order':");
    if (!read_type(header, &view->type))
        return refuse(path, header,
                      "'descr':", "allowed are u1 u2 u4 u8 i1 i2 i4 i8 f4 f8, little-endian");
    if (!read_shape(header, &view->rows, &view->cols))
        return refuse(path, header, "'shape':", "a matrix has (rows, columns)");
    if (order == NULL)
        return refuse(path, header, "'fortran_order':", "True and False are allowed");
    bool fortran = strncmp(order, "True", 4) == 0;
    view->row_stride = fortran ? 1 : view->cols;
    view->col_stride = fortran ? view->rows : 1;
    return MODBLAS_OK;
}

static modblas_status read_entries(FILE *file, const char *path, modblas_matrix *view)
{
    uint64_t entries = mb_times((uint64_t)view->rows, (uint64_t)view->cols);
    uint64_t bytes = mb_times(entries, mb_type_size(view->type));
    modblas_status status = mb_host_alloc(&view->data, bytes);
    if (status == MODBLAS_OK && fread(view->data, 1, bytes, file) != bytes)
        status = mb_fail(MODBLAS_EINVAL, "%s is shorter than its shape says", path);
    return status;
}

modblas_status mb_npy_read(const char *path, modblas_matrix *view)
{
    static char header[HEADER_LIMIT + 1];
    modblas_status status = MODBLAS_OK;
    *view = (modblas_matrix){.data = NULL};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", path, strerror(errno));
    MB_TRY(read_header(file, path, header));
    MB_TRY(parse_header(header, path, view));
    MB_TRY(read_entries(file, path, view));
    fclose(file);
    return MODBLAS_OK;
fail:
    fclose(file);
    free(view->data);
    view->data = NULL;
    return status;
}

/* The header with its length before it, padded so that the entries are aligned. */
static bool write_header(FILE *file, const modblas_matrix *view)
{
    char header[256];
    char order = mb_type_size(view->type) == 1 ? '|' : '<';
    char kind = mb_type_is_float(view->type) ? 'f' : mb_type_name(view->type)[0];
    int n = snprintf(header, sizeof header,
                     "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64
                     "), }",
                     order, kind, mb_type_size(view->type), view->rows, view->cols);
    int total = (int)mb_round_up(MAGIC_SIZE + 2 + n + 1, HEADER_ALIGN);
    int size = total - MAGIC_SIZE - 2;
    memset(header + n, ' ', (size_t)(size - n));
    header[size - 1] = '\n';
    unsigned char begin[MAGIC_SIZE + 2] = {0};
    memcpy(begin, magic, 6);
    begin[6] = 1;
    begin[MAGIC_SIZE] = (unsigned char)(size & 255);
    begin[MAGIC_SIZE + 1] = (unsigned char)(size >> 8);
    return fwrite(begin, 1, sizeof begin, file) == sizeof begin &&
           fwrite(header, 1, (size_t)size, file) == (size_t)size;
}

static bool write_entries(FILE *file, const modblas_matrix *view)
{
    size_t size = mb_type_size(view->type);
    for (int64_t i = 0; i < view->rows; i++) {
        for (int64_t j = 0; j < view->cols; j++) {
            int64_t at = i * view->row_stride + j * view->col_stride;
            if (fwrite((const char *)view->data + at * (int64_t)size, size, 1, file) != 1)
                return false;
        }
    }
    return true;
}

modblas_status mb_npy_write(const char *path, const modblas_matrix *view)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return mb_fail(MODBLAS_EINVAL, "%s cannot be opened: %s", path, strerror(errno));
    bool ok = write_header(file, view) && write_entries(file, view);
    ok = fclose(file) == 0 && ok;
    return ok ? MODBLAS_OK : mb_fail(MODBLAS_EINVAL, "%s cannot be written", path);
}
