/* heev on the CPU, n > 64: A = Q T Q^H by Householder reflections, in panels.  Part of heev_large.c.
 *
 * A reflection I - tau v v^H makes A - v w^H - w v^H of A.  Inside a panel these updates are only noted, in V and W, and
 * a column is brought up to date before its own reflection.  The rest, right of the panel, is updated once, by a product
 * of rank twice the panel's width (J. Dongarra, S. Hammarling and D. Sorensen, J. Comput. Appl. Math. 27 (1989), LAPACK's latrd).
 *
 * Cost      n^3 4/3 flops (complex: 16/3): half of them in A v, which reads each element below the diagonal once and is
 *           bound by the cache that A lies in; the other half in the product. */
#ifndef EIG_HEEV_LARGE_REDUCE_H
#define EIG_HEEV_LARGE_REDUCE_H

#include "heev_large.h"

enum {
    GROUP = EIG_COMPLEX ? 4 : 8,                        /* columns of a panel that are subtracted at once */
    ABREAST = SIMD_BYTES == 64 || !EIG_COMPLEX ? 4 : 2, /* columns of inner products at once: what registers hold */
    WIDE_PANEL_FROM = 400                               /* the order from which on a panel is wide */
};
_Static_assert(HEEV_PANEL % 16 == 0, "whole groups");

/* V, W and V again, column-major with the matrix's ld, `width` columns each. Columns that are not yet there are 0. */
typedef struct panel {
    int64_t ld, width;
    real *part[2];
} panel;

/* A number for each column of V and W. */
typedef struct coefficients {
    real re[2 * HEEV_PANEL], im[2 * HEEV_PANEL];
} coefficients;

static real *panel_column(const panel *p, int part, int64_t column)
{
    return p->part[part] + column * p->ld;
}

/* y := y - X c from row `start` on, X: columns first, ..., first + count - 1 of the panel, in whole groups. */
static void subtract_columns(const panel *p, int64_t first, int64_t count, int64_t start, const coefficients *c,
                             real *const y[2])
{
    for (int64_t l = first; l < first + count; l += GROUP) {
        real *from[2][GROUP];
        vreal cr[GROUP], ci[GROUP];
        for (int t = 0; t < GROUP; ++t) {
            cr[t] = simd_splat(-c->re[l + t]), ci[t] = simd_splat(EIG_COMPLEX ? -c->im[l + t] : 0);
            for (int part = 0; part < HEEV_PARTS; ++part) from[part][t] = panel_column(p, part, l + t);
        }
        for (int64_t i = start; i < p->ld; i += SIMD_LANES) {
            vreal yr = *at(y[0], i), yi = EIG_COMPLEX ? *at(y[1], i) : (vreal){0};
#pragma GCC unroll 8
            for (int t = 0; t < GROUP; ++t) {
                vreal const xr = *at(from[0][t], i);
                yr = simd_fma(xr, cr[t], yr);
                if (!EIG_COMPLEX) continue;
                vreal const xi = *at(from[1][t], i);
                yr = simd_fma(-xi, ci[t], yr);
                yi = simd_fma(xr, ci[t], simd_fma(xi, cr[t], yi));
            }
            *at(y[0], i) = yr;
            if (EIG_COMPLEX) *at(y[1], i) = yi;
        }
    }
}

/* c := X^H x from row `start` on, likewise. */
static void multiply_columns(const panel *p, int64_t first, int64_t count, int64_t start, real *const x[2],
                             coefficients *c)
{
    for (int64_t l = first; l < first + count; l += ABREAST) {
        wide_sum re[ABREAST], im[ABREAST];
        real *from[2][ABREAST];
#pragma GCC unroll 4
        for (int t = 0; t < ABREAST; ++t) {
            for (int part = 0; part < HEEV_PARTS; ++part) from[part][t] = panel_column(p, part, l + t);
            for (int w = 0; w < WIDE; ++w) re[t].v[w] = im[t].v[w] = (vreal){0};
        }
        for (int64_t i = start; i < p->ld; i += BLOCK)
#pragma GCC unroll 4
            for (int w = 0; w < WIDE; ++w) {
                vreal const xr = at(x[0], i)[w], xi = EIG_COMPLEX ? at(x[1], i)[w] : (vreal){0};
#pragma GCC unroll 4
                for (int t = 0; t < ABREAST; ++t) {
                    vreal const ar = at(from[0][t], i)[w];
                    re[t].v[w] = simd_fma(ar, xr, re[t].v[w]);
                    if (!EIG_COMPLEX) continue;
                    vreal const ai = at(from[1][t], i)[w];
                    re[t].v[w] = simd_fma(ai, xi, re[t].v[w]);
                    im[t].v[w] = simd_fma(-ai, xr, simd_fma(ar, xi, im[t].v[w]));
                }
            }
        for (int t = 0; t < ABREAST; ++t) c->re[l + t] = total(re[t]), c->im[l + t] = EIG_COMPLEX ? total(im[t]) : 0;
    }
}

/* Sets rows above `end` to zero in the block of rows that begins at `start`. */
static void clear_above(real *const y[2], int64_t start, int64_t end)
{
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < end; ++i) y[part][i] = 0;
}

/* `count` columns of each of V and W, in whole groups. */
static int64_t whole_groups(int64_t count)
{
    return (count + GROUP - 1) / GROUP * GROUP;
}

/* Brings column k of A and its diagonal element up to date with the `count` reflections of the panel. */
static void catch_up(large_matrix *m, const panel *p, int64_t k, int64_t count)
{
    coefficients c = {{0}, {0}}; /* conjugates of row k: of W for V, of V for W */
    int64_t const width = p->width, groups = whole_groups(count);
    for (int64_t l = 0; l < count; ++l) {
        real const v = c.re[width + l] = panel_column(p, 0, l)[k], w = c.re[l] = panel_column(p, 0, width + l)[k];
        m->d[k] -= 2 * v * w;
        if (!EIG_COMPLEX) continue;
        real const vi = c.im[width + l] = -panel_column(p, 1, l)[k], wi = c.im[l] = -panel_column(p, 1, width + l)[k];
        m->d[k] -= 2 * vi * wi;
    }
    if (k == m->n - 1) return;
    int64_t const start = block_of(k + 1);
    real *const column[2] = {m->a[0] + k * m->ld, EIG_COMPLEX ? m->a[1] + k * m->ld : NULL};
    subtract_columns(p, 0, groups, start, &c, column);
    subtract_columns(p, width, groups, start, &c, column);
    clear_above(column, start, k + 1);
}

/* The reflection of column k, as in heev_tridiagonal.h. Here a division takes the size from a number, there a
 * product with the reciprocal: bits differ. */
static real reflector(large_matrix *m, int64_t k)
{
    real *const re = m->a[0] + k * m->ld, *const im = EIG_COMPLEX ? m->a[1] + k * m->ld : NULL;
    wide_sum sum = {0};
    for (int64_t i = block_of(k + 1); i < m->ld; i += BLOCK)
        for (int w = 0; w < WIDE; ++w) {
            vreal const x = at(re, i)[w];
            sum.v[w] = simd_fma(x, x, sum.v[w]);
            if (!EIG_COMPLEX) continue;
            vreal const y = at(im, i)[w];
            sum.v[w] = simd_fma(y, y, sum.v[w]);
        }
    real const first[2] = {re[k + 1], EIG_COMPLEX ? im[k + 1] : 0}, top = first[0] * first[0] + first[1] * first[1];
    real const square = total(sum), size = top < BARE * BARE ? 0 : sqrt(top);
    real const x = size > 0 ? first[0] : 0, y = size > 0 ? first[1] : 0;
    bool const empty = square < NEGLIGIBLE * NEGLIGIBLE, last = k == m->n - 2;
    real norm, pivot, unused;
    REAL_TYPED(householder)(size, square, &norm, &pivot, &unused);
    real const direction_re = size > 0 ? x / size : 1, direction_im = size > 0 ? y / size : 0, sign = last ? 1 : -1;
    real after_re, after_im;
    REAL_TYPED(heev_phase)(m->phase[0][k], m->phase[1][k], direction_re, direction_im, &after_re, &after_im);
    m->phase[0][k + 1] = empty ? 1 : sign * after_re;
    m->phase[1][k + 1] = empty ? 0 : sign * after_im;
    m->e[k] = empty ? 0 : norm;
    if (last || empty) return 0;
    re[k + 1] = x + direction_re * norm;
    if (EIG_COMPLEX) im[k + 1] = y + direction_im * norm;
    return 1 / (norm * pivot);
}

/* Adds to y = A v the part of columns j to j + ABREAST - 1 below the diagonal. The rows of their mirror images go to
 * `own`: if they were written to y, the next columns would wait for it. */
static void multiply_abreast(large_matrix *m, int64_t j)
{
    real *re[ABREAST], *im[ABREAST];
    vreal vr[ABREAST], vi[ABREAST];
    wide_sum dot_re[ABREAST], dot_im[ABREAST];
#pragma GCC unroll 4
    for (int t = 0; t < ABREAST; ++t) {
        re[t] = m->a[0] + (j + t) * m->ld, im[t] = EIG_COMPLEX ? m->a[1] + (j + t) * m->ld : NULL;
        vr[t] = simd_splat(m->x[0][j + t]), vi[t] = simd_splat(EIG_COMPLEX ? m->x[1][j + t] : 0);
        for (int w = 0; w < WIDE; ++w) dot_re[t].v[w] = dot_im[t].v[w] = (vreal){0};
    }
    for (int64_t i = block_of(j + 1); i < m->ld; i += BLOCK)
#pragma GCC unroll 4
        for (int w = 0; w < WIDE; ++w) {
            vreal const xr = at(m->x[0], i)[w], xi = EIG_COMPLEX ? at(m->x[1], i)[w] : (vreal){0};
            vreal yr = at(m->y[0], i)[w], yi = EIG_COMPLEX ? at(m->y[1], i)[w] : (vreal){0};
#pragma GCC unroll 4
            for (int t = 0; t < ABREAST; ++t) {
                vreal const ar = at(re[t], i)[w];
                yr = simd_fma(ar, vr[t], yr);
                dot_re[t].v[w] = simd_fma(ar, xr, dot_re[t].v[w]);
                if (!EIG_COMPLEX) continue;
                vreal const ai = at(im[t], i)[w];
                yr = simd_fma(-ai, vi[t], yr);
                yi = simd_fma(ai, vr[t], simd_fma(ar, vi[t], yi));
                dot_re[t].v[w] = simd_fma(ai, xi, dot_re[t].v[w]);
                dot_im[t].v[w] = simd_fma(-ai, xr, simd_fma(ar, xi, dot_im[t].v[w]));
            }
            at(m->y[0], i)[w] = yr;
            if (EIG_COMPLEX) at(m->y[1], i)[w] = yi;
        }
    for (int t = 0; t < ABREAST; ++t) {
        m->own[0][j + t] = total(dot_re[t]) + m->d[j + t] * m->x[0][j + t];
        if (EIG_COMPLEX) m->own[1][j + t] = total(dot_im[t]) + m->d[j + t] * m->x[1][j + t];
    }
}

/* y := A v, rows and columns k+1.. before the panel's reflections; x = v is zero above. */
static void multiply(large_matrix *m, int64_t k)
{
    int64_t const start = block_of(k + 1);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->ld; ++i) m->y[part][i] = 0;
    /* Columns up to k among the first ones meet zeros of x. */
    for (int64_t j = k + 1 - (k + 1) % ABREAST; j < m->n; j += ABREAST) multiply_abreast(m, j);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = k + 1; i < m->n; ++i) m->y[part][i] += m->own[part][i];
    clear_above(m->y, start, k + 1);
}

/* w := y - (tau/2) (y^H v) v with y = tau A v, A after the panel's reflections; w takes the place of y. */
static void make_w(large_matrix *m, const panel *p, int64_t k, int64_t count, real tau)
{
    int64_t const start = block_of(k + 1);
    int64_t const groups = whole_groups(count), width = p->width;
    coefficients x, c;
    multiply_columns(p, 0, groups, start, m->x, &x);
    multiply_columns(p, width, groups, start, m->x, &x);
    for (int64_t l = 0; l < groups; ++l) {
        c.re[l] = x.re[width + l], c.re[width + l] = x.re[l];
        c.im[l] = x.im[width + l], c.im[width + l] = x.im[l];
    }
    subtract_columns(p, 0, groups, start, &c, m->y);
    subtract_columns(p, width, groups, start, &c, m->y);
    clear_above(m->y, start, k + 1);
    wide_sum sum = {0};
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->ld; i += BLOCK)
            for (int u = 0; u < WIDE; ++u) {
                vreal *const y = at(m->y[part], i) + u;
                *y *= tau;
                sum.v[u] = simd_fma(at(m->x[part], i)[u], *y, sum.v[u]);
            }
    real const half = (real)0.5 * tau * total(sum);
    for (int part = 0; part < HEEV_PARTS; ++part)
        for (int64_t i = start; i < m->ld; i += SIMD_LANES)
            *at(m->y[part], i) = simd_fma(simd_splat(-half), *at(m->x[part], i), *at(m->y[part], i));
}

/* A := A - V W^H - W V^H for columns from `end` on. */
static void update_rest(large_matrix *m, const panel *p, int64_t end)
{
    enum { STRIP = 8 };
    for (int64_t j = end; j < m->n; j += STRIP) {
        int64_t const start = block_of(j), columns = least(STRIP, m->n - j);
        block c = {.ld = m->ld}, a = {.ld = m->ld};
        factor b = {.row = m->ld, .column = 1};
        for (int part = 0; part < HEEV_PARTS; ++part) {
            c.part[part] = m->a[part] + start + j * m->ld;
            a.part[part] = panel_column(p, part, 0) + start;
            b.part[part] = panel_column(p, part, p->width) + j;
        }
        product_subtract_conjugate(c, m->ld - start, columns, 2 * p->width, a, b);
        for (int64_t l = j; l < j + columns; ++l) {
            m->d[l] += m->a[0][l + l * m->ld];
            real *const column[2] = {m->a[0] + l * m->ld, EIG_COMPLEX ? m->a[1] + l * m->ld : NULL};
            clear_above(column, start, l + 1);
        }
    }
}

static bool reduce(large_matrix *m, cpu_watch *watch)
{
    int64_t const width = m->n < WIDE_PANEL_FROM ? HEEV_PANEL / 2 : HEEV_PANEL;
    panel p = {.ld = m->ld, .width = width};
    for (int part = 0; part < HEEV_PARTS; ++part) p.part[part] = m->scratch + part * 3 * width * m->ld;
    m->phase[0][0] = 1, m->phase[1][0] = 0;
    for (int64_t first = 0; first < m->n - 1; first += width) {
        int64_t const end = least(first + width, m->n - 1);
        memset(m->scratch, 0, sizeof(real) * (size_t)(HEEV_PARTS * 3 * width * m->ld));
        for (int64_t k = first; k < end; ++k) {
            if (k % 8 == 0 && !go_on(watch, 0.4 * (double)k / (double)m->n)) return false;
            catch_up(m, &p, k, k - first);
            real const tau = m->tau[k] = reflector(m, k);
            if (tau == 0) continue;
            int64_t const start = block_of(k + 1), l = k - first;
            size_t const bytes = (size_t)(m->ld - start) * sizeof(real);
            for (int part = 0; part < HEEV_PARTS; ++part)
                memcpy(m->x[part] + start, m->a[part] + start + k * m->ld, bytes);
            multiply(m, k);
            make_w(m, &p, k, l, tau);
            for (int part = 0; part < HEEV_PARTS; ++part) {
                memcpy(panel_column(&p, part, l) + start, m->x[part] + start, bytes);
                memcpy(panel_column(&p, part, width + l) + start, m->y[part] + start, bytes);
                memcpy(panel_column(&p, part, 2 * width + l) + start, m->x[part] + start, bytes);
            }
        }
        update_rest(m, &p, end);
    }
    m->e[m->n - 1] = 0;
    return true;
}

#endif
