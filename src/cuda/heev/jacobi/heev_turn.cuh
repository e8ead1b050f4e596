/* heev on CUDA: a Jacobi rotation in Rutishauser's form, which keeps products of many rotations orthogonal. */
#ifndef EIG_HEEV_TURN_CUH
#define EIG_HEEV_TURN_CUH

#include "heev/heev_cuda.cuh"
#include "heev/heev_number.cuh"

/* The rotation J = [c, s; -conj(s), c] as it is applied: g is 1 - c, see jacobi.inc. */
template <typename number> struct heev_turn {
    typename number::real g;
    number s;
};

/* Columns x and y become x - (g x + conj(s) y) and y + (s x - g y). */
template <typename number>
static __device__ __forceinline__ void turn_columns(const heev_turn<number> &j, number &x, number &y)
{
    number const less = conj_product_add(j.s, y, scaled(j.g, x)), more = product_add(j.s, x, scaled(-j.g, y));
    x = sum(x, negative(less)), y = sum(y, more);
}

/* Rows x and y, likewise, by the conjugates. */
template <typename number>
static __device__ __forceinline__ void turn_rows(const heev_turn<number> &j, number &x, number &y)
{
    number const less = product_add(j.s, y, scaled(j.g, x)), more = conj_product_add(j.s, x, scaled(-j.g, y));
    x = sum(x, negative(less)), y = sum(y, more);
}

/* The power of two that brings the largest of three numbers to [1, 2), or near to it where they are subnormal. */
static __device__ __forceinline__ double unit_inverse(double x, double y, double z)
{
    int const largest =
        max(max(__double2hiint(x) & 0x7fffffff, __double2hiint(y) & 0x7fffffff), __double2hiint(z) & 0x7fffffff);
    int const exponent = min(max(largest >> 20, 1), 2045);
    return __hiloint2double((2046 - exponent) << 20, 0);
}
static __device__ __forceinline__ float unit_inverse(float x, float y, float z)
{
    int const largest =
        max(max(__float_as_int(x) & 0x7fffffff, __float_as_int(y) & 0x7fffffff), __float_as_int(z) & 0x7fffffff);
    int const exponent = min(max(largest >> 23, 1), 253);
    return __int_as_float((254 - exponent) << 23);
}

static __device__ __forceinline__ float rough_inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float rough_root(float x)
{
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* The rotation that makes element (p, q) small, to some 1e-7 of what it is, and that is orthogonal to the last digit: the
 * chain of dependent operations is what a round waits for, so the angle is found in float.  *change: what a_qq grows by
 * and a_pp becomes less.  With tan 2x = 2 |a_pq| / (a_qq - a_pp), u = tan(x/2) a_pq / |a_pq|: 1 - c = 2 |u|^2 / (1 + |u|^2)
 * and s = 2 u / (1 + |u|^2); change is the real part of conj(s) (2 c a_pq - s (a_qq - a_pp)), in which no square underflows.
 * The angle is at most pi/4; sign(0) = +1; where all three are 0 it is of no use. */
template <typename number, typename real>
static __device__ __forceinline__ heev_turn<number> turn_of(real app, real aqq, number apq, real *change)
{
    real const far = aqq - app, by = unit_inverse(far, apq.re, imaginary(apq));
    real const d = by * far;
    number const a = scaled(by, apq);
    float const x = (float)d, re = (float)a.re, im = (float)imaginary(a), a2 = fmaf(re, re, im * im);
    float const q = 2 * rough_inverse(fabsf(x) + rough_root(fmaf(x, x, 4 * a2))); /* tan(x) / |a| */
    real const part = (real)copysignf(q * rough_inverse(1 + rough_root(fmaf(a2 * q, q, 1.0f))), x);
    number const u = scaled(part, a);
    real const u2 = square(u), twice = 2 * good_inverse(1 + u2);
    heev_turn<number> turn;
    turn.g = u2 * twice, turn.s = scaled(twice, u);
    number const rest = scaled_add(-far, turn.s, scaled(2 * (1 - turn.g), apq));
    *change = scaled(turn.s.re, rest).re + imaginary(turn.s) * imaginary(rest);
    return turn;
}

#endif
