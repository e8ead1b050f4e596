/* What the tests of stebz share: a matrix with room for all that a call writes, in either type, and the certificates.
 */
#ifndef EIG_TEST_STEBZ_FIXTURE_H
#define EIG_TEST_STEBZ_FIXTURE_H

#include "device.h"
#include "io/matrices.h"
#include "io/numbers.h"
#include "reference.h"

#include <float.h>
#include <math.h>

typedef struct fixture {
    eig_type type;
    io_tridiagonal t; /* every entry a number of the type */
    numbers d, e, w, lower, upper;
    int64_t m;
    int info;
    double scale; /* largest |eigenvalue| */
} fixture;

/* Takes the entries of f->t as they are in the type; what a call writes becomes NaN. */
static inline void take(fixture *f)
{
    int64_t const n = f->t.n, beside = n > 1 ? n - 1 : 0;
    numbers *const arrays[] = {&f->d, &f->e, &f->w, &f->lower, &f->upper};
    for (int i = 0; i < 5; ++i) {
        numbers_free(arrays[i]);
        if (!numbers_make(arrays[i], f->type, i == 1 ? beside : n)) fail_msg("no memory");
        numbers_fill(arrays[i], NAN);
    }
    numbers_from(&f->d, 0, f->t.d, n), numbers_to(&f->d, 0, f->t.d, n);
    numbers_from(&f->e, 0, f->t.e, beside), numbers_to(&f->e, 0, f->t.e, beside);
    f->m = -1, f->info = -99, f->scale = 0;
    if (n == 0 || numbers_not_finite(&f->d) >= 0 || numbers_not_finite(&f->e) >= 0) return;
    f->scale = fmax(fabs((double)reference_eigenvalue(n, f->t.d, f->t.e, 1)),
                    fabs((double)reference_eigenvalue(n, f->t.d, f->t.e, n)));
}

static inline fixture make(const char *kind, int64_t n, uint64_t seed, eig_type type)
{
    fixture f = {.type = type};
    io_error error;
    if (!matrices_tridiagonal(kind, n, seed, &f.t, &error)) fail_msg("%s n=%lld: %s", kind, (long long)n, error.text);
    take(&f);
    return f;
}

static inline void drop(fixture *f)
{
    numbers *const arrays[] = {&f->d, &f->e, &f->w, &f->lower, &f->upper};
    for (int i = 0; i < 5; ++i) numbers_free(arrays[i]);
    io_tridiagonal_free(&f->t);
}

/* Whether the type holds all its numbers: floats cannot hold the kind "huge". */
static inline bool fits(const fixture *f)
{
    return numbers_not_finite(&f->d) < 0 && numbers_not_finite(&f->e) < 0;
}

/* The call, with or without enclosures, which must succeed; returns m. */
static inline int64_t solve_with(eig_context *ctx, const eig_stebz_options *options, fixture *f, bool enclosures)
{
    eig_status const status = eig_stebz(ctx, f->type, options, f->t.n, f->d.data, f->e.data, &f->m, f->w.data,
                                        enclosures ? f->lower.data : NULL, enclosures ? f->upper.data : NULL, &f->info);
    if (status != EIG_OK) fail_msg("%s: %s", eig_status_text(status), eig_error_detail(ctx));
    return f->m;
}

static inline int64_t solve(eig_context *ctx, const eig_stebz_options *options, fixture *f)
{
    return solve_with(ctx, options, f, false);
}

static inline double w_of(const fixture *f, int64_t k)
{
    return numbers_part(&f->w, k);
}

/* Eigenvalues first..first+m-1 are within 4 eps max|w| + extra, ascending; all of a small matrix, a sample of a large
 * one. */
static inline void certify(const char *what, const fixture *f, int64_t first, int64_t m, double extra)
{
    int64_t const step = m > 64 ? m / 37 : 1;
    double const tiny = type_is_single(f->type) ? 0x1p-149 : 1e-320;
    for (int64_t i = 1; i < m; ++i)
        if (!(w_of(f, i - 1) <= w_of(f, i))) fail_msg("%s: w[%lld] > w[%lld]", what, (long long)i - 1, (long long)i);
    for (int64_t i = 0; i < m; i += step)
        if (!reference_holds(f->t.n, f->t.d, f->t.e, first + i, w_of(f, i),
                             4 * type_eps(f->type) * f->scale + extra + tiny))
            fail_msg("%s %s: n = %lld, w[%lld] = %.17g is not eigenvalue %lld within 4 eps max|w|", what,
                     type_name(f->type), (long long)f->t.n, (long long)i, w_of(f, i), (long long)(first + i));
}

/* Every enclosure holds its eigenvalue; w[0] is eigenvalue `first`. */
static inline void certify_enclosures(const char *what, const fixture *f, int64_t first)
{
    for (int64_t i = 0; i < f->m; ++i) {
        double const lower = numbers_part(&f->lower, i), upper = numbers_part(&f->upper, i);
        long double const below = nextafterl((long double)lower, -INFINITY);
        long double const above = nextafterl((long double)upper, INFINITY);
        int64_t const k = first + i;
        if (!(lower <= w_of(f, i) && w_of(f, i) <= upper) || reference_count(f->t.n, f->t.d, f->t.e, below) >= k ||
            reference_count(f->t.n, f->t.d, f->t.e, above) < k)
            fail_msg("%s %s: [%.17g, %.17g] does not hold eigenvalue %lld", what, type_name(f->type), lower, upper,
                     (long long)k);
    }
}

#endif
