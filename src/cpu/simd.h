/* A small vocabulary of vectors, one width per instruction set, for the files that are compiled once per ISA.
 *
 * vd, vf: doubles and floats; vl, vi: 64- and 32-bit integers of the same width (GCC vector extensions, which gcc and
 * clang also compile to NEON).  Arithmetic is written with operators; this header adds only what those lack. */
#ifndef EIG_SIMD_H
#define EIG_SIMD_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX2__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

typedef double vd __attribute__((vector_size(SIMD_BYTES)));
typedef float vf __attribute__((vector_size(SIMD_BYTES)));
typedef int64_t vl __attribute__((vector_size(SIMD_BYTES)));
typedef int32_t vi __attribute__((vector_size(SIMD_BYTES)));

#define SIMD_FN static inline __attribute__((always_inline))

/* a*b + c and c - a*b with one rounding where the instruction set has it (the baseline of x86-64 rounds twice). */
SIMD_FN vd simd_fma_d(vd a, vd b, vd c)
{
#if defined(__AVX512F__)
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    return (vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}

SIMD_FN vf simd_fma_s(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* Lanes of a where the mask (all ones or all zeros a lane) is set, else of b. */
SIMD_FN vl simd_select_l(vl mask, vl a, vl b)
{
    return (a & mask) | (b & ~mask);
}
SIMD_FN vi simd_select_i(vi mask, vi a, vi b)
{
    return (a & mask) | (b & ~mask);
}

/* Sign history: shifts every lane of bits left by one and brings in the sign bit of t. */
SIMD_FN vl simd_push_sign_d(vl bits, vd t)
{
#if defined(__AVX512VBMI2__)
    return (vl)_mm512_shldi_epi64((__m512i)bits, (__m512i)t, 1);
#else
    typedef uint64_t vu __attribute__((vector_size(SIMD_BYTES)));
    return (vl)(((vu)bits + (vu)bits) | ((vu)t >> 63));
#endif
}

SIMD_FN vi simd_push_sign_s(vi bits, vf t)
{
#if defined(__AVX512VBMI2__)
    return (vi)_mm512_shldi_epi32((__m512i)bits, (__m512i)t, 1);
#else
    typedef uint32_t vu __attribute__((vector_size(SIMD_BYTES)));
    return (vi)(((vu)bits + (vu)bits) | ((vu)t >> 31));
#endif
}

/* Number of one bits among the low 16 of every lane; higher bits must be zero. */
SIMD_FN vl simd_popcount16_l(vl bits)
{
#if defined(__AVX512VPOPCNTDQ__)
    return (vl)_mm512_popcnt_epi64((__m512i)bits);
#else
    bits -= (bits >> 1) & 0x5555;
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 0xff;
#endif
}

SIMD_FN vi simd_popcount16_i(vi bits)
{
#if defined(__AVX512VPOPCNTDQ__)
    return (vi)_mm512_popcnt_epi32((__m512i)bits);
#else
    bits -= (bits >> 1) & 0x5555;
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 0xff;
#endif
}

#endif
