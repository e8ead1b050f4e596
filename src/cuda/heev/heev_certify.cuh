/* What heev on CUDA asks of a result before its info is 0 (src/numerics/spectrum.inc).
 *
 * Pairs     all pairs are tested by one vector x, whose entries are powers of i, or of real matrices signs, that look random:
 *           x^H A x = sum w |x^H v|^2, and x^H x = sum |x^H v|^2.  With A - V diag(w) V^H = E the first differs by x^H E x, whose
 *           entries add up with random signs: an error passes by a rare chance, and costs n^2 operations to find.
 * Where     n <= 8: in the kernels of thread/, in registers; few/: in its kernel; others: heev_certify.cu, which calls the
 *           reference for what fails, unless A is lost.
 * Failures  w and v become NaN, and info n. */
#ifndef EIG_HEEV_CERTIFY_CUH
#define EIG_HEEV_CERTIFY_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_entry.cuh"

/* What sum w |x^H v|^2 may be off by, in n eps ||A||_F, and sum |x^H v|^2, in n sqrt(n) eps: far above what the methods give. */
enum { CERTIFY_FORM = 40, CERTIFY_SPAN = 10 };

/* Entry k of the certificate's vector x is i to this power, of real matrices 1 or -1: + - - + - + - - for the first.  Of 32 entries the
 * powers' bits are drawn by hand; the next 32 have them turned by what is mixed from their number. */
static __device__ __forceinline__ constexpr unsigned certify_turn(unsigned k)
{
    unsigned const high = 0xa5c366d6u, low = 0x3b8d2c5eu, block = k / 32, at = (k + 5 * block) % 32,
                   turned = (block * 0x9e3779b1u) >> 30;
    return ((high >> at & 1) * 2 + (low >> at & 1) + turned) & 3;
}

/* conj(x_i) a x_j, and x's part of a component: conj(x_i) v. */
NUMBER_WORD NUMBER_R certify_turned(NUMBER_R a, unsigned i, unsigned j)
{
    return (certify_turn(i) ^ certify_turn(j)) & 2 ? negative(a) : a;
}
NUMBER_WORD NUMBER_Z certify_turned(NUMBER_Z a, unsigned i, unsigned j)
{
    unsigned const turn = certify_turn(j) - certify_turn(i);
    NUMBER_Z const x = {turn & 1 ? -a.im : a.re, turn & 1 ? a.re : a.im};
    return turn & 2 ? negative(x) : x;
}
NUMBER_WORD NUMBER_R certify_turned(NUMBER_R v, unsigned i)
{
    return certify_turn(i) & 2 ? negative(v) : v;
}
NUMBER_WORD NUMBER_Z certify_turned(NUMBER_Z v, unsigned i)
{
    unsigned const turn = -certify_turn(i);
    NUMBER_Z const x = {turn & 1 ? -v.im : v.re, turn & 1 ? v.re : v.im};
    return turn & 2 ? negative(x) : x;
}

/* Whether pairs whose sums are `form` and `span` are those of an A with x^H A x = of; left and off: see spectrum.inc. */
template <typename real>
static __device__ __forceinline__ bool certifies_pairs(real n, real form, real span, real of, real squares, real left,
                                                       real off)
{
    real const unit = n * real_limits<real>::eps, norm = sqrt(squares);
    return fabs(form - of) <= (CERTIFY_FORM * unit + n * sqrt(left)) * norm + n * off &&
           fabs(span - n) <= CERTIFY_SPAN * unit * sqrt(n);
}

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
