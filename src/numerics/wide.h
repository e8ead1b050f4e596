/* Numbers of twice the digits, as a sum hi + lo of two that do not overlap: |lo| <= ulp(hi) / 2.  See wide.inc. */
#ifndef EIG_WIDE_H
#define EIG_WIDE_H

#include "numerics.h"

/* What the product a*b = p loses by rounding, exactly. */
EIG_FN float product_error_s(float a, float b, float p)
{
    return fmaf(a, b, -p);
}

EIG_FN double product_error_d(double a, double b, double p)
{
    return fma(a, b, -p);
}

#define TEMPLATE "wide.inc"
#include "for_sd.h"

#endif
