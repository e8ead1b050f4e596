/* What the GPU's benchmarks share: two contexts, the table on stdout, and the way from a case to its row. */
#ifndef EIG_BENCH_CUDA_H
#define EIG_BENCH_CUDA_H

#include "bench/support/cuda_side.h"

#include <math.h>

static eig_context *gpu, *cpu;
static bench_place place;

/* Ends the program where a call of the library failed. */
static inline void must(eig_context *ctx, eig_status status)
{
    if (status == EIG_OK) return;
    fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    exit(1);
}
#define GPU(call) must(gpu, (call))

/* Opens both contexts and prints the names of the columns.  Without a GPU the program ends with 77. */
static inline void bench_open(const char *commit)
{
    if (eig_create(&gpu, "cuda") != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(gpu));
        exit(77);
    }
    must(cpu, eig_create(&cpu, "cpu"));
    place = bench_place_of(gpu, NULL, commit);
    fprintf(stderr, "# %s; %s\n", place.machine, eig_describe(cpu));
    fputs(bench_columns, stdout);
}

static inline void bench_close(void)
{
    eig_destroy(gpu);
    eig_destroy(cpu);
}

static inline void bench_make(bench_case *c)
{
    io_error error;
    if (case_make(c, &error)) return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

/* The median of a contestant's repeats. */
static inline double bench_time(contestant who, double budget_ms)
{
    times t;
    if (times_of_turns(&who, 1, budget_ms, &t) == 0) return times_median(&t);
    fprintf(stderr, "a timed call failed: %s; %s\n", eig_error_detail(gpu), eig_error_detail(cpu));
    exit(1);
}

static inline bench_row bench_row_of(const bench_case *c, const char *family, const char *method, double ms)
{
    bench_row const row = {family, method, c->type, c->n, c->batch, 0, ms, 0, NULL, 0, -1, false};
    return row;
}

/* Checks the case's answer and what `run` noted of its repeats. */
static inline void bench_check(bench_row *row, const case_run *run)
{
    GPU(case_check(gpu, run->c, &row->error));
    row->passed = case_passed(run->c, row->error) && run->same;
}

static inline void bench_put(const bench_row *row)
{
    bench_write_row(stdout, &place, row);
}

#endif
