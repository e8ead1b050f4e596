/* heev on CUDA, n > 64, tridiagonal, kernel 1 for the columns ahead of what fits the shared memory of all blocks (heev_team.cuh).
 *
 * Formula  as heev_panel.cu: within a panel A stays as it is, and what its reflectors change, A - V W^H - W V^H, is taken into
 *          account where A is used; then A is updated at once.
 * Kernels  panel: all blocks, some columns.  update: A - V W^H - W V^H, 64 x 64 numbers a block.
 * Step     two parts, a barrier of all blocks each.  multiply: A x of the lower triangle alone.  finish: every block has some
 *          rows of V, W and x.
 * Product  pieces of some rows and 8 columns; a block has consecutive ones, its warps one after the other.  A piece's numbers
 *          are read once for A x and for A^H x.  Sums along rows go through shared memory, so that a block writes one vector
 *          for each of its tiles of rows; sums along columns are written for each piece.
 * Memory   the lower triangle where the reflectors go; beside it V, W, x and the parts of A x.
 * Cost     complex 8/3 n^3 FMA, half of it in the product, which reads n^3 / 6 numbers and is bound by that; in the update, on
 *          tensor cores for doubles, the other half. */
#ifndef EIG_HEEV_PANELS_CUH
#define EIG_HEEV_PANELS_CUH

#include "heev/block/heev_tile.cuh"
#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"
#include "words/team.cuh"

enum {
    PANELS_WIDTH = 64 /* columns of a panel, at most */,
    PANELS_GROUP = 8 /* columns of a piece */,
    PANELS_THREADS = 512,
    PANELS_MOST_BLOCKS = 160,
    UPDATE_THREADS = 256,
    UPDATE_TILE = 64,
    COPY_THREADS = 256
};

/* One matrix of order n: its lower triangle at a, column by column.  Arrays of its own beside it. */
struct panels_job {
    void *a;
    int64_t pitch;
    int n, k0, width; /* the panel's columns k0, ..., k0 + width - 1; k0 is a multiple of PANELS_GROUP */
    bool keep;        /* the reflectors */
    void *d, *e, *tau;
    void *panel;       /* [n][2 PANELS_WIDTH] numbers: rows of V and of W */
    void *x;           /* [2][n] numbers: of even columns of the panel and of odd ones */
    void *down;        /* [tiles + blocks][rows of a tile] numbers: A x along rows */
    void *across;      /* [tiles][n] numbers: along columns */
    void *part_dots;   /* [2 PANELS_WIDTH][blocks] numbers: V^H x and W^H x */
    void *dots;        /* [2 PANELS_WIDTH] numbers */
    void *forms;       /* [blocks] real: x^H A x */
    void *norms;       /* [2][blocks] real: of x behind its first number */
    unsigned *counter; /* of barriers; turns: those of the launches before */
    unsigned turns;
    int64_t first_piece[PANELS_MOST_BLOCKS + 1]; /* of each block */
};

template <typename number> struct panels_tile {
    static constexpr int deep = sizeof(number) <= 16 ? 16 / (int)sizeof(number) : 1; /* rows a lane */
    static constexpr int rows = 32 * deep, warps = PANELS_THREADS / 32;
};

/* Pieces of tiles of rows before tile R, in a panel from column k0 on; tile t0 has row k0. */
template <typename number> static __host__ __device__ __forceinline__ int64_t panels_pieces(int64_t R, int64_t k0)
{
    int64_t const rows = panels_tile<number>::rows, t0 = k0 / rows, tiles = R - t0;
    return (tiles * (R + t0 + 1) / 2 * rows - tiles * k0) / PANELS_GROUP;
}

template <typename number, bool aligned> struct panels_reduction {
    using real = typename number::real;
    using tile = panels_tile<number>;
    static constexpr int deep = tile::deep, rows = tile::rows, warps = tile::warps, group = PANELS_GROUP;
    number *a, *panel, *x, *down, *across, *part_dots, *dots;
    real *forms, *norms;
    int64_t pitch;
    int n, k0, t0, tiles, rank, lane, warp, block, blocks;
    int low, high;      /* this block's rows of V, W and x */
    int64_t begin, end; /* its pieces */
    int R0, Rs;         /* its tiles */
    number *sums;       /* [Rs][warps][rows] in shared memory */
    real *space;        /* [warps] */
    number *head;       /* [2 * PANELS_WIDTH + ...] */

    __device__ __forceinline__ number fetch(const number *from) const
    {
        return aligned ? *from : load_number(from);
    }
    __device__ __forceinline__ void put(number *to, number z) const
    {
        if (aligned)
            *to = z;
        else
            store_number(to, z);
    }

    __device__ void carve(const panels_job &job, void *memory)
    {
        a = (number *)job.a, pitch = job.pitch, n = job.n, k0 = job.k0;
        panel = (number *)job.panel, x = (number *)job.x, down = (number *)job.down, across = (number *)job.across;
        part_dots = (number *)job.part_dots, dots = (number *)job.dots;
        forms = (real *)job.forms, norms = (real *)job.norms;
        rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, block = (int)blockIdx.x, blocks = (int)gridDim.x;
        t0 = k0 / rows, tiles = (n + rows - 1) / rows;
        int const each = (n - k0 + blocks - 1) / blocks;
        low = min(n, k0 + block * each), high = min(n, low + each);
        begin = job.first_piece[block], end = job.first_piece[block + 1];
        R0 = t0;
        while (R0 + 1 < tiles && panels_pieces<number>(R0 + 1, k0) <= begin) ++R0;
        int last = R0;
        while (last + 1 < tiles && panels_pieces<number>(last + 1, k0) < end) ++last;
        Rs = begin < end ? last - R0 + 1 : 0;
        head = (number *)memory, sums = head + 2 * PANELS_WIDTH * 2 + 8;
        space = (real *)(sums + (int64_t)Rs * warps * rows);
    }

    /* ------------------------------------------------------------------ multiply */

    struct piece {
        int R, c;
    };
    __device__ __forceinline__ piece piece_at(int64_t u, int R) const
    {
        while (panels_pieces<number>(R + 1, k0) <= u) ++R;
        return {R, k0 + (int)(u - panels_pieces<number>(R, k0)) * group};
    }

    __device__ __forceinline__ void load(piece at, number (&z)[group][deep], number &own_x) const
    {
        bool const edge = at.c + group > at.R * rows || (at.R + 1) * rows > n;
        const number *const from = a + (at.R * rows + lane + at.c * pitch);
#pragma unroll
        for (int q = 0; q < group; ++q)
#pragma unroll
            for (int t = 0; t < deep; ++t) {
                int const r = at.R * rows + lane + 32 * t;
                if (!edge || (r < n && r >= at.c + q))
                    z[q][t] = fetch(from + (32 * t + q * pitch));
                else
                    z[q][t] = zero_of<number>();
            }
        int const c = at.c + lane % group;
        own_x = c < n ? x[c] : zero_of<number>();
    }

    static __device__ __forceinline__ number spread(number z, int from)
    {
        number y;
        set(y, __shfl_sync(0xffffffffu, z.re, from),
            number::complex ? __shfl_sync(0xffffffffu, imaginary(z), from) : (real)0);
        return y;
    }

    __device__ __forceinline__ void flush(int R, number (&sum_down)[deep], const number (&xr)[deep], real &form) const
    {
#pragma unroll
        for (int t = 0; t < deep; ++t) {
            sums[((R - R0) * warps + warp) * rows + lane + 32 * t] = sum_down[t];
            form += real_dot(xr[t], sum_down[t]);
            sum_down[t] = zero_of<number>();
        }
    }

    __device__ __forceinline__ void load_x(int R, number (&xr)[deep]) const
    {
#pragma unroll
        for (int t = 0; t < deep; ++t) {
            int const r = R * rows + lane + 32 * t;
            xr[t] = r >= k0 && r < n ? x[r] : zero_of<number>();
        }
    }

    /* A x: down and across. */
    __device__ __forceinline__ void multiply() const
    {
        number z[2][group][deep], own_x[2], sum_down[deep], xr[deep];
        real form = 0;
        for (int f = lane; f < Rs * rows; f += 32)
            sums[(f / rows * warps + warp) * rows + f % rows] = zero_of<number>();
        int64_t u = begin + warp;
        piece at = {R0, k0}, next = at;
        if (u < end) {
            at = next = piece_at(u, R0);
            load(at, z[0], own_x[0]);
            load_x(at.R, xr);
        }
#pragma unroll
        for (int t = 0; t < deep; ++t) sum_down[t] = zero_of<number>();
        __syncwarp();
        for (; u < end; u += 2 * warps) {
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                int64_t const own = u + side * warps;
                if (own >= end) break;
                if (next.R != at.R) {
                    flush(at.R, sum_down, xr, form);
                    load_x(next.R, xr);
                }
                at = next;
                if (own + warps < end) {
                    next = piece_at(own + warps, at.R);
                    load(next, z[1 - side], own_x[1 - side]);
                }
                number totals[group];
#pragma unroll
                for (int q = 0; q < group; ++q) {
                    number const xc = spread(own_x[side], q);
                    totals[q] = zero_of<number>();
#pragma unroll
                    for (int t = 0; t < deep; ++t) {
                        number e = z[side][q][t];
                        int const r = at.R * rows + lane + 32 * t;
                        if (r == at.c + q) set(e, e.re, (real)0);
                        sum_down[t] = product_add(e, xc, sum_down[t]);
                        if (r == at.c + q) e = zero_of<number>();
                        totals[q] = conj_product_add(e, xr[t], totals[q]);
                    }
                }
                number const total = warp_totals<group>(lane, totals);
                int const q = lane / (32 / group), c = at.c + q;
                number const xq = spread(own_x[side], q);
                if (lane % (32 / group) == 0 && c < n) {
                    across[(int64_t)(at.R - t0) * n + c] = total;
                    form += real_dot(xq, total);
                }
            }
        }
        if (begin + warp < end) flush(at.R, sum_down, xr, form);
        form = warp_sum(form);
        if (lane == 0) space[warp] = form;
        __syncthreads(); /* the warps' sums are there */
        for (int f = rank; f < Rs * rows; f += PANELS_THREADS) {
            const number *const from = sums + f / rows * warps * rows + f % rows;
            number y = from[0];
#pragma unroll
            for (int w = 1; w < warps; ++w) y = sum(y, from[w * rows]);
            down[(int64_t)(R0 - t0 + f / rows + block) * rows + f % rows] = y;
        }
        if (rank == 0) forms[block] = total_of<warps>(space);
    }

    /* The blocks' parts of V^H x and W^H x, `count` numbers of each. */
    __device__ __forceinline__ void total_dots(int count) const
    {
        if (warp < warps - 1) return;
        for (int t = block; t < 2 * count; t += blocks) {
            int const at = t < count ? t : PANELS_WIDTH + t - count;
            number y = zero_of<number>();
            for (int b = lane; b < blocks; b += 32) y = sum(y, part_dots[at * blocks + b]);
            y = warp_total(y);
            if (lane == 0) dots[at] = y;
        }
    }

    /* -------------------------------------------------------------------- finish */

    /* Row r of A x from its parts, by `lanes` neighbouring lanes of a warp; in all of them. */
    template <int lanes> __device__ __forceinline__ number collect(const panels_job &job, int r) const
    {
        int const R = r / rows, own = lane % lanes;
        number y = zero_of<number>();
        int64_t const from = panels_pieces<number>(R, k0), to = panels_pieces<number>(R + 1, k0);
        /* blocks that have pieces of tile R */
        int b0 = 0, high_b = blocks;
        while (b0 + 1 < high_b) {
            int const middle = (b0 + high_b) / 2;
            if (job.first_piece[middle] <= from)
                b0 = middle;
            else
                high_b = middle;
        }
        for (int b = b0 + own; b < blocks && job.first_piece[b] < to; b += lanes)
            if (job.first_piece[b + 1] > from) y = sum(y, down[(int64_t)(R - t0 + b) * rows + r % rows]);
        for (int q = R + own; q < tiles; q += lanes) y = sum(y, across[(int64_t)(q - t0) * n + r]);
#pragma unroll
        for (int across_lanes = lanes / 2; across_lanes > 0; across_lanes /= 2) y = sum(y, from_lane(y, across_lanes));
        return y;
    }

    template <int lanes> static __device__ __forceinline__ number total(number y)
    {
#pragma unroll
        for (int across_lanes = lanes / 2; across_lanes > 0; across_lanes /= 2) y = sum(y, from_lane(y, across_lanes));
        return y;
    }

    /* Ends step first - 1 with column i of V and W; if `more` columns follow, makes x of column `first`. */
    __device__ __forceinline__ void finish(const panels_job &job, int first, int i, bool follows)
    {
        number *const next_x = (number *)job.x + (i + 1) % 2 * n;
        number *const in_v = head, *const in_w = in_v + PANELS_WIDTH, *const row_v = in_w + PANELS_WIDTH,
                      *const row_w = row_v + PANELS_WIDTH, *const some = row_w + PANELS_WIDTH;
        number const corner_number = fetch(a + (first + first * pitch)), alpha = x[first];
        real rest = 0;
        for (int b = lane; b < blocks; b += 32) rest += norms[b];
        rest = warp_sum(rest);
        reflector_by_division<number> const h(alpha, rest);
        real const end_value = h.beta, corner = corner_number.re;
        bool const reflects = h.tau.re != 0;
        if (warp == 0) {
            number const y = collect<32>(job, first);
            if (lane == 0) some[0] = y;
        } else if (warp == 1) {
            real form = 0;
            for (int b = lane; b < blocks; b += 32) form += forms[b];
            form = warp_sum(form);
            if (lane == 0) set(some[1], form, (real)0);
        } else if (warp == 2 || warp == 3) {
            bool const of_v = warp == 2;
            for (int t = lane; t < i; t += 32) {
                number const z = panel[(int64_t)first * 2 * PANELS_WIDTH + (of_v ? 0 : PANELS_WIDTH) + t];
                (of_v ? row_v : row_w)[t] = z;
                (of_v ? in_v : in_w)[t] = scaled_add(-end_value, conj(z), dots[(of_v ? 0 : PANELS_WIDTH) + t]);
            }
        }
        __syncthreads(); /* what all rows need */
        number edge = some[0], edge_less = zero_of<number>();
        real form = fma(end_value, fma(end_value, corner, -2 * edge.re), some[1].re), form_less = 0;
        for (int t = lane; t < i; t += 32) {
            edge_less = product_add(in_w[t], row_v[t], product_add(in_v[t], row_w[t], edge_less));
            form_less = fma((real)2, real_dot(in_v[t], in_w[t]), form_less);
        }
        edge_less = warp_total(edge_less), form_less = warp_sum(form_less);
        form -= form_less;
        number shift;
        set(shift, end_value * corner, (real)0);
        edge = sum(edge, negative(sum(shift, edge_less)));
        number const by = h.divisor, factor = product_add(h.tau, by, zero_of<number>());
        real const more = reflects ? (real)-0.5 * square(h.tau) * (square(by) * form) : (real)0;
        number pivot;
        set(pivot, more, (real)0);
        pivot = product_add(factor, edge, pivot);

        /* rows, 16 lanes each */
        enum { LANES = 16 };
        real squared = 0;
        int const own = lane % LANES, steps = (high - low + PANELS_THREADS / LANES - 1) / (PANELS_THREADS / LANES);
        for (int s = 0; s < steps; ++s) {
            int const r = low + s * (PANELS_THREADS / LANES) + rank / LANES;
            bool const there = r < high, live = there && r >= first;
            int const at = live ? r : max(first, k0); /* some row: all lanes work together */
            number y = collect<LANES>(job, at), z = fetch(a + (at + first * pitch)), less_y = zero_of<number>(),
                   less_z = less_y;
            number *const rows_of_panel = panel + (int64_t)at * 2 * PANELS_WIDTH;
            for (int t = own; t < i; t += LANES) {
                number const vr = rows_of_panel[t], wr = rows_of_panel[PANELS_WIDTH + t];
                less_y = product_add(in_w[t], vr, product_add(in_v[t], wr, less_y));
                less_z = conj_product_add(row_w[t], vr, conj_product_add(row_v[t], wr, less_z));
            }
            less_y = total<LANES>(less_y), less_z = total<LANES>(less_z);
            y = sum(scaled_add(-end_value, z, y), negative(less_y)), z = sum(z, negative(less_z));
            number u = product_add(by, x[at], zero_of<number>());
            if (at == first && reflects) set(u, (real)1, (real)0);
            number own_w = product_add(factor, y, scaled(more, u));
            if (at == first) own_w = pivot;
            if (reflects) z = sum(conj_product_add(negative(pivot), u, z), negative(own_w));
            if (own > 0) continue;
            if (live) {
                rows_of_panel[i] = u, rows_of_panel[PANELS_WIDTH + i] = own_w;
                if (job.keep) put(a + (r + (first - 1) * pitch), u);
                if (follows) store_x(job, next_x, first, r, z, squared);
            } else if (there) {
                number *const dead = panel + (int64_t)r * 2 * PANELS_WIDTH;
                dead[i] = dead[PANELS_WIDTH + i] = next_x[r] = zero_of<number>();
            }
        }
        if (follows) end_rows(job, i + 1, squared);
    }

    __device__ __forceinline__ void store_x(const panels_job &job, number *to, int first, int r, number z,
                                            real &squared) const
    {
        to[r] = r == first ? zero_of<number>() : z;
        if (r == first) ((real *)job.d)[first] = z.re;
        if (r > first + 1) squared += square(z);
    }

    /* What this block's rows of x give: its part of the norm, and of the products with `count` columns of V and of W. */
    __device__ __forceinline__ void end_rows(const panels_job &job, int count, real squared) const
    {
        const number *const next_x = (const number *)job.x + count % 2 * n;
        squared = warp_sum(squared);
        if (lane == 0) space[warp] = squared;
        __syncthreads(); /* the rows of x, V and W are there */
        if (rank == 0) ((real *)job.norms)[count % 2 * blocks + block] = total_of<warps>(space);
        for (int t = rank / 4; t < (2 * count + 7) / 8 * 8; t += PANELS_THREADS / 4) {
            bool const live = t < 2 * count;
            int const at = t < count ? t : PANELS_WIDTH + t - count;
            number y = zero_of<number>();
            if (live)
                for (int r = low + rank % 4; r < high; r += 4)
                    y = conj_product_add(panel[(int64_t)r * 2 * PANELS_WIDTH + at], next_x[r], y);
            y = total<4>(y);
            if (live && rank % 4 == 0) part_dots[at * blocks + block] = y;
        }
    }

    /* x of column k0. */
    __device__ __forceinline__ void start(const panels_job &job) const
    {
        real squared = 0;
        for (int r = low + rank; r < high; r += PANELS_THREADS)
            store_x(job, x, k0, r, fetch(a + (r + k0 * pitch)), squared);
        end_rows(job, 0, squared);
    }

    __device__ void run(const panels_job &job)
    {
        unsigned turn = job.turns;
        start(job);
        for (int i = 0; i < job.width; ++i) {
            int const k = k0 + i;
            x = (number *)job.x + i % 2 * n, norms = (real *)job.norms + i % 2 * blocks;
            grid_barrier(job.counter, ++turn); /* x, V and W */
            total_dots(i);
            multiply();
            grid_barrier(job.counter, ++turn); /* A x in parts, and the dots */
            if (block == 0 && warp == 0) {
                real rest = 0;
                for (int b = lane; b < blocks; b += 32) rest += norms[b];
                reflector_by_division<number> const h(x[k + 1], warp_sum(rest));
                if (lane == 0) {
                    ((real *)job.e)[k] = h.beta;
                    if (job.tau) ((number *)job.tau)[k] = h.tau;
                }
            }
            finish(job, k + 1, i, i + 1 < job.width);
        }
    }
};

template <typename number, bool aligned>
static __global__ void __launch_bounds__(PANELS_THREADS, 1) heev_panels_kernel(const __grid_constant__ panels_job job)
{
    extern __shared__ double panels_memory[];
    panels_reduction<number, aligned> x;
    x.carve(job, panels_memory);
    x.run(job);
}

/* The shared memory of a block that has pieces of `tiles` tiles. */
template <typename number> static size_t panels_bytes(int64_t tiles)
{
    using tile = panels_tile<number>;
    return (size_t)(4 * PANELS_WIDTH + 8 + tiles * tile::warps * tile::rows) * sizeof(number) +
           tile::warps * sizeof(typename number::real);
}

/* -------------------------------------------------------------------- update */

/* Columns of V and of W that a block has at a time. */
template <typename number> struct update_shape {
    static constexpr int depth = 32, pitch = depth + 4;
    static constexpr size_t bytes = 4 * UPDATE_TILE * pitch * sizeof(number);
};

/* The lower triangle from row and column k1 on. */
template <typename number, bool aligned>
static __global__ void __launch_bounds__(UPDATE_THREADS) heev_update_kernel(const __grid_constant__ panels_job job)
{
    extern __shared__ double update_memory[];
    enum { DEPTH = update_shape<number>::depth, PITCH = update_shape<number>::pitch, AREA = UPDATE_TILE * PITCH };
    number *const low_v = (number *)update_memory, *const low_w = low_v + AREA, *const top_v = low_w + AREA,
                  *const top_w = top_v + AREA;
    int const n = job.n, k1 = job.k0 + job.width, rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32;
    int I = (int)((sqrt(8.0 * blockIdx.x + 1) - 1) / 2);
    while ((int64_t)I * (I + 1) / 2 > blockIdx.x) --I;
    while ((int64_t)(I + 1) * (I + 2) / 2 <= blockIdx.x) ++I;
    int const J = (int)(blockIdx.x - (int64_t)I * (I + 1) / 2), i0 = k1 + I * UPDATE_TILE, j0 = k1 + J * UPDATE_TILE;
    const number *const panel = (const number *)job.panel;
    heev_tile<number, 4, 2> tile(lane);
    tile.clear();
    int const at_i = warp % 2 * 32, at_j = warp / 2 * 16;
    for (int t0 = 0; t0 < job.width; t0 += DEPTH) {
        for (int f = rank; f < UPDATE_TILE * DEPTH; f += UPDATE_THREADS) {
            int const i = f / DEPTH, t = f % DEPTH;
            bool const there = t0 + t < job.width;
            const number *const from = panel + ((int64_t)(i0 + i) * 2 * PANELS_WIDTH + t0 + t);
            const number *const other = panel + ((int64_t)(j0 + i) * 2 * PANELS_WIDTH + t0 + t);
            copy_number_or_zero(low_v + i * PITCH + t, there && i0 + i < n ? from : panel, there && i0 + i < n);
            copy_number_or_zero(low_w + i * PITCH + t, there && i0 + i < n ? from + PANELS_WIDTH : panel,
                                there && i0 + i < n);
            copy_number_or_zero(top_v + i * PITCH + t, there && j0 + i < n ? other : panel, there && j0 + i < n);
            copy_number_or_zero(top_w + i * PITCH + t, there && j0 + i < n ? other + PANELS_WIDTH : panel,
                                there && j0 + i < n);
        }
        copy_end();
        copy_wait<0>();
        __syncthreads(); /* the panel's rows are there */
        tile.template add_product<DEPTH>([&](int i, int t) { return low_v[(at_i + i) * PITCH + t]; },
                                         [&](int t, int j) { return conj(top_w[(at_j + j) * PITCH + t]); });
        tile.template add_product<DEPTH>([&](int i, int t) { return low_w[(at_i + i) * PITCH + t]; },
                                         [&](int t, int j) { return conj(top_v[(at_j + j) * PITCH + t]); });
        __syncthreads(); /* their places are free */
    }
#pragma unroll
    for (int e = 0; e < tile.size; ++e) {
        int const i = i0 + at_i + tile.row(e), j = j0 + at_j + tile.column(e);
        if (i >= n || i < j) continue;
        number *const at = (number *)job.a + (i + j * job.pitch);
        number z = aligned ? *at : load_number(at);
        z = sum(z, negative(tile.get(e)));
        if (i == j) set(z, z.re, (typename number::real)0);
        if (aligned)
            *at = z;
        else
            store_number(at, z);
    }
}

/* ---------------------------------------------------------------------- copy */

/* The largest entries of the blocks' shares of the lower triangle of matrix b; NaN where one is not finite. */
template <typename number>
static __global__ void __launch_bounds__(COPY_THREADS) heev_largest_kernel(heev_job job, int64_t b, void *largest)
{
    using real = typename number::real;
    __shared__ real space[COPY_THREADS / 32];
    const number *const from = (const number *)job.p.a + b * job.at_a.b;
    int64_t const down = job.p.upper ? job.at_a.j : job.at_a.i, across = job.p.upper ? job.at_a.i : job.at_a.j;
    int const n = (int)job.p.n;
    real big = 0;
    bool finite = true;
    for (int j = blockIdx.x; j < n; j += gridDim.x)
        for (int r = j + threadIdx.x; r < n; r += COPY_THREADS) {
            number z = load_number(from + (r * down + j * across));
            if (r == j) set(z, z.re, (real)0);
            finite =
                finite && fabs(z.re) <= real_limits<real>::largest && fabs(imaginary(z)) <= real_limits<real>::largest;
            big = fmax(big, larger_part(z));
        }
    for (int across_lanes = 16; across_lanes > 0; across_lanes /= 2)
        big = fmax(big, __shfl_xor_sync(0xffffffffu, big, across_lanes));
    if (threadIdx.x % 32 == 0) space[threadIdx.x / 32] = big;
    finite = !__syncthreads_or(!finite);
    if (threadIdx.x > 0) return;
    for (int k = 0; k < COPY_THREADS / 32; ++k) big = fmax(big, space[k]);
    ((real *)largest)[blockIdx.x] = finite ? big : (real)NAN;
}

/* The lower triangle, divided by its unit, to where the reflectors go; all blocks of the kernel before have a largest entry. */
template <typename number>
static __global__ void __launch_bounds__(COPY_THREADS)
    heev_scale_kernel(heev_job job, int64_t m, const void *largest, int largests)
{
    using real = typename number::real;
    __shared__ real shared_unit;
    if (threadIdx.x == 0) {
        real big = 0;
        for (int k = 0; k < largests; ++k) {
            real const other = ((const real *)largest)[k];
            big = other == other && big == big ? fmax(big, other) : (real)NAN;
        }
        shared_unit = big == big ? heev_unit(big) : (real)NAN;
        if (blockIdx.x == 0) ((real *)job.unit)[m] = shared_unit;
    }
    __syncthreads(); /* the unit is there */
    real const unit = shared_unit, inverse = pow2_inverse(unit == unit ? unit : (real)1);
    const number *const from = (const number *)job.p.a + (job.first + m) * job.at_a.b;
    number *const to = (number *)job.matrix + m * job.matrix_stride;
    int64_t const down = job.p.upper ? job.at_a.j : job.at_a.i, across = job.p.upper ? job.at_a.i : job.at_a.j;
    int const n = (int)job.p.n;
    for (int j = blockIdx.x; j < n; j += gridDim.x)
        for (int r = j + threadIdx.x; r < n; r += COPY_THREADS) {
            number z = lower_of(load_number(from + (r * down + j * across)), job.p.upper);
            if (r == j) set(z, z.re, (real)0);
            store_number(to + (r + j * job.matrix_pitch), unit == unit ? scaled(inverse, z) : zero_of<number>());
        }
}

#endif
