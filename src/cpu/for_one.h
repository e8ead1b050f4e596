/* Includes TEMPLATE, a file of src/numerics, for one number: a formula f becomes f_one, which computes what f_lanes computes in a
 * lane.  The fused multiply-add is that of the instruction set: where the lanes round twice, so does the number.
 *
 * No include guard: it is meant to be included again. */
#include "simd.h"

#ifndef EIG_FMA_ONE
#define EIG_FMA_ONE
/* a*b + c as simd_fma has it. */
static inline real fma_one(real a, real b, real c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return FLOAT_OR_DOUBLE(__builtin_fmaf, __builtin_fma)(a, b, c);
#else
    return a * b + c;
#endif
}
#endif

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
