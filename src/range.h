/* Ranges of eigenvalues by value.  Counts decide which eigenvalues are in (vl, vu]: sturm_above tells where. */
#ifndef EIG_RANGE_H
#define EIG_RANGE_H

#include "numerics/numerics.h"
#include "type.h"

#include <float.h>
#include <math.h>

/* A range by value: its ends, rounded down to numbers of the type, which changes nothing for numbers of the type; the
 * least and the greatest number in it. */
typedef struct value_range {
    double vl, vu, low, high;
} value_range;

/* The largest number of the type that is at most v; DBL_MAX is as good as infinity.  Below all numbers of the type v
 * stays: -infinity would be in a range. */
static inline double range_end(bool single, double v)
{
    if (!(v < DBL_MAX)) return (double)INFINITY;
    if (!single || v < -(double)FLT_MAX) return v;
    if (v > (double)FLT_MAX) return (double)FLT_MAX;
    float const nearest = (float)v;
    return (double)((double)nearest > v ? nextafterf(nearest, -INFINITY) : nearest);
}

/* The next number of the type above such an end. */
static inline double range_above(bool single, double end)
{
    if (end == -(double)INFINITY) return end;
    if (!single) return nextafter(end, (double)INFINITY);
    return end < -(double)FLT_MAX ? -(double)FLT_MAX : (double)nextafterf((float)end, INFINITY);
}

/* vl < vu.  Where no number of the type lies between, the ends become the same. */
static inline value_range range_of_values(eig_type type, double vl, double vu)
{
    bool const single = type_is_single(type);
    value_range r = {range_end(single, vl), range_end(single, vu), 0, 0};
    r.low = range_above(single, r.vl), r.high = r.vu;
    return r;
}

/* An eigenvalue of the range, which was computed as w, perhaps infinite: w may lie outside by its error, and is moved
 * to the nearest number in the range. */
EIG_FN double range_moved(const value_range *r, double w)
{
    return w < r->low ? r->low : w > r->high ? r->high : w;
}

#endif
