/* The benchmark of stebz: all eigenvalues of random matrices, ten of a large one, glued Wilkinson matrices.
 *
 * Check: certificates by Sturm counts in double (tridiagonal.h) for every eigenvalue of the last repeat, and the same
 * bits in all repeats.  The column `method` names what is special of a case: "multisection glued", "multisection
 * ten" (eigenvalues n/2-4 to n/2+5).  Rivals: LAPACK's ?stebz and ?sterf, which compute on one thread. */
#include "bench.h"
#include "io/matrices.h"
#include "progress.h"
#include "rivals.h"
#include "tridiagonal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSET = 10, RIVALS_MAX = 4 };

typedef struct bench_case {
    const char *kind;
    bool single;
    int64_t n, batch;
    bool subset;
} bench_case;

/* One case with its arrays.  d, e and w are the batch, one matrix after the other, in the type that computes. */
typedef struct running {
    bench_case c;
    size_t real;
    tridiagonal *a;          /* [batch] */
    char *d, *e, *w, *first; /* first: the answer of the first repeat */
    int64_t m;               /* eigenvalues a matrix */
    bool same;               /* all repeats gave the same bits */
    eig_stebz_options options;
} running;

/* What a rival took before: its time grows with n^2. */
typedef struct rival_history {
    double ms, n;
} rival_history;

/* ------------------------------------------------------------------ setup */

static void release(running *r)
{
    for (int64_t b = 0; r->a && b < r->c.batch; b++) tridiagonal_free(&r->a[b]);
    free(r->a);
    free(r->d);
    free(r->e);
    free(r->w);
    free(r->first);
}

static int make_matrices(running *r)
{
    int64_t const n = r->c.n;
    for (int64_t b = 0; b < r->c.batch; b++) {
        io_tridiagonal t;
        io_error error;
        if (!matrices_tridiagonal(r->c.kind, n, (uint64_t)(1 + b), &t, &error))
            return cli_fail(CLI_USAGE, "%s", error.text);
        int const status = tridiagonal_make(&r->a[b], &t, r->c.single);
        if (status != CLI_OK) return status;
        const void *const d = r->c.single ? (void *)r->a[b].d : r->a[b].exact.d;
        const void *const e = r->c.single ? (void *)r->a[b].e : r->a[b].exact.e;
        memcpy(r->d + (size_t)(b * n) * r->real, d, (size_t)n * r->real);
        if (n > 1) memcpy(r->e + (size_t)(b * (n - 1)) * r->real, e, (size_t)(n - 1) * r->real);
    }
    return CLI_OK;
}

static int prepare(running *r, const bench_case *c, const eig_stebz_options *options)
{
    *r = (running){.c = *c, .real = c->single ? sizeof(float) : sizeof(double), .m = c->n, .same = true};
    r->options = *options;
    if (c->subset) {
        r->m = SUBSET;
        r->options.range = EIG_RANGE_INDEX;
        r->options.il = c->n / 2 - SUBSET / 2 + 1;
        r->options.iu = r->options.il + SUBSET - 1;
    }
    r->a = (tridiagonal *)calloc((size_t)c->batch, sizeof *r->a);
    r->d = (char *)cli_allocate(c->n * c->batch, r->real);
    r->e = (char *)cli_allocate(c->n * c->batch, r->real);
    r->w = (char *)cli_allocate(r->m * c->batch, r->real);
    r->first = (char *)cli_allocate(r->m * c->batch, r->real);
    if (!r->a || !r->d || !r->e || !r->w || !r->first)
        return cli_fail(CLI_FAILED, "no memory for the case n = %lld, batch = %lld", (long long)c->n,
                        (long long)c->batch);
    return make_matrices(r);
}

/* ----------------------------------------------------------------- timing */

static eig_status call(bench *b, running *r)
{
    int64_t const n = r->c.n, batch = r->c.batch, m = r->m;
    void *const d = r->d, *const e = r->e, *const w = r->w;
    const eig_stebz_options *const o = &r->options;
    eig_type const type = r->c.single ? EIG_S : EIG_D;
    if (batch == 1) return eig_stebz(b->ctx, type, o, n, d, e, NULL, w, NULL, NULL, NULL);
    return eig_stebz_batched(b->ctx, type, o, n, d, n, e, n - 1, w, NULL, NULL, m, NULL, batch);
}

static int time_own(bench *b, running *r, bench_times *times)
{
    progress_part(0, 1);
    double const start = cli_now();
    eig_status const solved = call(b, r);
    double const ms = cli_now() - start;
    int const status = cli_status(b->ctx, solved);
    if (status != CLI_OK) return status;
    size_t const bytes = (size_t)(r->m * r->c.batch) * r->real;
    if (times->count == 0) memcpy(r->first, r->w, bytes);
    r->same = r->same && memcmp(r->first, r->w, bytes) == 0;
    bench_add(times, ms);
    return CLI_OK;
}

static int time_rival(const running *r, const rival_solver *rival, void *w, bench_times *times)
{
    int64_t const n = r->c.n, il = r->c.subset ? r->options.il : 1, iu = r->c.subset ? r->options.iu : n;
    double sum = 0;
    for (int64_t k = 0; k < r->c.batch; k++) {
        double ms = 0;
        int const info =
            rival->solve(n, r->d + (size_t)(k * n) * r->real, r->e + (size_t)(k * (n - 1)) * r->real, il, iu, w, &ms);
        if (info != 0) return cli_fail(CLI_FAILED, "%s failed with info = %d", rival->name, info);
        sum += ms;
    }
    bench_add(times, sum);
    return CLI_OK;
}

/* Whether a rival takes part in the case: same type, able to, and not expected to be too slow. */
static bool rival_fits(const bench *b, const running *r, const rival_solver *rival, const rival_history *history)
{
    if (rival->single != r->c.single || (r->c.subset && !rival->subsets) || r->c.n < 1) return false;
    double const grown = history->n > 0 ? (double)r->c.n / history->n : 0;
    double const expected = r->c.subset ? 0 : history->ms * grown * grown * (double)r->c.batch;
    return r->c.n <= INT32_MAX / 8 && expected <= b->rival_ms;
}

/* Contestants take turns until each has used its time: own times in times[0], rivals' behind it. */
static int time_all(bench *b, running *r, const rival_solver *rivals, int count, const bool *fits, bench_times *times)
{
    void *const w = cli_allocate(r->c.n, r->real);
    int status = w ? cli_status(b->ctx, call(b, r)) : cli_fail(CLI_FAILED, "no memory for a rival's answer");
    for (bool more = true; more && status == CLI_OK;) {
        more = false;
        if (bench_wants_more(b, &times[0])) more = true, status = time_own(b, r, &times[0]);
        for (int i = 0; i < count && status == CLI_OK; i++)
            if (fits[i] && bench_wants_more(b, &times[i + 1]))
                more = true, status = time_rival(r, &rivals[i], w, &times[i + 1]);
        if (status == CLI_OK) status = cli_status(b->ctx, EIG_OK); /* a signal during a rival's run */
    }
    free(w);
    return status;
}

/* ------------------------------------------------------------------ check */

/* The smallest bound 2^i eps max|w|, i >= -2, or else the allowed one, that certificates show for matrix k.  Sets
 * *error to it in units of eps max|w|; infinity where even the allowed bound fails. */
static int check_one(bench *b, const running *r, int64_t k, double *error)
{
    const tridiagonal *const a = &r->a[k];
    spectrum s = {.m = r->m, .first = r->c.subset ? r->options.il : 1};
    s.w = (double *)cli_allocate(r->m, sizeof *s.w);
    int64_t *const bad = (int64_t *)cli_allocate(r->m, sizeof *bad);
    int64_t count = r->m;
    int status = s.w && bad ? CLI_OK : cli_fail(CLI_FAILED, "no memory to check the answers");
    const char *const w = r->w + (size_t)(k * r->m) * r->real;
    for (int64_t i = 0; status == CLI_OK && i < r->m; i++) {
        s.w[i] = r->c.single ? (double)((const float *)(const void *)w)[i] : ((const double *)(const void *)w)[i];
        bad[i] = i;
    }
    if (status == CLI_OK && r->m > 0) {
        double const size = r->c.subset ? tridiagonal_norm(&a->exact) : fmax(fabs(s.w[0]), fabs(s.w[r->m - 1]));
        double const unit = (r->c.single ? 0x1p-23 : 0x1p-52) * size;
        double const allowed = fmax(r->options.abstol, 4 * unit);
        double bound = fmin(0.25 * unit, allowed);
        while ((status = spectrum_certify(b->ctx, a, &s, bound, bad, &count)) == CLI_OK && count > 0 && bound < allowed)
            bound = fmin(2 * bound, allowed);
        *error = fmax(*error, count > 0 ? INFINITY : unit > 0 ? bound / unit : 0);
    }
    free(s.w);
    free(bad);
    return status;
}

/* -------------------------------------------------------------------- case */

static int run_case(bench *b, const bench_case *c, const eig_stebz_options *options, rival_history *history)
{
    running r;
    int count = 0;
    const rival_solver *const rivals = b->rivals ? rivals_stebz(&count) : NULL;
    bench_times times[RIVALS_MAX + 1] = {0};
    bool fits[RIVALS_MAX] = {false};
    double error = 0;
    int status = prepare(&r, c, options);
    for (int i = 0; i < count; i++) fits[i] = rival_fits(b, &r, &rivals[i], &history[i]);
    if (status == CLI_OK) status = time_all(b, &r, rivals, count, fits, times);
    for (int64_t k = 0; k < c->batch && status == CLI_OK; k++) status = check_one(b, &r, k, &error);
    if (status == CLI_OK) {
        static const char *const methods[] = {"multisection", "interval-tree", "reference"};
        char method[64];
        snprintf(method, sizeof method, "%s%s%s%s", methods[options->method],
                 strcmp(c->kind, "uniform") == 0 ? "" : " ", strcmp(c->kind, "uniform") == 0 ? "" : c->kind,
                 c->subset ? " ten" : "");
        bench_row row = {.family = "stebz", .type = c->single ? "f32" : "f64", .method = method, .n = c->n};
        row.batch = c->batch, row.time_ms = bench_median(&times[0]);
        row.error = error, row.passed = isfinite(error) && r.same;
        b->failed += !row.passed;
        int printed = 0;
        for (int i = 0; i < count; i++) {
            if (!fits[i]) continue;
            row.rival = rivals[i].name, row.rival_ms = bench_median(&times[i + 1]);
            if (!c->subset) history[i] = (rival_history){row.rival_ms / (double)c->batch, (double)c->n};
            bench_print(b, &row);
            printed++;
        }
        if (!printed) bench_print(b, &row);
    }
    release(&r);
    return status;
}

int bench_stebz(bench *b)
{
    static const int64_t all[] = {512, 1024, 2048, 4096, 8192, 16384, 32768}, few[] = {512, 2048};
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    int64_t *given = NULL, count = b->quick ? 2 : 7, batch = 1;
    int method = EIG_STEBZ_MULTISECTION, type = -1, status = CLI_OK;
    double tolerance = 0;
    if (!option_integer_list(b->args, "n", 0, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch) || !option_choice(b->args, "type", "f64|f32", &type) ||
        !option_real(b->args, "tolerance", 0, &tolerance) ||
        !option_choice(b->args, "method", "multisection|interval-tree|reference", &method)) {
        free(given);
        return CLI_USAGE;
    }
    options.abstol = tolerance, options.method = (eig_stebz_method)method;
    const int64_t *const n = given ? given : b->quick ? few : all;
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : "uniform";
    for (int single = 0; single < 2; single++) {
        if (type >= 0 && type != single) continue;
        rival_history history[RIVALS_MAX] = {{0, 0}};
        for (int64_t i = 0; i < count && status == CLI_OK; i++)
            status = run_case(b, &(bench_case){kind, single == 1, n[i], batch, false}, &options, history);
        if (given || batch > 1 || status != CLI_OK) continue;
        int64_t const large = b->quick ? 20000 : 100000, glued = b->quick ? 1050 : 4200;
        status = run_case(b, &(bench_case){"uniform", single == 1, large, 1, true}, &options, history);
        if (status == CLI_OK)
            status = run_case(b, &(bench_case){"glued", single == 1, glued, 1, false}, &options, history);
    }
    free(given);
    return status;
}
