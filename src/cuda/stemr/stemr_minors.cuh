/* stemr on CUDA: leading minors of T~ - x with twice the digits.
 *
 * The chain from row to row has no division: a product, the error of a sum, and putting the words right, 8 operations of
 * 8 cycles, where a factorisation's row takes three times that.  Errors are as those of a factorisation: a row's diagonal and
 * coupling, changed by parts of 2^-104, would give the same; eigenvalues by these counts are within 2^-105 of those in quadruple
 * precision. */
#ifndef EIG_STEMR_MINORS_CUH
#define EIG_STEMR_MINORS_CUH

#include "stemr_cuda.cuh"

/* Added to squares of couplings: no two neighbouring minors vanish where a coupling is 0. */
#define STEMR_LEAST_SQUARE 0x1p-400

/* Leading minors of T~ - x with twice the digits, up to a common factor: the last one and the one before it.  No division
 * stands in the way to the next one, which makes the chain of a row a third as long as a factorisation's.  A minor is the
 * last one times the pivot. */
struct stemr_minors {
    wide_d here, before;
    double b; /* couples the last row and the next one */
};

static __device__ __forceinline__ stemr_minors stemr_first_minors()
{
    return stemr_minors{{1, 0}, {0, 0}, 0};
}

/* difference here - square before, the next minor. */
static __device__ __forceinline__ wide_d stemr_next_minor(wide_d difference, wide_d square, wide_d here, wide_d before)
{
    double const c = square.hi * before.hi;
    double const c_lo = fma(square.lo, before.hi, fma(square.hi, before.lo, fma(square.hi, before.hi, -c)));
    double const product = difference.hi * here.hi, error = fma(difference.hi, here.hi, -product);
    double const rest = fma(difference.hi, here.lo, fma(difference.lo, here.hi, error - c_lo));
    wide_d const sum = wide_sum_d(product, -c);
    return wide_fast_sum_d(sum.hi, sum.lo + rest);
}

/* A row further; a: its diagonal, b: what couples it and the next one. */
static __device__ __forceinline__ stemr_minors stemr_next_minors(wide_d a, double b, wide_d x, const stemr_minors &m)
{
    double const square = fma(m.b, m.b, STEMR_LEAST_SQUARE), square_lo = fma(m.b, m.b, -square);
    wide_d const difference = wide_sum_d(a.hi, -x.hi);
    wide_d const whole = {difference.hi, difference.lo + (a.lo - x.lo)};
    return stemr_minors{stemr_next_minor(whole, wide_d{square, square_lo}, m.here, m.before), m.here, b};
}

/* The power of two that makes the larger one of x and y about 1. */
static __device__ __forceinline__ double stemr_rescaling(double x, double y)
{
    int const field = max(__double2hiint(x) & 0x7fffffff, __double2hiint(y) & 0x7fffffff) >> 20;
    return __hiloint2double((2046 - field) << 20, 0);
}

/* Numbers stay in range for four rows: each takes them up by 4 at most, and down to STEMR_LEAST_SQUARE twice. */
static __device__ __forceinline__ double stemr_rescale_minors(stemr_minors &m)
{
    double const factor = stemr_rescaling(m.here.hi, m.before.hi);
    m.here.hi *= factor, m.here.lo *= factor, m.before.hi *= factor, m.before.lo *= factor;
    return factor;
}

/* x, but no closer to 0 than 2^-200 times the minor before it: STEMR_LEAST_PIVOT. */
static __device__ __forceinline__ double stemr_kept_away(double x, double before)
{
    int const least = (__double2hiint(before) & 0x7ff00000) - (200 << 20);
    return (__double2hiint(x) & 0x7fffffff) < least ? __hiloint2double(least, 0) : x;
}

/* b^2 / pivot, which the next row's pivot is less by. */
static __device__ __forceinline__ wide_d stemr_state_of(const stemr_minors &m)
{
    double const square = m.b * m.b;
    wide_d const coupling = {square, fma(m.b, m.b, -square)};
    wide_d const here = {stemr_kept_away(m.here.hi, m.before.hi), m.here.lo};
    return wide_quotient_d(wide_product_d(coupling, m.before), here, stemr_reciprocal(here.hi, stemr_guess(here.hi)));
}

#endif
