/* Entries of matrices: float or double itself, or a complex number of number.cuh, under the same words. */
#ifndef EIG_GEEV_ENTRY_CUH
#define EIG_GEEV_ENTRY_CUH

#include "geev/geev_cuda.cuh"

template <typename entry> struct entry_kind {
    using real = entry;
    static constexpr bool complex = false;
};
template <typename real_type> struct entry_kind<number_of<real_type, true>> {
    using real = real_type;
    static constexpr bool complex = true;
};
template <typename entry> using real_of = typename entry_kind<entry>::real;
template <typename real> using complex_of = number_of<real, true>;

/* The entry re + i im, of which a real one has the first part. */
template <typename entry> static __device__ __forceinline__ entry entry_of(real_of<entry> re, real_of<entry> im = 0)
{
    if constexpr (entry_kind<entry>::complex)
        return entry{re, im};
    else
        return re;
}

/* What number.cuh has for numbers, for float and double themselves. */
#define REAL_WORD template <typename real> static __device__ __forceinline__
REAL_WORD real larger_part(real x)
{
    return fabs(x);
}
REAL_WORD real real_part(real x)
{
    return x;
}
REAL_WORD real real_part(NUMBER_Z x)
{
    return x.re;
}
REAL_WORD real imaginary(real)
{
    return 0;
}
REAL_WORD real scaled(real r, real x)
{
    return x * r;
}
REAL_WORD real product_add(real a, real b, real c)
{
    return fma(a, b, c);
}
REAL_WORD real conj_product_add(real a, real b, real c)
{
    return fma(a, b, c);
}
REAL_WORD real conj(real x)
{
    return x;
}
REAL_WORD real negative(real x)
{
    return -x;
}

/* More of them, for both. */
REAL_WORD bool is_zero(real x)
{
    return x == 0;
}
REAL_WORD bool is_zero(NUMBER_Z x)
{
    return x.re == 0 && x.im == 0;
}
REAL_WORD real square_add(real x, real sum)
{
    return fma(x, x, sum);
}
REAL_WORD real square_add(NUMBER_Z x, real sum)
{
    return fma(x.re, x.re, fma(x.im, x.im, sum));
}
/* |re| + |im|, LAPACK's measure of a complex number. */
REAL_WORD real taxicab(real x)
{
    return fabs(x);
}
REAL_WORD real taxicab(NUMBER_Z x)
{
    return fabs(x.re) + fabs(x.im);
}
REAL_WORD real total(real x, real y)
{
    return x + y;
}
REAL_WORD NUMBER_Z total(NUMBER_Z x, NUMBER_Z y)
{
    return {x.re + y.re, x.im + y.im};
}
REAL_WORD real product(real x, real y)
{
    return x * y;
}
REAL_WORD NUMBER_Z product(NUMBER_Z x, NUMBER_Z y)
{
    return {fma(x.re, y.re, -x.im * y.im), fma(x.re, y.im, x.im * y.re)};
}
REAL_WORD real difference(real x, real y)
{
    return x - y;
}
REAL_WORD NUMBER_Z difference(NUMBER_Z x, NUMBER_Z y)
{
    return {x.re - y.re, x.im - y.im};
}

/* A column with a smaller sum of squares is scaled before it becomes a reflector.  Complex: its head counts as none,
 * without a phase, where |head|^2 is below safmin/eps, and that must be nothing beside the sum: at most eps^2 times
 * it. */
template <typename entry> static __device__ __forceinline__ constexpr real_of<entry> reflector_least()
{
    using real = real_of<entry>;
    constexpr real eps = real_limits<real>::eps, safe = real_limits<real>::square_safe;
    return entry_kind<entry>::complex ? real_limits<real>::safmin / eps / eps / eps : 4 * safe * safe;
}

/* 1 / 2^exponent of x, where x below SAFMIN counts as SAFMIN. */
template <typename real> static __device__ real unit_of(real x)
{
    return pow2_inverse(pow2_floor(x > real_limits<real>::safmin ? x : real_limits<real>::safmin));
}

/* sum + t x */
template <typename real>
static __device__ __forceinline__ void add_to(complex_of<real> *sum, real t, complex_of<real> x)
{
    sum->re = fma(t, x.re, sum->re), sum->im = fma(t, x.im, sum->im);
}
template <typename real>
static __device__ __forceinline__ void add_to(complex_of<real> *sum, complex_of<real> t, complex_of<real> x)
{
    *sum = product_add(t, x, *sum);
}

#endif
