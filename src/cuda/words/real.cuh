/* The real types of templates: their limits, pairs of them, and complex numbers. */
#ifndef EIG_REAL_CUH
#define EIG_REAL_CUH

#include <cfloat>
#include <cstdint>

template <typename real> struct real_limits;
template <> struct real_limits<float> {
    /* safmin: the smallest normal number; square_safe: squares of numbers above it keep all their digits. */
    static constexpr float eps = FLT_EPSILON, safmin = FLT_MIN, square_safe = 0x1p-40f, largest = FLT_MAX;
    using pair = float2;
};
template <> struct real_limits<double> {
    static constexpr double eps = DBL_EPSILON, safmin = DBL_MIN, square_safe = 0x1p-459, largest = DBL_MAX;
    using pair = double2;
};

/* Two numbers in one load or store. */
template <typename real> using pair_of = typename real_limits<real>::pair;

/* A complex number; in memory as eig_c and eig_z. */
template <typename real> struct complex_of {
    real re, im;
};

template <typename real>
static __host__ __device__ __forceinline__ complex_of<real> operator+(complex_of<real> a, complex_of<real> b)
{
    return {a.re + b.re, a.im + b.im};
}

template <typename real>
static __host__ __device__ __forceinline__ complex_of<real> operator-(complex_of<real> a, complex_of<real> b)
{
    return {a.re - b.re, a.im - b.im};
}

template <typename real>
static __host__ __device__ __forceinline__ complex_of<real> operator*(complex_of<real> a, complex_of<real> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename real> static __host__ __device__ __forceinline__ complex_of<real> conjugate(complex_of<real> a)
{
    return {a.re, -a.im};
}

/* Stores a complex number into a caller's array, which need be aligned to its real type only. */
template <typename real> static __device__ __forceinline__ void store_complex(void *to, complex_of<real> z)
{
    if ((uintptr_t)to % sizeof(pair_of<real>) == 0) {
        pair_of<real> both;
        both.x = z.re, both.y = z.im;
        *(pair_of<real> *)to = both;
    } else {
        ((real *)to)[0] = z.re;
        ((real *)to)[1] = z.im;
    }
}

#endif
