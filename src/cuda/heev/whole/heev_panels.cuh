/* heev on CUDA, n > 64, tridiagonal, kernel 1 for the columns ahead of what fits the shared memory of all blocks
 * (heev_team.cuh).
 *
 * Formula  as heev_panel.cu: within a panel A stays as it is, and what its reflectors change, A - V W^H - W V^H, is
 *          taken into account where A is used; then A is updated at once.
 * Kernels  panel: all blocks, some columns.  update: A - V W^H - W V^H, 64 x 64 numbers a block.
 * Step     two parts, a barrier of all blocks each.  multiply: A x of the lower triangle alone.  finish: every block
 *          has some rows of V, W and x.
 * Product  pieces of some rows and 8 columns; a block has consecutive ones, its warps one after the other.  A piece's
 *          numbers are read once for A x and for A^H x.  Sums along rows go through shared memory, so that a block
 *          writes one vector for each of its tiles of rows; sums along columns are written for each piece.
 * Memory   the lower triangle where the reflectors go; beside it V, W, x and the parts of A x.
 * Cost     complex 8/3 n^3 FMA, half of it in the product, which reads n^3 / 6 numbers and is bound by that; in the
 *          update, on tensor cores for doubles, the other half. */
#ifndef EIG_HEEV_PANELS_CUH
#define EIG_HEEV_PANELS_CUH

#include "heev/block/heev_tile.cuh"
#include "heev/heev_matrix.cuh"
#include "heev/heev_reflector.cuh"
#include "primitives/team.cuh"

enum {
    PANELS_WIDTH = 64 /* columns of a panel, at most */,
    PANELS_GROUP = 8 /* columns of a piece */,
    PANELS_THREADS = 384,
    PANELS_MOST_BLOCKS = 160,
    PANELS_USUAL_BYTES =
        128 << 10 /* of shared memory where A is read from L2 or beyond: the rest is cache, which loads need */,
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
    int tiles, cached; /* in shared memory: tiles that a block has room for; its first pieces */
    bool rows_cached;  /* the block's rows of V and W are there, too */
};

/* Rows of V and W are so far apart in shared memory. */
static constexpr int panels_row_pitch = 2 * PANELS_WIDTH + 8;

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
    int low, high;                  /* this block's rows of V, W and x */
    int64_t begin, end, cached_end; /* its pieces; up to cached_end they are in shared memory */
    int R0, Rs;                     /* its tiles */
    number *sums;                   /* [Rs][warps][rows] in shared memory, as are these: */
    number *cache;                  /* [cached] pieces */
    number *in_v, *in_w;            /* [PANELS_WIDTH] V^H (x - beta e_first), W^H of that */
    number *row_v, *row_w;          /* row `first` of V and of W */
    number *some;                   /* numbers that one warp makes for all */
    number *new_x,
        *own_rows; /* rows low, ... of the next x, and of V and W, row_pitch apart; or these in global memory */
    int64_t row_pitch;
    real *space;            /* [warps] */
    int *first_piece;       /* [blocks + 1] */
    int own_begin, own_end; /* blocks with pieces of the tile of this thread's row in step 0 */

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
        in_v = (number *)memory, in_w = in_v + PANELS_WIDTH, row_v = in_w + PANELS_WIDTH, row_w = row_v + PANELS_WIDTH;
        some = row_w + PANELS_WIDTH, new_x = some + 8, own_rows = new_x + each, row_pitch = panels_row_pitch;
        sums = own_rows + (job.rows_cached ? each * row_pitch : 0), cache = sums + (int64_t)job.tiles * warps * rows;
        space = (real *)(cache + (int64_t)job.cached * group * rows), first_piece = (int *)(space + warps);
        for (int b = rank; b <= blocks; b += PANELS_THREADS) first_piece[b] = (int)job.first_piece[b];
        __syncthreads(); /* the shares are there */
        blocks_of(row_of(0), own_begin, own_end);
        if (!job.rows_cached) own_rows = panel + (int64_t)low * 2 * PANELS_WIDTH, row_pitch = 2 * PANELS_WIDTH;
        cached_end = min(end, begin + job.cached);
        for (int64_t u = begin + warp; u < cached_end; u += warps) {
            piece const at = piece_at(u, R0);
            number z[group][deep];
            load(at, a + (at.R * rows + at.c * pitch), pitch, z);
#pragma unroll
            for (int q = 0; q < group; ++q)
#pragma unroll
                for (int t = 0; t < deep; ++t) cache[((u - begin) * group + q) * rows + 32 * t + lane] = z[q][t];
        }
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

    /* A piece; `from` is where its first tile row and column stands, columns are `across_pitch` apart. */
    __device__ __forceinline__ void load(piece at, const number *from, int64_t across_pitch,
                                         number (&z)[group][deep]) const
    {
        bool const edge = at.c + group > at.R * rows || (at.R + 1) * rows > n;
#pragma unroll
        for (int q = 0; q < group; ++q)
#pragma unroll
            for (int t = 0; t < deep; ++t) {
                int const r = at.R * rows + lane + 32 * t;
                if (!edge || (r < n && r >= at.c + q))
                    z[q][t] = fetch(from + (lane + 32 * t + q * across_pitch));
                else
                    z[q][t] = zero_of<number>();
            }
    }

    /* Piece u, from shared or from global memory. */
    __device__ __forceinline__ void load_piece(int64_t u, piece at, number (&z)[group][deep]) const
    {
        bool const here = u < cached_end;
        load(at, here ? cache + (u - begin) * group * rows : a + (at.R * rows + at.c * pitch), here ? rows : pitch, z);
    }
    __device__ __forceinline__ number load_x(piece at) const
    {
        int const c = at.c + lane % group;
        return c < n ? x[c] : zero_of<number>();
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

    /* A x: down and across, after the barrier.  The numbers of the first piece have been under way before it. */
    __device__ __forceinline__ void multiply(unsigned *counter, unsigned turn, int dots_count) const
    {
        number z[2][group][deep], own_x[2], sum_down[deep], xr[deep];
        real form = 0;
        int64_t u = begin + warp;
        piece at = {R0, k0}, next = at;
        if (u < end) {
            at = next = piece_at(u, R0);
            load_piece(u, at, z[0]);
        }
        grid_barrier(counter, turn); /* x, V and W */
        total_dots(dots_count);
        for (int f = lane; f < Rs * rows; f += 32)
            sums[(f / rows * warps + warp) * rows + f % rows] = zero_of<number>();
        if (u < end) own_x[0] = load_x(at), load_x(at.R, xr);
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
                    load_piece(own + warps, next, z[1 - side]), own_x[1 - side] = load_x(next);
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
        if (rank == 0) forms[block] = total_of_warps();
    }

    __device__ __forceinline__ real total_of_warps() const
    {
        real all = space[0];
#pragma unroll
        for (int w = 1; w < warps; ++w) all += space[w];
        return all;
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

    /* Blocks from, ..., to - 1 have pieces of the tile of row r. */
    __device__ __forceinline__ void blocks_of(int r, int &from, int &to) const
    {
        int const begin_of = (int)panels_pieces<number>(r / rows, k0),
                  end_of = (int)panels_pieces<number>(r / rows + 1, k0);
        int top = blocks;
        from = 0;
        while (from + 1 < top) { /* the last block that begins at begin_of or before */
            int const middle = (from + top) / 2;
            if (first_piece[middle] <= begin_of)
                from = middle;
            else
                top = middle;
        }
        to = from + 1;
        while (to < blocks && first_piece[to] < end_of) ++to;
    }

    /* Row r of A x from its parts, those of blocks from, ..., to - 1 and those of tiles, by `lanes` neighbouring lanes
     * of a warp; in all of them. */
    template <int lanes> __device__ __forceinline__ number collect(int r, int from, int to) const
    {
        int const R = r / rows, own = lane % lanes;
        number y = zero_of<number>();
#pragma unroll 4
        for (int b = from + own; b < to; b += lanes) y = sum(y, down[(int64_t)(R - t0 + b) * rows + r % rows]);
#pragma unroll 4
        for (int q = R + own; q < tiles; q += lanes) y = sum(y, across[(int64_t)(q - t0) * n + r]);
        return total<lanes>(y);
    }

    template <int lanes> static __device__ __forceinline__ number total(number y)
    {
#pragma unroll
        for (int across_lanes = lanes / 2; across_lanes > 0; across_lanes /= 2) y = sum(y, from_lane(y, across_lanes));
        return y;
    }

    /* Ends step first - 1 with column i of V and W; if more columns follow, makes x of column `first`.  What does not
     * need A x is done before the barrier. */
    __device__ __forceinline__ void finish(const panels_job &job, int first, int i, bool follows, unsigned turn) const
    {
        enum { LANES = 16, AT_ONCE = PANELS_THREADS / LANES };
        number *const next_x = (number *)job.x + (i + 1) % 2 * n;
        int const own = lane % LANES, steps = (high - low + AT_ONCE - 1) / AT_ONCE;
        real const corner = fetch(a + (first + first * pitch)).re;
        number z_ahead = fetch(a + (row_of(0) + first * pitch));
        int first_begin = 0, first_end = 0;
        if (warp == 0) blocks_of(first, first_begin, first_end);
        real rest = 0;
        for (int b = lane; b < blocks; b += 32) rest += norms[b];
        reflector_by_division<number> const h(x[first], warp_sum(rest));
        if (warp == 2)
            for (int t = lane; t < i; t += 32) {
                row_v[t] = panel[(int64_t)first * 2 * PANELS_WIDTH + t];
                row_w[t] = panel[(int64_t)first * 2 * PANELS_WIDTH + PANELS_WIDTH + t];
            }
        if (block == 0 && rank == 0) {
            ((real *)job.e)[first - 1] = h.beta;
            if (job.tau) ((number *)job.tau)[first - 1] = h.tau;
        }
        real const end_value = h.beta;
        bool const reflects = h.tau.re != 0;
        grid_barrier(job.counter, turn); /* A x in parts, and the dots */
        number y_ahead = collect<LANES>(row_of(0), own_begin, own_end);
        if (warp == 0) {
            number const y = collect<32>(first, first_begin, first_end);
            if (lane == 0) some[0] = y;
        } else if (warp == 1) {
            real form = 0;
            for (int b = lane; b < blocks; b += 32) form += forms[b];
            form = warp_sum(form);
            if (lane == 0) set(some[1], form, (real)0);
        } else if (warp == 2) {
            start_corrections(i, end_value);
        }
        __syncthreads(); /* what all rows need */
        number edge = some[0], shift;
        real const form =
            fma(end_value, fma(end_value, corner, -2 * edge.re), some[1].re) - some[3].re; /* u^H A u divisor^-2 */
        set(shift, end_value * corner, (real)0);
        edge = sum(edge, negative(sum(shift, some[2])));
        number const by = h.divisor, factor = product_add(h.tau, by, zero_of<number>());
        real const more = reflects ? (real)-0.5 * square(h.tau) * (square(by) * form) : (real)0;
        number pivot;
        set(pivot, more, (real)0);
        pivot = product_add(factor, edge, pivot);

        real squared = 0;
        for (int s = 0; s < steps; ++s) {
            int const r = low + s * AT_ONCE + rank / LANES, at = row_of(s);
            bool const there = r < high, live = there && r >= first;
            number y = y_ahead, z = z_ahead, less_y = zero_of<number>(), less_z = less_y;
            if (s + 1 < steps) {
                int const next = row_of(s + 1);
                int from, to;
                blocks_of(next, from, to);
                y_ahead = collect<LANES>(next, from, to), z_ahead = fetch(a + (next + first * pitch));
            }
            number *const rows_of_panel = own_rows + (r < high ? r - low : 0) * row_pitch;
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
            if (own > 0 || !there) continue;
            if (!live) u = own_w = z = zero_of<number>();
            number *const to = panel + (int64_t)r * 2 * PANELS_WIDTH;
            to[i] = u, to[PANELS_WIDTH + i] = own_w;
            if (job.rows_cached) rows_of_panel[i] = u, rows_of_panel[PANELS_WIDTH + i] = own_w;
            if (live && job.keep) put(a + (r + (first - 1) * pitch), u);
            if (follows) store_x(job, next_x, first, r, z, squared);
        }
        if (follows) end_rows(job, i + 1, squared);
    }

    /* The row that a thread works on in step s; all lanes work together, on the last row where there is none. */
    __device__ __forceinline__ int row_of(int s) const
    {
        return min(low + s * (PANELS_THREADS / 16) + rank / 16, n - 1);
    }

    /* in_v, in_w, and what they change of row `first` of A x and of x^H A x; by a warp. */
    __device__ __forceinline__ void start_corrections(int i, real end_value) const
    {
        number edge_less = zero_of<number>();
        real form_less = 0;
        for (int t = lane; t < i; t += 32) {
            number const v = scaled_add(-end_value, conj(row_v[t]), dots[t]);
            number const w = scaled_add(-end_value, conj(row_w[t]), dots[PANELS_WIDTH + t]);
            in_v[t] = v, in_w[t] = w;
            edge_less = product_add(w, row_v[t], product_add(v, row_w[t], edge_less));
            form_less = fma((real)2, real_dot(v, w), form_less);
        }
        edge_less = warp_total(edge_less), form_less = warp_sum(form_less);
        if (lane == 0) some[2] = edge_less, set(some[3], form_less, (real)0);
    }

    __device__ __forceinline__ void store_x(const panels_job &job, number *to, int first, int r, number z,
                                            real &squared) const
    {
        to[r] = new_x[r - low] = r == first ? zero_of<number>() : z;
        if (r == first) ((real *)job.d)[first] = z.re;
        if (r > first + 1) squared += square(z);
    }

    /* What this block's rows of x give: its part of the norm, and of the products with `count` columns of V and of
     * W. */
    __device__ __forceinline__ void end_rows(const panels_job &job, int count, real squared) const
    {
        squared = warp_sum(squared);
        if (lane == 0) space[warp] = squared;
        __syncthreads(); /* the rows of x, V and W are there */
        if (rank == 0) ((real *)job.norms)[count % 2 * blocks + block] = total_of_warps();
        for (int t = rank / 4; t < (2 * count + 7) / 8 * 8; t += PANELS_THREADS / 4) {
            bool const live = t < 2 * count;
            int const at = t < count ? t : PANELS_WIDTH + t - count;
            number y = zero_of<number>();
            if (live) {
#pragma unroll 4
                for (int r = rank % 4; r < high - low; r += 4)
                    y = conj_product_add(own_rows[r * row_pitch + at], new_x[r], y);
            }
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
            x = (number *)job.x + i % 2 * n, norms = (real *)job.norms + i % 2 * blocks;
            multiply(job.counter, ++turn, i);
            finish(job, k0 + i + 1, i, i + 1 < job.width, ++turn);
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

/* The shared memory of a block with `each` rows of V and W: without and with these rows, and `cached` pieces. */
template <typename number> static size_t panels_bytes(int64_t each, bool rows_cached, int64_t tiles, int64_t cached)
{
    using tile = panels_tile<number>;
    return (size_t)(4 * PANELS_WIDTH + 8 + each + (rows_cached ? each * panels_row_pitch : 0) +
                    tiles * tile::warps * tile::rows + cached * PANELS_GROUP * tile::rows) *
               sizeof(number) +
           tile::warps * sizeof(typename number::real) + (PANELS_MOST_BLOCKS + 1) * sizeof(int);
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

/* The lower triangle, divided by its unit, to where the reflectors go; all blocks of the kernel before have a largest
 * entry. */
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
