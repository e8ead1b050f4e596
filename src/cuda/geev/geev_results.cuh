/* The results of a call as its certificates see them. */
#ifndef EIG_GEEV_RESULTS_CUH
#define EIG_GEEV_RESULTS_CUH

#include "geev/geev_certify.cuh"
#include "per_type.cuh"
#include "primitives/team.cuh"

#include <type_traits>

using entry = std::conditional<number::complex, number, real>::type;
using complex = complex_of<real>;
using scale_type = certificate_scale<real>;

static __device__ __forceinline__ complex as_complex(entry x)
{
    return {real_part(x), imaginary(x)};
}

static __device__ __forceinline__ bool is_finite(entry x)
{
    return fabs(real_part(x)) < (real)INFINITY && fabs(imaginary(x)) < (real)INFINITY;
}

/* What a matrix with this largest part is multiplied by, a power of two. */
static __device__ __forceinline__ real certificate_unit(real most)
{
    return unit_of(fmin(most, real_limits<real>::largest / 4));
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

/* Whether matrix b has results at all. */
static __device__ __forceinline__ bool has_results(const geev_problem &p, int64_t b)
{
    return !(p.info && p.info[b] != EIG_INFO_OK);
}

/* Lists matrix b, once: from the front those whose eigenvalues are wrong, from the back those whose vectors are. */
static __device__ __forceinline__ void list_doubtful(const geev_slice &slice, int64_t b, bool values)
{
    if (values)
        slice.failed[atomicAdd(&slice.queue->failed, 1ull)] = b;
    else
        slice.failed[slice.count - 1 - (int64_t)atomicAdd(&slice.queue->doubtful, 1ull)] = b;
}

#endif
