/* heev on the CPU: the driver, and the table of roads.  The first row that serves a call takes it; docs/heev.md has the
 * table too.
 *
 * Mapping   the batch is shared out in units: a tile of matrices, one a SIMD lane, or one matrix. Too few matrices for a tile are
 *           units of their own.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile and alone (heev_kernels.c).
 * Progress  one parallel region a call (watch.h). */
#include "heev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"

/* A matrix larger than this looks for a stop between its steps. */
enum { LONG_ORDER = 64 };

/* ------------------------------------------------------------------- the table */

static bool wants_jacobi(const heev_problem *p)
{
    return p->method == EIG_HEEV_JACOBI || p->relative;
}

static bool is_reference(const heev_problem *p)
{
    return p->method == EIG_HEEV_REFERENCE;
}

/* Where Jacobi is asked for, or where `eigpack bench heev --tune` found it faster (Zen 5, AVX-512). */
static bool is_tile_jacobi(const heev_problem *p)
{
    static int const most[] = {4, 3, 3, 2}; /* s, d, c, z */
    if (p->n > HEEV_TILE) return false;
    return wants_jacobi(p) || (p->method == EIG_HEEV_AUTO && p->n <= most[type_index(p->type)]);
}

static bool is_tile(const heev_problem *p)
{
    return p->n <= HEEV_TILE;
}

static bool is_any(const heev_problem *p)
{
    (void)p;
    return true;
}

static void run_reference(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                          cpu_watch *watch)
{
    (void)count;
    kernels->reference(p, b, work, watch);
}

static void run_tile_jacobi(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                            cpu_watch *watch)
{
    (void)watch;
    kernels->tiles->jacobi(p, b, count, work);
}

static void run_tile(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                     cpu_watch *watch)
{
    (void)watch;
    kernels->tiles->tridiagonal(p, b, count, work);
}

static void run_tile_alone(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work)
{
    kernels->tiles->alone(p, b, work);
}

static void run_large(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                      cpu_watch *watch)
{
    (void)count;
    kernels->large->solve(p, b, work, watch);
}

static const heev_road roads[] = {
    {"reference", is_reference, false, heev_reference_bytes, run_reference, NULL},
    {"tile jacobi", is_tile_jacobi, true, heev_tile_bytes, run_tile_jacobi, NULL},
    {"tile", is_tile, true, heev_tile_bytes, run_tile, run_tile_alone},
    {"jacobi", wants_jacobi, false, heev_reference_bytes, run_reference, NULL},
    {"large", is_any, false, heev_large_bytes, run_large, NULL},
};

const heev_road *eig_cpu_heev_road(const heev_problem *p)
{
    const heev_road *road = roads;
    while (!road->serves(p)) ++road;
    return road;
}

const heev_road *eig_cpu_heev_roads(int *count)
{
    *count = sizeof roads / sizeof *roads;
    return roads;
}

/* ------------------------------------------------------------------ the driver */

static const heev_kernels *kernels_of(const eig_context *ctx, const heev_problem *p)
{
    return &eig_cpu_kernels(ctx, p->type)->heev;
}

/* How a call's matrices become units of work: tiles of `lanes` matrices, of which the last may not be full, and behind them units
 * of one matrix. */
typedef struct heev_cut {
    int lanes;
    int64_t tiles, alone;
} heev_cut;

/* A tile takes as long as this many of its matrices alone (Xeon, AVX-512: 2 at n = 8, 3 at 32, 5 at 64, in every type). */
static int64_t heev_tile_cost(const heev_problem *p)
{
    return 1 + p->n / 16;
}

static heev_cut heev_cut_of(const eig_context *ctx, const heev_problem *p)
{
    const heev_road *const road = eig_cpu_heev_road(p);
    if (!road->tiles) return (heev_cut){1, 0, p->batch};
    int const lanes = kernels_of(ctx, p)->tiles->lanes;
    int64_t const tiles = p->batch / lanes, left = p->batch % lanes;
    int64_t const side_by_side = tiles == 0 ? cpu_threads(ctx, left) : 1;
    if (road->run_alone && left <= side_by_side * heev_tile_cost(p)) return (heev_cut){lanes, tiles, left};
    return (heev_cut){lanes, tiles + (left > 0), 0};
}

/* Threads that are worth their start, which takes some 20 us; a matrix of n <= 64 alone takes about n^2/25 us. */
static int heev_threads(const eig_context *ctx, const heev_problem *p, heev_cut cut)
{
    int64_t const units = cut.tiles + cut.alone;
    if (p->n > HEEV_TILE || units > 4096) return cpu_threads(ctx, units);
    int64_t const worth = (cut.tiles * heev_tile_cost(p) + cut.alone) * p->n * p->n / 500;
    return cpu_threads(ctx, worth < units ? worth : units);
}

/* The work areas of all threads; *area: bytes from one to the next. */
static void heev_layout(arena *a, const heev_problem *p, int threads, char **areas, size_t *area)
{
    *area = arena_rounded((size_t)eig_cpu_heev_road(p)->bytes(p));
    *areas = arena_take(a, threads, *area);
}

size_t eig_cpu_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    arena measure = {0};
    char *areas;
    size_t area;
    heev_layout(&measure, p, heev_threads(ctx, p, heev_cut_of(ctx, p)), &areas, &area);
    return measure.used;
}

/* What one thread of the team does. */
static void heev_work(const eig_context *ctx, const heev_problem *p, heev_cut cut, cpu_watch *watch, char *work)
{
    const heev_road *const road = eig_cpu_heev_road(p);
    const heev_kernels *const kernels = kernels_of(ctx, p);
    cpu_watch *const looked_at = p->n > LONG_ORDER ? watch : NULL;
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch)) {
        int64_t const b = u < cut.tiles ? u * cut.lanes : cut.tiles * cut.lanes + (u - cut.tiles), left = p->batch - b;
        if (u >= cut.tiles && road->run_alone)
            road->run_alone(kernels, p, b, work);
        else
            road->run(kernels, p, b, left < cut.lanes ? (int)left : cut.lanes, work, looked_at);
    }
    eig_cpu_watch_wait(watch);
}

eig_status eig_cpu_heev(eig_context *ctx, const heev_problem *p)
{
    heev_cut const cut = heev_cut_of(ctx, p);
    int const threads = heev_threads(ctx, p, cut);
    arena a = {0};
    char *areas;
    size_t area;
    heev_layout(&a, p, threads, &areas, &area);
    void *work;
    eig_status const status = eig_workspace(ctx, "heev", a.used, &work);
    if (status != EIG_OK) return status;
    a = (arena){.base = work};
    heev_layout(&a, p, threads, &areas, &area);
    static const char *const pass_name[] = {"all"};
    double const start = eig_cpu_clock();
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "heev", cut.tiles + cut.alone);
    if (threads == 1) {
        heev_work(ctx, p, cut, &watch, areas);
    } else {
#pragma omp parallel num_threads(threads)
        heev_work(ctx, p, cut, &watch, areas + (size_t)cpu_thread_number() * area);
    }
    eig_begin_passes(ctx, eig_cpu_heev_road(p)->name, 1, pass_name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&watch);
}
