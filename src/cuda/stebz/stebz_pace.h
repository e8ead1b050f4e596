/* stebz on CUDA: how much of a long call on host arrays goes into one launch, so that progress is reported, and a wish to
 * cancel seen, about every second on any GPU.  Work is counts times rows; the time of each launch tells how much the next
 * one may take.  No result depends on it (stebz_bracket.cuh, Bits). */
#ifndef EIG_STEBZ_PACE_H
#define EIG_STEBZ_PACE_H

#include "problem.h"

#include <math.h>

#define STEBZ_LAUNCH_MS 900.0     /* aimed at */
#define STEBZ_FIRST_WORK 0x1p35   /* of the first launch then: 13 ms of an H200, half a second of a slow GPU */
#define STEBZ_PACED_WORK 0x1p36   /* calls of less work take one launch */
#define STEBZ_BRACKET_COUNTS 12.0 /* of an eigenvalue, after the table: about */

typedef struct stebz_pace {
    double launch_ms;
    double work; /* of the next launch, at most; INFINITY: one launch takes all, and nothing is waited for */
} stebz_pace;

static inline stebz_pace stebz_unpaced(void)
{
    stebz_pace const pace = {0, INFINITY};
    return pace;
}

/* Of a call of this much work. */
static inline stebz_pace stebz_pace_for(double work, double launch_ms)
{
    stebz_pace const pace = {launch_ms, STEBZ_FIRST_WORK * (launch_ms / STEBZ_LAUNCH_MS)};
    /* Who aims at other times wants them of any call. */
    return work < STEBZ_PACED_WORK && launch_ms == STEBZ_LAUNCH_MS ? stebz_unpaced() : pace;
}

static inline bool stebz_is_paced(const stebz_pace *pace)
{
    return pace->work < INFINITY;
}

/* How many of `left` things the next launch takes, each of this much work: as even parts as can be, of `least` at least. */
static inline int64_t stebz_pace_share(const stebz_pace *pace, int64_t left, double each, int64_t least)
{
    if (!(pace->work < each * (double)left)) return left;
    double const fits = fmax(pace->work / each, (double)least), parts = ceil((double)left / fits);
    return (int64_t)ceil((double)left / parts);
}

/* After a launch of this much work, which took ms. */
static inline void stebz_pace_learn(stebz_pace *pace, double work, double ms)
{
    double const want = work * pace->launch_ms / fmax(ms, 1e-3);
    pace->work = fmax(fmin(fmax(want, work / 16), work * 16), 1); /* every launch does some work */
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
