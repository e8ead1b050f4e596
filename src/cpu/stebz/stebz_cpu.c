/* stebz on the CPU: the driver.  Checks the numbers, scales, finds the indices that are wanted, runs a method, stores.
 *
 * Two kinds of counts.  The product form (division-free, off-diagonals raised to a floor) serves absolute tolerances of
 * eps ||T|| and more.  The pivot form serves tighter ones, ranges by value, and eig_?stebz_count: it keeps the relative
 * accuracy that T's entries determine, and has no floor.
 * Threads: one matrix is shared out by brackets, a batch by matrices.  Results depend on neither. */
#include "stebz_cpu.h"
#include "stebz_values.h"

#include "openmp.h"

#include <math.h>

/* ---------------------------------------------------------------- workspace */

/* A part's eigenvalues share cells of the table, and blocks, with others. */
static int64_t most_groups(const stebz_problem *p)
{
    return p->method == EIG_STEBZ_MULTISECTION ? p->n : stebz_most_wanted(p);
}

/* Arrays of one matrix.  Rows have room for double, in which a float matrix with tiny off-diagonals is counted. */
static void layout_matrix(arena *space, const stebz_problem *p, stebz_search *search)
{
    search->a = arena_take(space, p->n, sizeof(double));
    search->b = arena_take(space, p->n, sizeof(double));
    search->groups = arena_take(space, most_groups(p), sizeof(stebz_group));
}

/* Those of the road that the matrix takes, except for small ones (stebz_small.c). */
static void layout_road(arena *space, const stebz_problem *p, stebz_search *search)
{
    int64_t const m = stebz_most_wanted(p), groups = most_groups(p);
    stebz_blocks const room = stebz_room(p->n);
    if (p->method == EIG_STEBZ_INTERVAL_TREE) {
        search->intervals = arena_take(space, 4 * m, sizeof(tree_interval));
        return;
    }
    if (p->method == EIG_STEBZ_REFERENCE) return;
    int64_t const points = (groups > STEBZ_LEAST_CELLS ? groups : STEBZ_LEAST_CELLS) + 1 + room.longs;
    search->rows = arena_take(space, 2 * room.rows, sizeof(double));
    search->scales = arena_take(space, 2 * (room.rows / STURM_BLOCK), sizeof(double));
    search->table.count = arena_take(space, points, sizeof(int64_t));
    search->table.highest = arena_take(space, points, sizeof(int64_t));
    search->table.mantissa = arena_take(space, points, sizeof(double));
    search->table.exponent = arena_take(space, points, sizeof(double));
    search->shorts = arena_take(space, p->n, sizeof(stebz_short_rows));
    search->longs = arena_take(space, room.longs, sizeof(stebz_long));
    search->found.lo = arena_take(space, p->n, sizeof(double));
    search->found.hi = arena_take(space, p->n, sizeof(double));
    search->found.middle = arena_take(space, p->n, sizeof(double));
    search->all_starts = (int64_t *)search->found.middle;
}

/* Bytes for one matrix, rounded so that the next one's are aligned. */
static size_t bytes_of_one(const stebz_problem *p)
{
    arena measure = {0};
    stebz_search search = {0};
    layout_matrix(&measure, p, &search);
    layout_road(&measure, p, &search);
    return arena_rounded(measure.used);
}

static int batch_threads(const eig_context *ctx, const stebz_problem *p)
{
    if (p->batch <= 1) return 1;
    int const threads = eig_cpu_stebz_threads(ctx, p->n, 12.0 * (double)stebz_most_wanted(p) * (double)p->batch);
    return p->batch < threads ? (int)p->batch : threads;
}

size_t eig_cpu_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    if (p->n <= STEBZ_SMALL) return 0;
    return arena_product(bytes_of_one(p), (size_t)batch_threads(ctx, p));
}

/* -------------------------------------------------------------------- roads */

/* A road of one matrix whose search is ready; it adds to pass_ms, where that is not NULL, what its passes took. */
typedef eig_status road_solve(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                              int threads, double *pass_ms);

static eig_status solve_whole(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                              int threads, double *pass_ms)
{
    (void)ctx, (void)p, (void)number;
    return eig_cpu_stebz_refine(search, threads, pass_ms);
}

static eig_status solve_tree(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                             int threads, double *pass_ms)
{
    (void)ctx, (void)p, (void)number;
    return search->kernels->setup->tree(search, threads, pass_ms);
}

static eig_status solve_reference(eig_context *ctx, stebz_search *search, const stebz_problem *p, int64_t number,
                                  int threads, double *pass_ms)
{
    (void)ctx, (void)p, (void)number;
    return eig_cpu_stebz_bisect(search, threads, pass_ms);
}

enum { BLOCKS = 3, SMALL /* after the methods */ };

/* The roads by the method, and those that multisection takes where T splits or is small. */
static const struct stebz_road {
    const char *name;
    road_solve *solve;
    int passes;
    const char *pass[4];
} roads[] = {
    [EIG_STEBZ_MULTISECTION] = {"multisection", solve_whole, 3, {"preparation", "table", "brackets"}},
    [EIG_STEBZ_INTERVAL_TREE] = {"interval tree",
                                 solve_tree,
                                 4,
                                 {"preparation", "step 1", "one-intervals", "mult-intervals"}},
    [EIG_STEBZ_REFERENCE] = {"reference", solve_reference, 2, {"preparation", "bisection"}},
    [BLOCKS] = {"blocks", eig_cpu_stebz_solve_blocks, 3, {"preparation", "blocks", "sorting"}},
    [SMALL] = {"small", NULL, 1, {"preparation"}},
};

static const struct stebz_road *stebz_road_of(const stebz_problem *p, const stebz_search *search)
{
    return &roads[search->found.split ? BLOCKS : search->small ? SMALL : (int)p->method];
}

/* -------------------------------------------------------------- one matrix */

static void fill(stebz_search *search, double eigenvalue)
{
    for (int64_t k = 0; k <= search->iu - search->il; ++k) search->groups[k].lo = search->groups[k].hi = eigenvalue;
}

/* Solves one matrix, known to be finite; space holds its arrays, and gets those of its road. */
static eig_status solve(eig_context *ctx, const stebz_problem *p, int64_t number, stebz_search *search, arena *space,
                        int threads, double *pass_ms)
{
    double const start = pass_ms ? eig_cpu_clock() : 0;
    double const eps = type_is_single(p->type) ? FLT_EPSILON : DBL_EPSILON;
    bool const tree = p->method == EIG_STEBZ_INTERVAL_TREE, reference = p->method == EIG_STEBZ_REFERENCE;
    int const exponent = eig_cpu_stebz_exponent(search, p, number),
              pivot_scale = eig_cpu_stebz_pivot_scale(search, p, number, exponent);
    search->il = p->il, search->iu = p->iu;
    if (p->range == EIG_RANGE_VALUE) {
        eig_cpu_stebz_load(search, p, number, pivot_scale);
        eig_cpu_stebz_find_indices(search, p, number);
        if (search->il > search->iu) return EIG_OK;
    }
    if (search->scale != exponent || search->matrix.n != p->n) eig_cpu_stebz_load(search, p, number, exponent);
    search->abstol = p->abstol > 0 ? stebz_scaled(p->abstol, stebz_power_of(-exponent)) : eps * search->norm;
    search->reltol = p->reltol > 0 ? p->reltol : 2 * eps;
    bool const fine = search->abstol < eps * search->norm;
    search->pivot = reference || (!tree && fine);
    search->error = 0;
    if (p->n == 1 || search->norm == 0) {
        fill(search, search->matrix.a[0]);
        return EIG_OK;
    }
    int const scale = search->pivot  ? pivot_scale
                      : tree && fine ? eig_cpu_stebz_tree_scale(p, number, exponent)
                                     : exponent;
    if (scale != exponent) {
        eig_cpu_stebz_load(search, p, number, scale);
        search->norm = eig_cpu_stebz_norm(search);
        search->abstol = p->abstol > 0 ? stebz_scaled(p->abstol, stebz_power_of(-scale)) : eps * search->norm;
    }
    search->error = (search->pivot ? STURM_ERROR_PIVOT * DBL_EPSILON : STURM_ERROR_PRODUCT * eps) * search->norm;
    search->small = !tree && !search->pivot && p->n <= STEBZ_SMALL && eig_cpu_stebz_small(search, p->type);
    if (search->small) {
        if (pass_ms) pass_ms[0] += eig_cpu_clock() - start;
        return EIG_OK;
    }
    layout_road(space, p, search);
    bool const split = !tree && !reference && eig_cpu_stebz_splits(search, p->type);
    search->steady = !tree && !reference && !split && (search->il > 1 || search->iu < p->n);
    if (search->steady) search->groups += search->il - 1;
    if (!split) eig_cpu_stebz_open(ctx, search, p->type, !tree);
    if (pass_ms) pass_ms[0] += eig_cpu_clock() - start;
    return stebz_road_of(p, search)->solve(ctx, search, p, number, threads, pass_ms);
}

/* ---------------------------------------------------------------- drivers */

static stebz_search search_of(const eig_context *ctx, const stebz_problem *p, cpu_watch *watch)
{
    return (stebz_search){.kernels = &eig_cpu_kernels(ctx, p->type)->stebz, .watch = watch, .share = 1};
}

/* The call of eig_?stebz with usual options. */
static stebz_problem usual_problem(eig_type type, int64_t n, const void *d, const void *e, void *w)
{
    return (stebz_problem){.type = type,
                           .n = n,
                           .batch = 1,
                           .range = EIG_RANGE_ALL,
                           .il = 1,
                           .iu = n,
                           .method = EIG_STEBZ_MULTISECTION,
                           .d = d,
                           .e = e,
                           .w = w};
}

int64_t eig_cpu_stebz_values_bytes(eig_type type, int64_t n)
{
    stebz_problem const p = usual_problem(type, n, NULL, NULL, NULL);
    return (int64_t)bytes_of_one(&p);
}

bool eig_cpu_stebz_values(cpu_watch *watch, double from, eig_type type, int64_t n, const void *d, const void *e,
                          void *w, void *work)
{
    stebz_problem const p = usual_problem(type, n, d, e, w);
    stebz_search search = search_of(watch->ctx, &p, watch);
    arena a = {work, 0};
    search.from = from, search.share = 1 - from;
    layout_matrix(&a, &p, &search);
    eig_cpu_stebz_finite(&search, &p, 0);
    if (solve(watch->ctx, &p, 0, &search, &a, 1, NULL) != EIG_OK) return false;
    search.kernels->setup->store(&p, &search, 0);
    return true;
}

/* One matrix of a batch: what is wrong with it goes to info. */
static void solve_member(eig_context *ctx, const stebz_problem *p, int64_t number, cpu_watch *watch, char *work)
{
    if (eig_cpu_stebz_alone(&eig_cpu_kernels(ctx, p->type)->stebz, p, number)) return;
    stebz_search search = search_of(ctx, p, watch);
    const stebz_setup *const setup = search.kernels->setup;
    _Alignas(EIG_ALIGNMENT) char room[STEBZ_SMALL_BYTES];
    arena a = {work ? work : room, 0};
    layout_matrix(&a, p, &search);
    bool const finite = eig_cpu_stebz_finite(&search, p, number);
    if (finite && solve(ctx, p, number, &search, &a, 1, NULL) != EIG_OK) return;
    if (finite)
        setup->store(p, &search, number);
    else
        setup->store_nan(p, number);
    if (p->info) p->info[number] = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
}

static void batch_work(eig_context *ctx, const stebz_problem *p, cpu_watch *watch, char *work)
{
    for (int64_t number; (number = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch))
        solve_member(ctx, p, number, watch, work);
    eig_cpu_watch_wait(watch);
}

static eig_status solve_batch(eig_context *ctx, const stebz_problem *p, char *work)
{
    int const threads = batch_threads(ctx, p);
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "stebz", p->batch);
    if (threads == 1) {
        batch_work(ctx, p, &watch, work);
    } else {
        size_t const each = bytes_of_one(p);
#pragma omp parallel num_threads(threads)
        {
            USUAL_FLOAT_MODE;
            batch_work(ctx, p, &watch, work ? work + each * (size_t)cpu_thread_number() : NULL);
        }
    }
    return eig_cpu_watch_end(&watch);
}

/* Sets *road. */
static eig_status solve_single(eig_context *ctx, const stebz_problem *p, char *work, double *pass_ms,
                               const struct stebz_road **road)
{
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "stebz", 1);
    if (watch.status != EIG_OK) return watch.status;
    stebz_search search = search_of(ctx, p, &watch);
    const stebz_setup *const setup = search.kernels->setup;
    _Alignas(EIG_ALIGNMENT) char room[STEBZ_SMALL_BYTES];
    arena a = {work ? work : room, 0};
    layout_matrix(&a, p, &search);
    bool const finite = eig_cpu_stebz_finite(&search, p, 0);
    if (finite) {
        int const threads = eig_cpu_stebz_threads(ctx, p->n, 12.0 * (double)stebz_most_wanted(p));
        eig_status const status = solve(ctx, p, 0, &search, &a, threads, pass_ms);
        *road = stebz_road_of(p, &search);
        if (status != EIG_OK) return status;
        setup->store(p, &search, 0);
    } else {
        setup->store_nan(p, 0);
    }
    if (p->m) *p->m = finite ? search.iu - search.il + 1 : 0;
    if (p->info) *p->info = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    return eig_cpu_watch_end(&watch);
}

/* A small matrix, without progress. */
static bool solve_alone(eig_context *ctx, const stebz_problem *p)
{
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    if (p->batch > 1 || ctx->progress || !eig_cpu_stebz_alone(&eig_cpu_kernels(ctx, p->type)->stebz, p, 0))
        return false;
    eig_begin_passes(ctx, roads[SMALL].name, roads[SMALL].passes, roads[SMALL].pass);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return true;
}

eig_status eig_cpu_stebz(eig_context *ctx, const stebz_problem *p)
{
    static const char *const batch[] = {"batch"};
    if (solve_alone(ctx, p)) return EIG_OK;
    void *work = NULL; /* of a small matrix: on the stack */
    eig_status status = EIG_OK;
    if (p->n > STEBZ_SMALL) status = eig_workspace(ctx, "stebz", eig_cpu_stebz_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    double ms[4] = {0};
    bool const single = p->batch == 1;
    const struct stebz_road *road = &roads[p->method];
    status = single ? solve_single(ctx, p, work, ctx->timing ? ms : NULL, &road) : solve_batch(ctx, p, work);
    eig_begin_passes(ctx, single ? road->name : "batch", single ? road->passes : 1, single ? road->pass : batch);
    if (!single && ctx->timing) ms[0] = eig_cpu_clock() - start;
    for (int i = 0; ctx->timing && i < ctx->passes; ++i) ctx->pass[i].ms = ms[i];
    return status;
}
