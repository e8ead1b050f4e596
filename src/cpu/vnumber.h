/* Numbers of the type in every lane of a vector, real or complex. */
#ifndef EIG_VNUMBER_H
#define EIG_VNUMBER_H

#include "simd.h"

/* A number of the type in every lane; im is 0 where the type is real, and the compiler drops it. */
typedef struct vnumber {
    vreal re, im;
} vnumber;

SIMD_FN vnumber get(const vreal *x)
{
    vnumber const r = {x[0], EIG_COMPLEX ? x[EIG_COMPLEX] : (vreal){0}};
    return r;
}

SIMD_FN void put(vreal *x, vnumber y)
{
    x[0] = y.re;
    if (EIG_COMPLEX) x[EIG_COMPLEX] = y.im;
}

SIMD_FN vnumber conjugate(vnumber x)
{
    if (EIG_COMPLEX) x.im = -x.im;
    return x;
}

/* sum + x y */
SIMD_FN vnumber add_product(vnumber sum, vnumber x, vnumber y)
{
    sum.re = simd_fma(x.re, y.re, sum.re);
    if (!EIG_COMPLEX) return sum;
    sum.re = simd_fma(-x.im, y.im, sum.re);
    sum.im = simd_fma(x.im, y.re, simd_fma(x.re, y.im, sum.im));
    return sum;
}

/* sum - x y */
SIMD_FN vnumber subtract_product(vnumber sum, vnumber x, vnumber y)
{
    x.re = -x.re, x.im = -x.im;
    return add_product(sum, x, y);
}

SIMD_FN vnumber scaled(vnumber x, vreal factor)
{
    x.re *= factor;
    if (EIG_COMPLEX) x.im *= factor;
    return x;
}

/* |x|^2 */
SIMD_FN vreal square(vnumber x)
{
    return EIG_COMPLEX ? simd_fma(x.im, x.im, x.re * x.re) : x.re * x.re;
}

#endif
