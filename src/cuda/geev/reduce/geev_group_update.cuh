/* geev on CUDA, n > GEEV_MOST: the rest of a matrix is multiplied by the reflectors of a panel (geev_group.cuh).  In
 * double the tensor cores do it. */
#ifndef EIG_GEEV_GROUP_UPDATE_CUH
#define EIG_GEEV_GROUP_UPDATE_CUH

#include "geev/reduce/geev_panel.cuh"
#include "primitives/tensor.cuh"

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

/* Two rows times I - V T V'; by a warp.  from: where they are, by columns before kept_from and from there on; to: where
 * they go.  scratch: [ABOVE][most] of the warp. */
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

/* Rows top..first, above those of the reflectors: columns first + 1..hi times I - V T V', to global memory.  Rows from
 * `fresh` on may still be in shared memory. */
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

/* The same on the FP64 tensor cores.
 *
 * Tiles   16 columns (or, above the panel, rows) of the matrix and 8 of its rows (columns), as an accumulator holds
 *         them: lane 4 g + j has two neighbours of column g and of column g + 8.  So they are also the first factor of
 *         a product, of a sum over these neighbours: no lane sends a number to another one. */

enum {
    TILE = 16,
    TILE_SIDE = 8,
    TILE_TEAM = 4, /* warps that share out the rows of 16 columns */
    TILE_TEAMS = GROUP_WARPS / TILE_TEAM,
    TILES_AT_ONCE = 2
};

/* Four lanes' numbers of 16 reflectors, two a piece: of reflectors 4 k + j of a place, or of the pairs 8 k + 2 j, 8 k +
 * 2 j + 1. */
struct tensor_factor {
    double x[4][2];
};

/* c += f g: g is [16][8], reflectors 4 k + j of place g. */
template <typename get>
static __device__ __forceinline__ void tensor_add(double (&c)[4], const tensor_factor &f, int width, get g)
{
#pragma unroll
    for (int k = 0; k < 4; k += 2)
        if (4 * k < width) tensor_16x8x8(c, c + 2, f.x[k][0], f.x[k][1], f.x[k + 1][0], f.x[k + 1][1], g(k), g(k + 1));
}

/* The same where lane j of f has reflectors 8 t + 2 j and the next: c += f g. */
template <typename get>
static __device__ __forceinline__ void tensor_add_pairs(double (&c)[4], const double (&f)[2][4], int width, get g)
{
#pragma unroll
    for (int t = 0; t < 2; ++t)
        if (8 * t < width) tensor_16x8x8(c, c + 2, f[t][0], f[t][2], f[t][1], f[t][3], g(8 * t), g(8 * t + 1));
}

/* s[t] += tile times V for reflectors 8 t to 8 t + 7; v: V[g] at the lane's first neighbour. */
static __device__ __forceinline__ void tensor_sums(double (&s)[2][4], const double (&tile)[4],
                                                   const geev_panel<double> &p, int g, int at)
{
#pragma unroll
    for (int t = 0; t < 2; ++t) {
        if (8 * t >= p.width) continue;
        double2 v = {0, 0};
        if (8 * t + g < p.width) v = *(const double2 *)(p.v(8 * t + g) + at);
        tensor_16x8x8(s[t], s[t] + 2, tile[0], tile[2], tile[1], tile[3], v.x, v.y);
    }
}

/* ---------------------------------------------------------------------- columns */

/* partial[q] = V[q]' x over rows r to r + 31 as far as hi, for all q of the panel and what is behind it; by a warp. */
static __device__ __forceinline__ void tensor_column_sums(const geev_panel<double> &p, const double *x, int r, int hi,
                                                          double *partial)
{
    int const lane = threadIdx.x % 32, g = lane / 4, j = lane % 4;
    double s[2][4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int const row = r + 8 * k + j;
        double v[4] = {}, b[2] = {};
        if (row <= hi) v[0] = p.v(g)[row], v[1] = p.v(g + 8)[row], b[0] = g == 0 ? x[row] : 0;
        if (row + 4 <= hi) v[2] = p.v(g)[row + 4], v[3] = p.v(g + 8)[row + 4], b[1] = g == 0 ? x[row + 4] : 0;
        tensor_16x8x8(s[k % 2], s[k % 2] + 2, v[0], v[1], v[2], v[3], b[0], b[1]);
    }
    if (j == 0) partial[g] = s[0][0] + s[1][0], partial[g + 8] = s[0][2] + s[1][2];
}

/* ------------------------------------------------------------------- rows above */

/* A lane's part of 16 rows above the panel, and where they are. */
struct tensor_rows {
    const double *from[2], *late[2];
    double *to[2];
    bool acts[2];

    __device__ __forceinline__ void load(double (&x)[4], int c, int hi, int kept_from) const
    {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int const own = c + k % 2;
            x[k] = own <= hi ? (own < kept_from ? from[k / 2] : late[k / 2])[own] : 0;
        }
    }
    __device__ __forceinline__ void store(const double (&x)[4], int c, int hi) const
    {
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (acts[k / 2] && c + k % 2 <= hi) to[k / 2][c + k % 2] = x[k];
    }
};

/* 16 rows times I - V T V', by a warp. */
static __device__ __forceinline__ void tensor_rows_above(const geev_panel<double> &p, const tensor_rows &rows, int hi,
                                                         int first)
{
    int const lane = threadIdx.x % 32, g = lane / 4, j = lane % 4, width = p.width;
    double s[2][4] = {}, w[2][4] = {};
    for (int c = first + 1; c <= hi; c += 2 * TILES_AT_ONCE * TILE_SIDE) {
        double x[2 * TILES_AT_ONCE][4];
#pragma unroll
        for (int k = 0; k < 2 * TILES_AT_ONCE; ++k) rows.load(x[k], c + k * TILE_SIDE + 2 * j, hi, p.kept_from);
#pragma unroll
        for (int k = 0; k < 2 * TILES_AT_ONCE; ++k)
            if (c + k * TILE_SIDE <= hi) tensor_sums(s, x[k], p, g, c + k * TILE_SIDE + 2 * j);
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        tensor_add_pairs(w[u], s, width, [&](int q) {
            int const row = q + 2 * j, column = 8 * u + g;
            return row <= column && column < width ? -p.t[row * p.t_ld + column] : 0.0;
        });
    }
    for (int c = first + 1; c <= hi; c += 2 * TILES_AT_ONCE * TILE_SIDE) {
        double x[2 * TILES_AT_ONCE][4];
#pragma unroll
        for (int k = 0; k < 2 * TILES_AT_ONCE; ++k) rows.load(x[k], c + k * TILE_SIDE + 2 * j, hi, p.kept_from);
#pragma unroll
        for (int k = 0; k < 2 * TILES_AT_ONCE; ++k) {
            int const at = c + k * TILE_SIDE;
            if (at > hi) continue;
            tensor_add_pairs(x[k], w, width, [&](int q) { return q + 2 * j < width ? p.v(q + 2 * j)[at + g] : 0.0; });
            rows.store(x[k], at + 2 * j, hi);
        }
    }
}

/* panel_above. */
static __device__ void tensor_above(const geev_member &member, const geev_panel<double> &p, double *a, int top, int hi,
                                    int first, int fresh)
{
    int const g = threadIdx.x % 32 / 4;
    for (int r = top + TILE * member.warp(); r <= first; r += TILE * member.warps()) {
        tensor_rows rows;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            int const own = r + g + 8 * k, there = own <= first ? own : first;
            rows.acts[k] = own <= first;
            rows.from[k] = rows.to[k] = a + (int64_t)there * p.n;
            rows.late[k] = there >= fresh && there >= p.kept_from ? p.kept_row(there) : rows.from[k];
        }
        tensor_rows_above(p, rows, hi, first);
    }
}

/* ----------------------------------------------------------------- columns behind */

/* A lane's part of 16 columns: c and c + 8. */
struct tensor_strip {
    const geev_panel<double> &p;
    double *a;
    int c, hi, right;

    __device__ __forceinline__ double *at(int r, int k, int64_t *step) const
    {
        int const own = c + 8 * k;
        bool const kept = p.keeps(r, own, hi);
        *step = kept ? p.kept_ld : p.n;
        return kept ? p.kept_row(r) + own : a + (int64_t)r * p.n + own;
    }
    /* Rows r and r + 1. */
    __device__ __forceinline__ void load(double (&x)[4], int r) const
    {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            int64_t step;
            const double *const from = at(r, k, &step);
            bool const acts = c + 8 * k <= right;
            x[2 * k] = acts && r <= hi ? from[0] : 0, x[2 * k + 1] = acts && r + 1 <= hi ? from[step] : 0;
        }
    }
    __device__ __forceinline__ void store(const double (&x)[4], int r) const
    {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            int64_t step;
            double *const to = at(r, k, &step);
            bool const acts = c + 8 * k <= right;
            if (acts && r <= hi) to[0] = x[2 * k];
            if (acts && r + 1 <= hi) to[step] = x[2 * k + 1];
        }
    }
};

/* The 16 columns times I - V T V' from the right, as far as they are left of hi; and s: their products with V, of every
 * fourth tile.  Then, with w, also from the left. */
template <bool left>
static __device__ __forceinline__ void tensor_strip_rows(const tensor_strip &strip, int begin, const tensor_factor &f,
                                                         const tensor_factor &w, double (&s)[2][4])
{
    const geev_panel<double> &p = strip.p;
    int const lane = threadIdx.x % 32, g = lane / 4, j = lane % 4, hi = strip.hi, width = p.width;
    constexpr int step = TILE_SIDE * TILE_TEAM;
    for (int r = begin; r <= hi; r += TILES_AT_ONCE * step) {
        double x[TILES_AT_ONCE][4];
#pragma unroll
        for (int k = 0; k < TILES_AT_ONCE; ++k) strip.load(x[k], r + k * step + 2 * j);
#pragma unroll
        for (int k = 0; k < TILES_AT_ONCE; ++k) {
            int const row = r + k * step;
            if (row > hi) continue;
            tensor_add(x[k], f, width, [&](int q) { return 4 * q + j < width ? p.y(4 * q + j)[row + g] : 0.0; });
            if constexpr (left) {
                tensor_add(x[k], w, width, [&](int q) { return 4 * q + j < width ? p.v(4 * q + j)[row + g] : 0.0; });
                strip.store(x[k], row + 2 * j);
            } else {
                tensor_sums(s, x[k], p, g, row + 2 * j);
            }
        }
    }
}

/* A lane's sums to or from space[reflector][column]; add: the latter. */
template <bool add> static __device__ __forceinline__ void tensor_exchange(double (&s)[2][4], double *space)
{
    int const lane = threadIdx.x % 32, g = lane / 4, j = lane % 4;
#pragma unroll
    for (int e = 0; e < 8; ++e) {
        double *const at = space + (e / 4 * 8 + 2 * j + e % 2) * TILE + e % 4 / 2 * 8 + g;
        if constexpr (add)
            s[e / 4][e % 4] += *at;
        else
            *at = s[e / 4][e % 4];
    }
}

/* The sums of a team's warps, times T', to space[1][reflector][column]; space: [2][16][16]. */
static __device__ __forceinline__ void tensor_turn(const geev_panel<double> &p, int part, double (&s)[2][4],
                                                   double *space)
{
    constexpr int each = TILE * TILE;
    if (part >= 2) tensor_exchange<false>(s, space + (part - 2) * each);
    __syncthreads(); /* two warps' sums are there */
    if (part < 2) tensor_exchange<true>(s, space + part * each);
    if (part == 1) tensor_exchange<false>(s, space + each);
    __syncthreads(); /* another one's sums are there */
    if (part == 0) tensor_exchange<true>(s, space + each), tensor_exchange<false>(s, space);
    __syncthreads(); /* all sums are there */
    for (int e = (int)threadIdx.x % (32 * TILE_TEAM); e < each; e += 32 * TILE_TEAM) {
        int const q = e / TILE, column = e % TILE;
        double sum = 0;
        for (int k = 0; q < p.width && k <= q; ++k) sum = fma(p.t[k * p.t_ld + q], space[k * TILE + column], sum);
        space[each + e] = sum;
    }
    __syncthreads(); /* T' times the sums is there */
}

/* panel_update. */
static __device__ void tensor_update(const geev_member &member, const geev_panel<double> &p, double *a, int hi,
                                     int right, int first)
{
    int const lane = threadIdx.x % 32, g = lane / 4, j = lane % 4, warp = threadIdx.x / 32, team = warp / TILE_TEAM,
              part = warp % TILE_TEAM, begin = first + 1 + TILE_SIDE * part;
    double *const space = p.space + team * (2 * TILE * TILE);
    for (int from = first + p.width + TILE * member.rank; from <= right; from += TILE * TILE_TEAMS * member.count) {
        tensor_strip const strip = {p, a, from + TILE * member.count * team + g, hi, right};
        tensor_factor f, w = {};
        double s[2][4] = {};
#pragma unroll
        for (int e = 0; e < 8; ++e) {
            int const q = 4 * (e / 2) + j, c = strip.c + e % 2 * 8;
            f.x[e / 2][e % 2] = q < p.width && c <= hi ? -p.v(q)[c] : 0;
        }
        tensor_strip_rows<false>(strip, begin, f, w, s);
        tensor_turn(p, part, s, space);
#pragma unroll
        for (int e = 0; e < 8; ++e) w.x[e / 2][e % 2] = -space[TILE * TILE + (4 * (e / 2) + j) * TILE + e % 2 * 8 + g];
        tensor_strip_rows<true>(strip, begin, f, w, s);
        __syncthreads(); /* space is free */
    }
}

#endif
