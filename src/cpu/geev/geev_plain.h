/* geev on the CPU: the plain code that its files share, of one type.  A complex matrix lies in two planes, the real
 * parts of its entries and the imaginary ones. */
#ifndef EIG_GEEV_PLAIN_H
#define EIG_GEEV_PLAIN_H

#include "per_type.h"
#include "problem.h"
#include "team.h"
#include "watch.h"

enum { GEEV_PARTS = EIG_COMPLEX ? 2 : 1 };

/* A matrix: element (i, j) is a[i*si + j*sj], its imaginary part lies `im` further on. */
typedef struct geev_view {
    real *a;
    int64_t si, sj, im;
} geev_view;

/* The largest absolute value among the parts of x[0], x[step], ..., x[(count-1)*step]. */
static inline real geev_largest(int64_t count, const real *x, int64_t step, int64_t im)
{
    real most = 0;
    for (int part = 0; part < GEEV_PARTS; ++part) {
        for (int64_t k = 0; k < count; ++k) {
            real const size = fabs(x[k * step + part * im]);
            most = size > most ? size : most;
        }
    }
    return most;
}

/* The largest absolute value in rows and columns l..i of a column-major matrix with `below` diagonals below the main
 * one. */
static inline real geev_largest_of(geev_view h, int64_t l, int64_t i, int64_t below)
{
    real most = 0;
    for (int64_t j = l; j <= i; ++j) {
        int64_t const last = j + below < i ? j + below : i;
        real const here = geev_largest(last - l + 1, h.a + l + j * h.sj, 1, h.im);
        most = here > most ? here : most;
    }
    return most;
}

/* Whether to go on with a matrix; part: how much of it is done, 0 to 1. */
static inline bool geev_go_on(cpu_watch *watch, double part)
{
    return !watch || eig_cpu_watch_look(watch, part);
}

/* A matrix while it is solved: A = P D Q T Q^H D^-1 P^T / factor, with P and D of balancing.  In the plain solver the
 * matrices are column-major. */
typedef struct geev_schur {
    int64_t n, lo, hi;      /* rows and columns lo..hi were not triangular after the permutation */
    geev_view t, q;         /* T; Q, with a == NULL where only eigenvalues are wanted */
    real *re, *im;          /* [n] the eigenvalues of T, in order */
    real *scale;            /* [n] the diagonal of D */
    int64_t *from;          /* [n] row i of P^T x is row from[i] of x; NULL where only eigenvalues are wanted */
    real *x, *y, *work;     /* [2n] each; the first two hold a row each during the reduction */
    void *lanes;            /* of geev_back.h: GEEV_BACK_ROWS n vectors of 64 bytes, aligned */
    real *more;             /* [2n] of geev_repair.c; NULL where only eigenvalues are wanted, as is marks */
    unsigned char *marks;   /* [n] of it */
    real *spare;            /* [4 n^2]: for vectors of which only condition numbers are wanted; or NULL */
    struct geev_room *room; /* of geev_large.c */
    int depth;              /* likewise: of windows within windows; 0: the matrix itself */
    cpu_member *who;        /* likewise: the first thread of those that share the matrix */
} geev_schur;

/* The steps of a matrix, false where the watch stops them: the reduction to Hessenberg form, T := Q^H T Q; the
 * iteration, at most `most` steps between two deflations, which writes eigenvalues to re and im, and *info as
 * eig_dgeev_batched defines it; eigenvectors and condition numbers, which it stores.  geev_francis.h has the first two
 * of the plain solver for the real types, geev_single_shift.h for the complex ones, geev_vectors.c the third. */
typedef struct geev_form {
    bool (*hessenberg)(const geev_schur *s, cpu_watch *watch);
    bool (*iterate)(const geev_schur *s, int most, int *info, cpu_watch *watch);
    bool (*vectors)(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch);
} geev_form;

/* Loads matrix b to s->t, computes it by these steps and stores its results; nothing of it where the watch stops it. */
void TYPED(eig_cpu_geev_by)(const geev_problem *p, int64_t b, geev_schur *s, const geev_form *form, cpu_watch *watch);

/* The work area of a matrix of order n; values: only eigenvalues are wanted.  The bytes are geev_reference_bytes. */
geev_schur TYPED(eig_cpu_geev_carve)(int64_t n, bool values, void *work);

/* Loads matrix b to s->t; false if an entry is not finite. */
bool TYPED(eig_cpu_geev_load)(const geev_problem *p, int64_t b, const geev_schur *s);

/* Permutes the matrix so that it is upper triangular except for the diagonal block lo..hi (hi < lo: there is no such
 * block).  from: [n] out; NULL: above and beside that block only the diagonal stays.  counts: [n] work. */
void TYPED(eig_cpu_geev_isolate)(int64_t n, geev_view v, int64_t *from, int *counts, int64_t *lo, int64_t *hi);

/* Scales the rows and columns of that block by powers of two until the norms of row i and column i agree by the rules
 * of dgebal.  scale: [n] out: column i was multiplied by scale[i]. */
void TYPED(eig_cpu_geev_balance)(int64_t n, geev_view v, real *scale, int64_t lo, int64_t hi);

/* Puts the transpose of the matrix in its place where that is the better problem (balance_turns), permuted so that it
 * is upper triangular except for a block again; lo and hi become its.  from, scale, alone: of that problem, if they are
 * not NULL; alone: [2n], two for each row, n apart. */
bool TYPED(eig_cpu_geev_turn)(int64_t n, geev_view v, int64_t *from, real *scale, real *alone, int64_t *lo,
                              int64_t *hi);

/* The problem of the transposes, in `copy`: left and right vectors are exchanged.  The conjugates of its vectors are
 * those of p. */
static inline const geev_problem *geev_transposed(const geev_problem *p, geev_problem *copy)
{
    *copy = *p;
    copy->row_major = !p->row_major;
    copy->vl = p->vr, copy->ldvl = p->ldvr, copy->stride_vl = p->stride_vr;
    copy->vr = p->vl, copy->ldvr = p->ldvl, copy->stride_vr = p->stride_vl;
    return copy;
}

/* Conjugates all vectors of matrix b that are stored. */
void TYPED(eig_cpu_geev_conjugate)(const geev_problem *p, int64_t b);

static inline double geev_cube(double x)
{
    return x * x * x;
}

/* The reduction's part of the flops. */
static double const geev_reduction = 0.3;

/* Makes a 2 x 2 block on the diagonal of T, with real eigenvalues re[l] and re[l+1], triangular. */
void TYPED(eig_cpu_geev_split)(const geev_schur *s, int64_t l);

/* Makes the 2 x 2 blocks of T standard, as LAPACK's lanv2, and their eigenvalues with them. */
void TYPED(eig_cpu_geev_standardise)(const geev_schur *s);

/* Makes pairs of T real whose imaginary parts underflow when they are multiplied by unscale: the smaller entry beside
 * the diagonal is below the smallest number then.  form: T itself is wanted, in standard form, and its entries
 * decide. */
void TYPED(eig_cpu_geev_settle)(const geev_schur *s, real unscale, bool form);

/* What the certificate of the eigenvalues compares them with: sums over rows and columns lo..hi of a matrix, times
 * `factor`. */
typedef struct geev_traces {
    real factor, square, first[2], second[2];
} geev_traces;

/* Those of T, before it is reduced. */
geev_traces TYPED(eig_cpu_geev_traces)(const geev_schur *s);

/* Whether eigenvalues lo..hi have these traces. */
bool TYPED(eig_cpu_geev_has_traces)(const geev_schur *s, const geev_traces *traces);

enum { GEEV_MOST_GROWTH = 2 }; /* by D, up to which a vector needs no test (geev_repair.c) */

/* Whether D is so widely spread that it may have spoilt a vector. */
static inline bool geev_is_wide(int64_t n, const real *scale)
{
    real most = scale[0], least = scale[0];
    for (int64_t i = 1; i < n; ++i) {
        most = scale[i] > most ? scale[i] : most;
        least = scale[i] < least ? scale[i] : least;
    }
    return !(most <= GEEV_MOST_GROWTH * least);
}

/* The problem whose vectors are all stored, in `copy`, where their condition numbers need it: so these have the same
 * bits whatever else is wanted.  Else p. */
static inline const geev_problem *geev_with_spare(const geev_problem *p, const geev_schur *s, geev_problem *copy)
{
    int64_t const n = p->n;
    if (!p->certify || !p->condition || (p->vl && p->vr) || !s->spare || !geev_is_wide(n, s->scale)) return p;
    *copy = *p;
    if (!p->vr) copy->vr = s->spare, copy->ldvr = n, copy->stride_vr = 0;
    if (!p->vl) copy->vl = s->spare + 2 * n * n, copy->ldvl = n, copy->stride_vl = 0;
    return copy;
}

/* How a repair ends. */
typedef enum geev_repaired {
    GEEV_GOOD,   /* all vectors pass their tests, */
    GEEV_SPOILT, /* or one does not, since its eigenvalue is not good for A */
    GEEV_HALTED  /* by the watch */
} geev_repaired;

/* Tests the vectors of matrix b that are stored, and finds again those that fail.  Overwrites all of *s but the
 * permutation.
 * form: NULL, or its reduction is taken. */
geev_repaired TYPED(eig_cpu_geev_repair)(const geev_problem *p, int64_t b, const geev_schur *s, const geev_form *form,
                                         cpu_watch *watch);

/* Stores T times unscale and Q of matrix b; NaN where s is NULL.  Clears what lies below T. */
void TYPED(eig_cpu_geev_store_schur)(const geev_problem *p, int64_t b, const geev_schur *s, real unscale);

/* Stores eigenvalues re[k*step] + i im[k*step] of matrix b, times unscale, and the measure and info that the call asks
 * for.
 * Returns the latter: where info is 0 and values are too large for a number, these become NaN, and the last one's
 * place, from 1, is the info. */
int TYPED(eig_cpu_geev_store)(const geev_problem *p, int64_t b, const real *re, const real *im, int64_t step,
                              real unscale, int info);

/* Scales T, row- or column-major, and its eigenvalues by a power of two: the largest entry then lies between 1 and 2.
 * */
void TYPED(eig_cpu_geev_scale_form)(const geev_schur *s);

/* Stores eigenvectors and condition numbers of matrix b; NaN where s is NULL.  Scales T.  watch is not used. */
bool TYPED(eig_cpu_geev_vectors)(const geev_problem *p, int64_t b, const geev_schur *s, cpu_watch *watch);

#endif
