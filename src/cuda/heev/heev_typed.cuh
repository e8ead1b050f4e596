/* heev on CUDA: words for the files of kernels, each of which CMake compiles once for each type: those of per_type.cuh, and
 *
 *     number     the type's numbers; number::real are their parts */
#ifndef EIG_HEEV_TYPED_CUH
#define EIG_HEEV_TYPED_CUH

#include "heev/heev_number.cuh"
#include "per_type.cuh"

using number_s = heev_number<float, false>;
using number_d = heev_number<double, false>;
using number_c = heev_number<float, true>;
using number_z = heev_number<double, true>;
using number = TYPED(number);

#endif
