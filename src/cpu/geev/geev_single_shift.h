/* geev on the CPU: a complex matrix of any order, by the steps of LAPACK's zgeev (zgehd2, zlahqr): reduce to Hessenberg
 * form, iterate with single shifts to the Schur form.  Part of geev_reference.c, and of geev_alone.c.
 *
 * Rotations take the place of zlahqr's reflectors of two rows: with a real cosine they cost as much, and the subdiagonal
 * need not be real.
 *
 * Cost      40 n^3/3 real flops for the reduction and about 50 n^3 for the iteration, unblocked; with Q 56 n^3/3 and
 *           150 n^3.
 * Promises  at most max_steps iterations between two deflations, whatever the entries. */
#ifndef EIG_GEEV_SINGLE_SHIFT_H
#define EIG_GEEV_SINGLE_SHIFT_H

#include "geev.h"
#include "geev_cpu.h"
#include "geev_plain.h"

static double cube(double x)
{
    return x * x * x;
}

/* Entry (i, j) of T, in two parts. */
static void number_at(geev_view t, int64_t i, int64_t j, real *x)
{
    x[0] = t.a[i + j * t.sj], x[1] = t.a[i + j * t.sj + t.im];
}

static real size_of(geev_view t, int64_t i, int64_t j)
{
    return fabs(t.a[i + j * t.sj]) + fabs(t.a[i + j * t.sj + t.im]);
}

/* ------------------------------------------------------------------- reduction */

/* x - tau u u^H x */
static void reflect(int64_t m, const real *u, const real *v, real tau, real *re, real *im)
{
    real dot_re = 0, dot_im = 0;
    for (int64_t i = 0; i < m; ++i) {
        dot_re += u[i] * re[i] + v[i] * im[i];
        dot_im += u[i] * im[i] - v[i] * re[i];
    }
    dot_re *= tau, dot_im *= tau;
    for (int64_t i = 0; i < m; ++i) {
        re[i] -= dot_re * u[i] - dot_im * v[i];
        im[i] -= dot_re * v[i] + dot_im * u[i];
    }
}

/* The reflector I - tau u u^H, u = u + i v, that leaves x = re + i im a first entry alone; 0 where it has that form. */
static real column_reflector(int64_t m, real *re, real *im, real *u, real *v)
{
    real const large = geev_largest(m, re, 1, im - re), most = large > REAL_MIN ? large : REAL_MIN;
    real const unit = REAL_TYPED(pow2_floor)(most), scale = REAL_TYPED(pow2_inverse)(unit);
    real tail = 0;
    for (int64_t i = 0; i < m; ++i) u[i] = re[i] * scale, v[i] = im[i] * scale;
    for (int64_t i = 1; i < m; ++i) tail += u[i] * u[i] + v[i] * v[i], re[i] = im[i] = 0;
    if (tail == 0) return 0;
    /* A head whose square has lost digits is nothing beside the tail. */
    real const square = u[0] * u[0] + v[0] * v[0], head2 = square < REAL_MIN / REAL_EPSILON ? 0 : square;
    real const head = sqrt(head2);
    real const turn_re = head > 0 ? u[0] / head : 1, turn_im = head > 0 ? v[0] / head : 0;
    real norm, pivot, tau;
    REAL_TYPED(householder)(head, head2 + tail, &norm, &pivot, &tau);
    re[0] = -norm * turn_re * unit, im[0] = -norm * turn_im * unit;
    for (int64_t i = 1; i < m; ++i) { /* the tail times conj(turn) / pivot */
        real const x = u[i], y = v[i];
        u[i] = (x * turn_re + y * turn_im) / pivot, v[i] = (y * turn_re - x * turn_im) / pivot;
    }
    u[0] = 1, v[0] = 0;
    return tau;
}

/* Columns k+1..hi of rows 0..hi times I - tau u u^H. */
static void reflect_right(const geev_schur *s, int64_t k, const real *u, const real *v, real tau, real *x, real *y)
{
    int64_t const hi = s->hi, m = hi - k, ld = s->t.sj;
    for (int64_t i = 0; i <= hi; ++i) x[i] = y[i] = 0;
    for (int64_t j = 0; j < m; ++j) {
        const real *const re = s->t.a + (k + 1 + j) * ld, *const im = re + s->t.im;
        for (int64_t i = 0; i <= hi; ++i) {
            x[i] += re[i] * u[j] - im[i] * v[j];
            y[i] += re[i] * v[j] + im[i] * u[j];
        }
    }
    for (int64_t j = 0; j < m; ++j) {
        real *const re = s->t.a + (k + 1 + j) * ld, *const im = re + s->t.im;
        real const a = tau * u[j], b = -tau * v[j];
        for (int64_t i = 0; i <= hi; ++i) {
            re[i] -= x[i] * a - y[i] * b;
            im[i] -= x[i] * b + y[i] * a;
        }
    }
}

/* Q := H_lo ... H_(hi-2), of reflectors whose u stand in columns of Q, from row k+1 of column k on. */
static void accumulate(const geev_schur *s, const real *tau, real *u, real *v)
{
    int64_t const n = s->n, lo = s->lo, hi = s->hi, ld = s->q.sj;
    for (int64_t k = n - 1; k >= 0; --k) {
        int64_t const m = hi - k;
        real *const re = s->q.a + k * ld, *const im = re + s->q.im;
        bool const acts = k >= lo && k < hi - 1 && tau[k] != 0;
        for (int64_t i = 0; acts && i < m; ++i) u[i] = re[k + 1 + i], v[i] = im[k + 1 + i];
        for (int64_t i = 0; i < n; ++i) re[i] = i == k, im[i] = 0;
        for (int64_t j = k + 1; acts && j <= hi; ++j) {
            real *const x = s->q.a + (k + 1) + j * ld;
            reflect(m, u, v, tau[k], x, x + s->q.im);
        }
    }
}

static bool hessenberg(const geev_schur *s, cpu_watch *watch)
{
    int64_t const n = s->n, ld = s->t.sj, lo = s->lo, hi = s->hi;
    real *const u = s->re, *const v = s->im;
    for (int64_t k = lo; k < hi - 1; ++k) {
        if (!geev_go_on(watch, geev_reduction * (1 - cube((double)(hi - k) / (double)n)))) return false;
        int64_t const m = hi - k;
        real *const column = s->t.a + (k + 1) + k * ld;
        real const tau = column_reflector(m, column, column + s->t.im, u, v);
        if (s->q.a) s->work[k] = tau;
        if (tau == 0) continue;
        for (int64_t i = 0; s->q.a && i < m; ++i) {
            real *const keep = s->q.a + (k + 1 + i) + k * ld;
            keep[0] = u[i], keep[s->q.im] = v[i];
        }
        for (int64_t j = k + 1; j < n; ++j) {
            real *const x = s->t.a + (k + 1) + j * ld;
            reflect(m, u, v, tau, x, x + s->t.im);
        }
        reflect_right(s, k, u, v, tau, s->x, s->x + n);
    }
    if (s->q.a) accumulate(s, s->work, u, v);
    return true;
}

/* ------------------------------------------------------------------- iteration */

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

static bool iterate(const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    int64_t const n = s->n, lo = s->lo, hi = s->hi;
    geev_view const t = s->t;
    for (int64_t k = 0; k < n; ++k) {
        real d[2] = {(real)NAN, (real)NAN};
        if (k < lo || k > hi) number_at(t, k, k, d);
        s->re[k] = d[0], s->im[k] = d[1];
    }
    real const least = REAL_MIN * ((real)(hi - lo + 1) / REAL_EPSILON);
    real tiny = least;
    int64_t i = hi, l = lo;
    int steps = 0;
    *info = 0;
    while (i >= lo) {
        l = find_window(s, l, i, tiny);
        if (l > lo) t.a[l + (l - 1) * t.sj] = t.a[l + (l - 1) * t.sj + t.im] = 0;
        if (l == i) {
            real d[2];
            number_at(t, i, i, d);
            s->re[i] = d[0], s->im[i] = d[1];
            --i, l = lo, steps = 0, tiny = least;
            continue;
        }
        if (steps == most) {
            *info = (int)(i + 1);
            break;
        }
        if (!geev_go_on(watch, 1 - (1 - geev_reduction) * cube((double)(i + 1) / (double)n))) return false;
        ++steps;
        real re, im;
        choose_shift(t, l, i, steps, &re, &im);
        sweep(s, l, find_start(t, l, i, re, im), i, re, im);
        if (steps >= FRANCIS_PATIENCE) tiny = REAL_TYPED(francis_grown)(tiny, geev_largest_of(t, l, i, 1));
    }
    return true;
}

#endif
