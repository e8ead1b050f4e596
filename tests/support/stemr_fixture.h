/* What the tests of stemr share: matrices of the published hard families, room for all that a call writes, and the
 * certificates, which trust no other solver: residuals in long double, inner products, Sturm counts in long double. */
#ifndef EIG_TEST_STEMR_FIXTURE_H
#define EIG_TEST_STEMR_FIXTURE_H

#include "device.h"
#include "io/matrices.h"
#include "io/numbers.h"
#include "reference.h"

#include <float.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Fills d[n] and e[n-1]. */
typedef void fill_family(int64_t n, double parameter, double *d, double *e);

static inline void fill_blocks(int64_t n, double glue, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = fabs(10.0 - (double)(i % 21));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % 21 == 20 ? glue : 1;
}

static inline void fill_graded(int64_t n, double decades, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = pow(10, -decades * (double)i / (double)n);
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = pow(10, -decades * ((double)i + 0.5) / (double)n);
}

static inline void fill_upward(int64_t n, double decades, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[n - 1 - i] = pow(10, -decades * (double)i / (double)n);
    for (int64_t i = 0; i + 1 < n; ++i) e[n - 2 - i] = 0.3 * pow(10, -decades * ((double)i + 0.5) / (double)n);
}

/* One cluster of the width 4 x. */
static inline void fill_cluster(int64_t n, double x, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 1;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = x * (1 + (double)(i * i % 7));
}

/* Two clusters, at 1 and -1. */
static inline void fill_twins(int64_t n, double x, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % 2 ? x : 1;
}

/* Two halves that mirror each other: pairs. */
static inline void fill_mirror(int64_t n, double x, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = cos((double)((i < n - 1 - i ? i : n - 1 - i) * 7));
    for (int64_t i = 0; i + 1 < n; ++i)
        e[i] = i == (n - 1) / 2 ? x : 0.5 + 0.1 * (double)((i < n - 2 - i ? i : n - 2 - i) % 3);
}

static inline void fill_clement(int64_t n, double scale, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = scale * sqrt((double)((i + 1) * (n - 1 - i)));
}

static inline void fill_legendre(int64_t n, double scale, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = scale * (double)(i + 1) / sqrt(4.0 * (double)((i + 1) * (i + 1)) - 1);
}

static inline void fill_hermite(int64_t n, double scale, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = 0;
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = scale * sqrt(0.5 * (double)(i + 1));
}

/* Zeros, and tiny ones, among ordinary off-diagonals. */
static inline void fill_gaps(int64_t n, double tiny, double *d, double *e)
{
    for (int64_t i = 0; i < n; ++i) d[i] = sin((double)(i * i));
    for (int64_t i = 0; i + 1 < n; ++i) e[i] = i % 7 == 3 ? 0 : i % 11 == 5 ? tiny : cos((double)(i * i + i));
}

static struct {
    const char *name;
    fill_family *fill;
    double parameter;
} const families[] __attribute__((unused)) = {
    {"W21+ glued by 1e-4", fill_blocks, 1e-4},
    {"W21+ glued by 1e-6", fill_blocks, 1e-6},
    {"W21+ glued by 1e-8", fill_blocks, 1e-8},
    {"W21+ glued by 1e-11", fill_blocks, 1e-11},
    {"W21+ glued by 1e-14", fill_blocks, 1e-14},
    {"W21+ glued by 0", fill_blocks, 0},
    {"graded to 1e-150", fill_graded, 150},
    {"graded to 1e-16", fill_graded, 16},
    {"graded upward", fill_upward, 16},
    {"cluster of 1e-10", fill_cluster, 1e-10},
    {"cluster of 1e-14", fill_cluster, 1e-14},
    {"cluster of 1e-16", fill_cluster, 1e-16},
    {"twins of 1e-9", fill_twins, 1e-9},
    {"twins of 1e-15", fill_twins, 1e-15},
    {"mirror 1e-8", fill_mirror, 1e-8},
    {"mirror 1e-13", fill_mirror, 1e-13},
    {"Clement", fill_clement, 1},
    {"Legendre", fill_legendre, 1},
    {"Hermite", fill_hermite, 1},
    {"Legendre times 1e30", fill_legendre, 1e30},
    {"Clement times 1e-30", fill_clement, 1e-30},
    {"gaps", fill_gaps, 1e-15},
};

typedef struct fixture {
    eig_type type;
    int64_t n, ldz;
    double *plain_d, *plain_e; /* every entry a number of the type */
    numbers d, e, w, z, residual, orthogonality;
    int64_t m, *isuppz;
    int *info;
    eig_stemr_stats stats;
    double norm;
} fixture;

/* Takes the entries as they are in the type. */
static inline void take(fixture *f)
{
    int64_t const n = f->n, beside = n > 1 ? n - 1 : 0;
    numbers *const arrays[] = {&f->d, &f->e, &f->w, &f->z, &f->residual, &f->orthogonality};
    f->ldz = n + 3;
    int64_t const lengths[] = {n, beside, n, n * f->ldz, n, 1};
    for (size_t i = 0; i < COUNT(arrays); ++i) {
        if (!numbers_make(arrays[i], f->type, lengths[i])) fail_msg("no memory");
        numbers_fill(arrays[i], NAN);
    }
    numbers_from(&f->d, 0, f->plain_d, n), numbers_to(&f->d, 0, f->plain_d, n);
    numbers_from(&f->e, 0, f->plain_e, beside), numbers_to(&f->e, 0, f->plain_e, beside);
    f->isuppz = malloc(sizeof *f->isuppz * 2 * (size_t)(n + 1));
    f->info = malloc(sizeof *f->info * (size_t)(n + 1));
    f->m = -1, f->norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        double const left = i > 0 ? fabs(f->plain_e[i - 1]) : 0, right = i + 1 < n ? fabs(f->plain_e[i]) : 0;
        f->norm = fmax(f->norm, fabs(f->plain_d[i]) + left + right);
    }
}

static inline fixture make_family(size_t k, int64_t n, eig_type type)
{
    fixture f = {.type = type, .n = n};
    f.plain_d = calloc((size_t)n + 1, sizeof(double)), f.plain_e = calloc((size_t)n + 1, sizeof(double));
    families[k].fill(n, families[k].parameter, f.plain_d, f.plain_e);
    take(&f);
    return f;
}

static inline fixture make(const char *kind, int64_t n, eig_type type)
{
    fixture f = {.type = type, .n = n};
    io_tridiagonal t;
    io_error error;
    if (!matrices_tridiagonal(kind, n, 5, &t, &error)) fail_msg("%s n=%lld: %s", kind, (long long)n, error.text);
    f.plain_d = calloc((size_t)n + 1, sizeof(double)), f.plain_e = calloc((size_t)n + 1, sizeof(double));
    memcpy(f.plain_d, t.d, (size_t)n * sizeof(double));
    if (n > 1) memcpy(f.plain_e, t.e, (size_t)(n - 1) * sizeof(double));
    io_tridiagonal_free(&t);
    take(&f);
    return f;
}

static inline void drop(fixture *f)
{
    numbers *const arrays[] = {&f->d, &f->e, &f->w, &f->z, &f->residual, &f->orthogonality};
    for (size_t i = 0; i < COUNT(arrays); ++i) numbers_free(arrays[i]);
    free(f->plain_d), free(f->plain_e), free(f->isuppz), free(f->info);
}

/* Whether the type holds all its numbers. */
static inline bool fits(const fixture *f)
{
    return numbers_not_finite(&f->d) < 0 && numbers_not_finite(&f->e) < 0;
}

enum { FILLER = 55 };

/* What a call may not write: rows of z beyond n, and, where there is room for it, a pair behind the last that the caller
 * asks for. */
static inline void fill_around(fixture *f, int64_t pairs)
{
    for (int64_t k = 0; k < f->n && k <= pairs; ++k)
        for (int64_t i = k < pairs ? f->n : 0; i < f->ldz; ++i) numbers_put_part(&f->z, i + k * f->ldz, FILLER);
    if (pairs == f->n) return;
    numbers_put_part(&f->w, pairs, FILLER), numbers_put_part(&f->residual, pairs, FILLER);
    f->info[pairs] = FILLER, f->isuppz[2 * pairs] = f->isuppz[2 * pairs + 1] = FILLER;
}

static inline void expect_around(const fixture *f, int64_t pairs)
{
    for (int64_t k = 0; k < f->n && k <= pairs; ++k)
        for (int64_t i = k < pairs ? f->n : 0; i < f->ldz; ++i)
            if (numbers_part(&f->z, i + k * f->ldz) != FILLER)
                fail_msg("n=%lld: z is written in row %lld of column %lld", (long long)f->n, (long long)i,
                         (long long)k);
    if (pairs == f->n) return;
    if (numbers_part(&f->w, pairs) != FILLER || numbers_part(&f->residual, pairs) != FILLER ||
        f->info[pairs] != FILLER || f->isuppz[2 * pairs] != FILLER || f->isuppz[2 * pairs + 1] != FILLER)
        fail_msg("n=%lld: pair %lld, which was not asked for, is written", (long long)f->n, (long long)pairs);
}

static inline eig_status call(eig_context *ctx, const eig_stemr_options *options, fixture *f, bool vectors)
{
    bool const by_index = options && options->range == EIG_RANGE_INDEX;
    int64_t const pairs = by_index ? options->iu - options->il + 1 : f->n;
    fill_around(f, pairs);
    f->stats.size = sizeof f->stats;
    eig_status const status =
        eig_stemr(ctx, f->type, options, f->n, f->d.data, f->e.data, &f->m, f->w.data, vectors ? f->z.data : NULL,
                  f->ldz, f->isuppz, f->info, f->residual.data, f->orthogonality.data, &f->stats);
    expect_around(f, pairs);
    return status;
}

static inline void solve(eig_context *ctx, const eig_stemr_options *options, fixture *f)
{
    if (call(ctx, options, f, true) != EIG_OK) fail_msg("%s", eig_error_detail(ctx));
}

static inline double z_of(const fixture *f, int64_t i, int64_t k)
{
    return numbers_part(&f->z, i + k * f->ldz);
}

/* ||T z - w z|| / ||T||; T may be as large or small as the type allows. */
static inline double residual_of(const fixture *f, int64_t k)
{
    long double const norm = f->norm > 0 ? (long double)f->norm : 1, w = (long double)numbers_part(&f->w, k) / norm;
    long double sum = 0;
    for (int64_t i = 0; i < f->n; ++i) {
        long double r = ((long double)f->plain_d[i] / norm - w) * (long double)z_of(f, i, k);
        if (i > 0) r += (long double)f->plain_e[i - 1] / norm * (long double)z_of(f, i - 1, k);
        if (i + 1 < f->n) r += (long double)f->plain_e[i] / norm * (long double)z_of(f, i + 1, k);
        sum += r * r;
    }
    return (double)sqrtl(sum);
}

static inline double inner(const fixture *f, int64_t j, int64_t k)
{
    double sum[8] = {0};
    if (type_is_single(f->type)) {
        for (int64_t i = 0; i < f->n; ++i) sum[i & 7] += z_of(f, i, j) * z_of(f, i, k);
    } else {
        const double *const x = (const double *)f->z.data + j * f->ldz, *const y =
                                                                            (const double *)f->z.data + k * f->ldz;
        for (int64_t i = 0; i < f->n; ++i) sum[i & 7] += x[i] * y[i];
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* The worst of all, for the test's last word. */
static double worst_residual, worst_orthogonality;

/* The support of a vector is rows of T, and beside it the vector is 0. */
static inline void check_support(const char *what, const fixture *f, int64_t k)
{
    int64_t const first = f->isuppz[2 * k], last = f->isuppz[2 * k + 1];
    if (first < 1 || last < first || last > f->n)
        fail_msg("%s n=%lld: the support of vector %lld is %lld to %lld", what, (long long)f->n, (long long)k,
                 (long long)first, (long long)last);
    for (int64_t i = 1; i <= f->n; ++i)
        if ((i < first || i > last) && z_of(f, i - 1, k) != 0)
            fail_msg("%s: vector %lld is not 0 beside its support", what, (long long)k);
}

/* Everything that eig_dstemr promises of m pairs, of which the first is eigenvalue `first`.  Inner products of all pairs,
 * or, where there are many, of those that are close. */
static inline void certify(const char *what, const fixture *f, int64_t first)
{
    double const unit = (double)f->n * type_eps(f->type), limit = 10 * unit;
    double const tolerance = 4 * type_eps(f->type) * f->norm + (type_is_single(f->type) ? 0x1p-149 : 1e-320);
    for (int64_t k = 0; k < f->m; ++k) {
        double const residual = residual_of(f, k);
        worst_residual = fmax(worst_residual, residual / unit);
        if (!(residual <= limit))
            fail_msg("%s %s n=%lld: residual %lld is %g n eps ||T||", what, type_name(f->type), (long long)f->n,
                     (long long)k, residual / unit);
        if (f->info[k] != EIG_OK) fail_msg("%s: info[%lld] = %d", what, (long long)k, f->info[k]);
        double const w = numbers_part(&f->w, k);
        if (k > 0 && !(numbers_part(&f->w, k - 1) <= w)) fail_msg("%s: w[%lld] descends", what, (long long)k);
        if ((f->m < 70 || k % 29 == 0) && !reference_holds(f->n, f->plain_d, f->plain_e, first + k, w, tolerance))
            fail_msg("%s %s n=%lld: w[%lld] = %.17g is not eigenvalue %lld", what, type_name(f->type), (long long)f->n,
                     (long long)k, w, (long long)(first + k));
        check_support(what, f, k);
        for (int64_t j = 0; j <= k; ++j) {
            if (f->m > 700 && j < k && fabs(numbers_part(&f->w, j) - w) > 1e-6 * f->norm) continue;
            double const off = fabs(inner(f, j, k) - (j == k));
            worst_orthogonality = fmax(worst_orthogonality, off / unit);
            if (!(off <= limit))
                fail_msg("%s %s n=%lld: vectors %lld and %lld: %g n eps", what, type_name(f->type), (long long)f->n,
                         (long long)j, (long long)k, off / unit);
        }
    }
}

#endif
