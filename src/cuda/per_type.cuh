/* Words for files of kernels, each of which CMake compiles once for each type, with EIG_TYPE s, d, c or z.
 *
 *     TYPED(f)   f_s, f_d, f_c or f_z: what such a file exports
 *     real       the type's real numbers: float or double */
#ifndef EIG_CUDA_PER_TYPE_CUH
#define EIG_CUDA_PER_TYPE_CUH

#define EIG_PASTE_(a, b) a##_##b
#define EIG_PASTE(a, b) EIG_PASTE_(a, b)
#define TYPED(f) EIG_PASTE(f, EIG_TYPE)

using real_s = float;
using real_d = double;
using real_c = float;
using real_z = double;
using real = TYPED(real);

#endif
