/* heev on the CPU: a tile of matrices, one a lane: loading, scaling, sorting, storing.  Part of heev_kernels.c. */
#ifndef EIG_HEEV_TILE_H
#define EIG_HEEV_TILE_H

#include "heev_cpu.h"
#include "heev_lanes.h"
#include "heev_plain.h"

/* A tile while a solver works on it.  A number of the type is HEEV_PARTS vectors: real part, imaginary part. */
typedef struct tile_state {
    int n, count;        /* order, matrices */
    vreal *a;            /* lower triangle: element (i, j) at entry(tile, i, j); above it nothing is read */
    vreal *z;            /* vectors: element i of column k at column(tile, k) + HEEV_PARTS*i; NULL: not wanted */
    vreal *d, *e, *mark; /* [n] diagonal; beside it; not 0 where the eigenvalue has not converged */
    vreal *x, *y;        /* [n] numbers: work */
    vreal up, unit;      /* the matrices were multiplied by up, then divided by unit */
    vint finite;         /* lanes without NaN and infinities; the others are zeroed */
    vreal trace, squares, level; /* sums of A times level: 1, except for option `relative`, whose scale may lose
                                    squares */
    int sweeps[SIMD_LANES];
} tile_state;

SIMD_FN vreal *entry(const tile_state *tile, int i, int j)
{
    return tile->a + HEEV_PARTS * (i * heev_tile_row(tile->n) + j);
}

SIMD_FN vreal *column(const tile_state *tile, int k)
{
    return tile->z + HEEV_PARTS * k * heev_tile_row(tile->n);
}

/* One lane of a vector in memory. */
SIMD_FN real *lane(vreal *x, int t)
{
    return (real *)x + t;
}

/* Numbers from[0], from[step], ... in lanes 0, ..., count - 1, zeros in the others. */
SIMD_FN vreal gather(const real *from, int64_t step, int count)
{
    vreal x = {0};
    if (count == SIMD_LANES)
        for (int t = 0; t < SIMD_LANES; ++t) x[t] = from[t * step];
    else
        for (int t = 0; t < count; ++t) x[t] = from[t * step];
    return x;
}

/* Asks for the next tile's memory where matrices lie one after another. */
static inline void prefetch_next(const heev_problem *p, const real *a, int64_t stride, int count)
{
    int64_t const size = HEEV_PARTS * stride, line = 64 / (int64_t)sizeof(real);
    if (stride < p->n || stride > 2 * p->n * p->n) return;
    for (int64_t k = count * size; k < 2 * count * size; k += line) __builtin_prefetch(a + k);
}

/* Loads matrices first, ..., first + count - 1; other lanes are zero. */
static inline void load(tile_state *tile, const heev_problem *p, int64_t first)
{
    batch_strides const s = heev_strides_of(p);
    int64_t const si = HEEV_PARTS * (p->upper ? s.j : s.i), sj = HEEV_PARTS * (p->upper ? s.i : s.j);
    const real *const a = (const real *)p->a + HEEV_PARTS * first * s.b;
    for (int i = 0; i < tile->n; ++i)
        for (int j = 0; j <= i; ++j) {
            const real *const from = a + i * si + j * sj;
            vreal *const to = entry(tile, i, j);
            for (int part = 0; part < HEEV_PARTS; ++part) {
                bool const none = part == 1 && i == j;
                to[part] = none ? (vreal){0} : gather(from + part, HEEV_PARTS * s.b, tile->count);
            }
            if (EIG_COMPLEX && p->upper) to[HEEV_PARTS - 1] = -to[HEEV_PARTS - 1];
        }
    if (first + 2 * tile->count <= p->batch) prefetch_next(p, a, s.b, tile->count);
}

/* The power of two that brings `most` to [1, 2), in two steps, since the reciprocal of a subnormal number overflows. */
static inline void scale_to_one(tile_state *tile, vreal most)
{
    real const far = FLOAT_OR_DOUBLE(0x1p60f, 0x1p500), step = FLOAT_OR_DOUBLE(0x1p70f, 0x1p520);
    tile->up = simd_select(most < simd_splat(1 / far), simd_splat(step), simd_splat(1));
    tile->up = simd_select(most > simd_splat(far), simd_splat(1 / step), tile->up);
    tile->unit = pow2_floor_lanes(most * tile->up);
}

/* Finds the lanes that are finite, zeroes the others, and scales by a power of two: for Jacobi as jacobi.inc says;
 * else so that the largest part of an entry is in [1, 2). */
static inline void normalise(tile_state *tile, bool jacobi, bool relative)
{
    int const n = tile->n;
    vreal most = {0};
    vint finite = ~(vint){0};
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < HEEV_PARTS * (i + 1); ++k) {
            vreal const x = entry(tile, i, 0)[k];
            most = simd_max(simd_abs(x), most);
            finite &= x - x == 0;
        }
    tile->finite = finite;
    most = simd_select(finite, most, (vreal){0});
    tile->level = simd_splat(1);
    tile->up = relative ? heev_scale_relative_lanes(most) : heev_scale_lanes(most), tile->unit = simd_splat(1);
    if (!jacobi) scale_to_one(tile, most);
    if (relative) /* the largest is normal then */
        tile->level = pow2_inverse_lanes(pow2_floor_lanes(simd_select(most > 0, most * tile->up, simd_splat(1))));
    vreal const inverse = pow2_inverse_lanes(tile->unit);
    if (!simd_any(~finite | (tile->up != 1) | (tile->unit != 1))) return;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < HEEV_PARTS * (i + 1); ++k) {
            vreal *const x = entry(tile, i, 0) + k;
            *x = simd_select(finite, *x * tile->up * inverse, (vreal){0});
        }
}

/* What the certificate asks of A. */
static inline void sum_up(tile_state *tile)
{
    int const n = tile->n;
    vreal const level = tile->level;
    vreal trace = {0}, diagonal = {0}, beside = {0};
    for (int i = 0; i < n; ++i) {
        vreal *const row = entry(tile, i, 0), row_sum = {0};
        for (int k = 0; k < HEEV_PARTS * i; ++k) {
            vreal const x = row[k] * level;
            row_sum = simd_fma(x, x, row_sum);
        }
        vreal const x = row[HEEV_PARTS * i] * level;
        trace += x, diagonal = simd_fma(x, x, diagonal), beside += row_sum;
    }
    tile->trace = trace, tile->squares = diagonal + 2 * beside;
}

/* Marks all values of the lanes whose results fail; a bit for each.  Lanes of which a value has not converged are left
 * alone. */
static inline unsigned certify_lanes(tile_state *tile, const heev_problem *p, bool jacobi)
{
    int const n = tile->n;
    vreal const order = simd_splat((real)n);
    vreal trace = {0}, squares = {0}, left = {0};
    vint asked = tile->finite;
    for (int k = 0; k < n; ++k) {
        vreal const w = tile->d[k] * tile->level;
        trace += w, squares = simd_fma(w, w, squares), asked &= tile->mark[k] == 0;
    }
    if (jacobi) left = spectrum_left_lanes(order, simd_splat((real)p->tolerance));
    vint good = spectrum_has_sums_lanes(order * REAL_EPSILON, tile->squares, trace - tile->trace,
                                        squares - tile->squares, left, (vreal){0});
    for (int k = 0; k < n && tile->z; ++k) {
        vreal *const z = column(tile, k), size = {0};
        for (int i = 0; i < HEEV_PARTS * n; ++i) size = simd_fma(z[i], z[i], size);
        good &= spectrum_has_length_lanes(order, size);
    }
    vint const failed = asked & ~good;
    unsigned bits = 0;
    if (!simd_any(failed)) return bits;
    for (int k = 0; k < n; ++k) tile->mark[k] = simd_select(failed, simd_splat(1), tile->mark[k]);
    for (int t = 0; t < tile->count; ++t) bits |= failed[t] ? 1u << t : 0;
    return bits;
}

/* heev_cut of the lanes, one by one: few have such values. */
static inline void cut_lanes(tile_state *tile)
{
    if (!simd_any(tile->up < simd_splat(1))) return;
    for (int t = 0; t < tile->count; ++t) {
        real w[HEEV_TILE], bad[HEEV_TILE] = {0};
        for (int k = 0; k < tile->n; ++k) w[k] = *lane(tile->d + k, t);
        int64_t const over = heev_cut(tile->n, w, bad, tile->unit[t], tile->up[t]);
        for (int k = 0; k < tile->n; ++k) *lane(tile->d + k, t) = w[k];
        for (int k = 0; k < tile->n && over > 0; ++k)
            if (bad[k] != 0) *lane(tile->mark + k, t) = 1;
    }
}

/* Values alone: ascending in each lane, those that have not converged last. */
static inline void sort_lanes(tile_state *tile)
{
    int const n = tile->n;
    vreal *const d = tile->d, *const bad = tile->mark;
    for (int k = 0; k < n; ++k) d[k] = simd_select(bad[k] != 0, simd_splat((real)INFINITY), d[k]);
    for (int round = 0; round < n; ++round)
        for (int k = round % 2; k + 1 < n; k += 2) {
            vreal const x = d[k], y = d[k + 1];
            vint const swap = x > y;
            d[k] = simd_select(swap, y, x), d[k + 1] = simd_select(swap, x, y);
        }
}

/* |x|; of a complex number its square. */
SIMD_FN vreal size_of(vnumber x)
{
    return EIG_COMPLEX ? square(x) : simd_abs(x.re);
}

/* heev_turn_of and heev_put_turned for column k of all lanes; complex: returns the row that decides, whose
 * imaginary part is yet to become 0. */
static inline vint turn_column(const tile_state *tile, int k)
{
    int const n = tile->n;
    vreal *const z = column(tile, k);
    vreal size[HEEV_TILE], most = {0}, c, s = {0};
    for (int i = 0; i < n; ++i) most = simd_max(size[i] = size_of(get(z + HEEV_PARTS * i)), most);
    vreal const least = EIG_COMPLEX ? gauge_least_square_lanes(most) : gauge_least_lanes(most);
    vnumber lead = {simd_splat(1), {0}};
    vint row = {0};
    for (int i = n - 1; i >= 0; --i) {
        vint const near = size[i] >= least;
        lead.re = simd_select(near, z[HEEV_PARTS * i], lead.re);
        if (!EIG_COMPLEX) continue;
        lead.im = simd_select(near, z[HEEV_PARTS * i + EIG_COMPLEX], lead.im);
        row = simd_select_bits(near, (vint){0} + i, row);
    }
    if (!EIG_COMPLEX) {
        c = gauge_sign_lanes(lead.re);
        for (int i = 0; i < n; ++i) z[i] *= c;
        return row;
    }
    gauge_turn_lanes(lead.re, lead.im, simd_splat(1) / simd_sqrt(square(lead)), &c, &s);
    for (int i = 0; i < n; ++i) {
        vnumber const x = get(z + HEEV_PARTS * i);
        vnumber const turned = {simd_fma(-x.im, s, x.re * c), simd_fma(x.im, c, x.re * s)};
        put(z + HEEV_PARTS * i, turned);
    }
    return row;
}

/* The places of a lane's columns among the results, and how many of these are good. */
typedef struct lane_result {
    uint8_t place[HEEV_TILE];
    int good;
} lane_result;

/* Stores values and info of lane t as those of matrix b. */
static inline void store_values(tile_state *tile, const heev_problem *p, int t, int64_t b, lane_result *result)
{
    int const n = tile->n;
    real w[HEEV_TILE], bad[HEEV_TILE];
    int64_t failed = 0, order[HEEV_TILE];
    for (int k = 0; k < n; ++k) {
        w[k] = *lane(tile->d + k, t), bad[k] = *lane(tile->mark + k, t) != 0;
        failed += bad[k] != 0;
    }
    bool const finite = tile->finite[t];
    if (tile->z)
        heev_sort(n, w, bad, order);
    else
        for (int k = 0; k < n; ++k) order[k] = k; /* sort_lanes */
    result->good = finite ? n - (int)failed : 0;
    real *const to_w = (real *)p->w + b * p->stride_w;
    real const unit = tile->unit[t], down = 1 / tile->up[t];
    for (int k = 0; k < n; ++k) {
        /* Adding zero makes -0 to 0: the sign of a zero may depend on the other lanes of a tile. */
        to_w[k] = k < result->good ? w[order[k]] * unit * down + (real)0 : (real)NAN;
        result->place[order[k]] = (uint8_t)k;
    }
    heev_store_info(p, b, finite ? failed : EIG_INFO_NOT_FINITE, finite ? tile->sweeps[t] : 0);
}

/* Stores the results of all lanes; a vector's column is turned, and goes from there to each matrix, so that it is read
 * from memory once. */
static inline void store_lanes(tile_state *tile, const heev_problem *p, int64_t first)
{
    int const n = tile->n;
    lane_result result[SIMD_LANES];
    batch_strides const s = heev_strides_of_v(p);
    for (int t = 0; t < tile->count; ++t) store_values(tile, p, t, first + t, &result[t]);
    if (!p->v) return;
    for (int k = 0; k < n; ++k) {
        vreal *const from = column(tile, k);
        vint const row = turn_column(tile, k);
        for (int t = 0; t < tile->count; ++t) {
            int const place = result[t].place[k];
            real *const to = (real *)p->v + HEEV_PARTS * ((first + t) * s.b + place * s.j);
            if (place >= result[t].good) {
                heev_put_nan(n, to, HEEV_PARTS * s.i);
                continue;
            }
            for (int i = 0; i < n; ++i)
                for (int part = 0; part < HEEV_PARTS; ++part)
                    to[HEEV_PARTS * i * s.i + part] = *lane(from + HEEV_PARTS * i + part, t) + (real)0;
            if (EIG_COMPLEX) to[HEEV_PARTS * row[t] * s.i + EIG_COMPLEX] = 0;
        }
    }
}

#endif
