/* The probe: a vector x that looks random, by which certificates test many things at once.
 *
 * Sizes    from 1 to 2 (parts of complex ones: from 1/2 to 3/2), without order: with one size, errors of opposite sign
 *          on two rows would hide each other half of the time, and two eigenpairs of a diagonal matrix that change
 *          places always; sizes that grow by equal steps (times an irrational number, modulo 1) and signs + - - + hide
 *          a constant.
 * Phases   of complex ones are as many as entries: with powers of i, x^H E x is blind to every second imaginary part of
 *          a Hermitian E.
 * Numbers  have 17 bits, so that they are the same in all types. */
#ifndef EIG_PROBE_CUH
#define EIG_PROBE_CUH

#include "primitives/number.cuh"

/* The signs of both parts of x_k, 0 to 3: + - - + - + - - for the first real ones.  The bits of 32 entries are drawn by
 * hand; the next 32 have them turned by what is mixed from their number. */
static __device__ __forceinline__ constexpr unsigned probe_signs(unsigned k)
{
    unsigned const high = 0xa5c366d6u, low = 0x3b8d2c5eu, block = k / 32, at = (k + 5 * block) % 32,
                   mixed = (block * 0x9e3779b1u) >> 30;
    return ((high >> at & 1) * 2 + (low >> at & 1) + mixed) & 3;
}

/* 16 bits, over 65536. */
template <typename real> static __device__ __forceinline__ constexpr real probe_fraction(unsigned bits)
{
    return (real)(int)(bits & 0xffff) * (real)(1.0 / 65536);
}

/* x_k. */
template <typename number> static __device__ __forceinline__ number probe_at(unsigned k)
{
    using real = typename number::real;
    unsigned const first = k * 0x9e3779b1u, mixed = (first ^ first >> 16) * 0x85ebca6bu, signs = probe_signs(k);
    real const re = (number::complex ? (real)0.5 : (real)1) + probe_fraction<real>(mixed >> 16),
               im = (real)0.5 + probe_fraction<real>(mixed);
    number x;
    set(x, signs & 2 ? -re : re, signs & 1 ? -im : im);
    return x;
}

/* conj(x_k) v + c. */
template <typename number> static __device__ __forceinline__ number probe_add(number v, unsigned k, number c)
{
    return conj_product_add(probe_at<number>(k), v, c);
}

/* The real part of conj(x_i) a x_j. */
template <typename number>
static __device__ __forceinline__ typename number::real probe_form(number a, unsigned i, unsigned j)
{
    using real = typename number::real;
    number zero;
    set(zero, (real)0, (real)0);
    number const by = conj_product_add(probe_at<number>(i), probe_at<number>(j), zero);
    return fma(by.re, a.re, number::complex ? -imaginary(by) * imaginary(a) : (real)0);
}

#endif
