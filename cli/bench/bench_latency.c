/* The benchmark of small calls: what one call from the host's memory takes, batches of 1 to 1000, all families, f64; on a GPU
 * from the call to its end.  A context's workspace is there.  A round is as many calls as take a fifth of a millisecond, one at
 * least, and the time is the median of the rounds.  `bench_latency_cuda` has the calls on arrays of a GPU. */
#include "bench/bench.h"
#include "bench/support/latency.h"

#include <stdlib.h>
#include <string.h>

static const double round_ms = 0.2;

typedef struct latency_run {
    eig_context *ctx;
    latency_case c;
    int calls;
} latency_run;

static int run_round(void *user, double *ms)
{
    const latency_run *const r = user;
    eig_status status = EIG_OK;
    double const start = clock_ms();
    for (int k = 0; k < r->calls && status == EIG_OK; k++) status = r->c.call(r->ctx, &r->c);
    *ms = (clock_ms() - start) / r->calls;
    return cli_status(r->ctx, status);
}

/* The first calls make the workspace; then the number of calls is found that fills a round. */
static int find_calls(latency_run *r)
{
    double ms = 0;
    int status = CLI_OK;
    for (r->calls = 1; r->calls < 4096 && status == CLI_OK; r->calls *= 2) {
        status = run_round(r, &ms);
        if (r->calls > 1 && ms * r->calls >= round_ms) break;
    }
    if (r->calls == 2 && ms > round_ms) r->calls = 1;
    return status;
}

/* Bars: one 3 x 3 with vectors in a microsecond on a CPU, in 30 on a GPU. */
static double limit_of(const bench *b, const latency_case *c)
{
    if (c->n > 3 || c->batch > 1) return 0;
    return strncmp(b->place.device, "cpu", 3) == 0 ? 0.001 : 0.03;
}

static int run_case(bench *b, const latency_case *what)
{
    latency_run r = {.ctx = b->ctx, .c = *what};
    double *host[LATENCY_ARRAYS] = {NULL};
    bool room = true;
    times t;
    contestant const who = {run_round, &r};
    char method[64];
    for (int k = 0; k < LATENCY_ARRAYS; k++) {
        host[k] = (double *)calloc((size_t)latency_count(what, k), sizeof **host);
        r.c.array[k] = host[k], room = room && host[k];
    }
    int status = room ? CLI_OK : cli_fail(CLI_FAILED, "no memory for %s", what->name);
    if (room) latency_fill(what, host);
    if (status == CLI_OK) status = find_calls(&r);
    if (status == CLI_OK) status = times_of_turns(&who, 1, b->budget_ms, &t);
    if (status == CLI_OK) {
        bench_row const row = latency_row(what, "host arrays", method, sizeof method, times_median(&t),
                                          limit_of(b, what), latency_error(what, host));
        bench_print(b, &row);
    }
    for (int k = 0; k < LATENCY_ARRAYS; k++) free(host[k]);
    return status;
}

int bench_latency(bench *b)
{
    static const int64_t all[] = {1, 2, 3, 4, 8, 16, 32, 64}, few[] = {3, 8}, batches[] = {1, 10, 100, 1000};
    int64_t *given = NULL, count = b->quick ? 2 : 8, batch = 0;
    int status = CLI_OK;
    if (!option_integer_list(b->args, "n", 1, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch)) {
        free(given);
        return CLI_USAGE;
    }
    const int64_t *const n = given ? given : b->quick ? few : all;
    int const sizes = batch > 0 ? 1 : b->quick ? 2 : 4;
    for (int k = 0; k < LATENCY_CALLS; k++)
        for (int64_t i = 0; i < count; i++)
            for (int j = 0; j < sizes && status == CLI_OK; j++) {
                latency_case c[LATENCY_CALLS];
                latency_cases(n[i], batch > 0 ? batch : batches[j], c);
                status = run_case(b, &c[k]);
            }
    free(given);
    return status;
}
