/* stemr on the CPU: factorisations from both ends that meet at a row that is known, the twist, and vectors; a lane
 * each.  Part of stemr_kernels.c, for double alone: float is computed in double.
 *
 * Window    a lane's rows from top to bottom: beside them its vector is so small that it counts as 0.
 * Mapping   the lanes of a group walk together, from the highest top to the lowest twist among them, from the lowest
 *           bottom to the highest twist: where twists are similar, half of what finding one takes.  In rows where some
 *           lanes begin, or have met, a lane keeps only what is its own.
 * Memory    one number for each row of a vector: the ratio of the factorisation that passes there, later the entry. */
#ifndef EIG_STEMR_TWISTED_H
#define EIG_STEMR_TWISTED_H

#include "stemr_lanes.h"

/* The state of the lanes of a group. */
typedef struct lanes_walk {
    wide_lanes x[VECTORS], s[VECTORS], met[VECTORS]; /* met: s at the twist */
    vreal norm[VECTORS], met_norm[VECTORS];          /* square of the length of the vector, as far as it is known */
    vreal edge[VECTORS], met_edge[VECTORS];          /* square of its entry where the window cuts it */
    vint twist[VECTORS], count[VECTORS];             /* count: -1 for each negative pivot */
    vint top[VECTORS], bottom[VECTORS];
    int64_t least, most;          /* of all twists */
    int64_t first, last;          /* rows of all windows */
    int64_t whole_from, whole_to; /* rows that are in every window */
} lanes_walk;

typedef struct lanes_found {
    vreal gamma[VECTORS], norm[VECTORS], edge[VECTORS];
} lanes_found;

SIMD_FN vint row_number(int64_t i)
{
    return (vint){0} + i;
}

SIMD_FN wide_lanes wide_select_lanes(vint mask, wide_lanes a, wide_lanes b)
{
    wide_lanes const r = {simd_select(mask, a.hi, b.hi), simd_select(mask, a.lo, b.lo)};
    return r;
}

SIMD_FN bool all_of(vint mask)
{
    return simd_mask_bits(mask) == (1u << SIMD_LANES) - 1;
}

/* Square of the length of a vector that is longer by a row; that of the ratio of entries. */
SIMD_FN vreal longer(vreal norm, vreal square)
{
    vreal const next = simd_splat(1) + square * norm;
    return simd_select(next < simd_splat(MOST_NORM), next, simd_splat(MOST_NORM));
}

SIMD_FN void begin_walk(lanes_walk *w, int64_t n, int const vectors, int first, const stemr_lanes *t)
{
    w->least = w->first = w->whole_to = n - 1, w->most = w->last = w->whole_from = 0;
    for (int l = first; l < first + vectors * SIMD_LANES; ++l) {
        if (t->twist[l] < w->least) w->least = t->twist[l];
        if (t->twist[l] > w->most) w->most = t->twist[l];
        if (t->top[l] < w->first) w->first = t->top[l];
        if (t->top[l] > w->whole_from) w->whole_from = t->top[l];
        if (t->bottom[l] > w->last) w->last = t->bottom[l];
        if (t->bottom[l] < w->whole_to) w->whole_to = t->bottom[l];
    }
    EACH(v, vectors) {
        w->x[v] = load_shift(t, first + v * SIMD_LANES);
        w->s[v] = w->met[v] = wide_minus_lanes(w->x[v]);
        w->norm[v] = w->met_norm[v] = simd_splat(1);
        w->edge[v] = w->met_edge[v] = (vreal){0};
        memcpy(&w->twist[v], t->twist + first + v * SIMD_LANES, sizeof w->twist[v]);
        memcpy(&w->top[v], t->top + first + v * SIMD_LANES, sizeof w->top[v]);
        memcpy(&w->bottom[v], t->bottom + first + v * SIMD_LANES, sizeof w->bottom[v]);
        w->count[v] = (vint){0};
    }
}

SIMD_FN void lengthen(lanes_walk *w, int v, vreal ratio)
{
    vreal const square = ratio * ratio;
    w->norm[v] = longer(w->norm[v], square);
    w->edge[v] *= square;
}

/* Row i from the top.  begins: some windows begin here or below; meets: it is some lanes' twist, or below it. */
SIMD_FN void row_down(lanes_walk *w, const stemr_row *rows, bool const is_own, const vreal *own, int const vectors,
                      bool const vector, bool const begins, bool const meets, int64_t i, vreal *trace)
{
    EACH(v, vectors) {
        if (begins && i > 0) { /* N begins with D_i + G_{i-1} */
            vint const here = w->top[v] == row_number(i);
            wide_lanes const s = wide_add_lanes(row_g(rows, own, is_own, i - 1, v), wide_minus_lanes(w->x[v]));
            w->s[v] = wide_select_lanes(here, s, w->s[v]);
            w->norm[v] = simd_select(here, simd_splat(1), w->norm[v]);
            w->edge[v] = simd_select(here, simd_splat(1), w->edge[v]);
        }
        if (meets) {
            vint const here = w->twist[v] == row_number(i);
            w->met[v] = wide_select_lanes(here, w->s[v], w->met[v]);
            w->met_norm[v] = simd_select(here, w->norm[v], w->met_norm[v]);
            w->met_edge[v] = simd_select(here, w->edge[v], w->met_edge[v]);
            if (i == w->most) continue;
        }
        wide_lanes pivot;
        vreal inverse;
        w->s[v] = mrrr_forward_lanes(row_d(rows, own, is_own, i, v), row_g(rows, own, is_own, i, v), w->x[v], w->s[v],
                                     &pivot, &inverse);
        vint negative = pivot.hi < (vreal){0};
        if (begins) negative &= w->top[v] <= row_number(i);
        if (meets) negative &= w->twist[v] > row_number(i);
        w->count[v] += negative;
        vreal const ratio = simd_splat(rows[i].b) * inverse;
        if (vector)
            trace[i * VECTORS + v] = ratio;
        else
            lengthen(w, v, ratio);
    }
}

/* From row i, from the bottom, to the one above: s is that of this factorisation here; *above = s + x.  begins: some
 * windows begin here or above; meets: it is some lanes' twist, or above it. */
SIMD_FN void row_up(lanes_walk *w, const stemr_row *rows, int64_t n, bool const is_own, const vreal *own,
                    int const vectors, bool const vector, bool const begins, bool const meets, int64_t i,
                    wide_lanes *above, vreal *trace)
{
    EACH(v, vectors) {
        if (begins) { /* row n-1 is no cut */
            bool const cuts = i < n - 1;
            vint const here = w->bottom[v] == row_number(i);
            wide_lanes const s = wide_add_lanes(row_d(rows, own, is_own, i, v), wide_minus_lanes(w->x[v]));
            w->s[v] = wide_select_lanes(here, s, w->s[v]);
            w->norm[v] = simd_select(here, simd_splat(1), w->norm[v]);
            if (cuts) w->edge[v] = simd_select(here, simd_splat(1), w->edge[v]);
        }
        vreal inverse;
        w->s[v] = mrrr_backward_lanes(row_d(rows, own, is_own, i - 1, v), row_g(rows, own, is_own, i - 1, v), w->x[v],
                                      w->s[v], &above[v], &inverse);
        vint const beyond = w->twist[v] < row_number(i);
        vint negative = inverse < (vreal){0};
        if (begins) negative &= w->bottom[v] >= row_number(i);
        if (meets) negative &= beyond;
        w->count[v] += negative;
        vreal const ratio = simd_splat(rows[i - 1].b) * inverse;
        vreal *const at = trace + i * VECTORS + v;
        if (vector)
            *at = meets ? simd_select(beyond, ratio, *at) : ratio;
        else
            lengthen(w, v, ratio);
    }
}

/* What the lanes find whose twist is row i. */
SIMD_FN void meet(const lanes_walk *w, const stemr_row *rows, bool const is_own, const vreal *own, int const vectors,
                  int64_t i, const wide_lanes *above, lanes_found *f)
{
    EACH(v, vectors) {
        /* A window that ends with its twist: above is D. */
        vint const here = w->twist[v] == row_number(i), alone = w->bottom[v] == row_number(i);
        wide_lanes const last = wide_select_lanes(alone, row_d(rows, own, is_own, i, v), above[v]);
        vreal const below = simd_select(alone, simd_splat(1), w->norm[v]);
        f->gamma[v] = simd_select(here, wide_sum_rounded_lanes(w->met[v], last), f->gamma[v]);
        f->norm[v] = simd_select(here, w->met_norm[v] + (below - simd_splat(1)), f->norm[v]);
        f->edge[v] = simd_select(here, simd_max(w->met_edge[v], w->edge[v]), f->edge[v]);
    }
}

/* Both factorisations: counts, gammas, and norms or the ratios for a vector. */
SIMD_FN void twisted(const stemr_row *rows, int64_t n, bool const is_own, int const vectors, bool const vector,
                     int first, stemr_lanes *t, const vreal *own, vreal *trace)
{
    lanes_walk w;
    wide_lanes above[VECTORS];
    lanes_found f;
    begin_walk(&w, n, vectors, first, t);
    int64_t i = w.first;
    for (; i <= w.whole_from; ++i) row_down(&w, rows, is_own, own, vectors, vector, true, true, i, trace);
    for (; i < w.least; ++i) row_down(&w, rows, is_own, own, vectors, vector, false, false, i, trace);
    for (; i <= w.most; ++i) row_down(&w, rows, is_own, own, vectors, vector, false, true, i, trace);
    EACH(v, vectors) {
        above[v] = row_d(rows, own, is_own, w.last, v);
        w.s[v] = wide_add_lanes(above[v], wide_minus_lanes(w.x[v]));
        f.gamma[v] = w.s[v].hi, f.norm[v] = w.norm[v] = simd_splat(1), f.edge[v] = w.edge[v] = (vreal){0};
    }
    for (i = w.last; i > w.most && i >= w.whole_to; --i)
        row_up(&w, rows, n, is_own, own, vectors, vector, true, false, i, above, trace);
    for (; i > w.most; --i) row_up(&w, rows, n, is_own, own, vectors, vector, false, false, i, above, trace);
    for (; i > w.least && i >= w.whole_to; --i) {
        meet(&w, rows, is_own, own, vectors, i, above, &f);
        row_up(&w, rows, n, is_own, own, vectors, vector, true, true, i, above, trace);
    }
    for (; i > w.least; --i) {
        meet(&w, rows, is_own, own, vectors, i, above, &f);
        row_up(&w, rows, n, is_own, own, vectors, vector, false, true, i, above, trace);
    }
    meet(&w, rows, is_own, own, vectors, i, above, &f);
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->count[lane] = (f.gamma[v][l] < 0) - w.count[v][l];
            t->gamma[lane] = f.gamma[v][l], t->norm[lane] = f.norm[v][l], t->edge[lane] = sqrt(f.edge[v][l]);
        }
}

/* An entry beside one that is known; tiny ones are 0. */
SIMD_FN vreal next_entry(vreal ratio, vreal z)
{
    vreal const next = -ratio * z;
    return simd_select(simd_abs(next) < simd_splat(LEAST_ENTRY), (vreal){0}, next);
}

/* The state of a vector, from the twist outwards. */
typedef struct lanes_vector {
    vreal z[VECTORS], norm[VECTORS], edge[VECTORS], most[VECTORS];
} lanes_vector;

/* Row i; mixed: it is beside the window of some lanes, or on the other side of their twists. */
SIMD_FN void entry_above(lanes_vector *u, const lanes_walk *w, int const vectors, bool const mixed, int64_t i,
                         vreal *trace)
{
    EACH(v, vectors) {
        vreal *const at = trace + i * VECTORS + v;
        u->z[v] = next_entry(*at, u->z[v]);
        if (mixed) {
            vint const row = row_number(i), here = w->twist[v] == row;
            u->z[v] = simd_select((w->twist[v] > row) & (w->top[v] <= row), u->z[v], (vreal){0});
            u->z[v] = simd_select(here, simd_splat(1), u->z[v]);
            if (i > 0) u->edge[v] = simd_select(w->top[v] == row, simd_abs(u->z[v]), u->edge[v]);
            *at = simd_select(w->twist[v] >= row, u->z[v], *at);
        } else {
            *at = u->z[v];
        }
        u->norm[v] += u->z[v] * u->z[v];
        u->most[v] = simd_max(simd_abs(u->z[v]), u->most[v]);
    }
}

SIMD_FN void entry_below(lanes_vector *u, const lanes_walk *w, int const vectors, bool const mixed, bool const last,
                         int64_t i, vreal *trace)
{
    EACH(v, vectors) {
        vreal *const at = trace + i * VECTORS + v;
        u->z[v] = next_entry(*at, u->z[v]);
        if (mixed) {
            vint const row = row_number(i), below = w->twist[v] < row;
            vreal const z = simd_select(below & (w->bottom[v] >= row), u->z[v], (vreal){0});
            vreal const end = simd_select(w->bottom[v] == row, simd_abs(z), (vreal){0});
            if (!last) u->edge[v] = simd_max(u->edge[v], end);
            *at = simd_select(below, z, *at);
            u->norm[v] += z * z;
            u->most[v] = simd_max(simd_abs(z), u->most[v]);
            u->z[v] = simd_select(w->twist[v] == row, simd_splat(1), z);
        } else {
            *at = u->z[v];
            u->norm[v] += u->z[v] * u->z[v];
            u->most[v] = simd_max(simd_abs(u->z[v]), u->most[v]);
        }
    }
}

/* z = 1 at the twist, from there up by the ratios of the factorisation from the top, down by those of the other one; 0
 * beside the window.  trace gets the residual at its ends. */
SIMD_FN void entries(int64_t n, int const vectors, int first, stemr_lanes *t, vreal *trace)
{
    lanes_walk w;
    lanes_vector u;
    begin_walk(&w, n, vectors, first, t);
    EACH(v, vectors) u.z[v] = u.norm[v] = u.edge[v] = u.most[v] = (vreal){0};
    int64_t i = w.most;
    for (; i >= w.least; --i) entry_above(&u, &w, vectors, true, i, trace);
    for (; i > w.whole_from; --i) entry_above(&u, &w, vectors, false, i, trace);
    for (; i >= w.first; --i) entry_above(&u, &w, vectors, true, i, trace);
    EACH(v, vectors) u.z[v] = simd_select(w.twist[v] == row_number(w.least), simd_splat(1), (vreal){0});
    i = w.least + 1;
    for (; i <= w.most; ++i) entry_below(&u, &w, vectors, true, i == n - 1, i, trace);
    for (; i < w.whole_to; ++i) entry_below(&u, &w, vectors, false, false, i, trace);
    for (; i <= w.last; ++i) entry_below(&u, &w, vectors, true, i == n - 1, i, trace);
    for (int v = 0; v < vectors; ++v)
        for (int l = 0; l < SIMD_LANES; ++l) {
            int const lane = first + v * SIMD_LANES + l;
            t->norm[lane] = u.norm[v][l], t->edge[lane] = u.edge[v][l], t->most[lane] = u.most[v][l];
        }
}

/* ------------------------------------------------------------- the twist, nearly */

/* A solution of (N - x) z = 0 in all rows but the last ones of a way: entries here and before, and what they were
 * scaled by: the logarithm to base 2, in 2^-20. */
typedef struct lanes_shot {
    vreal here, before;
    vint scale;
} lanes_shot;

/* The logarithm of the entry, nearly. */
SIMD_FN vint shot_size(const lanes_shot *m)
{
    return (vint)((vnatural)(vint)simd_abs(m->here) >> 32) + m->scale;
}

/* One row more: its diagonal element less x, what couples it and the row before, one over what couples it and the next.
 * */
SIMD_FN void shot_step(lanes_shot *m, vreal entry, real b_before, real over_b, bool scale)
{
    vreal const next = simd_splat(over_b) * simd_fma(entry, m->here, simd_splat(-b_before) * m->before);
    m->before = m->here, m->here = next;
    if (!scale) return;
    vint const bits = (vint)simd_max(simd_abs(m->here), simd_abs(m->before)) & 0x7ff0000000000000;
    vreal const factor = (vreal)(0x7fd0000000000000 - bits);
    m->here *= factor, m->before *= factor;
    m->scale += (vint)((vnatural)bits >> 32) - 0x3fe00000;
}

/* Shots from both ends: sizes[2 i] from the top, sizes[2 i + 1] from the bottom.  The twist is where their product is
 * largest: the square of the vector's entry is as large, beside the others.  As far as a shot grows it is the vector.
 * */
SIMD_FN void seek_twist(const stemr_row *rows, int64_t n, int const vectors, int first, stemr_lanes *t, vint *sizes,
                        vint *twist, vint *above, vint *below)
{
    lanes_shot const start = {simd_splat(1), (vreal){0}, (vint){0}};
    lanes_shot m[VECTORS];
    vreal x[VECTORS];
    vint best[VECTORS];
    EACH(v, vectors) {
        memcpy(&x[v], t->hi + first + v * SIMD_LANES, sizeof x[v]);
        m[v] = start;
    }
    for (int64_t i = 0; i < n; ++i) {
        real const entry = rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi : 0), b = i > 0 ? rows[i - 1].b : 0;
        real const over = i < n - 1 ? -1 / rows[i].b : 0;
        EACH(v, vectors) {
            sizes[2 * i * VECTORS + v] = shot_size(&m[v]);
            shot_step(&m[v], simd_splat(entry) - x[v], -b, over, i % 4 == 3);
        }
    }
    EACH(v, vectors) {
        m[v] = start, best[v] = row_number(INT64_MIN);
        twist[v] = above[v] = below[v] = (vint){0};
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        real const entry = rows[i].d.hi + (i > 0 ? rows[i - 1].g.hi : 0), b = i < n - 1 ? rows[i].b : 0;
        real const over = i > 0 ? -1 / rows[i - 1].b : 0;
        EACH(v, vectors) {
            vint const from_top = sizes[2 * i * VECTORS + v], from_bottom = shot_size(&m[v]);
            vint const larger = from_top + from_bottom > best[v];
            sizes[(2 * i + 1) * VECTORS + v] = from_bottom;
            best[v] = simd_select_bits(larger, from_top + from_bottom, best[v]);
            twist[v] = simd_select_bits(larger, row_number(i), twist[v]);
            above[v] = simd_select_bits(larger, from_top, above[v]);
            below[v] = simd_select_bits(larger, from_bottom, below[v]);
            shot_step(&m[v], simd_splat(entry) - x[v], -b, over, i % 4 == 0);
        }
    }
}

/* Twists and windows, whose ends are below 2^-bits beside the twist, in a double's digits, of representations that are
 * definite and of eigenvalues that are not close. */
SIMD_FN void seek(const stemr_row *rows, int64_t n, int const vectors, int bits, int first, stemr_lanes *t,
                  vreal *trace)
{
    vint *const sizes = (vint *)trace;
    vint twist[VECTORS], above[VECTORS], below[VECTORS];
    seek_twist(rows, n, vectors, first, t, sizes, twist, above, below);
    for (int v = 0; v < vectors; ++v) {
        vint const few = row_number((int64_t)bits << 20);
        vint top = twist[v], bottom = twist[v], found = {0};
        for (int64_t i = 0; i < n && !all_of(found); ++i) {
            top = simd_select_bits(found, top, row_number(i));
            found |= (sizes[2 * i * VECTORS + v] >= above[v] - few) | (twist[v] == row_number(i));
        }
        found = (vint){0};
        for (int64_t i = n - 1; i >= 0 && !all_of(found); --i) {
            bottom = simd_select_bits(found, bottom, row_number(i));
            found |= (sizes[(2 * i + 1) * VECTORS + v] >= below[v] - few) | (twist[v] == row_number(i));
        }
        memcpy(t->twist + first + v * SIMD_LANES, &twist[v], sizeof twist[v]);
        top += top > (vint){0}, bottom -= bottom < row_number(n - 1); /* a row more: the first that is small */
        memcpy(t->top + first + v * SIMD_LANES, &top, sizeof top);
        memcpy(t->bottom + first + v * SIMD_LANES, &bottom, sizeof bottom);
    }
}

#endif
