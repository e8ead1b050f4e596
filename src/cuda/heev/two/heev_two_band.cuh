/* heev on CUDA, two stages, the first: A = Q B Q^H, B a band.
 *
 * Formula  TWO_BAND columns at a time: what lies below the band is V's triangle after a QR factorisation, Q = I - V T
 *          V^H, and what is right of them becomes
 *
 *              A - V W^H - W V^H,   W = X - V (Z^H X) / 2,   Z = V T,   X = A Z
 *
 *          (C. Bischof, B. Lang and X. Sun, ACM Trans. Math. Softw. 26 (2000)).  T is never made: its inverse is 1 /
 *          tau on, and V^H V above the diagonal, and Z follows by substitution.
 * Kernels  factor: V, Z, and R to the band.  product: parts of X.  combine: X, and parts of Z^H X.  form: their sum.
 *          finish: W.  update: the triangle.
 * Factor   a block has some rows of the panel in registers, a lane one column.  With x a column below the band, x^H C
 *          and the row of x's first number give all of u^H C: one exchange of all blocks a column.  A slot of it holds
 *          a mark until its number comes; product puts the marks back.
 * Product  tiles of TWO_TILE rows by TWO_BAND; A's elements right of the diagonal are read from their mirror images.
 * Cost     4/3 n^3 flops (complex: four times as many), half in product, half in update, on tensor cores for doubles;
 *          from and to memory 2/3 n^3 / TWO_BAND numbers. */
#ifndef EIG_HEEV_TWO_BAND_CUH
#define EIG_HEEV_TWO_BAND_CUH

#include "heev/two/heev_two.cuh"

enum {
    FACTOR_THREADS = 512,
    FACTOR_WARPS = FACTOR_THREADS / 32,
    FACTOR_BLOCKS = 64, /* at most, where a thread has room for more rows */
    PRODUCT_THREADS = 128,
    PRODUCT_DEPTH = 16, /* columns of A in a stage */
    SLICE = TWO_BAND,   /* rows that a block of combine and finish has */
    SLICE_THREADS = 256,
    TWO_UPDATE_THREADS = 256
};
static_assert(TWO_BAND == 32, "a lane has a column");

/* ---------------------------------------------------------------------- factor */

template <typename number, int rows>
static __global__ void __launch_bounds__(FACTOR_THREADS, 1) heev_two_factor_kernel(const __grid_constant__ two_job job)
{
    using real = typename number::real;
    __shared__ number space[FACTOR_WARPS][32], gathered[FACTOR_WARPS][32], gram[TWO_BAND][TWO_BAND + 1];
    __shared__ real taus[TWO_BAND];
    int const lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, first = job.k0 + TWO_BAND;
    int const blocks = (int)gridDim.x, block = (int)blockIdx.x, row0 = (block * FACTOR_WARPS + warp) * rows;
    number *const a = (number *)job.a + (first + row0 + (job.k0 + lane) * job.pitch);
    number *const band = (number *)job.band + (int64_t)(job.k0 + lane) * TWO_COLUMN; /* of this lane's column */
    number c[rows];
#pragma unroll
    for (int t = 0; t < rows; ++t) c[t] = first + row0 + t < job.pitch ? a[t] : zero_of<number>();
    for (int j = 0; j < TWO_BAND; ++j) {
        number *const dots = (number *)job.dots + j * blocks * TWO_BAND, *const top = (number *)job.tops + j * TWO_BAND;
        number dot = zero_of<number>();
#pragma unroll
        for (int t = 0; t < rows; ++t) {
            number x = number_of_lane(c[t], j);
            if (row0 + t < j) x = zero_of<number>();
            if (row0 + t == j) top[lane] = c[t];
            dot = conj_product_add(x, c[t], dot);
        }
        space[warp][lane] = dot;
        __syncthreads(); /* the warps' sums are there */
        if (warp == 0) {
            for (int w = 1; w < FACTOR_WARPS; ++w) dot = sum(dot, space[w][lane]);
            dots[block * TWO_BAND + lane] = dot;
        }
        dot = zero_of<number>();
        for (int b = warp; b < blocks; b += FACTOR_WARPS) dot = sum(dot, awaited(dots + b * TWO_BAND + lane));
        gathered[warp][lane] = dot;
        number const own_top = awaited(top + lane);
        __syncwarp();
        __syncthreads(); /* sums of blocks' sums are there */
        dot = gathered[0][lane];
#pragma unroll
        for (int w = 1; w < FACTOR_WARPS; ++w) dot = sum(dot, gathered[w][lane]);
        hermitian_reflector<number> const h(number_of_lane(own_top, j), number_of_lane(dot, j).re);
        dot = conj_product_add(h.direction, own_top, scaled(h.inverse, dot)); /* u^H c */
        if (warp == 0) gram[lane][j] = conj(dot);
        if (warp == 0 && lane == j) {
            taus[j] = h.tau;
            if (block == 0 && first + j < job.n) band[TWO_BAND] = h.beta;
        }
        number const by = lane > j ? scaled(-h.tau, dot) : zero_of<number>();
#pragma unroll
        for (int t = 0; t < rows; ++t) {
            number u = scaled(h.inverse, number_of_lane(c[t], j));
            if (row0 + t == j) u = sum(u, h.direction);
            if (row0 + t < j) u = zero_of<number>();
            c[t] = lane == j && row0 + t >= j ? u : product_add(u, by, c[t]);
        }
    }
    /* what lies above the diagonal is R */
#pragma unroll
    for (int t = 0; t < rows; ++t) {
        int const row = row0 + t;
        if (row >= lane) continue;
        if (first + row < job.n) band[TWO_BAND + row - lane] = c[t];
        c[t] = zero_of<number>();
    }
    if (block == 0)
        for (int i = lane + warp; i < TWO_BAND; i += FACTOR_WARPS)
            if (job.k0 + i < job.n) band[i - lane] = *(a - first - row0 + job.k0 + i);
    __syncthreads(); /* gram and taus are there */
    number *const v = (number *)job.v, *const z = (number *)job.z;
#pragma unroll
    for (int t = 0; t < rows; ++t)
        if (first + row0 + t < job.pitch) v[(int64_t)(first + row0 + t) * TWO_BAND + lane] = c[t];
    if (job.tau) {
#pragma unroll
        for (int t = 0; t < rows; ++t)
            if (first + row0 + t < job.pitch) a[t] = c[t];
        if (block == 0 && warp == 0 && job.k0 + lane < job.n)
            set(((number *)job.tau)[job.k0 + lane], taus[lane], (real)0);
    }
    for (int l = 0; l < TWO_BAND; ++l) {
        number const minus = lane > l ? negative(gram[l][lane]) : zero_of<number>();
#pragma unroll
        for (int t = 0; t < rows; ++t) {
            number const own = scaled(taus[l], number_of_lane(c[t], l));
            c[t] = lane == l ? own : product_add(own, minus, c[t]);
        }
    }
#pragma unroll
    for (int t = 0; t < rows; ++t)
        if (first + row0 + t < job.pitch) z[(int64_t)(first + row0 + t) * TWO_BAND + lane] = c[t];
}

/* --------------------------------------------------------------------- product */

/* What a stage holds: a tile of A, by columns (the lower triangle) or by rows (mirror images), and rows of Z. */
template <typename number> struct product_shape {
    static constexpr bool wide = sizeof(number) == 16;
    static constexpr int stages = wide ? 2 : 4, per = 16 / (int)sizeof(number); /* numbers of a copy */
    static constexpr int by_columns = TWO_TILE + (wide ? 2 : 4), by_rows = PRODUCT_DEPTH + 4;
    static constexpr int of_z = TWO_BAND + (wide ? 2 : 4);
    static constexpr int area = TWO_TILE * by_rows, stage = area + PRODUCT_DEPTH * of_z;
    static constexpr size_t bytes = (size_t)stages * stage * sizeof(number);
    static_assert(PRODUCT_DEPTH * by_columns <= area, "both layouts have room");
};

template <typename number> struct product_part {
    using shape = product_shape<number>;
    enum place { LOWER, MIRRORED, CROSSING };
    const number *a, *z;
    int64_t pitch;
    int i0, rank, lane, at; /* at: the warp's first row */
    number *memory;

    __device__ __forceinline__ place place_of(int k) const
    {
        return k + PRODUCT_DEPTH <= i0 ? LOWER : k >= i0 + TWO_TILE ? MIRRORED : CROSSING;
    }

    /* Sends columns k, ... of A, and these rows of Z. */
    __device__ __forceinline__ void send(int k, int slot) const
    {
        number *const to = memory + slot * shape::stage, *const to_z = to + shape::area;
        constexpr int per = shape::per, down = TWO_TILE / per, across = PRODUCT_DEPTH / per, of_z = TWO_BAND / per;
        place const p = place_of(k);
        if (p == LOWER) {
#pragma unroll
            for (int f = rank; f < PRODUCT_DEPTH * down; f += PRODUCT_THREADS)
                copy_16(to + (f / down * shape::by_columns + f % down * per),
                        a + (i0 + f % down * per + (int64_t)(k + f / down) * pitch));
        } else if (p == MIRRORED) {
#pragma unroll
            for (int f = rank; f < TWO_TILE * across; f += PRODUCT_THREADS)
                copy_16(to + (f / across * shape::by_rows + f % across * per),
                        a + (k + f % across * per + (int64_t)(i0 + f / across) * pitch));
        } else {
            for (int f = rank; f < PRODUCT_DEPTH * TWO_TILE; f += PRODUCT_THREADS) {
                int const i = i0 + f % TWO_TILE, own = k + f / TWO_TILE, low = max(i, own), high = min(i, own);
                copy_number(to + (f / TWO_TILE * shape::by_columns + f % TWO_TILE), a + (low + (int64_t)high * pitch));
            }
        }
        for (int f = rank; f < PRODUCT_DEPTH * of_z; f += PRODUCT_THREADS)
            copy_16(to_z + (f / of_z * shape::of_z + f % of_z * per),
                    z + ((int64_t)(k + f / of_z) * TWO_BAND + f % of_z * per));
    }

    template <typename tile> __device__ __forceinline__ void multiply(tile &x, int k, int slot) const
    {
        const number *const from = memory + slot * shape::stage, *const from_z = from + shape::area;
        auto const right = [&](int t, int j) { return from_z[t * shape::of_z + j]; };
        place const p = place_of(k);
        if (p == LOWER) {
            x.template add_product<PRODUCT_DEPTH>([&](int i, int t) { return from[t * shape::by_columns + at + i]; },
                                                  right);
        } else if (p == MIRRORED) {
            x.template add_product<PRODUCT_DEPTH>(
                [&](int i, int t) { return conj(from[(at + i) * shape::by_rows + t]); }, right);
        } else {
            x.template add_product<PRODUCT_DEPTH>(
                [&](int i, int t) {
                    number const e = from[t * shape::by_columns + at + i];
                    return i0 + at + i < k + t ? conj(e) : e;
                },
                right);
        }
    }
};

template <typename number>
static __global__ void __launch_bounds__(PRODUCT_THREADS, 2)
    heev_two_product_kernel(const __grid_constant__ two_job job)
{
    extern __shared__ double two_memory[];
    using shape = product_shape<number>;
    int const rank = (int)threadIdx.x, first = job.k0 + TWO_BAND, pitch = (int)job.pitch;
    int const top = first / TWO_TILE, tiles = pitch / TWO_TILE - top, split = (int)blockIdx.x / tiles;
    for (int64_t f = blockIdx.x * PRODUCT_THREADS + rank; f < job.marks; f += gridDim.x * PRODUCT_THREADS)
        ((uint4 *)job.dots)[f] = make_uint4(~0u, ~0u, ~0u, ~0u);
    int const all = (pitch - first) / PRODUCT_DEPTH, each = (all + job.splits - 1) / job.splits;
    int const begin = min(all, split * each), count = min(all, begin + each) - begin;
    product_part<number> const part = {(const number *)job.a,
                                       (const number *)job.z,
                                       job.pitch,
                                       (top + (int)blockIdx.x % tiles) * TWO_TILE,
                                       rank,
                                       rank % 32,
                                       rank / 32 * 32,
                                       (number *)two_memory};
    int const k0 = first + begin * PRODUCT_DEPTH;
    heev_tile<number, 4, 4> x(rank % 32);
    x.clear();
    for (int c = 0; c < shape::stages - 1; ++c) {
        if (c < count) part.send(k0 + c * PRODUCT_DEPTH, c);
        copy_end();
    }
    for (int c = 0; c < count; ++c) {
        copy_wait<shape::stages - 2>();
        __syncthreads(); /* stage c is there, and the one before it is free */
        int const next = c + shape::stages - 1;
        if (next < count) part.send(k0 + next * PRODUCT_DEPTH, next % shape::stages);
        copy_end();
        part.multiply(x, k0 + c * PRODUCT_DEPTH, c % shape::stages);
    }
    int64_t const row = ((int64_t)split * tiles - top) * TWO_TILE + part.i0 + part.at;
    number *const to = (number *)job.parts + row * TWO_BAND;
#pragma unroll
    for (int e = 0; e < x.size; ++e) to[x.row(e) * TWO_BAND + x.column(e)] = x.get(e);
}

/* ------------------------------------------------------- combine, form, finish */

/* SLICE rows of X, and their part of Z^H X. */
template <typename number>
static __global__ void __launch_bounds__(SLICE_THREADS) heev_two_combine_kernel(const __grid_constant__ two_job job)
{
    __shared__ number x[SLICE][TWO_BAND], z[SLICE][TWO_BAND];
    int const rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, first = job.k0 + TWO_BAND;
    int64_t const at = (int64_t)(first + blockIdx.x * SLICE) * TWO_BAND;
    int64_t const begin = (int64_t)(first / TWO_TILE * TWO_TILE) * TWO_BAND, apart = job.pitch * TWO_BAND - begin;
    for (int r = warp; r < SLICE; r += SLICE_THREADS / 32) {
        int64_t const own = at + r * TWO_BAND + lane;
        const number *const from = (const number *)job.parts + (own - begin);
        number y = from[0];
#pragma unroll 4
        for (int s = 1; s < job.splits; ++s) y = sum(y, from[s * apart]);
        x[r][lane] = ((number *)job.x)[own] = y;
        z[r][lane] = ((const number *)job.z)[own];
    }
    __syncthreads(); /* the rows are there */
    number *const to = (number *)job.forms + (int64_t)blockIdx.x * TWO_BAND * TWO_BAND;
    for (int i = warp; i < TWO_BAND; i += SLICE_THREADS / 32) {
        number y = zero_of<number>();
#pragma unroll 8
        for (int r = 0; r < SLICE; ++r) y = conj_product_add(z[r][i], x[r][lane], y);
        to[i * TWO_BAND + lane] = y;
    }
}

/* Row blockIdx.x of Z^H X from its parts. */
template <typename number>
static __global__ void __launch_bounds__(SLICE_THREADS)
    heev_two_form_kernel(const __grid_constant__ two_job job, int slices)
{
    enum { WARPS = SLICE_THREADS / 32 };
    __shared__ number space[WARPS][32];
    int const lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const number *const from = (const number *)job.forms + blockIdx.x * TWO_BAND + lane;
    number y = zero_of<number>();
#pragma unroll 8
    for (int s = warp; s < slices; s += WARPS) y = sum(y, from[(int64_t)s * TWO_BAND * TWO_BAND]);
    space[warp][lane] = y;
    __syncthreads(); /* the warps' sums are there */
    if (warp > 0) return;
    for (int w = 1; w < WARPS; ++w) y = sum(y, space[w][lane]);
    ((number *)job.form)[blockIdx.x * TWO_BAND + lane] = y;
}

/* SLICE rows of W. */
template <typename number>
static __global__ void __launch_bounds__(SLICE_THREADS) heev_two_finish_kernel(const __grid_constant__ two_job job)
{
    using real = typename number::real;
    __shared__ number form[TWO_BAND][TWO_BAND], v[SLICE][TWO_BAND];
    int const rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32;
    int64_t const at = (int64_t)(job.k0 + TWO_BAND + blockIdx.x * SLICE) * TWO_BAND;
    for (int r = warp; r < TWO_BAND; r += SLICE_THREADS / 32) {
        form[r][lane] = ((const number *)job.form)[r * TWO_BAND + lane];
        v[r][lane] = scaled((real)-0.5, ((const number *)job.v)[at + r * TWO_BAND + lane]);
    }
    __syncthreads(); /* both are there */
    for (int r = warp; r < SLICE; r += SLICE_THREADS / 32) {
        number y = ((const number *)job.x)[at + r * TWO_BAND + lane];
#pragma unroll 8
        for (int i = 0; i < TWO_BAND; ++i) y = product_add(v[r][i], form[i][lane], y);
        ((number *)job.w)[at + r * TWO_BAND + lane] = y;
    }
}

/* ---------------------------------------------------------------------- update */

/* Rows of V and W, side by side, of a tile's rows, and of W and V of its columns. */
template <typename number> struct two_update_shape {
    static constexpr int pitch = 2 * TWO_BAND + 4, per = 16 / (int)sizeof(number);
    static constexpr size_t bytes = (size_t)(TWO_TILE + TWO_TOP) * pitch * sizeof(number);
};

/* Tiles of TWO_TILE rows ahead of row I of them, where columns begin with tile J0 of TWO_TOP. */
static __host__ __device__ __forceinline__ int64_t two_tiles(int64_t I, int64_t I0, int64_t J0)
{
    return (I - I0) * (I + I0 + 1 - J0);
}

/* A := A - V W^H - W V^H, a tile of the lower triangle a block.  What lies above the diagonal is undefined: it is not
 * read. */
template <typename number>
static __global__ void __launch_bounds__(TWO_UPDATE_THREADS, sizeof(number) == 16 ? 1 : 2)
    heev_two_update_kernel(const __grid_constant__ two_job job)
{
    extern __shared__ double two_memory[];
    using shape = two_update_shape<number>;
    int const rank = (int)threadIdx.x, warp = rank / 32, first = job.k0 + TWO_BAND;
    int const I0 = first / TWO_TILE, J0 = first / TWO_TOP, own = (int)blockIdx.x;
    int I = I0 + (int)(sqrtf((float)own) * 0.99f);
    while (I > I0 && two_tiles(I, I0, J0) > own) --I;
    while (two_tiles(I + 1, I0, J0) <= own) ++I;
    int const i0 = I * TWO_TILE, j0 = (J0 + own - (int)two_tiles(I, I0, J0)) * TWO_TOP;
    number *const low = (number *)two_memory, *const top = low + TWO_TILE * shape::pitch;
    constexpr int per = shape::per, row = TWO_BAND / per;
    const number *const v = (const number *)job.v, *const w = (const number *)job.w;
    for (int f = rank; f < TWO_TILE * row; f += TWO_UPDATE_THREADS) {
        int const r = f / row, t = f % row * per;
        copy_16(low + r * shape::pitch + t, v + ((int64_t)(i0 + r) * TWO_BAND + t));
        copy_16(low + r * shape::pitch + TWO_BAND + t, w + ((int64_t)(i0 + r) * TWO_BAND + t));
    }
    for (int f = rank; f < TWO_TOP * row; f += TWO_UPDATE_THREADS) {
        int const r = f / row, t = f % row * per;
        copy_16(top + r * shape::pitch + t, w + ((int64_t)(j0 + r) * TWO_BAND + t));
        copy_16(top + r * shape::pitch + TWO_BAND + t, v + ((int64_t)(j0 + r) * TWO_BAND + t));
    }
    copy_end();
    heev_tile<number, 4, 4> x(rank % 32);
    int const at_i = warp % 4 * 32, at_j = warp / 4 * 32;
    number *const a = (number *)job.a + (i0 + at_i + (j0 + at_j) * job.pitch);
#pragma unroll
    for (int e = 0; e < x.size; ++e) x.put(e, negative(a[x.row(e) + x.column(e) * job.pitch]));
    copy_wait<0>();
    __syncthreads();               /* the rows are there */
    if (j0 + at_j < first) return; /* the panels' reflectors */
    x.template add_product<2 * TWO_BAND>([&](int i, int t) { return low[(at_i + i) * shape::pitch + t]; },
                                         [&](int t, int j) { return conj(top[(at_j + j) * shape::pitch + t]); });
#pragma unroll
    for (int e = 0; e < x.size; ++e) {
        number z = negative(x.get(e));
        if (i0 + at_i + x.row(e) == j0 + at_j + x.column(e)) set(z, z.re, (typename number::real)0);
        a[x.row(e) + x.column(e) * job.pitch] = z;
    }
}

#endif
