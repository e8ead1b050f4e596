/* geev on the CPU: a step from Hessenberg form to the Schur form of a complex matrix, by single shifts as in LAPACK's
 * zlahqr.
 * Part of geev_descent.h.
 *
 * Rotations take the place of zlahqr's reflectors of two rows: with a real cosine they cost as much, and the
 * subdiagonal need not be real.
 *
 * Cost      about 50 n^3 real flops for all steps; with Q 150 n^3. */
#ifndef EIG_GEEV_SINGLE_SHIFT_H
#define EIG_GEEV_SINGLE_SHIFT_H

#include "geev.h"
#include "geev_cpu.h"
#include "geev_plain.h"

enum { LEAST_WINDOW = 2 }; /* rows of a window that is swept */

/* Entry (i, j) of T, in two parts. */
static void number_at(geev_view t, int64_t i, int64_t j, real *x)
{
    x[0] = t.a[i + j * t.sj], x[1] = t.a[i + j * t.sj + t.im];
}

static real size_of(geev_view t, int64_t i, int64_t j)
{
    return fabs(t.a[i + j * t.sj]) + fabs(t.a[i + j * t.sj + t.im]);
}

/* The first row of the window that ends at i: the largest k > first with a negligible h[k][k-1], else first. */
static int64_t find_window(const geev_schur *s, int64_t first, int64_t i, real tiny)
{
    for (int64_t k = i; k > first; --k) {
        geev_view const t = s->t;
        real a[2], b[2];
        number_at(t, k - 1, k - 1, a), number_at(t, k, k, b);
        real const gap = fabs(a[0] - b[0]) + fabs(a[1] - b[1]);
        real const beside = (k - 2 >= s->lo ? size_of(t, k - 1, k - 2) : 0) + (k < s->hi ? size_of(t, k + 1, k) : 0);
        if (REAL_TYPED(francis_negligible)(size_of(t, k, k - 1), size_of(t, k - 1, k), size_of(t, k - 1, k - 1),
                                           size_of(t, k, k), gap, beside, tiny))
            return k;
    }
    return first;
}

/* The shift for the window l..i; steps: since the last deflation, with this step. */
static void choose_shift(geev_view t, int64_t l, int64_t i, int steps, real *re, real *im)
{
    francis_step const kind = francis_step_of(steps);
    real a[2], b[2], c[2], d[2];
    int64_t const at = kind == FRANCIS_AT_TOP ? l : i;
    number_at(t, at, at, d);
    if (kind == FRANCIS_ORDINARY) {
        number_at(t, i - 1, i - 1, a), number_at(t, i - 1, i, b), number_at(t, i, i - 1, c);
        REAL_TYPED(schur_shift)(a, b, c, d, re, im);
        return;
    }
    *re = d[0] + (real)0.75 * (kind == FRANCIS_AT_TOP ? size_of(t, l + 1, l) : size_of(t, i, i - 1)), *im = d[1];
}

/* The row where the sweep on l..i starts: the lowest row m such that the two subdiagonal entries around it are so small
 * that a start there changes nothing. */
static int64_t find_start(geev_view t, int64_t l, int64_t i, real re, real im)
{
    for (int64_t m = i - 1; m > l; --m) {
        real d[2];
        number_at(t, m, m, d);
        real const head = fabs(d[0] - re) + fabs(d[1] - im), below = size_of(t, m + 1, m), size = head + below;
        real const safe = size > 0 ? size : 1, around = size_of(t, m, m) + size_of(t, m + 1, m + 1);
        if (size_of(t, m, m - 1) * (below / safe) <= REAL_EPSILON * (head / safe) * around) return m;
    }
    return l;
}

/* A rotation [c s; -conj(s) c]. */
typedef struct rotation {
    real c, re, im;
} rotation;

/* (x, y) := G (x, y), in sums alone: gcc 12 makes fused operations of sums and differences side by side, whatever
 * -ffp-contract says. */
static void rotate_rows(rotation g, real *x, int64_t plane)
{
    real const a = x[0], b = x[plane], c = x[1], d = x[1 + plane], re = -g.re, im = -g.im;
    x[0] = g.c * a + (g.re * c + im * d), x[plane] = g.c * b + (g.re * d + g.im * c);
    x[1] = g.c * c + (re * a + im * b), x[1 + plane] = g.c * d + (re * b + g.im * a);
}

/* Columns x and y, rows first..last: (x, y) := (x, y) G^H */
static void rotate_columns(rotation g, real *x, real *y, int64_t plane, int64_t first, int64_t last)
{
    for (int64_t r = first; r <= last; ++r) {
        real const a = x[r], b = x[r + plane], c = y[r], d = y[r + plane];
        x[r] = g.c * a + (g.re * c + g.im * d), x[r + plane] = g.c * b + (g.re * d - g.im * c);
        y[r] = g.c * c - (g.re * a - g.im * b), y[r + plane] = g.c * d - (g.re * b + g.im * a);
    }
}

/* A sweep with the shift re + i im on the window l..i from row m on.  Where only eigenvalues are wanted it stays in the
 * window. */
static void sweep(const geev_schur *s, int64_t l, int64_t m, int64_t i, real re, real im)
{
    geev_view const t = s->t, q = s->q;
    int64_t const ld = t.sj, top = q.a ? 0 : l, end = q.a ? s->n - 1 : i;
    for (int64_t k = m; k < i; ++k) {
        real f[2], g[2], r[2];
        rotation turn;
        number_at(t, k, k > m ? k - 1 : k, f), number_at(t, k + 1, k > m ? k - 1 : k, g);
        if (k == m) f[0] -= re, f[1] -= im;
        REAL_TYPED(schur_plane_rotation)(f[0], f[1], g[0], g[1], &turn.c, &turn.re, &turn.im, r, r + 1);
        real *const below = t.a + k + (k - 1) * ld;
        if (k > m) below[0] = r[0], below[t.im] = r[1], below[1] = below[1 + t.im] = 0;
        if (k == m && m > l) below[0] *= turn.c, below[t.im] *= turn.c;
        for (int64_t j = k; j <= end; ++j) rotate_rows(turn, t.a + k + j * ld, t.im);
        rotate_columns(turn, t.a + k * ld, t.a + (k + 1) * ld, t.im, top, k + 2 < i ? k + 2 : i);
        if (q.a) rotate_columns(turn, q.a + k * ld, q.a + (k + 1) * ld, q.im, 0, s->n - 1);
    }
}

/* A step on the window l..i; steps: since the last deflation, with this one. */
static void take_step(const geev_schur *s, int64_t l, int64_t i, int steps)
{
    real re, im;
    choose_shift(s->t, l, i, steps, &re, &im);
    sweep(s, l, find_start(s->t, l, i, re, im), i, re, im);
}

/* Takes row i off the window: its eigenvalue. */
static void deflate(const geev_schur *s, int64_t l, int64_t i)
{
    real d[2];
    number_at(s->t, l, i, d);
    s->re[i] = d[0], s->im[i] = d[1];
}

#endif
