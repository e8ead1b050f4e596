/* eigpack bench geev --tune: times every form of the GPU kernels for each order, and prints from which order on each is the
 * fastest: `auto` chooses by geev_mwb and geev_swb of src/cuda/crossovers.h.
 *
 * The matrices are A0 + x A1 with positive entries, made on the device from one number each, and of their eigenvalues
 * only the largest comes back: what is timed is the kernels, not the copies.  Check: that eigenvalue, which is well
 * conditioned, agrees between all forms to 10 n eps. */
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 64, REGISTERS_S = 16, REGISTERS_D = 13, FORM_MS = 100 };

typedef struct form {
    eig_geev_method method;
    int threads;
} form;

static const form forms[] = {{EIG_GEEV_AUTO, 1}, {EIG_GEEV_SWB, 1},  {EIG_GEEV_SWB, 2},  {EIG_GEEV_SWB, 4},
                             {EIG_GEEV_SWB, 8},  {EIG_GEEV_SWB, 16}, {EIG_GEEV_SWB, 32}, {EIG_GEEV_MWB, 2},
                             {EIG_GEEV_MWB, 4},  {EIG_GEEV_MWB, 8},  {EIG_GEEV_MWB, 16}, {EIG_GEEV_MWB, 32}};
enum { FORMS = sizeof forms / sizeof *forms };

/* A thread owns up to 16 indices; registers hold matrices up to a certain order. */
static bool exists(form f, eig_type type, int64_t n)
{
    return f.method == EIG_GEEV_AUTO ? n <= (type == EIG_S ? REGISTERS_S : REGISTERS_D)
                                     : n <= 16 * f.threads && f.threads < 2 * n;
}

typedef struct family {
    eig_type type;
    int64_t n, points;
    numbers a, x, value, first;
    int *info;
    bool first_is_known;
} family;

static void release(family *f)
{
    numbers *const arrays[] = {&f->a, &f->x, &f->value, &f->first};
    for (int i = 0; i < 4; i++) numbers_free(arrays[i]);
    free(f->info);
}

static int prepare(family *f)
{
    f->info = (int *)cli_allocate(f->points, sizeof *f->info);
    if (!f->info || !numbers_make(&f->a, f->type, 2 * f->n * f->n) || !numbers_make(&f->x, f->type, f->points) ||
        !numbers_make(&f->value, f->type, f->points) || !numbers_make(&f->first, f->type, f->points))
        return cli_fail(CLI_FAILED, "no memory for the case");
    numbers_random(&f->a, 1);
    numbers_random(&f->x, 2);
    return CLI_OK;
}

static int solve(bench *b, family *f, form how, double *ms)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    int64_t const n = f->n;
    o.method = how.method, o.threads_per_matrix = how.threads;
    double const start = clock_ms();
    eig_status const status = eig_geev_affine(b->ctx, f->type, &o, n, 1, f->a.data, n, n * n, f->x.data, 1, NULL, 0,
                                              EIG_GEEV_RADIUS, f->value.data, f->info, f->points);
    *ms = clock_ms() - start;
    return cli_status(b->ctx, status);
}

/* The largest difference from the first form's values, relative, in units of n eps. */
static double error_of(const family *f)
{
    double worst = 0;
    double const unit = (double)f->n * type_eps(f->type);
    for (int64_t k = 0; k < f->points; k++) {
        double const want = numbers_re(&f->first, k), far = fabs(numbers_re(&f->value, k) - want) / (unit * want);
        if (f->info[k] != 0 || !(far <= worst)) worst = f->info[k] != 0 || isnan(far) ? INFINITY : far;
    }
    return worst;
}

/* One form as a contestant. */
typedef struct form_run {
    bench *b;
    family *f;
    form how;
    double error;
} form_run;

static int run_form(void *user, double *ms)
{
    form_run *const r = user;
    family *const f = r->f;
    numbers_fill(&f->value, NAN);
    for (int64_t k = 0; k < f->points; k++) f->info[k] = -99;
    int const status = solve(r->b, f, r->how, ms);
    if (status != CLI_OK) return status;
    if (f->first_is_known)
        r->error = fmax(r->error, error_of(f));
    else
        for (int64_t k = 0; k < f->points; k++) numbers_put_part(&f->first, k, numbers_part(&f->value, k));
    f->first_is_known = true;
    return CLI_OK;
}

/* Times one form; *best is its median. */
static int time_form(bench *b, family *f, form how, double *best)
{
    static const char *const names[] = {"registers", "swb", "mwb"};
    form_run run = {b, f, how, 0};
    times t;
    contestant const who = {run_form, &run};
    int const status = times_of_turns(&who, 1, fmin(b->budget_ms, FORM_MS), &t);
    if (status != CLI_OK) return status;
    char name[32];
    snprintf(name, sizeof name, how.method == EIG_GEEV_AUTO ? "%s" : "%s%d", names[how.method], how.threads);
    bench_row row = {.family = "geev-tune", .type = f->type, .method = name, .n = f->n, .batch = f->points};
    row.time_ms = *best = times_median(&t), row.error = run.error, row.passed = run.error <= 10;
    bench_print(b, &row);
    return CLI_OK;
}

/* The fastest form for order n; the one before, where it is less than 2 % slower. */
static int choose(bench *b, eig_type type, int64_t n, int *chosen)
{
    double const wanted = 3e9 / (double)(n * n * n);
    family f = {.type = type, .n = n, .points = wanted < 500000 ? (int64_t)wanted : 500000};
    double ms[FORMS], best = INFINITY;
    int fastest = -1, before = *chosen, status = prepare(&f);
    for (int k = 0; k < FORMS && status == CLI_OK; k++) {
        ms[k] = INFINITY;
        if (!exists(forms[k], type, n)) continue;
        status = time_form(b, &f, forms[k], &ms[k]);
        if (ms[k] < best) best = ms[k], fastest = k;
    }
    if (status == CLI_OK) *chosen = before >= 0 && ms[before] <= 1.02 * best ? before : fastest;
    release(&f);
    return status;
}

static void print_table(eig_type type, const int *chosen, const int64_t *given, int64_t count)
{
    for (int64_t k = 0; k < count && k < MOST_N; k++) {
        if (k > 0 && chosen[k] == chosen[k - 1]) continue;
        form const f = forms[chosen[k]];
        const char *const road = f.method == EIG_GEEV_AUTO ? "thread" : f.method == EIG_GEEV_SWB ? "swb" : "mwb";
        printf("%s: %s %d from n = %lld\n", type == EIG_S ? "f32" : "f64", road, f.threads,
               (long long)(given && k > 0 ? given[k] : k + 1));
    }
}

int bench_tune_geev(bench *b)
{
    int table[MOST_N + 1], types, status = CLI_OK;
    eig_type type[2];
    int64_t *given = NULL, count = MOST_N;
    if (strncmp(b->place.device, "cuda", 4) != 0)
        return cli_fail(CLI_USAGE, "--tune measures the kernels of a GPU: give --device cuda");
    if (!bench_types(b, type, &types) || !option_integer_list(b->args, "n", 1, &given, &count)) {
        free(given);
        return CLI_USAGE;
    }
    for (int t = 0; t < types && status == CLI_OK; t++) {
        int chosen = -1;
        for (int64_t k = 0; k < count && status == CLI_OK; k++) {
            int64_t const n = given ? given[k] : k + 1;
            if (n > MOST_N) status = cli_fail(CLI_USAGE, "--tune: n = %lld; above 64 there is one form", (long long)n);
            if (status == CLI_OK) status = choose(b, type[t], n, &chosen);
            if (k < MOST_N) table[k] = chosen;
        }
        if (status == CLI_OK) print_table(type[t], table, given, count);
    }
    free(given);
    return status;
}
