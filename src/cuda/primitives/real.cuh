/* The real types of templates: their limits, and pairs of them. */
#ifndef EIG_REAL_CUH
#define EIG_REAL_CUH

#include <cfloat>

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

/* |x| as an integer that grows with it: exponent and first digits, in double without the lower 32 bits. */
static __device__ __forceinline__ int upper_word(double x)
{
    return __double2hiint(x) & 0x7fffffff;
}
static __device__ __forceinline__ int upper_word(float x)
{
    return __float_as_int(x) & 0x7fffffff;
}

#endif
