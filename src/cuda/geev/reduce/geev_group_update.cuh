/* geev on CUDA, n > GEEV_MOST: the rest of a matrix is multiplied by the reflectors of a panel (geev_group.cuh). */
#ifndef EIG_GEEV_GROUP_UPDATE_CUH
#define EIG_GEEV_GROUP_UPDATE_CUH

#include "geev/reduce/geev_panel.cuh"

/* Of 2 half numbers x each of two lanes whose numbers differ in `bit` adds up half, and so on down to `least`. */
template <int half, int bit, int least, typename entry, int most>
static __device__ __forceinline__ void fold_sums(int lane, entry (&x)[most])
{
    if constexpr (half >= least && half > 0) {
        bool const upper = lane & bit;
#pragma unroll
        for (int q = 0; q < half; ++q) {
            entry const other = lane_across(upper ? x[q] : x[q + half], bit);
            x[q] = total(upper ? x[q + half] : x[q], other);
        }
        fold_sums<half / 2, bit / 2, least>(lane, x);
    }
}

/* Each lane has `most` numbers: their sums over the warp, sum q in 32 / most lanes from that many times q on. */
template <typename entry, int most> static __device__ __forceinline__ entry sum_panel(int lane, entry (&x)[most])
{
    fold_sums<most / 2, 16, 1>(lane, x);
#pragma unroll
    for (int mask = 16 / most; mask > 0; mask /= 2) x[0] = total(x[0], lane_across(x[0], mask));
    return x[0];
}

/* ------------------------------------------------------------------- rows above */

enum { ABOVE = 2 }; /* rows of a warp at a time */

/* Two rows times I - V T V'; by a warp.  from: where they are, by columns before kept_from and from there on; to: where they
 * go.  scratch: [ABOVE][most] of the warp. */
template <typename entry>
static __device__ __forceinline__ void rows_above(const geev_panel<entry> &p, const entry *const (&from)[ABOVE],
                                                  const entry *const (&late)[ABOVE], entry *const (&to)[ABOVE],
                                                  int rows, int hi, int first, entry *scratch)
{
    constexpr int most = group_panel<entry>, all = ABOVE * most, apart = 32 / all;
    int const lane = threadIdx.x % 32;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry sum[all];
#pragma unroll
    for (int q = 0; q < all; ++q) sum[q] = zero;
    for (int c = first + 1 + lane; c <= hi; c += 32) {
        entry x[ABOVE];
#pragma unroll
        for (int k = 0; k < ABOVE; ++k) x[k] = (c < p.kept_from ? from[k] : late[k])[c];
#pragma unroll
        for (int q = 0; q < most; ++q) {
            if (q >= p.width) continue;
            entry const v = p.v(q)[c];
#pragma unroll
            for (int k = 0; k < ABOVE; ++k) sum[k * most + q] = product_add(x[k], v, sum[k * most + q]);
        }
    }
    __syncwarp();
    entry const own = sum_panel(lane, sum);
    int const mine = lane / apart, q = mine % most, row = mine / most * most;
    entry w = zero;
#pragma unroll 4
    for (int k = 0; k < p.width; ++k) {
        entry const y = lane_number(own, (row + k) * apart), f = p.t[k * p.t_ld + q];
        if (k <= q) w = product_add(y, f, w);
    }
    if (lane % apart == 0) scratch[mine] = w;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < all; ++k) sum[k] = scratch[k];
    for (int c = first + 1 + lane; c <= hi; c += 32) {
        entry x[ABOVE];
#pragma unroll
        for (int k = 0; k < ABOVE; ++k) x[k] = (c < p.kept_from ? from[k] : late[k])[c];
#pragma unroll
        for (int q = 0; q < most; ++q) {
            if (q >= p.width) continue;
            entry const v = conj(p.v(q)[c]);
#pragma unroll
            for (int k = 0; k < ABOVE; ++k) x[k] = product_add(negative(sum[k * most + q]), v, x[k]);
        }
#pragma unroll
        for (int k = 0; k < ABOVE; ++k)
            if (k < rows) to[k][c] = x[k];
    }
    __syncwarp(); /* the scratch is free */
}

/* Rows top..first, above those of the reflectors: columns first + 1..hi times I - V T V', to global memory.  Rows from `fresh`
 * on may still be in shared memory. */
template <typename entry>
static __device__ void panel_above(const geev_member &member, const geev_panel<entry> &p, entry *a, int top, int hi,
                                   int first, int fresh)
{
    entry *const scratch = p.space + threadIdx.x / 32 * (ABOVE * p.most);
    for (int r = top + ABOVE * member.warp(); r <= first; r += ABOVE * member.warps()) {
        const entry *from[ABOVE], *late[ABOVE];
        entry *to[ABOVE];
#pragma unroll
        for (int k = 0; k < ABOVE; ++k) {
            int const own = r + k <= first ? r + k : first;
            from[k] = to[k] = a + (int64_t)own * p.n;
            late[k] = own >= fresh && own >= p.kept_from ? p.kept_row(own) : from[k];
        }
        rows_above(p, from, late, to, first + 1 - r, hi, first, scratch);
    }
}

/* ----------------------------------------------------------------- columns behind */

enum {
    STRIP = 8, /* columns of the matrix that a team of warps brings up to date */
    TEAM_WARPS = 4,
    TEAMS = GROUP_WARPS / TEAM_WARPS,
    STRIDE = 2 * 32 / STRIP * TEAM_WARPS, /* rows of a team at a time: two a lane */
    AT_ONCE = 2                           /* of them */
};

/* Two neighbours of a vector of the panel. */
template <typename real> static __device__ __forceinline__ void load_pair(const real *at, real *x, real *y)
{
    pair_of<real> const both = *(const pair_of<real> *)at;
    *x = both.x, *y = both.y;
}
template <typename real>
static __device__ __forceinline__ void load_pair(const complex_of<real> *at, complex_of<real> *x, complex_of<real> *y)
{
    *x = at[0], *y = at[1];
}

/* x0 and x1 less the sums of f[q] g[q][r] and f[q] g[q][r + 1]. */
template <typename entry>
static __device__ __forceinline__ void subtract_pair(entry *x, const entry (&f)[group_panel<entry>], const entry *g,
                                                     int ld, int width)
{
#pragma unroll
    for (int q = 0; q < group_panel<entry>; ++q) {
        if (q >= width) continue;
        entry g0, g1;
        load_pair(g + q * ld, &g0, &g1);
        x[0] = product_add(negative(f[q]), g0, x[0]), x[1] = product_add(negative(f[q]), g1, x[1]);
    }
}

/* A lane's column and rows of a strip. */
template <typename entry> struct strip_lane {
    const geev_panel<entry> &p;
    entry *a;
    int c, hi;
    bool acts;

    /* Where row r is, and how far row r + 1. */
    __device__ __forceinline__ entry *at(int r, int64_t *step) const
    {
        bool const kept = p.keeps(r, c, hi);
        *step = kept ? p.kept_ld : p.n;
        return kept ? p.kept_row(r) + c : a + (int64_t)r * p.n + c;
    }
    /* Rows r, r + 1, then those STRIDE further on. */
    __device__ __forceinline__ void load(int r, entry (&x)[AT_ONCE][2]) const
    {
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            int64_t step;
            int const row = r + k * STRIDE;
            const entry *const from = at(row, &step);
            x[k][0] = acts && row <= hi ? from[0] : entry_of<entry>((real_of<entry>)0);
            x[k][1] = acts && row + 1 <= hi ? from[step] : entry_of<entry>((real_of<entry>)0);
        }
    }
    __device__ __forceinline__ void store(int r, const entry (&x)[AT_ONCE][2]) const
    {
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            int64_t step;
            int const row = r + k * STRIDE;
            entry *const to = at(row, &step);
            if (acts && row <= hi) to[0] = x[k][0];
            if (acts && row + 1 <= hi) to[step] = x[k][1];
        }
    }
};

/* A lane's share of V' (X - Y V'), with X := X - Y V'. */
template <typename entry>
static __device__ __forceinline__ void strip_right(const strip_lane<entry> &s, int begin,
                                                   entry (&sum)[group_panel<entry>])
{
    const geev_panel<entry> &p = s.p;
    entry const zero = entry_of<entry>((real_of<entry>)0);
    entry f[group_panel<entry>];
#pragma unroll
    for (int q = 0; q < group_panel<entry>; ++q)
        f[q] = s.acts && s.c <= s.hi && q < p.width ? conj(p.v(q)[s.c]) : zero, sum[q] = zero;
    for (int r = begin; r <= s.hi; r += AT_ONCE * STRIDE) {
        entry x[AT_ONCE][2];
        s.load(r, x);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            int const row = r + k * STRIDE;
            if (row > s.hi) continue;
            subtract_pair(x[k], f, p.y(0) + row, p.ld, p.width);
#pragma unroll
            for (int q = 0; q < group_panel<entry>; ++q) {
                if (q >= p.width) continue;
                entry v0, v1;
                load_pair(p.v(q) + row, &v0, &v1);
                sum[q] = conj_product_add(v1, x[k][1], conj_product_add(v0, x[k][0], sum[q]));
            }
        }
        s.store(r, x);
    }
}

/* X := X - V w. */
template <typename entry>
static __device__ __forceinline__ void strip_left(const strip_lane<entry> &s, int begin, const entry *w, int apart)
{
    entry f[group_panel<entry>];
#pragma unroll
    for (int q = 0; q < group_panel<entry>; ++q)
        f[q] = q < s.p.width ? w[q * apart] : entry_of<entry>((real_of<entry>)0);
    for (int r = begin; r <= s.hi; r += AT_ONCE * STRIDE) {
        entry x[AT_ONCE][2];
        s.load(r, x);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
            if (r + k * STRIDE <= s.hi) subtract_pair(x[k], f, s.p.v(0) + r + k * STRIDE, s.p.ld, s.p.width);
        s.store(r, x);
    }
}

/* Sums of four lanes that have the same column, a quarter of them for each, to space[q][column]. */
template <typename entry>
static __device__ __forceinline__ void strip_sums(int lane, entry (&sum)[group_panel<entry>], entry *space)
{
    constexpr int most = group_panel<entry>;
    fold_sums<most / 2, 16, most / 4>(lane, sum);
#pragma unroll
    for (int q = 0; q < most / 4; ++q) space[(lane / STRIP * (most / 4) + q) * STRIP + lane % STRIP] = sum[q];
}

/* Updates the columns behind the panel up to `right`: a team of four warps a strip, whose lanes share out the rows. */
template <typename entry>
static __device__ void panel_update(const geev_member &member, const geev_panel<entry> &p, entry *a, int hi, int right,
                                    int first)
{
    constexpr int most = group_panel<entry>, each = most * STRIP;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32, team = warp / TEAM_WARPS, part = warp % TEAM_WARPS;
    int const begin = first + 1 + 2 * (part * (32 / STRIP) + lane / STRIP), rank = threadIdx.x % (32 * TEAM_WARPS);
    entry *const space = p.space + team * (TEAM_WARPS * each); /* [TEAM_WARPS][most][STRIP] */
    entry const zero = entry_of<entry>((real_of<entry>)0);
    int const stride = STRIP * TEAMS * member.count;
    for (int strip = first + p.width + STRIP * member.rank; strip <= right; strip += stride) {
        int const c = strip + STRIP * member.count * team + lane % STRIP;
        strip_lane<entry> const s = {p, a, c, hi, c <= right};
        entry sum[most];
        strip_right(s, begin, sum);
        __syncwarp();
        strip_sums(lane, sum, space + part * each);
        __syncthreads(); /* all warps' sums are there */
        if (rank < p.width * STRIP) {
            entry all = zero;
#pragma unroll
            for (int k = 0; k < TEAM_WARPS; ++k) all = total(space[k * each + rank], all);
            space[rank] = all;
        }
        __syncthreads(); /* the sums are there */
        int const q = rank / STRIP;
        if (q < p.width) {
            entry w = zero;
            for (int k = 0; k <= q; ++k) w = conj_product_add(p.t[k * p.t_ld + q], space[k * STRIP + rank % STRIP], w);
            space[each + rank] = w;
        }
        __syncthreads(); /* T' times the sums is there */
        strip_left(s, begin, space + each + lane % STRIP, STRIP);
        __syncthreads(); /* space is free */
    }
}

#endif
