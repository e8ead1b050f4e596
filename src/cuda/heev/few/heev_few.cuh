/* heev on CUDA, 8 < n <= 64, tridiagonal, few matrices: all of it in one launch, a thread block a matrix.
 *
 * heev_few.cu            the kernel, the matrix and its vectors from and to the caller's arrays, values
 * heev_few_reduce.cuh    A = Q T Q^H
 * heev_few_divide.cuh    eigenpairs of T by divide and conquer
 * heev_few_back.cuh      V = Q Z
 *
 * Few matrices take as long as one does, and that is a chain of dependent operations.  So all threads of a block work on a matrix,
 * which never leaves its registers and shared memory.  Rows and columns stand at the end of R = 32 or 64 places. */
#ifndef EIG_HEEV_FEW_CUH
#define EIG_HEEV_FEW_CUH

#include "heev/grid/heev_grid.cuh"
#include "primitives/team.cuh"

/* Lanes that find a root, and threads a place; lanes that share a row, or in the back-transformation a column; blocks of 8 places
 * whose steps are the same code. */
enum { FEW_SHARE = 4, FEW_ACROSS = 8, FEW_STAGE = 2 };

/* What R places take.  high: rows of a thread, `rows` apart, or columns; wide: the other ones, 8 apart. */
template <int R> struct few_shape {
    static constexpr int threads = FEW_SHARE * R, warps = threads / 32, rows = threads / FEW_ACROSS;
    static constexpr int high = R / rows, wide = R / FEW_ACROSS;
    static constexpr int pitch = R + 1, u_pitch = R + 2; /* of vectors of T; of U */
};

#endif
