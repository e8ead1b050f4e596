/* How many counts an eigenvalue takes: the rule of src/numerics/bracket.h against plain bisection, one shift at a time.
 *
 *     build/bench/stebz_points [n]
 *
 * For each kind of matrix: a table of n shifts, then at most 200 eigenvalues, each alone in its bracket from the table
 * to full accuracy.  This is the number that docs/families/stebz.md quotes; it does not depend on the machine. */
#include "bracket.h"
#include "io/matrices.h"
#include "sturm.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct point {
    double x, mantissa, exponent;
    int64_t count;
} point;

typedef struct rows {
    int64_t n;
    double *alpha, *gamma, *scale, lo, hi, norm;
} rows;

static rows prepare(const io_tridiagonal *t)
{
    size_t const bytes = sizeof(double) * (size_t)(t->n + STURM_BLOCK);
    rows r = {t->n, malloc(bytes), malloc(bytes), malloc(bytes), INFINITY, -INFINITY, 0};
    for (int64_t i = 0; i < t->n; ++i) {
        double const left = i > 0 ? fabs(t->e[i - 1]) : 0, right = i + 1 < t->n ? fabs(t->e[i]) : 0;
        r.norm = fmax(r.norm, fabs(t->d[i]) + left + right);
        r.lo = fmin(r.lo, t->d[i] - left - right), r.hi = fmax(r.hi, t->d[i] + left + right);
    }
    r.lo -= 1e-14 * r.norm, r.hi += 1e-14 * r.norm;
    int exponent;
    frexp(r.norm, &exponent);
    r.lo = ldexp(r.lo, -exponent), r.hi = ldexp(r.hi, -exponent), r.norm = ldexp(r.norm, -exponent);
    double scale_2 = 1, scale_1 = 1;
    for (int64_t i = 0; i < t->n; ++i) {
        if (i % STURM_BLOCK == 0) scale_2 = scale_1 = 1;
        double const b = i > 0 ? fmax(fabs(ldexp(t->e[i - 1], -exponent)), STURM_FLOOR_D) : 1;
        sturm_coefficients_d(ldexp(t->d[i], -exponent), b, &scale_2, &scale_1, &r.alpha[i], &r.gamma[i]);
        r.scale[i] = scale_1;
    }
    return r;
}

static point count(const rows *r, double x)
{
    point p = {x, 1, 0, 0};
    double r0 = 0, r1 = 1;
    for (int64_t i = 0; i < r->n; ++i) {
        double const next = fma(fma(-x, r->gamma[i], r->alpha[i]), r1, -r0);
        p.count += (signbit(next) != 0) != (signbit(r1) != 0);
        r0 = r1, r1 = next;
        if ((i + 1) % STURM_BLOCK != 0 && i + 1 < r->n) continue;
        r1 *= r->scale[i], r0 *= i % STURM_BLOCK > 0 ? r->scale[i - 1] : 1;
        int e;
        frexp(fmax(fabs(r0), fabs(r1)), &e);
        r0 = ldexp(r0, -e), r1 = ldexp(r1, -e), p.exponent += e;
    }
    p.mantissa = r1;
    return p;
}

static int refine(const rows *r, int64_t k, point a, point b, int interpolate)
{
    point c = a;
    int steps = 0, has_c = 0, idle = 0;
    for (;; ++steps) {
        double const width = fabs(b.x - a.x);
        double const wanted = fmax(DBL_EPSILON * r->norm, 2 * DBL_EPSILON * fmax(fabs(a.x), fabs(b.x)));
        double const lo = fmin(a.x, b.x), hi = fmax(a.x, b.x);
        double x = lo + 0.5 * (hi - lo);
        if (width <= wanted || !(lo < x && x < hi)) return steps;
        int const alone = llabs(a.count - b.count) == 1 && idle < BRACKET_PATIENCE;
        if (idle >= BRACKET_PATIENCE) idle = 0;
        double const proposed = bracket_point(a.x, a.mantissa, a.exponent, b.x, b.mantissa, b.exponent, c.x, c.mantissa,
                                              c.exponent, has_c, interpolate && alone, wanted);
        if (lo < proposed && proposed < hi) x = proposed;
        point const p = count(r, x);
        int const a_is_lo = a.x < b.x, left = p.count >= k;
        c = left == a_is_lo ? b : a;
        if (left == a_is_lo) b = a;
        a = p, has_c = 1;
        idle = fabs(b.x - a.x) > 0.5 * width ? idle + 1 : 0;
    }
}

static void measure(const char *kind, int64_t n)
{
    io_tridiagonal t = {0};
    io_error error;
    if (!matrices_tridiagonal(kind, n, 1, &t, &error)) return;
    rows r = prepare(&t);
    point *const table = malloc(sizeof *table * (size_t)(n + 1));
    for (int64_t j = 0; j <= n; ++j) table[j] = count(&r, r.lo + (r.hi - r.lo) * (double)j / (double)n);
    long total[2] = {0, 0}, most[2] = {0, 0}, sampled = 0;
    for (int64_t k = 1; k <= n; k += (n + 199) / 200, ++sampled)
        for (int rule = 0; rule < 2; ++rule) {
            int64_t j = 0;
            while (j + 1 < n && table[j + 1].count < k) ++j;
            int const steps = refine(&r, k, table[j], table[j + 1], rule);
            total[rule] += steps;
            most[rule] = steps > most[rule] ? steps : most[rule];
        }
    printf("%-12s n=%lld  bisection %5.1f (most %ld)  interpolation %5.1f (most %ld)\n", kind, (long long)n,
           (double)total[0] / (double)sampled, most[0], (double)total[1] / (double)sampled, most[1]);
    free(table), free(r.alpha), free(r.gamma), free(r.scale);
    io_tridiagonal_free(&t);
}

int main(int argc, char **argv)
{
    int64_t const n = argc > 1 ? atoll(argv[1]) : 2048;
    for (int k = 0; matrices_tridiagonal_names[k]; ++k) measure(matrices_tridiagonal_names[k], n);
    return 0;
}
