/* Teams: the threads that compute one matrix, and their reductions.
 *
 * All threads of a warp call these together, whatever their team; those of a block_team, all threads of the block. Sums
 * add in the same order in every thread and for every position in the warp, so results do not depend on either. */
#ifndef EIG_GEEV_TEAM_CUH
#define EIG_GEEV_TEAM_CUH

/* 2^k neighbouring lanes of a warp.  A team of one thread needs no other: it may also call them alone. */
template <int P> struct geev_team {
    static constexpr int size = P;
    static constexpr unsigned all = 0xffffffffu;
    int rank;       /* 0..P-1 */
    unsigned lanes; /* the team's */

    __device__ __forceinline__ explicit geev_team(int lane)
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
        for (int d = 1; d < P; d *= 2) {
            value const other = __shfl_xor_sync(all, x, d);
            x = x > other ? x : other;
        }
        return x;
    }
    template <typename value> __device__ __forceinline__ value sum(value x) const
    {
        for (int d = 1; d < P; d *= 2) x += __shfl_xor_sync(all, x, d);
        return x;
    }
    __device__ __forceinline__ bool any(bool x) const
    {
        return P == 1 ? x : (__ballot_sync(all, x) & lanes) != 0;
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

#endif
