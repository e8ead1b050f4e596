/* Small calls, timed one by one: which there are, their arrays of doubles, a check, a row. */
#ifndef EIG_BENCH_LATENCY_H
#define EIG_BENCH_LATENCY_H

#include "eigpack.h"
#include "rows.h"

enum { LATENCY_ARRAYS = 4 /* a (of stebz and stemr d), e, w, vectors */ };

typedef struct latency_case {
    const char *name; /* "heev vectors", ... */
    int64_t n, batch;
    void *array[LATENCY_ARRAYS]; /* where the calls find them */
    eig_status (*call)(eig_context *ctx, const struct latency_case *c);
    eig_status (*work_size)(eig_context *ctx, const struct latency_case *c, size_t *bytes);
} latency_case;

/* All calls for one order and batch: how many of them are set in c, at most LATENCY_CALLS. */
enum { LATENCY_CALLS = 6 };
int latency_cases(int64_t n, int64_t batch, latency_case c[LATENCY_CALLS]);

/* Doubles of array k. */
int64_t latency_count(const latency_case *c, int k);

/* Fills a or d, and e, at random. */
void latency_fill(const latency_case *c, double *const host[LATENCY_ARRAYS]);

/* The largest difference between the sum of a matrix's eigenvalues and its trace, in n eps times its largest row sum; above
 * LATENCY_ALLOWED it fails. */
enum { LATENCY_ALLOWED = 8 };
double latency_error(const latency_case *c, double *const host[LATENCY_ARRAYS]);

/* One row: method is the case's name and `how`. */
bench_row latency_row(const latency_case *c, const char *how, char *method, size_t size, double ms, double limit_ms,
                      double error);

#endif
