/* The characteristic polynomial of a diagonal block of an upper Hessenberg matrix H and its derivative, by Hyman's recurrence, at
 * several points at a time, by a warp.
 *
 * Formula    x_0 = 1 belongs to the last column; row i of (H - z I) x = 0 gives x of the column before from those behind it,
 *            and what remains in the first row is r(z), which is the polynomial but for a factor.  Rounding errors are as those of
 *            small relative changes of the entries of H (Wilkinson, The Algebraic Eigenvalue Problem, 1965, chapter 7).
 * Positions  p = 0, 1, ... count from the last column up; row p makes x_p from x_0, ..., x_{p-1}:
 *                x_p = z lift_p x_{p-1} + sum_{q<p} G_pq x_q,   y_p = the same of y, + lift_p x_{p-1},
 *            G_pq = -H_.. lift_p, lift_p = 1 / the row's subdiagonal entry (1 in the first row of H).
 * Tiles      16 rows p = 16 b + 1, ... at a time: products with all earlier columns on the tensor cores; then the rows one after
 *            the other, 8 and 8, a lane a point for x and another one for y.  G lies in tiles of 16 x 16, each as the lanes of
 *            tensor_16x8x16 want it; those on the diagonal row by row.
 * Bits       of a point depend on H and z alone. */
#ifndef EIG_GEEV_HYMAN_CUH
#define EIG_GEEV_HYMAN_CUH

#include "words/copy.cuh"
#include "words/number.cuh"
#include "words/ptx.cuh"
#include "words/tensor.cuh"

enum {
    HYMAN_ROWS = 16,
    HYMAN_TILE = HYMAN_ROWS * HYMAN_ROWS,
    HYMAN_STAGE = HYMAN_TILE + HYMAN_ROWS /* numbers of a tile of the diagonal, and lift */
};

using hyman_complex = number_of<double, true>;

/* G and lift of a matrix of order m, in global memory. */
struct hyman_matrix {
    double *tiles; /* [blocks (blocks + 1) / 2][HYMAN_TILE]: of block row b columns 0, ..., b */
    double *lift;  /* [16 blocks]; lift[p - 1] of row p */
    int m, blocks;
};

static __host__ __device__ __forceinline__ int hyman_blocks(int m)
{
    return (m + HYMAN_ROWS - 1) / HYMAN_ROWS;
}

static __device__ __forceinline__ double *hyman_tile(const hyman_matrix &g, int row, int column)
{
    return g.tiles + ((int64_t)row * (row + 1) / 2 + column) * HYMAN_TILE;
}

/* Where the lanes of tensor_16x8x16 find entry (r, c) of a tile below the diagonal. */
static __device__ __forceinline__ int hyman_place(int r, int c)
{
    return (c / 4 * 32 + 4 * (r % 8) + c % 4) * 2 + r / 8;
}

/* Tile (row, column) of H, whose entry (i, j) is h(i, j), with rows lo..hi; by a warp.  lift is there. */
template <typename get>
static __device__ __forceinline__ void hyman_fill(const hyman_matrix &g, get h, int hi, int row, int column)
{
    double *const to = hyman_tile(g, row, column);
    for (int e = threadIdx.x % 32; e < HYMAN_TILE; e += 32) {
        int const r = e / HYMAN_ROWS, c = e % HYMAN_ROWS, p = row * HYMAN_ROWS + 1 + r, q = column * HYMAN_ROWS + c;
        double const x = p <= g.m && q < p ? -h(hi - p + 1, hi - q) * g.lift[p - 1] : 0.0;
        to[row == column ? e : hyman_place(r, c)] = x;
    }
}

/* What a lane knows of its point: lanes point + T half, half 0: r, half 1: r'. */
struct hyman_value {
    hyman_complex r;
    double norm; /* sum of |x_p|^2; half 1: of |y_p|^2 */
};

/* T points z of a lane's place lane % T.  x: [16 blocks + 1][4 T] numbers of shared memory of this warp, aligned to 16 bytes. */
template <int T> struct hyman_points {
    static constexpr int PIECES = T / 2, ROW = 4 * T; /* columns: re of x, re of y, im of x, im of y of all points */
    double *x, *stage;
    int lane, point, half;

    __device__ __forceinline__ hyman_points(double *x_, double *stage_)
        : x(x_), stage(stage_), lane((int)threadIdx.x % 32), point(lane % T), half(lane / T % 2)
    {
    }
    /* Column c of row q; neighbouring rows begin in other banks. */
    __device__ __forceinline__ double &at(int q, int c) const
    {
        return x[q * ROW + (c ^ (T > 2 ? (q & 3) << 2 : (q & 2) << 1))];
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
    /* Rows from + 1 to from + 8 of x and y, whose sums over columns before `from` lie in their places; v: x or y of column `from`,
     * then of the last row.  stage: the tile of the diagonal and lift; first: the row's number in it.  Row `last` gives the value. */
    __device__ __forceinline__ void rows(const double *stage, int from, int first, int last, hyman_complex z,
                                         hyman_complex &v, hyman_value &value) const
    {
        int const re_at = point + T * half, im_at = re_at + 2 * T;
        double re[8], im[8];
#pragma unroll
        for (int t = 0; t < 8; ++t) re[t] = at(from + 1 + t, re_at), im[t] = at(from + 1 + t, im_at);
        __syncwarp(); /* the sums are read: their places are free */
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            double const lift = stage[HYMAN_TILE + first + u], own = half ? lift : 0.0;
            double const e = fma(z.re, lift, stage[(first + u) * HYMAN_ROWS + first + u]), f = z.im * lift;
            double const other_re = __shfl_sync(0xffffffffu, v.re, point),
                         other_im = __shfl_sync(0xffffffffu, v.im, point);
#pragma unroll
            for (int t = u + 1; t < 8; ++t) {
                double const g = stage[(first + t) * HYMAN_ROWS + first + u];
                re[t] = fma(g, v.re, re[t]), im[t] = fma(g, v.im, im[t]);
            }
            re[u] = fma(e, v.re, re[u]), im[u] = fma(e, v.im, im[u]);
            re[u] = fma(-f, v.im, re[u]), im[u] = fma(f, v.re, im[u]);
            v = {fma(own, other_re, re[u]), fma(own, other_im, im[u])};
            int const row = from + 1 + u;
            if (lane < 2 * T) at(row, re_at) = v.re, at(row, im_at) = v.im;
            if (row < last) value.norm = fma(v.re, v.re, fma(v.im, v.im, value.norm));
            if (row == last) value.r = v;
        }
    }
    /* Where x or y has grown large, all of the point's numbers are scaled. */
    __device__ __forceinline__ void rescale(int rows, hyman_complex &v, hyman_value &value) const
    {
        double const large = 0x1p100;
        double most = fmax(fabs(v.re), fabs(v.im));
        most = fmax(most, __shfl_xor_sync(0xffffffffu, most, T));
        bool const grown = most > large;
        if (!__any_sync(0xffffffffu, grown)) return;
        double const scale = grown ? ldexp(1.0, -ilogb(most)) : 1.0;
        int const re_at = point + T * half;
        for (int q = lane / (2 * T); q < rows; q += 32 / (2 * T)) at(q, re_at) *= scale, at(q, re_at + 2 * T) *= scale;
        v.re *= scale, v.im *= scale, value.norm *= scale * scale;
        __syncwarp();
    }
    /* Begins to bring the tile of the diagonal of block row b, and lift, to its place. */
    __device__ __forceinline__ void bring(const hyman_matrix &g, int b, double *to) const
    {
        const double *const diagonal = hyman_tile(g, b, b), *const lift = g.lift + b * HYMAN_ROWS;
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
    /* The block of order m whose last column is that of position 16 first. */
    __device__ __forceinline__ hyman_value evaluate(const hyman_matrix &g, int first, int m, hyman_complex z) const
    {
        hyman_value value = {{0, 0}, half ? 0.0 : 1.0};
        hyman_complex v = {half ? 0.0 : 1.0, 0.0};
        int const blocks = hyman_blocks(m), row = lane / 4, column = lane % 4;
        double a[8] = {};
        bring(g, first, stage);
        if (lane < 2 * T) at(0, point + T * half) = v.re, at(0, point + T * half + 2 * T) = v.im;
        __syncwarp(); /* x is there */
#pragma unroll 1
        for (int b = 0; b < blocks; ++b) {
            const double *const own = stage + b % 2 * HYMAN_STAGE;
            int const from = b * HYMAN_ROWS;
            bool const more = b + 1 < blocks;
            if (more) bring(g, first + b + 1, stage + (b + 1) % 2 * HYMAN_STAGE);
            double c[PIECES][4] = {};
            const double *tile = hyman_tile(g, first + b, first);
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
                load(a, hyman_tile(g, first + b + 1, first));
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

#endif
