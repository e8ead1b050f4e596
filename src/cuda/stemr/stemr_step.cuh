/* stemr on CUDA: a row of the qd algorithms of mrrr.inc, made for short chains.
 *
 * A lane works off a row after the other, and each waits for the one before: what counts is the path from s to the next
 * s, at 8 cycles an operation and more for the reciprocal.  By mrrr.inc's text it is some 33 operations long, here 9:
 *
 *   - a sum whose larger term is known takes three;
 *   - the reciprocal is an approximation and three operations, of which the last is the quotient's first word, and the
 *     approximation does not wait for the pivot's second word;
 *   - the next row's pivot begins with the first word of s before the second one is known: s is handed on with words that
 *     overlap.  Both are put right beside the path, where products need it: left as they are they would drift apart where
 *     sums cancel row after row.
 *
 * Both algorithms are one: forward, s' = G s / (D + s) - x; backward, with D and G exchanged. */
#ifndef EIG_STEMR_STEP_CUH
#define EIG_STEMR_STEP_CUH

#include "mrrr.h"

/* A row of a representation; the couplings b stand apart, since shifts leave them as they are. */
struct alignas(32) stemr_row {
    wide_d d, g;
};

/* 1/x to 20 bits; |x| from 2^-1000 to 2^1000. */
static __device__ __forceinline__ double stemr_guess(double x)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}

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
    p.guess = stemr_guess(sum);
    if (fabs(rest) >= 0x1p-20 * fabs(sum)) { /* the first word alone tells little */
        if (fabs(p.value.hi) < STEMR_LEAST_PIVOT) p.value.hi = STEMR_LEAST_PIVOT;
        p.guess = stemr_guess(p.value.hi);
    }
    double const error = fma(-p.value.hi, p.guess, 1.0);
    p.cube = fma(error, error, error);
    p.inverse = fma(p.guess, p.cube, p.guess);
    return p;
}

#endif
