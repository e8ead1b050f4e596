/* geev on the CPU: the reduction of one matrix of any order to Hessenberg form, by the steps of LAPACK's gehd2, without
 * blocks.
 * Part of geev_reference.c, and of geev_alone.c.
 *
 * Cost      10 n^3/3 flops, with Q 14 n^3/3; four times as many for complex matrices. */
#ifndef EIG_GEEV_PLAIN_REDUCE_H
#define EIG_GEEV_PLAIN_REDUCE_H

#include "geev.h"
#include "geev_plain.h"

#if EIG_COMPLEX
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
    /* A head whose square has lost digits is negligible compared with the tail. */
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
        if (!geev_go_on(watch, geev_reduction * (1 - geev_cube((double)(hi - k) / (double)n)))) return false;
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
#else
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
        if (!geev_go_on(watch, geev_reduction * (1 - geev_cube((double)(hi - k) / (double)n)))) return false;
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
#endif

#endif
