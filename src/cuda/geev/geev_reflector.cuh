/* Reflectors and shifts of the fast kernels: `householder`, `francis_reflector` and `francis_shifts` of francis.inc, with
 * the GPU's approximate reciprocals in place of divisions and square roots.  Those branch, and a step waits for this
 * chain of operations and little else; the plain solver uses francis.inc itself.
 *
 * A cubic Newton step takes the approximations (relative error below 2^-20 in double, 2^-22 in float) to within two
 * units in the last place.  Errors of a few units in u and tau only make the reflector orthogonal to a few eps. */
#ifndef EIG_GEEV_REFLECTOR_CUH
#define EIG_GEEV_REFLECTOR_CUH

#include "geev/geev_cuda.cuh"
#include "words/fast.cuh"

/* 1 / x and 1 / sqrt(x); x and the result normal numbers. */
template <typename real> static __device__ __forceinline__ real fast_reciprocal(real x)
{
    real const y = rough_inverse(x), e = fma(-x, y, (real)1);
    return fma(y, fma(e, e, e), y);
}

template <typename real> static __device__ __forceinline__ real fast_rsqrt(real x)
{
    real const y = rough_inverse_root(x), e = fma(-x * y, y, (real)1);
    return fma(y * e, fma((real)0.375, e, (real)0.5), y);
}

/* sqrt(x), x >= 0; zero where x is not normal. */
template <typename real> static __device__ __forceinline__ real fast_sqrt(real x)
{
    return x >= real_limits<real>::safmin ? x * fast_rsqrt(x) : (real)0;
}

/* francis_shifts by fast approximations. */
template <typename real>
static __device__ __forceinline__ void fast_shifts(real h11, real h12, real h21, real h22, real *re1, real *re2,
                                                   real *im)
{
    real const size = fabs(h11) + fabs(h12) + fabs(h21) + fabs(h22);
    real const unit = pow2_floor(fmax(size, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    real const half = (real)0.5 * scale * (h11 - h22), det = -fma(half, half, (h12 * scale) * (h21 * scale));
    real const root = unit * fast_sqrt(fabs(det)), mean = fma((real)0.5, h11 - h22, h22);
    bool const is_complex = det >= 0;
    *re1 = *re2 = is_complex ? mean : mean - copysign(root, h11 - h22); /* the shift nearer to h22 */
    *im = is_complex ? root : (real)0;
}

/* I - tau u u', u = (1, u1, u2)', with t = tau u; complex ones in geev_window.cuh. */
template <typename real> struct reflector3 {
    real u1, u2, tau, t1, t2;

    /* Applied to entries x0, x1, x2 of a row or column. */
    __device__ __forceinline__ void apply(real &x0, real &x1, real &x2) const
    {
        real const dot = -fma(u2, x2, fma(u1, x1, x0));
        x0 = fma(dot, tau, x0), x1 = fma(dot, t1, x1), x2 = fma(dot, t2, x2);
    }
    /* To a column, to a row: complex numbers tell them apart. */
    __device__ __forceinline__ void left(real &x0, real &x1, real &x2) const
    {
        apply(x0, x1, x2);
    }
    __device__ __forceinline__ void right(real &x0, real &x1, real &x2) const
    {
        apply(x0, x1, x2);
    }
    /* To (0, 0, x2). */
    __device__ __forceinline__ void right_last(real &x0, real &x1, real &x2) const
    {
        real const dot = -u2 * x2;
        x0 = dot * tau, x1 = dot * t1, x2 = fma(dot, t2, x2);
    }
};

/* `householder` (householder.inc) by fast approximations: the reflector takes v to (-norm, 0, ..., 0)'; u = v * inverse except
 * for u0 = 1; square = v'v.  The reciprocal starts from an approximate pivot, so that square root and reciprocal are
 * refined at the same time. */
template <typename real> struct fast_householder {
    real norm, inverse, tau;

    __device__ __forceinline__ fast_householder(real v0, real square)
    {
        real const y = rough_inverse_root(square), near_norm = square * y,
                   z = rough_inverse(v0 + copysign(near_norm, v0));
        real const e = fma(-near_norm, y, (real)1), root = fma(y * e, fma((real)0.375, e, (real)0.5), y);
        norm = copysign(square * root, v0);
        real const pivot = v0 + norm, d = fma(-pivot, z, (real)1);
        inverse = fma(z, fma(d, d, d), z);
        tau = fabs(pivot) * root;
    }
};

/* `francis_reflector` by fast approximations: takes (v0, v1, v2)', whose squares' sum is `square`, to (beta, 0, 0)'.  Where
 * it does not act it is zero. */
template <typename real>
static __device__ __forceinline__ reflector3<real> reflector_of(bool acts, real v0, real v1, real v2, real square,
                                                                real *beta)
{
    fast_householder<real> const h(v0, square);
    real const inverse = acts ? h.inverse : (real)0;
    reflector3<real> t;
    t.u1 = v1 * inverse, t.u2 = v2 * inverse;
    t.tau = acts ? h.tau : (real)0;
    t.t1 = t.tau * t.u1, t.t2 = t.tau * t.u2;
    *beta = acts ? -h.norm : v0;
    return t;
}

/* The same where squares of v lose digits, or v is zero. */
template <typename real>
static __device__ __noinline__ reflector3<real> tiny_reflector(real v0, real v1, real v2, real *beta)
{
    real const largest = fmax(fabs(v0), fmax(fabs(v1), fabs(v2)));
    real const unit = pow2_floor(fmax(largest, real_limits<real>::safmin)), scale = pow2_inverse(unit);
    v0 *= scale, v1 *= scale, v2 *= scale;
    reflector3<real> const t = reflector_of(largest > 0, v0, v1, v2, fma(v2, v2, fma(v1, v1, v0 * v0)), beta);
    *beta *= unit;
    return t;
}

/* Whether a thread of the warp needs tiny_reflector; *tiny: whether this thread does. */
template <typename real> static __device__ __forceinline__ bool any_tiny(bool acts, real square, bool *tiny)
{
    constexpr real least = 4 * real_limits<real>::square_safe * real_limits<real>::square_safe;
    *tiny = acts && square < least;
    return __any_sync(0xffffffffu, *tiny);
}

#endif
