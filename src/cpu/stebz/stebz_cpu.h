/* stebz on the CPU: what its files share.
 *
 *     stebz_cpu.c          the driver
 *     stebz_engine.c       method multisection: refines brackets
 *     stebz_reference.c    method reference
 *
 * compiled once for each type:
 *
 *     stebz_setup.c        scales a matrix, makes what the kernels read, stores the results
 *     stebz_tree.c         method interval tree
 *
 * compiled once for each instruction set:
 *
 *     stebz_product.c      counts by the product form, for each type
 *     stebz_pivot.c        counts by pivots, in double for either type */
#ifndef EIG_STEBZ_CPU_H
#define EIG_STEBZ_CPU_H

#include "arena.h"
#include "backend_cpu.h"
#include "stebz_kernels.h"

#include <math.h>

/* Some eigenvalues, up to number `last`, and a bracket that holds them: C(lo) < k <= C(hi) for each of them, where the
 * count C was evaluated at both ends.  A group is stored at the place of its first eigenvalue: n places suffice.
 * Groups that wait are linked into lists.  A finished eigenvalue leaves its final lo and hi at its own place. */
typedef struct stebz_group {
    double lo, hi;
    double mantissa_lo, exponent_lo, mantissa_hi, exponent_hi; /* the characteristic polynomial at the ends */
    int64_t count_lo, count_hi;
    int64_t last;
    int64_t next; /* the next group of the list, by its first eigenvalue; 0 ends the list */
} stebz_group;

/* Counts at points 0..cells of a uniform table, and the running maximum of the counts. */
typedef struct stebz_count_table {
    int64_t cells;
    double lo, hi;
    int64_t *count, *highest;
    double *mantissa, *exponent;
} stebz_count_table;

/* The search for eigenvalues il to iu of one matrix.  Numbers are in units of the scaled matrix: original = scaled *
 * 2^scale. */
typedef struct stebz_search {
    const stebz_kernels *kernels; /* of the caller's type */
    stebz_matrix matrix;
    bool pivot;           /* counts by the pivot kernel on a, b in double, else by the product kernel */
    bool narrow;          /* the product kernel in float */
    stebz_counter *count; /* that kernel */
    int shifts;           /* that it counts in a full call */
    int scale;
    double norm;           /* largest absolute row sum */
    double lo, hi;         /* all eigenvalues lie strictly between */
    double abstol, reltol; /* in effect */
    double error;          /* a computed count is exact for a matrix at most this far from T */
    int64_t il, iu;
    stebz_count_table table;
    stebz_group *groups; /* [iu-il+1]: that of eigenvalue k at k-il */
} stebz_search;

/* An interval of the tree, with the counts at its ends. */
typedef struct tree_interval {
    double lo, hi;
    int64_t below, upto;
} tree_interval;

/* 2^exponent as two factors that a double can hold. */
typedef struct stebz_power {
    double first, second;
} stebz_power;

static inline stebz_power stebz_power_of(int exponent)
{
    return (stebz_power){ldexp(1.0, exponent / 2), ldexp(1.0, exponent - exponent / 2)};
}

static inline double stebz_scaled(double x, stebz_power p)
{
    return x * p.first * p.second;
}

/* Method reference: bisects every wanted eigenvalue by itself.  Where pass_ms is not NULL, this function and the next
 * two add to it what their passes took. */
eig_status eig_cpu_stebz_bisect(eig_context *ctx, stebz_search *search, int threads, double *pass_ms);

/* Method multisection: refines every wanted bracket; fills the groups' lo and hi. */
eig_status eig_cpu_stebz_refine(eig_context *ctx, stebz_search *search, int threads, double *pass_ms);

/* Method interval tree.  space: 4 (iu-il+1) intervals. */
eig_status eig_cpu_stebz_tree_s(eig_context *ctx, stebz_search *search, tree_interval *space, int threads,
                                double *pass_ms);
eig_status eig_cpu_stebz_tree_d(eig_context *ctx, stebz_search *search, tree_interval *space, int threads,
                                double *pass_ms);

/* Threads worth using for work counts of n rows each. */
int eig_cpu_stebz_threads(const eig_context *ctx, int64_t n, int64_t work);

/* A shift as the counting kernel can represent it. */
static inline double stebz_rounded(const stebz_search *search, double x)
{
    return search->narrow ? (double)(float)x : x;
}

/* Whether a bracket is as narrow as the tolerances ask. */
static inline bool stebz_narrow_enough(const stebz_search *search, double lo, double hi)
{
    double const size = fabs(lo) > fabs(hi) ? fabs(lo) : fabs(hi);
    double const width = search->abstol > search->reltol * size ? search->abstol : search->reltol * size;
    return hi - lo <= width;
}

/* Middle of a bracket: geometric where the ends differ by orders of magnitude and small eigenvalues are wanted to
 * relative accuracy, so that 1e-300 is as near as 1e-3. */
static inline double stebz_middle(const stebz_search *search, double lo, double hi)
{
    double const mid = lo + 0.5 * (hi - lo);
    if (!search->pivot) return stebz_rounded(search, mid);
    double const least = search->abstol > search->matrix.pivmin ? search->abstol : search->matrix.pivmin;
    if (lo >= 0 && hi > 16 * least && hi > 4 * lo) return sqrt(hi) * sqrt(lo > least ? lo : least);
    if (hi <= 0 && lo < -16 * least && lo < 4 * hi) return -sqrt(-lo) * sqrt(-hi > least ? -hi : least);
    if (lo < 0 && hi > 0 && hi - lo > 16 * least) return 0;
    return mid;
}

#endif
