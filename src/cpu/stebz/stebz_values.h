/* What stebz does for families that have, or reduce theirs to, one tridiagonal matrix: all eigenvalues, by one thread;
 * the indices of a range by value. */
#ifndef EIG_STEBZ_VALUES_H
#define EIG_STEBZ_VALUES_H

#include "problem.h"
#include "watch.h"

/* w [n], ascending, of tridiag(e, d, e): full accuracy, the bits of eig_?stebz. All are finite, n >= 2; type: s or d.
 * They are the part from `from` to 1 of the watch's unit. work: eig_cpu_stebz_values_bytes. Returns whether the watch
 * let it end. */
bool eig_cpu_stebz_values(cpu_watch *watch, double from, eig_type type, int64_t n, const void *d, const void *e,
                          void *w, void *work);

int64_t eig_cpu_stebz_values_bytes(eig_type type, int64_t n);

/* The eigenvalues in p->by_value are il to iu; il > iu: there are none, or T is not finite.  Of *p type, n, d, e and
 * that range are set, and batch is 1; a, b: room for n numbers each. */
void eig_cpu_stebz_range(const eig_context *ctx, const stebz_problem *p, double *a, double *b, int64_t *il,
                         int64_t *iu);

#endif
