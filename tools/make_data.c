/* Makes data/: a 2048 x 2048 tridiagonal matrix with entries uniform in [-1, 1), and its eigenvalues to 25 digits.
 *
 *   make_data FOLDER                writes diagonal.dat, superdiagonal.dat, reference.dat
 *   make_data --check FOLDER STEP   makes the matrix and every STEP-th eigenvalue again and compares with the files
 *
 * The entries are floats, so that both precisions solve the same matrix.  The eigenvalues come from bisection on Sturm
 * counts in double-double arithmetic (a number is the unevaluated sum of two doubles, about 106 bits: T. J. Dekker,
 * Numer. Math. 18, 1971).  A count is exact for a matrix whose entries differ by a few units of 2^-104 relative, so
 * each eigenvalue is good to about 1e-30; nothing of the library takes part.  About 20 s. */
#include "io/io.h"
#include "io/matrices.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 2048, SEED = 1, DIGITS = 25, STEPS = 104 };

/* ---------------------------------------------------------- double-double */

typedef struct dd {
    double hi, lo;
} dd;

/* a + b without error (Knuth). */
static dd two_sum(double a, double b)
{
    double const s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

/* Brings hi + lo to the form where |lo| is at most half an ulp of hi; |hi| >= |lo|. */
static dd renormalise(double hi, double lo)
{
    double const s = hi + lo;
    return (dd){s, lo - (s - hi)};
}

static dd add(dd a, dd b)
{
    dd const high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
    dd const sum = renormalise(high.hi, high.lo + low.hi);
    return renormalise(sum.hi, sum.lo + low.lo);
}

static dd negate(dd a)
{
    return (dd){-a.hi, -a.lo};
}

static dd times_double(dd a, double b)
{
    double const product = a.hi * b;
    return renormalise(product, fma(a.hi, b, -product) + a.lo * b);
}

/* a / b by long division: three quotients of doubles. */
static dd divide(dd a, dd b)
{
    double const first = a.hi / b.hi;
    dd rest = add(a, negate(times_double(b, first)));
    double const second = rest.hi / b.hi;
    rest = add(rest, negate(times_double(b, second)));
    return add(renormalise(first, second), (dd){rest.hi / b.hi, 0});
}

/* ------------------------------------------------------------ eigenvalues */

/* How many eigenvalues are smaller than x: negative pivots of T - x.  Squares of floats are exact in double. */
static int count_below(const io_tridiagonal *t, dd x)
{
    double const tiny = 0x1p-900;
    int count = 0;
    dd pivot = {1, 0};
    for (int64_t i = 0; i < t->n; i++) {
        double const square = i > 0 ? t->e[i - 1] * t->e[i - 1] : 0;
        pivot = add(add((dd){t->d[i], 0}, negate(x)), negate(divide((dd){square, 0}, pivot)));
        if (fabs(pivot.hi) < tiny) pivot = (dd){-tiny, 0};
        count += pivot.hi < 0;
    }
    return count;
}

/* Eigenvalue k, from 0, by halving [-3, 3], which holds them all by Gerschgorin's theorem: the width becomes 6/2^104.
 */
static dd eigenvalue(const io_tridiagonal *t, int64_t k)
{
    dd low = {-3, 0}, high = {3, 0};
    for (int step = 0; step < STEPS; step++) {
        dd const sum = add(low, high), middle = {0.5 * sum.hi, 0.5 * sum.lo};
        if (count_below(t, middle) > k)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* ---------------------------------------------------------------- decimals */

/* Writes x, |x| < 10, with DIGITS digits, the last one cut off. */
static void print_number(FILE *file, dd x)
{
    if (x.hi < 0) fputc('-', file), x = negate(x);
    for (int i = 0; i < DIGITS; i++) {
        int digit = (int)x.hi;
        if (x.hi == digit && x.lo < 0) digit--; /* just below a whole number */
        fprintf(file, i == 1 ? ".%d" : "%d", digit);
        x = times_double(add(x, (dd){-digit, 0}), 10);
    }
    fputc('\n', file);
}

/* Reads what print_number writes. */
static dd parse_number(const char *text)
{
    bool const negative = *text == '-';
    dd value = {0, 0}, unit = {1, 0};
    bool fraction = false;
    for (text += negative; isdigit((unsigned char)*text) || *text == '.'; text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        value = add(times_double(value, 10), (dd){*text - '0', 0});
        if (fraction) unit = times_double(unit, 10);
    }
    value = divide(value, unit);
    return negative ? negate(value) : value;
}

/* -------------------------------------------------------------------- files */

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, mode);
    if (!file) fprintf(stderr, "make_data: cannot open %s\n", path);
    return file;
}

static bool write_doubles(const char *folder, const char *name, const double *x, int64_t count)
{
    FILE *const file = open_in(folder, name, "w");
    for (int64_t i = 0; file && i < count; i++) fprintf(file, "%.17g\n", x[i]);
    return file && fclose(file) == 0;
}

static bool write_reference(const char *folder, const io_tridiagonal *t)
{
    FILE *const file = open_in(folder, "reference.dat", "w");
    for (int64_t k = 0; file && k < t->n; k++) print_number(file, eigenvalue(t, k));
    return file && fclose(file) == 0;
}

static bool same_doubles(const char *folder, const char *name, const double *x, int64_t count)
{
    FILE *const file = open_in(folder, name, "r");
    double value;
    int64_t i = 0;
    while (file && fscanf(file, "%lf", &value) == 1 && i < count && value == x[i]) i++;
    bool const same = file && i == count && feof(file);
    if (file) fclose(file);
    if (!same) fprintf(stderr, "make_data: %s differs from the matrix at entry %lld\n", name, (long long)i);
    return same;
}

static bool same_reference(const char *folder, const io_tridiagonal *t, int64_t step)
{
    FILE *const file = open_in(folder, "reference.dat", "r");
    char text[64];
    int64_t lines = 0, wrong = 0;
    double worst = 0;
    for (; file && fgets(text, sizeof text, file); lines++) {
        if (lines % step != 0) continue;
        double const difference = fabs(add(parse_number(text), negate(eigenvalue(t, lines))).hi);
        worst = fmax(worst, difference);
        wrong += !(difference < 2e-24); /* cut after 24 places */
    }
    if (file) fclose(file);
    printf("%lld eigenvalues, every %lld-th made again: largest difference %.1e\n", (long long)lines, (long long)step,
           worst);
    return lines == t->n && wrong == 0;
}

int main(int argc, char **argv)
{
    bool const check = argc == 4 && strcmp(argv[1], "--check") == 0;
    if (argc != 2 && !check) return fprintf(stderr, "usage: make_data [--check] FOLDER [STEP]\n"), 2;
    io_tridiagonal t = {0};
    io_error error;
    if (!matrices_tridiagonal("uniform", ORDER, SEED, &t, &error)) return fprintf(stderr, "%s\n", error.text), 1;
    for (int64_t i = 0; i < t.n; i++) t.d[i] = (float)t.d[i];
    for (int64_t i = 0; i + 1 < t.n; i++) t.e[i] = (float)t.e[i];
    bool good;
    if (check) {
        int64_t const step = strtol(argv[3], NULL, 10);
        good = same_doubles(argv[2], "diagonal.dat", t.d, t.n) &&
               same_doubles(argv[2], "superdiagonal.dat", t.e, t.n - 1) &&
               same_reference(argv[2], &t, step > 0 ? step : 1);
    } else {
        good = write_doubles(argv[1], "diagonal.dat", t.d, t.n) &&
               write_doubles(argv[1], "superdiagonal.dat", t.e, t.n - 1) && write_reference(argv[1], &t);
    }
    io_tridiagonal_free(&t);
    return good ? 0 : 1;
}
