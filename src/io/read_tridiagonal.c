/* Tridiagonal matrices from files: one from a file that holds it whole, one or a batch from two files. */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ one file */

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
    bool const ok = io_parse_array(path, format, file, &a, error) && io_to_double(path, &a, error) &&
                    io_dense_tridiagonal(path, &a, t, error);
    io_array_free(&a);
    return ok;
}

static bool read_whole(const char *path, io_tridiagonal *t, io_error *error)
{
    io_bytes file;
    io_format format;
    if (!io_load_known(path, &file, &format, error)) return false;
    bool const ok = format == FORMAT_MTX    ? mtx_parse_tridiagonal(path, &file, t, error)
                    : format == FORMAT_TEXT ? text_parse_tridiagonal(path, &file, t, error)
                                            : parse_dense(path, format, &file, t, error);
    io_bytes_free(&file);
    return ok;
}

/* ------------------------------------------------------------------ two files */

/* A file of diagonals or off-diagonals. */
typedef struct side {
    const char *path;
    io_array a;
    bool text;
    bool vector; /* may be read as one vector: text, or at most one extent that is not 1 */
} side;

static bool read_side(const char *path, side *s, io_error *error)
{
    io_format format;
    int longer = 0;
    *s = (side){.path = path};
    if (!io_read_known(path, &format, &s->a, error)) return false;
    for (int k = 0; k < s->a.rank; ++k) longer += s->a.shape[k] != 1;
    s->text = format == FORMAT_TEXT;
    s->vector = s->text || longer <= 1;
    return io_to_double(path, &s->a, error);
}

/* Whether an off-diagonal of a matrix of order n may have this many entries: with n, the first is padding. */
static bool fits(int64_t n, int64_t given)
{
    return given == n || given == (n > 1 ? n - 1 : 0);
}

/* What the two files are: batch = 0 one vector each, else rows, one a matrix.  Both readings are possible for text
 * only, where lines may be anything: then they are vectors. */
static bool find_form(const side *d, const side *e, int64_t *n, int64_t *batch, io_error *error)
{
    int64_t const most = io_array_count(&d->a), given = io_array_count(&e->a);
    *n = most, *batch = 0;
    if (d->text && most == 0) return io_fail(error, d->path, "is empty");
    if (e->text && given == 0 && most > 1) return io_fail(error, e->path, "is empty");
    if (d->vector && e->vector && fits(most, given)) return true;
    bool const rows = d->a.rank == 2 && e->a.rank == 2 && d->a.shape[0] == e->a.shape[0];
    if (rows && fits(d->a.shape[1], e->a.shape[1])) return *batch = d->a.shape[0], *n = d->a.shape[1], true;
    const side *const wrong = d->a.rank > 2 ? d : e->a.rank > 2 ? e : NULL;
    if (wrong) return io_fail(error, wrong->path, "holds an array of rank 3; a vector, or a row a matrix, is needed");
    if (d->vector && e->vector)
        return io_fail(error, e->path,
                       "has %" PRId64 " entries, but the %" PRId64 " of the diagonal in %s need %" PRId64
                       " (or %" PRId64 ", the first being padding)",
                       given, most, d->path, most > 1 ? most - 1 : 0, most);
    int64_t const columns = d->a.rank == 2 ? d->a.shape[1] : most;
    return io_fail(error, e->path,
                   "holds %" PRId64 " x %" PRId64 " off-diagonal entries, which do not go with %" PRId64 " x %" PRId64
                   " diagonal entries in %s",
                   e->a.rank == 2 ? e->a.shape[0] : 1, e->a.rank == 2 ? e->a.shape[1] : given,
                   d->a.rank == 2 ? d->a.shape[0] : 1, columns, d->path);
}

/* Copies both in, without padding. */
static bool join(const side *d, const side *e, io_tridiagonal *t, int64_t *batch, io_error *error)
{
    int64_t n;
    if (!find_form(d, e, &n, batch, error)) return false;
    int64_t const rows = *batch > 0 ? *batch : 1, beside = n > 1 ? n - 1 : 0;
    int64_t const given = *batch > 0 ? e->a.shape[1] : io_array_count(&e->a);
    if (!io_tridiagonal_create(d->path, rows * n, t, error)) return false; /* e has room for rows * (n-1) */
    t->n = n;
    memcpy(t->d, d->a.data, (size_t)(rows * n) * sizeof(double));
    for (int64_t b = 0; b < rows && beside > 0; ++b)
        memcpy(t->e + b * beside, (const double *)e->a.data + b * given + (given - beside),
               (size_t)beside * sizeof(double));
    return true;
}

bool io_read_tridiagonals(const char *path_d, const char *path_e, io_tridiagonal *t, int64_t *batch, io_error *error)
{
    *t = (io_tridiagonal){0};
    *batch = 0;
    if (!path_e) return read_whole(path_d, t, error);
    side d, e = {0};
    bool const ok = read_side(path_d, &d, error) && read_side(path_e, &e, error) && join(&d, &e, t, batch, error);
    io_array_free(&d.a);
    io_array_free(&e.a);
    return ok;
}

bool io_read_tridiagonal(const char *path_d, const char *path_e, io_tridiagonal *t, io_error *error)
{
    int64_t batch;
    if (!io_read_tridiagonals(path_d, path_e, t, &batch, error)) return false;
    if (batch == 0) return true;
    io_tridiagonal_free(t);
    return io_fail(error, path_d, "holds the diagonals of %" PRId64 " matrices; one matrix is needed", batch);
}
