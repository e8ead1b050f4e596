/* Arrays and tridiagonal matrices from files of any format: the format follows from the name's ending, or else from the
 * first bytes.
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

io_format io_format_of(const char *path)
{
    const char *const dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".npy") == 0) return FORMAT_NPY;
    if (dot && strcasecmp(dot, ".mtx") == 0) return FORMAT_MTX;
    if (dot && strcasecmp(dot, ".mat") == 0) return FORMAT_MAT;
    return FORMAT_TEXT;
}

static io_format standard_output; /* FORMAT_TEXT or FORMAT_NPY */

void io_standard_output_npy(bool npy)
{
    standard_output = npy ? FORMAT_NPY : FORMAT_TEXT;
}

io_format io_format_out(const char *path)
{
    return io_is_standard_output(path) ? standard_output : io_format_of(path);
}

/* The format of a file whose name does not tell it. */
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
    if (!empty && !io_memory_fits(path, bytes, "", error)) return *a = (io_array){0}, false;
    memcpy(a->shape, shape, (size_t)rank * sizeof *shape);
    a->data = calloc(empty ? 1 : bytes, 1);
    if (a->data) return true;
    *a = (io_array){0};
    return io_fail(error, path, "needs %zu bytes of memory, which are not available", bytes);
}

bool io_tridiagonal_create(const char *path, int64_t n, io_tridiagonal *t, io_error *error)
{
    *t = (io_tridiagonal){.n = n};
    if ((uint64_t)n <= SIZE_MAX / sizeof(double) / 2) {
        if (!io_memory_fits(path, 2 * (size_t)n * sizeof(double), "", error)) return *t = (io_tridiagonal){0}, false;
        t->d = (double *)calloc(n > 0 ? (size_t)n : 1, sizeof(double));
        t->e = n > 1 ? (double *)calloc((size_t)n - 1, sizeof(double)) : NULL;
    }
    if (t->d && (t->e || n <= 1)) return true;
    io_tridiagonal_free(t);
    return io_fail(error, path, "has order %" PRId64 ", for which there is not enough memory", n);
}

bool io_to_double(const char *path, io_array *a, io_error *error)
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

bool io_load_known(const char *path, io_bytes *file, io_format *format, io_error *error)
{
    *file = (io_bytes){0};
    *format = io_format_of(path);
    if (*format == FORMAT_MAT && !io_is_stream(path)) return true;
    if (!io_load(path, file, error)) return false;
    if (*format == FORMAT_TEXT) *format = format_in(file);
    return true;
}

static bool parse_mat(const char *path, const io_bytes *file, io_array *a, io_error *error)
{
    char name[48];
    if (!file->data) return mat_read(path, path, a, error);
    if (!io_memory_fits(path, file->size, "", error)) return false;
    int const descriptor = io_memory_file(file);
    if (descriptor < 0) return io_fail(error, path, "cannot be kept in memory: %s", strerror(errno));
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    bool const ok = mat_read(path, name, a, error);
    close(descriptor);
    return ok;
}

bool io_parse_array(const char *path, io_format format, io_bytes *file, io_array *a, io_notes *notes, io_error *error)
{
    switch (format) {
    case FORMAT_NPY:
        return npy_parse(path, file, a, error);
    case FORMAT_MTX:
        return mtx_parse_array(path, file, a, notes, error);
    case FORMAT_MAT:
        return parse_mat(path, file, a, error);
    default:
        return text_parse_array(path, file, a, notes, error);
    }
}

bool io_read_known(const char *path, io_format *format, io_array *a, io_notes *notes, io_error *error)
{
    io_bytes file;
    *a = (io_array){0};
    if (!io_load_known(path, &file, format, error)) return false;
    bool const ok = io_parse_array(path, *format, &file, a, notes, error);
    io_bytes_free(&file);
    return ok;
}

/* A text file without a number is refused as empty: its numbers were more likely lost than left out on purpose. */
static bool refuse_empty_text(const char *path, io_format format, io_array *a, io_error *error)
{
    if (format != FORMAT_TEXT || io_array_count(a) > 0) return true;
    io_array_free(a);
    return io_fail(error, path, "is empty");
}

bool io_read_array(const char *path, io_array *a, io_error *error)
{
    io_format format;
    return io_read_known(path, &format, a, NULL, error) && refuse_empty_text(path, format, a, error);
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
    return io_to_double(path, a, error);
}

bool io_read_vector(const char *path, io_array *a, io_error *error)
{
    io_format format;
    if (!io_read_known(path, &format, a, NULL, error)) return false;
    if (!refuse_empty_text(path, format, a, error)) return false;
    if (to_vector(path, format, a, error)) return true;
    io_array_free(a);
    return false;
}

/* ------------------------------------------------------------------ writing */

static bool write_format(io_format format, const io_output *out, const io_array *a)
{
    if (format == FORMAT_NPY) return npy_write(out, a);
    if (format == FORMAT_MTX) return mtx_write(out, a);
    return text_write(out, a);
}

bool io_try_output(const char *path, int rank, io_error *error)
{
    bool replaced;
    io_format const format = rank > 0 ? io_format_out(path) : FORMAT_TEXT;
    if (format == FORMAT_MTX && rank > 2)
        return io_fail(error, path, "cannot be written: Matrix Market holds no array of rank %d", rank);
    if (format == FORMAT_MAT && !io_has_mat()) return mat_write(path, "", NULL, error);
    if (!io_output_try(path, &replaced, error)) return false;
    if (format == FORMAT_MAT && !replaced)
        return io_fail(error, path, "cannot be written: a .mat file cannot go to a pipe or a device");
    return true;
}

bool io_write_array(const char *path, const char *variable, const io_array *a, io_error *error)
{
    io_format const format = io_format_out(path);
    if (format == FORMAT_MAT) return mat_write(path, variable, a, error);
    if (format == FORMAT_MTX && a->rank > 2) {
        return io_fail(error, path, "cannot be written: Matrix Market holds no array of rank %d", a->rank);
    }
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    return io_output_close(&out, write_format(format, &out, a), error);
}

bool io_write_tridiagonal_mtx(const char *path, const io_tridiagonal *t, io_error *error)
{
    io_output out;
    if (!io_output_open(&out, path, error)) return false;
    return io_output_close(&out, mtx_write_tridiagonal(&out, t), error);
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
