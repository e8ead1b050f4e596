/* The benchmark of geev: batches of random matrices, n = 5, 10, ..., 30 and 64.
 *
 * Check: on a sample of the matrices, the largest of |trace - sum w| and |trace(A^2) - sum w^2| / |A| in units of
 * n eps |A| (Frobenius norm), which must not pass 10; info = 0 and finite eigenvalues everywhere; the same bits in all
 * repeats.  Rival: LAPACK's ?gehrd and ?hseqr, which is what ?geev runs after balancing, with OpenMP over the matrices
 * on as many threads (its own threads are off), in the same run on the same data. */
#include "bench.h"
#include "io/matrices_batch.h"
#include "progress.h"
#include "rivals.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 97 }; /* one matrix in so many is checked */

/* One case; a holds the batch in the type that computes, w and first pairs (re, im). */
typedef struct running {
    const char *kind;
    bool single, same;
    int64_t n, batch;
    void *a, *w, *first;
    int *info;
    eig_geev_options options;
} running;

static void release(running *r)
{
    free(r->a);
    free(r->w);
    free(r->first);
    free(r->info);
}

static int prepare(running *r)
{
    size_t const real = r->single ? sizeof(float) : sizeof(double);
    int64_t const square = r->n * r->n, count = square * r->batch;
    double *const matrix = (double *)cli_allocate(square, sizeof *matrix);
    r->a = cli_allocate(count, real);
    r->w = cli_allocate(2 * r->n * r->batch, real);
    r->first = cli_allocate(2 * r->n * r->batch, real);
    r->info = (int *)cli_allocate(r->batch, sizeof *r->info);
    int status = CLI_OK;
    if (!matrix || !r->a || !r->w || !r->first || !r->info)
        status =
            cli_fail(CLI_FAILED, "no memory for the case n = %lld, batch = %lld", (long long)r->n, (long long)r->batch);
    for (int64_t b = 0; status == CLI_OK && b < r->batch; b++) {
        if (!matrices_nonsymmetric(r->kind, r->n, 1, (uint64_t)(1 + b), matrix))
            status = cli_fail(CLI_USAGE, "unknown kind '%s'; see eigpack generate --list", r->kind);
        for (int64_t k = 0; k < square; k++) {
            if (r->single)
                ((float *)r->a)[b * square + k] = (float)matrix[k];
            else
                ((double *)r->a)[b * square + k] = matrix[k];
        }
    }
    free(matrix);
    return status;
}

/* ----------------------------------------------------------------- timing */

static int time_own(bench *b, running *r, bench_times *times)
{
    int64_t const n = r->n;
    progress_part(0, 1);
    double const start = cli_now();
    eig_status const solved =
        eig_geev_batched(b->ctx, r->single ? EIG_S : EIG_D, &r->options, n, r->a, n, n * n, r->w, n, r->info, r->batch);
    double const ms = cli_now() - start;
    int const status = cli_status(b->ctx, solved);
    if (status != CLI_OK) return status;
    size_t const bytes = (size_t)(2 * n * r->batch) * (r->single ? sizeof(float) : sizeof(double));
    if (times->count == 0) memcpy(r->first, r->w, bytes);
    r->same = r->same && memcmp(r->first, r->w, bytes) == 0;
    bench_add(times, ms);
    return CLI_OK;
}

static int time_all(bench *b, running *r, bool rival, bench_times *own, bench_times *other)
{
    bench_times warm = {0};
    int status = time_own(b, r, &warm);
    while (status == CLI_OK && (bench_wants_more(b, own) || (rival && bench_wants_more(b, other)))) {
        if (bench_wants_more(b, own)) status = time_own(b, r, own);
        if (status != CLI_OK || !rival || !bench_wants_more(b, other)) continue;
        double ms = 0;
        int const info = rivals_gehrd_hseqr(r->single, r->n, r->a, r->batch, b->threads, &ms);
        if (info != 0) return cli_fail(CLI_FAILED, "LAPACK's hseqr failed with info = %d", info);
        bench_add(other, ms);
        status = cli_status(b->ctx, EIG_OK); /* a signal during the rival's run */
    }
    return status;
}

/* ------------------------------------------------------------------ check */

static double number(const running *r, const void *x, int64_t k)
{
    return r->single ? (double)((const float *)x)[k] : ((const double *)x)[k];
}

/* The error of matrix m; infinity where an eigenvalue is not finite. */
static double check_one(const running *r, int64_t m)
{
    int64_t const n = r->n;
    double const eps = r->single ? FLT_EPSILON : DBL_EPSILON;
    long double trace = 0, square = 0, norm = 0, sum = 0, sum_square = 0;
    for (int64_t i = 0; i < n; i++) {
        long double const re = (long double)number(r, r->w, 2 * (m * n + i)),
                          im = (long double)number(r, r->w, 2 * (m * n + i) + 1);
        sum += re, sum_square += re * re - im * im;
        trace += (long double)number(r, r->a, m * n * n + i * n + i);
        for (int64_t j = 0; j < n; j++) {
            long double const x = (long double)number(r, r->a, m * n * n + i * n + j);
            square += x * (long double)number(r, r->a, m * n * n + j * n + i);
            norm += x * x;
        }
    }
    norm = sqrtl(norm);
    if (!isfinite((double)(sum + sum_square))) return INFINITY;
    long double const first = fabsl(sum - trace), second = norm > 0 ? fabsl(sum_square - square) / norm : 0;
    long double const unit = (long double)n * eps * norm;
    return unit > 0 ? (double)((first > second ? first : second) / unit) : 0;
}

static double check(const running *r)
{
    double error = 0;
    for (int64_t m = 0; m < r->batch; m++) {
        if (r->info[m] != 0) return INFINITY;
        for (int64_t k = 0; k < 2 * r->n; k++)
            if (!isfinite(number(r, r->w, 2 * m * r->n + k))) return INFINITY;
        if (m % SAMPLE == 0) error = fmax(error, check_one(r, m));
    }
    return error;
}

/* -------------------------------------------------------------------- case */

static int run_case(bench *b, running *r, const char *method)
{
    bench_times own = {0}, other = {0};
    bool const rival = b->rivals && r->n > 0 && rivals_has_geev();
    int status = prepare(r);
    if (status == CLI_OK) status = time_all(b, r, rival, &own, &other);
    if (status == CLI_OK) {
        bench_row row = {.family = "geev", .type = r->single ? "f32" : "f64", .method = method, .n = r->n};
        row.batch = r->batch, row.time_ms = bench_median(&own), row.error = check(r);
        row.passed = row.error <= 10 && r->same;
        if (rival) row.rival = r->single ? "sgehrd+shseqr" : "dgehrd+dhseqr", row.rival_ms = bench_median(&other);
        b->failed += !row.passed;
        bench_print(b, &row);
    }
    release(r);
    return status;
}

int bench_geev(bench *b)
{
    static const int64_t all[] = {5, 10, 15, 20, 25, 30, 64};
    eig_geev_options options = EIG_GEEV_OPTIONS;
    int64_t *given = NULL, count = 7, batch = 0, threads = 0;
    int type = -1, method = EIG_GEEV_AUTO, status = CLI_OK;
    if (option_given(b->args, "tune")) return bench_tune_geev(b);
    if (!option_integer_list(b->args, "n", 0, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch) || !option_choice(b->args, "type", "f64|f32", &type) ||
        !option_choice(b->args, "method", "auto|swb|mwb|reference", &method) ||
        !option_integer(b->args, "threads-per-matrix", 0, 32, &threads)) {
        free(given);
        return CLI_USAGE;
    }
    static const char *const names[] = {"auto", "swb", "mwb", "reference"};
    char name[64];
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : "random";
    bool const usual = strcmp(kind, "random") == 0;
    snprintf(name, sizeof name, "%s%.0lld%s%s", names[method], (long long)threads, usual ? "" : " ", usual ? "" : kind);
    options.method = (eig_geev_method)method, options.threads_per_matrix = (int)threads;
    for (int single = 0; single < 2; single++) {
        for (int64_t i = 0; i < count && status == CLI_OK && (type < 0 || type == single); i++) {
            int64_t const n = given ? given[i] : all[i];
            /* Without --batch about 10^7 entries: 80 MB of doubles, more than the caches hold. */
            int64_t const usual_batch = (b->quick ? 1000000 : 10000000) / (n > 0 ? n * n : 1) + 1;
            running r = {.kind = kind, .single = single == 1, .same = true, .n = n, .options = options};
            r.batch = batch > 0 ? batch : usual_batch;
            status = run_case(b, &r, name);
        }
    }
    free(given);
    return status;
}
