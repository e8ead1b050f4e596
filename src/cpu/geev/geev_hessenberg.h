/* geev on the CPU: the reduction of a tile to Hessenberg form.  Part of geev_kernels.c. */
#ifndef EIG_GEEV_HESSENBERG_H
#define EIG_GEEV_HESSENBERG_H

#include "geev_tile.h"

/* The reflector I - tau u u' that leaves column k a single entry below the diagonal (householder of francis.inc); sets
 * u[k+1..n-1].  Returns tau, which is 0 in lanes whose column has that form already. */
static inline vreal column_reflector(tile_state *tile, int k, vreal *u)
{
    int const n = tile->n, row = tile->row;
    vreal *const x = tile->h + k;
    vreal most = {0}, tail = {0};
    for (int i = k + 1; i < n; ++i) most = simd_max(simd_abs(x[i * row]), most);
    vreal const unit = pow2_floor_lanes(simd_max(most, simd_splat(REAL_MIN)));
    vreal const scale = pow2_inverse_lanes(unit);
    for (int i = k + 2; i < n; ++i) {
        vreal const y = x[i * row] * scale;
        tail = simd_fma(y, y, tail);
    }
    vint const acts = tail > 0;
    vreal const one = simd_splat(1), zero = {0}, x0 = x[(k + 1) * row] * scale;
    vreal norm, pivot, tau;
    householder_lanes(x0, simd_select(acts, simd_fma(x0, x0, tail), one), &norm, &pivot, &tau);
    vreal const inverse = simd_select(acts, 1 / pivot, zero);
    for (int i = k + 2; i < n; ++i) {
        u[i] = x[i * row] * scale * inverse; /* scale / pivot may overflow where the column is subnormal */
        x[i * row] = zero;
    }
    u[k + 1] = one;
    x[(k + 1) * row] = simd_select(acts, -norm * unit, x[(k + 1) * row]);
    return simd_select(acts, tau, zero);
}

/* The reduction under way: reflectors I - tau u u' from the left and right.  The update from the right waits for the next
 * step, which then reads and writes the matrix once and not twice: a tile is larger than the first cache. */
typedef struct reduction {
    const vreal *u;      /* of this step */
    vreal tau;           /* of this step */
    const vreal *before; /* u of the step before */
    vreal *z;            /* -tau A u of the step before: the update A += z before' waits */
    vreal *y;            /* A u of this step, the sum over the columns so far */
} reduction;

/* The update that waits, the left update, and the sum of A u, for `width` columns from j on.  The width is a constant, so
 * that sums stay in registers and u and z are read once for all columns. */
SIMD_FN void reduce_columns(int const width, int n, int row, vreal *h, int k, int j, const reduction *r)
{
    vreal dot[4], before[4], u[4];
    for (int s = 0; s < width; ++s) dot[s] = (vreal){0}, before[s] = r->before[j + s], u[s] = r->u[j + s];
    for (int i = 0; i <= k; ++i) {
        vreal *const x = h + i * row + j, z = r->z[i];
        vreal y = r->y[i];
        for (int s = 0; s < width; ++s) {
            vreal const updated = simd_fma(z, before[s], x[s]);
            y = simd_fma(updated, u[s], y);
            x[s] = updated;
        }
        r->y[i] = y;
    }
    for (int i = k + 1; i < n; ++i) {
        vreal *const x = h + i * row + j, z = r->z[i], ui = r->u[i];
        for (int s = 0; s < width; ++s) {
            vreal const updated = simd_fma(z, before[s], x[s]);
            dot[s] = simd_fma(ui, updated, dot[s]);
            x[s] = updated;
        }
    }
    for (int s = 0; s < width; ++s) dot[s] *= -r->tau;
    for (int i = k + 1; i < n; ++i) {
        vreal *const x = h + i * row + j, ui = r->u[i];
        vreal y = r->y[i];
        for (int s = 0; s < width; ++s) {
            vreal const updated = simd_fma(dot[s], ui, x[s]);
            y = simd_fma(updated, u[s], y);
            x[s] = updated;
        }
        r->y[i] = y;
    }
}

/* The update that waits, for columns first..last. */
static inline void reduce_rest(int n, int row, vreal *h, int first, int last, const reduction *r)
{
    for (int i = 0; i < n; ++i)
        for (int j = first; j <= last; ++j) h[i * row + j] = simd_fma(r->z[i], r->before[j], h[i * row + j]);
}

static inline void hessenberg_tile(tile_state *tile)
{
    int const n = tile->n, row = tile->row;
    vreal *const h = tile->h, *u = tile->u, *before = tile->scale;
    reduction r = {.z = tile->re, .y = tile->im};
    for (int i = 0; i < n; ++i) r.z[i] = before[i] = (vreal){0};
    for (int k = 0; k < n - 2; ++k) {
        r.u = u, r.before = before;
        reduce_rest(n, row, h, k, k, &r);
        r.tau = column_reflector(tile, k, u);
        for (int i = 0; i < n; ++i) r.y[i] = (vreal){0};
        int j = k + 1;
        for (; j + 4 <= n; j += 4) reduce_columns(4, n, row, h, k, j, &r);
        for (; j < n; ++j) reduce_columns(1, n, row, h, k, j, &r);
        for (int i = 0; i < n; ++i) r.z[i] = -r.tau * r.y[i];
        vreal *const other = u;
        u = before, before = other;
    }
    r.before = before;
    if (n > 2) reduce_rest(n, row, h, n - 2, n - 1, &r);
}

#endif
