/* What heev on CUDA asks of a result before its info is 0 (src/numerics/spectrum.inc).
 *
 * Pairs     all pairs are tested by the probe x (primitives/probe.cuh): x^H A x = sum w |x^H v|^2, and x^H x = sum |x^H
 *           v|^2.  With A - V diag(w) V^H = E the first differs by x^H E x, whose entries add up with random signs and
 *           weights: an error passes by a rare chance, and costs n^2 operations to find.
 * Where     n <= 8: in the kernels of thread/, in registers; few/: in its kernel; others: heev_certify.cu, which calls
 *           the reference for what fails, unless A is lost.
 * Failures  w and v become NaN, and info n. */
#ifndef EIG_HEEV_CERTIFY_CUH
#define EIG_HEEV_CERTIFY_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"
#include "primitives/probe.cuh"

/* What sum w |x^H v|^2 may be off by, in n eps ||A||_F, and sum |x^H v|^2, in n sqrt(n) eps: |x|^2 is about
 * 2.3 n.  Of 60,000 hard matrices the largest were 8.6 and 6.5. */
enum { CERTIFY_FORM = 24, CERTIFY_SPAN = 20 };

/* sum |x_i|^2 of entries first, ..., first + n - 1: the part of thread `rank` of `size`. */
template <typename number>
static __device__ __forceinline__ typename number::real certify_span(int64_t first, int64_t n, int rank, int size)
{
    typename number::real sum = 0;
    for (int64_t i = rank; i < n; i += size) sum = sum + square(probe_at<number>((unsigned)(first + i)));
    return sum;
}

/* What is known of pairs: sum w |x^H v|^2 and sum |x^H v|^2; and of A: x^H A x, x^H x. */
template <typename real> struct pair_sums {
    real form, span, of_form, of_span;

    /* Whether they are those of A with ||A||_F^2 = squares; unit: n eps; left and off: see spectrum.inc. */
    __device__ __forceinline__ bool certify(real n, real unit, real squares, real left, real off) const
    {
        real const norm = sqrt(squares);
        return fabs(form - of_form) <= (CERTIFY_FORM * unit + n * sqrt(left)) * norm + n * off &&
               fabs(span - of_span) <= CERTIFY_SPAN * unit * sqrt(n);
    }
};

/* The sums of a spectrum: of T's or A's entries, or of eigenvalues. */
template <typename real> struct spectrum_sums {
    real trace, squares, form; /* x^H A x; of eigenvalues nothing */

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
