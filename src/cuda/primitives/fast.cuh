/* Reciprocals and square roots by the GPU's approximations and a step of Newton's method: no branch, no division. */
#ifndef EIG_FAST_CUH
#define EIG_FAST_CUH

#include "primitives/ptx.cuh"

/* 1 / sqrt(x) to about one unit in the last place, for x far from the ends of the range. */
static __device__ __forceinline__ double inverse_root(double x)
{
    double const y = rough_inverse_root(x), rest = fma(-x * y, y, 1.0); /* two terms of the series do */
    return fma(y * rest, fma(0.375, rest, 0.5), y);
}
static __device__ __forceinline__ float inverse_root(float x)
{
    float const y = rough_inverse_root(x);
    return fmaf(0.5f * y, fmaf(-x * y, y, 1.0f), y);
}

/* 1 / x to about one unit in the last place, for x far from the ends of the range. */
static __device__ __forceinline__ double inverse(double x)
{
    double const y = rough_inverse(x), rest = fma(-x, y, 1.0);
    return fma(y, fma(rest, rest, rest), y);
}
static __device__ __forceinline__ float inverse(float x)
{
    return __frcp_rn(x);
}

/* The same; in float by an approximation, too. */
static __device__ __forceinline__ double good_inverse(double x)
{
    return inverse(x);
}
static __device__ __forceinline__ float good_inverse(float x)
{
    float const y = rough_inverse(x);
    return fmaf(y, fmaf(-x, y, 1.0f), y);
}

#endif
