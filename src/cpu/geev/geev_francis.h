/* geev on the CPU: a real matrix of any order, by the steps of LAPACK's dgeev (dgehd2, dlahqr): reduce to Hessenberg
 * form, iterate to the real Schur form.  Part of geev_reference.c, and of geev_alone.c.
 *
 * Cost      10 n^3/3 flops for the reduction and about 8 n^3 for the iteration, unblocked; with Q 14 n^3/3 and 25 n^3.
 * Promises  at most max_steps iterations between two deflations, whatever the entries. */
#ifndef EIG_GEEV_FRANCIS_H
#define EIG_GEEV_FRANCIS_H

#include "geev.h"
#include "geev_cpu.h"
#include "geev_plain.h"

static double cube(double x)
{
    return x * x * x;
}

/* Columns of m entries each times I - tau u u' from the left, four at a time: one sum waits for its own additions. */
static void reflect(int64_t m, int64_t columns, real *x, int64_t ld, const real *u, real tau)
{
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        real *const a = x + j * ld, *const b = a + ld, *const c = b + ld, *const d = c + ld;
        real dot[4] = {0};
        for (int64_t i = 0; i < m; ++i)
            dot[0] += u[i] * a[i], dot[1] += u[i] * b[i], dot[2] += u[i] * c[i], dot[3] += u[i] * d[i];
        for (int s = 0; s < 4; ++s) {
            real *const to = a + s * ld, factor = dot[s] * tau;
            for (int64_t i = 0; i < m; ++i) to[i] -= factor * u[i];
        }
    }
    for (; j < columns; ++j) {
        real *const to = x + j * ld;
        real dot = 0;
        for (int64_t i = 0; i < m; ++i) dot += u[i] * to[i];
        dot *= tau;
        for (int64_t i = 0; i < m; ++i) to[i] -= dot * u[i];
    }
}

/* Q := H_lo ... H_(hi-2), of reflectors I - tau u u' whose u stand in columns of Q, from row k+1 of column k on. */
static void accumulate(int64_t n, int64_t lo, int64_t hi, geev_view q, const real *tau, real *u)
{
    int64_t const ld = q.sj;
    for (int64_t k = n - 1; k >= 0; --k) {
        int64_t const m = hi - k;
        real *const column = q.a + k * ld;
        bool const acts = k >= lo && k < hi - 1 && tau[k] != 0;
        for (int64_t i = 0; acts && i < m; ++i) u[i] = column[k + 1 + i];
        for (int64_t i = 0; i < n; ++i) column[i] = i == k;
        if (acts) reflect(m, hi - k, q.a + (k + 1) + (k + 1) * ld, ld, u, tau[k]);
    }
}

static bool hessenberg(const geev_schur *s, cpu_watch *watch)
{
    int64_t const n = s->n, ld = s->t.sj, lo = s->lo, hi = s->hi;
    real *const h = s->t.a, *const u = s->re, *const y = s->im, *const taus = s->x;
    for (int64_t k = lo; k < hi - 1; ++k) {
        if (!geev_go_on(watch, geev_reduction * (1 - cube((double)(hi - k) / (double)n)))) return false;
        /* The reflector I - tau u u' that leaves column k a single entry below the diagonal. */
        int64_t const m = hi - k;
        real *const x = h + (k + 1) + k * ld;
        real const most = geev_largest(m, x, 1, 0);
        real const unit = TYPED(pow2_floor)(most > REAL_MIN ? most : REAL_MIN), scale = TYPED(pow2_inverse)(unit);
        real tail = 0;
        for (int64_t i = 1; i < m; ++i) tail += (x[i] * scale) * (x[i] * scale);
        if (tail == 0) {
            for (int64_t i = 1; i < m; ++i) x[i] = 0;
            if (s->q.a) taus[k] = 0;
            continue;
        }
        real const x0 = x[0] * scale;
        real norm, pivot, tau;
        TYPED(householder)(x0, x0 * x0 + tail, &norm, &pivot, &tau);
        for (int64_t i = 1; i < m; ++i) u[i] = x[i] * scale / pivot, x[i] = 0;
        u[0] = 1;
        x[0] = -norm * unit;
        if (s->q.a) taus[k] = tau;
        for (int64_t i = 0; s->q.a && i < m; ++i) s->q.a[(k + 1 + i) + k * ld] = u[i];
        /* Rows k+1..hi. */
        reflect(m, n - k - 1, h + (k + 1) + (k + 1) * ld, ld, u, tau);
        /* Columns k+1..hi. */
        for (int64_t i = 0; i <= hi; ++i) y[i] = 0;
        for (int64_t j = 0; j < m; ++j)
            for (int64_t i = 0; i <= hi; ++i) y[i] += h[i + (k + 1 + j) * ld] * u[j];
        for (int64_t j = 0; j < m; ++j) {
            real const factor = tau * u[j];
            for (int64_t i = 0; i <= hi; ++i) h[i + (k + 1 + j) * ld] -= y[i] * factor;
        }
    }
    if (s->q.a) accumulate(n, lo, hi, s->q, taus, u);
    return true;
}

/* The first row of the window that ends at i: the largest k > first with a negligible h[k][k-1], else first. */
static int64_t find_window(int64_t ld, const real *h, int64_t lo, int64_t hi, int64_t first, int64_t i, real tiny)
{
    for (int64_t k = i; k > first; --k) {
        real const beside =
            (k - 2 >= lo ? fabs(h[(k - 1) + (k - 2) * ld]) : 0) + (k < hi ? fabs(h[(k + 1) + k * ld]) : 0);
        if (TYPED(francis_deflates)(h[k + (k - 1) * ld], h[(k - 1) + k * ld], h[(k - 1) + (k - 1) * ld], h[k + k * ld],
                                    beside, tiny))
            return k;
    }
    return first;
}

/* The shifts for the window l..i; steps: since the last deflation, with this step. */
static void choose_shifts(int64_t ld, const real *h, int64_t l, int64_t i, int steps, real *re1, real *re2, real *im)
{
    real h11 = h[(i - 1) + (i - 1) * ld], h12 = h[(i - 1) + i * ld], h21 = h[i + (i - 1) * ld], h22 = h[i + i * ld];
    const real *const top = h + l + l * ld; /* top[0] is h[l][l], top[1] h[l+1][l], top[2 + ld] h[l+2][l+1] */
    francis_step const kind = francis_step_of(steps);
    if (kind == FRANCIS_AT_BOTTOM)
        TYPED(francis_exceptional)(h22, h21, h[(i - 1) + (i - 2) * ld], &h11, &h12, &h21, &h22);
    else if (kind == FRANCIS_AT_TOP)
        TYPED(francis_exceptional)(top[0], top[1], top[2 + ld], &h11, &h12, &h21, &h22);
    TYPED(francis_shifts)(h11, h12, h21, h22, re1, re2, im);
}

/* The row where the sweep on l..i starts: the lowest row m such that the two subdiagonal entries around it are so small
 * that a start there changes nothing.  v: a multiple of the first column of (H - s1)(H - s2) from row m on. */
static int64_t find_start(int64_t ld, const real *h, int64_t l, int64_t i, real re1, real re2, real im, real *v)
{
    for (int64_t m = i - 2;; --m) {
        const real *const d = h + m + m * ld; /* d[0] is h[m][m], d[ld] h[m][m+1] */
        TYPED(francis_first_column)(d[0], d[ld], d[1], d[1 + ld], d[2 + ld], re1, re2, im, v, v + 1, v + 2);
        if (m == l) return m;
        real const size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]), safe = size > 0 ? size : 1;
        for (int k = 0; k < 3; ++k) v[k] /= safe;
        real const around = fabs(d[-1 - ld]) + fabs(d[0]) + fabs(d[1 + ld]);
        if (fabs(d[-ld]) * (fabs(v[1]) + fabs(v[2])) <= REAL_EPSILON * fabs(v[0]) * around) return m;
    }
}

/* Columns x, y and z, of which the last may be missing, from row `first` to row `last`, times the reflector. */
static void apply_right(real *x, real *y, real *z, int64_t first, int64_t last, real u1, real u2, real tau)
{
    real const t1 = tau * u1, t2 = tau * u2;
    for (int64_t r = first; !z && r <= last; ++r) {
        real const dot = x[r] + u1 * y[r];
        x[r] -= dot * tau, y[r] -= dot * t1;
    }
    for (int64_t r = first; z && r <= last; ++r) {
        real const dot = x[r] + u1 * y[r] + u2 * z[r];
        x[r] -= dot * tau, y[r] -= dot * t1, z[r] -= dot * t2;
    }
}

/* A double-shift sweep on the window l..i: makes the bulge at row m and chases it out at row i.  Where only eigenvalues
 * are wanted it stays in the window. */
static void sweep(const geev_schur *s, int64_t l, int64_t m, int64_t i, const real *first)
{
    int64_t const ld = s->t.sj, top = s->q.a ? 0 : l, end = s->q.a ? s->n - 1 : i;
    real *const h = s->t.a;
    for (int64_t k = m; k < i; ++k) {
        bool const three = k + 2 <= i;
        real *const below = k > l ? h + k + (k - 1) * ld : NULL; /* column k-1 from row k down */
        real const v0 = k == m ? first[0] : below[0], v1 = k == m ? first[1] : below[1];
        real const v2 = !three ? 0 : k == m ? first[2] : below[2];
        real u1, u2, tau, beta;
        TYPED(francis_reflector)(v0, v1, v2, &u1, &u2, &tau, &beta);
        if (k > m) {
            below[0] = beta, below[1] = 0;
            if (three) below[2] = 0;
        } else if (m > l) {
            below[0] *=
                1 - tau; /* not -below[0]: the start test neglects entries, beside which the first column may be tiny */
        }
        real const t1 = tau * u1, t2 = tau * u2;
        for (int64_t j = k; j <= end; ++j) {
            real *const x = h + k + j * ld;
            real const dot = x[0] + u1 * x[1] + (three ? u2 * x[2] : 0);
            x[0] -= dot * tau;
            x[1] -= dot * t1;
            if (three) x[2] -= dot * t2;
        }
        real *const c = h + k * ld;
        apply_right(c, c + ld, three ? c + 2 * ld : NULL, top, k + 3 < i ? k + 3 : i, u1, u2, tau);
        if (!s->q.a) continue;
        real *const q = s->q.a + k * ld;
        apply_right(q, q + ld, three ? q + 2 * ld : NULL, 0, s->n - 1, u1, u2, tau);
    }
}

/* Takes rows l..i, one or two, off the window: their eigenvalues. */
static void deflate(const geev_schur *s, int64_t l, int64_t i)
{
    int64_t const ld = s->t.sj;
    const real *const d = s->t.a + l + l * ld;
    if (l == i) {
        s->re[i] = d[0], s->im[i] = 0;
        return;
    }
    TYPED(francis_block)(d[0], d[ld], d[1], d[1 + ld], s->re + l, s->re + i, s->im + l);
    s->im[i] = -s->im[l];
    if (s->q.a && s->im[l] == 0) TYPED(eig_cpu_geev_split)(s, l);
}

static bool iterate(const geev_schur *s, int most, int *info, cpu_watch *watch)
{
    int64_t const n = s->n, ld = s->t.sj, lo = s->lo, hi = s->hi;
    real *const h = s->t.a;
    for (int64_t k = 0; k < n; ++k)
        s->re[k] = k < lo || k > hi ? h[k + k * ld] : (real)NAN, s->im[k] = s->re[k] - s->re[k];
    real const least = REAL_MIN * ((real)(hi - lo + 1) / REAL_EPSILON);
    real tiny = least;
    int64_t i = hi, l = lo;
    int steps = 0;
    *info = 0;
    while (i >= lo) {
        l = find_window(ld, h, lo, hi, l, i, tiny);
        if (l > lo) h[l + (l - 1) * ld] = 0;
        if (l >= i - 1) {
            deflate(s, l, i);
            i = l - 1, l = lo, steps = 0, tiny = least;
            continue;
        }
        if (steps == most) {
            *info = (int)(i + 1);
            break;
        }
        if (!geev_go_on(watch, 1 - (1 - geev_reduction) * cube((double)(i + 1) / (double)n))) return false;
        ++steps;
        real re1, re2, imaginary, v[3];
        choose_shifts(ld, h, l, i, steps, &re1, &re2, &imaginary);
        int64_t const m = find_start(ld, h, l, i, re1, re2, imaginary, v);
        sweep(s, l, m, i, v);
        if (steps >= FRANCIS_PATIENCE) tiny = TYPED(francis_grown)(tiny, geev_largest_of(s->t, l, i, 1));
    }
    return true;
}

#endif
