/* stemr on CUDA: pivots and leading minors of T~ - x with twice the digits, made for short chains.
 *
 * A lane works off one row after the other, and each row waits for the one before.  What counts is the path from state
 * to state, at 8 cycles an operation and more for a reciprocal.
 *
 * Pivots    mrrr.inc's text of a row is some 33 operations long; here the path has 9:
 *           - a sum whose larger term is known takes three;
 *           - the reciprocal is an approximation and three operations.  The last of these is the quotient's first
 *             word.  The approximation does not wait for the pivot's second word;
 *           - the next row's pivot begins with the first word of s before the second one is known.  The two words of s
 *             overlap then.  Products need words that do not, and make them beside the path.
 * Minors    A row has no division: a product, the error of a sum, and two words made of three are 8 operations.
 *           Errors are those of a factorisation: a diagonal element and a coupling that are changed by parts of 2^-104
 *           would give the
 *           same.  Eigenvalues by these counts are within 2^-105 of those in quadruple precision. */
#ifndef EIG_STEMR_MINORS_CUH
#define EIG_STEMR_MINORS_CUH

#include "primitives/fast.cuh"
#include "stemr_cuda.cuh"

/* ---------------------------------------------------------------------- pivots */

/* 1/x to two ulp from that, or from one that is off by 2^-18. */
static __device__ __forceinline__ double stemr_reciprocal(double x, double guess)
{
    double const e = fma(-x, guess, 1.0);
    return fma(guess, fma(e, e, e), guess);
}

/* Pivots are kept this far from 0: no number of a factorisation leaves 2^-600 to 2^800 then. */
#define STEMR_LEAST_PIVOT 0x1p-200

/* A pivot a + s, and what a quotient by it needs: guess + guess cube is 1 / value.hi to two ulp. */
struct stemr_pivot {
    wide_d value;
    double guess, cube, inverse;
};

static __device__ __forceinline__ stemr_pivot stemr_pivot_of(wide_d a, wide_d s)
{
    stemr_pivot p;
    double const sum = a.hi + s.hi;
    bool const swap = fabs(a.hi) < fabs(s.hi);
    double const large = swap ? s.hi : a.hi, small = swap ? a.hi : s.hi;
    double const rest = (small - (sum - large)) + (a.lo + s.lo);
    p.value = wide_fast_sum_d(sum, rest);
    p.guess = rough_inverse(sum);
    if (fabs(rest) >= 0x1p-20 * fabs(sum)) { /* the first word alone tells little */
        if (fabs(p.value.hi) < STEMR_LEAST_PIVOT) p.value.hi = STEMR_LEAST_PIVOT;
        p.guess = rough_inverse(p.value.hi);
    }
    double const error = fma(-p.value.hi, p.guess, 1.0);
    p.cube = fma(error, error, error);
    p.inverse = fma(p.guess, p.cube, p.guess);
    return p;
}

/* ---------------------------------------------------------------------- minors */

/* Added to squares of couplings: no two neighbouring minors vanish where a coupling is 0. */
#define STEMR_LEAST_SQUARE 0x1p-400

/* Leading minors of T~ - x, up to a common factor: the last one and the one before it.  A minor is the one before it
 * times the pivot. */
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
    return wide_quotient_d(wide_product_d(coupling, m.before), here, stemr_reciprocal(here.hi, rough_inverse(here.hi)));
}

#endif
