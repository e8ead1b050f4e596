/* geev on the CPU: a tile of matrices, a matrix in each lane, and its preparation: loading, scaling, balancing.  Part
 * of geev_kernels.c. */
#ifndef EIG_GEEV_TILE_H
#define EIG_GEEV_TILE_H

#include "geev_cpu.h"
#include "geev_lanes.h"
#include "geev_plain.h"

/* The state of a tile. */
typedef struct tile_state {
    int n, row, max_steps;
    vreal *h;                   /* element (i, j) at h[(i*row + j)*GEEV_PARTS]; outside 0..n-1 it is zero */
    vreal *q;                   /* Q likewise; NULL: only eigenvalues are wanted */
    vreal *scale;               /* [n] of balancing */
    vreal *u, *before, *z, *y;  /* [n+1] numbers each, work of the reduction */
    vreal *tau;                 /* [n+1] of its reflectors */
    vreal *turns;               /* [5*n] the reflectors or rotations of a sweep; the room of the reduction's work */
    vreal *re, *im;             /* [n] eigenvalues; likewise */
    int64_t *from;              /* [SIMD_LANES*n] the lanes' permutations */
    int lo, hi;                 /* rows and columns lo..hi hold all lanes' blocks that are not triangular */
    vreal factor;               /* the matrices were multiplied by it */
    vint finite;                /* lanes without NaN and infinities; the others are zeroed */
    vint l;                     /* first row of the window; n where the lane has finished */
    int i[SIMD_LANES];          /* last row of the window; -2 where the lane has finished */
    int steps[SIMD_LANES];      /* since the last deflation */
    uint64_t pairs[SIMD_LANES]; /* bit k: rows k and k+1 form a 2 x 2 block */
    unsigned turned;            /* bit t: lane t has the transpose of its matrix */
    unsigned failed; /* bit t: lane t, which did not converge or would lose digits, is left to the reference */
} tile_state;

/* Lane t of a vector in memory. */
SIMD_FN real *lane(vreal *x, int t)
{
    return (real *)x + t;
}

/* Element (i, j). */
SIMD_FN vreal *at(const tile_state *tile, int i, int j)
{
    return tile->h + (i * tile->row + j) * GEEV_PARTS;
}

/* The points of an affine family. */
static inline void add_terms(tile_state *tile, const geev_problem *p, int64_t first, int count)
{
    int const n = tile->n;
    batch_strides const s = geev_strides_of(p);
    for (int64_t k = 0; k < p->m; ++k) {
        vreal x[GEEV_PARTS] = {{0}};
        for (int t = 0; t < count; ++t)
            for (int part = 0; part < GEEV_PARTS; ++part)
                x[part][t] = ((const real *)p->x)[GEEV_PARTS * (k + (first + t) * p->stride_x) + part];
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const real *const a = (const real *)p->a + GEEV_PARTS * (i * s.i + j * s.j + (k + 1) * s.b);
                vreal *const h = at(tile, i, j);
                if (EIG_COMPLEX) {
                    vreal const less = x[GEEV_PARTS - 1] * a[GEEV_PARTS - 1], product = x[0] * a[0];
                    vreal const cross = x[0] * a[GEEV_PARTS - 1], other = x[GEEV_PARTS - 1] * a[0];
                    h[0] += product - less;
                    h[GEEV_PARTS - 1] += cross + other;
                } else {
                    *h += x[0] * a[0];
                }
            }
    }
}

/* Loads matrices first, ..., first + count - 1; other lanes are zero. */
static inline void load(tile_state *tile, const geev_problem *p, int64_t first, int count)
{
    int const n = tile->n;
    batch_strides const s = geev_strides_of(p);
    const real *const a = p->a;
    for (int k = 0; k < (n + 2) * tile->row * GEEV_PARTS; ++k) tile->h[k] = (vreal){0};
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            for (int part = 0; part < GEEV_PARTS; ++part) {
                const real *const entry = a + GEEV_PARTS * (i * s.i + j * s.j) + part;
                vreal *const h = at(tile, i, j) + part;
                if (p->affine)
                    *h = simd_splat(entry[0]);
                else
                    for (int t = 0; t < count; ++t) *lane(h, t) = entry[GEEV_PARTS * (first + t) * s.b];
            }
        }
    }
    if (p->affine) add_terms(tile, p, first, count);
}

/* Finds the lanes that are finite, zeroes the others, and scales into the safe range. */
static inline void normalise(tile_state *tile)
{
    int const n = tile->n;
    vreal most = {0};
    vint finite = ~(vint){0};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n * GEEV_PARTS; ++j) {
            vreal const x = at(tile, i, 0)[j];
            most = simd_max(simd_abs(x), most);
            finite &= x - x == 0;
        }
    }
    tile->finite = finite;
    tile->factor = geev_scale_lanes(simd_select(finite, most, (vreal){0}));
    if (!simd_any(~finite | (tile->factor != 1))) return;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n * GEEV_PARTS; ++j) {
            vreal *const h = at(tile, i, 0) + j;
            *h = simd_select(finite, *h * tile->factor, (vreal){0});
        }
}

/* Lanes where the number is not zero. */
SIMD_FN vint is_some(const vreal *x)
{
    return EIG_COMPLEX ? (x[0] != 0) | (x[EIG_COMPLEX] != 0) : x[0] != 0;
}

/* Lanes with a row or column that is zero off the diagonal.  They must be permuted, lane by lane. */
static inline unsigned reducible(const tile_state *tile)
{
    int const n = tile->n;
    vint all = ~(vint){0};
    for (int i = 0; i < n; ++i) {
        vint row = {0}, column = {0};
        for (int j = 0; j < n; ++j) {
            if (j == i) continue;
            row |= is_some(at(tile, i, j));
            column |= is_some(at(tile, j, i));
        }
        all &= row & column;
    }
    return simd_mask_bits(~all);
}

/* 2-norms of n numbers with this sum of squares and the largest parts `most`.  Where squares lose digits, entries are
 * scaled. */
SIMD_FN vreal norm_lanes(int n, const vreal *x, int step, vreal sum, vreal most)
{
    vint const small = most < simd_splat(SQRT_TINY);
    vreal const plain = simd_sqrt(sum);
    if (!simd_any(small)) return plain;
    vreal const unit = pow2_floor_lanes(simd_max(most, simd_splat(REAL_MIN)));
    vreal const scale = pow2_inverse_lanes(unit);
    vreal scaled_sum = {0};
    for (int k = 0; k < n; ++k)
        for (int part = 0; part < GEEV_PARTS; ++part) {
            vreal const y = x[k * step + part] * scale;
            scaled_sum = simd_fma(y, y, scaled_sum);
        }
    return simd_select(small, unit * simd_sqrt(scaled_sum), plain);
}

/* Largest part and sum of squares. */
SIMD_FN void measure_lanes(int n, const vreal *x, int step, vreal *most, vreal *sum)
{
    vreal m = {0}, s = {0};
    for (int k = 0; k < n; ++k)
        for (int part = 0; part < GEEV_PARTS; ++part) {
            vreal const y = x[k * step + part];
            m = simd_max(simd_abs(y), m);
            s = simd_fma(y, y, s);
        }
    *most = m, *sum = s;
}

/* Scales the rows and columns of the lanes in `which`; the same rules as geev_balance.c. */
static inline void balance_lanes(tile_state *tile, vint which)
{
    int const n = tile->n, down = tile->row * GEEV_PARTS;
    bool changed = true;
    for (int sweep = 0; sweep < GEEV_BALANCE_SWEEPS && changed; ++sweep) {
        changed = false;
        for (int i = 0; i < n; ++i) {
            vreal *const row = at(tile, i, 0), *const column = at(tile, 0, i);
            vreal c_max, c_sum, r_max, r_sum;
            measure_lanes(n, column, down, &c_max, &c_sum);
            measure_lanes(n, row, GEEV_PARTS, &r_max, &r_sum);
            vreal const c = norm_lanes(n, column, down, c_sum, c_max);
            vreal const r = norm_lanes(n, row, GEEV_PARTS, r_sum, r_max);
            vreal const found = balance_factor_lanes(c, r, c_max, r_max, tile->scale[i]);
            vreal const f = simd_select(which, found, simd_splat(1));
            if (!simd_any(f != 1)) continue;
            tile->scale[i] *= f;
            vreal const inverse = 1 / f;
            for (int k = 0; k < n * GEEV_PARTS; ++k) row[k] *= inverse;
            for (int k = 0; k < n; ++k)
                for (int part = 0; part < GEEV_PARTS; ++part) column[k * down + part] *= f;
            changed = true;
        }
    }
}

/* Permutes and scales lane t by the plain code. */
static inline void balance_one(tile_state *tile, int t, bool scales, real *scale)
{
    int const n = tile->n;
    int64_t lo, hi, *const from = tile->q ? tile->from + t * n : NULL;
    geev_view const matrix = {lane(tile->h, t), (int64_t)tile->row * GEEV_PARTS * SIMD_LANES, GEEV_PARTS * SIMD_LANES,
                              SIMD_LANES};
    /* The reference isolates first and scales then, so that isolated eigenvalues keep their digits. */
    if (tile->factor[t] < 1) tile->failed |= 1u << t;
    TYPED(eig_cpu_geev_isolate)(n, matrix, from, (int *)tile->before, &lo, &hi);
    if (scales) TYPED(eig_cpu_geev_balance)(n, matrix, scale, lo, hi);
    if (scales && TYPED(eig_cpu_geev_turn)(n, matrix, from, scale, NULL, &lo, &hi)) tile->turned |= 1u << t;
    for (int i = 0; i < n && scales; ++i) *lane(tile->scale + i, t) = scale[i];
    tile->lo = lo < tile->lo ? (int)lo : tile->lo, tile->hi = hi > tile->hi ? (int)hi : tile->hi;
}

/* Sums of the squares of entries first..last-1 of a row. */
SIMD_FN vreal squares_lanes(const vreal *row, int first, int last)
{
    vreal sum = {0};
    for (int k = first * GEEV_PARTS; k < last * GEEV_PARTS; ++k) sum = simd_fma(row[k], row[k], sum);
    return sum;
}

/* Puts the transpose into the lanes in `which` where it is the better problem; as in geev_balance.c. */
static inline void turn_lanes(tile_state *tile, vint which)
{
    int const n = tile->n;
    if (n < 3) return;
    vreal lower = {0}, upper = {0};
    for (int i = 0; i < n; ++i)
        lower += squares_lanes(at(tile, i, 0), 0, i), upper += squares_lanes(at(tile, i, 0), i + 1, n);
    vint const turned = which & balance_turns_lanes(lower, upper);
    if (!simd_any(turned)) return;
    tile->turned |= simd_mask_bits(turned);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j)
            for (int part = 0; part < GEEV_PARTS; ++part) {
                vreal *const below = at(tile, i, j) + part, *const above = at(tile, j, i) + part, t = *below;
                *below = simd_select(turned, *above, t), *above = simd_select(turned, t, *above);
            }
        tile->scale[i] = simd_select(turned, 1 / tile->scale[i], tile->scale[i]);
    }
}

/* The first `count` lanes, the others are zero.  Returns those whose rows stay in their order. */
static inline vint balance_tile(tile_state *tile, int count, bool scales)
{
    if (tile->n == 1) return (vint){0};
    unsigned const all = (2u << (count - 1)) - 1, permute = reducible(tile) & all;
    vint which = {0};
    if (permute == all) tile->lo = tile->n, tile->hi = -1;
    for (int t = 0; t < SIMD_LANES; ++t) which[t] = -(int)(~permute >> t & 1);
    if (simd_any(which) && scales) balance_lanes(tile, which);
    for (int t = 0; t < SIMD_LANES; ++t)
        if (permute >> t & 1) balance_one(tile, t, scales, (real *)tile->u);
    return which;
}

#endif
