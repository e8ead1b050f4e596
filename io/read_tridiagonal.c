/* Tridiagonal matrices from files: one from a file that holds it whole, one or a batch from two files. */
#include "internal.h"
#include "slices.h"

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
    bool const ok = io_parse_array(path, format, file, &a, NULL, error) && io_to_double(path, &a, error) &&
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
    io_source source;
    bool vector; /* may be read as one vector: text, or at most one extent that is not 1 */
} side;

static bool open_side(const char *path, side *s, io_error *error)
{
    int longer = 0;
    *s = (side){.vector = false};
    if (!io_source_open(path, &s->source, error)) return false;
    io_array *const a = &s->source.a;
    if (s->source.text && a->rank == 3) /* empty lines between rows mean nothing here */
        *a = (io_array){a->type, 2, {a->shape[0] * a->shape[1], a->shape[2]}, a->data};
    for (int k = 0; k < a->rank; ++k) longer += a->shape[k] != 1;
    s->vector = s->source.text || longer <= 1;
    return (a->type != IO_C64 && a->type != IO_C128) || io_fail(error, path, "is complex; real numbers are needed");
}

/* Whether an off-diagonal of a matrix of order n may have this many entries: with n, the first is padding. */
static bool fits(int64_t n, int64_t given)
{
    return given == n || given == (n > 1 ? n - 1 : 0);
}

/* What the two files are: rows, one a matrix, or one vector each.  Both readings are possible for text only, where
 * lines may be anything: then they are vectors. */
static bool find_form(const side *d_side, const side *e_side, io_tridiagonals *t, io_error *error)
{
    const io_source *const d = &d_side->source, *const e = &e_side->source;
    int64_t const most = io_array_count(&d->a), given = io_array_count(&e->a);
    bool const vectors = d_side->vector && e_side->vector;
    t->n = most, t->columns = given;
    if (d->text && most == 0) return io_fail(error, d->path, "is empty");
    if (e->text && given == 0 && most > 1) return io_fail(error, e->path, "is empty");
    if (vectors && fits(most, given)) return true;
    t->many = d->a.rank == 2 && e->a.rank == 2 && d->a.shape[0] == e->a.shape[0];
    t->batch = d->a.shape[0], t->n = d->a.shape[1], t->columns = e->a.shape[1];
    if (t->many && fits(t->n, t->columns)) return true;
    const io_source *const wrong = d->a.rank > 2 ? d : e->a.rank > 2 ? e : NULL;
    if (wrong) return io_fail(error, wrong->path, "holds an array of rank 3; a vector, or a row a matrix, is needed");
    if (vectors)
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

/* All numbers of a source as double, in *a; the source gives up what it holds. */
static bool take_all(io_source *s, io_array *a, io_error *error)
{
    int64_t const count = io_array_count(&s->a);
    io_slab const all = {1, count, 1, 0, count};
    *a = s->a;
    s->a.data = NULL;
    if (!a->data && !io_array_create(s->path, s->a.type, s->a.rank, s->a.shape, a, error)) return false;
    if ((!s->form || io_source_read(s, &all, a->data, error)) && io_to_double(s->path, a, error)) return true;
    io_array_free(a);
    return false;
}

/* One matrix, without padding. */
static bool join(io_tridiagonals *many, io_tridiagonal *t, io_error *error)
{
    io_array d = {0}, e = {0};
    int64_t const n = many->n, beside = n > 1 ? n - 1 : 0;
    bool const good = take_all(&many->d, &d, error) && take_all(&many->e, &e, error) &&
                      io_tridiagonal_create(many->d.path, n, t, error);
    if (good) memcpy(t->d, d.data, (size_t)n * sizeof(double));
    if (good && beside > 0)
        memcpy(t->e, (const double *)e.data + (many->columns - beside), (size_t)beside * sizeof(double));
    io_array_free(&d);
    io_array_free(&e);
    return good;
}

bool io_open_tridiagonals(const char *path_d, const char *path_e, io_tridiagonals *many, io_tridiagonal *t,
                          io_error *error)
{
    *t = (io_tridiagonal){0};
    *many = (io_tridiagonals){.many = false};
    if (!path_e) return read_whole(path_d, t, error);
    side d, e = {.vector = false};
    bool good = open_side(path_d, &d, error) && open_side(path_e, &e, error) && find_form(&d, &e, many, error);
    many->d = d.source, many->e = e.source;
    if (good && many->many) return true;
    good = good && join(many, t, error);
    many->many = false;
    io_close_tridiagonals(many);
    return good;
}

void io_close_tridiagonals(io_tridiagonals *many)
{
    io_source_close(&many->d);
    io_source_close(&many->e);
    *many = (io_tridiagonals){.many = false};
}

bool io_read_tridiagonal(const char *path_d, const char *path_e, io_tridiagonal *t, io_error *error)
{
    io_tridiagonals many;
    if (!io_open_tridiagonals(path_d, path_e, &many, t, error)) return false;
    int64_t const batch = many.batch;
    bool const one = !many.many;
    io_close_tridiagonals(&many);
    return one || io_fail(error, path_d, "holds the diagonals of %" PRId64 " matrices; one matrix is needed", batch);
}
