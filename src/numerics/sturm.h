/* Formulas of Sturm counts; see sturm.inc.  docs/stebz.md derives the error bounds below. */
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

/* The computed count is exact for a matrix within this many eps*||T|| of T; eps: spacing of 1, ||T||: largest row sum. */
#define STURM_ERROR_PRODUCT 4.0 /* division-free, floor included */
#define STURM_ERROR_PIVOT 2.0

#define TEMPLATE "sturm.inc"
#include "for_sd.h"

#endif
