/* heev on CUDA: the sign or phase of vectors (src/numerics/gauge.inc), where kernels store them. */
#ifndef EIG_HEEV_GAUGE_CUH
#define EIG_HEEV_GAUGE_CUH

#include "gauge.h"
#include "primitives/fast.cuh"
#include "primitives/number.cuh"
#include "primitives/team.cuh"

/* |x|; of a complex number its square.  And what that of a component that may decide is at least. */
NUMBER_WORD real gauge_size(NUMBER_R x)
{
    return fabs(x.re);
}
NUMBER_WORD real gauge_size(NUMBER_Z x)
{
    return square(x);
}
template <typename number>
static __device__ __forceinline__ typename number::real gauge_bound(typename number::real most)
{
    return number::complex ? gauge_least_square(most) : gauge_least(most);
}

/* What decides where no component does: its vector, which holds a NaN, or is another's to store, stays as it is. */
template <typename number> static __device__ __forceinline__ number gauge_none()
{
    number one;
    set(one, (typename number::real)1, (typename number::real)0);
    return one;
}

/* What a vector is multiplied by whose component `lead` decides. */
NUMBER_WORD NUMBER_R gauge_factor(NUMBER_R lead)
{
    return {gauge_sign(lead.re)};
}
NUMBER_WORD NUMBER_Z gauge_factor(NUMBER_Z lead)
{
    NUMBER_Z by;
    gauge_turn(lead.re, lead.im, inverse_root(square(lead)), &by.re, &by.im);
    return by;
}

/* A component, turned.  Adding zero makes -0 to 0. */
NUMBER_WORD NUMBER_R gauge_turned(NUMBER_R, NUMBER_R by, NUMBER_R x)
{
    return {fma(by.re, x.re, (real)0)};
}
NUMBER_WORD NUMBER_Z gauge_turned(NUMBER_Z lead, NUMBER_Z by, NUMBER_Z x)
{
    bool const decides = x.re == lead.re && x.im == lead.im;
    NUMBER_Z const y = product_add(by, x, NUMBER_Z{0, 0});
    return {y.re, decides ? 0 : y.im};
}

/* The component that decides of a vector y[0..N-1] in registers. */
template <int N, typename number> static __device__ __forceinline__ number gauge_lead(const number *y)
{
    typename number::real most = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) most = fmax(most, gauge_size(y[i]));
    auto const least = gauge_bound<number>(most);
    number lead = gauge_none<number>();
#pragma unroll
    for (int i = N - 1; i >= 0; --i)
        if (gauge_size(y[i]) >= least) lead = y[i];
    return lead;
}

/* The same vector, turned. */
template <int N, typename number> static __device__ __forceinline__ void gauge_turn_registers(number *y)
{
    number const lead = gauge_lead<N>(y), by = gauge_factor(lead);
#pragma unroll
    for (int i = 0; i < N; ++i) y[i] = gauge_turned(lead, by, y[i]);
}

/* The same of a vector that L = 2^k neighbouring lanes of a warp share: component L*r + rank of it is `get(r)`, r <
 * count; by all lanes of the warp. */
template <int L, int count, typename number, typename function>
static __device__ __forceinline__ number gauge_shared_lead(int rank, function get)
{
    constexpr unsigned all = 0xffffffffu;
    typename number::real most = 0;
#pragma unroll
    for (int r = 0; r < count; ++r) most = fmax(most, gauge_size(get(r)));
    auto const least = gauge_bound<number>(lanes_max<L>(all, most));
    number lead = gauge_none<number>();
    int first = count;
#pragma unroll
    for (int r = count - 1; r >= 0; --r)
        if (gauge_size(get(r)) >= least) lead = get(r), first = r;
    /* The lowest row, and the lowest lane of those that have it. */
    int at = first * L + rank;
    for (int d = 1; d < L; d *= 2) at = min(at, __shfl_xor_sync(all, at, d));
    set(lead, __shfl_sync(all, lead.re, at % L, L), __shfl_sync(all, imaginary(lead), at % L, L));
    return lead;
}

/* The same of a vector whose component i is `get(i)`, i < n; by all lanes of a warp. */
template <typename number, typename function>
static __device__ __forceinline__ number gauge_warp_lead(int lane, int64_t n, function get)
{
    constexpr unsigned all = 0xffffffffu;
    typename number::real most = 0;
    for (int64_t i = lane; i < n; i += 32) most = fmax(most, gauge_size(get(i)));
    auto const least = gauge_bound<number>(lanes_max<32>(all, most));
    for (int64_t i0 = 0; i0 < n; i0 += 32) {
        number x = gauge_none<number>();
        bool const there = i0 + lane < n;
        if (there) x = get(i0 + lane);
        unsigned const near = __ballot_sync(all, there && gauge_size(x) >= least);
        if (!near) continue;
        set(x, __shfl_sync(all, x.re, __ffs(near) - 1), __shfl_sync(all, imaginary(x), __ffs(near) - 1));
        return x;
    }
    return gauge_none<number>();
}

/* The same by one thread. */
template <typename number, typename function>
static __device__ __forceinline__ number gauge_thread_lead(int64_t n, function get)
{
    typename number::real most = 0;
    for (int64_t i = 0; i < n; ++i) most = fmax(most, gauge_size(get(i)));
    auto const least = gauge_bound<number>(most);
    for (int64_t i = 0; i < n; ++i)
        if (gauge_size(get(i)) >= least) return get(i);
    return gauge_none<number>();
}

#endif
