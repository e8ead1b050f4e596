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

/* Rows and columns k+1.. of a, by the reflection I - 2 v v^H / v^H v that leaves only element (k+1, k) of column k: its
 * size is the result.  Golub and Van Loan, Matrix Computations, 4th edition, section 8.3.1.  v and p: room for n. */
static inline long double hermitian_step(int64_t n, int64_t k, dense_number *a, dense_number *v, dense_number *p)
{
    long double square = 0, share = 0;
    for (int64_t i = k + 1; i < n; ++i) v[i] = a[i * n + k], square += creall(v[i] * conjl(v[i]));
    long double const size = sqrtl(square), first = cabsl(v[k + 1]);
    if (size == 0) return 0;
    v[k + 1] += first > 0 ? v[k + 1] / first * size : size;
    square = 0;
    for (int64_t i = k + 1; i < n; ++i) square += creall(v[i] * conjl(v[i]));
    for (int64_t i = k + 1; i < n; ++i) {
        dense_number dot = 0;
        for (int64_t j = k + 1; j < n; ++j) dot += dense_product(a[i * n + j], v[j]);
        p[i] = dot * 2 / square;
        share += creall(dense_product(conjl(v[i]), p[i]));
    }
    for (int64_t i = k + 1; i < n; ++i) p[i] -= v[i] * (share / square);
    for (int64_t i = k + 1; i < n; ++i)
        for (int64_t j = k + 1; j < n; ++j)
            a[i * n + j] -= dense_product(v[i], conjl(p[j])) + dense_product(p[i], conjl(v[j]));
    return size;
}

static inline hermitian hermitian_new(int64_t n, const numbers *x, int64_t first)
{
    hermitian h = {.n = n};
    dense_number *const a = malloc(sizeof *a * (size_t)(n * n + 2 * n + 1)), *const v = a + n * n;
    h.d = malloc(sizeof *h.d * (size_t)(2 * n + 1)), h.e = h.d + n;
    long double sum = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        a[k] = dense_complex(numbers_re(x, first + k), numbers_im(x, first + k));
        sum += creall(a[k]) * creall(a[k]) + cimagl(a[k]) * cimagl(a[k]);
    }
    h.norm = sqrtl(sum);
    for (int64_t k = 0; k + 1 < n; ++k) h.e[k] = hermitian_step(n, k, a, v, v + n);
    for (int64_t i = 0; i < n; ++i) h.d[i] = creall(a[i * n + i]);
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

/* Planes of the parts of n x n elements from `first` on, which a double holds; column-major: element (i, j) at j*n + i. */
static inline void hermitian_planes(const numbers *x, int64_t first, int64_t n, int row_major, double *re, double *im)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            int64_t const at = first + (row_major ? i * n + j : j * n + i);
            re[j * n + i] = numbers_re(x, at), im[j * n + i] = numbers_im(x, at);
        }
}

/* sum_i x[i] y[i], in four sums, since one would wait for each of its additions. */
static inline long double hermitian_dot(int64_t n, const double *x, const double *y)
{
    long double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int part = 0; part < 4; ++part) sum[part] += (long double)x[i + part] * y[i + part];
    for (; i < n; ++i) sum[0] += (long double)x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* sum_i conj(x[i]) y[i] */
static inline void hermitian_inner(int64_t n, const double *xr, const double *xi, const double *yr, const double *yi,
                                   int is_complex, long double *re, long double *im)
{
    *re = hermitian_dot(n, xr, yr), *im = 0;
    if (is_complex) *re += hermitian_dot(n, xi, yi), *im = hermitian_dot(n, xr, yi) - hermitian_dot(n, xi, yr);
}

/* The measures of matrix m: a and v have n*n elements a matrix, row- or column-major, w has n numbers.  NaN where
 * memory ran out.  step: only of every step-th column, and the norms that would follow if all were like these. */
static inline hermitian_norms hermitian_sample(int64_t n, const numbers *a, const numbers *w, const numbers *v,
                                               int64_t m, int row_major, int64_t step)
{
    long double const share = (long double)n / (long double)((n + step - 1) / step);
    int const is_complex = type_is_complex(a->type);
    int64_t const square = n * n;
    double *const ar = (double *)malloc(sizeof *ar * (size_t)(4 * square + 1)), *const ai = ar + square;
    double *const vr = ai + square, *const vi = vr + square;
    long double norm = 0, residual = 0, orthogonality = 0, re, im;
    if (!ar) return (hermitian_norms){(long double)NAN, (long double)NAN, (long double)NAN};
    hermitian_planes(a, m * square, n, row_major, ar, ai);
    hermitian_planes(v, m * square, n, row_major, vr, vi);
    for (int64_t k = 0; k < square; ++k) norm += (long double)ar[k] * ar[k] + (long double)ai[k] * ai[k];
    for (int64_t k = 0; k < n; k += step) {
        long double const wk = (long double)numbers_re(w, m * n + k);
        for (int64_t i = 0; i < n; ++i) { /* row i of A is the conjugate of column i */
            hermitian_inner(n, ar + i * n, ai + i * n, vr + k * n, vi + k * n, is_complex, &re, &im);
            re -= wk * vr[k * n + i], im -= wk * vi[k * n + i];
            residual += re * re + im * im;
        }
        for (int64_t l = 0; l < (step > 1 ? n : k + 1); ++l) {
            hermitian_inner(n, vr + k * n, vi + k * n, vr + l * n, vi + l * n, is_complex, &re, &im);
            re -= k == l;
            orthogonality += (k == l || step > 1 ? 1 : 2) * (re * re + im * im);
        }
    }
    free(ar);
    return (hermitian_norms){sqrtl(norm), sqrtl(share * residual), sqrtl(share * orthogonality)};
}

static inline hermitian_norms hermitian_measure(int64_t n, const numbers *a, const numbers *w, const numbers *v,
                                                int64_t m, int row_major)
{
    return hermitian_sample(n, a, w, v, m, row_major, 1);
}

/* All columns up to n = 600, some 24 of larger matrices: n^3 steps of long double would take minutes. */
static inline hermitian_norms hermitian_certify(int64_t n, const numbers *a, const numbers *w, const numbers *v,
                                                int64_t m, int row_major)
{
    return hermitian_sample(n, a, w, v, m, row_major, n > 600 ? n / 24 : 1);
}

#endif
