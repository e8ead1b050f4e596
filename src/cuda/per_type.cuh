/* Words for files of kernels, each of which CMake compiles once for each type, with EIG_TYPE s, d, c or z.
 *
 *     TYPED(f)   f_s, f_d, f_c or f_z: what such a file exports
 *     real       the type's real numbers: float or double
 *     number     the type's numbers; number::real are their parts */
#ifndef EIG_CUDA_PER_TYPE_CUH
#define EIG_CUDA_PER_TYPE_CUH

#include "primitives/number.cuh"

#define EIG_PASTE_(a, b) a##_##b
#define EIG_PASTE(a, b) EIG_PASTE_(a, b)
#define TYPED(f) EIG_PASTE(f, EIG_TYPE)

using number_s = number_of<float, false>;
using number_d = number_of<double, false>;
using number_c = number_of<float, true>;
using number_z = number_of<double, true>;
using number = TYPED(number);
using real = number::real;

#endif
