/* Cases: a batch of matrices of a named kind, a call on it, and the check of its answer; for `eigpack bench`, the
 * GPU's benchmarks and the tests.  A family is one table of functions in case_<family>.c.
 *
 *     bench_case c = case_new(&case_geev, "random", EIG_D, 30, 1000);
 *     c.geev.no_balance = 1;
 *     if (case_make(&c, &error) && case_call(ctx, &c) == EIG_OK && case_check(ctx, &c, &e) == EIG_OK) ...
 *     case_free(&c); */
#ifndef EIG_BENCH_CASES_H
#define EIG_BENCH_CASES_H

#include "io/numbers.h"
#include "times.h"

typedef struct bench_case bench_case;

/* Where the arrays of a call lie: on the host those of the case itself, or copies of them on a device. */
typedef struct case_arrays {
    const void *in[2]; /* stebz, stemr: d and e; geev, heev: a */
    void *w;
    int *info;
    void *v; /* stemr; heev, geev: NULL where no vectors are wanted */
} case_arrays;

typedef struct case_family {
    const char *name;
    double allowed; /* larger errors are failures; infinite ones always */
    /* Makes c->in, c->wanted, the type of c->w and, where vectors are wanted, c->v; false with a sentence. */
    bool (*fill)(bench_case *c, io_error *error);
    eig_status (*work_size)(eig_context *ctx, const bench_case *c, size_t *bytes);
    eig_status (*call)(eig_context *ctx, const bench_case *c, const case_arrays *at);
    /* Sets *error for c->w, c->v and c->info, in the family's own units; infinity for what is plainly wrong. */
    eig_status (*check)(eig_context *ctx, const bench_case *c, double *error);
} case_family;

struct bench_case {
    const case_family *family;
    const char *kind;
    eig_type type;
    int64_t n, batch;
    uint64_t seed; /* matrix b takes seed + b; case_new sets 1 */
    eig_stebz_options stebz;
    eig_geev_options geev;
    eig_heev_options heev;
    eig_stemr_options stemr;
    bool values_only; /* heev */
    bool vectors;     /* geev: right eigenvectors, in v */
    int64_t wanted;   /* eigenvalues of a matrix */
    numbers in[2], w, v;
    int *info;
};

/* stebz: the error is the smallest bound 2^i eps max|w|, i >= -2, within which Sturm counts show all eigenvalues (of a
 * large case a sample) to lie, in units of eps max|w|; allowed are 4, or abstol.  max|w| is ||T|| for a range.
 * stemr: the largest of all residuals, in units of n eps ||T||, and of (Z'Z - I) x for random vectors x of 1 and -1, in
 * units of n eps; allowed are 10.
 * geev: the larger of |trace - sum w| for every matrix and sigma_min(A - w I) for every w of some real matrices, in
 * units of n eps ||A||; with vectors ||A x - w x|| of every pair of some matrices.  Allowed are 10.
 * heev: of some matrices the larger of ||A V - V diag(w)|| / ||A|| and ||V^H V - I|| (Frobenius norms) in units of n
 * eps.
 * Without vectors: the smallest bound 2^i n eps max|w|, i >= -6, within which Sturm counts of some matrices show all
 * eigenvalues, in units of n eps max|w|.  w of every matrix ascends, and its sum is the trace to the same limit.
 * Allowed are 10: what Jacobi may err. */
extern const case_family case_stebz, case_stemr, case_geev, case_heev;

bench_case case_new(const case_family *family, const char *kind, eig_type type, int64_t n, int64_t batch);

/* Allocates and fills the arrays; false with a sentence.  case_free releases them either way. */
bool case_make(bench_case *c, io_error *error);
void case_free(bench_case *c);

/* The sentence about a kind that a family cannot use: there is none of this name, or it makes other matrices than the
 * family takes.  Returns false. */
bool case_refuse_kind(const char *kind, const char *family_takes, io_error *error);

/* NaN in every w and v, and -99 in every info. */
void case_poison(bench_case *c);

/* One call on the case's own arrays. */
eig_status case_call(eig_context *ctx, bench_case *c);
eig_status case_check(eig_context *ctx, const bench_case *c, double *error);
bool case_passed(const bench_case *c, double error);

/* A case as a contestant (times.h) on host arrays; `run` takes a case_run and returns an eig_status. */
typedef struct case_run {
    eig_context *ctx;
    bench_case *c;
    numbers first, first_v; /* the first answer */
    bool same;              /* all answers had the same bits */
} case_run;
case_run case_run_new(eig_context *ctx, bench_case *c);
void case_run_free(case_run *r);
int case_run_host(void *run, double *ms);

/* Keeps the first answer, and compares the others with it. */
void case_run_note(case_run *r);

#endif
