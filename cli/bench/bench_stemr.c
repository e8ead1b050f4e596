/* The benchmark of stemr: all pairs of random matrices, of 1-2-1, which no method deflates, and of glued ones.  Rivals:
 * LAPACK's ?stemr, which is left out of a case that it gives up (info 22), and ?stedc. */
#include "bench/bench.h"
#include "bench/rivals.h"

#include <stdlib.h>

/* A rival on a case. */
typedef struct rival_run {
    int (*solve)(eig_type type, int64_t n, const void *d, const void *e, double *ms);
    const char *name;
    const bench_case *c;
} rival_run;

static int run_rival(void *user, double *ms)
{
    const rival_run *const r = user;
    int const info = r->solve(r->c->type, r->c->n, r->c->in[0].data, r->c->in[1].data, ms);
    return info == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s failed with info = %d", r->name, info);
}

static int run_case(bench *b, bench_case c)
{
    static const char *const methods[] = {"auto", "reference", "mrrr"};
    static const char *const names[2][2] = {{"sstemr", "sstedc"}, {"dstemr", "dstedc"}};
    char method[64];
    bench_method(method, sizeof method, methods[c.stemr.method], c.kind, "uniform", "");
    bench_rival rivals[BENCH_RIVALS];
    rival_run runs[2] = {{rivals_stemr, names[c.type == EIG_D][0], &c}, {rivals_stedc, names[c.type == EIG_D][1], &c}};
    io_error error;
    int count = 0;
    int status = case_make(&c, &error) ? CLI_OK : cli_fail(CLI_USAGE, "%s", error.text);
    for (int i = 0; i < 2 && status == CLI_OK && b->rivals && c.n > 1 && c.n <= 16384; i++) {
        double once = 0; /* a rival that gives a case up, or takes too long, takes no part in it */
        int const info = runs[i].solve(c.type, c.n, c.in[0].data, c.in[1].data, &once);
        if (info != 0)
            fprintf(stderr, "eigpack: %s n = %lld: %s gives up with info = %d\n", c.kind, (long long)c.n, runs[i].name,
                    info);
        if (info != 0 || once > b->rival_ms) continue;
        rivals[count++] = (bench_rival){.name = runs[i].name, .who = {run_rival, &runs[i]}};
    }
    if (status == CLI_OK) status = bench_run(b, &c, method, rivals, count);
    case_free(&c);
    return status;
}

int bench_stemr(bench *b)
{
    static const int64_t all[] = {512, 1024, 2048, 4096}, few[] = {512, 1024};
    static const char *const usual[] = {"uniform", "121", "glued"};
    int64_t *given = NULL, count = b->quick ? 2 : 4;
    int method = EIG_STEMR_AUTO, types, status = CLI_OK;
    eig_type type[2];
    if (!option_integer_list(b->args, "n", 0, &given, &count) || !bench_types(b, type, &types) ||
        !option_choice(b->args, "method", b->methods, &method)) {
        free(given);
        return CLI_USAGE;
    }
    const int64_t *const n = given ? given : b->quick ? few : all;
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : NULL;
    for (int t = 0; t < types; t++)
        for (int k = 0; k < (kind ? 1 : 3); k++)
            for (int64_t i = 0; i < count && status == CLI_OK; i++) {
                bench_case c = case_new(&case_stemr, kind ? kind : usual[k], type[t], n[i], 1);
                c.stemr.method = (eig_stemr_method)method;
                status = run_case(b, c);
            }
    free(given);
    return status;
}
