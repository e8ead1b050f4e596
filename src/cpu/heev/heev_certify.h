/* heev on the CPU: what is asked of a matrix's results before its info is 0 (spectrum.inc), for one matrix. */
#ifndef EIG_HEEV_CERTIFY_H
#define EIG_HEEV_CERTIFY_H

#include "heev.h"
#include "heev_cpu.h"
#include "per_type.h"

/* Sums over a matrix's entries, or over its eigenvalues. */
typedef struct heev_sums {
    double trace, squares;
} heev_sums;

/* The sum of the squares of n reals times `level`, side by side, so that they do not wait for each other. */
static inline real heev_squares(int64_t n, const real *x, real level)
{
    enum { SIDE_BY_SIDE = 16 };
    real sum[SIDE_BY_SIDE] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE)
        for (int k = 0; k < SIDE_BY_SIDE; ++k) {
            real const y = x[i + k] * level;
            sum[k] += y * y;
        }
    for (; i < n; ++i) rest += x[i] * level * (x[i] * level);
    for (int k = 0; k < SIDE_BY_SIDE; ++k) rest += sum[k];
    return rest;
}

/* Whether eigenvalues w, times `level`, have the sums of the matrix; tolerance: where Jacobi ends, or 0. */
static inline bool heev_certify_values(int64_t n, const real *w, real level, heev_sums of, double tolerance)
{
    heev_sums found = {0, 0};
    for (int64_t k = 0; k < n; ++k) {
        double const x = (double)w[k] * level;
        found.trace += x, found.squares += x * x;
    }
    return spectrum_has_sums_d((double)n * REAL_EPSILON, of.squares, found.trace - of.trace, found.squares - of.squares,
                               spectrum_left_d((double)n, tolerance), 0);
}

/* Whether a vector in planes of real and imaginary parts has length 1; im is not read where the type is real. */
static inline bool heev_certify_vector(int64_t n, const real *re, const real *im)
{
    return REAL_TYPED(spectrum_has_length)((real)n,
                                           heev_squares(n, re, 1) + (EIG_COMPLEX ? heev_squares(n, im, 1) : 0));
}

#endif
