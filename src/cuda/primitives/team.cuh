/* Teams: threads that compute something together, from a few lanes of a warp to all blocks of a launch.
 *
 * All threads of a warp call a lane_team's functions together, whatever their team; those of a sub_team, its lanes;
 * those of a block_team or a sized_team, all threads of the block; those of the grid, all threads of the launch.  Sums
 * add in the same order in every thread and for every position in the warp, so results do not depend on either. */
#ifndef EIG_TEAM_CUH
#define EIG_TEAM_CUH

#include "primitives/ptx.cuh"

/* The least and the largest x of a warp. */
static __device__ __forceinline__ int warp_min(int x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, x);
#else
    for (int d = 1; d < 32; d *= 2) x = min(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
#endif
}

static __device__ __forceinline__ int warp_max(int x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, x);
#else
    for (int d = 1; d < 32; d *= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
#endif
}

/* The largest x, and the sum, of 2^k = P neighbouring lanes; mask: the lanes that come here together. */
template <int P, typename value> static __device__ __forceinline__ value lanes_max(unsigned mask, value x)
{
    for (int d = 1; d < P; d *= 2) {
        value const other = __shfl_xor_sync(mask, x, d);
        x = x > other ? x : other;
    }
    return x;
}
template <int P, typename value> static __device__ __forceinline__ value lanes_sum(unsigned mask, value x)
{
    for (int d = 1; d < P; d *= 2) x += __shfl_xor_sync(mask, x, d);
    return x;
}

/* The sums of N = 2^k values over 2^j = P >= N neighbouring lanes of a warp that come here together: lane r gets that
 * of value r % N.  N - 1 exchanges and log2(P / N) more, where N sums take N log2(P).  The values are used up. */
template <int P, int N, typename value> static __device__ __forceinline__ value lanes_sum_each(value *x, int lane)
{
    static_assert(N <= P, "a value has no lane");
#pragma unroll
    for (int half = N / 2; half > 0; half /= 2) {
        bool const high = lane & half;
#pragma unroll
        for (int k = 0; k < half; ++k) {
            value const other = high ? x[k] : x[k + half], own = high ? x[k + half] : x[k];
            x[k] = own + __shfl_xor_sync(0xffffffffu, other, half);
        }
    }
#pragma unroll
    for (int d = N; d < P; d *= 2) x[0] += __shfl_xor_sync(0xffffffffu, x[0], d);
    return x[0];
}

/* 2^k neighbouring lanes of a warp.  A team of one thread needs no other: it may also call them alone. */
template <int P> struct lane_team {
    static constexpr int size = P;
    static constexpr unsigned all = 0xffffffffu;
    int rank;       /* 0..P-1 */
    unsigned lanes; /* the team's */

    __device__ __forceinline__ explicit lane_team(int lane)
        : rank(lane % P), lanes(P == 32 ? all : ((1u << (P % 32)) - 1) << (lane / P * P))
    {
    }
    __device__ __forceinline__ void sync() const
    {
        if (P > 1) __syncwarp();
    }
    /* Whether any team of the warp says so. */
    __device__ __forceinline__ bool anywhere(bool x) const
    {
        return P == 1 ? x : __any_sync(all, x);
    }
    template <typename value> __device__ __forceinline__ value max(value x) const
    {
        return lanes_max<P>(all, x);
    }
    template <typename value> __device__ __forceinline__ value sum(value x) const
    {
        return lanes_sum<P>(all, x);
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return P == 1 ? x : (__ballot_sync(all, x) & lanes) != 0;
    }
};

/* L = 2^k neighbouring lanes of a warp that come together whatever the others do; rank: of a thread of a larger
 * team. */
template <int L> struct sub_team {
    int rank;
    unsigned lanes;

    __device__ __forceinline__ explicit sub_team(int of_thread)
        : rank(of_thread % L), lanes(((1u << (L % 32)) - 1) << (of_thread % 32 / L * L))
    {
    }
    __device__ __forceinline__ void sync() const
    {
        if (L > 1) __syncwarp(lanes);
    }
    template <typename value> __device__ __forceinline__ value max(value x) const
    {
        return lanes_max<L>(lanes, x);
    }
    template <typename value> __device__ __forceinline__ value sum(value x) const
    {
        return lanes_sum<L>(lanes, x);
    }
};

/* A thread block of N threads, N a multiple of 32; space: [N/32] in shared memory. */
template <int N> struct block_team {
    static constexpr int size = N;
    int rank;
    double *space;

    template <typename value, typename operation>
    __device__ __forceinline__ value reduce(value x, operation combine) const
    {
        for (int d = 1; d < 32; d *= 2) x = combine(x, __shfl_xor_sync(0xffffffffu, x, d));
        __syncthreads(); /* space is free */
        if (rank % 32 == 0) space[rank / 32] = (double)x;
        __syncthreads(); /* space is filled */
        x = (value)space[0];
        for (int warp = 1; warp < N / 32; ++warp) x = combine(x, (value)space[warp]);
        return x;
    }
    __device__ __forceinline__ void sync() const
    {
        __syncthreads();
    }
    /* As above; here x is the same in all threads. */
    __device__ __forceinline__ bool anywhere(bool x) const
    {
        return x;
    }
    template <typename value> __device__ __forceinline__ value max(value x) const
    {
        return reduce(x, [](value a, value b) { return a > b ? a : b; });
    }
    template <typename value> __device__ __forceinline__ value sum(value x) const
    {
        return reduce(x, [](value a, value b) { return a + b; });
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return __syncthreads_or(x);
    }
};

/* A team whose size is known at run time: one warp, or a whole block of several; space: a double for each of its warps,
 * in shared memory. */
struct sized_team {
    int size, rank;
    double *space;

    __device__ __forceinline__ void sync() const
    {
        if (size == 32)
            __syncwarp();
        else
            __syncthreads();
    }
    __device__ __forceinline__ double max(double x) const
    {
        for (int d = 16; d > 0; d /= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d));
        if (size == 32) return x;
        if (rank % 32 == 0) space[rank / 32] = x;
        __syncthreads(); /* space is filled */
        for (int warp = 0; warp < size / 32; ++warp) x = fmax(x, space[warp]);
        __syncthreads(); /* space is free */
        return x;
    }
};

/* ------------------------------------------------------------------------ grid */

/* True in the block that comes here last; it then sees what all others have written.  The counter is 0 before the
 * launch, and 0 again after it. */
static __device__ __forceinline__ bool last_block(unsigned *counter)
{
    __shared__ bool is_last;
    __threadfence();
    __syncthreads(); /* all of this block's results are written */
    if (threadIdx.x == 0) is_last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads(); /* is_last is known */
    if (!is_last) return false;
    __threadfence();
    if (threadIdx.x == 0) *counter = 0;
    return true;
}

/* Waits until `target` has been counted, one for each block that comes here; what they wrote before is seen by all
 * after it.  All of them must run at once.  The counter is 0 before the launch, and targets grow. */
static __device__ __forceinline__ void counter_barrier(unsigned *counter, unsigned target)
{
    __syncthreads(); /* all threads of this block have come */
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1u);
        while ((int)(poll(counter) - target) < 0) {}
        __threadfence();
    }
    __syncthreads(); /* all blocks have come */
}

/* The same for all blocks of the launch; turn counts the launch's barriers: 1, 2, ... */
static __device__ __forceinline__ void grid_barrier(unsigned *counter, unsigned turn)
{
    counter_barrier(counter, turn * gridDim.x);
}

#endif
