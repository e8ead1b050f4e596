/* eigpack bench geev --tune: times every form of the GPU kernels for each order, and prints the table by which `auto`
 * chooses (src/cuda/geev/geev_table.cuh).
 *
 * The matrices are A0 + x A1 with positive entries, made on the device from one number each, and of their eigenvalues
 * only the largest comes back: what is timed is the kernels, not the copies.  Check: that eigenvalue, which is well
 * conditioned, agrees between all forms to 10 n eps. */
#include "bench.h"
#include "io/matrices.h"
#include "progress.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_N = 64, REGISTERS_S = 16, REGISTERS_D = 13, REPEATS = 5 };

typedef struct form {
    eig_geev_method method;
    int threads;
} form;

static const form forms[] = {{EIG_GEEV_AUTO, 1}, {EIG_GEEV_SWB, 1},  {EIG_GEEV_SWB, 2},  {EIG_GEEV_SWB, 4},
                             {EIG_GEEV_SWB, 8},  {EIG_GEEV_SWB, 16}, {EIG_GEEV_SWB, 32}, {EIG_GEEV_MWB, 2},
                             {EIG_GEEV_MWB, 4},  {EIG_GEEV_MWB, 8},  {EIG_GEEV_MWB, 16}, {EIG_GEEV_MWB, 32}};
enum { FORMS = sizeof forms / sizeof *forms };

/* A thread owns up to 16 indices; registers hold matrices up to a certain order. */
static bool exists(form f, bool single, int64_t n)
{
    return f.method == EIG_GEEV_AUTO ? n <= (single ? REGISTERS_S : REGISTERS_D)
                                     : n <= 16 * f.threads && f.threads < 2 * n;
}

typedef struct family {
    bool single;
    int64_t n, points;
    void *a, *x, *value, *first;
    int *info;
} family;

static void release(family *f)
{
    free(f->a);
    free(f->x);
    free(f->value);
    free(f->first);
    free(f->info);
}

static void put(const family *f, void *to, int64_t k, double x)
{
    if (f->single)
        ((float *)to)[k] = (float)x;
    else
        ((double *)to)[k] = x;
}

static double get(const family *f, const void *from, int64_t k)
{
    return f->single ? (double)((const float *)from)[k] : ((const double *)from)[k];
}

static int prepare(family *f)
{
    size_t const real = f->single ? sizeof(float) : sizeof(double);
    f->a = cli_allocate(2 * f->n * f->n, real);
    f->x = cli_allocate(f->points, real);
    f->value = cli_allocate(f->points, real);
    f->first = cli_allocate(f->points, real);
    f->info = (int *)cli_allocate(f->points, sizeof *f->info);
    if (!f->a || !f->x || !f->value || !f->first || !f->info) return cli_fail(CLI_FAILED, "no memory for the case");
    matrices_rng rng = matrices_seed(1);
    for (int64_t k = 0; k < 2 * f->n * f->n; k++) put(f, f->a, k, matrices_uniform(&rng));
    for (int64_t k = 0; k < f->points; k++) put(f, f->x, k, matrices_uniform(&rng));
    return CLI_OK;
}

static int solve(bench *b, family *f, form how, double *ms)
{
    eig_geev_options o = EIG_GEEV_OPTIONS;
    int64_t const n = f->n;
    o.method = how.method, o.threads_per_matrix = how.threads;
    double const start = cli_now();
    eig_status const status = eig_geev_affine(b->ctx, f->single ? EIG_S : EIG_D, &o, n, 1, f->a, n, n * n, f->x, 1,
                                              NULL, 0, EIG_GEEV_RADIUS, f->value, f->info, f->points);
    *ms = cli_now() - start;
    return cli_status(b->ctx, status);
}

/* The largest difference from the first form's values, relative, in units of n eps. */
static double error_of(const family *f)
{
    double worst = 0;
    double const unit = (double)f->n * (f->single ? FLT_EPSILON : DBL_EPSILON);
    for (int64_t k = 0; k < f->points; k++) {
        double const want = get(f, f->first, k), far = fabs(get(f, f->value, k) - want) / (unit * want);
        if (f->info[k] != 0 || !(far <= worst)) worst = f->info[k] != 0 || isnan(far) ? INFINITY : far;
    }
    return worst;
}

/* Times one form; *best is its median. */
static int time_form(bench *b, family *f, form how, bool is_first, double *best)
{
    static const char *const names[] = {"registers", "swb", "mwb"};
    bench_times times = {0};
    double ms, error = 0;
    int status = CLI_OK;
    for (int repeat = 0; repeat <= REPEATS && status == CLI_OK; repeat++) {
        for (int64_t k = 0; k < f->points; k++) put(f, f->value, k, NAN), f->info[k] = -99;
        status = solve(b, f, how, &ms);
        if (status != CLI_OK) return status;
        if (is_first && repeat == 0)
            for (int64_t k = 0; k < f->points; k++) put(f, f->first, k, get(f, f->value, k));
        error = fmax(error, error_of(f));
        if (repeat > 0) bench_add(&times, ms); /* the first one warms up */
    }
    char name[32];
    snprintf(name, sizeof name, how.method == EIG_GEEV_AUTO ? "%s" : "%s%d", names[how.method], how.threads);
    bench_row const row = {.family = "geev-tune",
                           .type = f->single ? "f32" : "f64",
                           .method = name,
                           .n = f->n,
                           .batch = f->points,
                           .time_ms = bench_median(&times),
                           .error = error,
                           .passed = error <= 10};
    b->failed += !row.passed;
    bench_print(b, &row);
    *best = row.time_ms;
    return status;
}

/* The fastest form for order n; the one before, where it is less than 2 % slower. */
static int choose(bench *b, bool single, int64_t n, int *chosen)
{
    double const wanted = 3e9 / (double)(n * n * n);
    family f = {.single = single, .n = n, .points = wanted < 500000 ? (int64_t)wanted : 500000};
    double times[FORMS], best = INFINITY;
    int fastest = -1, before = *chosen, status = prepare(&f);
    for (int k = 0; k < FORMS && status == CLI_OK; k++) {
        times[k] = INFINITY;
        if (!exists(forms[k], single, n)) continue;
        status = time_form(b, &f, forms[k], fastest < 0, &times[k]);
        if (times[k] < best) best = times[k], fastest = k;
    }
    if (status == CLI_OK) *chosen = before >= 0 && times[before] <= 1.02 * best ? before : fastest;
    release(&f);
    return status;
}

int bench_tune_geev(bench *b)
{
    static const char *const methods[] = {"EIG_GEEV_AUTO", "EIG_GEEV_SWB", "EIG_GEEV_MWB"};
    int table[2][MOST_N + 1], type = -1, status = CLI_OK;
    int64_t *given = NULL, count = MOST_N;
    if (strncmp(b->device, "cuda", 4) != 0)
        return cli_fail(CLI_USAGE, "--tune measures the kernels of a GPU: give --device cuda");
    if (!option_choice(b->args, "type", "f64|f32", &type) || !option_integer_list(b->args, "n", 1, &given, &count))
        return CLI_USAGE;
    for (int single = 0; single < 2; single++) {
        int chosen = -1;
        for (int64_t k = 0; k < count && status == CLI_OK && (type < 0 || type == single); k++) {
            int64_t const n = given ? given[k] : k + 1;
            if (n > MOST_N) status = cli_fail(CLI_USAGE, "--tune: n = %lld; above 64 there is one form", (long long)n);
            if (status == CLI_OK) status = choose(b, single == 1, n, &chosen);
            if (k < MOST_N) table[single][k] = chosen;
        }
        if (status != CLI_OK || (type >= 0 && type != single)) continue;
        printf("static const geev_choice geev_table_%c[] = {\n", single ? 's' : 'd');
        for (int64_t k = 0; k < count && k < MOST_N; k++)
            if (k == 0 || table[single][k] != table[single][k - 1])
                printf("    {%lld, {%s, %d}},\n", (long long)(given && k > 0 ? given[k] : k + 1),
                       methods[forms[table[single][k]].method], forms[table[single][k]].threads);
        puts("};");
    }
    free(given);
    return status;
}
