/* What certificates of eigenvalues and eigenvectors demand.
 *
 * Values   sum of w = trace of A, sum of w^2 = trace of A^2, within 10 and 20 n eps of the norms: what backward stable methods give,
 *          and what a wrong eigenvalue does not.
 * Vectors  norm 1, and ||A v - w v|| <= 10 n eps ||A||_F, of A itself: the kernels that look first ask for 8, so that the rounding
 *          errors of the look decide nothing.
 * All of A scaled by a power of two.  Comparisons are written so that a NaN fails them. */
#ifndef EIG_GEEV_CERTIFY_CUH
#define EIG_GEEV_CERTIFY_CUH

#include "geev_schur_matrix.cuh"
#include "per_type.cuh"
#include "words/team.cuh"

#include <type_traits>

using entry = std::conditional<number::complex, number, real>::type;
using complex = complex_of<real>;

enum { CERTIFY_TRACE = 10, CERTIFY_SQUARE = 20, CERTIFY_LOOK = 8, CERTIFY_VECTOR = 10 };

static __device__ __forceinline__ complex as_complex(entry x)
{
    return {real_part(x), imaginary(x)};
}

static __device__ __forceinline__ bool is_finite(entry x)
{
    return fabs(real_part(x)) < (real)INFINITY && fabs(imaginary(x)) < (real)INFINITY;
}

/* A matrix's norm and its unit, the power of two that it is multiplied by. */
struct certificate_scale {
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
};

/* Whether the differences of sum and trace, and of the sum of squares and its trace, are small. */
static __device__ __forceinline__ bool certifies_values(int n, const certificate_scale &s, complex_of<double> sum,
                                                        complex_of<double> square)
{
    double const eps = n * (double)real_limits<real>::eps, off = n * s.rounding();
    double const most = CERTIFY_TRACE * eps * s.norm + off,
                 most2 = CERTIFY_SQUARE * eps * s.norm * s.norm + 2 * off * (s.norm + off);
    return fabs(sum.re) <= most && fabs(sum.im) <= most && fabs(square.re) <= most2 && fabs(square.im) <= most2;
}

/* Whether a vector with this sum of squares has norm 1. */
static __device__ __forceinline__ bool certifies_length(int n, real size)
{
    return fabs(size - 1) <= (8 * n + 32) * real_limits<real>::eps;
}

/* Eigenvalue k of matrix b as the caller gets it. */
static __device__ __forceinline__ complex stored_value(const geev_problem &p, int64_t b, int k)
{
    return load_number((const complex *)p.w + b * p.stride_w + k);
}

/* Column k of its vectors on one side; NULL: not wanted. */
static __device__ __forceinline__ complex *stored_vector(const geev_problem &p, int64_t b, int k, bool left)
{
    complex *const v = (complex *)(left ? p.vl : p.vr);
    return v ? v + b * (left ? p.stride_vl : p.stride_vr) + k * (left ? p.ldvl : p.ldvr) : NULL;
}

/* Lists matrix b: from the front those whose eigenvalues are wrong, from the back those whose vectors are. */
static __device__ __forceinline__ void list_doubtful(const geev_slice &slice, int64_t b, bool values)
{
    if (values)
        slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    else
        slice.failed[slice.count - 1 - (int64_t)atomicAdd(&slice.queue->doubtful, 1ull)] = b;
}

#endif
