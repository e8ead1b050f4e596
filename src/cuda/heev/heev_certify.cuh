/* What heev on CUDA asks of a result before its info is 0 (src/numerics/spectrum.inc).
 *
 * Where     n <= 8: in the kernels of thread/, in registers; few/: in its kernel; others: heev_certify.cu, which calls the
 *           reference for what fails, unless A is lost.
 * Failures  w and v become NaN, and info n. */
#ifndef EIG_HEEV_CERTIFY_CUH
#define EIG_HEEV_CERTIFY_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"

/* The sums of a spectrum: of T's or A's entries, or of eigenvalues. */
template <typename real> struct spectrum_sums {
    real trace, squares;

    __device__ __forceinline__ void add(real w)
    {
        trace = trace + w, squares = fma(w, w, squares);
    }
    /* Whether eigenvalues with these sums are those of a matrix with `of`; left: see spectrum.inc. */
    __device__ __forceinline__ bool certify(int64_t n, const spectrum_sums &of, real left) const
    {
        return spectrum_has_sums((real)n * real_limits<real>::eps, of.squares, trace - of.trace, squares - of.squares,
                                 left, (real)0);
    }
};

/* NaN for the results of matrix b, and an info of n: thread `rank` of `size`. */
template <typename number>
static __device__ __forceinline__ void heev_reject(const heev_problem &p, batch_strides s, int64_t b, int64_t columns,
                                                   int rank, int size)
{
    using real = typename number::real;
    int64_t const n = p.n;
    number *const v = (number *)p.v + b * s.b;
    number nan;
    set(nan, (real)NAN, (real)NAN);
    for (int64_t k = rank; k < columns; k += size) ((real *)p.w)[b * p.stride_w + k] = (real)NAN;
    for (int64_t f = rank; p.v && f < n * columns; f += size) store_number(v + (f % n * s.i + f / n * s.j), nan);
    if (rank == 0 && p.info) p.info[b] = (int)n;
}

#endif
