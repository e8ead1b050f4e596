/* Formulas of geev, the eigenvalues and eigenvectors of nonsymmetric matrices: scaling and balancing (balance.inc), the
 * double-shift QR iteration of real matrices (francis.inc), the single-shift one of complex matrices and vectors of a
 * triangular matrix (schur.inc), tests of the answers (certificate.inc), measures of a spectrum (measure.inc).
 *
 * All but the measures are free of branches, so that the same text also compiles for lanes of a vector
 * (src/cpu/for_lanes.h): there `real` is a vector, LOGICAL a mask, SELECT works lane by lane, and ANY asks whether any
 * lane's mask is set. */
#ifndef EIG_GEEV_H
#define EIG_GEEV_H

#include "householder.h"
#include "pow2.h"
#include "unscaled.h"

/* What a step of the iteration on a window l..i takes its two shifts from.  Steps are counted from 1 since the last
 * deflation; every tenth is exceptional, at the window's two ends in turn, as in LAPACK's dlahqr:
 *
 *     FRANCIS_ORDINARY    francis_shifts of the block h[i-1][i-1], h[i-1][i], h[i][i-1], h[i][i]
 *     FRANCIS_AT_TOP      the same of francis_exceptional of h[l][l], h[l+1][l], h[l+2][l+1]
 *     FRANCIS_AT_BOTTOM   the same of francis_exceptional of h[i][i], h[i][i-1], h[i-1][i-2] */
typedef enum francis_step { FRANCIS_ORDINARY, FRANCIS_AT_TOP, FRANCIS_AT_BOTTOM } francis_step;

EIG_FN francis_step francis_step_of(int steps)
{
    return steps % 20 == 0 ? FRANCIS_AT_BOTTOM : steps % 10 == 0 ? FRANCIS_AT_TOP : FRANCIS_ORDINARY;
}

/* The plain solvers, to which a matrix goes that the fast kernels give up, make the bound of the deflation test grow
 * (francis_grown) from this step of a window on, by this factor a step: from SAFMIN / EPS to EPS in 120 steps (float:
 * 80). */
enum { FRANCIS_PATIENCE = 30 };
#define FRANCIS_GROWTH (REAL_IS_FLOAT ? 2 : 256)

/* sqrt(SAFMIN) / EPS: the square of a number above it keeps all its digits; 2^-459 and 2^-40. */
#define SQRT_TINY (REAL_IS_FLOAT ? 0x1p-40f : 0x1p-459)

/* The largest entry of an eigenvector of a triangular matrix before it is normalised, about; 2^60 and 2^500. */
#define SCHUR_LARGE (REAL_IS_FLOAT ? 0x1p60f : 0x1p500)

#define LOGICAL int
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ANY(mask) (mask)
#define SPLAT(x) (x)
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

#define TEMPLATE "balance.inc"
#include "for_sd.h"
#define TEMPLATE "francis.inc"
#include "for_sd.h"
#define TEMPLATE "schur.inc"
#include "for_sd.h"
#define TEMPLATE "certificate.inc"
#include "for_sd.h"
#define TEMPLATE "measure.inc"
#include "for_sd.h"

#undef LOGICAL
#undef SELECT
#undef ANY
#undef SPLAT
#undef MAX2

#endif
