/* Tridiagonal matrices with prescribed spectra, as LAPACK's testers take them; rows of the table of matrices.c. */
#ifndef EIG_IO_MATRICES_HARD_H
#define EIG_IO_MATRICES_HARD_H

#include "matrices.h"

enum { HARD_MODES = 9 };

/* The spectrum of a mode, in the order of its definition, in w[n]; condition: the ratio of the largest and the least, in
 * modes 1 to 5.
 *     1   1, then 1/condition
 *     2   1, the last 1/condition
 *     3   geometric, from 1 to 1/condition
 *     4   arithmetic, from 1 to 1/condition
 *     5   random, logarithms uniform, between 1/condition and 1
 *     6   random, normal
 *     7   eps, 2 eps, 3 eps, ..., the last 1
 *     8   eps, then 1 + 2 sqrt(eps), 1 + 3 sqrt(eps), ..., the last 2
 *     9   1, 1 + 100 eps, 1 + 200 eps, ...
 * Modes 1 to 6: LAPACK's dlatms; 7 to 9: O. Marques, C. Voemel, J. Demmel, B. Parlett, Algorithm 880, ACM Trans. Math.
 * Softw. 35 (2008). */
void hard_spectrum(int mode, int64_t n, double condition, matrices_rng *rng, double *w);

/* The tridiagonal matrix with eigenvalues x[n] and normal random first components of its vectors, which is what a random
 * orthogonal similarity and a reduction give; x and the room w[n] are overwritten.  O(n^2).
 * Source: the RKPW method of W. Gragg and W. Harrod, Numer. Math. 44 (1984). */
void hard_inverse(int64_t n, double *x, double *w, matrices_rng *rng, double *d, double *e);

#endif
