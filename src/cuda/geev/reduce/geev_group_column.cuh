/* geev on CUDA, n > GEEV_MOST: a column of a panel (geev_group.cuh), in the shared memory of each block. */
#ifndef EIG_GEEV_GROUP_COLUMN_CUH
#define EIG_GEEV_GROUP_COLUMN_CUH

#include "geev/reduce/geev_group_tensor.cuh"
#include "geev/reduce/geev_group_update.cuh"

#include <type_traits>

/* Rows first + 1..hi of the panel's columns to where their reflectors will be, and of the next one to the last column of Y. */
template <typename entry>
static __device__ void load_panel(const geev_panel<entry> &p, const entry *a, int hi, int first)
{
    int const rows = GROUP_THREADS / p.width, q = (int)threadIdx.x % p.width, c = first + q;
#pragma unroll 4
    for (int r = first + 1 + (int)threadIdx.x / p.width; r <= hi; r += rows)
        if ((int)threadIdx.x < rows * p.width)
            p.v(q)[r] = *(p.keeps(r, c, hi) ? p.kept_row(r) + c : a + (int64_t)r * p.n + c);
    int const next = first + p.width;
    for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS)
        p.y(p.width - 1)[r] = *(p.keeps(r, next, hi) ? p.kept_row(r) + next : a + (int64_t)r * p.n + next);
}

/* partial[warp][q] = V[q]' x over the rows of the warp's threads, q < count <= M. */
template <int M, typename entry>
static __device__ __forceinline__ void column_sums(const geev_panel<entry> &p, int hi, int first, int count)
{
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    entry sum[M];
#pragma unroll
    for (int q = 0; q < M; ++q) sum[q] = entry_of<entry>((real_of<entry>)0);
    for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS) {
        entry const x = p.column[r - p.base];
#pragma unroll
        for (int q = 0; q < M; ++q)
            if (q < count) sum[q] = conj_product_add(p.v(q)[r], x, sum[q]);
    }
    __syncwarp();
    entry const own = sum_panel(lane, sum);
    constexpr int apart = 32 / M;
    if (lane % apart == 0 && lane / apart < count) p.partial[warp * p.most + lane / apart] = own;
}

/* The same for all q < c, by the best way. */
template <typename entry>
static __device__ __forceinline__ void any_column_sums(const geev_panel<entry> &p, int hi, int first, int c)
{
    constexpr int most = group_panel<entry>;
    int const begin = first + 1 + ((int)threadIdx.x & ~31);
    if (begin > hi) return;
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<entry, double>::value)
        if (hi - first <= GROUP_THREADS && p.width == most) {
            __syncwarp(); /* the warp's part of the column is there */
            tensor_column_sums(p, p.column - p.base, begin, hi, p.partial + threadIdx.x / 32 * most);
            return;
        }
#endif
    if (c <= most / 4)
        column_sums<most / 4>(p, hi, first, c);
    else if (c <= most / 2)
        column_sums<most / 2>(p, hi, first, c);
    else
        column_sums<most>(p, hi, first, c);
}

/* The sum over parts of a warp: lanes `most` apart. */
template <typename entry> static __device__ __forceinline__ entry sum_parts(entry x)
{
#pragma unroll
    for (int mask = group_panel<entry>; mask < 32; mask *= 2) x = total(x, lane_across(x, mask));
    return x;
}

/* sums[q] = row q of T' V'x, q < count, by a warp. */
template <typename entry>
static __device__ __forceinline__ void turned_sums(const geev_panel<entry> &p, int hi, int first, int count)
{
    constexpr int most = group_panel<entry>, parts = 32 / most;
    int const lane = threadIdx.x % 32, q = lane % most, part = lane / most, share = (hi - first + 31) / 32,
              warps = share < GROUP_WARPS ? share : (int)GROUP_WARPS;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry s0 = zero, s1 = zero, w0 = zero, w1 = zero;
#pragma unroll
    for (int k = part; k < GROUP_WARPS; k += 2 * parts) {
        if (k < warps) s0 = total(p.partial[k * most + q], s0);
        if (k + parts < warps) s1 = total(p.partial[(k + parts) * most + q], s1);
    }
    entry const own = sum_parts(total(s0, s1));
    p.spare[q] = q < count ? own : zero;
    __syncwarp();
#pragma unroll
    for (int k = part; k < most; k += 2 * parts) {
        w0 = conj_product_add(p.t[k * p.t_ld + q], p.spare[k], w0);
        w1 = conj_product_add(p.t[(k + parts) * p.t_ld + q], p.spare[k + parts], w1);
    }
    entry const w = sum_parts(total(w0, w1));
    if (lane < count) p.sums[lane] = w;
}

/* Column c of T, from sums[q] = V[q]' x and the reflector of x; by a warp. */
template <typename entry>
static __device__ __forceinline__ void extend_factor(const geev_panel<entry> &p, const geev_turn<entry> &turn, int from,
                                                     int c)
{
    constexpr int most = group_panel<entry>, parts = 32 / most;
    int const lane = threadIdx.x % 32, q = lane % most, part = lane / most;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry s = zero, w0 = zero, w1 = zero;
    if (q < c) s = product(turn.inverse, product_add(turn.head, conj(p.v(q)[from]), p.sums[q]));
    p.spare[q] = s;
    __syncwarp();
#pragma unroll
    for (int k = part; k < most; k += 2 * parts) {
        w0 = product_add(p.t[q * p.t_ld + k], p.spare[k], w0);
        w1 = product_add(p.t[q * p.t_ld + k + parts], p.spare[k + parts], w1);
    }
    entry const w = sum_parts(total(w0, w1));
    if (lane < c) p.t[lane * p.t_ld + c] = scaled(-turn.tau, w);
    if (lane == c) p.t[c * p.t_ld + c] = entry_of<entry>(turn.tau);
    __syncwarp();
}

/* x - sum of f[q] g[q ld], q < count: of conj(f) where f is a column of V. */
template <bool conjugate, typename entry>
static __device__ __forceinline__ entry subtract_sums(entry x, const entry *f, int apart, const entry *g, int ld,
                                                      int count)
{
    entry odd = entry_of<entry>((real_of<entry>)0);
#pragma unroll 4
    for (int q = 0; q + 1 < count; q += 2) {
        entry const f0 = f[q * apart], f1 = f[(q + 1) * apart];
        x = product_add(negative(conjugate ? conj(f0) : f0), g[q * ld], x);
        odd = product_add(negative(conjugate ? conj(f1) : f1), g[(q + 1) * ld], odd);
    }
    if (count & 1) {
        entry const f0 = f[(count - 1) * apart];
        x = product_add(negative(conjugate ? conj(f0) : f0), g[(count - 1) * ld], x);
    }
    return total(x, odd);
}

/* Rows first + 1..hi of column first + c, which was multiplied from the right: now from the left too, in p.column. */
template <typename entry> static __device__ void turn_column(const geev_panel<entry> &p, int hi, int first, int c)
{
    int const thread = threadIdx.x;
    if (c > 0) {
        any_column_sums(p, hi, first, c);
        __syncthreads(); /* each warp's sums are there */
        if (thread < 32) turned_sums(p, hi, first, c);
        __syncthreads(); /* the sums are there */
        for (int r = first + 1 + thread; r <= hi; r += GROUP_THREADS)
            p.column[r - p.base] = subtract_sums<false>(p.column[r - p.base], p.sums, 1, p.v(0) + r, p.ld, c);
    }
    __syncthreads(); /* the column is there */
}

/* The reflector of entries from..hi of x, by a warp. */
template <typename entry>
static __device__ __forceinline__ void find_turn(geev_turn<entry> *turn, const entry *x, int from, int hi)
{
    using real = real_of<entry>;
    lane_team<32> const warp(threadIdx.x % 32);
    constexpr real least = reflector_least<entry>();
    real s0 = 0, s1 = 0;
    for (int r = from + 1 + warp.rank; r <= hi; r += 64) {
        s0 = square_add(x[r], s0);
        if (r + 32 <= hi) s1 = square_add(x[r + 32], s1);
    }
    real const tail = warp.sum(s0 + s1), before = turn->unit;
    bool const scaled_before = before != 0;
    entry const head = x[from], zero = entry_of<entry>((real)0);
    geev_turn<entry> t = {0, 0, zero, head, zero};
    if (tail >= least || (scaled_before && tail > 0)) {
        t = turn_of(head, tail);
    } else if (!scaled_before) {
        real most = 0;
        for (int r = from + 1 + warp.rank; r <= hi; r += 32) most = fmax(most, larger_part(x[r]));
        most = warp.max(most);
        if (most > 0) t.unit = unit_of(fmax(most, larger_part(head)));
    }
    if (scaled_before) t.beta = scaled(1 / before, t.beta);
    __syncwarp();
    if (warp.rank == 0) *turn = t;
}

/* The column after first + c, where it waits: multiplied from the right by what is there of Y and V. */
template <typename entry>
static __device__ __forceinline__ void next_column(const geev_panel<entry> &p, int hi, int first, int c)
{
    int const from = first + c + 1;
    entry *const next = c + 1 < p.width ? p.v(c + 1) : p.y(c);
    for (int r = first + 1 + (int)threadIdx.x; c > 0 && r <= hi; r += GROUP_THREADS)
        next[r] = subtract_sums<true>(next[r], p.v(0) + from, p.ld, p.y(0) + r, p.ld, c);
}

/* V[c], Y[c] and column c of T, from the product of A and the column, and the next column. */
template <typename entry>
static __device__ __forceinline__ void panel_extend(const geev_panel<entry> &p, const entry *product_there, int hi,
                                                    int first, int c)
{
    using real = real_of<entry>;
    int const from = first + c + 1;
    geev_turn<entry> const turn = *p.turn;
    entry const zero = entry_of<entry>((real)0), one = entry_of<entry>((real)1);
    bool const more = c + 1 < p.width;
    const entry *const next = more ? p.v(c + 1) : p.y(c);
    for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS) {
        entry y = zero;
        entry const b = next[r], x = p.column[r - p.base];
        if (turn.tau != 0) {
            y = product_add(turn.head, b, subtract_sums<false>(product_there[r], p.sums, 1, p.y(0) + r, p.ld, c));
            y = scaled(turn.tau, product(turn.inverse, y));
        }
        entry const v = r < from ? zero : r == from ? one : product(turn.inverse, x);
        p.v(c)[r] = v, p.y(c)[r] = y;
        if (more) p.column[r - p.base] = total(b, negative(y));
        if (r <= from) p.corner[(r - first - 1) * p.most + c] = r < from ? x : turn.beta;
    }
    if (threadIdx.x / 32 == GROUP_WARPS - 1) extend_factor(p, turn, from, c);
}

/* The panel's columns of H, and below them zeros or the reflectors. */
template <typename entry>
static __device__ void store_panel(const geev_panel<entry> &p, entry *a, int hi, int first, bool keeps_factors)
{
    int const rows = GROUP_THREADS / p.width, c = (int)threadIdx.x % p.width;
    for (int r = first + 1 + (int)threadIdx.x / p.width; r <= hi; r += rows) {
        if ((int)threadIdx.x >= rows * p.width) continue;
        a[(int64_t)r * p.n + first + c] = r <= first + c + 1 ? p.corner[(r - first - 1) * p.most + c]
                                          : keeps_factors    ? p.v(c)[r]
                                                             : entry_of<entry>((real_of<entry>)0);
    }
}

#endif
