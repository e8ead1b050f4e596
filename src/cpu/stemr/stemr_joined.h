/* stemr on the CPU: factorisations from both ends that meet at a row that is known, the twist, and vectors; a lane each.
 * Part of stemr_kernels.c.
 *
 * Mapping   the lanes of a group walk together, from the top to the lowest twist among them, from the bottom to the
 *           highest one: n rows in all where twists are alike, half of what finding a twist takes.  In rows between
 *           twists a lane keeps only what is its own.
 * Memory    of a vector one number a row: the ratio of the factorisation that comes by there, later the entry. */
#ifndef EIG_STEMR_JOINED_H
#define EIG_STEMR_JOINED_H

#include "stemr_lanes.h"

/* The lanes of a group on their way. */
typedef struct lanes_walk {
    wide_lanes x[VECTORS], s[VECTORS], met[VECTORS]; /* met: s at the twist */
    vreal norm[VECTORS], met_norm[VECTORS];          /* square of the length of the vector, as far as it is known */
    vint twist[VECTORS], count[VECTORS];             /* count: -1 for each negative pivot */
    int64_t least, most;                             /* of all twists */
} lanes_walk;

SIMD_FN vint row_number(int64_t i)
{
    return (vint){0} + i;
}

SIMD_FN wide_lanes wide_select_lanes(vint mask, wide_lanes a, wide_lanes b)
{
    wide_lanes const r = {simd_select(mask, a.hi, b.hi), simd_select(mask, a.lo, b.lo)};
    return r;
}

/* Square of the length of a vector that is longer by a row. */
SIMD_FN vreal longer(vreal norm, vreal ratio)
{
    vreal const next = simd_splat(1) + ratio * ratio * norm;
    return simd_select(next < MOST_NORM, next, simd_splat(MOST_NORM));
}

SIMD_FN void begin_walk(lanes_walk *w, int64_t n, int const vectors, int first, const stemr_lanes *t)
{
    w->least = n - 1, w->most = 0;
    for (int l = first; l < first + vectors * SIMD_LANES; ++l) {
        if (t->twist[l] < w->least) w->least = t->twist[l];
        if (t->twist[l] > w->most) w->most = t->twist[l];
    }
    EACH(v, vectors) {
        w->x[v] = load_shift(t, first + v * SIMD_LANES);
        w->s[v] = w->met[v] = wide_minus_lanes(w->x[v]);
        w->norm[v] = w->met_norm[v] = simd_splat(1);
        memcpy(&w->twist[v], t->twist + first + v * SIMD_LANES, sizeof w->twist[v]);
        w->count[v] = (vint){0};
    }
}

/* Row i from the top; mixed: of some lanes it is the twist, or beyond it. */
SIMD_FN void row_down(lanes_walk *w, const stemr_row *rows, bool const is_own, const vreal *own, int const vectors,
                      bool const vector, bool const mixed, int64_t i, vreal *trace)
{
    EACH(v, vectors) {
        if (mixed) {
            vint const here = w->twist[v] == row_number(i);
            w->met[v] = wide_select_lanes(here, w->s[v], w->met[v]);
            w->met_norm[v] = simd_select(here, w->norm[v], w->met_norm[v]);
            if (i == w->most) continue;
        }
        wide_lanes pivot;
        vreal inverse;
        w->s[v] = mrrr_forward_lanes(row_d(rows, own, is_own, i, v), row_g(rows, own, is_own, i, v), w->x[v], w->s[v],
                                     &pivot, &inverse);
        vint const negative = pivot.hi < (vreal){0};
        w->count[v] += mixed ? negative & (w->twist[v] > row_number(i)) : negative;
        vreal const ratio = simd_splat(rows[i].b) * inverse;
        if (vector)
            trace[i * VECTORS + v] = ratio;
        else
            w->norm[v] = longer(w->norm[v], ratio);
    }
}

/* From row i, from the bottom, to the one above: s is that of this factorisation here; *above = s + x. */
SIMD_FN void row_up(lanes_walk *w, const stemr_row *rows, bool const is_own, const vreal *own, int const vectors,
                    bool const vector, bool const mixed, int64_t i, wide_lanes *above, vreal *trace)
{
    EACH(v, vectors) {
        vreal inverse;
        w->s[v] = mrrr_backward_lanes(row_d(rows, own, is_own, i - 1, v), row_g(rows, own, is_own, i - 1, v), w->x[v],
                                      w->s[v], &above[v], &inverse);
        vint const negative = inverse < (vreal){0}, beyond = w->twist[v] < row_number(i);
        w->count[v] += mixed ? negative & beyond : negative;
        vreal const ratio = simd_splat(rows[i - 1].b) * inverse;
        vreal *const at = trace + i * VECTORS + v;
        if (vector)
            *at = mixed ? simd_select(beyond, ratio, *at) : ratio;
        else
            w->norm[v] = longer(w->norm[v], ratio);
    }
}

/* Both factorisations: counts, gammas, and norms or the ratios for a vector. */
SIMD_FN void joined(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, bool const vector,
                    int first, stemr_lanes *t, const vreal *own, vreal *trace)
{
    lanes_walk w;
    wide_lanes above[VECTORS];
    vreal gamma[VECTORS], norm[VECTORS];
    begin_walk(&w, n, vectors, first, t);
    for (int64_t i = 0; i < w.least; ++i) row_down(&w, rows, is_own, own, vectors, vector, false, i, trace);
    for (int64_t i = w.least; i <= w.most; ++i) row_down(&w, rows, is_own, own, vectors, vector, true, i, trace);
    EACH(v, vectors) {
        above[v] = row_d(rows, own, is_own, n - 1, v);
        w.s[v] = wide_add_lanes(above[v], wide_minus_lanes(w.x[v]));
        gamma[v] = w.s[v].hi, norm[v] = w.norm[v] = simd_splat(1);
    }
    for (int64_t i = n - 1; i > w.most; --i) row_up(&w, rows, is_own, own, vectors, vector, false, i, above, trace);
    for (int64_t i = w.most; i >= w.least; --i) {
        EACH(v, vectors) {
            vint const here = w.twist[v] == row_number(i);
            gamma[v] = simd_select(here, wide_sum_rounded_lanes(w.met[v], above[v]), gamma[v]);
            norm[v] = simd_select(here, w.met_norm[v] + (w.norm[v] - simd_splat(1)), norm[v]);
        }
        if (i > w.least) row_up(&w, rows, is_own, own, vectors, vector, true, i, above, trace);
    }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->count[lane] = (gamma[v][l] < 0) - w.count[v][l];
            t->gamma[lane] = gamma[v][l], t->norm[lane] = norm[v][l];
        }
}

/* An entry beside one that is known; tiny ones are 0. */
SIMD_FN vreal next_entry(vreal ratio, vreal z)
{
    vreal const next = -ratio * z;
    return simd_select(simd_abs(next) < simd_splat(LEAST_ENTRY), (vreal){0}, next);
}

/* z = 1 at the twist, from there up by the ratios of the factorisation from the top, down by those of the other one. */
SIMD_FN void entries(int64_t n, int const vectors, int first, stemr_lanes *t, vreal *trace)
{
    lanes_walk w;
    vreal const one = simd_splat(1);
    vreal z[VECTORS], norm[VECTORS];
    begin_walk(&w, n, vectors, first, t);
    EACH(v, vectors) z[v] = norm[v] = (vreal){0};
    for (int64_t i = w.most; i >= w.least; --i)
        EACH(v, vectors) {
            vreal *const at = trace + i * VECTORS + v;
            vint const here = w.twist[v] == row_number(i), above = w.twist[v] > row_number(i);
            z[v] = simd_select(here, one, simd_select(above, next_entry(*at, z[v]), (vreal){0}));
            *at = simd_select(here | above, z[v], *at);
            norm[v] += z[v] * z[v];
        }
    for (int64_t i = w.least - 1; i >= 0; --i)
        EACH(v, vectors) {
            vreal *const at = trace + i * VECTORS + v;
            *at = z[v] = next_entry(*at, z[v]);
            norm[v] += z[v] * z[v];
        }
    EACH(v, vectors) z[v] = simd_select(w.twist[v] == row_number(w.least), one, (vreal){0});
    for (int64_t i = w.least + 1; i <= w.most; ++i)
        EACH(v, vectors) {
            vreal *const at = trace + i * VECTORS + v;
            vint const here = w.twist[v] == row_number(i), below = w.twist[v] < row_number(i);
            vreal const next = simd_select(below, next_entry(*at, z[v]), (vreal){0});
            *at = simd_select(below, next, *at);
            norm[v] += next * next;
            z[v] = simd_select(here, one, next);
        }
    for (int64_t i = w.most + 1; i < n; ++i)
        EACH(v, vectors) {
            vreal *const at = trace + i * VECTORS + v;
            *at = z[v] = next_entry(*at, z[v]);
            norm[v] += z[v] * z[v];
        }
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) t->norm[first + v * SIMD_LANES + l] = norm[v][l];
}

/* ------------------------------------------------------------- the twist, nearly */

/* A principal minor of N - x, of rows that follow each other: its size in 2^-20 of a factor of 2, nearly. */
typedef struct lanes_minor {
    vreal here, before;
    vint scale;
} lanes_minor;

SIMD_FN vint minor_size(const lanes_minor *m)
{
    return (vint)((vnatural)(vint)simd_abs(m->here) >> 32) + m->scale;
}

/* One row more: entry is its diagonal element, square that of the off-diagonal beside it.  Now and then it is scaled. */
SIMD_FN void minor_step(lanes_minor *m, vreal entry, vreal square, bool scale)
{
    vreal const next = simd_fma(entry, m->here, -square * m->before);
    m->before = m->here, m->here = next;
    if (!scale) return;
    vint const bits = (vint)simd_max(simd_abs(m->here), simd_abs(m->before)) & 0x7ff0000000000000;
    vreal const factor = (vreal)(0x7fd0000000000000 - bits);
    m->here *= factor, m->before *= factor;
    m->scale += (vint)((vnatural)bits >> 32) - 0x3fe00000;
}

/* Where the product of the minors above and below is largest: the square of the vector's entry is as large, beside the
 * others.  In a double's digits, of a representation that is definite, and of eigenvalues that are not close. */
SIMD_FN void seek_twist(const stemr_row *rows, int64_t n, int const vectors, int first, stemr_lanes *t, vreal *trace)
{
    vint *const above = (vint *)trace;
    lanes_minor m[VECTORS];
    vreal x[VECTORS];
    vint best[VECTORS], twist[VECTORS];
    lanes_minor const none = {simd_splat(1), (vreal){0}, (vint){0}};
    EACH(v, vectors) {
        memcpy(&x[v], t->hi + first + v * SIMD_LANES, sizeof x[v]);
        m[v] = none;
    }
    for (int64_t i = 0; i < n; ++i) {
        real const entry = rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi : 0), b = i > 0 ? rows[i - 1].b : 0;
        EACH(v, vectors) {
            above[i * VECTORS + v] = minor_size(&m[v]);
            minor_step(&m[v], simd_splat(entry) - x[v], simd_splat(b * b), i % 4 == 3);
        }
    }
    EACH(v, vectors) m[v] = none, best[v] = row_number(INT64_MIN), twist[v] = (vint){0};
    for (int64_t i = n - 1; i >= 0; --i) {
        real const entry = rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi : 0), b = rows[i].b;
        EACH(v, vectors) {
            vint const size = above[i * VECTORS + v] + minor_size(&m[v]), larger = size > best[v];
            best[v] = simd_select_bits(larger, size, best[v]);
            twist[v] = simd_select_bits(larger, row_number(i), twist[v]);
            minor_step(&m[v], simd_splat(entry) - x[v], simd_splat(b * b), i % 4 == 0);
        }
    }
    EACH(v, vectors) memcpy(t->twist + first + v * SIMD_LANES, &twist[v], sizeof twist[v]);
}

#endif
