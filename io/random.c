/* The generator of the random test matrices: xoshiro256** (D. Blackman and S. Vigna, ACM Trans. Math. Softw. 47, 2021),
 * its state filled by SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014).  The same bits on every machine. */
#include "matrices.h"
#include "portable.h"

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

matrices_rng matrices_seed(uint64_t seed)
{
    matrices_rng rng;
    for (int i = 0; i < 4; ++i) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        rng.s[i] = z ^ z >> 31;
    }
    return rng;
}

uint64_t matrices_next(matrices_rng *rng)
{
    uint64_t *const s = rng->s;
    uint64_t const result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double matrices_uniform(matrices_rng *rng)
{
    return (double)(matrices_next(rng) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; the second number of a pair is not kept, so that the state is the generator's alone. */
double matrices_normal(matrices_rng *rng)
{
    for (;;) {
        double const u = 2.0 * matrices_uniform(rng) - 1.0;
        double const v = 2.0 * matrices_uniform(rng) - 1.0;
        double const s = u * u + v * v;
        if (s > 0.0 && s < 1.0) return u * sqrt(-2.0 * portable_log(s) / s);
    }
}
