/* The characteristic polynomial of a diagonal block of an upper Hessenberg matrix H, by Hyman's recurrence, at several
 * points at a time, by a warp, whose shared memory holds x.
 *
 * Formula    x_0 = 1 belongs to the last column; row i of (H - z I) x = 0 gives x of the column before from those
 *            behind it, and what remains in the first row is r(z), which is the polynomial but for a factor.  Rounding
 *            errors are as those of small relative changes of the entries of H (Wilkinson, The Algebraic Eigenvalue
 *            Problem, 1965, chapter 7).
 * Positions  p = 0, 1, ... count from the last column up; row p makes x_p from x_0, ..., x_{p-1}:
 *                x_p = z lift_p x_{p-1} + sum_{q<p} G_pq x_q,
 *            G_pq = -H_.. lift_p, lift_p = 1 / the row's subdiagonal entry (1 in the first row of H).
 * Tiles      16 rows p = 16 b + 1, ... at a time: products with all earlier columns on the tensor cores; then the rows
 *            one after the other, 8 and 8, a lane a point.  G lies in tiles of 16 x 16, each as the lanes of
 *            tensor_16x8x16 want it; those on the diagonal row by row.
 * Bits       of a point depend on H and z alone. */
#ifndef EIG_GEEV_HYMAN_CUH
#define EIG_GEEV_HYMAN_CUH

#include "primitives/copy.cuh"
#include "primitives/number.cuh"
#include "primitives/ptx.cuh"
#include "primitives/tensor.cuh"

enum {
    HYMAN_ROWS = 16,
    HYMAN_TILE = HYMAN_ROWS * HYMAN_ROWS,
    HYMAN_STAGE = HYMAN_TILE + HYMAN_ROWS /* numbers of a tile of the diagonal, and lift */
};

using hyman_complex = number_of<double, true>;

static __host__ __device__ __forceinline__ int hyman_blocks(int m)
{
    return (m + HYMAN_ROWS - 1) / HYMAN_ROWS;
}

/* Where the lanes of tensor_16x8x16 find entry (r, c) of a tile below the diagonal. */
static __device__ __forceinline__ int hyman_place(int r, int c)
{
    return (c / 4 * 32 + 4 * (r % 8) + c % 4) * 2 + r / 8;
}

/* G and lift of a matrix of order m, in global memory. */
struct hyman_matrix {
    double *tiles; /* [blocks (blocks + 1) / 2][HYMAN_TILE]: of block row b columns 0, ..., b */
    double *lift;  /* [16 blocks]; lift[p - 1] of row p */
    int m, blocks;

    /* base: aligned to 16 bytes. */
    static __device__ __forceinline__ hyman_matrix place(double *base, int m)
    {
        int const blocks = hyman_blocks(m);
        return {base, base + (int64_t)blocks * (blocks + 1) / 2 * HYMAN_TILE, m, blocks};
    }
    __device__ __forceinline__ int rows() const
    {
        return blocks * HYMAN_ROWS;
    }
    __device__ __forceinline__ double *tile(int row, int column) const
    {
        return tiles + ((int64_t)row * (row + 1) / 2 + column) * HYMAN_TILE;
    }
    /* All of G, of H with rows lo..hi, whose entry (i, j) is h(i, j); by `warps` warps, this one is `warp`.  lift is
     * there. */
    template <typename get> __device__ __forceinline__ void fill(get h, int hi, int warp, int warps) const
    {
        int const all = blocks * (blocks + 1) / 2;
        for (int t = warp, row = 0, begin = 0; t < all; t += warps) {
            while (begin + row + 1 <= t) begin += row + 1, ++row;
            int const column = t - begin;
            double *const to = tile(row, column);
            for (int e = threadIdx.x % 32; e < HYMAN_TILE; e += 32) {
                int const r = e / HYMAN_ROWS, c = e % HYMAN_ROWS;
                int const p = row * HYMAN_ROWS + 1 + r, q = column * HYMAN_ROWS + c;
                double const x = p <= m && q < p ? -h(hi - p + 1, hi - q) * lift[p - 1] : 0.0;
                to[row == column ? e : hyman_place(r, c)] = x;
            }
        }
    }
};

/* What the lanes of a point know of it. */
struct hyman_value {
    hyman_complex r; /* of the polynomial; times 2^exponent */
    double norm;     /* sum of |x_p|^2; times 4^exponent */
    int exponent;
};

/* Points z, a lane's own is lane % P.  x: [16 blocks + 1][2 P] numbers of shared memory of this warp, aligned to 16
 * bytes. */
template <int P> struct hyman_points {
    using matrix = hyman_matrix;
    static constexpr int GROWTH = 2, POINTS = P, PARTS = 32 / P, PIECES = P / 4,
                         ROW = 2 * P; /* columns: re of all points, im of all */
    const hyman_matrix &g;
    double *x, *stage;
    int lane, point, part;

    __device__ __forceinline__ hyman_points(const hyman_matrix &g_, double *x_)
        : g(g_), x(x_), stage(x_ + (g_.blocks * HYMAN_ROWS + 1) * ROW), lane((int)threadIdx.x % 32), point(lane % P),
          part(lane / P)
    {
    }
    static __host__ __device__ __forceinline__ int warp_bytes(int64_t n)
    {
        int64_t const blocks = (n + HYMAN_ROWS - 1) / HYMAN_ROWS;
        return (int)((blocks * HYMAN_ROWS + 1) * ROW + 2 * HYMAN_STAGE) * (int)sizeof(double);
    }
    /* Lanes of a point are these powers of two apart. */
    static __device__ __forceinline__ int first_apart()
    {
        return P;
    }
    static __device__ __forceinline__ int last_apart()
    {
        return 16;
    }
    /* The sum over the lanes of a point. */
    __device__ __forceinline__ double total(double sum) const
    {
        for (int d = P; d < 32; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        return sum;
    }
    /* Column c of row q; neighbouring rows begin in other banks. */
    __device__ __forceinline__ double &at(int q, int c) const
    {
        return x[q * ROW + (c ^ (P > 4 ? (q & 3) << 2 : (q & 2) << 1))];
    }
    /* Sums of the columns of one tile for all 16 rows, added to c. */
    __device__ __forceinline__ void add_tile(double (&c)[PIECES][4], const double (&a)[8], int from) const
    {
#pragma unroll
        for (int t = 0; t < PIECES; ++t) {
            double b[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) b[k] = at(from + 4 * k + lane % 4, 8 * t + lane / 4);
#if __CUDA_ARCH__ >= 900
            tensor_16x8x16(c[t], c[t] + 2, a, b);
#else
#pragma unroll
            for (int k = 0; k < 4; ++k) tensor_16x8x4(c[t], c[t] + 2, a[2 * k], a[2 * k + 1], b[k]);
#endif
        }
    }
    /* Rows from + 1 to from + 8 of x, whose sums over columns before `from` lie in their places; v: x of column `from`,
     * then of the last row.  own: the tile of the diagonal and lift; first: the row's number in it.  Row `last` gives
     * the value. */
    __device__ __forceinline__ void rows(const double *own, int from, int first, int last, hyman_complex z,
                                         hyman_complex &v, hyman_value &value) const
    {
        double re[8], im[8];
#pragma unroll
        for (int t = 0; t < 8; ++t) re[t] = at(from + 1 + t, point), im[t] = at(from + 1 + t, point + P);
        __syncwarp(); /* the sums are read: their places are free */
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            double const lift = own[HYMAN_TILE + first + u];
            double const e = fma(z.re, lift, own[(first + u) * HYMAN_ROWS + first + u]), f = z.im * lift;
#pragma unroll
            for (int t = u + 1; t < 8; ++t) {
                double const g = own[(first + t) * HYMAN_ROWS + first + u];
                re[t] = fma(g, v.re, re[t]), im[t] = fma(g, v.im, im[t]);
            }
            re[u] = fma(e, v.re, re[u]), im[u] = fma(e, v.im, im[u]);
            v = {fma(-f, v.im, re[u]), fma(f, v.re, im[u])};
            int const row = from + 1 + u;
            if (lane < P) at(row, point) = v.re, at(row, point + P) = v.im;
            if (row < last) value.norm = fma(v.re, v.re, fma(v.im, v.im, value.norm));
            if (row == last) value.r = v;
        }
    }
    /* Where x has grown large, all of the point's numbers are scaled. */
    __device__ __forceinline__ void rescale(int rows, hyman_complex &v, hyman_value &value) const
    {
        double const large = 0x1p100, most = fmax(fabs(v.re), fabs(v.im));
        bool const grown = most > large;
        if (!__any_sync(0xffffffffu, grown)) return;
        int const shift = grown ? ilogb(most) : 0;
        double const scale = ldexp(1.0, -shift);
        for (int q = part; q < rows; q += PARTS) at(q, point) *= scale, at(q, point + P) *= scale;
        v.re *= scale, v.im *= scale, value.norm *= scale * scale, value.exponent += shift;
        __syncwarp();
    }
    /* Begins to bring the tile of the diagonal of block row b, and lift, to its place. */
    __device__ __forceinline__ void bring(int b, double *to) const
    {
        const double *const diagonal = g.tile(b, b), *const lift = g.lift + b * HYMAN_ROWS;
#pragma unroll
        for (int k = 0; k < 4; ++k) copy_16(to + 2 * (32 * k + lane), diagonal + 2 * (32 * k + lane));
        if (lane < HYMAN_ROWS / 2) copy_16(to + HYMAN_TILE + 2 * lane, lift + 2 * lane);
        copy_end();
    }
    __device__ __forceinline__ void load(double (&a)[8], const double *tile) const
    {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            double2 const pair = ((const double2 *)tile)[32 * e + lane];
            a[2 * e] = pair.x, a[2 * e + 1] = pair.y;
        }
    }
    /* The block of order m whose last column is that of position `start`, a multiple of 16. */
    __device__ __forceinline__ hyman_value evaluate(int start, int m, hyman_complex z) const
    {
        hyman_value value = {{0, 0}, 1, 0};
        hyman_complex v = {1, 0};
        int const first = start / HYMAN_ROWS, blocks = hyman_blocks(m), row = lane / 4, column = lane % 4;
        double a[8] = {};
        bring(first, stage);
        if (lane < P) at(0, point) = v.re, at(0, point + P) = v.im;
        __syncwarp(); /* x is there */
#pragma unroll 1
        for (int b = 0; b < blocks; ++b) {
            const double *const own = stage + b % 2 * HYMAN_STAGE;
            int const from = b * HYMAN_ROWS;
            bool const more = b + 1 < blocks;
            if (more) bring(first + b + 1, stage + (b + 1) % 2 * HYMAN_STAGE);
            double c[PIECES][4] = {};
            const double *tile = g.tile(first + b, first);
#pragma unroll 1
            for (int k = 0; k < b; ++k) {
                double next[8];
                load(next, tile += HYMAN_TILE); /* the last one is not used */
                add_tile(c, a, k * HYMAN_ROWS);
#pragma unroll
                for (int e = 0; e < 8; ++e) a[e] = next[e];
            }
#pragma unroll
            for (int t = 0; t < PIECES; ++t)
#pragma unroll
                for (int s = 0; s < 2; ++s) at(from + 1 + row, 8 * t + 2 * column + s) = c[t][s];
            if (more) {
                load(a, g.tile(first + b + 1, first));
                copy_wait<1>();
            } else {
                copy_wait<0>();
            }
            __syncwarp(); /* sums and stage are there */
            rows(own, from, 0, m, z, v, value);
            __syncwarp(); /* x is there */
            double const *const below = own + (8 + row) * HYMAN_ROWS + column;
#pragma unroll
            for (int t = 0; t < PIECES; ++t) {
                tensor_16x8x8(c[t], c[t] + 2, 0.0, below[0], 0.0, below[4], at(from + column, 8 * t + row),
                              at(from + 4 + column, 8 * t + row));
#pragma unroll
                for (int s = 0; s < 2; ++s) at(from + 9 + row, 8 * t + 2 * column + s) = c[t][2 + s];
            }
            __syncwarp(); /* sums are there */
            rows(own, from + 8, 8, m, z, v, value);
            __syncwarp(); /* x is there */
            if (more) rescale(from + HYMAN_ROWS + 1, v, value);
        }
        return value;
    }
};

/* The polynomial for matrices of up to 8 TILES rows, by a warp that keeps all sums in registers: the same
 * formula and positions.
 *
 * Mapping  eight points, four lanes each.  A lane holds, of each 8 rows that are still to come, two rows' sums over the
 *          columns that are done, re and im: what tensor_16x8x8 adds to, with the points' re and im as its 16 rows.
 * Step     8 rows one after the other: x_p is made by the lane that has its sum and told to the other three; then
 *          products of these 8 columns with all rows to come.  Sums move down by 8 rows with them, so that every step
 *          has the same code.
 * Memory   G in shared memory, read by all warps of a block: columns of tiles of 8 x 8, each as the tensor cores want
 *          it; those on the diagonal column by column.
 * Bits     of a point depend on H and z alone. */

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
    /* sums[t - 1] := sums[t] + products of the columns a with tile t, t = 1, ..., count - 1; `tile`: this lane's part
     * of tile 0. */
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
