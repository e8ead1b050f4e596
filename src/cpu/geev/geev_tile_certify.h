/* geev on the CPU: the certificate of a tile's eigenvalues, by their traces (certificate.inc).  Part of geev_kernels.c
 * and geev_narrow.c. */
#ifndef EIG_GEEV_TILE_CERTIFY_H
#define EIG_GEEV_TILE_CERTIFY_H

#include "geev_tile.h"

typedef struct tile_traces {
    vreal square, first[2], second[2]; /* of the matrices before they are reduced, */
    vreal factor;                      /* times this, powers of two */
} tile_traces;

/* Sums go over a row first, then over the rows. */
static inline tile_traces scaled_traces(const tile_state *tile, vreal factor)
{
    enum { IM = GEEV_PARTS - 1 };
    int const n = tile->n;
    tile_traces sum = {.factor = factor};
    for (int i = 0; i < n; ++i) {
        vreal square = {0}, crossed[2] = {{0}};
        for (int j = 0; j < i; ++j) {
            const vreal *const p = at(tile, i, j), *const q = at(tile, j, i);
            vreal const a = p[0] * factor, b = q[0] * factor;
            square = simd_fma(a, a, simd_fma(b, b, square));
            crossed[0] = simd_fma(a, b, crossed[0]);
            if (!EIG_COMPLEX) continue;
            vreal const c = p[IM] * factor, d = q[IM] * factor;
            square = simd_fma(c, c, simd_fma(d, d, square));
            crossed[0] = simd_fma(-c, d, crossed[0]);
            crossed[1] = simd_fma(a, d, simd_fma(c, b, crossed[1]));
        }
        const vreal *const d = at(tile, i, i);
        vreal const re = d[0] * factor, im = EIG_COMPLEX ? d[IM] * factor : (vreal){0};
        sum.square += simd_fma(im, im, simd_fma(re, re, square));
        sum.first[0] += re, sum.first[1] += im;
        sum.second[0] += simd_fma(-im, im, simd_fma(re, re, crossed[0] + crossed[0]));
        sum.second[1] += simd_fma(re + re, im, crossed[1] + crossed[1]);
    }
    return sum;
}

/* Where squares overflow, or are so small that what underflows may count, which balancing alone can have brought about,
 * the lane's matrix is scaled for them; as in geev_certify.c, a norm counts that the iteration takes for zero except
 * for eps. */
static inline tile_traces traces_of_tile(const tile_state *tile)
{
    vreal const one = simd_splat(1), least = simd_splat(REAL_MIN), largest = simd_splat(1 / REAL_MIN);
    tile_traces const sum = scaled_traces(tile, one);
    vint const small = sum.square < simd_splat(REAL_MIN / (REAL_EPSILON * REAL_EPSILON));
    vint const unfit = small | ~(sum.square - sum.square == 0);
    if (!simd_any(unfit)) return sum;
    vreal most = {0};
    for (int i = 0; i < tile->n; ++i)
        for (int j = 0; j < tile->n * GEEV_PARTS; ++j) most = simd_max(simd_abs(at(tile, i, 0)[j]), most);
    vreal const size = simd_select(most < largest, simd_max(most, least), largest);
    vreal const factor = simd_select(unfit, pow2_inverse_lanes(pow2_floor_lanes(size)), one);
    tile_traces scaled = scaled_traces(tile, factor);
    vreal const floor = factor * (REAL_MIN / (REAL_EPSILON * REAL_EPSILON) * (real)tile->n);
    scaled.square += simd_select(unfit, floor * floor, (vreal){0});
    return scaled;
}

/* Lanes whose eigenvalues do not have the traces are left to the reference, and counted. */
static void certify_tile(const geev_problem *p, tile_state *tile, int count, const tile_traces *traces)
{
    vreal first[2] = {{0}}, second[2] = {{0}};
    for (int k = 0; k < tile->n; ++k) {
        vreal const re = tile->re[k] * traces->factor, im = tile->im[k] * traces->factor;
        first[0] += re, first[1] += im;
        second[0] += simd_fma(re, re, -(im * im));
        second[1] = simd_fma(re + re, im, second[1]);
    }
    vint const good = geev_has_traces_lanes(simd_splat((real)tile->n), traces->square, first[0] - traces->first[0],
                                            first[1] - traces->first[1], second[0] - traces->second[0],
                                            second[1] - traces->second[1]);
    unsigned const solved = ((2u << (count - 1)) - 1) & ~tile->failed;
    unsigned const bad = solved & simd_mask_bits(~good & tile->finite);
    tile->failed |= bad;
    if (bad && p->repairs) __atomic_fetch_add(&p->repairs->matrices, __builtin_popcount(bad), __ATOMIC_RELAXED);
}

#endif
