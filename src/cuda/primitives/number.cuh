/* Real and complex numbers under one set of words. */
#ifndef EIG_NUMBER_CUH
#define EIG_NUMBER_CUH

#include "primitives/real.cuh"

#include <cstdint>

/* A number of a matrix: real, or complex as in memory. */
template <typename real_type, bool is_complex> struct number_of;
template <typename real_type> struct number_of<real_type, false> {
    using real = real_type;
    static constexpr bool complex = false;
    real re;
};
template <typename real_type> struct alignas(2 * sizeof(real_type)) number_of<real_type, true> {
    using real = real_type;
    static constexpr bool complex = true;
    real re, im;
};

/* The words, for a real R and for a complex Z: parts and their like, a*b + c, conj(a)*b + c, r*a, |a|^2. */
#define NUMBER_WORD template <typename real> static __device__ __forceinline__
#define NUMBER_R number_of<real, false>
#define NUMBER_Z number_of<real, true>

NUMBER_WORD real imaginary(NUMBER_R)
{
    return 0;
}
NUMBER_WORD real imaginary(NUMBER_Z x)
{
    return x.im;
}
NUMBER_WORD void set(NUMBER_R &x, real re, real)
{
    x.re = re;
}
NUMBER_WORD void set(NUMBER_Z &x, real re, real im)
{
    x.re = re, x.im = im;
}
NUMBER_WORD NUMBER_R conj(NUMBER_R x)
{
    return x;
}
NUMBER_WORD NUMBER_Z conj(NUMBER_Z x)
{
    return {x.re, -x.im};
}
NUMBER_WORD NUMBER_R negative(NUMBER_R x)
{
    return {-x.re};
}
NUMBER_WORD NUMBER_Z negative(NUMBER_Z x)
{
    return {-x.re, -x.im};
}
NUMBER_WORD NUMBER_R scaled(real r, NUMBER_R x)
{
    return {r * x.re};
}
NUMBER_WORD NUMBER_Z scaled(real r, NUMBER_Z x)
{
    return {r * x.re, r * x.im};
}
NUMBER_WORD NUMBER_R scaled_add(real r, NUMBER_R x, NUMBER_R y)
{
    return {fma(r, x.re, y.re)};
}
NUMBER_WORD NUMBER_Z scaled_add(real r, NUMBER_Z x, NUMBER_Z y)
{
    return {fma(r, x.re, y.re), fma(r, x.im, y.im)};
}
NUMBER_WORD NUMBER_R sum(NUMBER_R x, NUMBER_R y)
{
    return {x.re + y.re};
}
NUMBER_WORD NUMBER_Z sum(NUMBER_Z x, NUMBER_Z y)
{
    return {x.re + y.re, x.im + y.im};
}
NUMBER_WORD NUMBER_R product_add(NUMBER_R a, NUMBER_R b, NUMBER_R c)
{
    return {fma(a.re, b.re, c.re)};
}
NUMBER_WORD NUMBER_Z product_add(NUMBER_Z a, NUMBER_Z b, NUMBER_Z c)
{
    return {fma(a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(a.im, b.re, c.im))};
}
NUMBER_WORD NUMBER_R conj_product_add(NUMBER_R a, NUMBER_R b, NUMBER_R c)
{
    return {fma(a.re, b.re, c.re)};
}
NUMBER_WORD NUMBER_Z conj_product_add(NUMBER_Z a, NUMBER_Z b, NUMBER_Z c)
{
    return {fma(a.re, b.re, fma(a.im, b.im, c.re)), fma(a.re, b.im, fma(-a.im, b.re, c.im))};
}
NUMBER_WORD real square(NUMBER_R x)
{
    return x.re * x.re;
}
NUMBER_WORD real square(NUMBER_Z x)
{
    return fma(x.re, x.re, x.im * x.im);
}
NUMBER_WORD real larger_part(NUMBER_R x)
{
    return fabs(x.re);
}
NUMBER_WORD real larger_part(NUMBER_Z x)
{
    return fmax(fabs(x.re), fabs(x.im));
}

/* From and to a caller's array, which need be aligned to its real type only. */
NUMBER_WORD NUMBER_R load_number(const NUMBER_R *from)
{
    return *from;
}
NUMBER_WORD NUMBER_Z load_number(const NUMBER_Z *from)
{
    if ((uintptr_t)from % sizeof *from == 0) return *from;
    const real *const x = (const real *)from;
    return {x[0], x[1]};
}
NUMBER_WORD void store_number(NUMBER_R *to, NUMBER_R x)
{
    *to = x;
}
NUMBER_WORD void store_parts(void *to, real re, real im)
{
    if ((uintptr_t)to % sizeof(pair_of<real>) == 0) {
        pair_of<real> both;
        both.x = re, both.y = im;
        *(pair_of<real> *)to = both;
    } else {
        ((real *)to)[0] = re;
        ((real *)to)[1] = im;
    }
}
NUMBER_WORD void store_number(NUMBER_Z *to, NUMBER_Z x)
{
    store_parts(to, x.re, x.im);
}

#endif
