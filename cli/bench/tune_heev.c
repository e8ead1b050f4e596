/* eigpack bench heev --tune: times Jacobi and the tridiagonal method in turns for each order and type, on the context's
 * device, and tells up to which order `auto` should take Jacobi, with vectors and without.
 *
 * The answers of both are checked (bench/support/cases.h).  On a GPU the arrays lie on the host, and what is compared
 * is the time of the passes, that of the kernels. */
#include "bench/bench.h"
#include "bench/support/passes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_N = 64, ENOUGH = 4 /* orders on end that Jacobi loses */ };
static const double form_ms = 150;

/* One method as a contestant. */
typedef struct form_run {
    case_run run;
    bench_case c; /* its arrays are those of the other form */
    bool passes;  /* the kernels' time alone */
} form_run;

static int run_form(void *user, double *ms)
{
    form_run *const r = user;
    r->run.c = &r->c;
    int const status = case_run_host(&r->run, ms);
    if (status != EIG_OK || !r->passes) return cli_status(r->run.ctx, (eig_status)status);
    eig_pass pass[PASSES_MOST];
    int const count = passes_read(r->run.ctx, pass);
    *ms = 0;
    for (int i = 0; i < count; i++) *ms += pass[i].ms;
    return CLI_OK;
}

/* The row of one order: Jacobi, and the tridiagonal method as its rival. */
static int run_row(bench *b, const bench_case *c, bool *jacobi)
{
    bool const passes = strncmp(b->place.device, "cuda", 4) == 0;
    form_run form[2];
    contestant who[2];
    times t[2];
    double error[2] = {0}, ms;
    int status = CLI_OK;
    for (int k = 0; k < 2; k++) {
        form[k] = (form_run){case_run_new(b->ctx, NULL), *c, passes};
        form[k].c.heev.method = k == 0 ? EIG_HEEV_JACOBI : EIG_HEEV_TRIDIAGONAL;
        who[k] = (contestant){run_form, &form[k]};
        if (status == CLI_OK) status = run_form(&form[k], &ms);
        if (status == CLI_OK) status = cli_status(b->ctx, case_check(b->ctx, &form[k].c, &error[k]));
    }
    if (status == CLI_OK) status = times_of_turns(who, 2, b->budget_ms < form_ms ? b->budget_ms : form_ms, t);
    if (status == CLI_OK) {
        bench_row row = {.family = "heev-tune", .type = c->type, .n = c->n, .batch = c->batch};
        row.method = c->values_only ? "jacobi values" : "jacobi", row.rival = "tridiagonal";
        row.time_ms = times_median(&t[0]), row.rival_ms = times_median(&t[1]);
        row.error = error[0] > error[1] ? error[0] : error[1];
        row.passed = case_passed(c, row.error) && form[0].run.same && form[1].run.same;
        *jacobi = row.time_ms < row.rival_ms;
        bench_print(b, &row);
    }
    for (int k = 0; k < 2; k++) case_run_free(&form[k].run);
    return status;
}

static int compare(bench *b, eig_type type, int64_t n, bool values_only, bool *jacobi)
{
    /* A GPU gets many matrices: with few its time is all latency. */
    int64_t batch = strncmp(b->place.device, "cuda", 4) == 0 ? 20000 : 1000000 / (n * n) + 1;
    if (b->quick) batch = batch / 10 + 1;
    if (!option_integer(b->args, "batch", 1, INT64_MAX, &batch)) return CLI_USAGE;
    bench_case c = case_new(&case_heev, "hermitian", type, n, batch);
    io_error error;
    c.values_only = values_only;
    int status = case_make(&c, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK) status = run_row(b, &c, jacobi);
    case_free(&c);
    return status;
}

/* The orders that --n lists, or all up to MOST_N until Jacobi has lost often enough; *most: the last that it won. */
static int tune(bench *b, eig_type type, bool values_only, const int64_t *given, int64_t count, int64_t *most)
{
    int status = CLI_OK;
    *most = 0;
    for (int64_t k = 0, lost = 0; k < count && (given || lost < ENOUGH) && status == CLI_OK; k++) {
        bool jacobi = false;
        int64_t const n = given ? given[k] : k + 1;
        status = compare(b, type, n, values_only, &jacobi);
        lost = jacobi ? 0 : lost + 1;
        if (jacobi) *most = n;
    }
    return status;
}

int bench_tune_heev(bench *b)
{
    int64_t *given = NULL, count = MOST_N, most[4][2] = {{0}};
    int types, status = CLI_OK;
    eig_type type[4];
    if (!bench_all_types(b, type, &types) || !option_integer_list(b->args, "n", 1, &given, &count)) {
        free(given);
        return CLI_USAGE;
    }
    if (strncmp(b->place.device, "cuda", 4) == 0) status = cli_status(b->ctx, eig_set_timing(b->ctx, 1));
    for (int t = 0; t < types && status == CLI_OK; t++)
        for (int k = 0; k < 2 && status == CLI_OK; k++) status = tune(b, type[t], k == 1, given, count, &most[t][k]);
    for (int t = 0; t < types && status == CLI_OK; t++)
        printf("%s: Jacobi is faster up to n = %lld with vectors, %lld without\n", type_name(type[t]),
               (long long)most[t][0], (long long)most[t][1]);
    free(given);
    return status;
}
