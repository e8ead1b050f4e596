/* geev on CUDA, n > GEEV_MOST: the reduction to Hessenberg form by the thread blocks that compute a matrix together.
 *
 * Panels   some columns are reduced, then the rest of the matrix is brought up to date (geev_group_update.cuh).
 * Column   1 the sums V'x of the column, by the threads that have its rows; 2 T' times them, by one warp; 3 x - V w; 4
 *          in one go the product of A and x, the sums V'x again, and the reflector; 5 Y and V.  A barrier after each of
 *          the first four.  The reflector's u is a multiple of x but for its first entry, so that the product need not
 *          wait for it.
 * Memory   the matrix lies in global memory, row by row: in the second-level cache where it fits.  A block that has it
 *          to itself keeps the last rows and columns, as many as fit, in shared memory, where most products find them.
 * Order    each sum is made in an order that only n decides, so that the number of blocks changes no bit. */
#ifndef EIG_GEEV_GROUP_CUH
#define EIG_GEEV_GROUP_CUH

#include "geev/reduce/geev_group_update.cuh"
#include "primitives/copy.cuh"

#include <type_traits>

/* ------------------------------------------------------------------- a column of a panel, in the shared memory of each
 * block */

/* Rows first + 1..hi of the panel's columns to where their reflectors will be, and of the next one to the last column
 * of Y. */
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

/* ------------------------------------------------------------------- the product of the matrix and a column */

/* ------------------------------------------------------------------- what is kept */

/* Takes rows and columns into shared memory. */
template <typename entry> static __device__ void keep(geev_panel<entry> &p, const entry *a, int lo, int hi)
{
    int const all = hi - lo;
    int order = 0, ld = 0;
    for (int k = all; k >= LEAST_KEPT; --k) {
        ld = (k + 3) / 8 * 8 + 4; /* lanes of four rows and eight columns find different banks */
        order = k;
        if (k * ld <= p.room) break;
        order = 0;
    }
    int const aside = (all - order + 3) / 4 * 4; /* rows go by fours */
    p.base = lo + 1, p.kept_ld = ld, p.kept_from = order > 0 ? lo + 1 + aside : p.n;
    for (int r = p.kept_from + (int)threadIdx.x / 32; r <= hi; r += GROUP_WARPS)
        for (int c = p.kept_from + (int)threadIdx.x % 32; c <= hi; c += 32)
            copy_number(p.kept_row(r) + c, a + (int64_t)r * p.n + c);
    copy_end();
    copy_wait<0>();
    __syncthreads(); /* they are there */
}

/* Rows top..bottom of columns from..to, which change no more. */
template <typename entry>
static __device__ void put_back(const geev_panel<entry> &p, entry *a, int hi, int top, int bottom, int from, int to)
{
    int const columns = to + 1 - from;
    for (int e = threadIdx.x; e < (bottom + 1 - top) * columns; e += GROUP_THREADS) {
        int const r = top + e / columns, c = from + e % columns;
        if (p.keeps(r, c, hi)) a[(int64_t)r * p.n + c] = p.kept_row(r)[c];
    }
}

/* ------------------------------------------------------------------------ products */

/* to[r] = A[r][.] x over columns from..hi, for rows r, ..., r + R - 1 of which those in top..hi count; by a warp. */
template <int R, typename entry>
static __device__ __forceinline__ void rows_product(const geev_panel<entry> &p, const entry *a, int top, int hi, int r,
                                                    int from, const entry *x, entry *to)
{
    int const lane = threadIdx.x % 32, cut = r >= p.kept_from && p.kept_from <= hi ? p.kept_from : hi + 1;
    const entry *row[R];
    entry sum[R];
#pragma unroll
    for (int k = 0; k < R; ++k)
        row[k] = a + (int64_t)(r + k <= hi ? r + k : hi) * p.n, sum[k] = entry_of<entry>((real_of<entry>)0);
    int c = from + lane;
#pragma unroll 4
    for (; c < cut; c += 32) {
        entry const f = x[c];
#pragma unroll
        for (int k = 0; k < R; ++k) sum[k] = product_add(row[k][c], f, sum[k]);
    }
    if (cut <= hi) {
        const entry *kept[R];
#pragma unroll
        for (int k = 0; k < R; ++k) kept[k] = p.kept_row(r + k <= hi ? r + k : hi);
#pragma unroll 2
        for (; c <= hi; c += 32) {
            entry const f = x[c];
#pragma unroll
            for (int k = 0; k < R; ++k) sum[k] = product_add(kept[k][c], f, sum[k]);
        }
    }
    __syncwarp();
    entry const all = sum_panel(lane, sum);
    constexpr int apart = 32 / R;
    int const mine = r + lane / apart;
    if (lane % apart == 0 && mine >= top && mine <= hi) to[mine] = all;
}

/* The same for rows top..hi of the group: four rows a warp, so that it waits less often, or one where there are warps
 * enough. */
template <typename entry>
static __device__ __forceinline__ void group_product(const geev_member &member, const geev_panel<entry> &p,
                                                     const entry *a, int top, int hi, int from, const entry *x,
                                                     entry *to)
{
    if (hi - top >= 2 * member.warps())
        for (int r = p.base + (top - p.base) / 4 * 4 + 4 * member.warp(); r <= hi; r += 4 * member.warps())
            rows_product<4>(p, a, top, hi, r, from, x, to);
    else
        for (int r = top + member.warp(); r <= hi; r += member.warps()) rows_product<1>(p, a, top, hi, r, from, x, to);
}

/* All that needs column first + c as a whole: its product with A, sums[q] = V[q]' x, q < c, and its reflector. */
template <typename entry>
static __device__ void column_products(const geev_member &member, const geev_panel<entry> &p, const entry *a, int hi,
                                       int first, int c, entry *to)
{
    lane_team<32> const warp(threadIdx.x % 32);
    int const from = first + c + 1, own = threadIdx.x / 32;
    const entry *const x = p.column - p.base;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    if (own == GROUP_WARPS - 1) find_turn(p.turn, x, from, hi);
    for (int q = GROUP_WARPS - 2 - own; q >= 0 && q < c; q += GROUP_WARPS) {
        entry s0 = zero, s1 = zero;
        for (int r = from + warp.rank; r <= hi; r += 64) {
            s0 = conj_product_add(p.v(q)[r], x[r], s0);
            if (r + 32 <= hi) s1 = conj_product_add(p.v(q)[r + 32], x[r + 32], s1);
        }
        entry const sum = warp_total(warp, total(s0, s1));
        if (warp.rank == 0) p.sums[q] = sum;
    }
    group_product(member, p, a, first + 1, hi, from, x, to);
}

/* The rest of the matrix, when a panel is done. */
template <typename entry>
static __device__ __forceinline__ void update_matrix(const geev_member &member, const geev_panel<entry> &p, entry *a,
                                                     int top, int right, int hi, int first, int fresh)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<entry, double>::value) {
        tensor_above(member, p, a, top, hi, first, fresh);
        tensor_update(member, p, a, hi, right, first);
        return;
    }
#endif
    panel_above(member, p, a, top, hi, first, fresh);
    __syncthreads(); /* the space is free */
    panel_update(member, p, a, hi, right, first);
}

/* A := Q' A Q, upper Hessenberg in rows and columns lo..hi.  exchange: [2][n] in global memory.  factors: NULL, or what
 * is above and beside those rows follows, tau of each reflector goes there, and its u, without the first entry 1, stays
 * below the subdiagonal. */
template <typename entry>
static __device__ void group_reduce(geev_member &member, geev_panel<entry> p, entry *a, int lo, int hi, entry *exchange,
                                    real_of<entry> *factors = NULL)
{
    using real = real_of<entry>;
    int const most = p.width, top = factors ? 0 : lo, right = factors ? p.n - 1 : hi;
    if (hi - lo < 2) return;
    if (threadIdx.x == 0) p.turn->unit = 0;
    for (int e = threadIdx.x; e < p.most * p.t_ld; e += GROUP_THREADS) p.t[e] = entry_of<entry>((real)0);
    keep(p, a, lo, hi);
    int fresh = lo; /* rows from here on have never been above a panel */
    for (int first = lo; first < hi - 1; first += most) {
        p.width = hi - 1 - first < most ? hi - 1 - first : most;
        load_panel(p, a, hi, first);
        put_back(p, a, hi, fresh, first, first, first);
        __syncthreads(); /* the panel is there */
        for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS) p.column[r - p.base] = p.v(0)[r];
        for (int c = 0; c < p.width; ++c) {
            bool const shared = member.count == 1 && p.product;
            entry *const product = shared ? p.product - p.base : exchange + (c & 1) * p.n;
            turn_column(p, hi, first, c);
            next_column(p, hi, first, c);
            column_products(member, p, a, hi, first, c, product);
            member.sync(); /* the products are there, and all have read the panel */
            for (real unit; (unit = p.turn->unit) != 0;) {
                /* squares lost digits: again, scaled */
                for (int r = first + 1 + (int)threadIdx.x; r <= hi; r += GROUP_THREADS)
                    if (r > first + c) p.column[r - p.base] = scaled(unit, p.column[r - p.base]);
                __syncthreads(); /* the column is there */
                column_products(member, p, a, hi, first, c, product);
                member.sync();
            }
            if (factors && member.leads() && threadIdx.x == 0) factors[first + c] = p.turn->tau;
            panel_extend(p, product, hi, first, c);
        }
        for (int e = threadIdx.x; e < PANEL_ROOM * p.width; e += GROUP_THREADS)
            p.v(e / PANEL_ROOM)[hi + 1 + e % PANEL_ROOM] = p.y(e / PANEL_ROOM)[hi + 1 + e % PANEL_ROOM] =
                entry_of<entry>((real)0);
        __syncthreads(); /* V, Y and T are there, and the column's place is free */
        if (member.leads()) store_panel(p, a, hi, first, factors != NULL);
        update_matrix(member, p, a, top, right, hi, first, fresh);
        member.sync(); /* the matrix is up to date */
        fresh = first + 1;
    }
    put_back(p, a, hi, fresh, hi, hi - 1, hi);
    member.sync();
}

/* ------------------------------------------------------------------- before the reduction */

enum { LOAD_TILE = 32 * 33 }; /* numbers of shared memory for each warp that loads */

/* Loads matrix b, row by row, all blocks together, by `warps` warps of each.  space: [warps][LOAD_TILE] in shared
 * memory.  Returns whether this block's entries are finite. */
template <typename entry>
static __device__ bool load_matrix(const geev_member &member, const geev_problem &p, int64_t b, entry *a, entry *space,
                                   int warps)
{
    int const n = (int)p.n, warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = (n + 31) / 32;
    bool const by_rows = geev_lies_by_rows(p);
    bool finite = true;
    entry(*const tile)[33] = (entry(*)[33])(space + warp * LOAD_TILE);
    for (int at = warp * member.count + member.rank; warp < warps && at < tiles * tiles; at += warps * member.count) {
        int const i0 = at / tiles * 32, j0 = at % tiles * 32;
        for (int k = 0; k < 32; ++k) {
            int const i = i0 + (by_rows ? k : lane), j = j0 + (by_rows ? lane : k);
            entry const x = i < n && j < n ? geev_entry<entry>(p, b, i, j) : entry_of<entry>((real_of<entry>)0);
            finite = finite && fabs(real_part(x)) < (real_of<entry>)INFINITY &&
                     fabs(imaginary(x)) < (real_of<entry>)INFINITY;
            tile[by_rows ? k : lane][by_rows ? lane : k] = x;
        }
        __syncwarp();
        for (int k = 0; k < 32; ++k)
            if (i0 + k < n && j0 + lane < n) a[(int64_t)(i0 + k) * n + j0 + lane] = tile[k][lane];
        __syncwarp();
    }
    return __syncthreads_and(finite);
}

/* Whether balancing has anything to do: a warp takes the norms of a row, a thread those of a column.  row, row_most:
 * [n] */
template <typename entry, typename real = real_of<entry>>
static __device__ bool wants_balance(block_team<GROUP_THREADS> team, geev_view<entry> h, int lo, int hi, real *row,
                                     real *row_most)
{
    lane_team<32> const warp(team.rank % 32);
    for (int i = lo + team.rank / 32; i <= hi; i += GROUP_WARPS) {
        real sum = 0, most = 0;
        for (int k = lo + warp.rank; k <= hi; k += 32)
            most = fmax(most, larger_part(h(i, k))), sum = square_add(h(i, k), sum);
        sum = warp.sum(sum), most = warp.max(most);
        if (warp.rank == 0) row[i] = sum, row_most[i] = most;
    }
    team.sync();
    bool wants = false;
    for (int i = lo + team.rank; i <= hi; i += GROUP_THREADS) {
        real sum = 0, most = 0;
        for (int k = lo; k <= hi; ++k) most = fmax(most, larger_part(h(k, i))), sum = square_add(h(k, i), sum);
        bool const tiny = most < real_limits<real>::square_safe || row_most[i] < real_limits<real>::square_safe;
        wants |= tiny || balance_factor(sqrt(sum), sqrt(row[i]), most, row_most[i], (real)1) != 1;
    }
    return team.any(wants);
}

#endif
