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

#include "geev_schur.cuh"

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
template <typename real, int B> struct geev_chain {
    real t[GEEV_WINDOW * GEEV_WINDOW_LD], v[GEEV_WINDOW * GEEV_WINDOW_LD]; /* the window, its transformation */
    real window_re[GEEV_WINDOW], window_im[GEEV_WINDOW], u[GEEV_WINDOW];
    real re1[B], re2[B], im[B]; /* shifts, as francis_shifts gives them */
    real reflector[2][B][6];    /* u1, u2, tau, t1, t2, beta of this super-step and of the next */
    real seed[B][7];            /* of rows k+2 and k+3 columns k+1..k+3, after the first half; h[k+4][k+3] */
    real tiny, spike;
    int bulges;     /* of the next chain */
    int open, left; /* of the window: leading rows that did not converge, rows that stay */

    __device__ __forceinline__ geev_square<real> window()
    {
        return geev_square<real>{t, GEEV_WINDOW_LD};
    }
    __device__ __forceinline__ geev_square<real> vectors()
    {
        return geev_square<real>{v, GEEV_WINDOW_LD};
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

/* The reflector of v, of a bulge at column k with these shifts, and what becomes of v.  h11 to h32: rows and columns from
 * k + 1 on, behind v.  A bulge that has collapsed, for the entries that it consists of underflowed, begins anew, as in
 * dlaqr5. */
template <typename real>
static __device__ __forceinline__ reflector3<real> bulge_reflector(const real (&v)[3], const real (&h)[3][2], bool full,
                                                                   real re1, real re2, real im, real *beta)
{
    reflector3<real> const r = any_reflector(v[0], v[1], v[2], beta);
    if (!full || v[2] != 0 || h[2][0] != 0 || h[2][1] == 0) return r;
    real w0, w1, w2, unused;
    francis_first_column(h[0][0], h[0][1], h[1][0], h[1][1], h[2][1], re1, re2, im, &w0, &w1, &w2);
    reflector3<real> const again = any_reflector(w0, w1, w2, &unused);
    real const sum = again.tau * fma(again.u1, v[1], v[0]);
    if (fabs(v[1] - sum * again.u1) + fabs(sum * again.u2) > real_limits<real>::eps * (fabs(h[0][0]) + fabs(h[1][1])))
        return r;
    *beta = v[0] - sum;
    return again;
}

/* The reflector of bulge b, which is at column k - 1 and has this reflector there, for column k: v and the entries behind it
 * are what that reflector makes of columns k..k+2. */
template <int B, typename real, typename view>
static __device__ __forceinline__ reflector3<real> next_reflector(const geev_chain<real, B> &chain, view h, int b,
                                                                  int l, int i, int k, const reflector3<real> &before,
                                                                  bool fresh, real *beta)
{
    real v[3] = {0, 0, 0}, beside[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    const real *const seed = chain.seed[b];
    bool const begins = k < l, full = !begins && k + 3 <= i;
    if (begins) {
        francis_first_column(h(l, l), h(l, l + 1), h(l + 1, l), h(l + 1, l + 1), h(l + 2, l + 1), chain.re1[b],
                             chain.re2[b], chain.im[b], &v[0], &v[1], &v[2]);
    } else if (fresh) {
#pragma unroll
        for (int j = 0; j < 3; ++j)
            if (k + 1 + j <= i)
                v[j] = h(k + 1 + j, k), beside[j][0] = h(k + 1 + j, k + 1), beside[j][1] = h(k + 1 + j, k + 2);
    } else {
#pragma unroll
        for (int j = 0; j < 2; ++j) v[j] = seed[3 * j], beside[j][0] = seed[3 * j + 1], beside[j][1] = seed[3 * j + 2];
        beside[2][1] = k + 3 <= i ? seed[6] : (real)0;
#pragma unroll
        for (int j = 0; j < 3; ++j) before.apply(v[j], beside[j][0], beside[j][1]);
    }
    return bulge_reflector(v, beside, full, chain.re1[b], chain.re2[b], chain.im[b], beta);
}

template <typename real> static __device__ __forceinline__ reflector3<real> load_reflector(const real *at)
{
    return reflector3<real>{at[0], at[1], at[2], at[3], at[4]};
}

/* The column of bulge b in super-step t, if it is anywhere; else less than l - 1. */
static __device__ __forceinline__ int bulge_column(int l, int i, int t, int b)
{
    int const k = l - 1 + t - GEEV_BULGE_ROWS * b;
    return k <= i - 2 ? k : l - 2;
}

/* The reflectors of super-step t, a lane a bulge; fresh: of which none is known that came before. */
template <int B, typename real, typename warp, typename view>
static __device__ __forceinline__ void make_reflectors(warp team, geev_chain<real, B> &chain, view h, int l, int i,
                                                       int t, bool fresh)
{
    for (int b = team.rank; b < chain.bulges; b += warp::size) {
        int const k = bulge_column(l, i, t, b);
        if (k < l - 1) continue;
        reflector3<real> before = {0, 0, 0, 0, 0};
        if (k >= l && !fresh) before = load_reflector(chain.reflector[(t - 1) & 1][b]);
        real beta;
        reflector3<real> const r = next_reflector(chain, h, b, l, i, k, before, fresh, &beta);
        real *const to = chain.reflector[t & 1][b];
        to[0] = r.u1, to[1] = r.u2, to[2] = r.tau, to[3] = r.t1, to[4] = r.t2, to[5] = beta;
    }
}

/* Applies the reflector to rows k+1..k+3, columns k+1..right, and ends column k.  Notes what the next reflector is made of,
 * before the second half changes it.  This is part `part` of `parts`. */
template <typename real, typename warp, typename view>
static __device__ __forceinline__ void apply_left(warp team, view h, const real *reflector, real *seed, int k,
                                                  bool ends, bool three, int right, int part, int parts)
{
    reflector3<real> const r = load_reflector(reflector);
    int const last = three ? k + 3 : k + 2;
    real *const p0 = h.row(k + 1), *const p1 = h.row(k + 2), *const p2 = h.row(last);
    int const s0 = h.step(k + 1), s1 = h.step(k + 2), s2 = h.step(last);
    if (ends && part == 0 && team.rank == 0) {
        p0[s0 * k] = reflector[5], p1[s1 * k] = 0;
        if (three) p2[s2 * k] = 0;
    }
    for (int c = k + 1 + part * warp::size + team.rank; c <= right; c += parts * warp::size) {
        real x0 = p0[s0 * c], x1 = p1[s1 * c], x2 = three ? p2[s2 * c] : (real)0;
        r.apply(x0, x1, x2);
        p0[s0 * c] = x0, p1[s1 * c] = x1;
        if (three) p2[s2 * c] = x2;
        if (c <= k + 3) seed[c - k - 1] = x1, seed[c - k + 2] = x2;
    }
}

/* Applies the reflector to columns k+1..k+3, rows top..bottom. */
template <typename real, typename warp, typename view>
static __device__ __forceinline__ void apply_right(warp team, view h, const real *reflector, int k, bool three, int top,
                                                   int bottom, int part, int parts)
{
    reflector3<real> const r = load_reflector(reflector);
    for (int x = top + part * warp::size + team.rank; x <= bottom; x += parts * warp::size) {
        int const s = h.step(x);
        real *const p = h.row(x) + s * (k + 1);
        real x0 = p[0], x1 = p[s], x2 = three ? p[2 * s] : (real)0;
        r.apply(x0, x1, x2);
        p[0] = x0, p[s] = x1;
        if (three) p[2 * s] = x2;
    }
}

/* Super-steps first, ..., last - 1 of the sweep on l..i, of which rows and columns from..to are in h: of all that lies in
 * there.  u, where it has a base: U := U Q for these rows. */
template <int B, typename real, typename block_type, typename view>
static __device__ __forceinline__ void chain_steps(const block_type &block, geev_chain<real, B> &chain, view h, int l,
                                                   int i, int from, int to, int first, int last, geev_square<real> u)
{
    typename block_type::warp_type const warp = block.warp();
    int const bulges = chain.bulges, workers = block.workers(), parts = workers >= 2 * bulges ? workers / bulges : 1;
    int const begin = parts > 1 ? block.worker() % bulges : block.worker(),
              part = parts > 1 ? block.worker() / bulges : 0;
    int const beyond = part < parts && !block.only_makes() ? bulges : 0; /* no bulges for those that are left over */
    if (block.makes()) make_reflectors(warp, chain, h, l, i, first, true);
    block.sync(); /* the first reflectors are there */
    for (int t = first; t < last; ++t) {
        const real(*const reflector)[6] = chain.reflector[t & 1];
        for (int b = begin; b < beyond; b += workers) {
            int const k = bulge_column(l, i, t, b);
            if (k < l - 1) continue;
            apply_left(warp, h, reflector[b], chain.seed[b], k, k >= l, k + 3 <= i, to, part, parts);
            /* the bulge below is about to end column k+3 */
            if (part == 0 && warp.rank == 0 && k + 4 <= i)
                chain.seed[b][6] = b > 0 && k + GEEV_BULGE_ROWS <= i - 2 ? reflector[b - 1][5] : h(k + 4, k + 3);
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
