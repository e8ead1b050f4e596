/* heev on CUDA: entries of a matrix: those of the lower triangle, their sizes, the power of two that they are divided
 * by. */
#ifndef EIG_HEEV_ENTRY_CUH
#define EIG_HEEV_ENTRY_CUH

#include "heev.h"
#include "primitives/fast.cuh"
#include "primitives/number.cuh"

/* An element of the lower triangle from it, or (upper) from its mirror image.  Adding zero makes -0 to 0, so that
 * either triangle gives the same bits. */
NUMBER_WORD NUMBER_R lower_of(NUMBER_R x, bool)
{
    return {x.re + 0};
}
NUMBER_WORD NUMBER_Z lower_of(NUMBER_Z x, bool upper)
{
    return {x.re + 0, (upper ? -x.im : x.im) + 0};
}

/* The real part of conj(x) y. */
NUMBER_WORD real real_dot(NUMBER_R x, NUMBER_R y)
{
    return x.re * y.re;
}
NUMBER_WORD real real_dot(NUMBER_Z x, NUMBER_Z y)
{
    return fma(x.re, y.re, x.im * y.im);
}

/* The power of two that a matrix whose largest entry is `big` is divided by. */
NUMBER_WORD real heev_unit(real big)
{
    real const safmin = real_limits<real>::safmin;
    return big > 0 ? pow2_floor(fmin(fmax(big, safmin), 1 / safmin)) : (real)1;
}

/* |x|, without over- and underflow. */
NUMBER_WORD real magnitude(NUMBER_R x)
{
    return fabs(x.re);
}
NUMBER_WORD real magnitude(NUMBER_Z x)
{
    real const big = larger_part(x);
    if (!(big > 0)) return big;
    real const unit = heev_unit(big), inverse = pow2_inverse(unit);
    real const both = square(scaled(inverse, x));
    return unit * (both * inverse_root(both));
}

/* heev_unit of the largest entry, from its bits; a smaller power where the entry is 0. NaN where it is not finite. */
template <typename real> static __device__ __forceinline__ real unit_of_bits(int bits);
template <> __device__ __forceinline__ double unit_of_bits<double>(int bits)
{
    double const big = __hiloint2double(bits, 0), safmin = real_limits<double>::safmin;
    return bits >= 0x7ff00000 ? (double)NAN : pow2_floor(fmin(fmax(big, safmin), 1 / safmin));
}
template <> __device__ __forceinline__ float unit_of_bits<float>(int bits)
{
    float const big = __int_as_float(bits), safmin = real_limits<float>::safmin;
    return bits >= 0x7f800000 ? (float)NAN : pow2_floor(fminf(fmaxf(big, safmin), 1 / safmin));
}

#endif
