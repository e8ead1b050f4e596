/* Benchmarks of the program: what the families' lists of cases share.  A family adds bench_<family>.c and a row in
 * cmd_bench.c; the cases themselves are bench/support/cases.h. */
#ifndef EIG_CLI_BENCH_H
#define EIG_CLI_BENCH_H

#include "bench/support/cases.h"
#include "bench/support/rows.h"
#include "run/context.h"
#include "run/files.h"

enum { BENCH_RIVALS = 4 }; /* most of one family */

typedef struct bench {
    const arguments *args;
    const char *methods; /* the words of --method */
    eig_context *ctx;
    bool quick, rivals;
    double budget_ms; /* time for the repeats of one contestant of one case */
    double rival_ms;  /* a rival expected to take longer for one run is left out */
    bench_place place;
    FILE *csv;
    int64_t failed; /* cases whose answers did not pass */
} bench;

/* One rival of a case. */
typedef struct bench_rival {
    const char *name;
    contestant who; /* its run ends with 0, or with an exit status after a sentence */
    double ms;      /* set by bench_run: the median */
    double bar;     /* > 0: the bar of the case is the rival's time divided by it */
} bench_rival;

/* What the column `method` adds for a case's kind: " kind", or "" for the usual one. */
void bench_method(char *text, size_t size, const char *method, const char *kind, const char *usual, const char *more);

/* Runs a case and its rivals in turns, checks the answer, prints a row for each rival, or one.  Returns an exit
 * status; wrong answers count in b->failed. */
int bench_run(bench *b, bench_case *c, const char *method, bench_rival *rivals, int count);

/* Prints the row and appends it to the CSV. */
void bench_print(bench *b, const bench_row *row);

/* The values of --type, or all real types: *count of them in types[2]. */
bool bench_types(const bench *b, eig_type types[2], int *count);

/* The same with the complex types. */
bool bench_all_types(const bench *b, eig_type types[4], int *count);

/* Run the family's cases.  Return an exit status. */
int bench_stebz(bench *b);
int bench_stemr(bench *b);
int bench_geev(bench *b);
int bench_heev(bench *b);
int bench_latency(bench *b);
int bench_tune_geev(bench *b);
int bench_tune_heev(bench *b);

#endif
