/* stebz on the CPU: what its files share.  stebz_cpu.c is the driver; stebz_setup.inc scales a matrix and makes what
 * the kernels read; stebz_engine.c refines brackets (multisection); stebz_tree.inc is the report's interval tree. */
#ifndef EIG_STEBZ_CPU_H
#define EIG_STEBZ_CPU_H

#include "arena.h"
#include "backend_cpu.h"
#include "stebz_kernels.h"

#include <math.h>

/* A bracket with the eigenvalues that it is wanted for: C(lo) < k <= C(hi) for every k in [first, last], where C was
 * evaluated at both ends.  Pending brackets lie in the slot of their first eigenvalue, linked into lists; a finished
 * eigenvalue leaves its final lo and hi in its slot.  So n slots always suffice. */
typedef struct stebz_slot {
    double lo, hi;
    double mantissa_lo, exponent_lo, mantissa_hi, exponent_hi; /* the characteristic polynomial at the ends */
    int64_t count_lo, count_hi;
    int64_t last;
    int64_t next; /* first eigenvalue of the next bracket of the list; 0 ends it */
} stebz_slot;

/* Counts at points 0..cells of a uniform table, and the running maximum of the counts. */
typedef struct stebz_table {
    int64_t cells;
    double lo, hi;
    int64_t *count, *highest;
    double *mantissa, *exponent;
} stebz_table;

/* One matrix on its way through the solver.  Numbers are in units of the scaled matrix: original = scaled * 2^scale. */
typedef struct stebz_job {
    stebz_matrix matrix;
    bool pivot;  /* counts by the pivot kernel on a, b in double, else by the product kernel */
    bool narrow; /* the product kernel in float */
    int scale;
    double norm, lo, hi;   /* largest absolute row sum; an interval that holds all eigenvalues strictly */
    double abstol, reltol; /* in effect */
    double error;          /* a computed count is exact for a matrix at most this far from T */
    int64_t il, iu;
    stebz_table table;
    stebz_slot *slots; /* [iu-il+1] */
} stebz_job;

/* Bisects every wanted eigenvalue by itself, with pivot counts: the plain version.  The job's counts are by pivots. */
eig_status stebz_bisect(eig_context *ctx, stebz_job *job, int threads, double *pass_ms);

/* Refines every wanted bracket with so many threads; fills the slots' lo and hi.  Adds to pass_ms if not NULL. */
eig_status stebz_refine(eig_context *ctx, stebz_job *job, int threads, double *pass_ms);

/* Counts at m <= STEBZ_LANES shifts with the job's kernel. */
void stebz_count_lanes(const eig_context *ctx, const stebz_job *job, int m, stebz_counts *c);

/* Threads worth using for work counts of n rows each. */
int stebz_threads(const eig_context *ctx, int64_t n, int64_t work);

/* A shift as the counting kernel can represent it. */
static inline double stebz_rounded(const stebz_job *job, double x)
{
    return job->narrow ? (double)(float)x : x;
}

/* Whether a bracket is as narrow as the tolerances ask. */
static inline bool stebz_narrow_enough(const stebz_job *job, double lo, double hi)
{
    double const size = fabs(lo) > fabs(hi) ? fabs(lo) : fabs(hi);
    double const width = job->abstol > job->reltol * size ? job->abstol : job->reltol * size;
    return hi - lo <= width;
}

/* Middle of a bracket: geometric where the ends differ by orders of magnitude and small eigenvalues are wanted to
 * relative accuracy, so that 1e-300 is as near as 1e-3. */
static inline double stebz_middle(const stebz_job *job, double lo, double hi)
{
    double const mid = lo + 0.5 * (hi - lo);
    if (!job->pivot) return stebz_rounded(job, mid);
    double const least = job->abstol > job->matrix.pivmin ? job->abstol : job->matrix.pivmin;
    if (lo >= 0 && hi > 16 * least && hi > 4 * lo) return sqrt(hi) * sqrt(lo > least ? lo : least);
    if (hi <= 0 && lo < -16 * least && lo < 4 * hi) return -sqrt(-lo) * sqrt(-hi > least ? -hi : least);
    if (lo < 0 && hi > 0 && hi - lo > 16 * least) return 0;
    return mid;
}

#endif
