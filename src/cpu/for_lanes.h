/* Includes TEMPLATE, a file of src/numerics, for the lanes of a vector: a formula f becomes f_lanes, which computes in
 * every lane what f_s or f_d computes for a number.  The counterpart of for_sd.h for lanes; the words are those of
 * geev.h.
 *
 *     #define TEMPLATE "francis.inc"
 *     #include "for_lanes.h"
 *
 * No include guard: it is meant to be included again. */
#include "simd.h"

#undef EIG_FN
#define EIG_FN SIMD_FN
#define real vreal
#define REAL_IS_FLOAT EIG_SINGLE
#define NAME(f) f##_lanes
#define REAL(c) simd_splat(FLOAT_OR_DOUBLE(c##f, c))
#define EPS REAL_EPSILON
#define SAFMIN REAL_MIN
#define FABS simd_abs
#define FMA simd_fma
#define SQRT simd_sqrt
#define LOGICAL vint
#define SELECT simd_select
#define ANY simd_any
#define SPLAT simd_splat
#define MAX2 simd_max
#include TEMPLATE
#undef EIG_FN
#define EIG_FN static inline
#undef real
#undef REAL_IS_FLOAT
#undef NAME
#undef REAL
#undef EPS
#undef SAFMIN
#undef FABS
#undef FMA
#undef SQRT
#undef LOGICAL
#undef SELECT
#undef ANY
#undef SPLAT
#undef MAX2
#undef TEMPLATE
