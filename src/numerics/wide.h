/* Numbers of twice the digits, as a sum hi + lo of two that do not overlap: |lo| <= ulp(hi) / 2.  See wide.inc. */
#ifndef EIG_WIDE_H
#define EIG_WIDE_H

#include "numerics.h"

/* c - a*b and a*b + c with one rounding. */
EIG_FN float wide_rest_s(float a, float b, float c)
{
    return fmaf(-a, b, c);
}

EIG_FN double wide_rest_d(double a, double b, double c)
{
    return fma(-a, b, c);
}

EIG_FN float wide_fma_s(float a, float b, float c)
{
    return fmaf(a, b, c);
}

EIG_FN double wide_fma_d(double a, double b, double c)
{
    return fma(a, b, c);
}

#define C_NAMES
#define TEMPLATE "wide.inc"
#include "for_sd.h"

#endif
