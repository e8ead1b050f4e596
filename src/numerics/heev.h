/* Formulas of heev, the eigenvalues of Hermitian matrices: scaling, the Jacobi rotation, the order of its pairs,
 * certificates (spectrum.inc).
 * Householder's reflector is householder.h's. */
#ifndef EIG_HEEV_H
#define EIG_HEEV_H

#include "householder.h"
#include "pow2.h"
#include "unscaled.h"

/* Free of branches, so that the same text also compiles for lanes of a vector, as geev.h tells. */
#define LOGICAL int
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define SPLAT(x) ((real)(x))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

#define TEMPLATE "jacobi.inc"
#include "for_sd.h"
#define TEMPLATE "spectrum.inc"
#include "for_sd.h"

#undef LOGICAL
#undef SELECT
#undef SPLAT
#undef MAX2

/* Rounds of a sweep in which every pair of n columns meets once: n-1 rounds of n/2 pairs.  For odd n it has n rounds of
 * (n-1)/2 pairs, and one column rests in each. */
EIG_FN int64_t jacobi_rounds(int64_t n)
{
    return n - 1 + n % 2;
}

/* Pair k = 0, 1, ..., n/2 - 1 of round 0, 1, ..., jacobi_rounds(n) - 1, with *p < *q.  Round-robin: all columns but the
 * last are in a circle, which turns by one place a round, and are paired with those opposite; the one at the top is
 * paired with the last column, or rests where n is odd. */
EIG_FN void jacobi_pair(int64_t n, int64_t round, int64_t k, int64_t *p, int64_t *q)
{
    int64_t const circle = jacobi_rounds(n), step = k + n % 2;
    int64_t const right = round + step, left = round - step;
    int64_t const x = step == 0 ? circle : right < circle ? right : right - circle;
    int64_t const y = left >= 0 ? left : left + circle;
    *p = x < y ? x : y, *q = x < y ? y : x;
}

#endif
