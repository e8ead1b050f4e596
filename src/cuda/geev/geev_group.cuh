/* geev on CUDA, n > GEEV_MOST: the reduction to Hessenberg form by the thread blocks that compute a matrix together.
 *
 * The matrix lies in global memory, row by row: in the second-level cache where it fits.  Each sum is made by one warp in an
 * order that only n decides, so that the number of blocks changes no bit. */
#ifndef EIG_GEEV_GROUP_CUH
#define EIG_GEEV_GROUP_CUH

#include "geev_panel.cuh"

/* sums[q] = V[q]' x over rows from..hi, q < count: a warp a sum. */
template <typename entry>
static __device__ __forceinline__ void panel_sums(const geev_panel<entry> &p, const entry *x, int from, int hi,
                                                  int count)
{
    lane_team<32> const warp(threadIdx.x % 32);
    entry const zero = entry_of<entry>((real_of<entry>)0);
    for (int q = threadIdx.x / 32; q < count; q += GROUP_WARPS) {
        entry s0 = zero, s1 = zero;
        for (int r = from + warp.rank; r <= hi; r += 64) {
            s0 = conj_product_add(p.v[q * p.n + r], x[r], s0);
            if (r + 32 <= hi) s1 = conj_product_add(p.v[q * p.n + r + 32], x[r + 32], s1);
        }
        entry const sum = warp_total(warp, total(s0, s1));
        if (warp.rank == 0) p.sums[q] = sum;
    }
    __syncthreads();
}

/* Brings rows first + 1..hi of column j = first + c up to date, into p.column, and makes its reflector, V[c]. */
template <typename entry>
static __device__ void panel_column(const geev_panel<entry> &p, const entry *a, int hi, int first, int c)
{
    using real = real_of<entry>;
    int const n = p.n, j = first + c, thread = threadIdx.x;
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
        entry x = a[(int64_t)r * n + j];
        for (int q = 0; q < c; ++q) x = product_add(negative(p.y[q * n + r]), conj(p.v[q * n + j]), x);
        p.column[r] = x;
    }
    __syncthreads();
    if (c > 0) {
        panel_sums(p, p.column, first + 1, hi, c);
        entry sum = entry_of<entry>((real)0); /* T' times the sums */
        for (int q = 0; thread < c && q <= thread; ++q)
            sum = conj_product_add(p.t[q * p.most + thread], p.sums[q], sum);
        __syncthreads();
        if (thread < c) p.sums[thread] = sum;
        __syncthreads();
        for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
            entry x = p.column[r];
            for (int q = 0; q < c; ++q) x = product_add(negative(p.v[q * n + r]), p.sums[q], x);
            p.column[r] = x;
        }
        __syncthreads();
    }
    entry *const v = p.v + (int64_t)c * n;
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) v[r] = entry_of<entry>((real)0);
    __syncthreads();
    if (thread < 32) {
        entry beta;
        real const tau = make_reflector(lane_team<32>(thread), p.column + j + 1, 1, hi - j, v + j + 1, &beta);
        if (thread == 0) p.scalars[0] = entry_of<entry>(tau), p.scalars[1] = beta;
    }
    __syncthreads();
}

/* to[r] = A[r][.] v over columns from..hi, for rows r, ..., r + R - 1 as far as hi; by a warp. */
template <int R, typename entry>
static __device__ __forceinline__ void rows_product(lane_team<32> warp, const entry *a, int n, int hi, int r, int from,
                                                    const entry *v, entry *to)
{
    const entry *x[R];
    entry sum[R];
#pragma unroll
    for (int k = 0; k < R; ++k)
        x[k] = a + (int64_t)(r + k <= hi ? r + k : hi) * n, sum[k] = entry_of<entry>((real_of<entry>)0);
#pragma unroll 4
    for (int c = from + warp.rank; c <= hi; c += 32) {
        entry const f = v[c];
#pragma unroll
        for (int k = 0; k < R; ++k) sum[k] = product_add(x[k][c], f, sum[k]);
    }
#pragma unroll
    for (int k = 0; k < R; ++k) {
        entry const all = warp_total(warp, sum[k]);
        if (warp.rank == 0 && r + k <= hi) to[r + k] = all;
    }
}

/* The same for rows top..hi of the group: four rows a warp, so that it waits less often, or one where there are warps enough. */
template <typename entry>
static __device__ __forceinline__ void group_product(const geev_member &member, const entry *a, int n, int top, int hi,
                                                     int from, const entry *v, entry *to)
{
    lane_team<32> const warp(threadIdx.x % 32);
    if (hi - top >= 2 * member.warps())
        for (int r = top + 4 * member.warp(); r <= hi; r += 4 * member.warps())
            rows_product<4>(warp, a, n, hi, r, from, v, to);
    else
        for (int r = top + member.warp(); r <= hi; r += member.warps()) rows_product<1>(warp, a, n, hi, r, from, v, to);
}

/* Y[c] and column c of T, from the product of A and V[c]. */
template <typename entry>
static __device__ __forceinline__ void panel_extend(const geev_panel<entry> &p, const entry *product, int hi, int first,
                                                    int c)
{
    using real = real_of<entry>;
    int const n = p.n, thread = threadIdx.x;
    real const tau = p.tau();
    panel_sums(p, p.v + (int64_t)c * n, first + 1, hi, c);
    for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS) {
        entry x = product[r];
        for (int q = 0; q < c; ++q) x = product_add(negative(p.y[q * n + r]), p.sums[q], x);
        p.y[c * n + r] = scaled(tau, x);
    }
    if (thread < c) {
        entry sum = entry_of<entry>((real)0);
        for (int q = thread; q < c; ++q) sum = product_add(p.t[thread * p.most + q], p.sums[q], sum);
        p.t[thread * p.most + c] = scaled(-tau, sum);
    }
    if (thread == c) p.t[c * p.most + c] = entry_of<entry>(tau);
    __syncthreads();
}

/* x - sum of f[q] g[q n], or of their conjugates, q < 2 pairs. */
template <bool conjugate, typename entry>
static __device__ __forceinline__ entry subtract_products(entry x, const entry (&f)[group_panel<entry>], const entry *g,
                                                          int n, int pairs)
{
#pragma unroll
    for (int k = 0; k < group_panel<entry> / 2; ++k) {
        if (k >= pairs) continue;
        entry const g0 = g[2 * k * n], g1 = g[(2 * k + 1) * n];
        x = product_add(negative(f[2 * k]), conjugate ? conj(g0) : g0, x);
        x = product_add(negative(f[2 * k + 1]), conjugate ? conj(g1) : g1, x);
    }
    return x;
}

/* Each lane has `most` numbers: their sums over the warp, sum q in 32 / most lanes from that many times q on. */
template <typename entry, int most> static __device__ __forceinline__ entry sum_panel(int lane, entry (&x)[most])
{
    constexpr int apart = 32 / most;
#pragma unroll
    for (int half = most / 2; half > 0; half /= 2) {
        bool const upper = lane & apart * half;
#pragma unroll
        for (int q = 0; q < half; ++q) {
            entry const other = lane_across(upper ? x[q] : x[q + half], apart * half);
            x[q] = total(upper ? x[q + half] : x[q], other);
        }
    }
    for (int mask = apart / 2; mask > 0; mask /= 2) x[0] = total(x[0], lane_across(x[0], mask));
    return x[0];
}

/* Rows top..first, above those of the reflectors: columns first + 1..hi times I - V T V', a warp a row. */
template <typename entry>
static __device__ void panel_above(const geev_member &member, const geev_panel<entry> &p, entry *a, int top, int hi,
                                   int first)
{
    constexpr int most = group_panel<entry>, apart = 32 / most;
    int const n = p.n, lane = threadIdx.x % 32, pairs = (p.width + 1) / 2;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    for (int r = top + member.warp(); r <= first; r += member.warps()) {
        entry *const row = a + (int64_t)r * n;
        entry sum[most];
#pragma unroll
        for (int q = 0; q < most; ++q) sum[q] = zero;
#pragma unroll 2
        for (int c = first + 1 + lane; c <= hi; c += 32) {
            entry const x = row[c];
#pragma unroll
            for (int q = 0; q < most; ++q)
                if (q < p.width) sum[q] = product_add(x, p.v[q * n + c], sum[q]);
        }
        entry const own = sum_panel(lane, sum);
        entry w = zero;
        for (int q = 0; q < p.width; ++q) {
            entry const y = lane_number(own, apart * q);
            if (q <= lane / apart) w = product_add(y, p.t[q * most + lane / apart], w);
        }
#pragma unroll
        for (int q = 0; q < most; ++q) {
            entry const x = lane_number(w, apart * q);
            sum[q] = q < p.width ? x : zero;
        }
#pragma unroll 2
        for (int c = first + 1 + lane; c <= hi; c += 32)
            row[c] = subtract_products<true>(row[c], sum, p.v + c, n, pairs);
    }
}

/* Updates the columns from `begin` to `right` behind the panel, a strip of 32 columns a block; lanes own columns, warps share
 * out the rows. */
template <typename entry>
static __device__ void panel_update(const geev_member &member, const geev_panel<entry> &p, entry *a, int hi, int right,
                                    int first)
{
    constexpr int most = group_panel<entry>;
    int const n = p.n, lane = threadIdx.x % 32, warp = threadIdx.x / 32, pairs = (p.width + 1) / 2;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry *const space = p.space;
    for (int begin = first + p.width + 32 * member.rank; begin <= right; begin += 32 * member.count) {
        int const c = begin + lane;
        bool const acts = c <= right;
        entry f[most], sum[most];
#pragma unroll
        for (int q = 0; q < most; ++q) f[q] = acts && q < p.width ? conj(p.v[q * n + c]) : zero, sum[q] = zero;
        for (int r = first + 1 + warp; r <= hi && acts; r += UNDER_WAY * GROUP_WARPS) {
            entry x[UNDER_WAY];
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                x[k] = row <= hi ? a[(int64_t)row * n + c] : zero;
            }
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                if (row > hi) break;
                x[k] = subtract_products<false>(x[k], f, p.y + row, n, pairs);
                a[(int64_t)row * n + c] = x[k];
#pragma unroll
                for (int q = 0; q < most; ++q)
                    if (q < p.width) sum[q] = conj_product_add(p.v[q * n + row], x[k], sum[q]);
            }
        }
#pragma unroll
        for (int q = 0; q < most; ++q)
            if (q < p.width) space[(warp * p.width + q) * 32 + lane] = sum[q];
        __syncthreads();
        entry all = zero; /* a warp adds up the sums of reflector `warp` */
        for (int k = 0; k < GROUP_WARPS && warp < p.width; ++k)
            all = total(all, space[(k * p.width + warp) * 32 + lane]);
        __syncthreads();
        if (warp < p.width) space[warp * 32 + lane] = all;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < most; ++q) {
            entry w = zero;
            for (int k = 0; k <= q && q < p.width; ++k)
                w = conj_product_add(p.t[k * most + q], space[k * 32 + lane], w);
            f[q] = w;
        }
        for (int r = first + 1 + warp; r <= hi && acts; r += UNDER_WAY * GROUP_WARPS) {
            entry x[UNDER_WAY];
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                x[k] = row <= hi ? a[(int64_t)row * n + c] : zero;
            }
#pragma unroll
            for (int k = 0; k < UNDER_WAY; ++k) {
                int const row = r + k * GROUP_WARPS;
                if (row <= hi) a[(int64_t)row * n + c] = subtract_products<false>(x[k], f, p.v + row, n, pairs);
            }
        }
        __syncthreads(); /* space is free */
    }
}

/* A := Q' A Q, upper Hessenberg in rows and columns lo..hi.  exchange: [2][n] in global memory.  factors: NULL, or what is
 * above and beside those rows follows, tau of each reflector goes there, and its u, without the first entry 1, stays below
 * the subdiagonal. */
template <typename entry>
static __device__ void group_reduce(geev_member &member, geev_panel<entry> p, entry *a, int lo, int hi, entry *exchange,
                                    real_of<entry> *factors = NULL)
{
    int const n = p.n, most = p.width, top = factors ? 0 : lo, right = factors ? n - 1 : hi;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    for (int first = lo; first < hi - 1; first += most) {
        p.width = hi - 1 - first < most ? hi - 1 - first : most;
        for (int e = threadIdx.x; e < 2 * most * n; e += GROUP_THREADS) p.v[e] = zero; /* V and Y */
        for (int c = 0; c < p.width; ++c) {
            int const j = first + c;
            entry *const product = exchange + (c & 1) * n;
            __syncthreads();
            panel_column(p, a, hi, first, c);
            group_product(member, a, n, first + 1, hi, j + 1, p.v + (int64_t)c * n, product);
            member.sync(); /* the product is there, and all have read column j */
            for (int r = first + 1 + (int)threadIdx.x; member.leads() && r <= hi; r += GROUP_THREADS)
                a[(int64_t)r * n + j] = r <= j       ? p.column[r]
                                        : r == j + 1 ? p.scalars[1]
                                        : factors    ? p.v[(int64_t)c * n + r]
                                                     : zero;
            if (factors && member.leads() && threadIdx.x == 0) factors[j] = p.tau();
            panel_extend(p, product, hi, first, c);
        }
        panel_above(member, p, a, top, hi, first);
        panel_update(member, p, a, hi, right, first);
        member.sync(); /* the matrix is up to date */
    }
}

#endif
