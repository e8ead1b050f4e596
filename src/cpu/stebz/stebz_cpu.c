/* stebz on the CPU: the driver.  Checks the numbers, scales, finds the indices that are wanted, runs a method, stores.
 *
 * Two kinds of counts.  The product form (division-free, off-diagonals raised to a floor) serves absolute tolerances of
 * eps ||T|| and more.  The pivot form serves tighter ones, ranges by value, and eig_?stebz_count: it keeps the relative
 * accuracy that T's entries determine, and has no floor.
 * Threads: one matrix is shared out by brackets, a batch by matrices.  Results depend on neither. */
#include "stebz_cpu.h"

#include "openmp.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_CELLS = 32 };

static const stebz_kernels *kernels_of(const eig_context *ctx, eig_type type)
{
    return &eig_cpu_kernels(ctx, type)->stebz;
}

/* ---------------------------------------------------------------- workspace */

typedef struct stebz_space {
    double *a, *b;
    void *rows, *scales;
    tree_interval *intervals;
} stebz_space;

static int64_t table_cells(int64_t m)
{
    return m > LEAST_CELLS ? m : LEAST_CELLS;
}

/* Arrays of one matrix.  Rows have room for double, in which a float matrix with tiny off-diagonals is counted. */
static stebz_space layout(arena *space, const stebz_problem *p, stebz_search *search)
{
    int64_t const padded = (p->n + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK, m = stebz_most_wanted(p);
    bool const tree = p->method == EIG_STEBZ_INTERVAL_TREE;
    stebz_space s = {0};
    s.a = arena_take(space, p->n, sizeof(double));
    s.b = arena_take(space, p->n, sizeof(double));
    search->groups = arena_take(space, m, sizeof(stebz_group));
    if (tree) {
        s.intervals = arena_take(space, 4 * m, sizeof(tree_interval));
        return s;
    }
    int64_t const points = table_cells(m) + 1;
    s.rows = arena_take(space, 2 * padded, sizeof(double));
    s.scales = arena_take(space, 2 * (padded / STURM_BLOCK), sizeof(double));
    search->table.count = arena_take(space, points, sizeof(int64_t));
    search->table.highest = arena_take(space, points, sizeof(int64_t));
    search->table.mantissa = arena_take(space, points, sizeof(double));
    search->table.exponent = arena_take(space, points, sizeof(double));
    return s;
}

/* Bytes for one matrix, rounded so that the next one's are aligned. */
static size_t bytes_of_one(const stebz_problem *p)
{
    arena measure = {0};
    stebz_search search;
    layout(&measure, p, &search);
    return (measure.used + EIG_ALIGNMENT - 1) & ~(size_t)(EIG_ALIGNMENT - 1);
}

static int batch_threads(const eig_context *ctx, const stebz_problem *p)
{
    if (p->batch <= 1) return 1;
    int const threads = eig_cpu_stebz_threads(ctx, p->n, 12 * stebz_most_wanted(p) * p->batch);
    return p->batch < threads ? (int)p->batch : threads;
}

size_t eig_cpu_stebz_work_size(const eig_context *ctx, const stebz_problem *p)
{
    return bytes_of_one(p) * (size_t)batch_threads(ctx, p);
}

/* -------------------------------------------------------------- one matrix */

/* The arrays of one matrix of the batch.  e may be NULL when n is 1. */
typedef struct stebz_entries {
    const void *d, *e;
} stebz_entries;

static stebz_entries entries(const stebz_problem *p, int64_t number)
{
    return (stebz_entries){type_at(p->type, p->d, number * p->stride_d),
                           p->e ? type_at(p->type, p->e, number * p->stride_e) : NULL};
}

/* The matrix with index number, times 2^-scale, into search->matrix.a and b. */
static void load(const stebz_problem *p, int64_t number, int scale, stebz_search *search, const stebz_space *s)
{
    stebz_entries const t = entries(p, number);
    search->kernels->setup->load(p->n, t.d, t.e, scale, s->a, s->b);
    search->matrix = (stebz_matrix){.n = p->n, .a = s->a, .b = s->b, .pivmin = DBL_MIN};
    search->scale = scale;
}

static double norm_of(const stebz_matrix *t)
{
    const double *a = t->a, *b = t->b;
    double norm = 0;
    for (int64_t i = 0; i + 1 < t->n; ++i) {
        double const sum = fabs(a[i]) + (fabs(b[i]) + fabs(b[i + 1]));
        norm = sum > norm ? sum : norm;
    }
    return fmax(norm, fabs(a[t->n - 1]) + fabs(b[t->n - 1]));
}

/* Exponent of the norm (largest absolute row sum): T * 2^-exponent has a norm in [1/2, 1).  0 for T = 0. */
static int norm_exponent(const stebz_problem *p, int64_t number, stebz_search *search, const stebz_space *s)
{
    stebz_entries const t = entries(p, number);
    double const largest = search->kernels->setup->largest_entry(p->n, t.d, t.e);
    if (largest == 0) return 0;
    int first, second;
    frexp(largest, &first);
    load(p, number, first, search, s); /* so that no sum overflows */
    frexp(norm_of(&search->matrix), &second);
    return first + second;
}

/* Gerschgorin's interval (Corollary 2 of Lessig's report), widened so that it holds the eigenvalues of every matrix for
 * which a computed count may be exact. */
static void find_interval(stebz_search *search, double eps)
{
    const double *a = search->matrix.a, *b = search->matrix.b;
    int64_t const n = search->matrix.n;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < n; ++i) {
        double const radius = fabs(b[i]) + (i + 1 < n ? fabs(b[i + 1]) : 0);
        lo = a[i] - radius < lo ? a[i] - radius : lo;
        hi = a[i] + radius > hi ? a[i] + radius : hi;
    }
    double const margin = 8 * eps * search->norm + 4 * search->matrix.pivmin;
    search->lo = lo - margin, search->hi = hi + margin;
}

/* Matrices whose norm is no further from 1 than this power of two are not scaled for the pivot form, so that counts
 * see the caller's numbers and nothing underflows. */
enum { PIVOT_EXPONENT = 400 };

static int pivot_scale(int exponent)
{
    return exponent < -PIVOT_EXPONENT || exponent > PIVOT_EXPONENT ? exponent : 0;
}

/* The indices of the eigenvalues in (vl, vu]: those above the count just over vl, up to the count just over vu. */
static void find_indices(const stebz_problem *p, stebz_search *search)
{
    stebz_counts c;
    stebz_power const scale = stebz_power_of(-search->scale);
    for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = stebz_scaled(nextafter(l == 0 ? p->vl : p->vu, INFINITY), scale);
    search->kernels->pivot->count(&search->matrix, 2, &c);
    search->il = c.count[0] + 1;
    search->iu = c.count[1];
}

/* Chooses the kernel that counts, and makes what it reads: rows of the product form are of the caller's type where it
 * can hold them, else in double.  The interval tree counts by itself. */
static void choose_kernel(const eig_context *ctx, const stebz_problem *p, stebz_search *search, const stebz_space *s)
{
    const stebz_kernels *const own = search->kernels, *const wide = kernels_of(ctx, EIG_D);
    stebz_matrix *const t = &search->matrix;
    search->narrow = false;
    search->count = own->pivot->count, search->shifts = own->pivot->shifts;
    if (search->pivot || p->method == EIG_STEBZ_INTERVAL_TREE) return;
    t->padded = (t->n + STURM_BLOCK - 1) / STURM_BLOCK * STURM_BLOCK;
    t->rows = s->rows, t->scales = s->scales;
    bool const fits = own->setup->load_product(t->n, t->a, t->b, s->rows, s->scales);
    if (!fits) wide->setup->load_product(t->n, t->a, t->b, s->rows, s->scales);
    const stebz_product *const product = fits ? own->product : wide->product;
    search->count = product->count, search->shifts = product->shifts;
    search->narrow = fits && type_is_single(p->type);
}

static void fill(stebz_search *search, double eigenvalue)
{
    for (int64_t k = 0; k <= search->iu - search->il; ++k) search->groups[k].lo = search->groups[k].hi = eigenvalue;
}

/* Solves one matrix, known to be finite, into the groups of search. */
static eig_status solve(eig_context *ctx, const stebz_problem *p, int64_t number, stebz_search *search,
                        const stebz_space *s, int threads, double *pass_ms)
{
    double const start = eig_cpu_clock();
    double const eps = type_is_single(p->type) ? FLT_EPSILON : DBL_EPSILON;
    bool const tree = p->method == EIG_STEBZ_INTERVAL_TREE, reference = p->method == EIG_STEBZ_REFERENCE;
    int const exponent = norm_exponent(p, number, search, s);
    search->il = p->il, search->iu = p->iu;
    if (p->range == EIG_RANGE_VALUE) {
        load(p, number, pivot_scale(exponent), search, s);
        find_indices(p, search);
        if (search->il > search->iu) return EIG_OK;
    }
    load(p, number, exponent, search, s);
    search->norm = norm_of(&search->matrix);
    search->abstol = p->abstol > 0 ? stebz_scaled(p->abstol, stebz_power_of(-exponent)) : eps * search->norm;
    search->reltol = p->reltol > 0 ? p->reltol : 2 * eps;
    search->pivot = reference || (!tree && search->abstol < eps * search->norm);
    search->error = 0;
    if (p->n == 1 || search->norm == 0) {
        fill(search, search->matrix.a[0]);
        return EIG_OK;
    }
    if (search->pivot && pivot_scale(exponent) != exponent) {
        load(p, number, pivot_scale(exponent), search, s);
        search->norm = norm_of(&search->matrix);
        search->abstol = p->abstol > 0 ? p->abstol : eps * search->norm;
    }
    find_interval(search, eps);
    search->error = (search->pivot ? STURM_ERROR_PIVOT * DBL_EPSILON : STURM_ERROR_PRODUCT * eps) * search->norm;
    choose_kernel(ctx, p, search, s);
    search->table.cells = table_cells(search->iu - search->il + 1);
    search->table.lo = search->lo, search->table.hi = search->hi;
    if (pass_ms) pass_ms[0] += eig_cpu_clock() - start;
    if (reference) return eig_cpu_stebz_bisect(ctx, search, threads, pass_ms);
    if (!tree) return eig_cpu_stebz_refine(ctx, search, threads, pass_ms);
    return search->kernels->setup->tree(ctx, search, s->intervals, threads, pass_ms);
}

/* ---------------------------------------------------------------- drivers */

static bool is_finite(const stebz_setup *setup, const stebz_problem *p, int64_t number)
{
    stebz_entries const t = entries(p, number);
    return setup->first_not_finite(p->n, t.d, t.e) < 0;
}

/* One matrix of a batch: what is wrong with it goes to info. */
static void solve_member(eig_context *ctx, const stebz_problem *p, int64_t number, char *work)
{
    stebz_search search = {.kernels = kernels_of(ctx, p->type)};
    const stebz_setup *const setup = search.kernels->setup;
    arena a = {work, 0};
    stebz_space const s = layout(&a, p, &search);
    bool const finite = is_finite(setup, p, number);
    if (finite) solve(ctx, p, number, &search, &s, 1, NULL);
    if (finite)
        setup->store(p, &search, number);
    else
        setup->store_nan(p, number);
    if (p->info) p->info[number] = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
}

static eig_status solve_batch(eig_context *ctx, const stebz_problem *p, char *work)
{
    size_t const each = bytes_of_one(p);
    int const threads = batch_threads(ctx, p);
    eig_context quiet = *ctx; /* members do not report progress */
    quiet.progress = NULL;
    (void)threads;
    int64_t const slice = ctx->progress ? 64 * (int64_t)threads : p->batch;
    for (int64_t from = 0; from < p->batch; from += slice) {
        int64_t const to = from + slice < p->batch ? from + slice : p->batch;
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
            char *const own = work + each * (size_t)cpu_thread_number();
#pragma omp for schedule(dynamic, 1)
            for (int64_t number = from; number < to; ++number) solve_member(&quiet, p, number, own);
        }
        eig_status const status = eig_report_progress(ctx, "stebz", (double)to / (double)p->batch);
        if (status != EIG_OK) return status;
    }
    return EIG_OK;
}

static eig_status solve_single(eig_context *ctx, const stebz_problem *p, char *work, double *pass_ms)
{
    stebz_search search = {.kernels = kernels_of(ctx, p->type)};
    const stebz_setup *const setup = search.kernels->setup;
    arena a = {work, 0};
    stebz_space const s = layout(&a, p, &search);
    bool const finite = is_finite(setup, p, 0);
    if (finite) {
        int const threads = eig_cpu_stebz_threads(ctx, p->n, 12 * stebz_most_wanted(p));
        eig_status const status = solve(ctx, p, 0, &search, &s, threads, pass_ms);
        if (status != EIG_OK) return status;
        setup->store(p, &search, 0);
    } else {
        setup->store_nan(p, 0);
    }
    if (p->m) *p->m = finite ? search.iu - search.il + 1 : 0;
    if (p->info) *p->info = finite ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    return EIG_OK;
}

/* Names of the passes of one matrix, by method. */
static const char *const pass_names[][4] = {
    [EIG_STEBZ_MULTISECTION] = {"preparation", "table", "brackets"},
    [EIG_STEBZ_INTERVAL_TREE] = {"preparation", "step 1", "one-intervals", "mult-intervals"},
    [EIG_STEBZ_REFERENCE] = {"preparation", "bisection"},
};

eig_status eig_cpu_stebz(eig_context *ctx, const stebz_problem *p)
{
    static const char *const batch_name[] = {"batch"};
    static const int passes[] = {3, 4, 2};
    void *work;
    eig_status status = eig_workspace(ctx, "stebz", eig_cpu_stebz_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    double const start = eig_cpu_clock();
    double ms[4] = {0};
    bool const single = p->batch == 1;
    status = single ? solve_single(ctx, p, work, ctx->timing ? ms : NULL) : solve_batch(ctx, p, work);
    eig_begin_passes(ctx, single ? passes[p->method] : 1, single ? pass_names[p->method] : batch_name);
    if (!single) ms[0] = eig_cpu_clock() - start;
    for (int i = 0; ctx->timing && i < ctx->passes; ++i) ctx->pass[i].ms = ms[i];
    return status;
}

/* -------------------------------------------------------------------- counts */

static double shift_of(const stebz_count_problem *p, int64_t j)
{
    return type_is_single(p->type) ? (double)((const float *)p->x)[j] : ((const double *)p->x)[j];
}

size_t eig_cpu_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *q)
{
    (void)ctx;
    arena measure = {0};
    for (int i = 0; i < 2; ++i) arena_take(&measure, q->n, sizeof(double));
    return measure.used;
}

eig_status eig_cpu_stebz_count(eig_context *ctx, const stebz_count_problem *q)
{
    stebz_problem const p = {.type = q->type, .n = q->n, .batch = 1, .d = q->d, .e = q->e};
    void *work;
    eig_status const status = eig_workspace(ctx, "stebz_count", eig_cpu_stebz_count_work_size(ctx, q), &work);
    if (status != EIG_OK) return status;
    static const char *const pass_name[] = {"counts"};
    eig_begin_passes(ctx, 1, pass_name);
    stebz_search search = {.kernels = kernels_of(ctx, q->type)};
    double const start = eig_cpu_clock();
    bool const finite = is_finite(search.kernels->setup, &p, 0);
    bool any_nan = false;
    for (int64_t j = 0; j < q->m; ++j) {
        any_nan |= isnan(shift_of(q, j));
        q->count[j] = -1;
    }
    if (q->info) *q->info = finite && !any_nan ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    if (!finite) return EIG_OK;
    arena a = {work, 0};
    stebz_space s = {0};
    s.a = arena_take(&a, q->n, sizeof(double));
    s.b = arena_take(&a, q->n, sizeof(double));
    load(&p, 0, pivot_scale(norm_exponent(&p, 0, &search, &s)), &search, &s);
    stebz_power const scale = stebz_power_of(-search.scale);
    int const threads = eig_cpu_stebz_threads(ctx, q->n, q->m);
    (void)threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (int64_t j0 = 0; j0 < q->m; j0 += STEBZ_LANES) {
        int const lanes = (int)(q->m - j0 < STEBZ_LANES ? q->m - j0 : STEBZ_LANES);
        stebz_counts c;
        for (int l = 0; l < STEBZ_LANES; ++l) c.x[l] = stebz_scaled(shift_of(q, l < lanes ? j0 + l : j0), scale);
        search.kernels->pivot->count(&search.matrix, lanes, &c);
        for (int l = 0; l < lanes; ++l) q->count[j0 + l] = isnan(c.x[l]) ? -1 : c.count[l];
    }
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return EIG_OK;
}
