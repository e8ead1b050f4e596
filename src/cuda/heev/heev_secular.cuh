/* heev on CUDA: the eigenvalue problem D + rho z z^T, a root or a vector a thread.
 *
 * Poles     d[0] < ... < d[k-1], rho > 0, no z[i] is 0: root j lies between poles j and j+1, the last one above the
 *           last pole.  R.-C. Li, Solving secular equations stably and efficiently, LAPACK working note 89, 1994.
 * Roots     are kept as an origin, the nearer pole, and the offset from it, so that the distance to every pole has all
 *           its digits.
 * Vectors   belong to a z' for which the roots found are exact: so they are orthogonal without longer numbers.
 *           M. Gu, S. Eisenstat, A stable and efficient algorithm for the rank-one modification of the symmetric
 *           eigenproblem, SIAM J. Matrix Anal. Appl. 15, 1994.
 * Ends      a root has a bracket; from SECULAR_SWIFT evaluations on it is halved each time. */
#ifndef EIG_HEEV_SECULAR_CUH
#define EIG_HEEV_SECULAR_CUH

#include "heev_number.cuh"

enum { SECULAR_SWIFT = 30, SECULAR_MOST = 110 };

/* 1 / x to about one unit in the last place, for x far from the ends of the range. */
static __device__ __forceinline__ double inverse(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    double const rest = fma(-x, y, 1.0); /* y is good to some 20 bits: two terms of the series do */
    return fma(y, fma(rest, rest, rest), y);
}
static __device__ __forceinline__ float inverse(float x)
{
    return __frcp_rn(x);
}

template <typename real> struct heev_root {
    real offset; /* the root is pole[origin] + offset */
    int origin;
    bool found;
};

template <typename real> struct heev_secular {
    const real *pole, *square; /* [k]; the squares of z */
    int k;
    real inverse_rho;

    /* The sums over the poles up to j and over those above it of square / (pole - x) and of their slopes. */
    struct sums {
        real left, left_slope, right, right_slope;
    };

    __device__ __forceinline__ sums at(int j, real origin, real offset) const
    {
        sums s = {0, 0, 0, 0};
#pragma unroll 4
        for (int i = 0; i < k; ++i) {
            real const w = inverse((pole[i] - origin) - offset), term = square[i] * w;
            s.right += term, s.right_slope = fma(term, w, s.right_slope);
            if (i == j) {
                s.left = s.right, s.left_slope = s.right_slope;
                s.right = s.right_slope = 0;
            }
        }
        return s;
    }

    /* The step from t to the root of c + own / (-x) + S / (p - x), which has F's value and slope at t: its weight own
     * is that of the pole at 0 (Li's fixed weight), or both weights fit their sides' slopes (the middle way).
     * p > 0: the pole on the other side; p < 0: no such pole, and p is the next one on this side. */
    static __device__ __forceinline__ real step(real t, real p, real own, real value, real slope, real own_slope,
                                                bool middle)
    {
        real const near = -t, far = p - t, ratio = inverse(near);
        real c = fma(p * own, ratio * ratio, fma(-far, slope, value));
        if (middle) c = fma(-near, own_slope, fma(-far, slope - own_slope, value));
        real const a = fma(near + far, value, -near * far * slope), b = near * far * value;
        real const root = copysign(sqrt(fmax(fma(a, a, -4 * b * c), (real)0)), p);
        return a * p > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
    }

    /* Root j.  With the sign s of the side on which the root lies, x = pole[origin] + s t, t > 0: then
     * F(t) = s (1/rho + sum of square / (pole - x)) ascends, and its pole at 0 is the origin. */
    __device__ heev_root<real> find(int j) const
    {
        real const eps = real_limits<real>::eps;
        bool const last = j == k - 1;
        int origin = j;
        real const rho = 1 / inverse_rho, here = pole[j];
        real const gap = last ? (k > 1 ? pole[k - 2] - here : -rho) : pole[j + 1] - here;
        real t = last ? (real)0.5 * rho : (real)0.5 * gap, high = last ? (real)1.001 * rho : t;
        sums s = at(j, here, t);
        real side = 1;
        if (!last && inverse_rho + s.left + s.right < 0) side = -1, origin = j + 1;
        real const own = square[origin], start = pole[origin];
        real low = (real)0.999 * own /
                   (last       ? inverse_rho
                    : side > 0 ? inverse_rho + s.right
                               : -(inverse_rho + s.left));
        real before = real_limits<real>::largest;
        bool middle = false, found = false;
        for (int turn = 1; turn < SECULAR_MOST && !found; ++turn) {
            real const value = side * (inverse_rho + s.left + s.right), slope = s.left_slope + s.right_slope;
            real const own_slope = side > 0 ? s.left_slope : s.right_slope,
                       sizes = inverse_rho + 2 * (s.right - s.left);
            real const noise = eps * fma((real)0.5 * t, slope, sizes), size = fabs(value);
            found = size <= noise || (size >= before && size <= 16 * noise);
            if (found) break;
            bool const slow = size > (real)0.5 * before || turn >= SECULAR_SWIFT;
            if (size > (real)0.1 * before) middle = !middle && !last;
            before = size;
            if (value < 0)
                low = t;
            else
                high = t;
            real next = t + step(t, gap, own, value, slope, own_slope, middle);
            if (slow || !(next > low && next < high))
                next = high > 4 * low ? sqrt(low) * sqrt(high) : (real)0.5 * (low + high);
            found = next == t || high - low <= 2 * eps * high;
            t = next;
            if (!found) s = at(j, start, side * t);
        }
        return {side * t, origin, found};
    }
};

#endif
