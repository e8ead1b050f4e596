/* Ranges by value (vl, vu]: what eigpack.h says of their ends, and of an eigenvalue that counts have found in one. */
#ifndef EIG_TEST_RANGES_H
#define EIG_TEST_RANGES_H

#include "io/numbers.h"

#include <float.h>
#include <math.h>

/* An end as the library takes it: rounded down to a float where the type is that; DBL_MAX is infinity. */
static inline double range_end_of(eig_type type, double end)
{
    if (end == DBL_MAX) return INFINITY;
    if (!type_is_single(type) || isinf(end) || end < -FLT_MAX) return end;
    if (end > FLT_MAX) return FLT_MAX;
    float down = (float)end;
    while ((double)down > end) down = nextafterf(down, -INFINITY);
    return (double)down;
}

/* Where eig_dstebz_count counts the eigenvalues up to it. */
static inline double range_shift_of(eig_type type, double end)
{
    double const down = range_end_of(type, end);
    return down == -INFINITY ? down : nextafter(down, INFINITY);
}

/* The number of the type in (vl, vu] that is nearest to w. */
static inline double range_value_of(eig_type type, double w, double vl, double vu)
{
    double const from = range_end_of(type, vl), upto = range_end_of(type, vu);
    if (w > upto) return upto;
    if (w > from || from == -INFINITY) return w;
    if (!type_is_single(type)) return nextafter(from, INFINITY);
    return from < -FLT_MAX ? -FLT_MAX : (double)nextafterf((float)from, INFINITY);
}

#endif
