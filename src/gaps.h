/* Cuts the pairs of one T into parts of about equal length.  The cuts lie in gaps, between eigenvalues that are well
 * apart, so that stemr computes no cluster twice. */
#ifndef EIG_GAPS_H
#define EIG_GAPS_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shifts counted at a time.  A GPU counts this many in the time of one; on a CPU each shift takes its time. */
enum { GAP_POINTS_GPU = 16384, GAP_POINTS_CPU = 512 };

/* A search for cuts of eigenvalues il to iu of T. */
typedef struct gap_search {
    eig_type type; /* s or d */
    int64_t n;
    const void *d, *e; /* e may be NULL where n is 1 */
    int64_t il, iu;
    int points; /* shifts that are counted at a time, at most, in a few rounds; eight for each part, or more */
    eig_status (*counts)(eig_context *ctx, const stebz_count_problem *p);
} gap_search;

/* Part k has eigenvalues il + cut[k] to il + cut[k + 1] - 1; cut[0] is 0, cut[parts] their number.  No cut lies in a
 * cluster.  So the lengths of parts differ by up to the length of a cluster, and parts are empty where all eigenvalues
 * are one cluster.  A T that is zero or not finite is cut into equal parts. */
eig_status eig_cut_at_gaps(eig_context *ctx, const gap_search *search, int64_t parts, int64_t *cut);

#ifdef __cplusplus
}
#endif

#endif
