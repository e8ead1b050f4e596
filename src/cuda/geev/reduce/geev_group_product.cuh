/* geev on CUDA, n > GEEV_MOST: the product of a matrix and a column (geev_group.cuh), and what of the matrix a block keeps for it in
 * shared memory. */
#ifndef EIG_GEEV_GROUP_PRODUCT_CUH
#define EIG_GEEV_GROUP_PRODUCT_CUH

#include "geev/reduce/geev_group_update.cuh"
#include "primitives/copy.cuh"

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

/* The same for rows top..hi of the group: four rows a warp, so that it waits less often, or one where there are warps enough. */
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

#endif
