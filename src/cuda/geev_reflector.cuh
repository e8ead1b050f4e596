/* The reflector of a chase step, as in francis.inc, with the GPU's approximate reciprocals instead of its division and
 * square root, which branch: the step waits for this chain and little else.
 *
 * A cubic Newton step takes the approximations (relative error below 2^-20 in double, 2^-22 in float) to within two
 * units in the last place.  Errors of a few units in u and tau only make the reflector orthogonal to a few eps. */
#ifndef EIG_GEEV_REFLECTOR_CUH
#define EIG_GEEV_REFLECTOR_CUH

#include "geev_cuda.cuh"

static __device__ __forceinline__ double rsqrt_start(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

static __device__ __forceinline__ float rsqrt_start(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ double reciprocal_start(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

static __device__ __forceinline__ float reciprocal_start(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* 1 / x and 1 / sqrt(x); x and the result normal numbers. */
template <typename real> static __device__ __forceinline__ real fast_reciprocal(real x)
{
    real const y = reciprocal_start(x), e = fma(-x, y, (real)1);
    return fma(y, fma(e, e, e), y);
}

template <typename real> static __device__ __forceinline__ real fast_rsqrt(real x)
{
    real const y = rsqrt_start(x), e = fma(-x * y, y, (real)1);
    return fma(y * e, fma((real)0.375, e, (real)0.5), y);
}

/* francis_reflector's results: I - tau u u', u = (1, u1, u2)', takes (v0, v1, v2)' to (beta, 0, 0)'. */
template <typename real>
static __device__ __forceinline__ void fast_reflector(real v0, real v1, real v2, real *u1, real *u2, real *tau,
                                                      real *beta)
{
    bool const acts = v1 != 0 || v2 != 0;
    real square = fma(v2, v2, fma(v1, v1, v0 * v0)), unit = 1;
    if (square <
        4 * geev_limits<real>::square_safe * geev_limits<real>::square_safe) { /* squares may have lost digits */
        real const largest = fmax(fabs(v0), fmax(fabs(v1), fabs(v2)));
        unit = pow2_floor(fmax(largest, geev_limits<real>::safmin));
        real const scale = pow2_inverse(unit);
        v0 *= scale, v1 *= scale, v2 *= scale;
        square = fma(v2, v2, fma(v1, v1, v0 * v0));
    }
    real const root = fast_rsqrt(square), norm = copysign(square * root, v0), pivot = v0 + norm;
    real const inverse = fast_reciprocal(pivot);
    *u1 = acts ? v1 * inverse : (real)0;
    *u2 = acts ? v2 * inverse : (real)0;
    *tau = acts ? fabs(pivot) * root : (real)0;
    *beta = unit * (acts ? -norm : v0);
}

#endif
