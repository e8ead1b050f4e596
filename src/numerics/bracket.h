/* Choosing the next shift inside a bracket [lo, hi] of Sturm counts.
 *
 * A bracket that holds one eigenvalue has values p(lo) and p(hi) of opposite sign, where p is the characteristic
 * polynomial.  A division-free count delivers p as mantissa and exponent.  Inverse quadratic interpolation is taken
 * where it is safe, by the criterion of Chandrupatla (Advances in Engineering Software 28, 1997).  It needs about ten
 * counts where bisection needs forty.  The value only proposes a point.  The count alone decides which end of the
 * bracket moves, so a poor value costs time, never correctness.  After three steps in a row that did not halve the
 * bracket the next one is a bisection: a bracket shrinks by 2^k in at most 4k steps.
 *
 * Scalars without branches, in double for both precisions: lane loops vectorise, CUDA shares the text, and the lanes of
 * src/cpu/for_lanes.h share it too, where LOGICAL is a mask and SELECT works lane by lane. */
#ifndef EIG_BRACKET_H
#define EIG_BRACKET_H

#include "numerics.h"

#include <string.h>

enum { BRACKET_PATIENCE = 3 };

/* 2^e for integral e, clamped to [-1000, 1000]. */
EIG_FN double bracket_power_of_two(double e)
{
    double const clamped = e < -1000.0 ? -1000.0 : e > 1000.0 ? 1000.0 : e;
    double const shifted = clamped + (0x1p52 + 1023.0); /* the biased exponent in the low bits of the mantissa */
    uint64_t bits;
    double power;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 52;
    memcpy(&power, &bits, sizeof power);
    return power;
}

#define LOGICAL int
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define TEMPLATE "bracket.inc"
#include "for_sd.h"
#undef LOGICAL
#undef SELECT

#ifdef __cplusplus
#define bracket_step_d bracket_step
#endif

/* Middle of a bracket where small eigenvalues are wanted to relative accuracy: geometric where the ends differ by
 * orders of magnitude, so that 1e-300 is as near as 1e-3.  Numbers below `least` count as 0. */
EIG_FN double bracket_fine_middle(double lo, double hi, double least)
{
    if (lo >= 0 && hi > 16 * least && hi > 4 * lo) return sqrt(hi) * sqrt(lo > least ? lo : least);
    if (hi <= 0 && lo < -16 * least && lo < 4 * hi) return -sqrt(-lo) * sqrt(-hi > least ? -hi : least);
    if (lo < 0 && hi > 0 && hi - lo > 16 * least) return 0;
    return lo + 0.5 * (hi - lo);
}

/* bracket_step where the polynomial's values are given as f = m 2^e, an exponent each. */
EIG_FN double bracket_point(double xa, double ma, double ea, double xb, double mb, double eb, double xc, double mc,
                            double ec, int has_c, int interpolate, double width)
{
    double const top = ea > eb ? ea : eb;
    double const fa = ma * bracket_power_of_two(ea - top);
    double const fb = mb * bracket_power_of_two(eb - top);
    double const fc = mc * bracket_power_of_two(ec - top);
    return bracket_step_d(xa, fa, xb, fb, xc, fc, has_c, interpolate, width);
}

#endif
