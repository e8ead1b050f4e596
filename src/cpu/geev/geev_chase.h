/* geev on the CPU, n > 64: sweeps by chains of small bulges (K. Braman, R. Byers and R. Mathias, The multishift QR
 * algorithm, part I, SIAM J. Matrix Anal. Appl. 23 (2002)).  Part of geev_large.c.
 *
 * A chain goes down the window in slabs: the rows and columns that it meets there are copied to a small matrix, where
 * every turn acts at once, and the turns are noted.  The rest of T, and Q, gets them afterwards (geev_turns.h).  Bulges
 * follow each other at a distance of SPAN rows: the closest at which none meets the fill of the one before. */
#ifndef EIG_GEEV_CHASE_H
#define EIG_GEEV_CHASE_H

#include "geev.h"
#include "geev_descent.h"
#include "geev_turns.h"

/* What a bulge is made of: two shifts re1 + i im and re2 - i im; of a complex matrix one, re1 + i im. */
typedef struct bulge_shift {
    real re1, re2, im;
} bulge_shift;

/* The window l..i and the copy of rows and columns around a chain: element (r, c) of T is at(r, c) of it. */
typedef struct slab {
    int64_t l, i;
    int64_t row, column; /* of T, where the copy begins */
    geev_view d;
    chain c;
} slab;

static real *entry_of(const slab *w, int64_t r, int64_t c)
{
    return w->d.a + (r - w->row) + (c - w->column) * w->d.sj;
}

#if EIG_COMPLEX
/* The turn of rows p and p+1; takes the bulge out of column p-1, or makes it where p is the window's first row. */
static turn make_turn(const slab *w, int64_t p, const bulge_shift *shift)
{
    real *const x = entry_of(w, p, p > w->l ? p - 1 : p);
    int64_t const im = w->d.im;
    real const f[2] = {p > w->l ? x[0] : x[0] - shift->re1, p > w->l ? x[im] : x[im] - shift->im};
    real r[2];
    turn g;
    REAL_TYPED(schur_plane_rotation)(f[0], f[1], x[1], x[1 + im], &g.c, &g.re, &g.im, r, r + 1);
    if (p > w->l) x[0] = r[0], x[im] = r[1], x[1] = x[1 + im] = 0;
    return g;
}

static void turn_left(const slab *w, int64_t p, const turn *g)
{
    int64_t const im = w->d.im;
    real *x = entry_of(w, p, p);
    for (int64_t j = p; j <= w->c.bottom; ++j, x += w->d.sj) {
        real const a = x[0], b = x[im], c = x[1], d = x[1 + im];
        x[0] = fma_one(g->re, c, fma_one(-g->im, d, g->c * a)), x[im] = fma_one(g->re, d, fma_one(g->im, c, g->c * b));
        x[1] = fma_one(-g->re, a, fma_one(-g->im, b, g->c * c));
        x[1 + im] = fma_one(-g->re, b, fma_one(g->im, a, g->c * d));
    }
}
#else
/* The turn of rows p, p+1 and p+2; takes the bulge out of column p-1, or makes it where p is the window's first row. */
static turn make_turn(const slab *w, int64_t p, const bulge_shift *shift)
{
    bool const three = p + 2 <= w->i;
    real v[3], u1, u2, tau, beta;
    if (p == w->l) {
        const real *const d = entry_of(w, p, p), *const e = d + w->d.sj;
        TYPED(francis_first_column)
        (d[0], e[0], d[1], e[1], e[2], shift->re1, shift->re2, shift->im, v, v + 1, v + 2);
        TYPED(francis_reflector)(v[0], v[1], v[2], &u1, &u2, &tau, &beta);
    } else {
        real *const x = entry_of(w, p, p - 1);
        TYPED(francis_reflector)(x[0], x[1], three ? x[2] : 0, &u1, &u2, &tau, &beta);
        x[0] = beta, x[1] = 0;
        if (three) x[2] = 0;
    }
    return (turn){u1, u2, -tau, -tau * u1, -tau * u2};
}

static void turn_left(const slab *w, int64_t p, const turn *g)
{
    real *x = entry_of(w, p, p);
    if (p + 2 > w->i) {
        for (int64_t j = p; j <= w->c.bottom; ++j, x += w->d.sj) {
            real const dot = fma_one(g->u1, x[1], x[0]);
            x[0] = fma_one(dot, g->t0, x[0]), x[1] = fma_one(dot, g->t1, x[1]);
        }
        return;
    }
    for (int64_t j = p; j <= w->c.bottom; ++j, x += w->d.sj) {
        real const a = x[0], b = x[1], c = x[2], dot = fma_one(g->u1, b, fma_one(g->u2, c, a));
        x[0] = fma_one(dot, g->t0, a), x[1] = fma_one(dot, g->t1, b), x[2] = fma_one(dot, g->t2, c);
    }
}
#endif

/* Columns p and those after it, as far as they have entries. */
static void turn_right(const slab *w, int64_t p, const turn *g)
{
    int64_t const end = least(p + SPAN, w->i) - w->row;
    real *const x = w->d.a + (p - w->column) * w->d.sj;
    bool const last_two = !EIG_COMPLEX && p + 2 > w->i;
    for (int64_t r = 0; r <= end; r += SIMD_LANES) turn_columns(1, false, x + r, w->d.im, w->d.sj, 1, g, last_two);
}

/* Rows top..bottom and columns top-1..bottom of T to the copy, or back. */
static void copy_slab(const geev_schur *s, slab *w, bool back)
{
    int64_t const first = w->c.top > w->l ? w->c.top - 1 : w->c.top;
    int64_t const from = back ? w->c.top : w->row, to = back ? w->c.bottom + 1 : block_of(w->c.bottom) + BLOCK;
    for (int part = 0; part < GEEV_PARTS; ++part)
        for (int64_t j = first; j <= w->c.bottom; ++j) {
            real *const t = s->t.a + j * s->t.sj + part * s->t.im;
            real *const d = w->d.a + (j - w->column) * w->d.sj + part * w->d.im - w->row;
            if (back)
                for (int64_t i = from; i < to; ++i) t[i] = d[i];
            else
                for (int64_t i = from; i < to; ++i) d[i] = t[i];
        }
}

/* A chain of bulges, from the window's first row to its last one; false where the watch stops it. */
static bool chase(const geev_schur *s, int64_t l, int64_t i, const bulge_shift *shifts, int bulges, cpu_watch *watch)
{
    turn *const turns = s->room->turns;
    int64_t const steps = i - l + SPAN * (bulges - 1), ld = geev_padded(GEEV_CHASE_ROWS, sizeof(real));
    for (int64_t done = 0; done < steps; done += GEEV_SLAB) {
        if (!geev_go_on(watch, done_at(s, i))) return false;
        int64_t const next = least(done + GEEV_SLAB, steps), behind = l + done - SPAN * (bulges - 1);
        slab w = {.l = l, .i = i, .d = plane_view(s->room->local, ld, GEEV_CHASE_ROWS)};
        w.c = (chain){.bulges = bulges, .last = i, .turns = turns};
        w.c.top = behind > l ? behind : l, w.c.bottom = least(i, least(i - 1, l + next - 1) + SPAN);
        w.row = block_of(w.c.top), w.column = w.c.top - 1;
        for (int b = 0; b < bulges; ++b) {
            int64_t const first = l + done - SPAN * b, end = least(i - 1, l + next - 1 - SPAN * b);
            w.c.first[b] = first > l ? first : l, w.c.count[b] = end - w.c.first[b] + 1;
        }
        copy_slab(s, &w, false);
        for (int64_t t = done; t < next; ++t)
            for (int b = 0; b < bulges; ++b) {
                int64_t const p = l + t - SPAN * b;
                if (p < l || p >= i) continue;
                turn *const g = turns + b * GEEV_SLAB + (p - w.c.first[b]);
                *g = make_turn(&w, p, shifts + b);
                turn_left(&w, p, g);
                turn_right(&w, p, g);
            }
        far_detail f = {&w.c, s->q.a ? 0 : l, s->q.a ? s->n : i + 1};
        share_out(s, far_job, &f);
        copy_slab(s, &w, true);
    }
    return true;
}

#endif
