/* Sorting of numbers, ascending. */
#ifndef EIG_SORT_H
#define EIG_SORT_H

#include <stdint.h>

/* Sorts x[n]; no NaN among them.  scratch: [n]. */
void eig_cpu_sort(double *x, int64_t n, double *scratch);

/* The same for few numbers. */
static inline void cpu_insertion_sort(double *x, int64_t n)
{
    for (int64_t i = 1; i < n; ++i) {
        double const value = x[i];
        int64_t j = i;
        for (; j > 0 && x[j - 1] > value; --j) x[j] = x[j - 1];
        x[j] = value;
    }
}

#endif
