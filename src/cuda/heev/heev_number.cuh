/* heev on CUDA: real and complex numbers under one set of words. */
#ifndef EIG_HEEV_NUMBER_CUH
#define EIG_HEEV_NUMBER_CUH

#include "heev.h"
#include "words/real.cuh"

/* A number of a matrix: real, or complex as in memory. */
template <typename real_type, bool is_complex> struct heev_number;
template <typename real_type> struct heev_number<real_type, false> {
    using real = real_type;
    static constexpr bool complex = false;
    real re;
};
template <typename real_type> struct alignas(2 * sizeof(real_type)) heev_number<real_type, true> {
    using real = real_type;
    static constexpr bool complex = true;
    real re, im;
};

/* The words, for a real R and for a complex Z: parts and their like, a*b + c, conj(a)*b + c, r*a, |a|^2. */
#define HEEV_WORD template <typename real> static __device__ __forceinline__
#define HEEV_R heev_number<real, false>
#define HEEV_Z heev_number<real, true>

HEEV_WORD real imaginary(HEEV_R)
{
    return 0;
}
HEEV_WORD real imaginary(HEEV_Z x)
{
    return x.im;
}
HEEV_WORD void set(HEEV_R &x, real re, real)
{
    x.re = re;
}
HEEV_WORD void set(HEEV_Z &x, real re, real im)
{
    x.re = re, x.im = im;
}
HEEV_WORD HEEV_R conj(HEEV_R x)
{
    return x;
}
HEEV_WORD HEEV_Z conj(HEEV_Z x)
{
    return {x.re, -x.im};
}
HEEV_WORD HEEV_R negative(HEEV_R x)
{
    return {-x.re};
}
HEEV_WORD HEEV_Z negative(HEEV_Z x)
{
    return {-x.re, -x.im};
}
HEEV_WORD HEEV_R scaled(real r, HEEV_R x)
{
    return {r * x.re};
}
HEEV_WORD HEEV_Z scaled(real r, HEEV_Z x)
{
    return {r * x.re, r * x.im};
}
HEEV_WORD HEEV_R scaled_add(real r, HEEV_R x, HEEV_R y)
{
    return {fma(r, x.re, y.re)};
}
HEEV_WORD HEEV_Z scaled_add(real r, HEEV_Z x, HEEV_Z y)
{
    return {fma(r, x.re, y.re), fma(r, x.im, y.im)};
}
HEEV_WORD HEEV_R sum(HEEV_R x, HEEV_R y)
{
    return {x.re + y.re};
}
HEEV_WORD HEEV_Z sum(HEEV_Z x, HEEV_Z y)
{
    return {x.re + y.re, x.im + y.im};
}
HEEV_WORD HEEV_R product_add(HEEV_R a, HEEV_R b, HEEV_R c)
{
    return {fma(a.re, b.re, c.re)};
}
HEEV_WORD HEEV_Z product_add(HEEV_Z a, HEEV_Z b, HEEV_Z c)
{
    return {fma(a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(a.im, b.re, c.im))};
}
HEEV_WORD HEEV_R conj_product_add(HEEV_R a, HEEV_R b, HEEV_R c)
{
    return {fma(a.re, b.re, c.re)};
}
HEEV_WORD HEEV_Z conj_product_add(HEEV_Z a, HEEV_Z b, HEEV_Z c)
{
    return {fma(a.re, b.re, fma(a.im, b.im, c.re)), fma(a.re, b.im, fma(-a.im, b.re, c.im))};
}
HEEV_WORD real square(HEEV_R x)
{
    return x.re * x.re;
}
HEEV_WORD real square(HEEV_Z x)
{
    return fma(x.re, x.re, x.im * x.im);
}
HEEV_WORD real larger_part(HEEV_R x)
{
    return fabs(x.re);
}
HEEV_WORD real larger_part(HEEV_Z x)
{
    return fmax(fabs(x.re), fabs(x.im));
}

/* From and to a caller's array, which need be aligned to its real type only. */
HEEV_WORD HEEV_R load_number(const HEEV_R *from)
{
    return *from;
}
HEEV_WORD HEEV_Z load_number(const HEEV_Z *from)
{
    if ((uintptr_t)from % sizeof *from == 0) return *from;
    const real *const x = (const real *)from;
    return {x[0], x[1]};
}
HEEV_WORD void store_number(HEEV_R *to, HEEV_R x)
{
    *to = x;
}
HEEV_WORD void store_number(HEEV_Z *to, HEEV_Z x)
{
    store_complex(to, complex_of<real>{x.re, x.im});
}

/* An element of the lower triangle from it, or (upper) from its mirror image.  Adding zero makes -0 to 0, so that either
 * triangle gives the same bits. */
HEEV_WORD HEEV_R lower_of(HEEV_R x, bool)
{
    return {x.re + 0};
}
HEEV_WORD HEEV_Z lower_of(HEEV_Z x, bool upper)
{
    return {x.re + 0, (upper ? -x.im : x.im) + 0};
}

/* 1 / sqrt(x) to about one unit in the last place, for x far from the ends of the range. */
static __device__ __forceinline__ double inverse_root(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    double const rest = fma(-x * y, y, 1.0); /* y is good to some 20 bits: two terms of the series do */
    return fma(y * rest, fma(0.375, rest, 0.5), y);
}
static __device__ __forceinline__ float inverse_root(float x)
{
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(0.5f * y, fmaf(-x * y, y, 1.0f), y);
}

/* About 1 / x, and as good as one rounding, for x far from the ends of the range. */
static __device__ __forceinline__ double good_inverse(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    double const rest = fma(-x, y, 1.0);
    return fma(y, fma(rest, rest, rest), y);
}
static __device__ __forceinline__ float good_inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(y, fmaf(-x, y, 1.0f), y);
}

/* Makes c^2 + s^2 = 1 to the last place, so that products of many rotations stay orthogonal. */
HEEV_WORD void make_unit(real &c, real &s)
{
    real const rest = (real)0.5 * fma(-c, c, fma(-s, s, (real)1));
    c = fma(c, rest, c), s = fma(s, rest, s);
}

/* The power of two that a matrix whose largest entry is `big` is divided by. */
HEEV_WORD real heev_unit(real big)
{
    real const safmin = real_limits<real>::safmin;
    return big > 0 ? pow2_floor(fmin(fmax(big, safmin), 1 / safmin)) : (real)1;
}

/* |x|, without over- and underflow. */
HEEV_WORD real magnitude(HEEV_R x)
{
    return fabs(x.re);
}
HEEV_WORD real magnitude(HEEV_Z x)
{
    real const big = larger_part(x);
    if (!(big > 0)) return big;
    real const unit = heev_unit(big), inverse = pow2_inverse(unit);
    real const both = square(scaled(inverse, x));
    return unit * (both * inverse_root(both));
}

/* |x| as an integer that grows with it; in double without the lower 32 bits. */
static __device__ __forceinline__ int size_bits(double x)
{
    return __double2hiint(x) & 0x7fffffff;
}
static __device__ __forceinline__ int size_bits(float x)
{
    return __float_as_int(x) & 0x7fffffff;
}

/* heev_unit of the largest entry, from its bits; a smaller power where the entry is 0. NaN where it is not finite. */
template <typename real> static __device__ __forceinline__ real unit_of_bits(int bits);
template <> __device__ __forceinline__ double unit_of_bits<double>(int bits)
{
    double const big = __hiloint2double(bits, 0), safmin = real_limits<double>::safmin;
    return bits >= 0x7ff00000 ? (double)NAN : pow2_floor(fmin(fmax(big, safmin), 1 / safmin));
}
template <> __device__ __forceinline__ float unit_of_bits<float>(int bits)
{
    float const big = __int_as_float(bits), safmin = real_limits<float>::safmin;
    return bits >= 0x7f800000 ? (float)NAN : pow2_floor(fminf(fmaxf(big, safmin), 1 / safmin));
}

#endif
