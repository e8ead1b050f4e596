/* geev on the CPU: eigenvectors and condition numbers of one matrix from its Schur form, a vector in each lane.  Part
 * of geev_kernels.c.
 *
 * Mapping   SIMD_LANES vectors at a time, of a complex pair the first; row by row from below.  Entries of T and Q are
 *           the same for all lanes, so that blocks of two rows need no mask; a lane whose vector begins further up has
 *           zeros until then.  Left vectors are those of the mirrored matrix, as in geev_vectors.c, which is the plain
 *           version.
 * Cost      n^3/6 multiplications for each real part of a right vector's entries, and n^3/2 with Q, over the lanes;
 *           little compared with the iteration.
 * Promises  a lane's arithmetic depends on its vector alone. */
#ifndef EIG_GEEV_BACK_H
#define EIG_GEEV_BACK_H

#include "geev_cpu.h"
#include "geev_lanes.h"
#include "geev_plain.h"

/* The vectors of a group: right or left, entry j at x[2*j] and x[2*j + 1]. */
typedef struct back_group {
    int64_t n, last;           /* last: the last row that is not zero in all lanes */
    geev_view t;               /* T, or mirrored */
    int64_t first[SIMD_LANES]; /* the row where a lane's vector begins: its last row that is not zero; -1: no vector */
    vreal re, im, least;       /* eigenvalues, smallest pivot */
    vreal *x;
} back_group;

/* Lanes whose vectors begin in row j. */
SIMD_FN vint begins_at(const back_group *g, int64_t j)
{
    vint mask;
    for (int t = 0; t < SIMD_LANES; ++t) mask[t] = -(int)(g->first[t] == j);
    return mask;
}

/* Minus the sum of T(j, i) x_i over the rows below `above`: even and odd rows apart, so that two sums are in
 * progress. */
SIMD_FN void right_side(const back_group *g, int64_t j, int64_t above, vreal *re, vreal *im)
{
    vreal sum[2][2] = {{{0}}};
    const real *const row = g->t.a + j * g->t.si;
    for (int64_t i = above + 1; i <= g->last; ++i) {
        int const s = i & 1;
        vreal const a = simd_splat(-row[i * g->t.sj]), x = g->x[2 * i], y = g->x[2 * i + 1];
        sum[s][0] = simd_fma(a, x, sum[s][0]);
        sum[s][1] = simd_fma(a, y, sum[s][1]);
        if (EIG_COMPLEX) {
            vreal const b = simd_splat(row[i * g->t.sj + g->t.im]);
            sum[s][0] = simd_fma(b, y, sum[s][0]);
            sum[s][1] = simd_fma(-b, x, sum[s][1]);
        }
    }
    *re = sum[0][0] + sum[1][0], *im = sum[0][1] + sum[1][1];
}

/* Scales all entries below row j, and the right sides r, so that x_j = r / d is no larger than it may be. */
SIMD_FN void guard(back_group *g, int64_t j, vreal d_re, vreal d_im, vreal r_re, vreal r_im, int count, vreal *r)
{
    vreal const f = schur_guard_lanes(r_re, r_im, d_re, d_im);
    if (!simd_any(f != 1)) return;
    for (int64_t i = 2 * (j + 1); i < 2 * (g->last + 1); ++i) g->x[i] *= f;
    for (int k = 0; k < count; ++k) r[k] *= f;
}

static inline void find_one(back_group *g, int64_t j)
{
    vreal const one = simd_splat(1), zero = {0};
    vint const begins = begins_at(g, j);
    const real *const t = g->t.a + j * (g->t.si + g->t.sj);
    vreal r[2], d_re = simd_splat(t[0]) - g->re,
                d_im = EIG_COMPLEX ? simd_splat(t[EIG_COMPLEX * g->t.im]) - g->im : -g->im;
    right_side(g, j, j, r, r + 1);
    schur_pivot_lanes(g->least, &d_re, &d_im);
    guard(g, j, d_re, d_im, r[0], r[1], 2, r);
    schur_divide_lanes(r[0], r[1], d_re, d_im, r, r + 1);
    g->x[2 * j] = simd_select(begins, one, r[0]), g->x[2 * j + 1] = simd_select(begins, zero, r[1]);
}

/* Rows j-1 and j, which form a 2 x 2 block. */
static inline void find_two(back_group *g, int64_t j)
{
    vint const begins = begins_at(g, j);
    geev_view const t = g->t;
    const real *const at = t.a + (j - 1) * (t.si + t.sj);
    vreal const a = simd_splat(at[0]), b = simd_splat(at[t.sj]), c = simd_splat(at[t.si]),
                d = simd_splat(at[t.si + t.sj]);
    vreal const aw[2] = {a - g->re, -g->im}, dw[2] = {d - g->re, -g->im};
    vreal u[6], r[4], *const x = g->x + 2 * (j - 1);
    right_side(g, j - 1, j, r, r + 1);
    right_side(g, j, j, r + 2, r + 3);
    schur_eliminate_lanes(aw, b, c, dw, g->least, u, r);
    guard(g, j, u[4], u[5], r[2], r[3], 4, r);
    schur_divide_lanes(r[2], r[3], u[4], u[5], r + 2, r + 3);
    r[0] -= u[2] * r[2] - u[3] * r[3];
    r[1] -= u[2] * r[3] + u[3] * r[2];
    guard(g, j, u[0], u[1], r[0], r[1], 4, r);
    schur_divide_lanes(r[0], r[1], u[0], u[1], r, r + 1);
    vreal start[4] = {{0}};
    if (simd_any(begins)) schur_start_lanes(a, b, c, d, g->re, g->im, start, start + 1, start + 2, start + 3);
    for (int k = 0; k < 4; ++k) x[k] = simd_select(begins, start[k], r[k]);
}

static inline void substitute(back_group *g)
{
    geev_view const t = g->t;
    for (int64_t j = g->last; j >= 0; --j) {
        if (!EIG_COMPLEX && j > 0 && t.a[j * t.si + (j - 1) * t.sj] != 0)
            find_two(g, j--);
        else
            find_one(g, j);
    }
}

/* The vectors times a power of two each: their largest parts come to 1. */
static inline void bring_to_one(int64_t count, vreal *x)
{
    vreal most = simd_splat(REAL_MIN);
    for (int64_t i = 0; i < 2 * count; ++i) most = simd_max(simd_abs(x[i]), most);
    vreal const f = pow2_inverse_lanes(pow2_floor_lanes(most));
    for (int64_t i = 0; i < 2 * count; ++i) x[i] *= f;
}

/* Rows i..i + rows - 1 of Q x. */
SIMD_FN void multiply_rows(int const rows, geev_view q, int64_t i, int64_t last, const vreal *x, vreal *to)
{
    vreal sum[4][2] = {{{0}}};
    for (int64_t j = 0; j <= last; ++j) {
        vreal const re = x[2 * j], im = x[2 * j + 1];
        for (int s = 0; s < rows; ++s) {
            const real *const at = q.a + (i + s) * q.si + j * q.sj;
            vreal const a = simd_splat(at[0]);
            sum[s][0] = simd_fma(a, re, sum[s][0]), sum[s][1] = simd_fma(a, im, sum[s][1]);
            if (!EIG_COMPLEX) continue;
            vreal const b = simd_splat(at[EIG_COMPLEX * q.im]);
            sum[s][0] = simd_fma(-b, im, sum[s][0]), sum[s][1] = simd_fma(b, re, sum[s][1]);
        }
    }
    for (int s = 0; s < rows; ++s) to[2 * (i + s)] = sum[s][0], to[2 * (i + s) + 1] = sum[s][1];
}

static inline void multiply(geev_view q, int64_t n, int64_t last, const vreal *x, vreal *to)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) multiply_rows(4, q, i, last, x, to);
    for (; i < n; ++i) multiply_rows(1, q, i, last, x, to);
}

/* The same where Q is the identity. */
static inline void copy_rows(bool left, int64_t n, int64_t last, const vreal *x, vreal *to)
{
    for (int64_t i = 0; i < n; ++i) {
        int64_t const j = left ? n - 1 - i : i;
        to[2 * i] = j <= last ? x[2 * j] : (vreal){0}, to[2 * i + 1] = j <= last ? x[2 * j + 1] : (vreal){0};
    }
}

/* x := D x, or D^-1 x, as in geev_vectors.c. */
static inline void unbalance(const geev_schur *s, bool left, vreal *x)
{
    bool scaled_rows = false;
    for (int64_t i = 0; i < s->n; ++i) scaled_rows = scaled_rows || s->scale[i] != 1;
    for (int step = 0; step < 2 && scaled_rows; ++step) {
        for (int64_t i = 0; i < s->n; ++i) {
            int const all = ilogb(s->scale[i]), half = all / 2, e = step == 0 ? half : all - half;
            vreal const f = simd_splat(ldexp((real)1, left ? -e : e));
            x[2 * i] *= f, x[2 * i + 1] *= f;
        }
        bring_to_one(s->n, x);
    }
}

/* Each vector with 2-norm 1 and the entry that decides (gauge.inc) real and positive; from: the caller's number of each
 * entry. */
static inline void normalise_vectors(int64_t n, const int64_t *from, vreal *x)
{
    vreal sum = {0}, most = {0}, next = {0}, re = simd_splat(1), im = {0};
    for (int64_t i = 0; i < n; ++i) {
        vreal const a = x[2 * i], b = x[2 * i + 1], size = simd_fma(a, a, b * b);
        sum += size;
        vint const more = size > most;
        next = simd_max(next, simd_select(more, most, size));
        most = simd_select(more, size, most), re = simd_select(more, a, re), im = simd_select(more, b, im);
    }
    vreal const least = gauge_least_square_lanes(most);
    vreal first = simd_splat((real)n); /* where the largest entry is not the only one */
    for (int64_t i = 0; simd_any(next >= least) && i < n; ++i) {
        vreal const a = x[2 * i], b = x[2 * i + 1], number = simd_splat((real)from[i]);
        vint const leads = (simd_fma(a, a, b * b) >= least) & (number < first);
        first = simd_select(leads, number, first), re = simd_select(leads, a, re), im = simd_select(leads, b, im);
    }
    vreal const one = simd_splat(1);
    vreal const f = one / (simd_sqrt(simd_max(sum, simd_splat(REAL_MIN))) * simd_sqrt(simd_fma(re, re, im * im)));
    vreal const c = re * f, s = -im * f;
    for (int64_t i = 0; i < n; ++i) {
        vreal const a = x[2 * i], b = x[2 * i + 1];
        x[2 * i] = simd_fma(a, c, -(b * s));
        x[2 * i + 1] = simd_select((a == re) & (b == im), (vreal){0}, simd_fma(a, s, b * c));
    }
}

/* The right or left vectors of eigenvalues index[0..count-1], of the balanced matrix's rows: to `to`. */
static inline void back_vectors(const geev_schur *s, bool left, const int64_t *index, int count, vreal *work, vreal *to)
{
    int64_t const n = s->n;
    geev_view const t = s->t, q = s->q;
    back_group g = {.n = n, .t = t, .x = work};
    geev_view factors = q;
    if (left) {
        g.t = (geev_view){t.a + (n - 1) * (t.si + t.sj), -t.sj, -t.si, t.im};
        factors = (geev_view){q.a + (n - 1) * q.sj, q.si, -q.sj, q.im};
    }
    vreal re = {0}, im = {0}; /* of g.re and g.im, lane by lane, gcc 12 on AArch64 says that they are uninitialized */
    for (int k = 0; k < SIMD_LANES; ++k) {
        int64_t const at = k < count ? index[k] : 0;
        bool const pair = !EIG_COMPLEX && s->im[at] != 0;
        re[k] = s->re[at], im[k] = s->im[at];
        g.first[k] = k >= count ? -1 : left ? n - 1 - at : at + pair;
        g.last = g.first[k] > g.last ? g.first[k] : g.last;
    }
    g.re = re, g.im = im;
    g.least = schur_least_lanes(re, im, simd_splat((real)(REAL_MIN * ((real)n / REAL_EPSILON))));
    substitute(&g);
    bring_to_one(g.last + 1, work);
    for (int64_t j = 0; left && j <= g.last; ++j) work[2 * j + 1] = -work[2 * j + 1];
    if (s->lo < s->hi)
        multiply(factors, n, g.last, work, to);
    else
        copy_rows(left, n, g.last, work, to);
    bring_to_one(n, to);
    unbalance(s, left, to);
    normalise_vectors(n, s->from, to);
}

/* |y^H x| */
static inline vreal condition_lanes(int64_t n, const vreal *y, const vreal *x)
{
    vreal re = {0}, im = {0};
    for (int64_t i = 0; i < n; ++i) {
        vreal const a = y[2 * i], b = y[2 * i + 1], c = x[2 * i], d = x[2 * i + 1];
        re = simd_fma(b, d, simd_fma(a, c, re));
        im = simd_fma(-b, c, simd_fma(a, d, im));
    }
    vreal const size = simd_sqrt(simd_fma(re, re, im * im)), one = simd_splat(1);
    return simd_select(size < one, size, one);
}

/* Stores lane t as column k, and its conjugate as the next one where it is of a pair. */
static inline void store_column(real *v, int64_t ld, const geev_schur *s, int64_t k, bool pair, const vreal *x, int t)
{
    for (int64_t i = 0; v && i < s->n; ++i) {
        real *const to = v + 2 * (s->from[i] + k * ld);
        real const re = x[2 * i][t] + (real)0, im = x[2 * i + 1][t] + (real)0;
        to[0] = re, to[1] = im;
        if (pair) to[2 * ld] = re, to[2 * ld + 1] = (real)0 - im;
    }
}

/* What eig_cpu_geev_vectors does. */
static bool back_matrix(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch)
{
    (void)watch;
    int64_t const n = s->n;
    real *const vl = p->vl ? (real *)p->vl + 2 * b * p->stride_vl : NULL;
    real *const vr = p->vr ? (real *)p->vr + 2 * b * p->stride_vr : NULL;
    real *const condition = p->condition ? (real *)p->condition + b * p->stride_w : NULL;
    vreal *const x = s->lanes, *const right = x + 2 * n, *const left = right + 2 * n;
    TYPED(eig_cpu_geev_scale_form)(s);
    for (int64_t k = 0; k < n;) {
        int64_t index[SIMD_LANES];
        int count = 0;
        for (; count < SIMD_LANES && k < n; ++k) {
            index[count++] = k;
            k += !EIG_COMPLEX && s->im[k] != 0;
        }
        if (vr || condition) back_vectors(s, false, index, count, x, right);
        if (vl || condition) back_vectors(s, true, index, count, x, left);
        vreal const c = condition ? condition_lanes(n, left, right) : (vreal){0};
        for (int t = 0; t < count; ++t) {
            bool const pair = !EIG_COMPLEX && s->im[index[t]] != 0;
            store_column(vr, p->ldvr, s, index[t], pair, right, t);
            store_column(vl, p->ldvl, s, index[t], pair, left, t);
            for (int twin = 0; condition && twin <= pair; ++twin) condition[index[t] + twin] = c[t];
        }
    }
    return true;
}

#endif
