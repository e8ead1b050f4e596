/* Named test matrices with what is known of their spectra: for `eigpack generate`, the benchmarks and the tests.
 *
 * The same (kind, n, seed) gives the same bits on every machine: entries are made with IEEE 754's five operations and
 * the elementary functions of portable.h.  Spectra are computed in long double and rounded. */
#ifndef EIG_MATRICES_H
#define EIG_MATRICES_H

#include "io.h"

/* Names accepted by matrices_tridiagonal, in order, ended by NULL: uniform, normal, 121, wilkinson, glued, glued14, blocks2,
 * blocks100, clement, hermite, legendre, laguerre, chebyshev, graded, anderson, harper, zero, identity, tiny, small, huge. */
extern const char *const matrices_tridiagonal_names[];

/* One line about a kind, for --help; NULL if there is no such kind. */
const char *matrices_tridiagonal_text(const char *kind);

/* Makes the n x n tridiagonal matrix of the named kind, n >= 0; seed matters to the random kinds only. */
bool matrices_tridiagonal(const char *kind, int64_t n, uint64_t seed, io_tridiagonal *t, io_error *error);

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
