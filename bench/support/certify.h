/* Certificates of eigenvalues of a tridiagonal matrix, for the program, the benchmarks and the tests; they need no case. */
#ifndef EIG_BENCH_CERTIFY_H
#define EIG_BENCH_CERTIFY_H

#include "eigpack.h"
#include "io/io.h"

/* Certificates by Sturm counts in double: eigenvalue k lies in [w - tolerance, w + tolerance] if fewer than k lie below
 * the one end and k or more up to the other.  w holds eigenvalues first, first + 1, ... of T; bad[] lists on entry
 * which of them (from 0) to try, *count of them; on exit those without a certificate. */
eig_status certify_stebz(eig_context *ctx, const io_tridiagonal *t, int64_t first, const double *w, double tolerance,
                         int64_t *bad, int64_t *count);

/* The interval of Gerschgorin's theorem, and the larger of its ends' absolute values: the largest row sum, ||T||. */
void tridiagonal_gerschgorin(const io_tridiagonal *t, double *low, double *high);
double tridiagonal_norm(const io_tridiagonal *t);

#endif
