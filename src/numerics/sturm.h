/* Formulas of Sturm counts; see sturm.inc.  docs/families/stebz.md derives the error bounds below. */
#ifndef EIG_STURM_H
#define EIG_STURM_H

#include "numerics.h"

enum {
    STURM_BLOCK = 16 /* rows between two rescalings of the division-free count */
};

/* Off-diagonals of the scaled matrix (norm in [1/2, 1)) are raised to this magnitude for the division-free count: it
 * moves eigenvalues by less than eps/4 of the norm, and leaves no zero to split at. */
#define STURM_FLOOR_S 0x1p-27f
#define STURM_FLOOR_D 0x1p-56

/* In float, a block's scales must stay above this; a matrix whose off-diagonals are too small is counted in double.
 * In double the floor alone keeps 16 rows above 2^-896. */
#define STURM_LEAST_SCALE_S 0x1p-80f

/* The computed count is exact for a matrix that is at most this many eps*||T|| from T; eps: spacing of 1, ||T||:
 * largest row sum. */
#define STURM_ERROR_PRODUCT 4.0 /* division-free, floor included */
#define STURM_ERROR_PIVOT 2.0

/* Counts by pivots are safe for norms up to this power of two, and for entries down to its reciprocal. */
enum { STURM_PIVOT_MOST_S = 96, STURM_PIVOT_MOST_D = 960 };

/* The power of two by which T is divided before its pivots are counted in the type that `most` belongs to.
 *   exponent  T's norm is in [2^(exponent-1), 2^exponent)
 *   least     likewise its smallest entry that is not 0
 * A norm of about 1 is best.  Where small entries would be lost by it, T stays as it is, or keeps as large a norm as is
 * safe: a quotient that becomes infinite then moves an entry by 2^-64 of the norm at most, in float 2^-32. */
EIG_FN int sturm_pivot_scale(int exponent, int least, int most)
{
    if (exponent <= 0 || exponent - least <= most) return exponent;
    return exponent > most ? exponent - most : 0;
}

/* Eigenvalues up to v are those below this number.  None counts as -infinity, also where eigenvalues overflow. */
EIG_FN double sturm_above(double v)
{
    return v == -(double)INFINITY ? v : nextafter(v, (double)INFINITY);
}

#define TEMPLATE "sturm.inc"
#include "for_sd.h"

#endif
