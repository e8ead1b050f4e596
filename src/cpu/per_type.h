/* Words for files that are compiled once for each type, and, where they are kernels, for each instruction set.  The
 * build defines EIG_TYPE, s, d, c or z, and EIG_ISA (cmake/eigpack_library.cmake).
 *
 *     real                       float or double: the type, or that of a complex type's parts
 *     EIG_COMPLEX                1 where the type is c or z, else 0
 *     REAL_EPSILON               the spacing of its numbers at 1
 *     REAL_MIN, REAL_MAX         its smallest normal number, its largest one
 *     FLOAT_OR_DOUBLE(x, y)      x where real is float, y where it is double
 *     TYPED(f)                   f_s, f_d, f_c or f_z: what such a file exports
 *     REAL_TYPED(f)              f_s or f_d: a formula of src/numerics; TYPED serves too where the type is real
 *     ISA_TYPED(f)               f_avx2_d ...: the table that a file of kernels exports
 *
 * fabs, sqrt and the like are those of <tgmath.h>, which serve either type. */
#ifndef EIG_CPU_PER_TYPE_H
#define EIG_CPU_PER_TYPE_H

#ifndef EIG_TYPE
#error "eigpack: this file is compiled with -DEIG_TYPE=s, d, c or z"
#endif

#include <float.h>
#include <tgmath.h>

#define EIG_PASTE_(a, b) a##b
#define EIG_PASTE(a, b) EIG_PASTE_(a, b)
#define TYPED(f) EIG_PASTE(EIG_PASTE(f, _), EIG_TYPE)
#define ISA_TYPED(f) TYPED(EIG_PASTE(f##_, EIG_ISA))

/* Whether real is float, EIG_SINGLE_s ..., and whether the type is complex. */
#define EIG_SINGLE EIG_PASTE(EIG_SINGLE_, EIG_TYPE)
#define EIG_SINGLE_s 1
#define EIG_SINGLE_d 0
#define EIG_SINGLE_c 1
#define EIG_SINGLE_z 0
#define EIG_COMPLEX EIG_PASTE(EIG_COMPLEX_, EIG_TYPE)
#define EIG_COMPLEX_s 0
#define EIG_COMPLEX_d 0
#define EIG_COMPLEX_c 1
#define EIG_COMPLEX_z 1

#if EIG_SINGLE
#define REAL_TYPED(f) f##_s
#define FLOAT_OR_DOUBLE(of_float, of_double) of_float
#else
#define REAL_TYPED(f) f##_d
#define FLOAT_OR_DOUBLE(of_float, of_double) of_double
#endif

typedef FLOAT_OR_DOUBLE(float, double) real;
#define REAL_EPSILON FLOAT_OR_DOUBLE(FLT_EPSILON, DBL_EPSILON)
#define REAL_MIN FLOAT_OR_DOUBLE(FLT_MIN, DBL_MIN)
#define REAL_MAX FLOAT_OR_DOUBLE(FLT_MAX, DBL_MAX)

#endif
