/* geev on the CPU: the plain code of one type that its files share. */
#ifndef EIG_GEEV_PLAIN_H
#define EIG_GEEV_PLAIN_H

#include "per_type.h"
#include "problem.h"

/* The largest absolute value among x[0], x[step], ..., x[(count-1)*step]. */
static inline real geev_largest(int64_t count, const real *x, int64_t step)
{
    real most = 0;
    for (int64_t k = 0; k < count; ++k) {
        real const size = fabs(x[k * step]);
        most = size > most ? size : most;
    }
    return most;
}

/* Permutes the matrix so that it is upper triangular except for the diagonal block lo..hi (hi < lo: there is no such
 * block).  Above and beside that block only the diagonal stays. */
void TYPED(eig_cpu_geev_isolate)(int64_t n, real *a, int64_t si, int64_t sj, int64_t *lo, int64_t *hi);

/* Scales the rows and columns of that block by powers of two until the norms of row i and column i agree by the rules of
 * dgebal.  scale: [n] work. */
void TYPED(eig_cpu_geev_balance)(int64_t n, real *a, int64_t si, int64_t sj, real *scale, int64_t lo, int64_t hi);

/* Stores eigenvalues re[k*step] + i im[k*step] of matrix b, times unscale, and the measure and info that the call asks for. */
void TYPED(eig_cpu_geev_store)(const geev_problem *p, int64_t b, const real *re, const real *im, int64_t step,
                               real unscale, int info);

#endif
