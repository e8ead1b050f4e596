/* geev on CUDA, n > GEEV_MOST: a chain of small bulges, by a thread block.
 *
 * Sweep     up to B double-shift bulges, three rows apart, go down the active block l..i (K. Braman, R. Byers and
 *           R. Mathias, The multishift QR algorithm I, 2002).  A super-step moves all bulges by one row: each reflector
 *           is applied to three rows; a barrier; to three columns; a barrier.
 * Makers    one warp, a lane a bulge, has the blocks under the bulges in registers.  During the whole of a super-step
 *           it moves them on and makes the reflectors of the next one; the others apply the present ones to all that is
 *           beside and above the blocks.  It waits for them once a super-step, for the column that enters.
 * Order     the arithmetic of an entry depends on the matrix alone: same bits.
 * Source    dlaqr5 of LAPACK. */
#ifndef EIG_GEEV_BULGES_CUH
#define EIG_GEEV_BULGES_CUH

#include "geev/block/geev_window.cuh"

enum {
    GEEV_FEW_BULGES = 8,   /* of a chain, at most: where several blocks share a multiprocessor */
    GEEV_MANY_BULGES = 16, /* where one block has it for itself */
    GEEV_BULGE_ROWS = 3,   /* between neighbours */
    GEEV_WINDOW = 12,      /* largest order of the window of deflation, and of a block that it solves */
    GEEV_WIDE_WINDOW = 16, /* the same with many bulges */
    GEEV_LANES = 16,       /* that multiply a row by its transformation */
    GEEV_NIBBLE = 60,      /* a window that deflates more of itself, in per cent, is followed by another one */
    GEEV_EXCEPTIONAL = 6   /* every so many steps without a deflation take exceptional shifts */
};

/* What a block knows of its matrix, in shared memory; B: most bulges of a chain. */
template <typename entry, int B> struct geev_chain {
    using real = real_of<entry>;
    enum {
        MOST = B == GEEV_MANY_BULGES ? GEEV_WIDE_WINDOW : GEEV_WINDOW, /* largest window */
        LD = MOST + 1                                                  /* of its rows */
    };
    entry t[MOST * LD], v[MOST * LD]; /* the window, its transformation */
    entry u[MOST];
    real window_re[MOST], window_im[MOST];
    geev_shifts<entry> shifts[B];
    reflector3<entry> reflector[2][B]; /* of this super-step and of the next */
    entry beta[2][B];                  /* what their columns become */
    entry spike;
    real tiny;
    int bulges;     /* of the next chain */
    int open, left; /* of the window: leading rows that did not converge, rows that stay */

    __device__ __forceinline__ geev_square<entry> window()
    {
        return geev_square<entry>{t, LD};
    }
    __device__ __forceinline__ geev_square<entry> vectors()
    {
        return geev_square<entry>{v, LD};
    }
};

/* How many bulges a chain has, at most, and the order of the window of deflation, by the order of the matrix. */
struct geev_shape {
    int bulges, window;
};

static __host__ __device__ inline geev_shape geev_shape_of(int n)
{
    return n < 80 ? geev_shape{4, 4} : n < 160 ? geev_shape{8, 8} : geev_shape{15, n < 280 ? 12 : 16};
}

/* --------------------------------------------------------------- a chain of bulges */

/* The reflector of v, of a bulge at column k with these shifts, and what becomes of v.  h: rows and columns from k + 1
 * on, behind v.  A bulge that has collapsed, for the entries that it consists of underflowed, begins anew, as in
 * dlaqr5. */
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

/* Entry (r, c). */
template <typename entry, typename view>
static __device__ __forceinline__ geev_place<entry> place_in(view h, int r, int c)
{
    int const s = h.step(r);
    return {h.row(r) + s * c, s};
}

/* A bulge at column k, in the registers of a lane: its reflector, what becomes of column k, and the block under it,
 * which memory does not have: rows k+1..k+3 of columns k+1 and k+2.  Column k+3 enters a super-step from memory, row
 * k+1 leaves it. */
template <typename entry> struct held_bulge {
    reflector3<entry> r;
    entry beta;
    entry b[3][2], v[3];     /* v: the column before, where it is not zero yet */
    geev_place<entry> at[3]; /* of h[k+1+j][k+3] */

    /* A bulge that memory has, at its first super-step or at the first of a window. */
    template <typename view> __device__ __forceinline__ void load(view h, int i, int k)
    {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            at[j] = place_in<entry>(h, k + 1 + j, k + 3);
#pragma unroll
            for (int m = 0; m < 2; ++m) b[j][m] = k + 1 + j <= i ? at[j].p[(m - 2) * at[j].s] : entry{};
        }
    }
    /* The super-step, and on to column k+1.  ends: column k gets the entry that is left of it; cleans: memory has
     * numbers below its subdiagonal; stays: the bulge is not moved on, and goes to memory.  ahead: the bulge ahead has
     * just made h[k+4][k+3], else memory has it. */
    template <typename view>
    __device__ __forceinline__ void step(view h, int i, int k, bool ends, bool cleans, bool stays, bool ahead,
                                         const entry *made)
    {
        bool const three = k + 3 <= i, four = k + 4 <= i;
        entry const zero = entry{};
        geev_place<entry> const next = place_in<entry>(h, k + 4, k + 4);
        const entry *const below = ahead ? made : next.p - next.s;
        entry f0, f1, f2 = four ? *below : zero;
        entry c0 = three ? *at[0].p : zero, c1 = three ? *at[1].p : zero, c2 = three ? *at[2].p : zero;
        r.left(b[0][0], b[1][0], b[2][0]), r.left(b[0][1], b[1][1], b[2][1]), r.left(c0, c1, c2);
        r.right(b[1][0], b[1][1], c1), r.right(b[2][0], b[2][1], c2), r.right_last(f0, f1, f2);
        r.right(b[0][0], b[0][1], c0);
        if (ends) at[0].p[-3 * at[0].s] = beta;
        at[0].p[-2 * at[0].s] = b[0][0], at[0].p[-at[0].s] = b[0][1];
        if (three) *at[0].p = c0;
        if (cleans) {
            at[1].p[-3 * at[1].s] = zero;
            if (three) at[2].p[-3 * at[2].s] = zero;
        }
        if (stays) {
            at[1].p[-2 * at[1].s] = b[1][0], at[1].p[-at[1].s] = b[1][1];
            if (three) at[1].p[0] = c1, at[2].p[-2 * at[2].s] = b[2][0], at[2].p[-at[2].s] = b[2][1], at[2].p[0] = c2;
            if (four) next.p[-3 * next.s] = f0, next.p[-2 * next.s] = f1, next.p[-next.s] = f2;
        }
        v[0] = b[1][0], v[1] = b[2][0], v[2] = f0;
        b[0][0] = b[1][1], b[0][1] = c1, b[1][0] = b[2][1], b[1][1] = c2, b[2][0] = f1, b[2][1] = f2;
        at[0] = at[1].right(), at[1] = at[2].right(), at[2] = next;
    }
    /* The next reflector.  full: the bulge has three rows, and is not new. */
    __device__ __forceinline__ void reflect(const geev_shifts<entry> &shifts, bool full)
    {
        bool tiny;
        r = quick_reflector(v[0], v[1], v[2], &beta, &tiny);
        if (__builtin_expect(tiny || (full && is_zero(v[2]) && is_zero(b[2][0]) && !is_zero(b[2][1])), 0))
            r = bulge_reflector(v, b, full, shifts, &beta);
    }
};

/* The column to begin with, of a bulge that is new; below: h[l+2][l+1]. */
template <typename entry, typename view>
static __device__ __forceinline__ void begin_bulge(held_bulge<entry> &bulge, const geev_shifts<entry> &shifts, view h,
                                                   int l, entry below)
{
    shifts.first_column(h(l, l), h(l, l + 1), h(l + 1, l), h(l + 1, l + 1), below, bulge.v);
}

/* The reflectors of super-steps first, ..., last - 1, a lane a bulge; each is ready when its super-step begins. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void make_chain(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                  int i, int first, int last)
{
    int const b = block.warp().rank, bulges = chain.bulges, span = i - 1 - l;
    /* columns from l - 1 on; lanes without a bulge never come to them */
    int k = b < bulges ? first - GEEV_BULGE_ROWS * b : -(1 << 24);
    held_bulge<entry> bulge = {};
    if ((unsigned)k <= (unsigned)span) {
        if (k == 0) {
            begin_bulge(bulge, chain.shifts[b], h, l, h(l + 2, l + 1));
        } else {
            bulge.load(h, i, k + l - 1);
#pragma unroll
            for (int j = 0; j < 3; ++j) bulge.v[j] = k + l + j <= i ? bulge.at[j].p[-3 * bulge.at[j].s] : entry{};
        }
        bulge.r = bulge_reflector(bulge.v, bulge.b, k > 0 && k + l + 2 <= i, chain.shifts[b], &bulge.beta);
        chain.reflector[first & 1][b] = bulge.r, chain.beta[first & 1][b] = bulge.beta;
    }
    block.sync(); /* the first reflectors are there */
    for (int t = first; t < last; ++t, ++k) {
        bool const acts = (unsigned)k <= (unsigned)span, comes = (unsigned)(k + 1) <= (unsigned)span && t + 1 < last;
        bool const ahead = b > 0 && k + GEEV_BULGE_ROWS <= span;
        const entry *const made = &chain.beta[t & 1][b > 0 ? b - 1 : 0];
        if (acts) {
            if (k == 0 || t == first) bulge.load(h, i, k + l - 1);
            /* at the end of a window the bulge behind has that entry of column k in its block */
            bool const behind = t + 1 == last && k >= GEEV_BULGE_ROWS && b + 1 < bulges;
            bulge.step(h, i, k + l - 1, k > 0 && !behind, k > 0 && t == first, !comes, ahead, made);
        }
        if (comes) {
            if (k < 0) {
                int const top = hidden(l); /* or its rows are found before the loop, for which there are no registers */
                begin_bulge(bulge, chain.shifts[b], h, top, ahead ? *made : h(top + 2, top + 1));
            }
            bulge.reflect(chain.shifts[b], k >= 0 && k + l + 3 <= i);
            chain.reflector[(t + 1) & 1][b] = bulge.r, chain.beta[(t + 1) & 1][b] = bulge.beta;
        }
        block.skip_workers();
        block.sync(); /* columns are complete, and the next reflectors are there */
    }
}

/* Applies the reflector to three rows, columns begin..right.  at: the rows' entries in column begin + the lane's
 * number; every `stride` columns there are more of this warp. */
template <typename entry, typename warp>
static __device__ __forceinline__ void apply_left(warp team, const geev_place<entry> (&at)[3],
                                                  const reflector3<entry> &r, int begin, int right, int stride)
{
    entry const zero = entry{};
    entry *p0 = at[0].p, *p1 = at[1].p, *p2 = at[2].p;
    for (; begin + stride <= right; begin += 2 * stride) { /* two at a time, the first of which all lanes have */
        int const d0 = at[0].s * stride, d1 = at[1].s * stride, d2 = at[2].s * stride;
        bool const two = begin + stride + team.rank <= right;
        entry x0 = *p0, x1 = *p1, x2 = *p2, y0 = two ? p0[d0] : zero, y1 = two ? p1[d1] : zero,
              y2 = two ? p2[d2] : zero;
        r.left(x0, x1, x2), r.left(y0, y1, y2);
        *p0 = x0, *p1 = x1, *p2 = x2;
        if (two) p0[d0] = y0, p1[d1] = y1, p2[d2] = y2;
        p0 += 2 * d0, p1 += 2 * d1, p2 += 2 * d2;
    }
    if (begin + team.rank > right) return;
    entry x0 = *p0, x1 = *p1, x2 = *p2;
    r.left(x0, x1, x2);
    *p0 = x0, *p1 = x1, *p2 = x2;
}

/* Applies the reflector to columns k+1..k+3, rows begin..bottom, likewise. */
template <typename entry, typename warp, typename view>
static __device__ __forceinline__ void apply_right(warp team, view h, const reflector3<entry> &r, int k, bool three,
                                                   int begin, int bottom, int stride)
{
    entry const zero = entry{};
    if (begin > bottom) return;
    typename view::walker at = h.walk(begin + team.rank, k + 1);
    for (; begin + stride <= bottom; begin += 2 * stride) {
        geev_place<entry> const p = at.place();
        at.down(stride);
        geev_place<entry> const q = at.place();
        bool const two = begin + stride + team.rank <= bottom;
        entry x0 = p.p[0], x1 = p.p[p.s], x2 = three ? p.p[2 * p.s] : zero;
        entry y0 = two ? q.p[0] : zero, y1 = two ? q.p[q.s] : zero, y2 = two && three ? q.p[2 * q.s] : zero;
        r.right(x0, x1, x2), r.right(y0, y1, y2);
        p.p[0] = x0, p.p[p.s] = x1;
        if (three) p.p[2 * p.s] = x2;
        if (two) q.p[0] = y0, q.p[q.s] = y1;
        if (two && three) q.p[2 * q.s] = y2;
        at.down(stride);
    }
    if (begin + team.rank > bottom) return;
    geev_place<entry> const p = at.place();
    entry x0 = p.p[0], x1 = p.p[p.s], x2 = three ? p.p[2 * p.s] : zero;
    r.right(x0, x1, x2);
    p.p[0] = x0, p.p[p.s] = x1;
    if (three) p.p[2 * p.s] = x2;
}

/* What the other warps do meanwhile: all that is beside and above the blocks under the bulges.  A warp that has one
 * bulge keeps its places from one super-step to the next. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void apply_chain(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                   int i, int from, int to, int first, int last, geev_square<entry> u)
{
    typename block_type::warp_type const warp = block.warp();
    int const bulges = chain.bulges, workers = block.workers(), parts = workers >= 2 * bulges ? workers / bulges : 1;
    int const begin = parts > 1 ? block.worker() % bulges : block.worker(),
              part = parts > 1 ? block.worker() / bulges : 0;
    int const beyond = part < parts ? bulges : 0; /* no bulges for those that are left over */
    int const span = i - 1 - l, stride = 32 * parts, apart = 32 * part, above = from + apart;
    bool const one = workers >= bulges;
    reflector3<entry> r = {};
    geev_place<entry> at[3] = {};
    block.sync(); /* the first reflectors are there */
    for (int t = first; t < last; ++t) {
        const reflector3<entry> *const reflector = chain.reflector[t & 1];
        for (int b = begin; b < beyond; b += workers) {
            int const along = t - GEEV_BULGE_ROWS * b, k = along + l - 1, c = k + 4 + apart;
            if ((unsigned)along > (unsigned)span) continue;
            r = reflector[b];
            if (c > to) continue;
            if (!one || along == 0 || t == first) {
#pragma unroll
                for (int j = 0; j < 3; ++j) at[j] = place_in<entry>(h, k + 1 + j, c + warp.rank);
            }
            apply_left(warp, at, r, c, to, stride);
            if (one) at[0] = at[1].right(), at[1] = at[2].right(), at[2] = place_in<entry>(h, k + 4, c + 1 + warp.rank);
        }
        block.sync_workers(); /* rows are complete */
        for (int b = begin; b < beyond; b += workers) {
            int const along = t - GEEV_BULGE_ROWS * b, k = along + l - 1;
            if ((unsigned)along > (unsigned)span) continue;
            if (!one) r = reflector[b];
            bool const three = k + 3 <= i;
            apply_right(warp, h, r, k, three, above, k, stride);
            /* U has two diagonals below its own for each bulge that has come by, and no more */
            int const low = k + 3 + 2 * b;
            if (u.base) apply_right(warp, u, r, k, three, above, low < to ? low : to, stride);
        }
        block.sync(); /* columns are complete, and the next reflectors are there */
    }
}

/* Super-steps first, ..., last - 1 of the sweep on l..i, of which rows and columns from..to are in h: of all that lies
 * in there.  u, where it has a base: U := U Q for these rows. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void chain_steps(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                   int i, int from, int to, int first, int last, geev_square<entry> u)
{
    if (block.makes())
        make_chain(block, chain, h, l, i, first, last);
    else
        apply_chain(block, chain, h, l, i, from, to, first, last, u);
}

/* Super-steps of a whole sweep. */
static __device__ __forceinline__ int chain_length(int l, int i, int bulges)
{
    return i - l + GEEV_BULGE_ROWS * (bulges - 1);
}

#endif
