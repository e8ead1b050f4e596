/* What certificates of eigenvalues and eigenvectors demand.
 *
 * Values   sum of w = trace of A, sum of w^2 = trace of A^2, within 10 and 20 n eps of the norms: what backward stable
 *          methods give, and what a wrong eigenvalue does not.  All of A scaled by a power of two.
 * Vectors  norm 1, and ||A v - w v|| <= 10 n eps ||A||_F, of A itself.  All are tested by the probe x
 *          (primitives/probe.cuh): |x^H (A v - w v)| is at most 5 n eps ||A||_F, which a wrong vector passes by a rare
 *          chance; those that do not pass are looked at one by one.  So are those that balancing may have spoilt.  Of
 *          the balanced matrix B = D^-1 A D all roads keep to 5 n eps ||B||_F, and A D u - w D u = D (B u - w u), so
 *          that the bound holds of A, too, where no two entries of D are more than a factor of two apart: others are
 *          spread; without balancing, when graded rows reach the kernels, all count as spread.  This look asks for 8,
 *          so that its rounding errors decide nothing.
 * NaN      fails every comparison. */
#ifndef EIG_GEEV_CERTIFY_CUH
#define EIG_GEEV_CERTIFY_CUH

#include "geev/geev_cuda.cuh"
#include "geev/geev_entry.cuh"

enum {
    CERTIFY_TRACE = 10,
    CERTIFY_SQUARE = 20,
    CERTIFY_LOOK = 8,
    CERTIFY_VECTOR = 10,
    CERTIFY_FORM = 5,
    CERTIFY_SPREAD = 2
};

/* A matrix's norm and its unit, the power of two that it is multiplied by. */
template <typename real> struct certificate_scale {
    double norm, unit;

    /* By how much a rounded w, times unit, may be off besides: w may be subnormal. */
    __device__ __forceinline__ double rounding() const
    {
        return unit * (double)(real_limits<real>::safmin * real_limits<real>::eps);
    }
    /* A vector's residual, at most `times` n eps ||A||, squared. */
    __device__ __forceinline__ double residual_bound(int n, int times) const
    {
        double const bound = times * n * (double)real_limits<real>::eps * norm + 2 * rounding();
        return bound * bound;
    }
    /* Whether the differences of sum and trace, and of the sum of squares and its trace, are small. */
    __device__ __forceinline__ bool certifies(int n, complex_of<double> sum, complex_of<double> square) const
    {
        double const eps = n * (double)real_limits<real>::eps, off = n * rounding();
        double const most = CERTIFY_TRACE * eps * norm + off,
                     most2 = CERTIFY_SQUARE * eps * norm * norm + 2 * off * (norm + off);
        return fabs(sum.re) <= most && fabs(sum.im) <= most && fabs(square.re) <= most2 && fabs(square.im) <= most2;
    }
};

/* The least square of a norm: of a matrix that is as small as this squares of entries vanish, and with them the sum
 * that they should have.  It is far below eps of the matrix that was balanced, whose largest entry is above
 * sqrt(safmin)/eps. */
template <typename real> static __device__ __forceinline__ real certificate_floor(int n)
{
    return (real)(n * n) * real_limits<real>::safmin;
}

/* Whether a vector with this sum of squares has norm 1. */
template <typename real> static __device__ __forceinline__ bool certifies_length(int n, real size)
{
    return fabs(size - 1) <= (8 * n + 32) * real_limits<real>::eps;
}

/* Whether the scales of balancing are spread. */
template <typename team_type, typename real>
static __device__ __forceinline__ bool is_spread(team_type team, const real *scale, int n, bool lives)
{
    real most = 0, less = 0; /* of scale and of its inverse */
    for (int i = team.rank; lives && i < n; i += team_type::size)
        most = fmax(most, scale[i]), less = fmax(less, 1 / scale[i]);
    most = team.max(most), less = team.max(less);
    return lives && !(most * less <= CERTIFY_SPREAD);
}

/* Notes that the vectors of matrix b are to be looked at; by one thread, once a matrix. */
static __device__ __forceinline__ void note_spread(const geev_slice &slice, int64_t b)
{
    if (slice.spread) slice.spread[atomicAdd(slice.spreads, 1u)] = (int)(b - slice.first);
}

#endif
