/* The polynomial of geev_hyman.cuh for matrices of up to 8 TILES rows, by a warp that keeps all sums in registers: the same
 * formula and positions.
 *
 * Mapping  eight points, four lanes each.  A lane holds, of each 8 rows that are still to come, two rows' sums over the columns that
 *          are done, re and im: what tensor_16x8x8 adds to, with the points' re and im as its 16 rows.
 * Step     8 rows one after the other: x_p is made by the lane that has its sum and told to the other three; then products of
 *          these 8 columns with all rows to come.  Sums move down by 8 rows with them, so that every step has the same code.
 * Memory   G in shared memory, read by all warps of a block: columns of tiles of 8 x 8, each as the tensor cores want it; those on the
 *          diagonal column by column.
 * Bits     of a point depend on H and z alone. */
#ifndef EIG_GEEV_HYMAN_LANES_CUH
#define EIG_GEEV_HYMAN_LANES_CUH

#include "geev/aberth/geev_hyman.cuh"

/* G and lift of a matrix of order m, in shared memory.  Rows p > m hand on what row m has. */
struct hyman_columns {
    enum { ROWS = 8, TILE = ROWS * ROWS, AHEAD = 3 /* tiles that are read behind the last one, and not used */ };

    double *tiles; /* [blocks (blocks + 1) / 2 + AHEAD][TILE]: column by column, from the diagonal on */
    double *lift;  /* [8 blocks] */
    double *last;  /* [8 blocks]: G_pq of row p, q = p - 1 */
    int m, blocks;

    static __host__ __device__ __forceinline__ int blocks_of(int m)
    {
        return (m + ROWS - 1) / ROWS;
    }
    static __host__ __device__ __forceinline__ int64_t numbers(int m)
    {
        int64_t const blocks = blocks_of(m);
        return (blocks * (blocks + 1) / 2 + AHEAD) * TILE + 2 * ROWS * blocks;
    }
    /* base: aligned to 16 bytes. */
    static __device__ __forceinline__ hyman_columns place(double *base, int m)
    {
        int const blocks = blocks_of(m);
        double *const lift = base + (blocks * (blocks + 1) / 2 + AHEAD) * TILE;
        return {base, lift, lift + ROWS * blocks, m, blocks};
    }
    __device__ __forceinline__ int rows() const
    {
        return blocks * ROWS;
    }
    /* The tile on the diagonal of a column; those below follow it. */
    __device__ __forceinline__ double *column(int b) const
    {
        return tiles + (b * blocks - b * (b - 1) / 2) * TILE;
    }
    /* As hyman_matrix::fill. */
    template <typename get> __device__ __forceinline__ void fill(get h, int hi, int warp, int warps) const
    {
        int const lane = threadIdx.x % 32, all = blocks * (blocks + 1) / 2;
        for (int at = warp, b = 0, begin = 0; at < all; at += warps) {
            while (begin + blocks - b <= at) begin += blocks - b, ++b;
            int const t = b + at - begin;
            double *const to = tiles + at * TILE;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int const r = 4 * half + lane / 8, c = lane % 8, p = ROWS * t + 1 + r, q = ROWS * b + c;
                double const x = p <= m && q < p ? -h(hi - p + 1, hi - q) * lift[p - 1] : 0.0;
                to[t == b ? c * ROWS + r : 2 * (4 * r + c % 4) + c / 4] = x;
                if (p == q + 1) last[q] = p <= m ? x : 1.0;
            }
        }
        for (int e = threadIdx.x; warp == 0 && e < AHEAD * TILE; e += 32) tiles[all * TILE + e] = 0;
    }
};

template <int TILES> struct hyman_lanes {
    using matrix = hyman_columns;
    static constexpr int GROWTH = 4, POINTS = 8, PARTS = 4;
    const hyman_columns &g;
    int point, part;

    __device__ __forceinline__ hyman_lanes(const hyman_columns &g_, double *)
        : g(g_), point((int)threadIdx.x % 32 / PARTS), part((int)threadIdx.x % PARTS)
    {
    }
    static __host__ __device__ __forceinline__ int warp_bytes(int64_t)
    {
        return 0;
    }
    /* Lanes of a point are these powers of two apart. */
    static __device__ __forceinline__ int first_apart()
    {
        return 1;
    }
    static __device__ __forceinline__ int last_apart()
    {
        return PARTS / 2;
    }
    __device__ __forceinline__ double total(double sum) const
    {
        for (int d = 1; d < PARTS; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        return sum;
    }
    /* sums[t - 1] := sums[t] + products of the columns a with tile t, t = 1, ..., count - 1; `tile`: this lane's part of tile 0. */
    static __device__ __forceinline__ void add_columns(double (&sums)[TILES][4], const hyman_complex (&a)[2],
                                                       const double2 *tile, int count)
    {
        double2 now = tile[32], after = tile[64];
#pragma unroll
        for (int t = 1; t < TILES; t += 2) {
            if (t >= count) break;
            double2 const b[2] = {now, after};
            now = tile[32 * (t + 2)], after = tile[32 * (t + 3)];
#pragma unroll
            for (int s = 0; s < 2 && t + s < TILES; ++s) {
                double(&to)[4] = sums[t + s - 1];
#pragma unroll
                for (int e = 0; e < 4; ++e) to[e] = sums[t + s][e];
                tensor_16x8x8(to, to + 2, a[0].re, a[0].im, a[1].re, a[1].im, b[s].x, b[s].y);
            }
        }
    }
    /* As hyman_points::evaluate. */
    __device__ __forceinline__ hyman_value evaluate(int start, int m, hyman_complex z) const
    {
        enum { ROWS = hyman_columns::ROWS };
        int const first = start / ROWS, blocks = hyman_columns::blocks_of(m), lane = threadIdx.x % 32;
        double sums[TILES][4] = {}, norm = 0;
        hyman_complex v = {1, 0};
        int exponent = 0;
#pragma unroll 1
        for (int b = 0; b < blocks; ++b) {
            const double *const diagonal = g.column(first + b);
            double2 const lift = ((const double2 *)(g.lift + ROWS * (first + b)))[part],
                          last = ((const double2 *)(g.last + ROWS * (first + b)))[part];
            double const e[2] = {fma(z.re, lift.x, last.x), fma(z.re, lift.y, last.y)};
            double const f[2] = {z.im * lift.x, z.im * lift.y};
            double d[4] = {sums[0][0], sums[0][1], sums[0][2], sums[0][3]};
            hyman_complex a[2];
#pragma unroll
            for (int u = 0; u < ROWS; ++u) {
                if (u % 4 == 0 || part == u % 4) a[u / 4] = v; /* column 8 b + u is that of lane u % 4 */
                double re = fma(e[u % 2], v.re, d[u % 2]), im = fma(e[u % 2], v.im, d[2 + u % 2]);
                re = fma(-f[u % 2], v.im, re), im = fma(f[u % 2], v.re, im);
                if (u + 1 < ROWS) {
                    double2 const below = ((const double2 *)(diagonal + ROWS * u))[part];
                    d[0] = fma(below.x, v.re, d[0]), d[1] = fma(below.y, v.re, d[1]);
                    d[2] = fma(below.x, v.im, d[2]), d[3] = fma(below.y, v.im, d[3]);
                }
                v = {__shfl_sync(0xffffffffu, re, u / 2, PARTS), __shfl_sync(0xffffffffu, im, u / 2, PARTS)};
            }
            int const q = ROWS * b + part;
            if (q < m) norm = fma(a[0].re, a[0].re, fma(a[0].im, a[0].im, norm));
            if (q + 4 < m) norm = fma(a[1].re, a[1].re, fma(a[1].im, a[1].im, norm));
            add_columns(sums, a, (const double2 *)diagonal + lane, blocks - b);
            double const most = fmax(fabs(v.re), fabs(v.im));
            bool const grown = most > 0x1p100;
            if (__any_sync(0xffffffffu, grown)) {
                int const shift = grown ? ilogb(most) : 0;
                double const scale = ldexp(1.0, -shift);
#pragma unroll
                for (int t = 0; t < TILES; ++t)
#pragma unroll
                    for (int s = 0; s < 4; ++s) sums[t][s] *= scale;
                v.re *= scale, v.im *= scale, norm *= scale * scale, exponent += shift;
            }
        }
        return {v, total(norm), exponent};
    }
};

#endif
