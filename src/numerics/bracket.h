/* Choosing the next shift inside a bracket [lo, hi] of Sturm counts.
 *
 * A bracket that holds one eigenvalue has values p(lo) and p(hi) of opposite sign, where p is the characteristic
 * polynomial, which a division-free count delivers as mantissa and exponent.  Inverse quadratic interpolation where it
 * is safe, by the criterion of Chandrupatla (Advances in Engineering Software 28, 1997), needs about ten counts where
 * bisection needs forty.  The value only proposes a point: which end of the bracket moves is decided by the count
 * alone, so a poor value costs time, never correctness.  After three steps in a row that did not halve the bracket a
 * bisection is forced: a bracket shrinks by 2^k in at most 4k steps.
 *
 * Everything is in double, for both precisions, scalars without branches: lane loops vectorise, and CUDA shares it. */
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

/* The next shift strictly between the ends xa and xb, or an end when no number lies between.
 *   xa, ma, ea   the end that moved last, and p there: ma*2^ea
 *   xb, mb, eb   the other end
 *   xc, mc, ec   the point that the last move dropped; used if has_c
 *   interpolate  false: bisect
 *   width        the bracket may end this narrow: steps are no shorter than half of it, so that both ends close in */
EIG_FN double bracket_point(double xa, double ma, double ea, double xb, double mb, double eb, double xc, double mc,
                            double ec, int has_c, int interpolate, double width)
{
    double const top = ea > eb ? ea : eb;
    double const fa = ma * bracket_power_of_two(ea - top);
    double const fb = mb * bracket_power_of_two(eb - top);
    double const fc = mc * bracket_power_of_two(ec - top);
    double const step = xb - xa;
    double const secant = fa / (fa - fb);
    double const xi = step / (xb - xc), phi = (fb - fa) / (fb - fc);
    double const quadratic = fa / (fb - fa) * (fc / (fb - fc)) + (xc - xa) / step * (fa / (fc - fa)) * (fb / (fc - fb));
    int const safe = (phi * phi < xi) & ((1.0 - phi) * (1.0 - phi) < 1.0 - xi);
    double t = has_c ? (safe ? quadratic : 0.5) : secant;
    t = (interpolate & (t > 0.0) & (t < 1.0)) ? t : 0.5; /* also where t is NaN */
    double const least = 0.5 * width / fabs(step), shortest = least < 0.5 ? least : 0.5;
    t = t < shortest ? shortest : t > 1.0 - shortest ? 1.0 - shortest : t;
    return xa + t * step;
}

#endif
