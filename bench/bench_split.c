/* Few eigenvalues, and matrices that split: stebz and stemr beside LAPACK, each on one thread, in one run.
 *
 *     build/bench/bench_split COMMIT [MACHINE [LAPACK]]    prints CSV; LAPACK: a library with it (libopenblas.so.0)
 *
 * Times are medians of calls that take turns, a context's workspace being there.  LAPACK's include the copies of d and e
 * that it overwrites.  method: what T is, and which eigenvalues are wanted.  error: the largest difference from LAPACK's
 * eigenvalues in n eps ||T||; above 8 the row fails. */
#include "bench/support/rows.h"
#include "bench/support/times.h"
#include "eigpack.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000, MOST_PAIRS = 420 };

typedef void (*stebz_function)(const char *range, const char *order, const int *n, const double *vl, const double *vu,
                               const int *il, const int *iu, const double *abstol, const double *d, const double *e,
                               int *m, int *splits, double *w, int *block, int *split, double *work, int *iwork,
                               int *info, size_t, size_t);
typedef void (*sterf_function)(const int *n, double *d, double *e, int *info);
typedef void (*stemr_function)(const char *job, const char *range, const int *n, double *d, double *e, const double *vl,
                               const double *vu, const int *il, const int *iu, int *m, double *w, double *z,
                               const int *ldz, const int *columns, int *support, int *relative, double *work,
                               const int *size, int *iwork, const int *isize, int *info, size_t, size_t);

static struct {
    stebz_function dstebz;
    sterf_function dsterf;
    stemr_function dstemr;
} lapack;

static eig_context *ctx;
static double d[MOST], e[MOST], w[MOST], theirs[MOST], room[20 * MOST], copy_d[MOST], copy_e[MOST];
static double z[MOST_PAIRS * MOST_PAIRS];
static int iroom[10 * MOST], block[MOST], splits[2 * MOST];

typedef struct few_case {
    const char *rival; /* dstebz, dsterf, dstemr */
    const char *kind;
    int n, length; /* of a block; 0: half of e is zero at random, 1: T is diagonal, -1: glued Wilkinson matrices */
    int il, iu;    /* 0: all */
} few_case;

static void must(bool holds, const char *text)
{
    if (holds) return;
    fprintf(stderr, "bench_split: %s\n", text);
    exit(1);
}

static uint64_t state;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static void make(const few_case *c)
{
    state = 7;
    for (int i = 0; i < c->n; ++i) d[i] = uniform(), e[i] = uniform();
    for (int i = 0; i < c->n; ++i) {
        if (c->length == 0 && uniform() < 0) e[i] = 0;
        if (c->length > 0 && (i + 1) % c->length == 0) e[i] = 0;
        if (c->length < 0) d[i] = fabs(10.0 - i % 21), e[i] = i % 21 == 20 ? 1e-10 : 1;
    }
}

static int run_ours(void *user, double *ms)
{
    const few_case *const c = user;
    double const start = clock_ms();
    int64_t m;
    eig_status status;
    if (strcmp(c->rival, "dstemr") == 0) {
        eig_stemr_options o = EIG_STEMR_OPTIONS;
        if (c->il) o.range = EIG_RANGE_INDEX, o.il = c->il, o.iu = c->iu;
        status = eig_dstemr(ctx, &o, c->n, d, e, &m, w, z, c->n, NULL, NULL, NULL, NULL, NULL);
    } else {
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        if (c->il) o.range = EIG_RANGE_INDEX, o.il = c->il, o.iu = c->iu;
        status = eig_dstebz(ctx, &o, c->n, d, e, &m, w, NULL, NULL, NULL);
    }
    *ms = clock_ms() - start;
    return status != EIG_OK;
}

static int run_theirs(void *user, double *ms)
{
    const few_case *const c = user;
    int const n = c->n, il = c->il ? c->il : 1, iu = c->iu ? c->iu : n, columns = iu - il + 1;
    int const size = 18 * n, isize = 10 * n;
    const char *const range = c->il ? "I" : "A";
    double const zero = 0;
    int m, count, info, relative = 1;
    double const start = clock_ms();
    if (strcmp(c->rival, "dstebz") == 0) {
        lapack.dstebz(range, "E", &n, &zero, &zero, &il, &iu, &zero, d, e, &m, &count, theirs, block, splits, room,
                      iroom, &info, 1, 1);
    } else if (strcmp(c->rival, "dsterf") == 0) {
        memcpy(theirs, d, (size_t)n * sizeof *d), memcpy(copy_e, e, (size_t)n * sizeof *e);
        lapack.dsterf(&n, theirs, copy_e, &info);
    } else {
        memcpy(copy_d, d, (size_t)n * sizeof *d), memcpy(copy_e, e, (size_t)n * sizeof *e);
        lapack.dstemr("V", range, &n, copy_d, copy_e, &zero, &zero, &il, &iu, &m, theirs, z, &n, &columns, splits,
                      &relative, room, &size, iroom, &isize, &info, 1, 1);
    }
    *ms = clock_ms() - start;
    return info;
}

/* The largest difference, in n eps ||T||. */
static double difference(const few_case *c)
{
    int const il = c->il ? c->il : 1, iu = c->iu ? c->iu : c->n;
    double norm = 0, most = 0;
    for (int i = 0; i < c->n; ++i) norm = fmax(norm, fabs(d[i]) + fabs(e[i]) + (i > 0 ? fabs(e[i - 1]) : 0));
    for (int k = 0; k <= iu - il; ++k) most = fmax(most, fabs(w[k] - theirs[k]));
    return most / (c->n * DBL_EPSILON * norm);
}

static void run_case(const few_case *c, const bench_place *place)
{
    contestant const who[2] = {{run_ours, (void *)c}, {run_theirs, (void *)c}};
    times t[2];
    char method[64];
    make(c);
    must(times_of_turns(who, 2, 200, t) == 0, c->kind);
    double const error = difference(c);
    snprintf(method, sizeof method, "%s %d:%d", c->kind, c->il ? c->il : 1, c->iu ? c->iu : c->n);
    bench_row const row = {.family = strcmp(c->rival, "dstemr") == 0 ? "stemr" : "stebz",
                           .method = method,
                           .type = EIG_D,
                           .n = c->n,
                           .batch = 1,
                           .time_ms = times_median(&t[0]),
                           .rival = c->rival,
                           .rival_ms = times_median(&t[1]),
                           .error = error,
                           .passed = error <= 8};
    bench_write_row(stdout, place, &row);
}

static void find(void *library, const char *name, void *function, size_t size)
{
    void *const symbol = dlsym(library, name);
    must(symbol != NULL, name);
    memcpy(function, &symbol, size);
}

static void open_lapack(const char *path)
{
    void (*set_threads)(int);
    void *const library = dlopen(path, RTLD_NOW);
    must(library != NULL, path);
    find(library, "dstebz_", &lapack.dstebz, sizeof lapack.dstebz);
    find(library, "dsterf_", &lapack.dsterf, sizeof lapack.dsterf);
    find(library, "dstemr_", &lapack.dstemr, sizeof lapack.dstemr);
    find(library, "openblas_set_num_threads", &set_threads, sizeof set_threads);
    set_threads(1);
}

int main(int argc, char **argv)
{
    static const few_case cases[] = {
        {"dstebz", "blocks of 64", 10000, 64, 1, 1},
        {"dstebz", "blocks of 64", 10000, 64, 5000, 5000},
        {"dstebz", "blocks of 64", 10000, 64, 10000, 10000},
        {"dstebz", "blocks of 10", 10000, 10, 1, 1},
        {"dstebz", "blocks of 1000", 10000, 1000, 1, 1},
        {"dstebz", "half of e zero", 10000, 0, 1, 1},
        {"dstebz", "half of e zero", 10000, 0, 4001, 4010},
        {"dstebz", "half of e zero", 100, 0, 1, 1},
        {"dstebz", "diagonal", 10000, 1, 1, 1},
        {"dsterf", "half of e zero", 10000, 0, 0, 0},
        {"dsterf", "half of e zero", 100, 0, 0, 0},
        {"dsterf", "diagonal", 10, 1, 0, 0},
        {"dsterf", "diagonal", 100, 1, 0, 0},
        {"dsterf", "diagonal", 10000, 1, 0, 0},
        {"dsterf", "diagonal", 100000, 1, 0, 0},
        {"dsterf", "uniform", 2, 1000000, 0, 0},
        {"dsterf", "uniform", 3, 1000000, 0, 0},
        {"dsterf", "uniform", 10, 1000000, 0, 0},
        {"dsterf", "uniform", 100, 1000000, 0, 0},
        {"dstebz", "uniform", 10, 1000000, 1, 1},
        {"dstebz", "uniform", 100, 1000000, 1, 1},
        {"dstebz", "uniform", 10000, 1000000, 1, 1},
        {"dstemr", "uniform", 2, 1000000, 0, 0},
        {"dstemr", "uniform", 3, 1000000, 0, 0},
        {"dstemr", "uniform", 10, 1000000, 0, 0},
        {"dstemr", "uniform", 100, 1000000, 0, 0},
        {"dstemr", "half of e zero", 10, 0, 0, 0},
        {"dstemr", "half of e zero", 100, 0, 0, 0},
        {"dstemr", "half of e zero", 400, 0, 0, 0},
        {"dstemr", "half of e zero", 100, 0, 1, 2},
        {"dstemr", "diagonal", 10, 1, 0, 0},
        {"dstemr", "diagonal", 100, 1, 0, 0},
        {"dstemr", "diagonal", 400, 1, 0, 0},
        {"dstemr", "blocks of 10", 100, 10, 0, 0},
        {"dstemr", "blocks of 10", 400, 10, 1, 2},
        {"dstemr", "glued Wilkinson", 105, -1, 1, 2},
        {"dstemr", "glued Wilkinson", 210, -1, 1, 2},
        {"dstemr", "glued Wilkinson", 420, -1, 1, 2},
        {"dstemr", "glued Wilkinson", 210, -1, 0, 0},
    };
    must(argc > 1, "use: bench_split COMMIT [MACHINE [LAPACK]]");
    open_lapack(argc > 3 ? argv[3] : "libopenblas.so.0");
    must(eig_create(&ctx, "cpu") == EIG_OK && eig_set_threads(ctx, 1) == EIG_OK, "no context");
    bench_place const place = bench_place_of(ctx, argc > 2 ? argv[2] : NULL, argv[1]);
    fputs(bench_columns, stdout);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) run_case(&cases[i], &place);
    eig_destroy(ctx);
    return 0;
}
