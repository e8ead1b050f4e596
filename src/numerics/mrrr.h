/* Formulas of MRRR, the eigenvectors of a tridiagonal matrix by relatively robust representations; see mrrr.inc.
 * In lanes `real` is a vector: src/cpu/for_lanes.h. */
#ifndef EIG_MRRR_H
#define EIG_MRRR_H

#include "wide.h"

#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define SPLAT(x) (x)
#define C_NAMES
#define TEMPLATE "mrrr.inc"
#include "for_sd.h"
#undef SELECT
#undef SPLAT

#endif
