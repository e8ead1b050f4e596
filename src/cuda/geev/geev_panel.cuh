/* geev on CUDA, n > GEEV_MOST: the thread blocks that compute a matrix together, and a panel of their reduction. */
#ifndef EIG_GEEV_PANEL_CUH
#define EIG_GEEV_PANEL_CUH

#include "geev_balance.cuh"
#include "geev_chain.cuh"
#include "words/team.cuh"

enum {
    GROUP_THREADS = 512,
    GROUP_WARPS = GROUP_THREADS / 32,
    UNDER_WAY = 4 /* loads of a thread at a time */
};

/* Most columns that are reduced before the rest of the matrix is updated; a thread holds two numbers for each. */
template <typename entry> constexpr int group_panel = entry_kind<entry>::complex ? 8 : 16;

/* A block's view of its group. */
struct geev_member {
    geev_group *group; /* in global memory; leader writes, barrier, all read */
    int rank, count;   /* of blocks */
    unsigned turn;     /* barriers so far */

    __device__ __forceinline__ bool leads() const
    {
        return rank == 0;
    }
    __device__ __forceinline__ void sync()
    {
        if (count == 1)
            __syncthreads();
        else
            counter_barrier(&group->barrier, ++turn * count);
    }
    /* This warp's number among all of the group, and how many there are.  Neighbours are in different blocks: where there is
     * less to do than warps, all multiprocessors take part. */
    __device__ __forceinline__ int warp() const
    {
        return (int)threadIdx.x / 32 * count + rank;
    }
    __device__ __forceinline__ int warps() const
    {
        return count * GROUP_WARPS;
    }
};

/* A panel of the reduction, a copy in each block's shared memory: A as it was when the panel began becomes
 * (I - V T' V') (A - Y V'), where ' takes conjugates too.  Rows of the arrays: reflectors. */
template <typename entry> struct geev_panel {
    static constexpr int most = group_panel<entry>;
    entry *v, *y;   /* [width][n] */
    entry *column;  /* [n]: the column under way */
    entry *sums;    /* [most] */
    entry *t;       /* [most][most], upper triangular */
    entry *scalars; /* tau, beta */
    entry *space;   /* [GROUP_WARPS][width][32], of panel_update */
    int n, width;

    __device__ __forceinline__ real_of<entry> tau() const
    {
        return real_part(scalars[0]);
    }
};

/* Numbers of shared memory that a panel of this width takes. */
template <typename entry> static __host__ __device__ inline int64_t geev_panel_numbers(int64_t n, int64_t width)
{
    constexpr int most = group_panel<entry>;
    return width * (2 * n + 32 * GROUP_WARPS) + n + most * (most + 1) + 2; /* V, Y, and space for panel_update */
}

/* Columns of a panel for order n: as many as `numbers` of shared memory hold. */
template <typename entry> static __host__ __device__ inline int geev_panel_width(int64_t n, int64_t numbers)
{
    int64_t const each = geev_panel_numbers<entry>(n, 1) - geev_panel_numbers<entry>(n, 0);
    int64_t const fit = (numbers - geev_panel_numbers<entry>(n, 0)) / each / 2 * 2;
    return fit > group_panel<entry> ? group_panel<entry> : (int)fit;
}

template <typename entry> static __device__ __forceinline__ geev_panel<entry> place_panel(entry *at, int n, int width)
{
    geev_panel<entry> p;
    p.n = n, p.width = width;
    p.v = at, p.y = p.v + (int64_t)width * n, p.column = p.y + (int64_t)width * n, p.sums = p.column + n;
    p.t = p.sums + p.most, p.scalars = p.t + p.most * p.most;
    p.space = p.scalars + 2;
    return p;
}

/* Sums over a warp, and what another lane has. */
template <typename real> static __device__ __forceinline__ real warp_total(lane_team<32> warp, real x)
{
    return warp.sum(x);
}
template <typename real>
static __device__ __forceinline__ complex_of<real> warp_total(lane_team<32> warp, complex_of<real> x)
{
    return {warp.sum(x.re), warp.sum(x.im)};
}
template <typename real> static __device__ __forceinline__ real lane_across(real x, int mask)
{
    return __shfl_xor_sync(0xffffffffu, x, mask);
}
template <typename real> static __device__ __forceinline__ complex_of<real> lane_across(complex_of<real> x, int mask)
{
    return {lane_across(x.re, mask), lane_across(x.im, mask)};
}
template <typename real> static __device__ __forceinline__ real lane_number(real x, int lane, int width = 32)
{
    return __shfl_sync(0xffffffffu, x, lane, width);
}
template <typename real>
static __device__ __forceinline__ complex_of<real> lane_number(complex_of<real> x, int lane, int width = 32)
{
    return {lane_number(x.re, lane, width), lane_number(x.im, lane, width)};
}

#endif
