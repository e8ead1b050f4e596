/* geev on CUDA, n > GEEV_MOST: the thread blocks that compute a matrix together, and a panel of their reduction. */
#ifndef EIG_GEEV_PANEL_CUH
#define EIG_GEEV_PANEL_CUH

#include "geev/geev_reflector.cuh"
#include "geev/reduce/geev_balance.cuh"
#include "primitives/team.cuh"

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
    /* This warp's number among all of the group, and how many there are.  Neighbours are in different blocks: where
     * there is less to do than warps, all multiprocessors take part. */
    __device__ __forceinline__ int warp() const
    {
        return (int)threadIdx.x / 32 * count + rank;
    }
    __device__ __forceinline__ int warps() const
    {
        return count * GROUP_WARPS;
    }
};

/* A reflector I - tau u u' that takes x to (beta, 0, ..., 0)': u = (x + (head, 0, ..., 0)') inverse, whose first entry
 * is 1. */
template <typename entry> struct geev_turn {
    real_of<entry> tau;
    real_of<entry> unit; /* not 0: squares of x lost digits; x is to be scaled by it first */
    entry inverse, beta;
    entry head; /* what it adds to the first entry */
};

/* The reflector of a vector with this first entry, whose others have squares that sum up to `tail`. */
template <typename real> static __device__ __forceinline__ geev_turn<real> turn_of(real head, real tail)
{
    fast_householder<real> const h(head, fma(head, head, tail));
    return {h.tau, 0, h.inverse, -h.norm, h.norm};
}
template <typename real>
static __device__ __forceinline__ geev_turn<complex_of<real>> turn_of(complex_of<real> head, real tail)
{
    real const square_of_head = square(head);
    bool const none = square_of_head < real_limits<real>::safmin / real_limits<real>::eps;
    real const size = none ? (real)0 : sqrt(square_of_head), norm = sqrt(square_of_head + tail), pivot = size + norm;
    complex_of<real> const phase = none ? complex_of<real>{1, 0} : scaled(1 / size, head);
    return {pivot / norm, 0, scaled(1 / pivot, conj(phase)), scaled(-norm, phase), scaled(norm, phase)};
}

/* A panel of the reduction, a copy in each block's shared memory: A as it was when the panel began becomes
 * (I - V T' V') (A - Y V'), where ' takes conjugates too.  Rows of the arrays: reflectors.  Vectors begin with row
 * `base` of the matrix.  A block that has a matrix to itself keeps rows and columns from kept_from on in shared
 * memory. */
template <typename entry> struct geev_panel {
    static constexpr int most = group_panel<entry>, t_ld = most + 1;
    entry *vectors, *products; /* [width][ld]: V, Y */
    entry *column;             /* [ld]: the column under way */
    entry *product;            /* [ld]: A times it; NULL: has no room */
    entry *partial;            /* [GROUP_WARPS][most]: sums of each warp */
    entry *sums, *spare;       /* [most] */
    entry *t;                  /* [most][t_ld], upper triangular, zeros below */
    entry *corner;             /* [most][most]: the panel's columns of H, as far as they are below its first row */
    geev_turn<entry> *turn;
    entry *space; /* [UPDATE_SPACE most], in the place of column and partial while the matrix is brought up to date */
    entry *kept;
    int n, width, ld, base, kept_from, kept_ld, room;

    /* Reflector q, and its column of Y, by rows of the matrix. */
    __device__ __forceinline__ entry *v(int q) const
    {
        return vectors + (q * ld - base);
    }
    __device__ __forceinline__ entry *y(int q) const
    {
        return products + (q * ld - base);
    }
    __device__ __forceinline__ bool keeps(int row, int c, int hi) const
    {
        return row >= kept_from && c >= kept_from && c <= hi;
    }
    /* Row r of what is kept, by columns of the matrix. */
    __device__ __forceinline__ entry *kept_row(int r) const
    {
        return kept + ((r - kept_from) * kept_ld - kept_from);
    }
};

enum {
    UPDATE_SPACE = 128, /* numbers for each column of a panel: sums of 16 warps, 8 columns of the matrix each */
    TURN_SPACE = 8,
    PANEL_ROOM = 7, /* zeros behind V and Y: rows go by twos or eights */
    LEAST_KEPT = 16
};

/* The distance of two vectors of a panel: even, so that pairs of numbers are aligned, with room for PANEL_ROOM
 * zeros. */
static __host__ __device__ inline int64_t geev_panel_ld(int64_t n)
{
    return (n + PANEL_ROOM + 4) / 8 * 8 + 2;
}

/* Numbers of shared memory that a panel of this width takes. */
template <typename entry> static __host__ __device__ inline int64_t geev_panel_numbers(int64_t n, int64_t width)
{
    constexpr int most = group_panel<entry>;
    int64_t const ld = geev_panel_ld(n), column = ld + GROUP_WARPS * most, space = UPDATE_SPACE * most;
    return 2 * width * ld + (column > space ? column : space) + most * (2 * most + 3) + TURN_SPACE;
}

/* Columns of a panel for order n: as many as `numbers` of shared memory hold. */
template <typename entry> static __host__ __device__ inline int geev_panel_width(int64_t n, int64_t numbers)
{
    int64_t const each = geev_panel_numbers<entry>(n, 1) - geev_panel_numbers<entry>(n, 0);
    int64_t const fit = (numbers - geev_panel_numbers<entry>(n, 0)) / each / 2 * 2;
    return fit > group_panel<entry> ? group_panel<entry> : (int)fit;
}

/* A panel in `numbers` of shared memory.  keeps: the block has the matrix to itself. */
template <typename entry>
static __device__ __forceinline__ geev_panel<entry> place_panel(entry *at, int n, int width, int numbers, bool keeps)
{
    geev_panel<entry> p;
    p.n = n, p.width = width, p.ld = (int)geev_panel_ld(n);
    p.vectors = at, p.products = p.vectors + width * p.ld, p.t = p.products + width * p.ld;
    p.sums = p.t + p.most * p.t_ld, p.spare = p.sums + p.most, p.corner = p.spare + p.most;
    p.turn = (geev_turn<entry> *)(p.corner + p.most * p.most);
    p.space = p.corner + p.most * p.most + TURN_SPACE;
    p.column = p.space, p.partial = p.column + p.ld;
    entry *const rest = at + geev_panel_numbers<entry>(n, width);
    p.room = numbers - (int)(rest - at) - p.ld;
    p.product = p.room >= 0 ? rest : NULL;
    p.kept = rest + p.ld;
    if (!keeps) p.room = 0;
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
