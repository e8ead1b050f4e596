/* stemr on CUDA: a row of the qd algorithms of mrrr.inc, made for short chains.
 *
 * A lane works off a row after the other, and each waits for the one before: what counts is the path from s to the next
 * s.  By mrrr.inc's text it is some 33 operations long, here 14: a sum whose larger term is known takes three, the
 * reciprocal is an approximation and three operations, of which the approximation does not wait for the sum's second
 * word, and rounding errors are found beside the path.  Both words of every number are put right: left to overlap, as
 * one is tempted to do, they drift apart where sums cancel row after row.
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

struct stemr_step {
    wide_d pivot;   /* D+ or D- */
    double inverse; /* of pivot.hi */
    wide_d part;    /* s' + x: backward, what gamma is made of; its words may overlap */
    wide_d next;    /* s' */
};

/* pivot = a + s, part = c s / pivot, next = part - x.  Forward a = D_i, c = G_i; backward a = G_i, c = D_i. */
static __device__ __forceinline__ stemr_step stemr_row_step(wide_d a, wide_d c, wide_d x, wide_d s)
{
    stemr_step r;
    double const sum = a.hi + s.hi;
    bool const swap = fabs(a.hi) < fabs(s.hi);
    double const large = swap ? s.hi : a.hi, small = swap ? a.hi : s.hi;
    r.pivot = wide_fast_sum_d(sum, (small - (sum - large)) + (a.lo + s.lo));
    double guess = stemr_guess(sum);
    if (fabs(sum) <= 0x1p-30 * fabs(s.hi)) { /* the first word alone tells little */
        if (fabs(r.pivot.hi) < STEMR_LEAST_PIVOT) r.pivot.hi = STEMR_LEAST_PIVOT;
        guess = stemr_guess(r.pivot.hi);
    }
    r.inverse = stemr_reciprocal(r.pivot.hi, guess);
    double const product = c.hi * s.hi;
    double const product_lo = fma(c.lo, s.hi, fma(c.hi, s.lo, fma(c.hi, s.hi, -product)));
    r.part.hi = product * r.inverse;
    r.part.lo = (fma(-r.part.hi, r.pivot.hi, product) + fma(-r.part.hi, r.pivot.lo, product_lo)) * r.inverse;
    double const difference = r.part.hi - x.hi, of_x = difference - r.part.hi;
    double const error = (r.part.hi - (difference - of_x)) - (x.hi + of_x);
    r.next = wide_fast_sum_d(difference, (error - x.lo) + r.part.lo);
    return r;
}

/* Loads of 16 bytes. */
static __device__ __forceinline__ stemr_row stemr_load_row(const stemr_row *at)
{
    double2 const d = ((const double2 *)at)[0], g = ((const double2 *)at)[1];
    return stemr_row{{d.x, d.y}, {g.x, g.y}};
}

/* The row of the representation that has this pivot; b couples it and the next row. */
static __device__ __forceinline__ stemr_row stemr_row_of(const stemr_step &step, double b)
{
    stemr_row row;
    row.d = step.pivot;
    row.g = mrrr_coupling_d(b, step.pivot, step.inverse);
    return row;
}

#endif
