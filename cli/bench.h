/* Benchmarks: what the families' cases share.  A family adds bench_<family>.c and a row in cmd_bench.c. */
#ifndef EIG_CLI_BENCH_H
#define EIG_CLI_BENCH_H

#include "cli.h"

#include <stdio.h>

enum { BENCH_SAMPLES = 101 }; /* most repeats of one case */

typedef struct bench {
    const arguments *args;
    eig_context *ctx;
    bool quick, rivals;
    double budget_ms; /* time for the repeats of one contestant of one case */
    double rival_ms;  /* a rival expected to take longer for one run is left out */
    char device[80], machine[160];
    int threads;
    FILE *csv;
    int64_t failed; /* cases whose answers did not pass */
} bench;

/* One line: a case, or a case against one rival. */
typedef struct bench_row {
    const char *family, *type, *method;
    int64_t n, batch;
    double time_ms, limit_ms; /* limit_ms <= 0: none is stated */
    const char *rival;        /* NULL: none */
    double rival_ms;
    double error; /* of the family's own measure; see docs */
    bool passed;
} bench_row;

/* Prints the row and appends it to the CSV. */
void bench_print(bench *b, const bench_row *row);

/* Repeats of one contestant, and their median. */
typedef struct bench_times {
    int count;
    double ms[BENCH_SAMPLES], total_ms;
} bench_times;
void bench_add(bench_times *t, double ms);
bool bench_wants_more(const bench *b, const bench_times *t);
double bench_median(const bench_times *t);

/* Run the family's cases.  Return an exit status; wrong answers count in b->failed. */
int bench_stebz(bench *b);
int bench_geev(bench *b);
int bench_tune_geev(bench *b);

#endif
