/* geev on CUDA, n > GEEV_MOST: the product of a matrix and a column (geev_group.cuh), and what of the matrix a block keeps for it in
 * shared memory. */
#ifndef EIG_GEEV_GROUP_PRODUCT_CUH
#define EIG_GEEV_GROUP_PRODUCT_CUH

#include "geev_group_update.cuh"
#include "words/copy.cuh"

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

/* to[r] = A[r][.] x over columns from..hi; by a warp.  The sum of the columns that differ by 32 is a lane's here, and one of four
 * of a lane in quads_product, which adds up the same numbers in the same order. */
template <typename entry>
static __device__ __forceinline__ void row_product(const geev_panel<entry> &p, const entry *a, int hi, int r, int from,
                                                   const entry *x, entry *to)
{
    enum { LOADS = 8 };
    int const lane = threadIdx.x % 32, cut = r >= p.kept_from ? p.kept_from : hi + 1;
    const entry *const row = a + (int64_t)r * p.n, *const kept = r >= p.kept_from ? p.kept_row(r) : row;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry sum[1] = {zero};
    for (int c = from / 8 * 8 + lane; c <= hi; c += 32 * LOADS) {
        entry f[LOADS], m[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            int const at = c + 32 * k;
            bool const there = at >= from && at <= hi;
            f[k] = there ? x[at] : zero, m[k] = there ? (at < cut ? row : kept)[at] : zero;
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) sum[0] = product_add(m[k], f[k], sum[0]);
    }
    __syncwarp();
    entry const all = sum_panel(lane, sum);
    if (lane == 0) to[r] = all;
}

/* sum[k][u] += row k times x over columns begin, begin + 32, ... as far as they are in from..end - 1, eight lanes a row. */
template <int R, typename entry>
static __device__ __forceinline__ void quads_add(entry (&sum)[R][4], const entry *const (&row)[R], int rows,
                                                 const entry *x, int begin, int from, int end)
{
    entry const zero = entry_of<entry>((real_of<entry>)0);
    for (int c = begin; c < end; c += 32) {
        entry f[4], m[R][4];
#pragma unroll
        for (int u = 0; u < 4; ++u) {
            int const at = c + 8 * u + (int)threadIdx.x % 8;
            bool const there = at >= from && at < end;
            f[u] = there ? x[at] : zero;
#pragma unroll
            for (int k = 0; k < R; ++k) m[k][u] = there && k < rows ? row[k][at] : zero;
        }
#pragma unroll
        for (int u = 0; u < 4; ++u)
#pragma unroll
            for (int k = 0; k < R; ++k) sum[k][u] = product_add(m[k][u], f[u], sum[k][u]);
    }
}

/* The same for R times four rows: r and the next three, then those `apart` further on; those in top..hi count. */
template <int R, typename entry>
static __device__ __forceinline__ void quads_product(const geev_panel<entry> &p, const entry *a, int top, int hi, int r,
                                                     int apart, int from, const entry *x, entry *to)
{
    int const lane = threadIdx.x % 32, begin = from / 8 * 8, cut = p.kept_from <= hi ? p.kept_from : hi + 1,
              own = r + lane / 16 + lane / 8 % 2 * 2; /* neighbours in halves of a warp: two rows, for the banks */
    int rows = 0;
    const entry *row[R];
    entry sum[R][4], s[R];
#pragma unroll
    for (int k = 0; k < R; ++k) {
        int const there = own + k * apart;
        row[k] = a + (int64_t)(there <= hi ? there : hi) * p.n;
        if (r + k * apart <= hi) rows = k + 1;
#pragma unroll
        for (int u = 0; u < 4; ++u) sum[k][u] = entry_of<entry>((real_of<entry>)0);
    }
    quads_add<R>(sum, row, rows, x, begin, from, cut);
    if (cut <= hi) {
#pragma unroll
        for (int k = 0; k < R; ++k) {
            int const there = own + k * apart;
            if (r + k * apart >= p.kept_from) row[k] = p.kept_row(there <= hi ? there : hi);
        }
        quads_add<R>(sum, row, rows, x, begin + (cut > begin ? cut - begin : 0) / 32 * 32, from > cut ? from : cut,
                     hi + 1);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < R; ++k) s[k] = total(total(sum[k][0], sum[k][2]), total(sum[k][1], sum[k][3]));
    fold_sums<R / 2, 4, 1>(lane, s);
#pragma unroll
    for (int mask = 4 / R; mask > 0; mask /= 2) s[0] = total(s[0], lane_across(s[0], mask));
    constexpr int lanes = 8 / R;
    int const mine = own + lane % 8 / lanes * apart;
    if (lane % lanes == 0 && mine >= top && mine <= hi) to[mine] = s[0];
}

/* The same for rows top..hi of the group: some times four rows a warp, or one where there are warps enough. */
template <typename entry>
static __device__ __forceinline__ void group_product(const geev_member &member, const geev_panel<entry> &p,
                                                     const entry *a, int top, int hi, int from, const entry *x,
                                                     entry *to)
{
    int const warps = member.warps(), first = p.base + (top - p.base) / 4 * 4, each = (hi - first) / 4 / warps;
    if (hi - top < warps) {
        for (int r = top + member.warp(); r <= hi; r += warps) row_product(p, a, hi, r, from, x, to);
    } else if (each >= 2 && !entry_kind<entry>::complex) {
        for (int r = first + 4 * member.warp(); r <= hi; r += 16 * warps)
            quads_product<entry_kind<entry>::complex ? 2 : 4>(p, a, top, hi, r, 4 * warps, from, x, to);
    } else if (each >= 1) {
        for (int r = first + 4 * member.warp(); r <= hi; r += 8 * warps)
            quads_product<2>(p, a, top, hi, r, 4 * warps, from, x, to);
    } else {
        for (int r = first + 4 * member.warp(); r <= hi; r += 4 * warps)
            quads_product<1>(p, a, top, hi, r, 4 * warps, from, x, to);
    }
}

#endif
