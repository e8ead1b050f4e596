/* heev on CUDA: Householder's reflector of a real or complex vector, as LAPACK's zlarfg, for entries of about 1.  beta
 * is real.
 *
 * src/numerics/householder.inc has the formula for a real head, with a square root and divisions.  Here the head may be
 * complex, and 1 / |beta| comes from an approximate root that is refined, because exact ones take longer than the rest.
 * Two versions give the same numbers but for roundings:
 *
 *     heev_reflector           thread/, warp/, grid/: the reciprocal is refined, too
 *     reflector_by_division    block/, whole/: the reciprocal is a division
 *
 * One would do; it would change the bits of the other's roads.  The third is another reflector:
 *
 *     hermitian_reflector      two/: Hermitian, so that it stands on both sides of a matrix as it is; its beta is
 *                              complex */
#ifndef EIG_HEEV_REFLECTOR_CUH
#define EIG_HEEV_REFLECTOR_CUH

#include "heev/heev_entry.cuh"

/* The reflector H = I - factor u u^H that takes x = (alpha, ...) to (beta, 0, ...), u = (1, divisor x_2, ...). Where
 * the squares of all that vanishes vanish, too, factor and divisor are 0. */
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

/* The reflector H = I - tau u u^H, u = (x - beta e_1) divisor, that takes x to beta e_1; rest: the sum of the squares
 * of x behind its first number, alpha.  Where all of that vanishes it is the identity, with divisor 0. */
template <typename number> struct reflector_by_division {
    using real = typename number::real;
    real beta;
    number tau, divisor;

    __device__ __forceinline__ reflector_by_division(number alpha, real rest)
    {
        real const im = imaginary(alpha), all = fma(im, im, rest);
        bool const nothing = all <= real_limits<real>::safmin / real_limits<real>::eps;
        real const whole = nothing ? (real)1 : fma(alpha.re, alpha.re, all);
        real const root = -copysign(inverse_root(whole), alpha.re);
        beta = nothing ? alpha.re : whole * root;
        real const first = alpha.re - beta, square = fma(first, first, im * im);
        real const inverse = nothing ? (real)0 : 1 / square, by = nothing ? (real)0 : -root;
        set(divisor, first * inverse, -im * inverse);
        set(tau, first * by, im * by);
    }
};

/* x / |x|, or 1 where |x|^2 is below `least`. */
NUMBER_WORD NUMBER_R direction_of(NUMBER_R x, real)
{
    return {copysign((real)1, x.re)};
}
NUMBER_WORD NUMBER_Z direction_of(NUMBER_Z x, real least)
{
    real const squared = square(x);
    if (!(squared > least)) return {1, 0};
    return scaled(inverse_root(squared), x);
}

/* The reflector H = I - tau u u^H, u = inverse x + direction e_1, that takes x to beta e_1; all: x^H x, alpha: the
 * first number of x.  tau is real, and beta = -|x| alpha / |alpha| is complex.  Where the squares of x vanish u is 0,
 * and beta is alpha. */
template <typename number> struct hermitian_reflector {
    using real = typename number::real;
    real tau, inverse;
    number beta, direction;

    __device__ __forceinline__ hermitian_reflector(number alpha, real all)
    {
        real const least = real_limits<real>::safmin / real_limits<real>::eps;
        bool const nothing = !(all > least);
        real const root = nothing ? (real)0 : inverse_root(all); /* 1 / |x| */
        number const unit = direction_of(alpha, least);
        real const share = real_dot(unit, alpha) * root; /* |alpha| / |x| */
        beta = nothing ? alpha : scaled(-(all * root), unit);
        direction = scaled(nothing ? (real)0 : (real)1, unit);
        tau = nothing ? (real)0 : ::inverse(1 + share), inverse = root;
    }
};

#endif
