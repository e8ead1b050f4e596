/* heev on CUDA: Jacobi's rotation and its application.  The formula is jacobi_rotation's (src/numerics/jacobi.inc),
 * which the plain version uses as it stands.  The fast kernels have two others:
 *
 *     rotation_of         the same angle from cos 2x and sin 2x: a division takes as long as all else, so there is none
 *     quick_rotation_of   the angle from floats, the rotation orthogonal to the last digit: the chain of dependent
 *                         operations is shorter, and an angle that is off by 1e-7 costs less than it gains
 *
 * Columns are rotated in Rutishauser's form, by g = 1 - c, in two orders of operations: rotate_columns has the fewest,
 * and rotate_columns_by_difference is jacobi.inc's. */
#ifndef EIG_HEEV_ROTATION_CUH
#define EIG_HEEV_ROTATION_CUH

#include "heev/heev_entry.cuh"
#include "primitives/ptx.cuh"

/* A rotation J = [c, s; -conj(s), c] of columns p and q. g = 1 - c has the digits that c lacks. */
template <typename number> struct heev_rotation {
    typename number::real g;
    number s;
};

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

/* c x without the rounding of c, which adds up in columns that are rotated often: with c itself V of n = 32 is off
 * by 5 n eps, with g by 2.4 (200 clustered matrices, the same steps on a CPU). */
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

/* The same by differences: columns x and y become x - (g x + conj(s) y) and y + (s x - g y). */
template <typename number>
static __device__ __forceinline__ void rotate_columns_by_difference(const heev_rotation<number> &j, number &x,
                                                                    number &y)
{
    number const less = conj_product_add(j.s, y, scaled(j.g, x)), more = product_add(j.s, x, scaled(-j.g, y));
    x = sum(x, negative(less)), y = sum(y, more);
}

/* Rows x and y, by the conjugates. */
template <typename number>
static __device__ __forceinline__ void rotate_rows_by_difference(const heev_rotation<number> &j, number &x, number &y)
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

/* The rotation that makes element (p, q) small, to some 1e-7 of what it is, and that is orthogonal to the last
 * digit. A round waits for this chain of dependent operations, so the angle is found in float. *change: what a_qq
 * grows by and a_pp becomes less. With tan 2x = 2 |a_pq| / (a_qq - a_pp) and u = tan(x/2) a_pq / |a_pq|: 1 - c = 2
 * |u|^2 / (1 + |u|^2) and s = 2 u / (1 + |u|^2). change is the real part of conj(s) (2 c a_pq - s (a_qq - a_pp)), in
 * which no square underflows. The angle is at most pi/4; sign(0) = +1. Where all three are 0 the result is of no
 * use. */
template <typename number, typename real>
static __device__ __forceinline__ heev_rotation<number> quick_rotation_of(real app, real aqq, number apq, real *change)
{
    real const far = aqq - app, by = unit_inverse(far, apq.re, imaginary(apq));
    real const d = by * far;
    number const a = scaled(by, apq);
    float const x = (float)d, re = (float)a.re, im = (float)imaginary(a), a2 = fmaf(re, re, im * im);
    float const q = 2 * rough_inverse(fabsf(x) + rough_root(fmaf(x, x, 4 * a2))); /* tan(x) / |a| */
    real const part = (real)copysignf(q * rough_inverse(1 + rough_root(fmaf(a2 * q, q, 1.0f))), x);
    number const u = scaled(part, a);
    real const u2 = square(u), twice = 2 * good_inverse(1 + u2);
    heev_rotation<number> rotation;
    rotation.g = u2 * twice, rotation.s = scaled(twice, u);
    number const rest = scaled_add(-far, rotation.s, scaled(2 * (1 - rotation.g), apq));
    *change = scaled(rotation.s.re, rest).re + imaginary(rotation.s) * imaginary(rest);
    return rotation;
}

#endif
