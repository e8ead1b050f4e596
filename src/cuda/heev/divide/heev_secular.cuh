/* heev on CUDA: the eigenvalue problem D + rho z z^T, some lanes a root.
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

#include "heev/heev_entry.cuh"

enum { SECULAR_SWIFT = 30, SECULAR_MOST = 110 };

template <typename real> struct heev_root {
    real offset; /* the root is pole[origin] + offset */
    int origin;
    bool found;
};

/* The lanes that share a root's sums: 2^k neighbours. */
struct root_lanes {
    int size, rank;
    unsigned mask; /* the root's */

    template <typename real> __device__ __forceinline__ real sum(real x) const
    {
        for (int d = 1; d < size; d *= 2) x += __shfl_xor_sync(mask, x, d);
        return x;
    }
    template <typename real> __device__ __forceinline__ real product(real x) const
    {
        for (int d = 1; d < size; d *= 2) x *= __shfl_xor_sync(mask, x, d);
        return x;
    }
};

/* work(i, there) for this lane's share of i = 0, ..., count - 1: one after the other, or `together` at a time, the last ones of
 * which may not be there. */
template <int together, typename function>
static __device__ __forceinline__ void each_of(root_lanes lanes, int count, function work)
{
    if constexpr (together == 1) {
#pragma unroll 4
        for (int i = lanes.rank; i < count; i += lanes.size) work(i, true);
    } else {
        for (int first = lanes.rank; first < count; first += together * lanes.size)
#pragma unroll
            for (int c = 0; c < together; ++c) {
                int const i = first + c * lanes.size;
                work(min(i, count - 1), i < count);
            }
    }
}

template <typename real, int together> struct heev_secular {
    const real *pole, *square; /* [k]; the squares of z */
    int k;
    real rho, inverse_rho;

    /* Sums over all poles: of square / (pole - x), of its absolute value, and of its slope. */
    struct sums {
        real value, size, slope;
    };

    __device__ __forceinline__ sums at(root_lanes lanes, real origin, real offset) const
    {
        sums s = {0, 0, 0};
        each_of<together>(lanes, k, [&](int i, bool there) {
            real const w = inverse((pole[i] - origin) - offset), term = there ? square[i] * w : (real)0;
            s.value += term, s.size += fabs(term), s.slope = fma(term, w, s.slope);
        });
        return {lanes.sum(s.value), lanes.sum(s.size), lanes.sum(s.slope)};
    }

    /* The root of c x^2 - a x + b that has the sign of p; near 0 the one that goes with it. */
    static __device__ __forceinline__ real quadratic(real a, real b, real c, real p)
    {
        real const square = fmax(fma(a, a, -4 * b * c), real_limits<real>::safmin);
        real const root = copysign(square * inverse_root(square), p);
        bool const one_side = a * p > 0;
        return (one_side ? 2 * b : a - root) * inverse(one_side ? a + root : 2 * c);
    }

    /* The root of c - own / x + S / (p - x), which has F's value and slope at t: Li's fixed weight. p > 0: the pole
     * on the other side. p < 0: there is no such pole, and p is the next one on this side. A root far below t is
     * found directly, another one by its distance from t: either keeps its digits. */
    static __device__ __forceinline__ real root_near(real t, real p, real own, real value, real slope)
    {
        real const far = p - t, ratio = inverse(t), rest = fma(-own * ratio, ratio, slope);
        real const c = fma(-far, rest, fma(own, ratio, value));
        real const x = quadratic(fma(c, p, fma(far * far, rest, own)), own * p, c, p);
        real const y = t + quadratic(fma(far - t, value, t * far * slope), -t * far * value, c, p);
        return x < (real)0.25 * t ? x : y;
    }

    /* Root j, by all of its lanes. s is the sign of the side on which the root lies, x = pole[origin] + s t, t > 0.
     * Then F(t) = s (1/rho + sum of square / (pole - x)) ascends, and its pole at 0 is the origin. A step that is
     * shorter than the distance to all poles by sqrt(eps) leaves an error below eps t. */
    __device__ heev_root<real> find(root_lanes lanes, int j) const
    {
        real const eps = real_limits<real>::eps, short_step = sizeof(real) == 4 ? (real)0x1p-12 : (real)0x1p-27;
        bool const last = j == k - 1;
        int origin = j;
        real const here = pole[j], gap = last ? (k > 1 ? pole[k - 2] - here : -rho) : pole[j + 1] - here;
        real t = (real)0.5 * (last ? rho : gap), high = last ? (real)1.001 * rho : t;
        sums s = at(lanes, here, t);
        real side = 1;
        if (!last && inverse_rho + s.value < 0) side = -1, origin = j + 1;
        real const own = square[origin], start = pole[origin];
        real low = (real)0.999 * own / (inverse_rho + s.size), before = real_limits<real>::largest;
        bool found = false;
        int slows = 0;
        for (int step = 1; step < SECULAR_MOST && !found; ++step) {
            real const value = side * (inverse_rho + s.value), size = fabs(value);
            real const noise = eps * fma((real)0.5 * t, s.slope, fma((real)2, s.size, inverse_rho));
            found = size <= noise || (size >= before && size <= 16 * noise);
            if (found) break;
            slows = size > (real)0.5 * before ? slows + 1 : 0;
            bool const slow = slows >= 2 || step >= SECULAR_SWIFT;
            before = size;
            if (value < 0)
                low = t;
            else
                high = t;
            real next = root_near(t, gap, own, value, s.slope);
            bool const inside = !slow && next > low && next < high;
            if (!inside) next = high > 4 * low ? sqrt(low) * sqrt(high) : (real)0.5 * (low + high);
            found = inside ? fabs(next - t) <= short_step * t : high - low <= 2 * eps * high;
            t = next;
            if (!found) s = at(lanes, start, side * t);
        }
        return {side * t, origin, found};
    }
};

#endif
