/* One line of a benchmark's table. */
#ifndef EIG_BENCH_ROWS_H
#define EIG_BENCH_ROWS_H

#include "io/numbers.h"

#include <stdio.h>

/* Where a table was measured. */
typedef struct bench_place {
    char device[80], machine[160];
    int threads;
    const char *commit;
} bench_place;

/* A case, or a case against one rival. */
typedef struct bench_row {
    const char *family, *method;
    eig_type type;
    int64_t n, batch;
    int threads_per_matrix;   /* > 0: takes the place of the context's threads */
    double time_ms, limit_ms; /* limit_ms: the bar set for the case; <= 0: there is none */
    const char *rival;        /* NULL: none */
    double rival_ms;
    double error; /* of the family's own measure (cases.h); < 0: none */
    bool passed;
} bench_row;

/* The names of the columns, one line with its end. */
extern const char bench_columns[];

/* "ok" or "FAIL". */
const char *bench_verdict(const bench_row *row);

void bench_write_row(FILE *csv, const bench_place *place, const bench_row *row);

/* Describes the context's device: "cpu avx512" with its threads, or "cuda" with the GPU as the machine. */
bench_place bench_place_of(eig_context *ctx, const char *machine, const char *commit);

#endif
