/* Words for files that are compiled once for each type, and, where they are kernels, for each instruction set.  The
 * build defines EIG_TYPE, s or d, and EIG_ISA (cmake/eigpack_library.cmake).
 *
 *     real                       float or double
 *     REAL_EPSILON, REAL_MIN     the spacing of its numbers at 1, its smallest normal number
 *     FLOAT_OR_DOUBLE(x, y)      x where real is float, y where it is double
 *     TYPED(f)                   f_s or f_d: a formula of src/numerics, or what such a file exports
 *     ISA_TYPED(f)               f_avx2_d ...: the table that a file of kernels exports
 *
 * fabs, sqrt and the like are those of <tgmath.h>, which serve either type. */
#ifndef EIG_TYPED_H
#define EIG_TYPED_H

#ifndef EIG_TYPE
#error "eigpack: this file is compiled with -DEIG_TYPE=s or -DEIG_TYPE=d"
#endif

#include <float.h>
#include <tgmath.h>

#define EIG_PASTE_(a, b) a##b
#define EIG_PASTE(a, b) EIG_PASTE_(a, b)
#define TYPED(f) EIG_PASTE(EIG_PASTE(f, _), EIG_TYPE)
#define ISA_TYPED(f) TYPED(EIG_PASTE(f##_, EIG_ISA))

/* Whether real is float: EIG_SINGLE_s or EIG_SINGLE_d. */
#define EIG_SINGLE EIG_PASTE(EIG_SINGLE_, EIG_TYPE)
#define EIG_SINGLE_s 1
#define EIG_SINGLE_d 0

#if EIG_SINGLE
#define FLOAT_OR_DOUBLE(of_float, of_double) of_float
#else
#define FLOAT_OR_DOUBLE(of_float, of_double) of_double
#endif

typedef FLOAT_OR_DOUBLE(float, double) real;
#define REAL_EPSILON FLOAT_OR_DOUBLE(FLT_EPSILON, DBL_EPSILON)
#define REAL_MIN FLOAT_OR_DOUBLE(FLT_MIN, DBL_MIN)

#endif
