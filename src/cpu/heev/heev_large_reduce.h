/* heev on the CPU, n > 64: A = Q T Q^H by Householder reflections, in panels.  Part of heev_large.c.
 *
 * A reflection I - tau v v^H makes A - v w^H - w v^H of A.  Inside a panel these updates are only noted, in V and W,
 * and a column is brought up to date before its own reflection.  The rest, right of the panel, is updated once, by a
 * product of rank twice the panel's width (J. Dongarra, S. Hammarling and D. Sorensen, J. Comput. Appl. Math. 27
 * (1989), LAPACK's latrd).
 *
 * Threads   bands of rows: a thread has its bands of A, V, W and the vectors, so that they stay in its cache. Four
 *           barriers a column: after the squares of the column, v, A v, and v^H w. A thread updates columns of the rest
 *           of A.
 * Bits      a sum over all rows is the sum of the bands' sums, whichever thread made them; up to n = 511 there is one
 *           band.
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

static real *panel_column(const panel *p, int part, int64_t column)
{
    return p->part[part] + column * p->ld;
}

/* y := y - X c in these rows, X: columns first, ..., first + count - 1 of the panel, in whole groups. */
static void subtract_columns(const panel *p, int64_t first, int64_t count, span rows, const coefficients *c,
                             real *const y[2])
{
    for (int64_t l = first; l < first + count; l += GROUP) {
        real *from[2][GROUP];
        vreal cr[GROUP], ci[GROUP];
        for (int t = 0; t < GROUP; ++t) {
            cr[t] = simd_splat(-c->re[l + t]), ci[t] = simd_splat(EIG_COMPLEX ? -c->im[l + t] : 0);
            for (int part = 0; part < HEEV_PARTS; ++part) from[part][t] = panel_column(p, part, l + t);
        }
        for (int64_t i = rows.first; i < rows.last; i += SIMD_LANES) {
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

/* c := X^H x over these rows, likewise. */
static void multiply_columns(const panel *p, int64_t first, int64_t count, span rows, real *const x[2], coefficients *c)
{
    for (int64_t l = first; l < first + count; l += ABREAST) {
        wide_sum re[ABREAST], im[ABREAST];
        real *from[2][ABREAST];
#pragma GCC unroll 4
        for (int t = 0; t < ABREAST; ++t) {
            for (int part = 0; part < HEEV_PARTS; ++part) from[part][t] = panel_column(p, part, l + t);
            for (int w = 0; w < WIDE; ++w) re[t].v[w] = im[t].v[w] = (vreal){0};
        }
        for (int64_t i = rows.first; i < rows.last; i += BLOCK)
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

/* ------------------------------------------------------------------ bands */

/* Rows of band r from `start` on, whole blocks. */
static span rows_of_band(const large_matrix *m, int64_t r, int64_t start)
{
    int64_t const first = r * m->band;
    return (span){first > start ? first : start, least(first + m->band, m->ld)};
}

/* Whether band r is this thread's: from the bottom up, in alternating order, since lower bands have more columns. */
static bool is_own(const large_matrix *m, int64_t r)
{
    int64_t const size = m->who->size, place = m->bands - 1 - r, turn = place % size;
    return (place / size % 2 ? size - 1 - turn : turn) == m->who->rank;
}

/* For each of this thread's bands r that has rows from `start` on. */
#define FOR_OWN_BANDS(r, m, start)                                          \
    for (int64_t r = (start) / (m)->band; r < (m)->bands; ++r) /* NOLINT */ \
        if (is_own(m, r))

/* --------------------------------------------------------------- a column */

/* What the column before leaves that is not yet in the panel everywhere: its row of V is in x, and that of W is y -
 * half x. */
typedef struct fresh_column {
    bool there;
    real half;
} fresh_column;

/* Brings column k of A and its diagonal element up to date with the `count` reflections of the panel, and sums its
 * squares. */
static void catch_up(large_matrix *m, const panel *p, int64_t k, int64_t count, fresh_column fresh)
{
    coefficients c = {{0}, {0}}; /* conjugates of row k: of W for V, of V for W */
    int64_t const width = p->width, groups = whole_groups(count), start = block_of(k + 1);
    real d = m->who->rank == 0 ? m->d[k] : 0;
    for (int64_t l = 0; l < count; ++l)
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real v = panel_column(p, part, l)[k], w = panel_column(p, part, width + l)[k];
            if (fresh.there && l == count - 1)
                v = m->x[part][k], w = fma_one(-fresh.half, m->x[part][k], m->y[part][k]);
            d -= 2 * v * w;
            (part ? c.im : c.re)[width + l] = part ? -v : v, (part ? c.im : c.re)[l] = part ? -w : w;
        }
    if (m->who->rank == 0) m->d[k] = d;
    real *const column[2] = {m->a[0] + k * m->ld, EIG_COMPLEX ? m->a[1] + k * m->ld : NULL};
    FOR_OWN_BANDS(r, m, start)
    {
        span const rows = rows_of_band(m, r, start);
        subtract_columns(p, 0, groups, rows, &c, column);
        subtract_columns(p, width, groups, rows, &c, column);
        if (rows.first == start) clear_above(column, start, k + 1);
        wide_sum sum = {0};
        for (int64_t i = rows.first; i < rows.last; i += BLOCK)
            for (int w = 0; w < WIDE; ++w) {
                vreal const x = at(column[0], i)[w];
                sum.v[w] = simd_fma(x, x, sum.v[w]);
                if (!EIG_COMPLEX) continue;
                vreal const y = at(column[1], i)[w];
                sum.v[w] = simd_fma(y, y, sum.v[w]);
            }
        m->sums[r].square = total(sum);
        if (rows.first == start)
            m->sums[r].top[0] = column[0][k + 1], m->sums[r].top[1] = EIG_COMPLEX ? column[EIG_COMPLEX][k + 1] : 0;
    }
}

/* The reflection of column k, with the new first element in head; returns its tau. The last one would only change a
 * phase. */
static real reflector(large_matrix *m, int64_t k, real head[2])
{
    int64_t const band = block_of(k + 1) / m->band;
    real square = m->sums[band].square;
    for (int64_t r = band + 1; r < m->bands; ++r) square += m->sums[r].square;
    reflection const h = reflection_of(square, m->sums[band].top);
    bool const last = k == m->n - 2;
    real const tau = last ? 0 : h.tau, sign = last ? 1 : -1;
    head[0] = h.head[0], head[1] = h.head[1];
    if (m->who->rank != 0) return tau;
    real after_re, after_im;
    REAL_TYPED(heev_phase)(m->phase[0][k], m->phase[1][k], h.direction[0], h.direction[1], &after_re, &after_im);
    bool const empty = h.norm == 0;
    m->phase[0][k + 1] = empty ? 1 : sign * after_re;
    m->phase[1][k + 1] = empty ? 0 : sign * after_im;
    m->e[k] = h.norm, m->tau[k] = tau;
    return tau;
}

/* x := v, and its products with the panel's columns. */
static void take_reflection(large_matrix *m, const panel *p, int64_t k, int64_t count, const real head[2])
{
    int64_t const start = block_of(k + 1), groups = whole_groups(count);
    FOR_OWN_BANDS(r, m, start)
    {
        span const rows = rows_of_band(m, r, start);
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const column = m->a[part] + k * m->ld;
            if (rows.first == start) column[k + 1] = head[part];
            memcpy(m->x[part] + rows.first, column + rows.first, (size_t)(rows.last - rows.first) * sizeof(real));
        }
        multiply_columns(p, 0, groups, rows, m->x, &m->sums[r].c);
        multiply_columns(p, p->width, groups, rows, m->x, &m->sums[r].c);
    }
}

/* Adds to y = A v the part of columns j to j + ABREAST - 1 in these rows of band r, below the diagonal. The rows of
 * their mirror images go to `own`: if they were written to y, the next columns would wait for it. */
static void multiply_abreast(large_matrix *m, int64_t j, span rows, int64_t r)
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
    for (int64_t i = rows.first; i < rows.last; i += BLOCK)
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
        m->own[0][r * m->ld + j + t] = total(dot_re[t]);
        if (EIG_COMPLEX) m->own[1][r * m->ld + j + t] = total(dot_im[t]);
    }
}

/* y := A v in this thread's bands, rows and columns k+1.. before the panel's reflections; x = v is zero above. */
static void multiply(large_matrix *m, int64_t k)
{
    int64_t const start = block_of(k + 1);
    FOR_OWN_BANDS(r, m, start)
    {
        span const rows = rows_of_band(m, r, start);
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t i = rows.first; i < rows.last; ++i) m->y[part][i] = 0;
        /* Columns up to k among the first ones meet zeros of x. */
        int64_t const end = least(m->n, rows.last);
        for (int64_t j = k + 1 - (k + 1) % ABREAST; j < end; j += ABREAST) {
            int64_t const below = block_of(j + 1);
            if (below < rows.last)
                multiply_abreast(m, j, (span){below > rows.first ? below : rows.first, rows.last}, r);
        }
    }
}

/* Adds to y the rows of the mirror images, from this band and those below. */
static void add_own(large_matrix *m, int64_t k, int64_t r, span rows)
{
    int64_t const first = rows.first > k + 1 ? rows.first : k + 1, last = least(rows.last, m->n);
    for (int part = 0; part < HEEV_PARTS; ++part) {
        real *const own = m->own[part] + r * m->ld, *const y = m->y[part];
        const real *const x = m->x[part];
        for (int64_t s = 1; s < m->bands - r; ++s)
            for (int64_t i = first; i < last; ++i) own[i] += own[i + s * m->ld];
        for (int64_t i = first; i < last; ++i) y[i] += own[i] + m->d[i] * x[i];
    }
}

/* y := tau A v, A after the panel's reflections, and sums y^H v. */
static void finish_y(large_matrix *m, const panel *p, int64_t k, int64_t count, real tau)
{
    int64_t const start = block_of(k + 1), groups = whole_groups(count), width = p->width;
    coefficients c;
    for (int64_t l = 0; l < groups; ++l) {
        const coefficients *x = &m->sums[start / m->band].c;
        c.re[l] = x->re[width + l], c.re[width + l] = x->re[l];
        if (EIG_COMPLEX) c.im[l] = x->im[width + l], c.im[width + l] = x->im[l];
    }
    for (int64_t r = start / m->band + 1; r < m->bands; ++r)
        for (int64_t l = 0; l < groups; ++l) {
            const coefficients *x = &m->sums[r].c;
            c.re[l] += x->re[width + l], c.re[width + l] += x->re[l];
            if (EIG_COMPLEX) c.im[l] += x->im[width + l], c.im[width + l] += x->im[l];
        }
    FOR_OWN_BANDS(r, m, start)
    {
        span const rows = rows_of_band(m, r, start);
        add_own(m, k, r, rows);
        if (rows.first == start) clear_above(m->y, start, k + 1);
        subtract_columns(p, 0, groups, rows, &c, m->y);
        subtract_columns(p, width, groups, rows, &c, m->y);
        if (rows.first == start) clear_above(m->y, start, k + 1);
        wide_sum sum = {0};
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t i = rows.first; i < rows.last; i += BLOCK)
                for (int u = 0; u < WIDE; ++u) {
                    vreal *const y = at(m->y[part], i) + u;
                    *y *= tau;
                    sum.v[u] = simd_fma(at(m->x[part], i)[u], *y, sum.v[u]);
                }
        m->sums[r].dot = total(sum);
    }
}

/* Column l of the panel: V, W and V; w = y - half x with half = (tau/2) y^H v, which is returned. */
static real fill_panel(large_matrix *m, const panel *p, int64_t k, int64_t l, real tau)
{
    int64_t const start = block_of(k + 1);
    real dot = m->sums[start / m->band].dot;
    for (int64_t r = start / m->band + 1; r < m->bands; ++r) dot += m->sums[r].dot;
    real const half = (real)0.5 * tau * dot;
    FOR_OWN_BANDS(r, m, start)
    {
        span const rows = rows_of_band(m, r, start);
        for (int part = 0; part < HEEV_PARTS; ++part) {
            real *const v = panel_column(p, part, l), *const w = panel_column(p, part, p->width + l);
            real *const again = panel_column(p, part, 2 * p->width + l);
            for (int64_t i = rows.first; i < rows.last; i += SIMD_LANES) {
                vreal const x = *at(m->x[part], i);
                *at(v, i) = *at(again, i) = x;
                *at(w, i) = simd_fma(simd_splat(-half), x, *at(m->y[part], i));
            }
        }
    }
    return half;
}

/* A := A - V W^H - W V^H for columns from `end` on. */
static void update_rest(large_matrix *m, const panel *p, int64_t end)
{
    enum { STRIP = 8 };
    for (int64_t j = end + m->who->rank * STRIP; j < m->n; j += m->who->size * STRIP) {
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

/* Column k, the l-th of its panel. Returns whether to go on. */
static bool reduce_column(large_matrix *m, const panel *p, int64_t k, int64_t l, fresh_column *fresh)
{
    catch_up(m, p, k, l, *fresh);
    if (!cpu_team_meet(m->who)) return false; /* squares are there */
    real head[2];
    real const tau = reflector(m, k, head);
    fresh->there = tau != 0;
    if (tau == 0) return cpu_team_meet(m->who); /* squares are read */
    take_reflection(m, p, k, l, head);
    if (!cpu_team_meet(m->who)) return false; /* x is there */
    multiply(m, k);
    if (!cpu_team_meet(m->who)) return false; /* and what others have of y */
    finish_y(m, p, k, l, tau);
    if (!cpu_team_meet(m->who)) return false; /* and y^H v */
    fresh->half = fill_panel(m, p, k, l, tau);
    return true;
}

static void clear_panel(large_matrix *m, const panel *p)
{
    FOR_OWN_BANDS(r, m, 0)
    {
        span const rows = rows_of_band(m, r, 0);
        for (int part = 0; part < HEEV_PARTS; ++part)
            for (int64_t l = 0; l < 3 * p->width; ++l)
                memset(panel_column(p, part, l) + rows.first, 0, sizeof(real) * (size_t)(rows.last - rows.first));
    }
}

static bool reduce(large_matrix *m, cpu_watch *watch)
{
    int64_t const width = m->n < WIDE_PANEL_FROM ? HEEV_PANEL / 2 : HEEV_PANEL;
    panel p = {.ld = m->ld, .width = width};
    for (int part = 0; part < HEEV_PARTS; ++part) p.part[part] = m->first_scratch + part * 3 * width * m->ld;
    if (m->who->rank == 0) m->phase[0][0] = 1, m->phase[1][0] = 0, m->e[m->n - 1] = 0;
    for (int64_t first = 0; first < m->n - 1; first += width) {
        int64_t const end = least(first + width, m->n - 1);
        fresh_column fresh = {false, 0};
        clear_panel(m, &p);
        for (int64_t k = first; k < end; ++k) {
            if (k % 8 == 0) team_goes_on(m, watch, m->reduced * (double)k / (double)m->n);
            if (!reduce_column(m, &p, k, k - first, &fresh)) return false;
        }
        if (!cpu_team_meet(m->who)) return false; /* the panel is full */
        update_rest(m, &p, end);
        if (!cpu_team_meet(m->who)) return false;
    }
    return true;
}

#endif
