/* Sorting of numbers, ascending. */
#ifndef EIG_SORT_H
#define EIG_SORT_H

#include <stdint.h>

/* Sorts x[n]; no NaN among them.  scratch: [n]. */
void eig_cpu_sort(double *x, int64_t n, double *scratch);

#endif
