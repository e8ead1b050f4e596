/* Matrix Market's .mtx files (https://math.nist.gov/MatrixMarket/formats.html).
 *
 * Array format: the entries by columns, one a line.  Coordinate format: rows "i j value", indices from 1; entries that
 * are left out are zero, and those of a pattern, which has no values, are 1.  Symmetric, Hermitian and skew-symmetric
 * files hold the lower triangle; a skew-symmetric one in array format without its diagonal, which is zero.  It is
 * strict where errors would go unnoticed: an entry given twice is an error (the format's definition does not say
 * whether to add), and so are an entry above the diagonal of a symmetric file, a diagonal entry that is not zero
 * (skew-symmetric) or not real (Hermitian), and numbers after the last entry. */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct mtx_header {
    bool coordinate, pattern;
    bool symmetric;       /* only the lower triangle is given; the upper one is the same, */
    bool skew, hermitian; /* its negative, or its conjugate */
    int parts;            /* numbers an entry has: 1, or 2 where complex */
    int64_t rows, columns, entries;
} mtx_header;

/* ------------------------------------------------------------------ header */

/* The index in a NULL-ended list of the header's next word; -1 if it is none of them. */
static int match_word(io_scanner *s, const char *const *words)
{
    if (!io_scan_word(s) || s->line > 1) return -1;
    for (int i = 0; words[i]; ++i) {
        if (strlen(words[i]) == s->length && strncasecmp(s->word, words[i], s->length) == 0) return i;
    }
    return -1;
}

/* The first line: %%MatrixMarket matrix FORMAT FIELD SYMMETRY. */
static bool parse_banner(io_scanner *s, mtx_header *h)
{
    static const char *const banner[] = {"%%MatrixMarket", NULL}, *const object[] = {"matrix", NULL};
    static const char *const formats[] = {"array", "coordinate", NULL};
    static const char *const fields[] = {"real", "integer", "double", "complex", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    if (match_word(s, banner) < 0 || match_word(s, object) < 0) {
        return io_fail(s->error, s->path, "is not a Matrix Market file (it must begin with '%%%%MatrixMarket matrix')");
    }
    int const format = match_word(s, formats);
    if (format < 0) return io_scan_fail(s, "the format must be coordinate or array");
    int const field = match_word(s, fields);
    if (field < 0) return io_scan_fail(s, "the entries must be real, integer, complex or pattern");
    int const symmetry = match_word(s, symmetries);
    if (symmetry < 0) return io_scan_fail(s, "the symmetry must be general, symmetric, skew-symmetric or hermitian");
    *h = (mtx_header){.coordinate = format == 1, .symmetric = symmetry > 0, .parts = field == 3 ? 2 : 1};
    h->pattern = field == 4, h->skew = symmetry == 2, h->hermitian = symmetry == 3;
    if (h->pattern && !h->coordinate) return io_scan_fail(s, "a pattern must be in coordinate format");
    if (h->pattern && symmetry > 1) return io_scan_fail(s, "a pattern must be general or symmetric");
    if (h->hermitian && field != 3) return io_scan_fail(s, "a hermitian matrix must be complex");
    return true;
}

/* Moves past the rest of the first line and the comment lines after it. */
static void skip_comments(io_scanner *s)
{
    do {
        while (s->next < s->end && *s->next != '\n') ++s->next;
        while (s->next < s->end && (*s->next == '\n' || *s->next == '\r' || *s->next == ' ' || *s->next == '\t')) {
            s->line += *s->next++ == '\n';
        }
    } while (s->next < s->end && *s->next == '%');
}

static bool parse_header(io_scanner *s, mtx_header *h)
{
    if (s->next == s->end) return io_fail(s->error, s->path, "is empty");
    if (!parse_banner(s, h)) return false;
    skip_comments(s);
    if (!io_scan_int64(s, "the number of rows", &h->rows)) return false;
    if (!io_scan_int64(s, "the number of columns", &h->columns)) return false;
    if (h->coordinate && !io_scan_int64(s, "the number of entries", &h->entries)) return false;
    if (h->rows < 0 || h->columns < 0 || h->entries < 0) return io_scan_fail(s, "a size is negative");
    if (h->symmetric && h->rows != h->columns) {
        return io_scan_fail(s, "not square: %" PRId64 " x %" PRId64 ", yet said to be symmetric", h->rows, h->columns);
    }
    return true;
}

static bool parse_end(io_scanner *s)
{
    return !io_scan_word(s) || io_scan_fail(s, "more numbers than the header says");
}

/* ------------------------------------------------------------------ arrays */

/* Whether the file is large enough for the entries an array header claims: each takes two bytes at least. */
static bool array_fits(const mtx_header *h, size_t bytes)
{
    uint64_t const rows = (uint64_t)h->rows, columns = (uint64_t)h->columns;
    if (rows == 0 || columns == 0) return true;
    if (!h->symmetric) return rows <= bytes && columns <= bytes / rows;
    return rows <= bytes && rows <= 2 * (bytes / rows) + 1;
}

/* The numbers of one entry; a pattern has none. */
static bool parse_value(io_scanner *s, const mtx_header *h, double *entry)
{
    if (h->pattern) entry[0] = 1;
    for (int k = 0; k < h->parts && !h->pattern; ++k) {
        if (!io_scan_double(s, "an entry", &entry[k])) return false;
    }
    return true;
}

static bool entry_fail(io_scanner *s, int64_t i, int64_t j, const char *trouble)
{
    return io_scan_fail(s, "entry (%" PRId64 ", %" PRId64 ") %s", i, j, trouble);
}

/* Refuses a diagonal entry that the symmetry does not allow. */
static bool check_diagonal(io_scanner *s, const mtx_header *h, int64_t i, const double *entry)
{
    if (h->hermitian && entry[1] != 0) return entry_fail(s, i, i, "has an imaginary part: the matrix is not hermitian");
    bool const zero = entry[0] == 0 && (h->parts == 1 || entry[1] == 0);
    return !h->skew || zero || entry_fail(s, i, i, "is not zero: the matrix is not skew-symmetric");
}

/* Puts entry (i, j), counted from 0, into the array, and entry (j, i) where the symmetry gives it. */
static void put_entry(const mtx_header *h, double *x, size_t i, size_t j, const double *entry)
{
    size_t const parts = (size_t)h->parts, columns = (size_t)h->columns;
    double *const mirror = x + parts * (j * columns + i);
    memcpy(x + parts * (i * columns + j), entry, parts * sizeof *entry);
    if (h->symmetric && i > j) memcpy(mirror, entry, parts * sizeof *entry);
    if (h->skew && i > j) mirror[0] = -entry[0];
    if (parts == 2 && (h->skew || h->hermitian) && i > j) mirror[1] = -entry[1];
}

static bool parse_entries(io_scanner *s, const mtx_header *h, double *x)
{
    double entry[2];
    for (size_t j = 0; j < (size_t)h->columns; ++j) {
        for (size_t i = h->skew ? j + 1 : h->symmetric ? j : 0; i < (size_t)h->rows; ++i) {
            if (!parse_value(s, h, entry)) return false;
            if (i == j && !check_diagonal(s, h, (int64_t)i + 1, entry)) return false;
            put_entry(h, x, i, j, entry);
        }
    }
    return parse_end(s);
}

static bool parse_array(io_scanner *s, const mtx_header *h, size_t bytes, io_array *a)
{
    if (!array_fits(h, bytes)) {
        return io_fail(s->error, s->path, "is truncated: %zu bytes cannot hold a %" PRId64 " x %" PRId64 " array",
                       bytes, h->rows, h->columns);
    }
    int64_t const shape[2] = {h->rows, h->columns};
    if (!io_array_create(s->path, h->parts == 2 ? IO_C128 : IO_F64, 2, shape, a, s->error)) return false;
    if (io_array_count(a) == 0 ? parse_end(s) : parse_entries(s, h, (double *)a->data)) return true;
    io_array_free(a);
    return false;
}

/* ------------------------------------------------------------------ coordinates */

/* One row "i j value". */
static bool parse_row(io_scanner *s, const mtx_header *h, int64_t *row, int64_t *column, double *entry)
{
    if (!io_scan_int64(s, "a row index", row) || !io_scan_int64(s, "a column index", column)) return false;
    int64_t const i = *row, j = *column;
    if (!parse_value(s, h, entry)) return false;
    if (i < 1 || i > h->rows || j < 1 || j > h->columns) return entry_fail(s, i, j, "lies outside the matrix");
    if (h->symmetric && i < j) return entry_fail(s, i, j, "lies above the diagonal of a symmetric file");
    return i != j || check_diagonal(s, h, i, entry);
}

/* An array of which zeros are left out, so that the file's size does not bound its extents.  A large matrix most of
 * whose rows or columns have no entry is taken for a damaged header. */
static bool extents_are_plausible(const mtx_header *h, size_t bytes)
{
    enum { SMALL = 1 << 20, LEAST = 4 /* bytes of a row: "1 1\n" */ };
    uint64_t const rows = (uint64_t)h->rows, columns = (uint64_t)h->columns;
    if (rows == 0 || columns <= SMALL / rows) return true;
    return rows <= bytes / LEAST && columns <= bytes / LEAST;
}

static bool parse_coordinates(io_scanner *s, const mtx_header *h, double *x, unsigned char *seen)
{
    for (int64_t k = 0; k < h->entries; ++k) {
        int64_t i, j;
        double entry[2];
        if (!parse_row(s, h, &i, &j, entry)) return false;
        uint64_t const place = (uint64_t)(i - 1) * (uint64_t)h->columns + (uint64_t)(j - 1);
        unsigned char const bit = (unsigned char)(1U << place % 8);
        if (seen[place / 8] & bit) return entry_fail(s, i, j, "is given twice");
        seen[place / 8] |= bit;
        put_entry(h, x, (size_t)i - 1, (size_t)j - 1, entry);
    }
    return parse_end(s);
}

static bool parse_coordinate_array(io_scanner *s, const mtx_header *h, size_t bytes, io_array *a)
{
    if (!extents_are_plausible(h, bytes)) {
        return io_fail(s->error, s->path, "claims a %" PRId64 " x %" PRId64 " matrix with %zu bytes", h->rows,
                       h->columns, bytes);
    }
    int64_t const shape[2] = {h->rows, h->columns};
    if (!io_array_create(s->path, h->parts == 2 ? IO_C128 : IO_F64, 2, shape, a, s->error)) return false;
    unsigned char *const seen = (unsigned char *)calloc((size_t)io_array_count(a) / 8 + 1, 1);
    bool const ok = seen ? parse_coordinates(s, h, (double *)a->data, seen)
                         : io_fail(s->error, s->path, "needs more memory than there is");
    free(seen);
    if (!ok) io_array_free(a);
    return ok;
}

bool mtx_parse_array(const char *path, const io_bytes *file, io_array *a, io_notes *notes, io_error *error)
{
    if (!io_refuse_wide(path, file, error)) return false;
    io_scanner s = io_scan(path, file, error);
    mtx_header h;
    if (!parse_header(&s, &h)) return false;
    if (notes && h.skew) notes->not_hermitian = "skew-symmetric";
    if (notes && h.symmetric && !h.skew && !h.hermitian && h.parts == 2) notes->not_hermitian = "complex symmetric";
    return h.coordinate ? parse_coordinate_array(&s, &h, file->size, a) : parse_array(&s, &h, file->size, a);
}

/* ------------------------------------------------------------------ tridiagonal matrices */

/* The three diagonals as the file gives them, and which of their entries it has given: bit 0 d, 1 lower, 2 upper. */
typedef struct band {
    double *d, *lower, *upper;
    unsigned char *seen;
} band;

static bool parse_coordinate(io_scanner *s, const mtx_header *h, band *b)
{
    int64_t i, j;
    double x;
    if (!parse_row(s, h, &i, &j, &x)) return false;
    if (i - j > 1 || j - i > 1) return x == 0.0 || entry_fail(s, i, j, "is not zero: the matrix is not tridiagonal");
    int64_t const k = (i < j ? i : j) - 1;
    unsigned char const bit = i == j ? 1 : i > j ? 2 : 4;
    if (b->seen[k] & bit) return entry_fail(s, i, j, "is given twice");
    b->seen[k] |= bit;
    *(i == j ? &b->d[k] : i > j ? &b->lower[k] : &b->upper[k]) = x;
    return true;
}

static bool parse_band(io_scanner *s, const mtx_header *h, band *b)
{
    for (int64_t k = 0; k < h->entries; ++k) {
        if (!parse_coordinate(s, h, b)) return false;
    }
    if (!parse_end(s)) return false;
    for (int64_t k = 0; k + 1 < h->rows && !h->symmetric; ++k) {
        double const below = b->lower[k], above = b->upper[k];
        if (below == above || (below != below && above != above)) continue;
        return io_fail(s->error, s->path,
                       "is not symmetric: entry (%" PRId64 ", %" PRId64 ") is %.17g, entry (%" PRId64 ", %" PRId64
                       ") is %.17g",
                       k + 2, k + 1, below, k + 1, k + 2, above);
    }
    return true;
}

/* Zeros may be left out, so that the size of the file does not bound the order.  A large matrix with almost no entries
 * is taken for a damaged header. */
static bool order_is_plausible(int64_t n, size_t bytes)
{
    return n <= 1 << 20 || (uint64_t)n <= bytes;
}

bool mtx_parse_tridiagonal(const char *path, const io_bytes *file, io_tridiagonal *t, io_error *error)
{
    if (!io_refuse_wide(path, file, error)) return false;
    io_scanner s = io_scan(path, file, error);
    mtx_header h;
    if (!parse_header(&s, &h)) return false;
    if (h.parts == 2) return io_fail(error, path, "is complex; real numbers are needed");
    if (h.skew) return io_fail(error, path, "is skew-symmetric; a symmetric matrix is needed");
    if (h.rows != h.columns) return io_fail(error, path, "is not square: %" PRId64 " x %" PRId64, h.rows, h.columns);
    if (!h.coordinate) {
        io_array a = {0};
        bool const ok = parse_array(&s, &h, file->size, &a) && io_dense_tridiagonal(path, &a, t, error);
        io_array_free(&a);
        return ok;
    }
    if (!order_is_plausible(h.rows, file->size)) {
        return io_fail(error, path, "claims order %" PRId64 " with %zu bytes", h.rows, file->size);
    }
    if (!io_tridiagonal_create(path, h.rows, t, error)) return false;
    size_t const size = (size_t)h.rows + 1;
    band b = {t->d, t->e, (double *)calloc(size, sizeof(double)), (unsigned char *)calloc(size, 1)};
    bool const ok =
        b.upper && b.seen ? parse_band(&s, &h, &b) : io_fail(error, path, "needs more memory than there is");
    free(b.upper);
    free(b.seen);
    if (!ok) io_tridiagonal_free(t);
    return ok;
}

/* ------------------------------------------------------------------ writing */

static bool write_entry(FILE *out, const io_array *a, int64_t i)
{
    switch (a->type) {
    case IO_F32:
        return fprintf(out, "%.9g\n", (double)((const float *)a->data)[i]) > 0;
    case IO_F64:
        return fprintf(out, "%.17g\n", ((const double *)a->data)[i]) > 0;
    case IO_C64:
        return fprintf(out, "%.9g %.9g\n", (double)((const float *)a->data)[2 * i],
                       (double)((const float *)a->data)[2 * i + 1]) > 0;
    case IO_C128:
        return fprintf(out, "%.17g %.17g\n", ((const double *)a->data)[2 * i], ((const double *)a->data)[2 * i + 1]) >
               0;
    case IO_I32:
        return fprintf(out, "%" PRId32 "\n", ((const int32_t *)a->data)[i]) > 0;
    case IO_I64:
        return fprintf(out, "%" PRId64 "\n", ((const int64_t *)a->data)[i]) > 0;
    }
    return false;
}

/* A vector is written as an n x 1 array. */
bool mtx_write(const io_output *to, const io_array *a)
{
    FILE *const out = to->file;
    const char *const field = a->type == IO_C64 || a->type == IO_C128  ? "complex"
                              : a->type == IO_I32 || a->type == IO_I64 ? "integer"
                                                                       : "real";
    int64_t const rows = a->shape[0], columns = a->rank == 2 ? a->shape[1] : 1;
    if (fprintf(out, "%%%%MatrixMarket matrix array %s general\n%" PRId64 " %" PRId64 "\n", field, rows, columns) < 0) {
        return false;
    }
    int64_t written = 0;
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            if (written++ % IO_SOME == 0) io_tell("writing", to->path, written, rows * columns);
            if (!write_entry(out, a, i * columns + j)) return false;
        }
    return true;
}

bool mtx_write_tridiagonal(const io_output *to, const io_tridiagonal *t)
{
    FILE *const out = to->file;
    int64_t const entries = t->n > 0 ? 2 * t->n - 1 : 0;
    if (fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n%" PRId64 " %" PRId64 " %" PRId64 "\n", t->n,
                t->n, entries) < 0) {
        return false;
    }
    for (int64_t i = 1; i <= t->n; ++i) {
        if (i % IO_SOME == 1) io_tell("writing", to->path, i, t->n);
        if (fprintf(out, "%" PRId64 " %" PRId64 " %.17g\n", i, i, t->d[i - 1]) < 0) return false;
        if (i < t->n && fprintf(out, "%" PRId64 " %" PRId64 " %.17g\n", i + 1, i, t->e[i - 1]) < 0) return false;
    }
    return true;
}
