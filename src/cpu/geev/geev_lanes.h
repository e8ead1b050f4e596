/* The formulas of geev for the lanes of a vector: f_lanes does in each lane what src/numerics/geev.h's f does. */
#ifndef EIG_GEEV_LANES_H
#define EIG_GEEV_LANES_H

#include "geev.h"
#include "simd.h"

/* As in pow2.inc, by the bits of a number. */
SIMD_FN vreal pow2_floor_lanes(vreal x)
{
    return (vreal)((vint)x & FLOAT_OR_DOUBLE(INT32_C(0x7f800000), INT64_C(0x7ff0000000000000)));
}

SIMD_FN vreal pow2_inverse_lanes(vreal x)
{
    return (vreal)(FLOAT_OR_DOUBLE(INT32_C(0x7f000000), INT64_C(0x7fe0000000000000)) - (vint)x);
}

#define TEMPLATE "balance.inc"
#include "for_lanes.h"
#define TEMPLATE "householder.inc"
#include "for_lanes.h"
#define TEMPLATE "francis.inc"
#include "for_lanes.h"

/* From here on SQRT_TINY is that of real. */
#define REAL_IS_FLOAT EIG_SINGLE

#endif
