/* Named batches of nonsymmetric matrices, for `eigpack generate`, the benchmarks and the tests. */
#ifndef EIG_MATRICES_BATCH_H
#define EIG_MATRICES_BATCH_H

#include "io.h"

/* Names accepted by matrices_nonsymmetric, ended by NULL. */
extern const char *const matrices_nonsymmetric_names[];

/* One line about a kind, for --help; NULL if there is no such kind. */
const char *matrices_nonsymmetric_text(const char *kind);

/* Fills a[(b*n + i)*n + j] with element (i, j) of matrix b = 0..batch-1: C order.  Random kinds take seed + b for
 * matrix b (closed-loop: the plant is the seed's, the gains are those of seed + b).  The same arguments give the same
 * bits on every machine.  False if there is no such kind. */
bool matrices_nonsymmetric(const char *kind, int64_t n, int64_t batch, uint64_t seed, double *a);

/* The same for matrices b = first..first + count-1 of a batch, the first of them at a[0]. */
bool matrices_nonsymmetric_part(const char *kind, int64_t n, int64_t first, int64_t count, uint64_t seed, double *a);

/* The eigenvalues of the fixed kinds that have a formula, as n pairs (re, im), conjugates adjacent, in no other order;
 * false for the others. */
bool matrices_nonsymmetric_spectrum(const char *kind, int64_t n, double *w);

#endif
