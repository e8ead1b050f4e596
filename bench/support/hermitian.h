/* Certificates for eigenvalues and eigenvectors of Hermitian matrices, in long double: they share no code with the
 * library.  A matrix is an n x n array of numbers in C order; counts take it column-major too, since the conjugate has the
 * same eigenvalues. */
#ifndef EIG_BENCH_HERMITIAN_H
#define EIG_BENCH_HERMITIAN_H

#include "dense.h"
#include "io/numbers.h"

/* ---------------------------------------------------------------- counts */

/* A tridiagonal matrix with the same eigenvalues, to a few units of long double; e[i] >= 0 lies beside d[i] and
 * d[i+1]. */
typedef struct hermitian {
    int64_t n;
    long double *d, *e, norm; /* norm: Frobenius */
} hermitian;

/* Rows and columns k+1.. of a, by the reflection that leaves only element (k+1, k) of column k. */
static inline void hermitian_step(int64_t n, int64_t k, dense_number *a, dense_number *v)
{
    long double square = 0;
    for (int64_t i = k + 1; i < n; ++i) v[i] = a[i * n + k], square += creall(v[i] * conjl(v[i]));
    long double const size = sqrtl(square), first = cabsl(v[k + 1]);
    if (size == 0) return;
    v[k + 1] += first > 0 ? v[k + 1] / first * size : size;
    square = 0;
    for (int64_t i = k + 1; i < n; ++i) square += creall(v[i] * conjl(v[i]));
    for (int64_t side = 0; side < 2; ++side)
        for (int64_t j = 0; j < n; ++j) { /* I - 2 v v^H / v^H v from the left, then from the right */
            dense_number dot = 0;
            for (int64_t i = k + 1; i < n; ++i)
                dot += side == 0 ? dense_product(conjl(v[i]), a[i * n + j]) : dense_product(a[j * n + i], v[i]);
            dot *= 2 / square;
            for (int64_t i = k + 1; i < n; ++i) {
                if (side == 0)
                    a[i * n + j] -= dense_product(v[i], dot);
                else
                    a[j * n + i] -= dense_product(dot, conjl(v[i]));
            }
        }
}

static inline hermitian hermitian_new(int64_t n, const numbers *x, int64_t first)
{
    hermitian h = {.n = n};
    dense_number *const a = malloc(sizeof *a * (size_t)(n * n + n + 1));
    h.d = malloc(sizeof *h.d * (size_t)(2 * n + 1)), h.e = h.d + n;
    long double sum = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        a[k] = dense_complex(numbers_re(x, first + k), numbers_im(x, first + k));
        sum += creall(a[k]) * creall(a[k]) + cimagl(a[k]) * cimagl(a[k]);
    }
    h.norm = sqrtl(sum);
    for (int64_t k = 0; k + 2 < n; ++k) hermitian_step(n, k, a, a + n * n);
    for (int64_t i = 0; i < n; ++i) {
        h.d[i] = creall(a[i * n + i]);
        if (i + 1 < n) h.e[i] = cabsl(a[(i + 1) * n + i]);
    }
    free(a);
    return h;
}

static inline void hermitian_free(hermitian *h)
{
    free(h->d);
}

/* How many eigenvalues are smaller than x. */
static inline int64_t hermitian_count(const hermitian *h, long double x)
{
    int64_t count = 0;
    long double q = 1;
    for (int64_t i = 0; i < h->n; ++i) {
        long double const b = i > 0 ? h->e[i - 1] : 0;
        q = (h->d[i] - x) - b * (b / q);
        if (fabsl(q) < 1e-4000L) q = -1e-4000L;
        count += q < 0;
    }
    return count;
}

/* Whether w lies within tolerance of eigenvalue k, from 1. */
static inline int hermitian_holds(const hermitian *h, int64_t k, double w, long double tolerance)
{
    return hermitian_count(h, (long double)w - tolerance) < k && hermitian_count(h, (long double)w + tolerance) >= k;
}

/* -------------------------------------------------------------- measures */

/* Frobenius norms: of A; of A V - V diag(w); of V^H V - I. */
typedef struct hermitian_norms {
    long double a, residual, orthogonality;
} hermitian_norms;

/* Planes of the parts of n x n elements from `first` on; column-major: element (i, j) at j*n + i. */
static inline void hermitian_planes(const numbers *x, int64_t first, int64_t n, int row_major, long double *re,
                                    long double *im)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            int64_t const at = first + (row_major ? i * n + j : j * n + i);
            re[j * n + i] = numbers_re(x, at), im[j * n + i] = numbers_im(x, at);
        }
}

/* sum_i conj(x[i]) y[i] */
static inline void hermitian_inner(int64_t n, const long double *xr, const long double *xi, const long double *yr,
                                   const long double *yi, int is_complex, long double *re, long double *im)
{
    long double a = 0, b = 0;
    for (int64_t i = 0; i < n; ++i) a += xr[i] * yr[i];
    for (int64_t i = 0; i < n && is_complex; ++i) a += xi[i] * yi[i], b += xr[i] * yi[i] - xi[i] * yr[i];
    *re = a, *im = b;
}

/* Of matrix m: a and v have n*n elements a matrix, row- or column-major, w has n numbers.  NaN where memory ran out. */
static inline hermitian_norms hermitian_measure(int64_t n, const numbers *a, const numbers *w, const numbers *v,
                                                int64_t m, int row_major)
{
    int const is_complex = type_is_complex(a->type);
    int64_t const square = n * n;
    long double *const ar = (long double *)malloc(sizeof *ar * (size_t)(4 * square + 1)), *const ai = ar + square;
    long double *const vr = ai + square, *const vi = vr + square, norm = 0, residual = 0, orthogonality = 0, re, im;
    if (!ar) return (hermitian_norms){(long double)NAN, (long double)NAN, (long double)NAN};
    hermitian_planes(a, m * square, n, row_major, ar, ai);
    hermitian_planes(v, m * square, n, row_major, vr, vi);
    for (int64_t k = 0; k < square; ++k) norm += ar[k] * ar[k] + ai[k] * ai[k];
    for (int64_t k = 0; k < n; ++k) {
        long double const wk = (long double)numbers_re(w, m * n + k);
        for (int64_t i = 0; i < n; ++i) { /* row i of A is the conjugate of column i */
            hermitian_inner(n, ar + i * n, ai + i * n, vr + k * n, vi + k * n, is_complex, &re, &im);
            re -= wk * vr[k * n + i], im -= wk * vi[k * n + i];
            residual += re * re + im * im;
        }
        for (int64_t l = 0; l <= k; ++l) {
            hermitian_inner(n, vr + k * n, vi + k * n, vr + l * n, vi + l * n, is_complex, &re, &im);
            re -= k == l;
            orthogonality += (k == l ? 1 : 2) * (re * re + im * im);
        }
    }
    free(ar);
    return (hermitian_norms){sqrtl(norm), sqrtl(residual), sqrtl(orthogonality)};
}

#endif
