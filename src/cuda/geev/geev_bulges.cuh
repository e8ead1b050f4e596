/* geev on CUDA, n > GEEV_MOST: a chain of small bulges, by a thread block.
 *
 * Sweep     up to B double-shift bulges, three rows apart, go down the active block l..i (K. Braman, R. Byers and
 *           R. Mathias, The multishift QR algorithm I, 2002).  A super-step moves all bulges by one row: each reflector is
 *           applied to three rows; a barrier; to three columns; a barrier.  During the second half one warp, a lane a
 *           bulge, makes the reflectors of the next super-step: it applies the present ones to the few entries that those
 *           begin with by itself.
 * Order     the arithmetic of an entry depends on the matrix alone: same bits.
 * Source    dlaqr5 of LAPACK. */
#ifndef EIG_GEEV_BULGES_CUH
#define EIG_GEEV_BULGES_CUH

#include "geev_window.cuh"

enum {
    GEEV_FEW_BULGES = 8,              /* of a chain, at most: where several blocks share a multiprocessor */
    GEEV_MANY_BULGES = 16,            /* where one block has it for itself */
    GEEV_BULGE_ROWS = 3,              /* between neighbours */
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
    entry u[GEEV_WINDOW];
    real window_re[GEEV_WINDOW], window_im[GEEV_WINDOW];
    geev_shifts<entry> shifts[B];
    reflector3<entry> reflector[2][B]; /* of this super-step and of the next */
    entry beta[2][B];                  /* what their columns become */
    entry seed[B][7];                  /* of rows k+2 and k+3 columns k+1..k+3, after the first half; h[k+4][k+3] */
    entry spike;
    real tiny;
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

/* The reflector of bulge b, which is at column k - 1 and has this reflector there, for column k: v and the entries behind it
 * are what that reflector makes of columns k..k+2. */
template <int B, typename entry, typename view>
static __device__ __forceinline__ reflector3<entry> next_reflector(const geev_chain<entry, B> &chain, view h, int b,
                                                                   int l, int i, int k, const reflector3<entry> &before,
                                                                   bool fresh, entry *beta)
{
    entry const zero = entry{};
    entry v[3] = {zero, zero, zero}, beside[3][2] = {{zero, zero}, {zero, zero}, {zero, zero}};
    const entry *const seed = chain.seed[b];
    bool const begins = k < l, full = !begins && k + 3 <= i;
    if (begins) {
        chain.shifts[b].first_column(h(l, l), h(l, l + 1), h(l + 1, l), h(l + 1, l + 1), h(l + 2, l + 1), v);
    } else if (fresh) {
#pragma unroll
        for (int j = 0; j < 3; ++j)
            if (k + 1 + j <= i)
                v[j] = h(k + 1 + j, k), beside[j][0] = h(k + 1 + j, k + 1), beside[j][1] = h(k + 1 + j, k + 2);
    } else {
#pragma unroll
        for (int j = 0; j < 2; ++j) v[j] = seed[3 * j], beside[j][0] = seed[3 * j + 1], beside[j][1] = seed[3 * j + 2];
        beside[2][1] = k + 3 <= i ? seed[6] : zero;
#pragma unroll
        for (int j = 0; j < 3; ++j) before.right(v[j], beside[j][0], beside[j][1]);
    }
    return bulge_reflector(v, beside, full, chain.shifts[b], beta);
}

/* The column of bulge b in super-step t, if it is anywhere; else less than l - 1. */
static __device__ __forceinline__ int bulge_column(int l, int i, int t, int b)
{
    int const k = l - 1 + t - GEEV_BULGE_ROWS * b;
    return k <= i - 2 ? k : l - 2;
}

/* The reflectors of super-step t, a lane a bulge; fresh: of which none is known that came before. */
template <int B, typename entry, typename warp, typename view>
static __device__ __forceinline__ void make_reflectors(warp team, geev_chain<entry, B> &chain, view h, int l, int i,
                                                       int t, bool fresh)
{
    for (int b = team.rank; b < chain.bulges; b += warp::size) {
        int const k = bulge_column(l, i, t, b);
        if (k < l - 1) continue;
        reflector3<entry> before = {};
        if (k >= l && !fresh) before = chain.reflector[(t - 1) & 1][b];
        entry beta;
        chain.reflector[t & 1][b] = next_reflector(chain, h, b, l, i, k, before, fresh, &beta);
        chain.beta[t & 1][b] = beta;
    }
}

/* Applies the reflector to rows k+1..k+3, columns k+1..right, and ends column k.  Notes what the next reflector is made of,
 * before the second half changes it.  This is part `part` of `parts`. */
template <typename entry, typename warp, typename view>
static __device__ __forceinline__ void apply_left(warp team, view h, const reflector3<entry> &reflector,
                                                  const entry &beta, entry *seed, int k, bool ends, bool three,
                                                  int right, int part, int parts)
{
    reflector3<entry> const r = reflector;
    entry const zero = entry{};
    int const last = three ? k + 3 : k + 2;
    entry *const p0 = h.row(k + 1), *const p1 = h.row(k + 2), *const p2 = h.row(last);
    int const s0 = h.step(k + 1), s1 = h.step(k + 2), s2 = h.step(last);
    if (ends && part == 0 && team.rank == 0) {
        p0[s0 * k] = beta, p1[s1 * k] = zero;
        if (three) p2[s2 * k] = zero;
    }
    for (int c = k + 1 + part * warp::size + team.rank; c <= right; c += parts * warp::size) {
        entry x0 = p0[s0 * c], x1 = p1[s1 * c], x2 = three ? p2[s2 * c] : zero;
        r.left(x0, x1, x2);
        p0[s0 * c] = x0, p1[s1 * c] = x1;
        if (three) p2[s2 * c] = x2;
        if (c <= k + 3) seed[c - k - 1] = x1, seed[c - k + 2] = x2;
    }
}

/* Applies the reflector to columns k+1..k+3, rows top..bottom. */
template <typename entry, typename warp, typename view>
static __device__ __forceinline__ void apply_right(warp team, view h, const reflector3<entry> &reflector, int k,
                                                   bool three, int top, int bottom, int part, int parts)
{
    reflector3<entry> const r = reflector;
    for (int x = top + part * warp::size + team.rank; x <= bottom; x += parts * warp::size) {
        int const s = h.step(x);
        entry *const p = h.row(x) + s * (k + 1);
        entry x0 = p[0], x1 = p[s], x2 = three ? p[2 * s] : entry{};
        r.right(x0, x1, x2);
        p[0] = x0, p[s] = x1;
        if (three) p[2 * s] = x2;
    }
}

/* Super-steps first, ..., last - 1 of the sweep on l..i, of which rows and columns from..to are in h: of all that lies in
 * there.  u, where it has a base: U := U Q for these rows. */
template <int B, typename entry, typename block_type, typename view>
static __device__ __forceinline__ void chain_steps(const block_type &block, geev_chain<entry, B> &chain, view h, int l,
                                                   int i, int from, int to, int first, int last, geev_square<entry> u)
{
    typename block_type::warp_type const warp = block.warp();
    int const bulges = chain.bulges, workers = block.workers(), parts = workers >= 2 * bulges ? workers / bulges : 1;
    int const begin = parts > 1 ? block.worker() % bulges : block.worker(),
              part = parts > 1 ? block.worker() / bulges : 0;
    int const beyond = part < parts && !block.only_makes() ? bulges : 0; /* no bulges for those that are left over */
    if (block.makes()) make_reflectors(warp, chain, h, l, i, first, true);
    block.sync(); /* the first reflectors are there */
    for (int t = first; t < last; ++t) {
        const reflector3<entry> *const reflector = chain.reflector[t & 1];
        const entry *const beta = chain.beta[t & 1];
        for (int b = begin; b < beyond; b += workers) {
            int const k = bulge_column(l, i, t, b);
            if (k < l - 1) continue;
            apply_left(warp, h, reflector[b], beta[b], chain.seed[b], k, k >= l, k + 3 <= i, to, part, parts);
            /* the bulge below is about to end column k+3 */
            if (part == 0 && warp.rank == 0 && k + 4 <= i)
                chain.seed[b][6] = b > 0 && k + GEEV_BULGE_ROWS <= i - 2 ? beta[b - 1] : h(k + 4, k + 3);
        }
        block.sync(); /* rows are complete */
        if (block.makes() && t + 1 < last) make_reflectors(warp, chain, h, l, i, t + 1, false);
        for (int b = begin; b < beyond; b += workers) {
            int const k = bulge_column(l, i, t, b);
            if (k < l - 1) continue;
            bool const three = k + 3 <= i;
            apply_right(warp, h, reflector[b], k, three, from, k + 4 < i ? k + 4 : i, part, parts);
            /* U has two diagonals below its own for each bulge that has come by, and no more */
            int const low = k + 3 + 2 * b;
            if (u.base) apply_right(warp, u, reflector[b], k, three, from, low < to ? low : to, part, parts);
        }
        block.sync(); /* columns are complete, and the next reflectors are there */
    }
}

/* Super-steps of a whole sweep. */
static __device__ __forceinline__ int chain_length(int l, int i, int bulges)
{
    return i - l + GEEV_BULGE_ROWS * (bulges - 1);
}

#endif
