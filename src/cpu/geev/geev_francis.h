/* geev on the CPU: a step from Hessenberg form to the real Schur form, by double shifts as in LAPACK's dlahqr.  Part of
 * geev_descent.h.
 *
 * Cost      about 8 n^3 flops for all steps; with Q 25 n^3. */
#ifndef EIG_GEEV_FRANCIS_H
#define EIG_GEEV_FRANCIS_H

#include "geev.h"
#include "geev_cpu.h"
#include "geev_plain.h"

enum { LEAST_WINDOW = 3 }; /* rows of a window that is swept */

/* The first row of the window that ends at i: the largest k > first with a negligible h[k][k-1], else first. */
static int64_t find_window(const geev_schur *s, int64_t first, int64_t i, real tiny)
{
    const real *const h = s->t.a;
    int64_t const ld = s->t.sj;
    for (int64_t k = i; k > first; --k) {
        real const beside =
            (k - 2 >= s->lo ? fabs(h[(k - 1) + (k - 2) * ld]) : 0) + (k < s->hi ? fabs(h[(k + 1) + k * ld]) : 0);
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

/* A step on the window l..i; steps: since the last deflation, with this one. */
static void take_step(const geev_schur *s, int64_t l, int64_t i, int steps)
{
    real re1, re2, imaginary, v[3];
    choose_shifts(s->t.sj, s->t.a, l, i, steps, &re1, &re2, &imaginary);
    int64_t const m = find_start(s->t.sj, s->t.a, l, i, re1, re2, imaginary, v);
    sweep(s, l, m, i, v);
}

#endif
