/* The benchmark of heev: batches of random Hermitian matrices, n = 3 to 512, all types, with vectors or without.
 *
 * The column `method` has "values" behind the method where there are no vectors.  Rival: LAPACK's ?syevd or ?heevd with
 * OpenMP over the matrices on as many threads (its own threads are off), in the same run on the same data.  The bar is 3
 * times its speed up to n = 32, its own speed above. */
#include "bench/bench.h"
#include "bench/rivals.h"

#include <stdlib.h>
#include <string.h>

typedef struct rival_run {
    const bench_case *c;
    int threads;
} rival_run;

static int run_rival(void *user, double *ms)
{
    const rival_run *const r = user;
    const bench_case *const c = r->c;
    int const info = rivals_heevd(c->type, c->n, c->in[0].data, c->batch, !c->values_only, r->threads, ms);
    return info == 0 ? CLI_OK
                     : cli_fail(CLI_FAILED, "LAPACK's %s failed with info = %d", rivals_heev_name(c->type), info);
}

static int run_case(bench *b, bench_case c, const char *method)
{
    io_error error;
    rival_run run = {&c, b->place.threads};
    bench_rival rival = {.name = rivals_heev_name(c.type), .who = {run_rival, &run}};
    if (strncmp(b->place.device, "cpu", 3) == 0) rival.bar = c.n <= 32 ? 3 : 1;
    bool const fits = b->rivals && c.n > 0 && rivals_has_heev();
    int status = case_make(&c, &error) ? CLI_OK : cli_fail(CLI_USAGE, "%s", error.text);
    if (status == CLI_OK) status = bench_run(b, &c, method, &rival, fits ? 1 : 0);
    case_free(&c);
    return status;
}

int bench_heev(bench *b)
{
    static const int64_t all[] = {3, 8, 16, 32, 64, 65, 128, 256, 512}, few[] = {3, 16, 64, 128};
    static const char *const names[] = {"auto", "jacobi", "tridiagonal", "reference"};
    int64_t *given = NULL, count = b->quick ? 4 : 9, batch = 0;
    int types, method = EIG_HEEV_AUTO, status = CLI_OK;
    bool const values_only = option_given(b->args, "values-only");
    eig_type type[4];
    char name[64];
    if (option_given(b->args, "tune")) return bench_tune_heev(b);
    if (!option_integer_list(b->args, "n", 0, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch) || !bench_all_types(b, type, &types) ||
        !option_choice(b->args, "method", b->methods, &method)) {
        free(given);
        return CLI_USAGE;
    }
    const int64_t *const n = given ? given : b->quick ? few : all;
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : "hermitian";
    bench_method(name, sizeof name, names[method], kind, "hermitian", values_only ? " values" : "");
    for (int t = 0; t < types; t++) {
        for (int64_t i = 0; i < count && status == CLI_OK; i++) {
            /* Without --batch about 4*10^6 entries, and eight matrices or more. */
            int64_t const usual = (b->quick ? 200000 : 4000000) / (n[i] > 0 ? n[i] * n[i] : 1) + (b->quick ? 1 : 8);
            bench_case c = case_new(&case_heev, kind, type[t], n[i], batch > 0 ? batch : usual);
            c.heev.method = (eig_heev_method)method, c.values_only = values_only;
            status = run_case(b, c, name);
        }
    }
    free(given);
    return status;
}
