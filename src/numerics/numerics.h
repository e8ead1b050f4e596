/* Formulas that gcc, clang and nvcc all compile live in this folder: scalars in, scalars out, no storage layout.
 * The compilers must neither contract nor reorder: an FMA is written fma(), and -ffast-math is refused. */
#ifndef EIG_NUMERICS_H
#define EIG_NUMERICS_H

#ifdef __FAST_MATH__
#error "eigpack: Sturm counts and NaN handling need IEEE arithmetic; compile without -ffast-math"
#endif

#include <float.h>
#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define EIG_FN static __host__ __device__ __forceinline__
#else
#define EIG_FN static inline
#endif

#endif
