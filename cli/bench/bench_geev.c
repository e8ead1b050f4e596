/* The benchmark of geev: batches of random matrices, n = 5, 10, ..., 30 and 64; with --vectors also right eigenvectors.
 *
 * Rival: of the values of real matrices LAPACK's ?gehrd and ?hseqr, which is what ?geev runs after balancing, else ?geev,
 * with OpenMP over the matrices on as many threads (its own threads are off), in the same run on the same data.  The bar
 * in f64 is 5 times its speed, with vectors 3 times it up to n = 32; above n = 64, and with vectors above 32, its own speed. */
#include "bench/bench.h"
#include "bench/rivals.h"

#include <stdlib.h>
#include <string.h>

typedef struct rival_run {
    const bench_case *c;
    int threads;
} rival_run;

/* Whether the rival is ?geev. */
static bool is_whole(const bench_case *c)
{
    return c->vectors || type_is_complex(c->type);
}

static int run_rival(void *user, double *ms)
{
    const rival_run *const r = user;
    const bench_case *const c = r->c;
    int const info = is_whole(c) ? rivals_geev(c->type, c->n, c->in[0].data, c->batch, c->vectors, r->threads, ms)
                                 : rivals_gehrd_hseqr(c->type, c->n, c->in[0].data, c->batch, r->threads, ms);
    return info == 0 ? CLI_OK : cli_fail(CLI_FAILED, "LAPACK failed with info = %d", info);
}

static const char *rival_name(const bench_case *c)
{
    if (!is_whole(c)) return c->type == EIG_S ? "sgehrd+shseqr" : "dgehrd+dhseqr";
    return c->type == EIG_S ? "sgeev" : c->type == EIG_D ? "dgeev" : c->type == EIG_C ? "cgeev" : "zgeev";
}

static int run_case(bench *b, bench_case c, const char *method)
{
    io_error error;
    rival_run run = {&c, b->place.threads};
    bench_rival rival = {.name = rival_name(&c), .who = {run_rival, &run}};
    if (c.type == EIG_D && strncmp(b->place.device, "cpu", 3) == 0)
        rival.bar = c.n > 64 ? 1 : !c.vectors ? 5 : c.n <= 32 ? 3 : 1;
    bool const fits = b->rivals && c.n > 0 && (is_whole(&c) ? rivals_has_whole_geev() : rivals_has_geev());
    int status = case_make(&c, &error) ? CLI_OK : cli_fail(CLI_USAGE, "%s", error.text);
    if (status == CLI_OK) status = bench_run(b, &c, method, &rival, fits ? 1 : 0);
    case_free(&c);
    return status;
}

int bench_geev(bench *b)
{
    static const int64_t all[] = {5, 10, 15, 20, 25, 30, 64};
    static const char *const names[] = {"auto", "swb", "mwb", "reference"};
    int64_t *given = NULL, count = 7, batch = 0, threads = 0;
    int types, method = EIG_GEEV_AUTO, status = CLI_OK;
    bool const vectors = option_given(b->args, "vectors");
    eig_type type[4];
    char form[32], name[64];
    if (option_given(b->args, "tune")) return bench_tune_geev(b);
    if (!option_integer_list(b->args, "n", 0, &given, &count) ||
        !option_integer(b->args, "batch", 1, INT64_MAX, &batch) ||
        !(vectors || option_given(b->args, "type") ? bench_all_types : bench_types)(b, type, &types) ||
        !option_choice(b->args, "method", b->methods, &method) ||
        !option_integer(b->args, "threads-per-matrix", 0, 32, &threads)) {
        free(given);
        return CLI_USAGE;
    }
    const char *const kind = option_given(b->args, "kind") ? option_text(b->args, "kind") : "random";
    snprintf(form, sizeof form, "%s%.0lld", names[method], (long long)threads);
    bench_method(name, sizeof name, form, kind, "random", vectors ? " vectors" : "");
    for (int t = 0; t < types; t++) {
        for (int64_t i = 0; i < count && status == CLI_OK; i++) {
            int64_t const n = given ? given[i] : all[i];
            /* Without --batch about 10^7 entries: 80 MB of doubles, more than the caches hold. */
            int64_t const usual = (b->quick ? 1000000 : 10000000) / (n > 0 ? n * n : 1) + 1;
            bench_case c = case_new(&case_geev, kind, type[t], n, batch > 0 ? batch : usual);
            c.geev.method = (eig_geev_method)method, c.geev.threads_per_matrix = (int)threads;
            c.vectors = vectors;
            status = run_case(b, c, name);
        }
    }
    free(given);
    return status;
}
