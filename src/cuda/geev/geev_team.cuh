/* Teams: the threads that compute one matrix, and their reductions.
 *
 * The threads of a team call these together; teams of one warp need not.  Sums add in the same order in every thread
 * and for every position in the warp, so results do not depend on either. */
#ifndef EIG_GEEV_TEAM_CUH
#define EIG_GEEV_TEAM_CUH

/* 2^k neighbouring lanes of a warp. */
template <int P> struct geev_team {
    static constexpr int size = P;
    int rank;      /* 0..P-1 */
    unsigned mask; /* the team's lanes */

    __device__ __forceinline__ explicit geev_team(int lane)
        : rank(lane % P), mask(P == 32 ? 0xffffffffu : ((1u << (P % 32)) - 1) << (lane / P * P))
    {
    }
    __device__ __forceinline__ void sync() const
    {
        if (P > 1) __syncwarp(mask);
    }
    template <typename value> __device__ __forceinline__ value max(value x) const
    {
        for (int d = 1; d < P; d *= 2) {
            value const other = __shfl_xor_sync(mask, x, d);
            x = x > other ? x : other;
        }
        return x;
    }
    template <typename value> __device__ __forceinline__ value sum(value x) const
    {
        for (int d = 1; d < P; d *= 2) x += __shfl_xor_sync(mask, x, d);
        return x;
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return P == 1 ? x : (__ballot_sync(mask, x) & mask) != 0;
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

#endif
