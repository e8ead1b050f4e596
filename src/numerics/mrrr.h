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

/* Random numbers in (-1, 1) that depend on i alone. */
EIG_FN double mrrr_noise(uint64_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-52 - 1;
}

#endif
