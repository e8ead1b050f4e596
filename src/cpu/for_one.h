/* Includes TEMPLATE, a file of src/numerics, for one number: a formula f becomes f_one, which computes what f_lanes
 * computes in a lane.  The fused multiply-add is that of the instruction set: the number is rounded twice where the
 * lanes are.
 *
 * No include guard: it is meant to be included again. */
#include "simd.h"

#define NAME(f) f##_one
#define REAL(c) FLOAT_OR_DOUBLE(c##f, c)
#define FMA fma_one
#define SQRT FLOAT_OR_DOUBLE(__builtin_sqrtf, __builtin_sqrt)
#define LOGICAL bool
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#include TEMPLATE
#undef NAME
#undef REAL
#undef FMA
#undef SQRT
#undef LOGICAL
#undef SELECT
#undef TEMPLATE
