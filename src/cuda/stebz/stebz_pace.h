/* stebz on CUDA: how long a launch of a long call on host arrays may take, so that progress is reported, and a wish to
 * cancel seen, about every second on any GPU. A launch looks at the clock itself and leaves the rest to the next one.
 * No result depends on it (stebz_bracket.cuh, Bits). */
#ifndef EIG_STEBZ_PACE_H
#define EIG_STEBZ_PACE_H

#include "problem.h"

#define STEBZ_LAUNCH_MS 900.0
#define STEBZ_PACED_WORK 0x1p36   /* calls of fewer counts times rows take one launch; half a second of a slow GPU */
#define STEBZ_BRACKET_COUNTS 12.0 /* of an eigenvalue, after the table: about */
#define STEBZ_TABLE_COUNTS 2.0    /* in the table */

/* From this many rows on a search of the table takes little time beside a count, and the queue is looked through
 * twice. */
enum { STEBZ_SLOW_FIRST = 262144 };

/* Nanoseconds that a launch of a call with this many eigenvalues of order n may take; 0: it does all. */
static inline int64_t stebz_launch_limit(int64_t n, int64_t wanted, double launch_ms)
{
    double const work = (STEBZ_TABLE_COUNTS + STEBZ_BRACKET_COUNTS) * (double)wanted * (double)n;
    /* A test that asks for another time wants it for every call. */
    return work < STEBZ_PACED_WORK && launch_ms == STEBZ_LAUNCH_MS ? 0 : (int64_t)(1e6 * launch_ms);
}

#ifdef __cplusplus
extern "C" {
#endif

/* eig_cuda_stebz with launches of long calls that aim at another time, for tests. */
eig_status eig_cuda_stebz_paced(eig_context *ctx, const stebz_problem *p, double launch_ms);

#ifdef __cplusplus
}
#endif

#endif
