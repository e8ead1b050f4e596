/* geev on CUDA, n > GEEV_MOST: a chain of small bulges, by a thread block.
 *
 * Sweep     up to B double-shift bulges go down the active block l..i (K. Braman, R. Byers and R. Mathias, The multishift QR
 *           algorithm I, 2002).  A hop moves all of them by GEEV_HOP rows.  What it does to a bulge's own rows and columns, its
 *           diagonal block, one warp computes in registers, a lane a bulge: it finds the reflectors on the way.  The other
 *           warps then apply them to the rows right of that block; after a barrier, to the columns above it.  An entry is
 *           loaded and stored once a hop.
 * Ahead     While they do, the one warp completes the few rows that the next diagonal blocks begin with, and goes on to the
 *           next hop.
 * Apart     neighbours are so far from each other that their diagonal blocks of a hop have no row in common.
 * Order     the arithmetic of an entry depends on the matrix alone: same bits.
 * Source    dlaqr5 of LAPACK. */
#ifndef EIG_GEEV_BULGES_CUH
#define EIG_GEEV_BULGES_CUH

#include "geev_window.cuh"

enum {
    GEEV_FEW_BULGES = 8,              /* of a chain, at most: where several blocks share a multiprocessor */
    GEEV_MANY_BULGES = 16,            /* where one block has it for itself */
    GEEV_HOP = 2,                     /* rows that a bulge moves at a time */
    GEEV_HOP_BLOCK = 4,               /* rows and columns that take part */
    GEEV_BULGE_ROWS = 4,              /* between neighbours */
    GEEV_ABOVE = 2,                   /* rows above a block that the next hop of the bulge behind begins with */
    GEEV_WINDOW = 12,                 /* largest order of the window of deflation, and of a block that it solves */
    GEEV_LANES = 16,                  /* that multiply a row by its transformation */
    GEEV_WINDOW_LD = GEEV_WINDOW + 1, /* of its rows in shared memory */
    GEEV_NIBBLE = 60,    /* a window that deflates more of itself, in per cent, is followed by another one */
    GEEV_EXCEPTIONAL = 6 /* every so many steps without a deflation take exceptional shifts */
};

/* What a block knows of its matrix, in shared memory; B: most bulges of a chain. */
template <typename entry, int B> struct geev_chain {
    using real = real_of<entry>;
    entry t[GEEV_WINDOW * GEEV_WINDOW_LD], v[GEEV_WINDOW * GEEV_WINDOW_LD]; /* the window, its transformation */
    entry u[GEEV_WINDOW], spike;
    geev_shifts<entry> shifts[B];
    reflector3<entry> reflector[2][B][GEEV_HOP]; /* of this hop and of the next */
    real window_re[GEEV_WINDOW], window_im[GEEV_WINDOW], tiny;
    int bulges;     /* of the next chain */
    int open, left; /* of the window: leading rows that did not converge, rows that stay */

    __device__ __forceinline__ geev_square<entry> window()
    {
        return geev_square<entry>{t, GEEV_WINDOW_LD};
    }
    __device__ __forceinline__ geev_square<entry> vectors()
    {
        return geev_square<entry>{v, GEEV_WINDOW_LD};
    }
};

/* How many bulges a chain has, at most, and the order of the window of deflation, by the order of the matrix. */
struct geev_shape {
    int bulges, window;
};

static __host__ __device__ inline geev_shape geev_shape_of(int n)
{
    return n < 80 ? geev_shape{4, 4} : n < 160 ? geev_shape{8, 8} : geev_shape{15, 12};
}

/* --------------------------------------------------------------- a chain of bulges */

/* The reflector of v, of a bulge at column k with these shifts, and what becomes of v.  h: rows and columns from k + 1 on,
 * behind v.  A bulge that has collapsed, for the entries that it consists of underflowed, begins anew, as in dlaqr5. */
template <typename entry>
static __device__ __forceinline__ reflector3<entry>
bulge_reflector(const entry (&v)[3], const entry (&h)[3][2], bool full, const geev_shifts<entry> &shifts, entry *beta)
{
    reflector3<entry> const r = any_reflector(v[0], v[1], v[2], beta);
    if (!full || !is_zero(v[2]) || !is_zero(h[2][0]) || is_zero(h[2][1])) return r;
    entry w[3], unused;
    shifts.first_column(h[0][0], h[0][1], h[1][0], h[1][1], h[2][1], w);
    reflector3<entry> const again = any_reflector(w[0], w[1], w[2], &unused);
    entry const sum = scaled(again.tau, conj_product_add(again.u1, v[1], v[0]));
    if (taxicab(difference(v[1], product(sum, again.u1))) + taxicab(product(sum, again.u2)) >
        real_limits<real_of<entry>>::eps * (taxicab(h[0][0]) + taxicab(h[1][1])))
        return r;
    *beta = difference(v[0], sum);
    return again;
}

/* The column of bulge b before hop t.  The bulge is there where the column is l - 1, just before it begins, to i - 2. */
static __device__ __forceinline__ int bulge_column(int l, int t, int b)
{
    return l - 1 + GEEV_HOP * t - GEEV_BULGE_ROWS * b;
}

/* What the lane below has. */
template <typename real> static __device__ __forceinline__ real lane_below(real x)
{
    return __shfl_up_sync(0xffffffffu, x, 1);
}
template <typename real> static __device__ __forceinline__ complex_of<real> lane_below(complex_of<real> x)
{
    return {lane_below(x.re), lane_below(x.im)};
}

/* The bulge at column k of a lane: rows k+1..k+3 of columns k, k+1, k+2, which lie in registers alone as long as it goes down;
 * and the reflectors of its hop. */
template <typename entry> struct bulge_lane {
    entry v[3], b[3][2];
    reflector3<entry> r[GEEV_HOP];

    /* From h; without column l - 1, in whose place the first column of the shifted matrix comes. */
    template <typename view>
    __device__ __forceinline__ void load(view h, int k, int l, int i, const geev_shifts<entry> &shifts)
    {
#pragma unroll
        for (int x = 0; x < 3; ++x) {
            const entry *const from = h.row(k + 1 + x < i ? k + 1 + x : i) + k;
            bool const there = k + 1 + x <= i;
            v[x] = there && k >= l ? from[0] : entry{};
            b[x][0] = there && k + 1 <= i ? from[1] : entry{}, b[x][1] = there && k + 2 <= i ? from[2] : entry{};
        }
        if (k < l) shifts.first_column(b[0][0], b[0][1], b[1][0], b[1][1], b[2][1], v);
    }
    template <typename view> __device__ __forceinline__ void store(view h, int k, int i) const
    {
#pragma unroll
        for (int x = 0; x < 3; ++x) {
            if (k + 1 + x > i) continue;
            entry *const to = h.row(k + 1 + x) + k;
            to[0] = v[x];
            if (k + 1 <= i) to[1] = b[x][0];
            if (k + 2 <= i) to[2] = b[x][1];
        }
    }
    /* One row further: the reflector, from the left on columns k+1, k+2 and c, from the right on rows k+1..k+3 and the row
     * below, of which sub is all that there is.  Returns what column k becomes. */
    __device__ __forceinline__ entry step(reflector3<entry> &own, entry (&c)[3], bool full,
                                          const geev_shifts<entry> &shifts, entry (&f)[3], entry sub)
    {
        entry beta;
        own = bulge_reflector(v, b, full, shifts, &beta);
        own.left(b[0][0], b[1][0], b[2][0]), own.left(b[0][1], b[1][1], b[2][1]), own.left(c[0], c[1], c[2]);
        own.right(b[0][0], b[0][1], c[0]), own.right(b[1][0], b[1][1], c[1]), own.right(b[2][0], b[2][1], c[2]);
        f[0] = f[1] = entry{}, f[2] = sub;
        return beta;
    }
    /* Row k+1 and column k are left behind. */
    __device__ __forceinline__ void move(const entry (&c)[3], const entry (&f)[3])
    {
        v[0] = b[1][0], v[1] = b[2][0], v[2] = f[0];
        b[0][0] = b[1][1], b[0][1] = c[1], b[1][0] = b[2][1], b[1][1] = c[2], b[2][0] = f[1], b[2][1] = f[2];
    }
};

/* Hop t of the bulges, a lane a bulge, as far as their diagonal blocks go, and its reflectors; fresh: no hop came before.  ends:
 * no hop follows.  All lanes of the warp come here. */
template <int B, typename entry, typename view>
static __device__ __forceinline__ void make_reflectors(geev_chain<entry, B> &chain, bulge_lane<entry> &lane, view h,
                                                       int l, int i, int t, bool fresh, bool ends)
{
    int const number = threadIdx.x % 32, k = bulge_column(l, t, number);
    bool const acts = number < chain.bulges && k >= l - 1 && k <= i - 2;
    geev_shifts<entry> const shifts = chain.shifts[acts ? number : 0];
    entry const zero = entry{};
    entry c[3] = {zero, zero, zero}, e[4] = {zero, zero, zero, zero}, f[3], sub1 = zero, sub2 = zero, beta = zero;
    entry *row[4];
#pragma unroll
    for (int x = 0; x < 4; ++x) row[x] = h.row(acts && k + 1 + x < i ? k + 1 + x : i) + k;
    if (acts && (fresh || k < l)) lane.load(h, k, l, i, shifts);
    if (acts && k + 3 <= i) c[0] = row[0][3], c[1] = row[1][3], c[2] = row[2][3];
    if (acts && k + 4 <= i) {
        sub1 = row[3][3];
#pragma unroll
        for (int x = 0; x < 4; ++x) e[x] = row[x][4];
    }
    bool const follows = number > 0 && k + GEEV_BULGE_ROWS <= i - 2; /* a bulge that still goes down */
    if (acts && k + 5 <= i && !follows) sub2 = h.row(k + 5)[k + 4];
    entry p[3] = {zero, zero, zero};
    if (acts) {
        beta = lane.step(lane.r[0], c, k >= l && k + 3 <= i, shifts, f, sub1);
        lane.r[0].left(e[0], e[1], e[2]), lane.r[0].right(f[0], f[1], f[2]);
        if (k >= l) row[0][0] = beta;
        row[0][1] = lane.b[0][0];
        p[0] = lane.b[0][1], p[1] = c[0], p[2] = e[0];
        lane.move(c, f);
        c[0] = e[1], c[1] = e[2], c[2] = e[3];
    }
    /* The bulge ahead ends the column that the row below begins with. */
    entry const ended = lane_below(beta);
    if (follows) sub2 = ended;
    if (acts) {
        bool const second = k + 3 <= i;
        entry next = lane.v[0];
        lane.r[1] = reflector3<entry>{};
        if (second) {
            next = lane.step(lane.r[1], c, k + 4 <= i, shifts, f, sub2);
            lane.r[1].right(f[0], f[1], f[2]), lane.r[1].right(p[0], p[1], p[2]);
        }
        row[0][2] = p[0], row[1][1] = next, row[1][2] = lane.b[0][0];
        if (second) row[0][3] = p[1], row[1][3] = lane.b[0][1];
        if (k + 4 <= i) row[0][4] = p[2], row[1][4] = c[0];
        if (second) lane.move(c, f);
        chain.reflector[t & 1][number][0] = lane.r[0], chain.reflector[t & 1][number][1] = lane.r[1];
    }
    bool const leaves = ends || k + 2 > i - 2;
    if (__any_sync(0xffffffffu, acts && leaves)) {
        __syncwarp();
        if (acts && leaves && k + 3 <= i) lane.store(h, k + 2, i);
    }
    __syncwarp();
}

/* A hop's reflectors of one bulge. */
template <typename entry> struct hop_reflectors {
    reflector3<entry> r[GEEV_HOP];
    __device__ __forceinline__ explicit hop_reflectors(const reflector3<entry> *from)
    {
#pragma unroll
        for (int j = 0; j < GEEV_HOP; ++j) r[j] = from[j];
    }
    /* To the numbers of a column, or of a row. */
    __device__ __forceinline__ void left(entry (&x)[GEEV_HOP_BLOCK]) const
    {
#pragma unroll
        for (int j = 0; j < GEEV_HOP; ++j) r[j].left(x[j], x[j + 1], x[j + 2]);
    }
    __device__ __forceinline__ void right(entry (&x)[GEEV_HOP_BLOCK]) const
    {
#pragma unroll
        for (int j = 0; j < GEEV_HOP; ++j) r[j].right(x[j], x[j + 1], x[j + 2]);
    }
};

/* The reflectors of hop t to the two rows just above each diagonal block, with which the next hop of the bulge behind begins; by
 * the warp that makes reflectors. */
template <typename entry, typename view>
static __device__ __forceinline__ void complete_above(const bulge_lane<entry> &lane, bool acts, view h, int k, int i,
                                                      int from)
{
    int const count = i - k;
#pragma unroll
    for (int a = 0; a < GEEV_ABOVE; ++a) {
        if (!acts || k - a < from) continue;
        entry *const p = h.row(k - a) + k + 1;
        entry x[GEEV_HOP_BLOCK];
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q) x[q] = q < count ? p[q] : entry{};
        lane.r[0].right(x[0], x[1], x[2]), lane.r[1].right(x[1], x[2], x[3]);
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q)
            if (q < count) p[q] = x[q];
    }
    __syncwarp();
}

/* A lane's C columns, 32 apart, of the rows at p; or rows, of the columns behind p[0..C-1][0].  `count` of GEEV_HOP_BLOCK are
 * there. */
template <int C, typename entry>
static __device__ __forceinline__ void apply_rows(const hop_reflectors<entry> &all, entry *const (&p)[GEEV_HOP_BLOCK],
                                                  int c, int right, int count)
{
    entry x[C][GEEV_HOP_BLOCK];
#pragma unroll
    for (int s = 0; s < C; ++s)
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q)
            x[s][q] = c + 32 * s <= right && q < count ? p[q][c + 32 * s] : entry{};
#pragma unroll
    for (int s = 0; s < C; ++s) all.left(x[s]);
#pragma unroll
    for (int s = 0; s < C; ++s)
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q)
            if (c + 32 * s <= right && q < count) p[q][c + 32 * s] = x[s][q];
}

template <int C, typename entry, typename view>
static __device__ __forceinline__ void apply_columns(const hop_reflectors<entry> &all, view h, int row, int bottom,
                                                     int at, int count)
{
    entry x[C][GEEV_HOP_BLOCK], *p[C];
#pragma unroll
    for (int s = 0; s < C; ++s) {
        p[s] = h.row(row + 32 * s <= bottom ? row + 32 * s : bottom) + at;
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q) x[s][q] = row + 32 * s <= bottom && q < count ? p[s][q] : entry{};
    }
#pragma unroll
    for (int s = 0; s < C; ++s) all.right(x[s]);
#pragma unroll
    for (int s = 0; s < C; ++s)
#pragma unroll
        for (int q = 0; q < GEEV_HOP_BLOCK; ++q)
            if (row + 32 * s <= bottom && q < count) p[s][q] = x[s][q];
}

/* Applies a hop's reflectors to the rows of the bulge's diagonal block, right of it.  This is part `part` of `parts`. */
template <typename entry, typename view>
static __device__ __forceinline__ void apply_left(int lane, view h, const reflector3<entry> *reflector, int k, int i,
                                                  int right, int part, int parts)
{
    hop_reflectors<entry> const all(reflector);
    int const count = i - k;
    entry *p[GEEV_HOP_BLOCK];
#pragma unroll
    for (int q = 0; q < GEEV_HOP_BLOCK; ++q) p[q] = h.row(q < count ? k + 1 + q : i);
    int c = k + GEEV_HOP_BLOCK + 1 + 32 * part; /* of lane 0 */
    for (; c + 32 * parts <= right && parts == 1; c += 64) apply_rows<2>(all, p, c + lane, right, count);
    for (; c <= right; c += 32 * parts) apply_rows<1>(all, p, c + lane, right, count);
}

/* Applies them to the columns of the block, rows top..bottom. */
template <typename entry, typename view>
static __device__ __forceinline__ void apply_right(int lane, view h, const reflector3<entry> *reflector, int k, int i,
                                                   int top, int bottom, int part, int parts)
{
    hop_reflectors<entry> const all(reflector);
    int const count = i - k;
    int x = top + 32 * part; /* of lane 0 */
    for (; x + 32 * parts <= bottom && parts == 1; x += 64) apply_columns<2>(all, h, x + lane, bottom, k + 1, count);
    for (; x <= bottom; x += 32 * parts) apply_columns<1>(all, h, x + lane, bottom, k + 1, count);
}

/* chain_steps of the warp that makes reflectors; those of others are apart from it, so that neither holds the registers of both. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void lead_chain(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                  int i, int from, int first, int last)
{
    int const lane = threadIdx.x % 32;
    bulge_lane<entry> own;
    make_reflectors(chain, own, h, l, i, first, true, first + 1 == last);
    block.sync(); /* the first reflectors are there */
#pragma unroll 1
    for (int t = first; t < last; ++t) {
        int const k = bulge_column(l, t, lane);
        block.sync(); /* rows are complete */
        complete_above(own, lane < chain.bulges && k >= l - 1 && k <= i - 2, h, k, i, from);
        if (t + 1 < last) make_reflectors(chain, own, h, l, i, t + 1, false, t + 2 == last);
        block.sync(); /* columns are complete, and the next reflectors are there */
    }
}

/* Hops first, ..., last - 1 of the sweep on l..i, of which rows and columns from..to are in h: of all that lies in there.  u,
 * where it has a base: U := U Q for these rows. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void chain_steps(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                   int i, int from, int to, int first, int last, geev_square<entry> u)
{
    if (block.makes()) {
        lead_chain(block, chain, h, l, i, from, first, last);
        return;
    }
    int const lane = threadIdx.x % 32;
    int const bulges = chain.bulges, workers = block.workers(), parts = workers >= 2 * bulges ? workers / bulges : 1;
    int const begin = parts > 1 ? block.worker() % bulges : block.worker(),
              part = parts > 1 ? block.worker() / bulges : 0;
    int const beyond = part < parts ? bulges : 0; /* no bulges for those that are left over */
    block.sync();                                 /* the first reflectors are there */
#pragma unroll 1
    for (int t = first; t < last; ++t) {
        const reflector3<entry>(*const reflector)[GEEV_HOP] = chain.reflector[t & 1];
        for (int b = begin; b < beyond; b += workers) {
            int const k = bulge_column(l, t, b);
            if (k >= l - 1 && k <= i - 2) apply_left(lane, h, reflector[b], k, i, to, part, parts);
        }
        block.sync(); /* rows are complete */
        for (int b = begin; b < beyond; b += workers) {
            int const k = bulge_column(l, t, b);
            if (k < l - 1 || k > i - 2) continue;
            apply_right(lane, h, reflector[b], k, i, from, k - GEEV_ABOVE, part, parts);
            /* U has two diagonals below its own for each bulge that has come by, and no more */
            int const low = k + GEEV_HOP_BLOCK + 2 * b;
            if (u.base) apply_right(lane, u, reflector[b], k, i, from, low < to ? low : to, part, parts);
        }
        block.sync(); /* columns are complete, and the next reflectors are there */
    }
}

/* Hops of a whole sweep. */
static __device__ __forceinline__ int chain_length(int l, int i, int bulges)
{
    return (i - l + GEEV_BULGE_ROWS * (bulges - 1) + GEEV_HOP - 1) / GEEV_HOP;
}

#endif
