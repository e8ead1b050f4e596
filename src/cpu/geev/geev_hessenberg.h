/* geev on the CPU: the reduction of a tile to Hessenberg form.  Part of geev_kernels.c. */
#ifndef EIG_GEEV_HESSENBERG_H
#define EIG_GEEV_HESSENBERG_H

#include "geev_tile.h"

/* The scalars of column k's reflector: x = (head, tail) in units of `unit`, tail2 = |tail|^2, lanes that act. */
typedef struct column_scalars {
    vnumber factor; /* u = tail * factor, except for the unit */
    vnumber first;  /* what remains of the column, except for the unit */
    vreal tau;
} column_scalars;

SIMD_FN column_scalars reflector_of(vnumber head, vreal tail2, vint acts)
{
    vreal const one = simd_splat(1), zero = {0};
    vreal norm, pivot;
    column_scalars r;
    if (!EIG_COMPLEX) {
        householder_lanes(head.re, simd_select(acts, simd_fma(head.re, head.re, tail2), one), &norm, &pivot, &r.tau);
        r.factor.re = simd_select(acts, 1 / pivot, zero), r.factor.im = zero;
        r.first.re = -norm, r.first.im = zero;
        return r;
    }
    /* A head whose square has lost digits is negligible compared with the tail. */
    vreal const all = square(head);
    vint const some = all >= simd_splat((real)(REAL_MIN / REAL_EPSILON));
    vreal const head2 = simd_select(some, all, zero), size = simd_sqrt(head2), turn = 1 / simd_select(some, size, one);
    vnumber const phase = {simd_select(some, head.re * turn, one), simd_select(some, head.im * turn, zero)};
    householder_lanes(size, simd_select(acts, head2 + tail2, one), &norm, &pivot, &r.tau);
    r.factor = scaled(conjugate(phase), simd_select(acts, 1 / pivot, zero));
    r.first = scaled(phase, -norm);
    return r;
}

/* The reflector I - tau u u^H that leaves column k a single entry below the diagonal (householder.inc); sets
 * u[k+1..n-1].  Returns tau, which is 0 in lanes whose column has that form already.  Where Q is wanted u stays in the
 * column, from row k+2 on. */
static inline vreal column_reflector(tile_state *tile, int k, vreal *u)
{
    int const n = tile->hi + 1, down = tile->row * GEEV_PARTS;
    vreal *const x = at(tile, 0, k);
    vreal most = {0}, tail = {0};
    for (int i = k + 1; i < n; ++i)
        for (int part = 0; part < GEEV_PARTS; ++part) most = simd_max(simd_abs(x[i * down + part]), most);
    vreal const unit = pow2_floor_lanes(simd_max(most, simd_splat(REAL_MIN)));
    vreal const scale = pow2_inverse_lanes(unit);
    for (int i = k + 2; i < n; ++i)
        for (int part = 0; part < GEEV_PARTS; ++part) {
            vreal const y = x[i * down + part] * scale;
            tail = simd_fma(y, y, tail);
        }
    vint const acts = tail > 0;
    vreal const zero = {0};
    vnumber const one = {simd_splat(1), zero}, nothing = {zero, zero}, head = get(x + (k + 1) * down);
    column_scalars const r = reflector_of(scaled(head, scale), tail, acts);
    for (int i = k + 2; i < n; ++i) {
        /* scale / pivot may overflow where the column is subnormal */
        vnumber const y = scaled(get(x + i * down), scale);
        vnumber v = scaled(y, r.factor.re);
        if (EIG_COMPLEX) v = add_product(nothing, y, r.factor);
        put(u + i * GEEV_PARTS, v);
        put(x + i * down, tile->q ? v : nothing);
    }
    put(u + (k + 1) * GEEV_PARTS, one);
    vnumber first = scaled(r.first, unit);
    first.re = simd_select(acts, first.re, head.re), first.im = simd_select(acts, first.im, head.im);
    put(x + (k + 1) * down, first);
    return simd_select(acts, r.tau, zero);
}

/* The reduction in progress: reflectors I - tau u u^H from the left and right.  The update from the right waits for the
 * next step, which then reads and writes the matrix once and not twice: a tile is larger than the first cache. */
typedef struct reduction {
    int top, bottom, end; /* rows top..bottom-1 and columns up to end-1 take part */
    const vreal *u;       /* of this step */
    vreal tau;            /* of this step */
    const vreal *before;  /* u of the step before */
    vreal *z;             /* -tau A u of the step before: the update A += z before^H waits */
    vreal *y;             /* A u of this step, the sum over the columns so far */
} reduction;

/* The update that waits, the left update, and the sum of A u, for `width` columns from j on.  The width is a constant,
 * so that sums stay in registers and u and z are read once for all columns. */
SIMD_FN void reduce_columns(int const width, const tile_state *tile, int k, int j, const reduction *r)
{
    enum { P = GEEV_PARTS };
    vnumber dot[4], before[4], u[4];
    for (int s = 0; s < width; ++s) {
        dot[s].re = dot[s].im = (vreal){0};
        before[s] = conjugate(get(r->before + (j + s) * P)), u[s] = get(r->u + (j + s) * P);
    }
    for (int i = r->top; i <= k; ++i) {
        vreal *const x = at(tile, i, j);
        vnumber const z = get(r->z + i * P);
        vnumber y = get(r->y + i * P);
        for (int s = 0; s < width; ++s) {
            vnumber const updated = add_product(get(x + s * P), z, before[s]);
            y = add_product(y, updated, u[s]);
            put(x + s * P, updated);
        }
        put(r->y + i * P, y);
    }
    for (int i = k + 1; i < r->bottom; ++i) {
        vreal *const x = at(tile, i, j);
        vnumber const z = get(r->z + i * P), ui = conjugate(get(r->u + i * P));
        for (int s = 0; s < width; ++s) {
            vnumber const updated = add_product(get(x + s * P), z, before[s]);
            dot[s] = add_product(dot[s], ui, updated);
            put(x + s * P, updated);
        }
    }
    for (int s = 0; s < width; ++s) dot[s] = scaled(dot[s], -r->tau);
    for (int i = k + 1; i < r->bottom; ++i) {
        vreal *const x = at(tile, i, j);
        vnumber const ui = get(r->u + i * P);
        vnumber y = get(r->y + i * P);
        for (int s = 0; s < width; ++s) {
            vnumber const updated = add_product(get(x + s * P), dot[s], ui);
            y = add_product(y, updated, u[s]);
            put(x + s * P, updated);
        }
        put(r->y + i * P, y);
    }
}

/* The update that waits, for columns first..last. */
static inline void reduce_rest(const tile_state *tile, int first, int last, const reduction *r)
{
    enum { P = GEEV_PARTS };
    for (int i = r->top; i < r->bottom; ++i)
        for (int j = first; j <= last; ++j) {
            vreal *const x = at(tile, i, j);
            put(x, add_product(get(x), get(r->z + i * P), conjugate(get(r->before + j * P))));
        }
}

/* Columns of Q times the reflector of column k, from the left. */
SIMD_FN void reflect_q(int const width, tile_state *tile, int k, int j, const vreal *u, vreal tau)
{
    enum { P = GEEV_PARTS };
    int const n = tile->hi + 1, down = tile->row * P;
    vreal *const x = tile->q + j * P;
    vnumber dot[4];
    for (int s = 0; s < width; ++s) dot[s].re = dot[s].im = (vreal){0};
    for (int i = k + 1; i < n; ++i)
        for (int s = 0; s < width; ++s)
            dot[s] = add_product(dot[s], conjugate(get(u + i * P)), get(x + i * down + s * P));
    for (int s = 0; s < width; ++s) dot[s] = scaled(dot[s], -tau);
    for (int i = k + 1; i < n; ++i)
        for (int s = 0; s < width; ++s) {
            vreal *const to = x + i * down + s * P;
            put(to, add_product(get(to), dot[s], get(u + i * P)));
        }
}

/* Q from the reflectors in the columns, which become zero. */
static inline void form_q(tile_state *tile)
{
    enum { P = GEEV_PARTS };
    int const n = tile->n;
    for (int k = 0; k < n * tile->row * P; ++k) tile->q[k] = (vreal){0};
    for (int i = 0; i < n; ++i) tile->q[(i * tile->row + i) * P] = simd_splat(1);
    for (int k = tile->hi - 2; k >= tile->lo; --k) {
        if (!simd_any(tile->tau[k] != 0)) continue;
        vnumber const one = {simd_splat(1), {0}}, nothing = {{0}, {0}};
        put(tile->u + (k + 1) * P, one);
        for (int i = k + 2; i <= tile->hi; ++i) {
            put(tile->u + i * P, get(at(tile, i, k)));
            put(at(tile, i, k), nothing);
        }
        int j = k + 1;
        for (; j + 4 <= tile->hi + 1; j += 4) reflect_q(4, tile, k, j, tile->u, tile->tau[k]);
        for (; j <= tile->hi; ++j) reflect_q(1, tile, k, j, tile->u, tile->tau[k]);
    }
}

static inline void hessenberg_tile(tile_state *tile)
{
    enum { P = GEEV_PARTS };
    int const n = tile->n;
    vreal *u = tile->u, *before = tile->before;
    reduction r = {.z = tile->z, .y = tile->y, .top = tile->q ? 0 : tile->lo, .bottom = tile->hi + 1};
    r.end = tile->q ? n : r.bottom;
    for (int i = 0; i < n * P; ++i) u[i] = before[i] = r.z[i] = (vreal){0};
    bool waits = false;
    for (int k = tile->lo; k < tile->hi - 1; ++k) {
        r.u = u, r.before = before;
        if (waits) reduce_rest(tile, k, k, &r);
        r.tau = column_reflector(tile, k, u);
        if (tile->q) tile->tau[k] = r.tau;
        if (!simd_any(r.tau != 0)) { /* all lanes have this form already */
            if (waits) reduce_rest(tile, k + 1, r.end - 1, &r);
            waits = false;
            continue;
        }
        for (int i = 0; i < n * P && !waits; ++i) r.z[i] = before[i] = (vreal){0};
        for (int i = 0; i < n * P; ++i) r.y[i] = (vreal){0};
        int j = k + 1, width = EIG_COMPLEX ? 2 : 4;
        for (; !EIG_COMPLEX && j + 4 <= r.end; j += width) reduce_columns(4, tile, k, j, &r);
        for (; EIG_COMPLEX && j + 2 <= r.end; j += width) reduce_columns(2, tile, k, j, &r);
        for (; j < r.end; ++j) reduce_columns(1, tile, k, j, &r);
        for (int i = r.top; i < r.bottom; ++i) put(r.z + i * P, scaled(get(r.y + i * P), -r.tau));
        waits = true;
        vreal *const other = u;
        u = before, before = other;
    }
    r.before = before;
    if (waits) reduce_rest(tile, tile->hi - 1, r.end - 1, &r);
    if (tile->q) form_q(tile);
}

#endif
