/* heev on CUDA: words for the files of kernels, each of which CMake compiles once for each type, with EIG_TYPE s, d, c or z.
 *
 *     number     the type's numbers; number::real are their parts
 *     TYPED(f)   f_s, f_d, f_c or f_z: what such a file exports */
#ifndef EIG_HEEV_TYPED_CUH
#define EIG_HEEV_TYPED_CUH

#include "heev/heev_number.cuh"

#define EIG_PASTE_(a, b) a##_##b
#define EIG_PASTE(a, b) EIG_PASTE_(a, b)
#define TYPED(f) EIG_PASTE(f, EIG_TYPE)

using number_s = heev_number<float, false>;
using number_d = heev_number<double, false>;
using number_c = heev_number<float, true>;
using number_z = heev_number<double, true>;
using number = TYPED(number);

#endif
