/* stemr on the CPU: words for representations and factorisations on the lanes, for files that are compiled once for
 * each instruction set. */
#ifndef EIG_STEMR_LANES_H
#define EIG_STEMR_LANES_H

#include "stemr_kernels.h"

#include "gauge.h"
#include "simd.h"

#include <string.h>

/* c - a*b; without FMA by Dekker's splitting. */
SIMD_FN vreal wide_rest_lanes(vreal a, vreal b, vreal c)
{
#if defined(__AVX2__) || defined(__AVX512F__) || defined(__aarch64__)
    return simd_fma(-a, b, c);
#else
    vreal const split = simd_splat((real)134217729.0), ta = split * a, tb = split * b, p = a * b; /* 2^27 + 1 */
    vreal const ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    return (c - p) - (((ah * bh - p) + (ah * bl + al * bh)) + al * bl);
#endif
}

SIMD_FN vreal wide_fma_lanes(vreal a, vreal b, vreal c)
{
    return simd_fma(a, b, c);
}

#define TEMPLATE "wide.inc"
#include "for_lanes.h"
#define TEMPLATE "mrrr.inc"
#include "for_lanes.h"
#define TEMPLATE "gauge.inc"
#include "for_lanes.h"

enum {
    VECTORS = STEMR_LANES / SIMD_LANES < 4 ? STEMR_LANES / SIMD_LANES : 4, /* in flight */
    GROUPS = STEMR_LANES / (VECTORS * SIMD_LANES),
    OWN = 4,  /* vectors of a row of a lane's own representation: D.hi, D.lo, G.hi, G.lo */
    TRACE = 3 /* of a row of a factorisation's trace: s.hi, s.lo, and a third */
};

/* Loops over vectors are unrolled: then these are registers. */
#define EACH(i, count) _Pragma("GCC unroll 8") for (int i = 0; i < (count); ++i)

/* Lanes of two vectors, by their numbers, those of b after those of a. */
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vint){__VA_ARGS__})
#endif

/* Sums of squares stay below this: their next term then does not overflow. */
#define MOST_NORM 0x1p400
/* Entries of a vector below this, beside the one at the twist, are 0. */
#define LEAST_ENTRY 0x1p-600

/* The scratch of one group of VECTORS vectors. */
typedef struct lanes_space {
    vreal *own, *trace;
} lanes_space;

SIMD_FN lanes_space space_of(const void *scratch, int64_t n, int group)
{
    vreal *const at = (vreal *)scratch + (int64_t)group * n * VECTORS * (OWN + TRACE);
    lanes_space const s = {at, at + n * VECTORS * OWN};
    return s;
}

SIMD_FN wide_lanes splat_wide(wide_d x)
{
    wide_lanes const r = {simd_splat(x.hi), simd_splat(x.lo)};
    return r;
}

/* D and G of row i for vector v. */
SIMD_FN wide_lanes row_d(const stemr_row *rows, const vreal *own, bool const is_own, int64_t i, int v)
{
    if (!is_own) return splat_wide(rows[i].d);
    wide_lanes const r = {own[(i * OWN) * VECTORS + v], own[(i * OWN + 1) * VECTORS + v]};
    return r;
}

SIMD_FN wide_lanes row_g(const stemr_row *rows, const vreal *own, bool const is_own, int64_t i, int v)
{
    if (!is_own) return splat_wide(rows[i].g);
    wide_lanes const r = {own[(i * OWN + 2) * VECTORS + v], own[(i * OWN + 3) * VECTORS + v]};
    return r;
}

SIMD_FN wide_lanes load_shift(const stemr_lanes *t, int first)
{
    wide_lanes x;
    memcpy(&x.hi, t->hi + first, sizeof x.hi);
    memcpy(&x.lo, t->lo + first, sizeof x.lo);
    return x;
}

#endif
