/* Elementary functions from additions, multiplications and divisions alone, which IEEE 754 rounds the same way
 * everywhere: the C library's differ in the last bit from one machine to another, and a test matrix must not.
 * Errors are a few units in the last place. */
#ifndef EIG_IO_PORTABLE_H
#define EIG_IO_PORTABLE_H

#include <math.h>

/* log(x), x > 0: x = 2^k m with m in [1/sqrt 2, sqrt 2), and log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716. */
static inline double portable_log(double x)
{
    int k;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --k;
    }
    double const s = (m - 1.0) / (m + 1.0), s2 = s * s;
    double sum = 0.0;
    for (int i = 23; i >= 1; i -= 2) sum = sum * s2 + 1.0 / i;
    return k * 0.69314718055994531 + 2.0 * s * sum;
}

/* 2^x: the nearest integer apart, the Taylor series of exp for |x| <= 1/2. */
static inline double portable_exp2(double x)
{
    double const whole = floor(x + 0.5), y = (x - whole) * 0.69314718055994531;
    double sum = 1.0;
    for (int i = 17; i >= 1; --i) sum = 1.0 + sum * y / i;
    return ldexp(sum, (int)whole);
}

/* cos(2 pi x): x is reduced exactly, to a quarter turn and then to an eighth, for the Taylor series of cos or sin. */
static inline double portable_cos2pi(double x)
{
    double turn = fabs(x - floor(x + 0.5)); /* 0 to 1/2 */
    double sign = 1.0;
    if (turn > 0.25) {
        turn = 0.5 - turn;
        sign = -1.0;
    }
    double const sine = turn > 0.125, angle = (sine > 0.0 ? 0.25 - turn : turn) * 6.2831853071795865;
    double const a2 = angle * angle;
    double sum = 1.0;
    /* cos = 1 - a2/(1*2) (1 - a2/(3*4) (...)), sin = angle (1 - a2/(2*3) (1 - a2/(4*5) (...))) */
    for (int i = 19; i >= 1; i -= 2) sum = 1.0 - sum * a2 / ((i + sine) * (i + 1.0 + sine));
    return sign * (sine > 0.0 ? angle * sum : sum);
}

#endif
