/* geev on CUDA, road `blocks`: the thread blocks that compute a matrix together, and their reduction to Hessenberg form.
 *
 * The matrix lies in global memory, row by row: in the second-level cache where it fits.  Each sum is made by one warp in an
 * order that only n decides, so that the number of blocks changes no bit. */
#ifndef EIG_GEEV_GROUP_CUH
#define EIG_GEEV_GROUP_CUH

#include "geev_balance.cuh"
#include "geev_chain.cuh"
#include "words/team.cuh"

enum {
    GROUP_THREADS = 512,
    GROUP_WARPS = GROUP_THREADS / 32,
    UNDER_WAY = 4,   /* loads of a thread at a time */
    GROUP_PANEL = 16 /* most columns that are reduced before the rest of the matrix is updated */
};

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
 * (I - V T' V') (A - Y V').  Rows of the arrays: reflectors. */
template <typename real> struct geev_panel {
    real *v, *y;   /* [width][n] */
    real *column;  /* [n]: the column under way */
    real *sums;    /* [GROUP_PANEL] */
    real *t;       /* [GROUP_PANEL][GROUP_PANEL], upper triangular */
    real *scalars; /* tau, beta */
    real *space;   /* [GROUP_WARPS][width][32], of panel_update */
    int n, width;
};

/* Columns of a panel for order n: as many as `numbers` of shared memory hold. */
static __host__ __device__ inline int geev_panel_width(int64_t n, int64_t numbers)
{
    int64_t const each = 2 * n + 32 * GROUP_WARPS; /* V, Y, and space for panel_update */
    int64_t const fit = (numbers - n - GROUP_PANEL * (GROUP_PANEL + 1) - 2) / each / 2 * 2;
    return fit > GROUP_PANEL ? GROUP_PANEL : (int)fit;
}

template <typename real> static __device__ __forceinline__ geev_panel<real> place_panel(real *at, int n, int width)
{
    geev_panel<real> p;
    p.n = n, p.width = width;
    p.v = at, p.y = p.v + (int64_t)width * n, p.column = p.y + (int64_t)width * n, p.sums = p.column + n;
    p.t = p.sums + GROUP_PANEL, p.scalars = p.t + GROUP_PANEL * GROUP_PANEL;
    p.space = p.scalars + 2;
    return p;
}

/* sums[q] = V[q]' x over rows from..hi, q < count: a warp a sum. */
template <typename real>
static __device__ __forceinline__ void panel_sums(const geev_panel<real> &p, const real *x, int from, int hi, int count)
{
    lane_team<32> const warp(threadIdx.x % 32);
    for (int q = threadIdx.x / 32; q < count; q += GROUP_WARPS) {
        real s0 = 0, s1 = 0;
        for (int r = from + warp.rank; r <= hi; r += 64) {
            s0 = fma(p.v[q * p.n + r], x[r], s0);
            if (r + 32 <= hi) s1 = fma(p.v[q * p.n + r + 32], x[r + 32], s1);
        }
        real const sum = warp.sum(s0 + s1);
        if (warp.rank == 0) p.sums[q] = sum;
    }
    __syncthreads();
}

/* Brings rows first + 1..hi of column j = first + c up to date, into p.column, and makes its reflector, V[c]. */
template <typename real>
static __device__ void panel_column(const geev_panel<real> &p, const real *a, int hi, int first, int c)
{
    int const n = p.n, j = first + c, thread = threadIdx.x;
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
        real x = a[(int64_t)r * n + j];
        for (int q = 0; q < c; ++q) x = fma(-p.y[q * n + r], p.v[q * n + j], x);
        p.column[r] = x;
    }
    __syncthreads();
    if (c > 0) {
        panel_sums(p, p.column, first + 1, hi, c);
        real sum = 0; /* T' times the sums */
        for (int q = 0; thread < c && q <= thread; ++q) sum = fma(p.t[q * GROUP_PANEL + thread], p.sums[q], sum);
        __syncthreads();
        if (thread < c) p.sums[thread] = sum;
        __syncthreads();
        for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
            real x = p.column[r];
            for (int q = 0; q < c; ++q) x = fma(-p.v[q * n + r], p.sums[q], x);
            p.column[r] = x;
        }
        __syncthreads();
    }
    real *const v = p.v + (int64_t)c * n;
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) v[r] = 0;
    __syncthreads();
    if (thread < 32) {
        real beta;
        real const tau = make_reflector(lane_team<32>(thread), p.column + j + 1, 1, hi - j, v + j + 1, &beta);
        if (thread == 0) p.scalars[0] = tau, p.scalars[1] = beta;
    }
    __syncthreads();
}

/* to[r] = A[r][.] v over columns from..hi, for rows r, ..., r + R - 1 as far as hi; by a warp. */
template <int R, typename real>
static __device__ __forceinline__ void rows_product(lane_team<32> warp, const real *a, int n, int hi, int r, int from,
                                                    const real *v, real *to)
{
    const real *x[R];
    real sum[R];
#pragma unroll
    for (int k = 0; k < R; ++k) x[k] = a + (int64_t)(r + k <= hi ? r + k : hi) * n, sum[k] = 0;
#pragma unroll 4
    for (int c = from + warp.rank; c <= hi; c += 32) {
        real const f = v[c];
#pragma unroll
        for (int k = 0; k < R; ++k) sum[k] = fma(x[k][c], f, sum[k]);
    }
#pragma unroll
    for (int k = 0; k < R; ++k) {
        real const total = warp.sum(sum[k]);
        if (warp.rank == 0 && r + k <= hi) to[r + k] = total;
    }
}

/* The same for rows top..hi of the group: four rows a warp, so that it waits less often, or one where there are warps enough. */
template <typename real>
static __device__ __forceinline__ void group_product(const geev_member &member, const real *a, int n, int top, int hi,
                                                     int from, const real *v, real *to)
{
    lane_team<32> const warp(threadIdx.x % 32);
    if (hi - top >= 2 * member.warps())
        for (int r = top + 4 * member.warp(); r <= hi; r += 4 * member.warps())
            rows_product<4>(warp, a, n, hi, r, from, v, to);
    else
        for (int r = top + member.warp(); r <= hi; r += member.warps()) rows_product<1>(warp, a, n, hi, r, from, v, to);
}

/* Y[c] and column c of T, from the product of A and V[c]. */
template <typename real>
static __device__ __forceinline__ void panel_extend(const geev_panel<real> &p, const real *product, int hi, int first,
                                                    int c)
{
    int const n = p.n, thread = threadIdx.x;
    real const tau = p.scalars[0];
    panel_sums(p, p.v + (int64_t)c * n, first + 1, hi, c);
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
        real x = product[r];
        for (int q = 0; q < c; ++q) x = fma(-p.y[q * n + r], p.sums[q], x);
        p.y[c * n + r] = tau * x;
    }
    if (thread < c) {
        real sum = 0;
        for (int q = thread; q < c; ++q) sum = fma(p.t[thread * GROUP_PANEL + q], p.sums[q], sum);
        p.t[thread * GROUP_PANEL + c] = -tau * sum;
    }
    if (thread == c) p.t[c * GROUP_PANEL + c] = tau;
    __syncthreads();
}

/* x - sum of f[q] g[q n], q < 2 pairs. */
template <typename real>
static __device__ __forceinline__ real subtract_products(real x, const real (&f)[GROUP_PANEL], const real *g, int n,
                                                         int pairs)
{
#pragma unroll
    for (int k = 0; k < GROUP_PANEL / 2; ++k)
        if (k < pairs) x = fma(-f[2 * k], g[2 * k * n], x), x = fma(-f[2 * k + 1], g[(2 * k + 1) * n], x);
    return x;
}

/* Each lane has 16 numbers: their sums over the warp, sum q in lanes 2q and 2q + 1. */
template <typename real> static __device__ __forceinline__ real sum_sixteen(int lane, real (&x)[GROUP_PANEL])
{
#pragma unroll
    for (int half = GROUP_PANEL / 2; half > 0; half /= 2) {
        bool const upper = lane & 2 * half;
#pragma unroll
        for (int q = 0; q < half; ++q) {
            real const other = __shfl_xor_sync(0xffffffffu, upper ? x[q] : x[q + half], 2 * half);
            x[q] = (upper ? x[q + half] : x[q]) + other;
        }
    }
    return x[0] + __shfl_xor_sync(0xffffffffu, x[0], 1);
}

/* Rows lo..first, above those of the reflectors: columns first + 1..hi times I - V T V', a warp a row. */
template <typename real>
static __device__ void panel_above(const geev_member &member, const geev_panel<real> &p, real *a, int lo, int hi,
                                   int first)
{
    int const n = p.n, lane = threadIdx.x % 32, pairs = (p.width + 1) / 2;
    for (int r = lo + member.warp(); r <= first; r += member.warps()) {
        real *const row = a + (int64_t)r * n;
        real sum[GROUP_PANEL];
#pragma unroll
        for (int q = 0; q < GROUP_PANEL; ++q) sum[q] = 0;
#pragma unroll 2
        for (int c = first + 1 + lane; c <= hi; c += 32) {
            real const x = row[c];
#pragma unroll
            for (int q = 0; q < GROUP_PANEL; ++q)
                if (q < p.width) sum[q] = fma(x, p.v[q * n + c], sum[q]);
        }
        real const own = sum_sixteen(lane, sum);
        real w = 0;
        for (int q = 0; q < p.width; ++q) {
            real const y = __shfl_sync(0xffffffffu, own, 2 * q);
            if (q <= lane / 2) w = fma(y, p.t[q * GROUP_PANEL + lane / 2], w);
        }
#pragma unroll
        for (int q = 0; q < GROUP_PANEL; ++q) sum[q] = q < p.width ? __shfl_sync(0xffffffffu, w, 2 * q) : (real)0;
#pragma unroll 2
        for (int c = first + 1 + lane; c <= hi; c += 32) row[c] = subtract_products(row[c], sum, p.v + c, n, pairs);
    }
}

/* Updates the columns behind the panel, a strip of 32 columns a block; lanes own columns, warps share out the rows.
 */
template <typename real>
static __device__ void panel_update(const geev_member &member, const geev_panel<real> &p, real *a, int hi, int first)
{
    int const n = p.n, lane = threadIdx.x % 32, warp = threadIdx.x / 32, pairs = (p.width + 1) / 2;
    real *const space = p.space;
    for (int begin = first + p.width + 32 * member.rank; begin <= hi; begin += 32 * member.count) {
        int const c = begin + lane;
        bool const acts = c <= hi;
        real f[GROUP_PANEL], sum[GROUP_PANEL];
#pragma unroll
        for (int q = 0; q < GROUP_PANEL; ++q) f[q] = acts && q < p.width ? p.v[q * n + c] : (real)0, sum[q] = 0;
        for (int r = first + 1 + warp; r <= hi && acts; r += UNDER_WAY * GROUP_WARPS) {
            real x[UNDER_WAY];
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                x[k] = row <= hi ? a[(int64_t)row * n + c] : (real)0;
            }
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                if (row > hi) break;
                x[k] = subtract_products(x[k], f, p.y + row, n, pairs);
                a[(int64_t)row * n + c] = x[k];
#pragma unroll
                for (int q = 0; q < GROUP_PANEL; ++q)
                    if (q < p.width) sum[q] = fma(p.v[q * n + row], x[k], sum[q]);
            }
        }
#pragma unroll
        for (int q = 0; q < GROUP_PANEL; ++q)
            if (q < p.width) space[(warp * p.width + q) * 32 + lane] = sum[q];
        __syncthreads();
        real all = 0; /* a warp adds up the sums of reflector `warp` */
        for (int k = 0; k < GROUP_WARPS && warp < p.width; ++k) all += space[(k * p.width + warp) * 32 + lane];
        __syncthreads();
        if (warp < p.width) space[warp * 32 + lane] = all;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < GROUP_PANEL; ++q) {
            real w = 0;
            for (int k = 0; k <= q && q < p.width; ++k) w = fma(p.t[k * GROUP_PANEL + q], space[k * 32 + lane], w);
            f[q] = w;
        }
        for (int r = first + 1 + warp; r <= hi && acts; r += UNDER_WAY * GROUP_WARPS) {
            real x[UNDER_WAY];
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                x[k] = row <= hi ? a[(int64_t)row * n + c] : (real)0;
            }
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                if (row <= hi) a[(int64_t)row * n + c] = subtract_products(x[k], f, p.v + row, n, pairs);
            }
        }
        __syncthreads(); /* space is free */
    }
}

/* A := Q' A Q, upper Hessenberg in rows and columns lo..hi.  exchange: [2][n] in global memory. */
template <typename real>
static __device__ void group_reduce(geev_member &member, geev_panel<real> p, real *a, int lo, int hi, real *exchange)
{
    int const n = p.n, most = p.width;
    for (int first = lo; first < hi - 1; first += most) {
        p.width = hi - 1 - first < most ? hi - 1 - first : most;
        for (int e = threadIdx.x; e < 2 * most * n; e += GROUP_THREADS) p.v[e] = 0; /* V and Y */
        for (int c = 0; c < p.width; ++c) {
            int const j = first + c;
            real *const product = exchange + (c & 1) * n;
            __syncthreads();
            panel_column(p, a, hi, first, c);
            group_product(member, a, n, first + 1, hi, j + 1, p.v + (int64_t)c * n, product);
            member.sync(); /* the product is there, and all have read column j */
            for (int r = first + 1 + (int)threadIdx.x; member.leads() && r <= hi; r += GROUP_THREADS)
                a[(int64_t)r * n + j] = r <= j ? p.column[r] : r == j + 1 ? p.scalars[1] : (real)0;
            panel_extend(p, product, hi, first, c);
        }
        panel_above(member, p, a, lo, hi, first);
        panel_update(member, p, a, hi, first);
        member.sync(); /* the matrix is up to date */
    }
}

#endif
