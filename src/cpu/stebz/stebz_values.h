/* All eigenvalues of one tridiagonal matrix by one thread, for families that reduce theirs to one. */
#ifndef EIG_STEBZ_VALUES_H
#define EIG_STEBZ_VALUES_H

#include "watch.h"

/* w [n], ascending, of tridiag(e, d, e): full accuracy, the bits of eig_?stebz. All are finite, n >= 2; type: s or d. They are the
 * part from `from` to 1 of the watch's unit. work: eig_cpu_stebz_values_bytes. Returns whether the watch let it end. */
bool eig_cpu_stebz_values(cpu_watch *watch, double from, eig_type type, int64_t n, const void *d, const void *e,
                          void *w, void *work);

int64_t eig_cpu_stebz_values_bytes(eig_type type, int64_t n);

#endif
