/* heev on the CPU: two-sided Jacobi for a tile of matrices, one a lane; the same steps as heev_reference.c. Part of
 * heev_kernels.c. A pair that is negligible in a lane is left as it is there. */
#ifndef EIG_HEEV_JACOBI_H
#define EIG_HEEV_JACOBI_H

#include "heev_tile.h"

typedef struct jacobi_bound {
    bool relative;
    vreal bound;
} jacobi_bound;

/* Lanes in which element (i, j), i > j, is not negligible. The larger part is divided out of it, so that squares
 * keep their digits. */
static inline vint counts(const tile_state *tile, const jacobi_bound *b, int i, int j)
{
    vnumber const x = get(entry(tile, i, j));
    vreal size = simd_abs(x.re);
    if (EIG_COMPLEX) {
        vreal const im = simd_abs(x.im), most = simd_max(size, im);
        vreal const u = size / simd_select(most > 0, most, simd_splat(1));
        vreal const v = im / simd_select(most > 0, most, simd_splat(1));
        size = most * simd_sqrt(u * u + v * v);
    }
    if (!b->relative) return size > b->bound;
    vreal const p = simd_sqrt(simd_abs(*entry(tile, j, j))), q = simd_sqrt(simd_abs(*entry(tile, i, i)));
    return size > b->bound * p * q;
}

/* Numbers x and y become x - (g x + conj(s) y) and y + (s x - g y). x_above, y_above: the conjugate is stored. */
SIMD_FN void rotate_pair(vreal *at_x, vreal *at_y, bool x_above, bool y_above, vreal g, vnumber s)
{
    vnumber x = get(at_x), y = get(at_y);
    if (x_above) x = conjugate(x);
    if (y_above) y = conjugate(y);
    vnumber const gx = add_product(scaled(x, g), conjugate(s), y), gy = add_product(scaled(y, -g), s, x);
    vnumber to_x = {x.re - gx.re, EIG_COMPLEX ? x.im - gx.im : x.im};
    vnumber to_y = {y.re + gy.re, EIG_COMPLEX ? y.im + gy.im : y.im};
    put(at_x, x_above ? conjugate(to_x) : to_x);
    put(at_y, y_above ? conjugate(to_y) : to_y);
}

/* Makes element (p, q), p < q, zero in the lanes where it counts. */
static inline void rotate(tile_state *tile, const jacobi_bound *b, int p, int q)
{
    vint const acts = counts(tile, b, q, p);
    if (!simd_any(acts)) return;
    int const n = tile->n;
    vreal *const pp = entry(tile, p, p), *const qq = entry(tile, q, q), *const qp = entry(tile, q, p);
    vnumber const below = get(qp);
    vreal const re = simd_select(acts, below.re, simd_splat(1));
    vreal const im = EIG_COMPLEX ? simd_select(acts, -below.im, (vreal){0}) : (vreal){0};
    vreal g, s_re, s_im = {0}, change;
    if (EIG_COMPLEX) {
        jacobi_rotation_lanes(*pp, *qq, re, im, &g, &s_re, &s_im, &change);
    } else {
        jacobi_angle_lanes(*pp, *qq, simd_abs(re), &g, &s_re, &change);
        s_re = simd_select(re < 0, -s_re, s_re);
    }
    g = simd_select(acts, g, (vreal){0}), change = simd_select(acts, change, (vreal){0});
    vnumber const s = {simd_select(acts, s_re, (vreal){0}), simd_select(acts, s_im, (vreal){0})};
    for (int i = 0; i < p; ++i) rotate_pair(entry(tile, p, i), entry(tile, q, i), true, true, g, s);
    for (int i = p + 1; i < q; ++i) rotate_pair(entry(tile, i, p), entry(tile, q, i), false, true, g, s);
    for (int i = q + 1; i < n; ++i) rotate_pair(entry(tile, i, p), entry(tile, i, q), false, false, g, s);
    *pp -= change, *qq += change;
    vnumber const rest = {simd_select(acts, (vreal){0}, below.re), simd_select(acts, (vreal){0}, below.im)};
    put(qp, rest);
    if (!tile->z) return;
    vreal *const x = column(tile, p), *const y = column(tile, q);
    for (int i = 0; i < n; ++i) rotate_pair(x + HEEV_PARTS * i, y + HEEV_PARTS * i, false, false, g, s);
}

/* Sets mark where a row holds an element that counts. Returns the lanes that have one. */
static inline vint find_marks(tile_state *tile, const jacobi_bound *b)
{
    int const n = tile->n;
    vint any = {0};
    for (int i = 0; i < n; ++i) tile->mark[i] = (vreal){0};
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            vint const here = counts(tile, b, i, j);
            tile->mark[i] = simd_select(here, simd_splat(1), tile->mark[i]);
            tile->mark[j] = simd_select(here, simd_splat(1), tile->mark[j]);
            any |= here;
        }
    return any;
}

static inline vreal frobenius(const tile_state *tile)
{
    vreal diagonal = {0}, beside = {0};
    for (int i = 0; i < tile->n; ++i) {
        diagonal += square(get(entry(tile, i, i)));
        for (int j = 0; j < i; ++j) beside += square(get(entry(tile, i, j)));
    }
    return simd_sqrt(diagonal + 2 * beside);
}

static inline void jacobi_tile(tile_state *tile, const heev_problem *p)
{
    int const n = tile->n;
    jacobi_bound b = {.relative = p->relative, .bound = simd_splat((real)p->tolerance)};
    if (!b.relative) b.bound *= frobenius(tile) * (1 / (real)n);
    for (int k = 0; k < n && tile->z; ++k)
        for (int i = 0; i < n; ++i) put(column(tile, k) + HEEV_PARTS * i, (vnumber){simd_splat(i == k), {0}});
    for (int t = 0; t < SIMD_LANES; ++t) tile->sweeps[t] = 0;
    vint active;
    for (int sweep = 0; simd_any(active = find_marks(tile, &b)) && sweep < p->max_sweeps; ++sweep) {
        for (int64_t round = 0; round < jacobi_rounds(n); ++round)
            for (int64_t k = 0; k < n / 2; ++k) {
                int64_t i, j;
                jacobi_pair(n, round, k, &i, &j);
                rotate(tile, &b, (int)i, (int)j);
            }
        for (int t = 0; t < SIMD_LANES; ++t) tile->sweeps[t] += active[t] != 0;
    }
    for (int k = 0; k < n; ++k) tile->d[k] = *entry(tile, k, k);
}

#endif
