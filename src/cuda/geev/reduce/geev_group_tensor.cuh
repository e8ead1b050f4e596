/* geev on CUDA, n > GEEV_MOST: what geev_group_update.cuh does, on the FP64 tensor cores.
 *
 * Tiles   16 columns (or, above the panel, rows) of the matrix and 8 of its rows (columns), as an accumulator holds them: lane
 *         4 g + j has two neighbours of column g and of column g + 8.  So they are also the first factor of a product, of a sum
 *         over these neighbours: no lane sends a number to another one. */
#ifndef EIG_GEEV_GROUP_TENSOR_CUH
#define EIG_GEEV_GROUP_TENSOR_CUH

#include "geev/reduce/geev_panel.cuh"
#include "primitives/tensor.cuh"

enum {
    TILE = 16,
    TILE_SIDE = 8,
    TILE_TEAM = 4, /* warps that share out the rows of 16 columns */
    TILE_TEAMS = GROUP_WARPS / TILE_TEAM,
    TILES_AT_ONCE = 2
};

/* Four lanes' numbers of 16 reflectors, two a piece: of reflectors 4 k + j of a place, or of the pairs 8 k + 2 j, 8 k + 2 j + 1. */
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

/* The 16 columns times I - V T V' from the right, as far as they are left of hi; and s: their products with V, of every fourth tile.
 * Then, with w, also from the left. */
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
