/* Blocks of 64 bytes, for kernels whose sums must not depend on the width of a vector. */
#ifndef EIG_BLOCKS_H
#define EIG_BLOCKS_H

#include "simd.h"

enum { BLOCK = 64 / (int)sizeof(real), WIDE = 64 / SIMD_BYTES };

static inline vreal *at(real *x, int64_t i)
{
    return (vreal *)(x + i);
}

/* The start of the block that holds row i. */
static inline int64_t block_of(int64_t i)
{
    return i - i % BLOCK;
}

static inline int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* A sum in every lane of 64 bytes. */
typedef struct wide_sum {
    vreal v[WIDE];
} wide_sum;

static inline real total(wide_sum sum)
{
    for (int half = WIDE / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) sum.v[k] += sum.v[k + half];
    return simd_total(sum.v[0]);
}

/* Rows first, ..., last - 1. */
typedef struct span {
    int64_t first, last;
} span;

#endif
