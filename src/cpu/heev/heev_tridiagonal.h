/* heev on the CPU: the tridiagonal method for a tile of matrices, one a lane.  Part of heev_kernels.c.
 *
 *     reduce         A = Q T Q^H by Householder reflections; T is made real by a diagonal of phases
 *     iterate_ql     T = Z diag(d) Z^T by implicit QL (J. H. Wilkinson and C. Reinsch, Handbook II/4, imtql2)
 *     back_transform V = Q (phases) Z
 *
 * Entries are at most 2 (normalise). */
#ifndef EIG_HEEV_TRIDIAGONAL_H
#define EIG_HEEV_TRIDIAGONAL_H

#include "heev_tile.h"

/* An off-diagonal element up to NEGLIGIBLE counts as 0; a vector below it, and a pair below TINY, count as 0 too. The
 * square of a number below BARE has no digits; it does not count beside the square of a vector that is not
 * negligible. */
#define NEGLIGIBLE FLOAT_OR_DOUBLE(0x1p-45f, 0x1p-420)
#define TINY FLOAT_OR_DOUBLE(0x1p-50f, 0x1p-450)
#define BARE FLOAT_OR_DOUBLE(0x1p-62f, 0x1p-500)

enum { POLISHED = 8 }; /* largest order whose vectors are made orthogonal once more */

/* x / |x| where its square has digits, else 1; *size is |x|, or 0. */
SIMD_FN vnumber phase_of(vnumber x, vreal *size)
{
    vreal const sum = square(x);
    vint const none = sum < simd_splat(BARE * BARE);
    *size = simd_select(none, (vreal){0}, simd_sqrt(sum));
    x = scaled(x, 1 / simd_select(none, simd_splat(1), *size));
    x.re = simd_select(none, simd_splat(1), x.re);
    if (EIG_COMPLEX) x.im = simd_select(none, (vreal){0}, x.im);
    return x;
}

/* The reflection I - tau v v^H that leaves of column k, from row k+1 on, beta e_1; v takes the column's place.  e[k] is
 * |beta|, and phase[k+1] is the phase of beta times phase[k].  A last row alone needs no reflection.  Returns tau, 0
 * where nothing is reflected.
 *
 * The scalars are householder's (householder.inc), of the column times the conjugate phase of its first element, so
 * that the head is real.  v is not divided by its first element: tau is real. */
static inline vreal reflector(tile_state *tile, int k, vreal *phase)
{
    int const n = tile->n;
    vreal sum = {0}, size;
    for (int i = k + 1; i < n; ++i) sum += square(get(entry(tile, i, k)));
    vint const empty = sum < simd_splat(NEGLIGIBLE * NEGLIGIBLE);
    vreal *const top = entry(tile, k + 1, k);
    vnumber x = get(top);
    vnumber const direction = phase_of(x, &size), before = get(phase + HEEV_PARTS * k);
    x = scaled(x, simd_select(size > 0, simd_splat(1), (vreal){0})); /* v, tau and size are of one vector */
    vreal norm, pivot, unused;
    householder_lanes(size, sum, &norm, &pivot, &unused);
    norm = simd_select(empty, (vreal){0}, norm);
    bool const last = k == n - 2;
    vnumber after;
    heev_phase_lanes(before.re, before.im, direction.re, direction.im, &after.re, &after.im);
    if (!last) after = scaled(after, simd_splat(-1)); /* beta = -direction norm */
    after.re = simd_select(empty, simd_splat(1), after.re);
    if (EIG_COMPLEX) after.im = simd_select(empty, (vreal){0}, after.im);
    put(phase + HEEV_PARTS * (k + 1), after);
    tile->e[k] = norm;
    if (last) return (vreal){0};
    vnumber const v = {simd_fma(direction.re, norm, x.re), EIG_COMPLEX ? simd_fma(direction.im, norm, x.im) : x.im};
    put(top, v);
    return simd_select(empty, (vreal){0}, 1 / simd_select(empty, simd_splat(1), norm * pivot));
}

/* y := tau A v for rows and columns k+1.., v in column k. */
static inline void multiply(tile_state *tile, int k, vreal tau)
{
    int const n = tile->n;
    vreal *const x = tile->x, *const y = tile->y;
    for (int i = k + 1; i < n; ++i) {
        vnumber const v = get(entry(tile, i, k));
        put(x + HEEV_PARTS * i, v);
        vnumber sum = {{0}, {0}};
        const vreal *const row = entry(tile, i, 0);
        for (int j = k + 1; j < i; ++j) {
            vnumber const a = get(row + HEEV_PARTS * j);
            sum = add_product(sum, a, get(x + HEEV_PARTS * j));
            put(y + HEEV_PARTS * j, add_product(get(y + HEEV_PARTS * j), conjugate(a), v));
        }
        vreal const diagonal = row[HEEV_PARTS * i];
        sum.re = simd_fma(diagonal, v.re, sum.re);
        if (EIG_COMPLEX) sum.im = simd_fma(diagonal, v.im, sum.im);
        put(y + HEEV_PARTS * i, sum);
    }
    for (int i = k + 1; i < n; ++i) put(y + HEEV_PARTS * i, scaled(get(y + HEEV_PARTS * i), tau));
}

/* A := H A H for rows and columns k+1.., H = I - tau v v^H: A - v w^H - w v^H, w = y - (tau/2) (y^H v) v. */
static inline void update(tile_state *tile, int k, vreal tau)
{
    int const n = tile->n;
    vreal *const x = tile->x, *const y = tile->y;
    vreal dot = {0}; /* y^H v = tau v^H A v is real */
    for (int k2 = HEEV_PARTS * (k + 1); k2 < HEEV_PARTS * n; ++k2) dot = simd_fma(x[k2], y[k2], dot);
    vreal const half = (real)0.5 * tau * dot;
    for (int k2 = HEEV_PARTS * (k + 1); k2 < HEEV_PARTS * n; ++k2) y[k2] = simd_fma(-half, x[k2], y[k2]);
    for (int i = k + 1; i < n; ++i) {
        vnumber const v = get(x + HEEV_PARTS * i), w = get(y + HEEV_PARTS * i);
        vreal *const row = entry(tile, i, 0);
        for (int j = k + 1; j <= i; ++j) {
            vnumber const vj = conjugate(get(x + HEEV_PARTS * j)), wj = conjugate(get(y + HEEV_PARTS * j));
            vnumber const a = get(row + HEEV_PARTS * j);
            put(row + HEEV_PARTS * j, subtract_product(subtract_product(a, v, wj), w, vj));
        }
        if (EIG_COMPLEX) row[HEEV_PARTS * i + EIG_COMPLEX] = (vreal){0};
    }
}

/* d, e: T.  Reflections stay in the columns of A, their tau in mark, phases in `phase`, numbers of the type. */
static inline void reduce(tile_state *tile, vreal *phase)
{
    int const n = tile->n;
    put(phase, (vnumber){simd_splat(1), {0}});
    for (int k = 0; k < n - 1; ++k) {
        tile->d[k] = *entry(tile, k, k);
        vreal const tau = tile->mark[k] = reflector(tile, k, phase);
        if (k == n - 2) break;
        multiply(tile, k, tau);
        update(tile, k, tau);
    }
    tile->d[n - 1] = *entry(tile, n - 1, n - 1);
    tile->e[n - 1] = (vreal){0};
}

/* The first block of each lane that has one: rows l to m, else l = m = n; and the numbers with which a step begins. */
typedef struct ql_block {
    vint l, m;
    vreal d0, d1, e0, dm; /* d[l], d[l+1], e[l], d[m] */
} ql_block;

/* Sets negligible e to 0 and finds the blocks, from row `top` on: above it all e are 0. Returns the lanes that have
 * one. */
static inline vint find_block(tile_state *tile, int top, ql_block *block)
{
    int const n = tile->n;
    vreal *const d = tile->d, *const e = tile->e;
    vint below = {0}, any = {0}, first = (vint){0} + n, last = first;
    vreal d0 = {0}, d1 = {0}, e0 = simd_splat(1), dm = {0};
    for (int i = n - 2; i >= top; --i) {
        vreal const bound = simd_max((simd_abs(d[i]) + simd_abs(d[i + 1])) * REAL_EPSILON, simd_splat(NEGLIGIBLE));
        vint const joined = simd_abs(e[i]) > bound, begins = joined & ~below;
        e[i] = simd_select(joined, e[i], (vreal){0});
        last = simd_select_bits(begins, (vint){0} + (i + 1), last), dm = simd_select(begins, d[i + 1], dm);
        first = simd_select_bits(joined, (vint){0} + i, first);
        d0 = simd_select(joined, d[i], d0), d1 = simd_select(joined, d[i + 1], d1), e0 = simd_select(joined, e[i], e0);
        any |= joined, below = joined;
    }
    *block = (ql_block){first, last, d0, d1, e0, dm};
    return any;
}

/* What a QL step carries from row to row. */
typedef struct ql_step {
    vreal g, s, c, p;
} ql_step;

/* The start of the step in each lane: Wilkinson's shift from rows l and l+1. */
static inline vreal ql_start(const ql_block *block)
{
    vreal const h = (block->d1 - block->d0) / (2 * block->e0), r = simd_sqrt(h * h + 1);
    return block->dm - block->d0 + block->e0 / (h + simd_select(h < 0, -r, r));
}

/* Row i of the step where `inside`; in other lanes the identity.  Returns the rotation in c and s. */
static inline void ql_row(tile_state *tile, int i, vint inside, ql_step *q, vreal *c, vreal *s)
{
    vreal *const d = tile->d, *const e = tile->e;
    ql_step next = *q;
    vreal size, diagonal;
    ql_row_lanes(d[i], d[i + 1], e[i], simd_splat(TINY), &next.g, &next.s, &next.c, &next.p, &size, &diagonal);
    e[i + 1] = simd_select(inside, size, e[i + 1]);
    d[i + 1] = simd_select(inside, diagonal, d[i + 1]);
    q->p = simd_select(inside, next.p, q->p), q->g = simd_select(inside, next.g, q->g);
    q->s = simd_select(inside, next.s, q->s), q->c = simd_select(inside, next.c, q->c);
    ql_correct_lanes(&next.c, &next.s);
    *c = simd_select(inside, next.c, simd_splat(1)), *s = simd_select(inside, next.s, (vreal){0});
}

/* Columns i and i+1 of Z, which is real here: its rows have one vector each. */
static inline void rotate_columns(tile_state *tile, int i, vreal c, vreal s)
{
    vreal *const x = column(tile, i), *const y = column(tile, i + 1);
    for (int k = 0; k < tile->n; ++k) {
        vreal const a = x[k], b = y[k];
        y[k] = simd_fma(c, b, s * a);
        x[k] = simd_fma(c, a, -(s * b));
    }
}

/* At most `most` steps a lane. Afterwards mark is not 0 where an eigenvalue has not converged. */
static inline void iterate_ql(tile_state *tile, int64_t most)
{
    int const n = tile->n;
    ql_block block;
    int64_t steps = 0;
    int top = 0;
    for (vint active; simd_any(active = find_block(tile, top, &block)) && steps < most; ++steps) {
        vint const l = block.l, m = block.m;
        int bottom = 0;
        top = n;
        for (int t = 0; t < SIMD_LANES; ++t) {
            if (!active[t]) continue;
            top = l[t] < top ? (int)l[t] : top, bottom = m[t] > bottom ? (int)m[t] : bottom;
        }
        ql_step q = {.g = ql_start(&block), .s = simd_splat(1), .c = simd_splat(1)};
        for (int i = bottom - 1; i >= top; --i) {
            vint const here = (vint){0} + i, inside = active & (here < m) & (here >= l);
            vreal c, s;
            ql_row(tile, i, inside, &q, &c, &s);
            if (tile->z) rotate_columns(tile, i, c, s);
        }
        for (int t = 0; t < SIMD_LANES; ++t) {
            if (!active[t]) continue;
            *lane(tile->d + l[t], t) -= q.p[t];
            *lane(tile->e + l[t], t) = q.g[t], *lane(tile->e + m[t], t) = 0;
        }
    }
    for (int i = 0; i < n; ++i) {
        vint const joined = (tile->e[i] != 0) | (i > 0 ? tile->e[i > 0 ? i - 1 : 0] != 0 : (vint){0});
        tile->mark[i] = simd_select(joined, simd_splat(1), (vreal){0});
    }
}

/* Column k of Z: phases, then the reflections, last first.  tau: of each. */
static inline void back_transform(tile_state *tile, int k, const vreal *phase, const vreal *tau)
{
    int const n = tile->n;
    vreal *const z = column(tile, k);
    for (int i = n - 1; i >= 0; --i) put(z + HEEV_PARTS * i, scaled(get(phase + HEEV_PARTS * i), z[i]));
    for (int j = n - 3; j >= 0; --j) {
        vnumber dot = {{0}, {0}};
        for (int i = j + 1; i < n; ++i)
            dot = add_product(dot, conjugate(get(entry(tile, i, j))), get(z + HEEV_PARTS * i));
        dot = scaled(dot, tau[j]);
        for (int i = j + 1; i < n; ++i)
            put(z + HEEV_PARTS * i, subtract_product(get(z + HEEV_PARTS * i), dot, get(entry(tile, i, j))));
    }
}

/* V := V - V E/2 with E = V^H V - I, a step of Newton and Schulz, which leaves errors of a rounding. Without it the
 * constants of short reflections and few steps would show at small n. E takes the place of A. */
static inline void polish(tile_state *tile)
{
    int const n = tile->n;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            vnumber sum = {simd_splat(i == j ? -1 : 0), {0}};
            for (int k = 0; k < n; ++k)
                sum = add_product(sum, conjugate(get(column(tile, i) + HEEV_PARTS * k)),
                                  get(column(tile, j) + HEEV_PARTS * k));
            put(entry(tile, i, j), scaled(sum, simd_splat((real)0.5)));
        }
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) put(tile->x + HEEV_PARTS * j, get(column(tile, j) + HEEV_PARTS * k));
        for (int j = 0; j < n; ++j) {
            vnumber sum = {{0}, {0}};
            for (int i = 0; i < n; ++i) {
                vnumber const e = i >= j ? get(entry(tile, i, j)) : conjugate(get(entry(tile, j, i)));
                sum = add_product(sum, get(tile->x + HEEV_PARTS * i), e);
            }
            vnumber const v = get(tile->x + HEEV_PARTS * j);
            put(column(tile, j) + HEEV_PARTS * k, (vnumber){v.re - sum.re, EIG_COMPLEX ? v.im - sum.im : v.im});
        }
    }
}

static inline void tridiagonal_tile(tile_state *tile, vreal *phase, vreal *tau, int max_sweeps)
{
    int const n = tile->n;
    reduce(tile, phase);
    for (int k = 0; k < n; ++k) tau[k] = tile->mark[k];
    for (int k = 0; k < n && tile->z; ++k)
        for (int i = 0; i < n; ++i) column(tile, k)[i] = simd_splat(i == k);
    iterate_ql(tile, (int64_t)n * max_sweeps);
    for (int k = 0; k < n && tile->z; ++k) back_transform(tile, k, phase, tau);
    if (tile->z && n <= POLISHED) polish(tile);
    for (int t = 0; t < SIMD_LANES; ++t) tile->sweeps[t] = 0;
}

#endif
