/* Named test matrices with what is known of their spectra: for `eigpack generate`, the benchmarks and the tests.
 *
 * The same (kind, n, seed) gives the same bits on every machine: entries are made with IEEE 754's five operations and
 * the elementary functions of portable.h.  Spectra are computed in long double and rounded. */
#ifndef EIG_MATRICES_H
#define EIG_MATRICES_H

#include "io.h"

/* Names accepted by matrices_tridiagonal, in order, ended by NULL: uniform, uniform01, normal, 121, wilkinson, wilkinson-minus,
 * glued, glued14, blocks2, blocks100, clement, hermite, legendre, laguerre, chebyshev, graded, anderson, harper, latms1 ..
 * latms6, stetester7 .. stetester9, zero, identity, tiny, small, huge. */
extern const char *const matrices_tridiagonal_names[];

/* One line about a kind, for --help; NULL if there is no such kind. */
const char *matrices_tridiagonal_text(const char *kind);

/* Makes the n x n tridiagonal matrix of the named kind, n >= 0; seed matters to the random kinds only. */
bool matrices_tridiagonal(const char *kind, int64_t n, uint64_t seed, io_tridiagonal *t, io_error *error);

/* The same with further choices. */
typedef struct matrices_more {
    double condition; /* of kinds that take one; 0: the kind's own */
    int64_t block;    /* > 0: copies of the matrix of this order, the last one cut, */
    double glue;      /* with this between them */
} matrices_more;
bool matrices_tridiagonal_more(const char *kind, int64_t n, uint64_t seed, const matrices_more *more, io_tridiagonal *t,
                               io_error *error);
bool matrices_tridiagonal_takes_condition(const char *kind);

/* The exact eigenvalues, ascending, in w[n], where a formula is known: 121, clement, chebyshev, zero, identity; false,
 * and w untouched, for all others. */
bool matrices_tridiagonal_spectrum(const char *kind, int64_t n, double *w);

/* The generator itself: xoshiro256**, its state filled by SplitMix64. */
typedef struct matrices_rng {
    uint64_t s[4];
} matrices_rng;
matrices_rng matrices_seed(uint64_t seed);
uint64_t matrices_next(matrices_rng *rng);
double matrices_uniform(matrices_rng *rng); /* in [0, 1) */
double matrices_normal(matrices_rng *rng);  /* mean 0, deviation 1 */

#endif
