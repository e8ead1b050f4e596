/* geev on the CPU: the iteration of a tile: deflation, and sweeps.  Part of geev_kernels.c. */
#ifndef EIG_GEEV_ITERATE_H
#define EIG_GEEV_ITERATE_H

#include "geev_tile.h"
#if EIG_COMPLEX
#include "geev_single_sweep.h"
#else
#include "geev_double_sweep.h"
#endif

/* Splits converged blocks off the end of lane t, until its window has LEAST_WINDOW rows or more.  False: the lane has
 * finished. */
static inline bool deflate(tile_state *tile, int t, uint64_t bits)
{
    for (int i = tile->i[t]; i >= 0;) {
        uint64_t const below = bits & ((UINT64_C(2) << i) - 1);
        int const l = below ? 63 - __builtin_clzll(below) : 0;
        for (int part = 0; part < GEEV_PARTS && l > 0; ++part) *lane(at(tile, l, l - 1) + part, t) = 0;
        tile->i[t] = i, tile->l[t] = l;
        if (l <= i + 1 - LEAST_WINDOW) return true;
        if (l == i - 1) tile->pairs[t] |= UINT64_C(1) << l;
        tile->steps[t] = 0;
        i = l - 1;
    }
    tile->i[t] = -2, tile->l[t] = tile->n;
    return false;
}

static inline void iterate_tile(tile_state *tile, int count)
{
    for (int t = 0; t < SIMD_LANES; ++t) {
        bool const goes = t < count && !(tile->failed >> t & 1);
        tile->i[t] = goes ? tile->n - 1 : -2, tile->l[t] = goes ? 0 : tile->n;
        tile->steps[t] = 0, tile->pairs[t] = 0;
    }
    for (;;) {
        uint64_t bits[SIMD_LANES];
        int from = tile->n, to = -1;
        for (int t = 0; t < SIMD_LANES; ++t) to = tile->i[t] > to ? tile->i[t] : to;
        find_deflations(tile, to, bits);
        to = -1;
        for (int t = 0; t < SIMD_LANES; ++t) {
            if (tile->i[t] < 0 || !deflate(tile, t, bits[t])) continue;
            if (++tile->steps[t] > tile->max_steps) {
                tile->failed |= 1u << t;
                tile->i[t] = -2, tile->l[t] = tile->n;
                continue;
            }
            from = tile->l[t] < from ? (int)tile->l[t] : from;
            to = tile->i[t] > to ? tile->i[t] : to;
        }
        if (to < 0) return;
        vreal start[3];
        start_sweep(tile, start);
        sweep(tile, from, to, start);
    }
}

#endif
