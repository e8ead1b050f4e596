/* Includes TEMPLATE twice, for float and for double.  In C a name f becomes f_s and f_d; in CUDA C++ it overloads,
 * unless C_NAMES is defined: a template with types of its own cannot overload their names.
 *
 *     #define TEMPLATE "sturm.inc"
 *     #include "for_sd.h"
 *
 * Words a template may use: real, REAL_IS_FLOAT (0 or 1), NAME(f), REAL(constant), FABS, SQRT, EPS (spacing of 1),
 * SAFMIN (smallest normal number).  No include guard: it is meant to be included again. */
#include <float.h>
#include <math.h>

#if defined(__cplusplus) && !defined(C_NAMES)
#define EIG_NAME_S(f) f
#define EIG_NAME_D(f) f
#else
#define EIG_NAME_S(f) f##_s
#define EIG_NAME_D(f) f##_d
#endif

#define real float
#define REAL_IS_FLOAT 1
#define NAME(f) EIG_NAME_S(f)
#define REAL(c) c##f
#define FABS fabsf
#define SQRT sqrtf
#define EPS FLT_EPSILON
#define SAFMIN FLT_MIN
#include TEMPLATE
#undef real
#undef REAL_IS_FLOAT
#undef NAME
#undef REAL
#undef FABS
#undef SQRT
#undef EPS
#undef SAFMIN

#define real double
#define REAL_IS_FLOAT 0
#define NAME(f) EIG_NAME_D(f)
#define REAL(c) c
#define FABS fabs
#define SQRT sqrt
#define EPS DBL_EPSILON
#define SAFMIN DBL_MIN
#include TEMPLATE
#undef real
#undef REAL_IS_FLOAT
#undef NAME
#undef REAL
#undef FABS
#undef SQRT
#undef EPS
#undef SAFMIN

#undef EIG_NAME_S
#undef EIG_NAME_D
#undef TEMPLATE
#undef C_NAMES
