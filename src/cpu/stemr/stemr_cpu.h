/* stemr on the CPU: what its files share.
 *
 *     stemr_cpu.c          the driver: workspace, passes, order of the pairs
 *     stemr_batch.c        many matrices
 *     stemr_root.c         scales and splits T, brackets by the engine of stebz, each block's first representation
 *     stemr_short.c        blocks of few rows
 *     stemr_few.c          a T of one or two rows
 *     stemr_tree.c         clusters: their shifts and representations, level by level
 *     stemr_refine.c       refines eigenvalues, computes vectors, a lane a pair
 *     stemr_inverse.c        the fallback: inverse iteration, orthogonalised
 *     stemr_certify.c      residuals and orthogonality
 *     stemr_reference.c    method reference
 *     stemr_kernels.c      what the lanes do; compiled once for each instruction set; parts of it are stemr_lanes.h,
 *                          stemr_twisted.h */
#ifndef EIG_STEMR_CPU_H
#define EIG_STEMR_CPU_H

#include "arena.h"
#include "backend_cpu.h"
#include "gauge.h"
#include "mrrr.h"
#include "stebz/stebz_cpu.h"
#include "stebz/stebz_values.h"
#include "stemr_kernels.h"
#include "stemr_limits.h"
#include "watch.h"

/* Numbers of the scaled T, whose norm is in [1/2, 1). */
#define STEMR_SPLIT 0x1p-55  /* off-diagonals up to this become 0 */
#define STEMR_ENOUGH 0x1p-28 /* a residual this small compared with the gap is enough for a vector */
/* The same for vectors of floats. */
#define STEMR_SPLIT_SINGLE 0x1p-27
#define STEMR_ENOUGH_SINGLE 0x1p-14
#define STEMR_FINE_SINGLE 0x1p-28 /* a bracket this narrow beside the gap needs no refinement */

enum {
    STEMR_DEPTH = 6,        /* levels of clusters below the first representation */
    STEMR_INVERSE_ROW = 10, /* numbers a row that inverse iteration takes */
    STEMR_CROWD = 8,        /* members from which on a cluster shares lanes with no other one */
    STEMR_PROBE_ROW = 4,    /* most probes for each row */
    STEMR_PASSES = 5
};

/* A block of T: rows start to start+length-1. */
typedef struct stemr_block {
    int64_t start, length;
    double sigma;  /* its first representation is T - sigma, perturbed */
    bool is_short; /* it has none: its pairs are there (stemr_short.c) */
} stemr_block;

/* A cluster of the tree, with a representation: that of its parent, less shift.  Its members are pairs first to last.
 * */
typedef struct stemr_node {
    int64_t parent; /* -1: the block's first representation */
    int64_t first, last;
    int level;          /* 1, 2, ... */
    double left, right; /* distance of the neighbours beside the cluster */
    int tries;          /* sets of candidates for its shift that were tried before */
    double growth;      /* largest |D| of its representation */
    int64_t slot;       /* of its first row in the pool; -1: lanes make its representation when they need it */
    wide_d shift;
} stemr_node;

typedef enum stemr_state { STEMR_FRESH, STEMR_ACTIVE, STEMR_SINGLE, STEMR_INVERSE } stemr_state;

/* An eigenpair while it is computed. */
typedef struct stemr_pair {
    int64_t block, index; /* eigenvalue `index`, from 1, of the block */
    int64_t node;         /* whose representation it is refined against; -1: the first one of the block */
    int64_t column;       /* of z; -1: not asked for */
    int64_t run;          /* state STEMR_INVERSE: the first of the pairs that are orthogonalised with it */
    int64_t support_first, support_last; /* rows of its vector that are not 0 */
    wide_d lo, hi, x;                    /* bracket and eigenvalue of that representation */
    double gap;                          /* distance of its neighbours */
    double goal;                         /* its bracket has to become as narrow */
    int64_t probe, probes;               /* those that tell about its bracket */
    int64_t twist;                       /* where its vector is large; -1: not known */
    int64_t top, bottom;                 /* rows of the block beside which its vector counts as 0 */
    double before;                       /* what the refinement's last step found, see eig_cpu_stemr_step */
    bool ready;                          /* x is good enough for the vector */
    double value;                        /* eigenvalue of the scaled T */
    double residual; /* of its vector and the scaled, perturbed T; infinite: it has none, or a bad one */
    stemr_state state;
    bool failed; /* its vector was measured, and is to be made again */
    int info;
} stemr_pair;

/* A count that is wanted: of eigenvalues of the pair's representation, below x. */
typedef struct stemr_probe {
    int64_t pair;
    wide_d x;
    int64_t count;
} stemr_probe;

/* What t->list may hold. */
typedef enum stemr_kind { STEMR_PAIRS, STEMR_NODES, STEMR_PROBES } stemr_kind;

/* Items of one block that share a call of a kernel: list[first .. first+count-1]. */
typedef struct stemr_unit {
    int64_t first;
    int count;
    bool own; /* each lane has the representation of a cluster of its own; else all have the same one */
} stemr_unit;

typedef struct stemr_task {
    eig_context *ctx;
    const stemr_problem *p;
    stemr_limits limits;
    double split, enough, fine; /* STEMR_SPLIT, STEMR_ENOUGH, 0, or those of floats */
    const stemr_kernel *kernel;
    cpu_watch watch;
    double from, part; /* of the watch's unit: what is done, and how much the running part is */
    int threads;
    int scale;       /* the caller's T is the scaled one times 2^scale */
    double *a, *b;   /* [n] the scaled T; b[i] couples rows i-1 and i, 0 where blocks meet */
    stemr_row *rows; /* [n] first representations of all blocks */
    stebz_search search;
    stebz_group *groups; /* [n] brackets of the running block: that of eigenvalue k at k-1 */
    int64_t blocks, pairs, nodes, units;
    int64_t below;         /* eigenvalues of T below all the pairs */
    stemr_block *block;    /* [n] */
    stemr_pair *pair;      /* [n] by block and index */
    stemr_node *node;      /* [node_room] */
    int64_t *list, *order; /* [STEMR_PROBE_ROW n], [n] */
    stemr_unit *unit;      /* [STEMR_PROBE_ROW n] */
    stemr_probe *probe;    /* [STEMR_PROBE_ROW n] */
    stemr_row *pool;       /* [pool_rows] representations of clusters */
    int64_t pool_rows, pool_used;
    double *inverse; /* [STEMR_INVERSE_ROW n], for stemr_inverse.c */
    char *scratch;   /* of each thread */
    size_t scratch_bytes;
    eig_stemr_stats stats;
} stemr_task;

static inline bool wide_less(wide_d x, wide_d y)
{
    return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo);
}

static inline wide_d wide_of(double x)
{
    return (wide_d){x, 0};
}

static inline wide_d wide_difference(wide_d x, wide_d y)
{
    return wide_add_d(x, wide_minus_d(y));
}

static inline wide_d wide_middle(wide_d x, wide_d y)
{
    wide_d const s = wide_add_d(x, y);
    return (wide_d){0.5 * s.hi, 0.5 * s.lo};
}

static inline double stemr_width(const stemr_pair *k)
{
    return wide_difference(k->hi, k->lo).hi;
}

/* The sign of a vector (gauge.inc), for vectors of few rows, and where time does not matter. */
static inline double stemr_sign(const double *v, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; ++i) most = fabs(v[i]) > most ? fabs(v[i]) : most;
    double const least = gauge_least_d(most);
    for (int64_t i = 0; i < n; ++i)
        if (fabs(v[i]) >= least) return gauge_sign_d(v[i]);
    return 1;
}

static inline double stemr_entry(const stemr_problem *p, int64_t column, int64_t row)
{
    return type_get(p->type, p->z, column * p->ldz + row);
}

/* The shift of T that a node's representation stands for; of node -1: the block's. */
wide_d eig_cpu_stemr_shift(const stemr_task *t, int64_t block, int64_t node);

/* stemr_root.c: the scaled T in t->a and t->b, its blocks and their first representations; the pairs that are wanted,
 * with their brackets, and clusters as nodes of level 1. */
eig_status eig_cpu_stemr_root(stemr_task *t);

/* Its parts: the blocks; the first representation of one. */
void eig_cpu_stemr_split(stemr_task *t);
void eig_cpu_stemr_first(stemr_task *t, stemr_block *b);

/* stemr_short.c: pairs first to last of a block of up to STEMR_SHORT_ROWS rows; false where it does not converge.  The
 * vector of such a pair, into its column. */
bool eig_cpu_stemr_short(stemr_task *t, int64_t number, int64_t first, int64_t last);
void eig_cpu_stemr_short_vector(stemr_task *t, stemr_pair *pair);

/* stemr_few.c: whether a call is solved by its formulas; those: all outputs.  The watch is used where certificates are
 * wanted, and need not have been started for others. */
static inline bool stemr_is_few(const stemr_problem *p)
{
    return p->n <= 2 && p->method == EIG_STEMR_AUTO && !p->limits;
}

/* What stebz has to know to count in the range of a call. */
static inline stebz_problem stemr_range_of(const stemr_problem *p)
{
    return (stebz_problem){.type = p->type, .n = p->n, .batch = 1, .d = p->d, .e = p->e, .by_value = p->by_value};
}

eig_status eig_cpu_stemr_few(eig_context *ctx, const stemr_problem *p, cpu_watch *watch);

/* All outputs of a T that is not finite. */
void eig_cpu_stemr_fill_nan(const stemr_problem *p);

/* Bisects a bracket against a block's first representation, as far as its digits tell anything. */
void eig_cpu_stemr_narrow(const stemr_row *rows, int64_t n, int64_t index, wide_d *lo, wide_d *hi);

/* stemr_reference.c: all pairs; the vector of one. */
eig_status eig_cpu_stemr_reference(stemr_task *t);
void eig_cpu_stemr_reference_vector(stemr_task *t, stemr_pair *pair);

/* stemr_tree.c: until every pair is single, or goes to inverse iteration. */
eig_status eig_cpu_stemr_tree(stemr_task *t);

/* The tree into the caller's room. */
void eig_cpu_stemr_copy_tree(stemr_task *t);

/* A node for pairs first to last; they become fresh, or go to inverse iteration where no level is left. */
void eig_cpu_stemr_cluster(stemr_task *t, int64_t parent, int64_t first, int64_t last, double left, double right);

/* stemr_refine.c: shares list[0..count-1] out in units, and does something with each.  Pairs are sorted first, with
 * t->order as room: its contents are lost.  Progress goes from t->from to t->from + t->part. */
typedef void stemr_work(stemr_task *t, const stemr_unit *u, void *scratch);
eig_status eig_cpu_stemr_share(stemr_task *t, stemr_kind kind, int64_t count, stemr_work *work);

/* Makes the lanes' own representations, those of their nodes. */
void eig_cpu_stemr_represent(stemr_task *t, const int64_t *nodes, int lanes, const stemr_row *rows, int64_t n,
                             stemr_lanes *x, void *scratch);

/* The counts of t->probe[0..count-1]; x of all singles, to full accuracy; vectors of those with a column. */
eig_status eig_cpu_stemr_count(stemr_task *t, int64_t count);
eig_status eig_cpu_stemr_refine(stemr_task *t);
eig_status eig_cpu_stemr_vectors(stemr_task *t);

/* One step of a single, by Rayleigh's quotient inside the bracket, else by bisection; whether it was the last.  count,
 * gamma and norm: what a twisted factorisation at x found.  k->before: the residual of the step before, infinite at
 * first and after a bisection. */
bool eig_cpu_stemr_step(stemr_pair *k, double enough, int64_t count, double gamma, double norm);

/* Sorts list[0..count-1] into an order of pairs that is total; room has as many places. */
typedef bool stemr_before(const stemr_task *t, int64_t j, int64_t k);
void eig_cpu_stemr_sort(const stemr_task *t, int64_t *list, int64_t *room, int64_t count, stemr_before *before);

/* stemr_inverse.c: vectors of pairs by inverse iteration, and of neighbours in a cluster that are found not orthogonal.
 * */
eig_status eig_cpu_stemr_inverse(stemr_task *t);

/* stemr_certify.c: residuals and orthogonality of the first `columns` columns of z, where they are asked for. */
eig_status eig_cpu_stemr_certify(stemr_task *t, int64_t columns);

/* ||T z - w z|| of the scaled T, of w and z as they are stored.  judge gets the squares of that and of a vector's
 * length: one that fails goes to inverse iteration.  cluster_of: the pairs of its cluster, of all levels, or itself. */
typedef struct stemr_run {
    int64_t first, last;
} stemr_run;

double eig_cpu_stemr_measure(const stemr_task *t, const stemr_pair *pair);
void eig_cpu_stemr_judge(stemr_task *t, stemr_pair *pair, double residual, double square);
stemr_run eig_cpu_stemr_cluster_of(const stemr_task *t, const stemr_pair *pair);

/* Inner product of the columns of two pairs, which have been written. */
double eig_cpu_stemr_dot(const stemr_problem *p, const stemr_pair *j, const stemr_pair *k);

#endif
