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

struct stemr_step {
    wide_d pivot;   /* D+ or D- */
    double inverse; /* of pivot.hi */
    wide_d part;    /* s' + x: backward, what gamma is made of; its words overlap, and those of next */
    wide_d next;    /* s' */
};

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

/* pivot = a + s, part = c s / pivot, next = part - x.  Forward a = D_i, c = G_i; backward a = G_i, c = D_i. */
static __device__ __forceinline__ stemr_step stemr_row_step(wide_d a, wide_d c, wide_d x, wide_d s)
{
    stemr_step r;
    stemr_pivot const pivot = stemr_pivot_of(a, s);
    wide_d const whole = wide_fast_sum_d(s.hi, s.lo);
    double const product = c.hi * whole.hi, guess = product * pivot.guess;
    double const product_lo = fma(c.lo, whole.hi, fma(c.hi, whole.lo, fma(c.hi, whole.hi, -product)));
    r.pivot = pivot.value, r.inverse = pivot.inverse;
    r.part.hi = fma(guess, pivot.cube, guess);
    double const rest = fma(-r.part.hi, r.pivot.hi, product) + fma(-r.part.hi, r.pivot.lo, product_lo);
    r.part.lo = rest * r.inverse;
    r.next.hi = r.part.hi - x.hi;
    double const of_x = r.next.hi - r.part.hi, error = (r.part.hi - (r.next.hi - of_x)) - (x.hi + of_x);
    r.next.lo = fma(rest, r.inverse, error - x.lo);
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
