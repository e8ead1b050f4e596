/* Lanes of a vector for the formulas of src/numerics: comparison masks, selection, and the bits of a number, for vd
 * (suffix _vd) and vf (suffix _vf).  A mask is vl or vi: -1 in the lanes where it is set, else 0. */
#ifndef EIG_SIMD_LANES_H
#define EIG_SIMD_LANES_H

#include "simd.h"

#include <math.h>

SIMD_FN vd simd_sqrt_vd(vd x)
{
#if defined(__AVX512F__)
    return (vd)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
    return (vd)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (vd)_mm_sqrt_pd((__m128d)x);
#else
    for (unsigned l = 0; l < sizeof x / sizeof x[0]; ++l) x[l] = sqrt(x[l]);
    return x;
#endif
}

SIMD_FN vf simd_sqrt_vf(vf x)
{
#if defined(__AVX512F__)
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif defined(__AVX2__)
    return (vf)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    return (vf)_mm_sqrt_ps((__m128)x);
#else
    for (unsigned l = 0; l < sizeof x / sizeof x[0]; ++l) x[l] = sqrtf(x[l]);
    return x;
#endif
}

/* The larger of two numbers that are not NaN; of zeros either. */
SIMD_FN vd simd_max_vd(vd a, vd b)
{
#if defined(__AVX512F__)
    return (vd)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (vd)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (vd)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (vd)simd_select_l(a > b, (vl)a, (vl)b);
#endif
}

SIMD_FN vf simd_max_vf(vf a, vf b)
{
#if defined(__AVX512F__)
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (vf)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (vf)simd_select_i(a > b, (vi)a, (vi)b);
#endif
}

/* Bit t of the result: whether the mask is set in lane t. */
SIMD_FN unsigned simd_mask_bits_vd(vl mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < sizeof mask / sizeof mask[0]; ++l) bits |= (mask[l] & 1u) << l;
    return bits;
#endif
}

SIMD_FN unsigned simd_mask_bits_vf(vi mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < sizeof mask / sizeof mask[0]; ++l) bits |= (mask[l] & 1u) << l;
    return bits;
#endif
}

SIMD_FN vd simd_splat_vd(double x)
{
    return x - (vd){0};
}

SIMD_FN vf simd_splat_vf(float x)
{
    return x - (vf){0};
}

SIMD_FN vd simd_choose_vd(vl mask, vd a, vd b)
{
    return (vd)simd_select_l(mask, (vl)a, (vl)b);
}

SIMD_FN vf simd_choose_vf(vi mask, vf a, vf b)
{
    return (vf)simd_select_i(mask, (vi)a, (vi)b);
}

SIMD_FN vd simd_abs_vd(vd x)
{
    return (vd)((vl)x & INT64_MAX);
}

SIMD_FN vf simd_abs_vf(vf x)
{
    return (vf)((vi)x & INT32_MAX);
}

/* As pow2_floor and pow2_inverse of pow2.inc. */
SIMD_FN vd pow2_floor_vd(vd x)
{
    return (vd)((vl)x & INT64_C(0x7ff0000000000000));
}

SIMD_FN vf pow2_floor_vf(vf x)
{
    return (vf)((vi)x & INT32_C(0x7f800000));
}

SIMD_FN vd pow2_inverse_vd(vd x)
{
    return (vd)(INT64_C(0x7fe0000000000000) - (vl)x);
}

SIMD_FN vf pow2_inverse_vf(vf x)
{
    return (vf)(INT32_C(0x7f000000) - (vi)x);
}

#endif
