/* Words for vectors of one width per instruction set, for kernels: files that are compiled once for each instruction
 * set and type.
 *
 *     vreal    a vector of reals (per_type.h); it has SIMD_LANES lanes
 *     vint     the vector of integers of the same size; a mask, the result of a comparison, is one: each lane is -1
 *              where the comparison holds, else 0
 *
 * Both are vectors of GCC's extension, which clang knows too; on AArch64 they become NEON.  Arithmetic and comparisons
 * are written with operators.  This header adds only what those lack.  A file that wants vectors of 16 bytes whatever
 * the instruction set defines SIMD_BYTES before. */
#ifndef EIG_SIMD_H
#define EIG_SIMD_H

#include "per_type.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifdef SIMD_BYTES
#elif defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

/* x86's intrinsics for vreal: SIMD_X86(add) is _mm256_add_pd ..., SIMD_REGISTER the type of its arguments. */
#if SIMD_BYTES == 64
#define SIMD_X86(f) FLOAT_OR_DOUBLE(_mm512_##f##_ps, _mm512_##f##_pd)
#define SIMD_REGISTER FLOAT_OR_DOUBLE(__m512, __m512d)
#elif SIMD_BYTES == 32
#define SIMD_X86(f) FLOAT_OR_DOUBLE(_mm256_##f##_ps, _mm256_##f##_pd)
#define SIMD_REGISTER FLOAT_OR_DOUBLE(__m256, __m256d)
#elif defined(__SSE2__)
#define SIMD_X86(f) FLOAT_OR_DOUBLE(_mm_##f##_ps, _mm_##f##_pd)
#define SIMD_REGISTER FLOAT_OR_DOUBLE(__m128, __m128d)
#endif

typedef real vreal __attribute__((vector_size(SIMD_BYTES)));
typedef FLOAT_OR_DOUBLE(int32_t, int64_t) vint __attribute__((vector_size(SIMD_BYTES)));
typedef FLOAT_OR_DOUBLE(uint32_t, uint64_t) vnatural __attribute__((vector_size(SIMD_BYTES)));

enum { SIMD_LANES = SIMD_BYTES / (int)sizeof(real) };

#ifndef SIMD_FN /* builds with sanitizers have their own, see cmake/eigpack_library.cmake */
#define SIMD_FN static inline __attribute__((always_inline))
#endif

SIMD_FN vreal simd_splat(real x)
{
    return x - (vreal){0};
}

/* a*b + c with one rounding where the instruction set has it; the baseline of x86-64 rounds twice. */
SIMD_FN vreal simd_fma(vreal a, vreal b, vreal c)
{
#if SIMD_BYTES == 64 || (defined(SIMD_X86) && defined(__FMA__))
    return (vreal)SIMD_X86(fmadd)((SIMD_REGISTER)a, (SIMD_REGISTER)b, (SIMD_REGISTER)c);
#elif defined(__aarch64__) && EIG_SINGLE
    return (vreal)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__aarch64__)
    return (vreal)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

/* The same for a number. */
static inline real fma_one(real a, real b, real c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return FLOAT_OR_DOUBLE(__builtin_fmaf, __builtin_fma)(a, b, c);
#else
    return a * b + c;
#endif
}

SIMD_FN vreal simd_sqrt(vreal x)
{
#ifdef SIMD_X86
    return (vreal)SIMD_X86(sqrt)((SIMD_REGISTER)x);
#else
    for (int l = 0; l < SIMD_LANES; ++l) x[l] = sqrt(x[l]);
    return x;
#endif
}

SIMD_FN vreal simd_abs(vreal x)
{
    return (vreal)((vint)x & FLOAT_OR_DOUBLE(INT32_MAX, INT64_MAX));
}

/* pow2.inc for the lanes. */
SIMD_FN vreal pow2_floor_lanes(vreal x)
{
    return (vreal)((vint)x & FLOAT_OR_DOUBLE(INT32_C(0x7f800000), INT64_C(0x7ff0000000000000)));
}

SIMD_FN vreal pow2_inverse_lanes(vreal x)
{
    return (vreal)(FLOAT_OR_DOUBLE(INT32_C(0x7f000000), INT64_C(0x7fe0000000000000)) - (vint)x);
}

/* Lanes of a where the mask is set, else of b. */
SIMD_FN vint simd_select_bits(vint mask, vint a, vint b)
{
    return (a & mask) | (b & ~mask);
}

SIMD_FN vreal simd_select(vint mask, vreal a, vreal b)
{
    return (vreal)simd_select_bits(mask, (vint)a, (vint)b);
}

/* The larger of two numbers that are not NaN; of zeros either. */
SIMD_FN vreal simd_max(vreal a, vreal b)
{
#ifdef SIMD_X86
    return (vreal)SIMD_X86(max)((SIMD_REGISTER)a, (SIMD_REGISTER)b);
#else
    return simd_select(a > b, a, b);
#endif
}

/* The sum of the lanes: the upper half is added to the lower one until one lane is left. */
SIMD_FN real simd_total(vreal x)
{
#if SIMD_BYTES == 64
    return FLOAT_OR_DOUBLE(_mm512_reduce_add_ps, _mm512_reduce_add_pd)((SIMD_REGISTER)x);
#elif SIMD_BYTES == 32 && EIG_SINGLE
    __m128 const four = _mm256_castps256_ps128((__m256)x) + _mm256_extractf128_ps((__m256)x, 1);
    __m128 const two = four + _mm_movehl_ps(four, four);
    return two[0] + two[1];
#elif SIMD_BYTES == 32
    __m128d const two = _mm256_castpd256_pd128((__m256d)x) + _mm256_extractf128_pd((__m256d)x, 1);
    return two[0] + two[1];
#else
    for (int half = SIMD_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; ++l) x[l] += x[l + half];
    return x[0];
#endif
}

/* Bit t of the result: whether the mask is set in lane t. */
SIMD_FN unsigned simd_mask_bits(vint mask)
{
#if SIMD_BYTES == 64 && defined(__AVX512DQ__)
    return FLOAT_OR_DOUBLE(_mm512_movepi32_mask, _mm512_movepi64_mask)((__m512i)mask);
#elif defined(SIMD_X86) && SIMD_BYTES < 64
    return (unsigned)SIMD_X86(movemask)((SIMD_REGISTER)mask);
#else
    unsigned bits = 0;
    for (int l = 0; l < SIMD_LANES; ++l) bits |= (mask[l] & 1u) << l;
    return bits;
#endif
}

SIMD_FN bool simd_any(vint mask)
{
    return simd_mask_bits(mask) != 0;
}

/* Sign history: shifts every lane of bits left by one and brings in the sign bit of t. */
SIMD_FN vint simd_push_sign(vint bits, vreal t)
{
#if SIMD_BYTES == 64 && defined(__AVX512VBMI2__)
    return (vint)FLOAT_OR_DOUBLE(_mm512_shldi_epi32, _mm512_shldi_epi64)((__m512i)bits, (__m512i)t, 1);
#else
    return (vint)(((vnatural)bits + (vnatural)bits) | ((vnatural)t >> FLOAT_OR_DOUBLE(31, 63)));
#endif
}

/* Number of one bits among the low 16 of every lane; higher bits must be zero. */
SIMD_FN vint simd_popcount16(vint bits)
{
#if SIMD_BYTES == 64 && defined(__AVX512VPOPCNTDQ__)
    return (vint)FLOAT_OR_DOUBLE(_mm512_popcnt_epi32, _mm512_popcnt_epi64)((__m512i)bits);
#else
    bits -= (bits >> 1) & 0x5555;
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 0xff;
#endif
}

#endif
