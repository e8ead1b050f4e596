/* geev on the CPU, n > 64: the reduction to Hessenberg form, T := Q^H T Q, in panels.  Part of geev_large.c.
 *
 * The reflectors of a panel are I - V S V^H with an upper triangle S (C. Bischof and C. Van Loan, SIAM J. Sci. Stat.
 * Comput. 8 (1987)).  Inside a panel a column is brought up to date before its own reflector; for it Y = A V S is
 * available, column by column.  The rest is updated once, by products: A - Y V^H from the right, then A - V (S^H V^H) A
 * from the left (G.  Quintana-Orti and R. van de Geijn, ACM Trans. Math. Softw. 32 (2006), LAPACK's gehrd).
 *
 * Threads   rows of A v, and columns of the products.
 * Cost      10/3 n^3 flops (complex: 40/3): a fifth in A v, which reads each element right of the panel's column once
 *           and is bound by the cache that the matrix lies in; the rest in products.  Q: 4/3 n^3 (16/3) in products. */
#ifndef EIG_GEEV_LARGE_REDUCE_H
#define EIG_GEEV_LARGE_REDUCE_H

#include "geev_large.h"

/* The panel of columns k, ..., k + count - 1; its reflectors act on rows and columns k+1..hi. */
typedef struct panel {
    int64_t k, count, start; /* start: of the block that holds row k+1 */
    geev_view v, y, m, h;    /* V, Y, M and V^H, [GEEV_PANEL] columns; of M and V^H rows */
    geev_view s;             /* S */
    int64_t column;          /* that is in progress */
} panel;

static panel panel_of(const geev_schur *s, int64_t k)
{
    geev_room *const r = s->room;
    int64_t const end = s->hi - 1, ld = r->ld;
    panel p = {.k = k, .count = least(GEEV_PANEL, end - k), .start = block_of(k + 1)};
    p.v = plane_view(r->v, ld, GEEV_PANEL), p.y = plane_view(r->y, ld, GEEV_PANEL);
    p.m = plane_view(r->m, GEEV_PANEL, ld), p.h = plane_view(r->h, GEEV_PANEL, ld);
    enum { SQUARE = GEEV_PANEL * GEEV_PANEL };
    real *const triangle = (real *)r->triangles + (k - s->lo) / GEEV_PANEL * (GEEV_PARTS * SQUARE);
    p.s = (geev_view){triangle, 1, GEEV_PANEL, SQUARE};
    return p;
}

/* Rows of the panel, in whole blocks. */
static span rows_of_panel(const geev_schur *s, const panel *p)
{
    return (span){p->start, block_of(s->hi) + BLOCK};
}

/* Column l of Y in these rows: A v, before the panel's reflectors. */
static void multiply_job(const geev_schur *s, int rank, int size, void *detail)
{
    const panel *const p = detail;
    int64_t const l = p->column, first = p->k + l + 1;
    span const all = rows_of_panel(s, p), mine = part_of(all.last - all.first, BLOCK, rank, size);
    span const rows = {all.first + mine.first, all.first + mine.last};
    number *const c = (number *)s->work;
    real *const y = p->y.a + l * p->y.sj;
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t i = rows.first; i < rows.last; ++i) y[i + part * p->y.im] = 0;
    geev_view a = s->t;
    a.a += first * a.sj;
    add_columns(a, s->hi - first + 1, c + first, rows, y, p->y.im);
}

/* x := S' x or S'^H x, of the leading `count` rows and columns. */
static void multiply_triangle(const panel *p, int64_t count, bool adjoint, number *x)
{
    number y[GEEV_PANEL];
    for (int64_t i = 0; i < count; ++i) {
        y[i] = (number){0, 0};
        for (int64_t j = adjoint ? 0 : i; j < (adjoint ? i + 1 : count); ++j) {
            number const e = adjoint ? conjugate_of(number_of(p->s, j, i)) : number_of(p->s, i, j);
            y[i] = plus(y[i], times(e, x[j]));
        }
    }
    for (int64_t i = 0; i < count; ++i) x[i] = y[i];
}

static void negate(int64_t count, number *x)
{
    for (int64_t i = 0; i < count; ++i) x[i] = negative(x[i]);
}

/* Column l of the panel: brings it up to date, makes its reflector and its columns of Y and S. */
static void reduce_column(const geev_schur *s, panel *p, int64_t l)
{
    int64_t const k = p->k + l, ld = s->t.sj;
    span const rows = rows_of_panel(s, p);
    real *const x = s->t.a + k * ld, *const v = p->v.a + l * p->v.sj, *const y = p->y.a + l * p->y.sj;
    number c[GEEV_PANEL];
    if (l > 0) {
        for (int64_t j = 0; j < l; ++j) c[j] = negative(conjugate_of(number_of(p->v, k, j)));
        add_columns(p->y, l, c, rows, x, s->t.im);
        multiply_columns(p->v, l, rows, x, s->t.im, c);
        multiply_triangle(p, l, true, c);
        negate(l, c);
        add_columns(p->v, l, c, rows, x, s->t.im);
    }
    real const tau = make_reflector(x, s->t.im, k + 1, s->hi, v, p->v.im);
    number *const all = (number *)s->work;
    for (int64_t i = k + 1; i <= s->hi; ++i) all[i] = (number){v[i], EIG_COMPLEX ? v[i + p->v.im] : 0};
    p->column = l;
    share_out(s, multiply_job, p);
    multiply_columns(p->v, l, rows, v, p->v.im, c);
    negate(l, c);
    if (l > 0) add_columns(p->y, l, c, rows, y, p->y.im);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t i = rows.first; i < rows.last; ++i) y[i + part * p->y.im] *= tau;
    multiply_triangle(p, l, false, c);
    for (int64_t i = 0; i < GEEV_PANEL; ++i) {
        real *const to = p->s.a + i + l * GEEV_PANEL;
        to[0] = i < l ? c[i].re * tau : i == l ? tau : 0;
        if (EIG_COMPLEX) to[p->s.im] = i < l ? c[i].im * tau : 0;
    }
}

/* Rows of V^H, zero behind the last one. */
static void transpose_panel(const geev_schur *s, const panel *p)
{
    span const rows = rows_of_panel(s, p);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t i = rows.first; i < rows.last; ++i)
            for (int64_t l = 0; l < GEEV_PANEL; ++l) {
                real const x = l < p->count ? p->v.a[i + l * p->v.sj + part * p->v.im] : 0;
                p->h.a[l + i * GEEV_PANEL + part * p->h.im] = part ? -x : x;
            }
}

/* M := S V^H, or S^H V^H. */
static void make_m(const geev_schur *s, const panel *p, bool adjoint)
{
    span const rows = rows_of_panel(s, p);
    real turned[GEEV_PARTS * GEEV_PANEL * GEEV_PANEL] __attribute__((aligned(64)));
    geev_view const t = {turned, 1, GEEV_PANEL, GEEV_PANEL * GEEV_PANEL};
    for (int64_t i = 0; i < GEEV_PANEL; ++i)
        for (int64_t j = 0; j < GEEV_PANEL; ++j) {
            number const zero = {0, 0}, from = adjoint ? number_of(p->s, j, i) : number_of(p->s, i, j);
            number const x = i < p->count && j < p->count ? from : zero;
            turned[i + j * GEEV_PANEL] = x.re;
            if (EIG_COMPLEX) turned[i + j * GEEV_PANEL + t.im] = adjoint ? -x.im : x.im;
        }
    product_set(block_at(p->m, 0, rows.first), GEEV_PANEL, rows.last - rows.first, GEEV_PANEL, block_at(t, 0, 0),
                factor_at(p->h, 0, rows.first));
}

/* Columns j, ..., j + columns - 1 of A from row `start` on: A := A - V M A.  own: a strip. */
static void update_left(const geev_schur *s, const panel *p, geev_view a, int64_t j, int64_t columns, real *own)
{
    span const rows = rows_of_panel(s, p);
    int64_t const height = rows.last - rows.first;
    geev_view const w = plane_view(own, GEEV_PANEL, GEEV_STRIP);
    product_set(block_at(w, 0, 0), GEEV_PANEL, columns, height, block_at(p->m, 0, rows.first),
                factor_at(a, rows.first, j));
    product_subtract(block_at(a, rows.first, j), height, columns, p->count, block_at(p->v, rows.first, 0),
                     factor_at(w, 0, 0));
}

/* Rows above `start` of Y: A V S, by rows. */
static void top_job(const geev_schur *s, int rank, int size, void *detail)
{
    enum { ROWS = 192, DEPTH = 128 };
    const panel *const p = detail;
    real *const own = own_room(s, rank);
    for (int64_t i = rank * ROWS; i < p->start; i += size * ROWS) {
        int64_t const rows = least(ROWS, p->start - i);
        geev_view const w = plane_view(own, ROWS, GEEV_PANEL);
        for (int64_t j = p->k + 1; j <= s->hi; j += DEPTH) {
            int64_t const depth = least(DEPTH, s->hi - j + 1);
            (j == p->k + 1 ? product_set : product_add)(block_at(w, 0, 0), rows, p->count, depth, block_at(s->t, i, j),
                                                        factor_at(p->v, j, 0));
        }
        product_set(block_at(p->y, i, 0), rows, p->count, p->count, block_at(w, 0, 0), factor_at(p->s, 0, 0));
    }
}

/* The matrix right of the panel, from both sides, by strips of columns; and the rows above it of the panel's own
 * columns. */
static void rest_job(const geev_schur *s, int rank, int size, void *detail)
{
    const panel *const p = detail;
    int64_t const end = p->k + p->count, bottom = block_of(s->hi) + BLOCK;
    for (int64_t strip = rank, j; (j = p->k + 1 + strip * GEEV_STRIP) < s->n; strip += size)
        for (int64_t next, stop = least(j + GEEV_STRIP, s->n); j < stop; j = next) {
            next = j < end ? least(end, stop) : j <= s->hi ? least(s->hi + 1, stop) : stop;
            factor conjugated = {.row = p->v.sj, .column = 1};
            for (int part = 0; part < GEEV_PARTS; ++part) conjugated.part[part] = p->v.a + j + part * p->v.im;
            if (j <= s->hi)
                product_subtract_conjugate(block_at(s->t, 0, j), j < end ? p->start : bottom, next - j, p->count,
                                           block_at(p->y, 0, 0), conjugated);
            if (j >= end) update_left(s, p, s->t, j, next - j, own_room(s, rank));
        }
}

static void q_job(const geev_schur *s, int rank, int size, void *detail)
{
    const panel *const p = detail;
    for (int64_t j = p->k + 1 + rank * GEEV_STRIP; j <= s->hi; j += size * GEEV_STRIP)
        update_left(s, p, s->q, j, least(GEEV_STRIP, s->hi + 1 - j), own_room(s, rank));
}

/* V to columns of Q, or back. */
static void copy_panel(const geev_schur *s, const panel *p, bool to_q)
{
    span const rows = rows_of_panel(s, p);
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t l = 0; l < p->count; ++l) {
            real *const q = s->q.a + (p->k + l) * s->q.sj + part * s->q.im;
            real *const v = p->v.a + l * p->v.sj + part * p->v.im;
            for (int64_t i = rows.first; i < rows.last; ++i) *(to_q ? q + i : v + i) = *(to_q ? v + i : q + i);
        }
}

/* Q from the reflectors, whose V stand in its columns. */
static bool form_q(const geev_schur *s, cpu_watch *watch)
{
    int64_t const n = s->n, lo = s->lo, hi = s->hi, reflectors = hi - 1 - lo;
    int64_t const last = reflectors > 0 ? lo + (reflectors - 1) / GEEV_PANEL * GEEV_PANEL : lo;
    geev_view const q = s->q;
    for (int64_t j = 0; j < n; ++j) {
        if (j >= lo && j < hi - 1) continue;
        for (int part = 0; part < GEEV_PARTS; ++part)
            for (int64_t i = 0; i < q.sj; ++i) q.a[i + j * q.sj + part * q.im] = part == 0 && i == j;
    }
    for (int64_t k = last; k >= lo && reflectors > 0; k -= GEEV_PANEL) {
        if (!geev_go_on(watch, geev_reduction)) return false;
        panel p = panel_of(s, k);
        copy_panel(s, &p, false);
        for (int part = 0; part < GEEV_PARTS; ++part)
            for (int64_t j = k; j < k + p.count; ++j)
                for (int64_t i = 0; i < q.sj; ++i) q.a[i + j * q.sj + part * q.im] = part == 0 && i == j;
        transpose_panel(s, &p);
        make_m(s, &p, false);
        share_out(s, q_job, &p);
    }
    return true;
}

/* Whether rows and columns lo..hi have Hessenberg form already. */
static bool is_hessenberg(const geev_schur *s)
{
    for (int64_t k = s->lo; k < s->hi - 1; ++k)
        for (int part = 0; part < GEEV_PARTS; ++part) {
            const real *const x = s->t.a + k * s->t.sj + part * s->t.im;
            for (int64_t i = k + 2; i <= s->hi; ++i)
                if (x[i] != 0) return false;
        }
    return true;
}

static bool reduce(const geev_schur *s, cpu_watch *watch)
{
    int64_t const n = s->n, lo = s->lo, hi = s->hi;
    if (is_hessenberg(s)) {
        if (s->q.a) make_identity(s->q, n);
        return true;
    }
    for (int64_t k = lo; k < hi - 1; k += GEEV_PANEL) {
        panel p = panel_of(s, k);
        clear(p.v, p.v.sj, GEEV_PANEL), clear(p.y, p.y.sj, GEEV_PANEL);
        for (int64_t l = 0; l < p.count; ++l) {
            if (!geev_go_on(watch, geev_reduction * (1 - geev_cube((double)(hi - k - l) / (double)n)))) return false;
            reduce_column(s, &p, l);
        }
        if (s->q.a) copy_panel(s, &p, true);
        transpose_panel(s, &p);
        make_m(s, &p, true);
        share_out(s, top_job, &p);
        share_out(s, rest_job, &p);
    }
    return !s->q.a || form_q(s, watch);
}

#endif
