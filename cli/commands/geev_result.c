/* Measures and orders of eigenvalues. */
#include "commands/geev_result.h"
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

eig_geev_measure geev_measure_kind(int choice)
{
    static const eig_geev_measure kinds[] = {EIG_GEEV_ABSCISSA, EIG_GEEV_RADIUS, EIG_GEEV_DAMPING};
    return kinds[choice];
}

svg_measure geev_measure_picture(int choice)
{
    static const svg_measure pictures[] = {
        {"spectral abscissa, max Re \xce\xbb", 0, false},
        {"spectral radius, max |\xce\xbb|", 1, false},
        {"damping ratio, min \xe2\x88\x92Re \xce\xbb / |\xce\xbb|", 0, true},
    };
    return pictures[choice];
}

double geev_measure_of(eig_geev_measure kind, const numbers *w, int64_t first, int64_t n)
{
    double all = 0;
    for (int64_t k = first; k < first + n; k++) {
        double const re = numbers_re(w, k), im = numbers_im(w, k), size = hypot(re, im);
        double one = kind == EIG_GEEV_ABSCISSA ? re : size;
        if (kind == EIG_GEEV_DAMPING) one = size > 0 ? fmax(-1, fmin(1, -re / size)) : -1;
        bool const replaces = k == first || (kind == EIG_GEEV_DAMPING ? one < all : one > all);
        if (replaces) all = one;
    }
    return all;
}

/* ------------------------------------------------------------------- order */

enum { KEYS = 4 };
typedef struct entry {
    double key[KEYS], re, im;
    int64_t from; /* its place before */
} entry;

static int compare(const void *a, const void *b)
{
    const entry *const x = (const entry *)a, *const y = (const entry *)b;
    for (int i = 0; i < KEYS; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static entry make_entry(double re, double im, geev_order order)
{
    if (isnan(re) || isnan(im)) return (entry){{1, 0, 0, 0}, re, im, 0};
    if (order == GEEV_BY_REAL) return (entry){{0, re, fabs(im), -im}, re, im, 0};
    if (order == GEEV_BY_IMAGINARY) return (entry){{0, im, re, 0}, re, im, 0};
    return (entry){{0, hypot(re, im), re, -im}, re, im, 0};
}

/* The n blocks of `each` elements from block `first` on, in the order of the rows.  False: no memory. */
static bool follow(numbers *x, int64_t n, int64_t first, int64_t each, const entry *row)
{
    size_t const size = (size_t)each * type_size(x->type);
    char *const copy = (char *)cli_allocate(n, size), *const at = (char *)numbers_at(x, first * each);
    if (!copy) return false;
    memcpy(copy, at, (size_t)n * size);
    for (int64_t k = 0; k < n; k++) memcpy(at + (size_t)k * size, copy + (size_t)row[k].from * size, size);
    free(copy);
    return true;
}

bool geev_sort(numbers *w, int64_t n, int64_t count, geev_order order, numbers *const *with, int arrays)
{
    entry *const row = (entry *)cli_allocate(n, sizeof *row);
    if (!row) return false;
    for (int64_t first = 0; n > 0 && first < n * count; first += n) {
        for (int64_t k = 0; k < n; k++) {
            row[k] = make_entry(numbers_re(w, first + k), numbers_im(w, first + k), order);
            row[k].from = k;
        }
        qsort(row, (size_t)n, sizeof *row, compare);
        for (int i = 0; i < arrays; i++) {
            int64_t const each = !with[i]->data ? 0 : type_is_complex(with[i]->type) ? n : 1;
            if (each > 0 && !follow(with[i], n, first, each, row)) return free(row), false;
        }
        for (int64_t k = 0; k < n; k++) {
            numbers_put_part(w, 2 * (first + k), row[k].re);
            numbers_put_part(w, 2 * (first + k) + 1, row[k].im);
        }
    }
    free(row);
    return true;
}
