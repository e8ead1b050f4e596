/* The benchmark of stebz: all eigenvalues of random matrices, ten of a large one, glued Wilkinson matrices.
 *
 * The column `method` names what is special about a case: "multisection glued", "multisection ten" (eigenvalues n/2-4
 * to n/2+5).  Rivals: LAPACK's ?stebz and ?sterf, which compute on one thread. */
#include "bench/bench.h"
#include "bench/rivals.h"

#include <stdlib.h>

enum { SUBSET = 10 };

/* What a rival took for a smaller case; its time grows with n^2. */
typedef struct rival_history {
    double ms, n;
} rival_history;

/* A rival on a case: one matrix after the other. */
typedef struct rival_run {
    const rival_solver *solver;
    const bench_case *c;
    void *w;
} rival_run;

static int run_rival(void *user, double *ms)
{
    const rival_run *const r = user;
    const bench_case *const c = r->c;
    bool const part = c->stebz.range == EIG_RANGE_INDEX;
    int64_t const n = c->n, il = part ? c->stebz.il : 1, iu = part ? c->stebz.iu : n;
    *ms = 0;
    for (int64_t b = 0; b < c->batch; b++) {
        double one = 0;
        int const info =
            r->solver->solve(n, numbers_at(&c->in[0], b * n), numbers_at(&c->in[1], b * (n - 1)), il, iu, r->w, &one);
        if (info != 0) return cli_fail(CLI_FAILED, "%s failed with info = %d", r->solver->name, info);
        *ms += one;
    }
    return CLI_OK;
}

/* Whether a rival takes part in the case: same type, able to, and not expected to be too slow. */
static bool rival_fits(const bench *b, const bench_case *c, const rival_solver *rival, const rival_history *history)
{
    bool const part = c->stebz.range == EIG_RANGE_INDEX;
    if (rival->type != c->type || (part && !rival->subsets) || c->n < 1) return false;
    double const grown = history->n > 0 ? (double)c->n / history->n : 0;
    double const expected = part ? 0 : history->ms * grown * grown * (double)c->batch;
    return c->n <= INT32_MAX / 8 && expected <= b->rival_ms;
}

static int run_case(bench *b, bench_case c, rival_history *history)
{
    static const char *const methods[] = {"multisection", "interval-tree", "reference"};
    bool const part = c.stebz.range == EIG_RANGE_INDEX;
    char method[64];
    bench_method(method, sizeof method, methods[c.stebz.method], c.kind, "uniform", part ? " ten" : "");
    int count = 0, known = 0;
    const rival_solver *const solvers = b->rivals ? rivals_stebz(&known) : NULL;
    bench_rival rivals[BENCH_RIVALS];
    rival_run runs[BENCH_RIVALS];
    int at[BENCH_RIVALS];
    numbers w = {0};
    io_error error;
    int status =
        case_make(&c, &error) && numbers_make(&w, c.type, c.n) ? CLI_OK : cli_fail(CLI_USAGE, "%s", error.text);
    for (int i = 0; i < known; i++) {
        if (!rival_fits(b, &c, &solvers[i], &history[i])) continue;
        runs[count] = (rival_run){&solvers[i], &c, w.data};
        rivals[count] = (bench_rival){.name = solvers[i].name, .who = {run_rival, &runs[count]}};
        at[count++] = i;
    }
    if (status == CLI_OK) status = bench_run(b, &c, method, rivals, count);
    for (int i = 0; i < count && status == CLI_OK && !part; i++)
        history[at[i]] = (rival_history){rivals[i].ms / (double)c.batch, (double)c.n};
    numbers_free(&w);
    case_free(&c);
    return status;
}

/* Ten of a large matrix in the middle of its spectrum, and a matrix whose eigenvalues come in clusters. */
static int run_special(bench *b, const eig_stebz_options *options, eig_type type, rival_history *history)
{
    int64_t const large = b->quick ? 20000 : 100000, glued = b->quick ? 1050 : 4200;
    bench_case ten = case_new(&case_stebz, "uniform", type, large, 1);
    ten.stebz = *options, ten.stebz.range = EIG_RANGE_INDEX;
    ten.stebz.il = large / 2 - SUBSET / 2 + 1, ten.stebz.iu = ten.stebz.il + SUBSET - 1;
    int const status = run_case(b, ten, history);
    if (status != CLI_OK) return status;
    bench_case clusters = case_new(&case_stebz, "glued", type, glued, 1);
    clusters.stebz = *options;
    return run_case(b, clusters, history);
}

int bench_stebz(bench *b)
{
    static const int64_t all[] = {512, 1024, 2048, 4096, 8192, 16384, 32768}, few[] = {512, 2048};
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    int64_t *given = NULL, count = b->quick ? 2 : 7, batch = 1;
    int method = EIG_STEBZ_MULTISECTION, types, status = CLI_OK;
    eig_type type[2];
    double tolerance = 0;
    if (!option_integer_list(b->args, "n", 0, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch) || !bench_types(b, type, &types) ||
        !option_real(b->args, "tolerance", 0, &tolerance) || !option_choice(b->args, "method", b->methods, &method)) {
        free(given);
        return CLI_USAGE;
    }
    options.abstol = tolerance, options.method = (eig_stebz_method)method;
    const int64_t *const n = given ? given : b->quick ? few : all;
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : "uniform";
    for (int t = 0; t < types && status == CLI_OK; t++) {
        rival_history history[BENCH_RIVALS] = {{0, 0}};
        for (int64_t i = 0; i < count && status == CLI_OK; i++) {
            bench_case c = case_new(&case_stebz, kind, type[t], n[i], batch);
            c.stebz = options;
            status = run_case(b, c, history);
        }
        if (!given && batch == 1 && status == CLI_OK) status = run_special(b, &options, type[t], history);
    }
    free(given);
    return status;
}
