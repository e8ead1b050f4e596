/* Independent measures for the tests of stebz, in long double: they share no code with the library. */
#ifndef EIG_TEST_REFERENCE_H
#define EIG_TEST_REFERENCE_H

#include <math.h>
#include <stdint.h>

/* Number of eigenvalues of T - xI that are negative, by the pivot recurrence; the exponent range of long double makes
 * scaling unnecessary, and its precision makes the count exact for a matrix 2000 times closer than a double's. */
static inline int64_t reference_count(int64_t n, const double *d, const double *e, long double x)
{
    long double q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        long double const b = i > 0 ? (long double)e[i - 1] : 0;
        q = ((long double)d[i] - x) - b * (b / q);
        if (fabsl(q) < 1e-4000L) q = -1e-4000L;
        count += q < 0;
    }
    return count;
}

/* How far w lies from the k-th eigenvalue: 0 if within tolerance (the certificate C(w - tol) < k <= C(w + tol)), else
 * a positive multiple of tolerance that still fails. */
static inline int reference_holds(int64_t n, const double *d, const double *e, int64_t k, double w, double tolerance)
{
    return reference_count(n, d, e, (long double)w - tolerance) < k &&
           reference_count(n, d, e, (long double)w + tolerance) >= k;
}

/* Eigenvalue k to the precision of long double, by bisection, geometric for small ones. */
static inline long double reference_eigenvalue(int64_t n, const double *d, const double *e, int64_t k)
{
    long double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        long double const row = fabsl(d[i]) + (i > 0 ? fabsl(e[i - 1]) : 0) + (i + 1 < n ? fabsl(e[i]) : 0);
        norm = row > norm ? row : norm;
    }
    long double lo = -1.0001L * norm - 1e-4000L, hi = 1.0001L * norm + 1e-4000L;
    for (int step = 0; step < 20000; ++step) {
        long double mid = lo + (hi - lo) / 2;
        if (lo > 0 && hi > 4 * lo) mid = sqrtl(lo) * sqrtl(hi);
        if (hi < 0 && lo < 4 * hi) mid = -sqrtl(-lo) * sqrtl(-hi);
        if (!(lo < mid && mid < hi)) break;
        if (reference_count(n, d, e, mid) >= k)
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

#endif
