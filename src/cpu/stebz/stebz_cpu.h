/* stebz on the CPU: what its files share.
 *
 *     stebz_cpu.c          the driver
 *     stebz_load.c         from the caller's matrix to a search
 *     stebz_small.c        a small T
 *     stebz_split.c        a T that splits: its blocks by themselves, then sorted
 *     stebz_table.c        method multisection: counts at the points of a table
 *     stebz_engine.c       method multisection: refines brackets
 *     stebz_reference.c    method reference
 *     stebz_counts.c       counts at given shifts
 *
 * compiled once for each type:
 *
 *     stebz_setup.c        scales a matrix, makes what the kernels read, stores the results
 *     stebz_tree.c         method interval tree
 *
 * compiled once for each instruction set:
 *
 *     stebz_product.c      counts by the product form, for each type
 *     stebz_pivot.c        counts by pivots, in double for either type
 *     stebz_short.c        blocks of few rows, in double for either type */
#ifndef EIG_STEBZ_CPU_H
#define EIG_STEBZ_CPU_H

#include "arena.h"
#include "backend_cpu.h"
#include "bracket.h"
#include "cpu/crossovers.h"
#include "stebz_kernels.h"
#include "watch.h"

#include <math.h>
#include <string.h>

enum {
    STEBZ_LEAST_CELLS = 32, /* of a table of counts */
    STEBZ_SMALL = 16,       /* most rows of a matrix whose work area lies on the stack, and that stebz_small.c takes:
                               diagonal, or at most STEBZ_SWEPT */
    STEBZ_SMALL_BYTES = 8192
};

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

/* An interval of the tree, with the counts at its ends. */
typedef struct tree_interval {
    double lo, hi;
    int64_t below, upto;
} tree_interval;

/* A block of more than STEBZ_SHORT_ROWS rows of a T that splits, and where its parts of the workspace begin. */
typedef struct stebz_long {
    int64_t start, length;
    int64_t rows, points; /* first row of the product form, first point of the table */
} stebz_long;

/* The most that the blocks of n rows can need: rows of the product form, each block's padded by itself; long blocks. */
typedef struct stebz_blocks {
    int64_t rows, longs;
} stebz_blocks;

static inline stebz_blocks stebz_room(int64_t n)
{
    int64_t const longs = n / (STEBZ_SHORT_ROWS + 1) + 1;
    return (stebz_blocks){.rows = (n + longs * STURM_BLOCK) / STURM_BLOCK * STURM_BLOCK, .longs = longs};
}

/* The eigenvalues of a T that splits: at first at the rows of their block, in the end sorted, each array separately:
 * the k-th smallest of the lower ends lies below the k-th eigenvalue, that of the upper ends above it. */
typedef struct stebz_found {
    bool split;
    double *middle, *lo, *hi; /* [n] */
} stebz_found;

/* The search for eigenvalues il to iu of one matrix.  Numbers are in units of the scaled matrix: original = scaled *
 * 2^scale. */
typedef struct stebz_search {
    const stebz_kernels *kernels; /* of the caller's type */
    cpu_watch *watch;             /* of the call */
    double from, share;           /* of the watch's unit: where the running part begins, and how much it is */
    double *a, *b;                /* [n] the scaled matrix, as in stebz_matrix */
    stebz_matrix matrix;
    bool small;           /* solved by stebz_small.c */
    bool pivot;           /* counts by the pivot kernel on a, b in double, else by the product kernel */
    bool narrow;          /* the product kernel in float */
    bool steady;          /* set for a part of the spectrum, and always for stemr: brackets are whole cells of the table
                           * of all eigenvalues, so that they do not depend on il and iu; and for small matrices, whose
                           * brackets are made from the first eigenvalue on */
    stebz_counter *count; /* that kernel */
    int shifts;           /* that it counts in a full call */
    int scale;
    bool loses;            /* in the pivot form: some entries are subnormal, or 0, since T was scaled */
    double largest;        /* magnitude of an entry of T as the caller gave it */
    double norm;           /* largest absolute row sum */
    double lo, hi;         /* all eigenvalues lie strictly between */
    double abstol, reltol; /* in effect */
    double error;          /* a computed count is exact for a matrix at most this far from T */
    int64_t il, iu;
    int64_t begin; /* of a steady search: the first eigenvalue that was refined, il or one of its cell, or 1 */
    stebz_count_table table;
    stebz_group *groups; /* that of eigenvalue k at k-il; in a steady search k may also be less than il or exceed iu */
    void *rows, *scales; /* room for the product form */
    tree_interval *intervals; /* [4 (iu-il+1)], for the interval tree */
    stebz_found found;
    int64_t blocks;           /* of a T that splits */
    int64_t *all_starts;      /* [n] their first rows; stands where found.middle will, which is written last */
    stebz_short_rows *shorts; /* [n] the short ones, sorted by their rows */
    stebz_long *longs;        /* the others */
} stebz_search;

/* Whether to go on; `done` of the running part is done. */
static inline bool stebz_look(const stebz_search *search, double done)
{
    return eig_cpu_watch_look(search->watch, search->from + search->share * done);
}

/* Norms from its reciprocal up to this: nothing that a formula of two rows makes leaves the normal numbers, unless it
 * is negligible, so that scaling would not change a bit. */
#define STEBZ_PLAIN_NORM 0x1p300

/* A small T, scaled, and brackets of its eigenvalues il to iu. */
typedef struct stebz_few {
    int n, il, iu;
    bool single;
    const double *a, *b; /* as in stebz_matrix */
    double abstol, reltol;
    double lo[STEBZ_SMALL], hi[STEBZ_SMALL];
    int scale; /* those of a search */
    double error;
} stebz_few;

/* 2^exponent as two factors that a double can hold. */
typedef struct stebz_power {
    double first, second;
} stebz_power;

/* 2^exponent for a normal number, by its bits: ldexp takes as long as all else that a matrix of two rows asks for. */
static inline double stebz_two_to(int exponent)
{
    uint64_t const bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* frexp's exponent of a normal number, by its bits: |x| is in [2^(e-1), 2^e). */
static inline int stebz_exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1022;
}

static inline stebz_power stebz_power_of(int exponent)
{
    return (stebz_power){stebz_two_to(exponent / 2), stebz_two_to(exponent - exponent / 2)};
}

static inline double stebz_scaled(double x, stebz_power p)
{
    return x * p.first * p.second;
}

/* The entries of a matrix that the caller gave; e may be NULL when n is 1. */
typedef struct stebz_entries {
    const void *d, *e;
} stebz_entries;

static inline stebz_entries stebz_entries_of(const stebz_problem *p, int64_t number)
{
    return (stebz_entries){type_at(p->type, p->d, number * p->stride_d),
                           p->e ? type_at(p->type, p->e, number * p->stride_e) : NULL};
}

/* Finds the largest magnitude of an entry of matrix `number` of the batch; whether all are finite. */
bool eig_cpu_stebz_finite(stebz_search *search, const stebz_problem *p, int64_t number);

/* The matrix, times 2^-scale, into the search. */
void eig_cpu_stebz_load(stebz_search *search, const stebz_problem *p, int64_t number, int scale);

/* Exponent of its norm, after that: T * 2^-exponent has a norm in [1/2, 1), which becomes the search's.  0 for T = 0,
 * which is not loaded. */
int eig_cpu_stebz_exponent(stebz_search *search, const stebz_problem *p, int64_t number);

/* The scale for the pivot form in double, or for the interval tree in the type, of a matrix of this exponent; whether
 * even that loses small entries, into search->loses. */
int eig_cpu_stebz_pivot_scale(stebz_search *search, const stebz_problem *p, int64_t number, int exponent);
int eig_cpu_stebz_tree_scale(const stebz_problem *p, int64_t number, int exponent);

/* Eigenvalues below x among the rows that stand alone, as the caller gave them, less those below x_scaled as they were
 * loaded: what a count by pivots lacks where the scaling has cost digits of T or of x. */
int64_t eig_cpu_stebz_count_lost(const stebz_search *search, const stebz_problem *p, int64_t number, double x,
                                 double x_scaled);

/* The largest absolute row sum of the loaded matrix. */
double eig_cpu_stebz_norm(const stebz_search *search);

/* il and iu of the eigenvalues in (vl, vu]: those above the count just over vl, up to the count just over vu. */
void eig_cpu_stebz_find_indices(stebz_search *search, const stebz_problem *p, int64_t number);

/* Interval and table of a search whose matrix, norm, tolerances and indices are set, and, where it counts, its kernel
 * and what that reads. */
void eig_cpu_stebz_open(const eig_context *ctx, stebz_search *search, eig_type type, bool counts);

/* Finds the blocks of the loaded matrix.  True where it pays to solve them by themselves, or where that is needed since
 * the search loses entries.  The off-diagonals between them are then 0. */
bool eig_cpu_stebz_splits(stebz_search *search, eig_type type);

/* Solves the blocks that were found; fills search->found. */
eig_status eig_cpu_stebz_solve_blocks(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                                      int threads, double *pass_ms);

/* Method multisection of at most STEBZ_SMALL rows; false where the engine has to do it. */
bool eig_cpu_stebz_small(stebz_search *search, eig_type type);

/* The same without a search, from the caller's matrix to all outputs, with usual tolerances; false, before any output
 * is written, where a search has to do it. */
bool eig_cpu_stebz_alone(const stebz_kernels *kernels, const stebz_problem *p, int64_t number);

/* Method reference: bisects every wanted eigenvalue by itself.  Where pass_ms is not NULL, this function and the next
 * two add to it what their passes took. */
eig_status eig_cpu_stebz_bisect(stebz_search *search, int threads, double *pass_ms);

/* Fills the table of a search that eig_cpu_stebz_open has opened. */
void eig_cpu_stebz_table(stebz_search *search, int threads);

/* Method multisection: refines every wanted bracket; fills the groups' lo and hi. */
eig_status eig_cpu_stebz_refine(stebz_search *search, int threads, double *pass_ms);

/* Method interval tree. */
eig_status eig_cpu_stebz_tree_s(stebz_search *search, int threads, double *pass_ms);
eig_status eig_cpu_stebz_tree_d(stebz_search *search, int threads, double *pass_ms);

/* Threads worth using for this number of counts of n rows each; it may be larger than an int64_t holds. */
int eig_cpu_stebz_threads(const eig_context *ctx, int64_t n, double counts);

/* A shift as the counting kernel can represent it. */
static inline double stebz_rounded(const stebz_search *search, double x)
{
    return search->narrow ? (double)(float)x : x;
}

/* The table's share of the work: it takes a count for each of its points, an eigenvalue about ten more. */
#define STEBZ_TABLE_SHARE 0.1

static inline double stebz_table_point(const stebz_search *search, int64_t j)
{
    const stebz_count_table *const t = &search->table;
    if (j == t->cells) return t->hi;
    return stebz_rounded(search, t->lo + (t->hi - t->lo) * ((double)j / (double)t->cells));
}

/* Whether a bracket is as narrow as the tolerances ask. */
static inline bool stebz_narrow_enough(const stebz_search *search, double lo, double hi)
{
    double const size = fabs(lo) > fabs(hi) ? fabs(lo) : fabs(hi);
    double const width = search->abstol > search->reltol * size ? search->abstol : search->reltol * size;
    return hi - lo <= width;
}

/* Middle of a bracket, as the counting kernel can represent it. */
static inline double stebz_middle(const stebz_search *search, double lo, double hi)
{
    if (!search->pivot) return stebz_rounded(search, lo + 0.5 * (hi - lo));
    return bracket_fine_middle(lo, hi, search->abstol > DBL_MIN ? search->abstol : DBL_MIN);
}

#endif
