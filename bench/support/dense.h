/* Certificates for eigenvalues of dense matrices, in long double: they share no code with the library.  A matrix is an
 * n x n array in C order. */
#ifndef EIG_TEST_DENSE_H
#define EIG_TEST_DENSE_H

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef long double complex dense_number;

/* C11's CMPLXL, which glibc's header does not give to clang. */
static inline dense_number dense_complex(long double re, long double im)
{
    dense_number x = 0;
    ((long double *)&x)[0] = re, ((long double *)&x)[1] = im;
    return x;
}

static inline long double dense_norm(int64_t n, const double *a)
{
    long double sum = 0;
    for (int64_t k = 0; k < n * n; ++k) sum += (long double)a[k] * (long double)a[k];
    return sqrtl(sum);
}

/* |x| up to a factor of sqrt 2: enough to choose a pivot. */
static inline long double dense_size(dense_number x)
{
    return fabsl(creall(x)) + fabsl(cimagl(x));
}

/* a*b written out: C's own checks for NaN at every product. */
static inline dense_number dense_product(dense_number a, dense_number b)
{
    return dense_complex(creall(a) * creall(b) - cimagl(a) * cimagl(b), creall(a) * cimagl(b) + cimagl(a) * creall(b));
}

/* LU factors of A - wI with row exchanges; the product of the pivots with its sign is *determinant.  False if a pivot
 * is zero. */
static inline int dense_factor(int64_t n, const double *a, dense_number w, dense_number *lu, int64_t *order,
                               dense_number *determinant)
{
    *determinant = 1;
    for (int64_t k = 0; k < n * n; ++k) lu[k] = (long double)a[k];
    for (int64_t i = 0; i < n; ++i) lu[i * n + i] -= w, order[i] = i;
    for (int64_t k = 0; k < n; ++k) {
        int64_t pivot = k;
        for (int64_t i = k; i < n; ++i)
            if (dense_size(lu[i * n + k]) > dense_size(lu[pivot * n + k])) pivot = i;
        if (pivot != k) {
            int64_t const o = order[k];
            order[k] = order[pivot], order[pivot] = o;
            *determinant = -*determinant;
            for (int64_t j = 0; j < n; ++j) {
                dense_number const t = lu[k * n + j];
                lu[k * n + j] = lu[pivot * n + j], lu[pivot * n + j] = t;
            }
        }
        *determinant = dense_product(*determinant, lu[k * n + k]);
        if (lu[k * n + k] == 0) return 0;
        for (int64_t i = k + 1; i < n; ++i) {
            dense_number const factor = lu[i * n + k] = lu[i * n + k] / lu[k * n + k];
            if (factor == 0) continue;
            for (int64_t j = k + 1; j < n; ++j) lu[i * n + j] -= dense_product(factor, lu[k * n + j]);
        }
    }
    return 1;
}

/* y = (A - wI)^-1 x; then x = (A - wI)^-H y. */
static inline void dense_solve(int64_t n, const dense_number *lu, const int64_t *order, dense_number *x,
                               dense_number *y)
{
    for (int64_t i = 0; i < n; ++i) {
        y[i] = x[order[i]];
        for (int64_t j = 0; j < i; ++j) y[i] -= dense_product(lu[i * n + j], y[j]);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        for (int64_t j = i + 1; j < n; ++j) y[i] -= dense_product(lu[i * n + j], y[j]);
        y[i] /= lu[i * n + i];
    }
}

static inline void dense_solve_adjoint(int64_t n, const dense_number *lu, const int64_t *order, dense_number *y,
                                       dense_number *x)
{
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) y[i] -= dense_product(conjl(lu[j * n + i]), y[j]);
        y[i] /= conjl(lu[i * n + i]);
    }
    for (int64_t i = n - 1; i >= 0; --i)
        for (int64_t j = i + 1; j < n; ++j) y[i] -= dense_product(conjl(lu[j * n + i]), y[j]);
    for (int64_t i = 0; i < n; ++i) x[order[i]] = y[i];
}

static inline long double dense_length(int64_t n, const dense_number *x)
{
    long double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += creall(x[i]) * creall(x[i]) + cimagl(x[i]) * cimagl(x[i]);
    return sqrtl(sum);
}

/* An upper bound of the smallest singular value of A - wI, nearly always sharp: |x| / |y| for (A - wI) y = x, with x
 * from three rounds of inverse iteration.  *determinant is that of A - wI. */
static inline long double dense_sigma_min(int64_t n, const double *a, dense_number w, dense_number *determinant)
{
    dense_number *const lu = malloc(sizeof *lu * (size_t)(n * n + 2 * n + 1)), *const x = lu + n * n, *const y = x + n;
    int64_t *const order = malloc(sizeof *order * (size_t)(n + 1));
    long double best = INFINITY;
    if (!dense_factor(n, a, w, lu, order, determinant)) best = 0;
    for (int64_t i = 0; i < n; ++i) x[i] = 1 + (long double)(i * 7 % 11) / 11;
    for (int round = 0; best > 0 && round < 4; ++round) {
        long double const before = dense_length(n, x);
        for (int64_t i = 0; i < n; ++i) x[i] /= before;
        dense_solve(n, lu, order, x, y);
        long double const bound = 1 / dense_length(n, y);
        best = bound < best ? bound : best;
        dense_solve_adjoint(n, lu, order, y, x);
    }
    free(lu);
    free(order);
    return best;
}

#endif
