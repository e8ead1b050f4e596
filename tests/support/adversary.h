/* What the generators of random hard matrices share: draws from a seeded generator. */
#ifndef EIG_TEST_ADVERSARY_H
#define EIG_TEST_ADVERSARY_H

#include "io/matrices.h"

#include <math.h>

static inline double draw_between(matrices_rng *rng, double low, double high)
{
    return low + (high - low) * matrices_uniform(rng);
}

/* Both ends are drawn too. */
static inline int64_t draw_integer(matrices_rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)(matrices_next(rng) % (uint64_t)(high - low + 1));
}

/* 10^low to 10^high, its logarithm uniform. */
static inline double draw_decades(matrices_rng *rng, double low, double high)
{
    return pow(10, draw_between(rng, low, high));
}

static inline bool draw_chance(matrices_rng *rng, double probability)
{
    return matrices_uniform(rng) < probability;
}

static inline double draw_sign(matrices_rng *rng)
{
    return draw_chance(rng, 0.5) ? 1 : -1;
}

/* The factor by which a matrix with the largest entry `most` is multiplied: often 1, at times one that leads to the
 * ends of the type's numbers.  What float cannot hold becomes 1 large. */
static inline double draw_scale(matrices_rng *rng, double most, bool single)
{
    int64_t const choice = draw_integer(rng, 0, 9);
    bool const misfit = single && (most > 1e30 || most < 1e-20);
    if (!(most > 0)) return 1;
    if (choice == 0 && most > 1e-5) return (single ? 1e36 : 1e300) / most;
    if (choice == 1 && most < 1e5) return (single ? 1e-37 : 1e-300) / most;
    return misfit ? 1 / most : 1;
}

#endif
