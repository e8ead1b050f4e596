/* Named batches of real symmetric and complex Hermitian matrices, for `eigpack generate`, the benchmarks and the tests.
 *
 * A kind exists in every type; in a real one it is symmetric.  Entries are made in double and rounded once; the matrix
 * is Hermitian to the bit, with real diagonal.  The same arguments give the same bits on every machine. */
#ifndef EIG_MATRICES_HERMITIAN_H
#define EIG_MATRICES_HERMITIAN_H

#include "numbers.h"

/* Names accepted by matrices_hermitian, ended by NULL. */
extern const char *const matrices_hermitian_names[];

/* One line about a kind, for --help; NULL if there is no such kind. */
const char *matrices_hermitian_text(const char *kind);

/* Fills element (b*n + i)*n + j of a, which holds batch*n*n, with element (i, j) of matrix b: C order.  Random kinds
 * take seed + b for matrix b.  False, with a sentence, if there is no such kind or no memory. */
bool matrices_hermitian(const char *kind, int64_t n, int64_t batch, uint64_t seed, numbers *a, io_error *error);

/* The eigenvalues, ascending, in w[n], of the kinds that have a formula; false for the others.  Those of kinds that are
 * made from their spectrum (see the table) are exact to a few n eps ||A||, the others' to rounding. */
bool matrices_hermitian_spectrum(const char *kind, eig_type type, int64_t n, double *w);

#endif
