/* heev on CUDA: real and complex numbers under one set of words, and the rotation of Jacobi's method. */
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

/* Makes c^2 + s^2 one to the last place, so that products of many rotations stay orthogonal. */
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

/* The reflector H = I - factor u u^H that takes x = (alpha, ...) to (beta, 0, ...): u = (1, divisor x_2, ...).
 * As LAPACK's zlarfg, for entries of about 1: where all that vanishes has squares that do, factor and divisor are 0. */
template <typename number> struct heev_reflector {
    typename number::real beta;
    number divisor, factor;
};

/* rest: the sum of |x_2|^2, ... and of the square of alpha's imaginary part. */
template <typename number>
static __device__ __forceinline__ heev_reflector<number> reflector_of(number alpha, typename number::real rest)
{
    using real = typename number::real;
    real const im = imaginary(alpha), square = fma(alpha.re, alpha.re, rest);
    bool const nothing = rest <= real_limits<real>::safmin / real_limits<real>::eps;
    real const root = nothing ? (real)0 : inverse_root(square);      /* 1 / |beta| */
    real const first = alpha.re + copysign(square * root, alpha.re); /* and im: what x is divided by */
    real const inverse = nothing ? (real)0 : good_inverse(fma(first, first, im * im));
    heev_reflector<number> h;
    h.beta = nothing ? alpha.re : -copysign(square * root, alpha.re);
    set(h.divisor, first * inverse, -im * inverse);
    set(h.factor, nothing ? (real)0 : fma(fabs(alpha.re), root, (real)1), im * copysign(root, alpha.re));
    return h;
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

/* heev_unit of the largest entry, from its bits; smaller where it is 0.  NaN where it is not finite. */
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

/* A rotation J = [c, s; -conj(s), c] of columns p and q: g = 1 - c has the digits that c has not. */
template <typename number> struct heev_rotation {
    typename number::real g;
    number s;
};

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

/* The rotation that makes J^H A J diagonal in p and q; the angle is at most pi/4, and sign(0) = +1.  *shift: what
 * a_qq grows by and a_pp becomes less.  Where all three are 0 it is NaN.
 * Golub and Van Loan, Matrix Computations, 8.5; with tan 2x = 2 |a_pq| / (a_qq - a_pp), c and s follow from cos 2x and
 * sin 2x without a division.  The shift is conj(s) a_pq / c: |a_pq|^2 may underflow. */
template <typename number, typename real>
static __device__ __forceinline__ heev_rotation<number> rotation_of(real app, real aqq, number apq, real *shift)
{
    real const far = aqq - app, big = fmax(fabs(far), larger_part(apq));
    real const unit = heev_unit(big), inverse = pow2_inverse(unit);
    number const a = scaled(inverse, apq);
    real const d = inverse * far, a2 = square(a), root = inverse_root(fma((real)4, a2, d * d));
    real cosine = fma((real)0.5 * root, fabs(d), (real)0.5); /* c^2 */
    real const inverse_c = inverse_root(cosine);
    real const factor = copysign(root * inverse_c, d); /* s = a factor */
    real c = cosine * inverse_c;
    number s = scaled(factor, a), zero;
    set(zero, (real)0, (real)0);
    *shift = inverse_c * conj_product_add(s, apq, zero).re; /* t |a_pq| */
    real const rest = (real)0.5 * fma(-c, c, (real)1 - square(s));
    heev_rotation<number> j;
    c = fma(c, rest, c), j.s = scaled_add(rest, s, s);
    j.g = square(j.s) * good_inverse(1 + c);
    return j;
}

/* c x without the rounding of c, which columns that are turned often do not forget: by c itself V of n = 32 is off by 5 n eps,
 * so by 2.4 (200 clustered matrices, the same steps on a CPU). */
template <typename number> static __device__ __forceinline__ number shortened(const heev_rotation<number> &j, number x)
{
    return scaled_add(-j.g, x, x);
}

/* x, y = columns p and q of a row: [x, y] J. */
template <typename number>
static __device__ __forceinline__ void rotate_columns(const heev_rotation<number> &j, number &x, number &y)
{
    number const p = conj_product_add(negative(j.s), y, shortened(j, x));
    y = product_add(j.s, x, shortened(j, y));
    x = p;
}

/* x, y = rows p and q of a column: J^H [x; y]. */
template <typename number>
static __device__ __forceinline__ void rotate_rows(const heev_rotation<number> &j, number &x, number &y)
{
    number const p = product_add(negative(j.s), y, shortened(j, x));
    y = conj_product_add(j.s, x, shortened(j, y));
    x = p;
}

#endif
