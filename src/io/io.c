/* Arrays and tridiagonal matrices from files of any format: the format is chosen by the name's ending, and where that
 * tells none by the first bytes.
 *
 * Memory: an array owns its numbers, released by io_array_free; a failed call leaves the result empty. */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef enum io_format { FORMAT_TEXT, FORMAT_NPY, FORMAT_MTX, FORMAT_MAT } io_format;

static io_format format_of(const char *path)
{
    const char *const dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".npy") == 0) return FORMAT_NPY;
    if (dot && strcasecmp(dot, ".mtx") == 0) return FORMAT_MTX;
    if (dot && strcasecmp(dot, ".mat") == 0) return FORMAT_MAT;
    return FORMAT_TEXT;
}

/* The format of a file whose name tells none. */
static io_format format_in(const io_bytes *file)
{
    static const char npy[] = "\x93NUMPY", mat[] = "MATLAB ", mtx[] = "%%MatrixMarket", mark[] = "\xef\xbb\xbf";
    const char *const start = file->data + (strncmp(file->data, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
    if (strncmp(file->data, npy, strlen(npy)) == 0) return FORMAT_NPY;
    if (strncmp(file->data, mat, strlen(mat)) == 0) return FORMAT_MAT;
    if (strncasecmp(start, mtx, strlen(mtx)) == 0) return FORMAT_MTX;
    return FORMAT_TEXT;
}

/* ------------------------------------------------------------------ arrays and matrices in memory */

size_t io_type_size(io_type type)
{
    static const size_t size[] = {[IO_F32] = 4, [IO_F64] = 8, [IO_C64] = 8, [IO_C128] = 16, [IO_I32] = 4, [IO_I64] = 8};
    return size[type];
}

int64_t io_array_count(const io_array *a)
{
    int64_t count = a->rank > 0;
    for (int k = 0; k < a->rank; ++k) count *= a->shape[k];
    return count;
}

void io_array_free(io_array *a)
{
    free(a->data);
    *a = (io_array){0};
}

void io_tridiagonal_free(io_tridiagonal *t)
{
    free(t->d);
    free(t->e);
    *t = (io_tridiagonal){0};
}

bool io_array_create(const char *path, io_type type, int rank, const int64_t *shape, io_array *a, io_error *error)
{
    size_t bytes = io_type_size(type);
    bool empty = false;
    for (int k = 0; k < rank; ++k) {
        if (shape[k] == 0) empty = true;
        if (shape[k] > 0 && bytes > (size_t)INT64_MAX / (size_t)shape[k]) {
            return io_fail(error, path, "holds an array too large for any memory");
        }
        if (shape[k] > 0) bytes *= (size_t)shape[k];
    }
    *a = (io_array){.type = type, .rank = rank};
    memcpy(a->shape, shape, (size_t)rank * sizeof *shape);
    a->data = calloc(empty ? 1 : bytes, 1);
    if (a->data) return true;
    *a = (io_array){0};
    return io_fail(error, path, "needs %zu bytes of memory, which are not available", bytes);
}

bool io_tridiagonal_create(const char *path, int64_t n, io_tridiagonal *t, io_error *error)
{
    *t = (io_tridiagonal){.n = n};
    if ((uint64_t)n <= SIZE_MAX / sizeof(double)) {
        t->d = (double *)calloc(n > 0 ? (size_t)n : 1, sizeof(double));
        t->e = n > 1 ? (double *)calloc((size_t)n - 1, sizeof(double)) : NULL;
    }
    if (t->d && (t->e || n <= 1)) return true;
    io_tridiagonal_free(t);
    return io_fail(error, path, "has order %" PRId64 ", for which there is not enough memory", n);
}

/* Makes a real array float64; false if it is complex. */
static bool to_double(const char *path, io_array *a, io_error *error)
{
    if (a->type == IO_F64) return true;
    if (a->type == IO_C64 || a->type == IO_C128) return io_fail(error, path, "is complex; real numbers are needed");
    io_array x;
    if (!io_array_create(path, IO_F64, a->rank, a->shape, &x, error)) return false;
    double *const out = (double *)x.data;
    int64_t const count = io_array_count(a);
    for (int64_t i = 0; i < count; ++i) {
        if (a->type == IO_F32) out[i] = (double)((const float *)a->data)[i];
        if (a->type == IO_I32) out[i] = (double)((const int32_t *)a->data)[i];
        if (a->type == IO_I64) out[i] = (double)((const int64_t *)a->data)[i];
    }
    io_array_free(a);
    *a = x;
    return true;
}

/* ------------------------------------------------------------------ reading arrays */

/* The bytes of a file and their format.  A .mat file that matio can open by its name is not loaded. */
static bool load(const char *path, io_bytes *file, io_format *format, io_error *error)
{
    *file = (io_bytes){0};
    *format = format_of(path);
    if (*format == FORMAT_MAT && !io_is_stream(path)) return true;
    if (!io_load(path, file, error)) return false;
    if (*format == FORMAT_TEXT) *format = format_in(file);
    return true;
}

static bool parse_mat(const char *path, const io_bytes *file, io_array *a, io_error *error)
{
    char name[48];
    if (!file->data) return mat_read(path, path, a, error);
    int const descriptor = io_memory_file(file);
    if (descriptor < 0) return io_fail(error, path, "cannot be kept in memory: %s", strerror(errno));
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    bool const ok = mat_read(path, name, a, error);
    close(descriptor);
    return ok;
}

static bool parse_array(const char *path, io_format format, io_bytes *file, io_array *a, io_error *error)
{
    switch (format) {
    case FORMAT_NPY:
        return npy_parse(path, file, a, error);
    case FORMAT_MTX:
        return mtx_parse_array(path, file, a, error);
    case FORMAT_MAT:
        return parse_mat(path, file, a, error);
    default:
        return text_parse_array(path, file, a, error);
    }
}

static bool read_array(const char *path, io_format *format, io_array *a, io_error *error)
{
    io_bytes file;
    *a = (io_array){0};
    if (!load(path, &file, format, error)) return false;
    bool const ok = parse_array(path, *format, &file, a, error);
    io_bytes_free(&file);
    return ok;
}

/* A text file without a number counts as empty: more likely lost than meant. */
static bool refuse_empty_text(const char *path, io_format format, io_array *a, io_error *error)
{
    if (format != FORMAT_TEXT || io_array_count(a) > 0) return true;
    io_array_free(a);
    return io_fail(error, path, "is empty");
}

bool io_read_array(const char *path, io_array *a, io_error *error)
{
    io_format format;
    return read_array(path, &format, a, error) && refuse_empty_text(path, format, a, error);
}

/* An array with at most one extent that is not 1, as a vector of float64; lines of text are one vector. */
static bool to_vector(const char *path, io_format format, io_array *a, io_error *error)
{
    int longer = 0;
    for (int k = 0; k < a->rank; ++k) longer += a->shape[k] != 1 && format != FORMAT_TEXT;
    if (longer > 1 && a->rank == 2) {
        return io_fail(error, path, "holds a %" PRId64 " x %" PRId64 " matrix; a vector is needed", a->shape[0],
                       a->shape[1]);
    }
    if (longer > 1) return io_fail(error, path, "holds an array of rank %d; a vector is needed", a->rank);
    a->shape[0] = io_array_count(a);
    a->shape[1] = a->shape[2] = 0;
    a->rank = 1;
    return to_double(path, a, error);
}

static bool read_vector(const char *path, bool may_be_empty, io_array *a, io_error *error)
{
    io_format format;
    if (!read_array(path, &format, a, error)) return false;
    if (!may_be_empty && !refuse_empty_text(path, format, a, error)) return false;
    if (to_vector(path, format, a, error)) return true;
    io_array_free(a);
    return false;
}

bool io_read_vector(const char *path, io_array *a, io_error *error)
{
    return read_vector(path, false, a, error);
}

/* ------------------------------------------------------------------ reading tridiagonal matrices */

/* Both the same number, or both NaN (which the solver refuses, by index). */
static bool same(double x, double y)
{
    return x == y || (x != x && y != y);
}

/* Checks entry by entry; the indices in a sentence count from 1. */
static bool take_dense(const char *path, const double *a, io_tridiagonal *t, io_error *error)
{
    int64_t const n = t->n;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) {
            double const below = a[i * n + j], above = a[j * n + i];
            if (!same(below, above)) {
                return io_fail(error, path,
                               "is not symmetric: entry (%" PRId64 ", %" PRId64 ") is %.17g, entry (%" PRId64
                               ", %" PRId64 ") is %.17g",
                               i + 1, j + 1, below, j + 1, i + 1, above);
            }
            if (j + 1 < i && below != 0.0) {
                return io_fail(error, path, "is not tridiagonal: entry (%" PRId64 ", %" PRId64 ") is %.17g", i + 1,
                               j + 1, below);
            }
        }
        t->d[i] = a[i * n + i];
        if (i > 0) t->e[i - 1] = a[i * n + i - 1];
    }
    return true;
}

bool io_dense_tridiagonal(const char *path, const io_array *a, io_tridiagonal *t, io_error *error)
{
    if (a->rank != 2) {
        return io_fail(error, path,
                       "holds an array of rank %d; without a file of the off-diagonal, T is a square matrix", a->rank);
    }
    int64_t const n = a->shape[0];
    if (a->shape[1] != n) {
        return io_fail(error, path, "is not square: %" PRId64 " x %" PRId64, n, a->shape[1]);
    }
    if (!io_tridiagonal_create(path, n, t, error)) return false;
    if (take_dense(path, (const double *)a->data, t, error)) return true;
    io_tridiagonal_free(t);
    return false;
}

/* T from one file that holds it as an array. */
static bool parse_dense(const char *path, io_format format, io_bytes *file, io_tridiagonal *t, io_error *error)
{
    io_array a = {0};
    bool const ok = parse_array(path, format, file, &a, error) && to_double(path, &a, error) &&
                    io_dense_tridiagonal(path, &a, t, error);
    io_array_free(&a);
    return ok;
}

static bool read_whole(const char *path, io_tridiagonal *t, io_error *error)
{
    io_bytes file;
    io_format format;
    if (!load(path, &file, &format, error)) return false;
    bool const ok = format == FORMAT_MTX    ? mtx_parse_tridiagonal(path, &file, t, error)
                    : format == FORMAT_TEXT ? text_parse_tridiagonal(path, &file, t, error)
                                            : parse_dense(path, format, &file, t, error);
    io_bytes_free(&file);
    return ok;
}

/* Joins a diagonal of n entries and a superdiagonal of n-1, or of n whose first is padding. */
static bool join(const char *path_d, const io_array *d, const char *path_e, const io_array *e, io_tridiagonal *t,
                 io_error *error)
{
    int64_t const n = d->shape[0], given = e->shape[0];
    int64_t const needed = n > 1 ? n - 1 : 0;
    if (given != needed && given != n) {
        return io_fail(error, path_e,
                       "has %" PRId64 " entries, but the %" PRId64 " of the diagonal in %s need %" PRId64
                       " (or %" PRId64 ", the first being padding)",
                       given, n, path_d, needed, n);
    }
    if (!io_tridiagonal_create(path_d, n, t, error)) return false;
    memcpy(t->d, d->data, (size_t)n * sizeof(double));
    if (n > 1) memcpy(t->e, (const double *)e->data + (given - needed), (size_t)needed * sizeof(double));
    return true;
}

bool io_read_tridiagonal(const char *path_d, const char *path_e, io_tridiagonal *t, io_error *error)
{
    *t = (io_tridiagonal){0};
    if (!path_e) return read_whole(path_d, t, error);
    io_array d, e = {0};
    if (!io_read_vector(path_d, &d, error)) return false;
    /* A matrix of order 1 has no off-diagonal: its file may be empty. */
    bool const ok = read_vector(path_e, d.shape[0] <= 1, &e, error) && join(path_d, &d, path_e, &e, t, error);
    io_array_free(&d);
    io_array_free(&e);
    return ok;
}

/* ------------------------------------------------------------------ writing */

static bool write_format(io_format format, FILE *file, const io_array *a)
{
    if (format == FORMAT_NPY) return npy_write(file, a);
    if (format == FORMAT_MTX) return mtx_write(file, a);
    return text_write(file, a);
}

bool io_write_array(const char *path, const char *variable, const io_array *a, io_error *error)
{
    io_format const format = format_of(path);
    if (format == FORMAT_MAT) return mat_write(path, variable, a, error);
    if (format == FORMAT_MTX && a->rank > 2) {
        return io_fail(error, path, "cannot be written: Matrix Market holds no array of rank %d", a->rank);
    }
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    return io_output_close(&out, write_format(format, out.file, a), error);
}

bool io_write_tridiagonal_mtx(const char *path, const io_tridiagonal *t, io_error *error)
{
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    return io_output_close(&out, mtx_write_tridiagonal(out.file, t), error);
}

double io_array_part(const io_array *a, int64_t k)
{
    switch (a->type) {
    case IO_F32:
    case IO_C64:
        return (double)((const float *)a->data)[k];
    case IO_I32:
        return (double)((const int32_t *)a->data)[k];
    case IO_I64:
        return (double)((const int64_t *)a->data)[k];
    default:
        return ((const double *)a->data)[k];
    }
}
