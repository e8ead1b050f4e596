/* geev on the CPU: the driver.
 *
 * Roads     the first row of the table of roads that serves a call takes it.
 * Mapping   the batch is shared out in units: a unit is a tile of matrices, one a SIMD lane, or one matrix.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile (geev_kernels.c).
 * Progress  a call has one parallel region, with a progress callback and without: a team that starts and ends often
 *           waits as often for its slowest thread, which on a busy machine is a time slice of another program. */
#include "geev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"
#include "watch.h"

/* A matrix larger than this looks for a stop between its steps. */
enum { LONG_ORDER = 128 };

/* A road that a call can take. */
typedef struct geev_road {
    const char *name;
    bool (*serves)(const geev_problem *p);
    int (*unit)(const geev_kernels *kernels); /* matrices of a unit */
    int64_t (*bytes)(const geev_problem *p);  /* of a thread's work area */
    /* Computes matrices first, ..., first + count - 1: a unit. */
    void (*solve)(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work,
                  cpu_watch *watch);
} geev_road;

/* ------------------------------------------------------------------- reference */

static bool is_reference(const geev_problem *p)
{
    return p->method == EIG_GEEV_REFERENCE;
}

static int unit_of_reference(const geev_kernels *kernels)
{
    (void)kernels;
    return 1;
}

static void solve_reference(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work,
                            cpu_watch *watch)
{
    (void)count;
    kernels->reference(p, first, work, NULL, p->n > LONG_ORDER ? watch : NULL);
}

/* ----------------------------------------------------------------------- lanes */

static bool is_lanes(const geev_problem *p)
{
    return p->n <= GEEV_MOST;
}

static int unit_of_lanes(const geev_kernels *kernels)
{
    return kernels->tiles->lanes;
}

/* The reference needs the area, too, for a matrix on which the lanes did not converge. */
static int64_t lanes_bytes(const geev_problem *p)
{
    int64_t const tile = geev_tile_bytes(p), reference = geev_reference_bytes(p);
    return tile > reference ? tile : reference;
}

static void solve_lanes(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work,
                        cpu_watch *watch)
{
    (void)watch;
    for (; count > 0 && kernels->triangular(p, first, work, kernels); ++first) --count;
    unsigned hard = count > 0 ? kernels->tiles->solve(p, first, count, work) : 0;
    for (int64_t b = first; hard; hard >>= 1, ++b)
        if (hard & 1) kernels->reference(p, b, work, kernels, NULL);
}

/* ----------------------------------------------------------------------- alone */

static bool is_alone(const geev_problem *p)
{
    return p->n > GEEV_MOST;
}

/* The plain solver's steps as the instruction set does them, and vectors in lanes. */
static void solve_alone(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work,
                        cpu_watch *watch)
{
    (void)count;
    kernels->reference(p, first, work, kernels, p->n > LONG_ORDER ? watch : NULL);
}

/* ------------------------------------------------------------------- the table */

static const geev_road roads[] = {
    {"reference", is_reference, unit_of_reference, geev_reference_bytes, solve_reference},
    {"alone", is_alone, unit_of_reference, geev_reference_bytes, solve_alone},
    {"lanes", is_lanes, unit_of_lanes, lanes_bytes, solve_lanes},
};

/* The first row that serves the call: one always does. */
static const geev_road *road_of(const geev_problem *p)
{
    const geev_road *road = roads;
    while (!road->serves(p)) ++road;
    return road;
}

/* ---------------------------------------------------------------------- driver */

static const geev_kernels *kernels_of(const eig_context *ctx, const geev_problem *p)
{
    return &eig_cpu_kernels(ctx, p->type)->geev;
}

static int64_t geev_units(const eig_context *ctx, const geev_problem *p)
{
    int const unit = road_of(p)->unit(kernels_of(ctx, p));
    return p->batch / unit + (p->batch % unit != 0);
}

/* Threads that are worth their start: 100 us of work each.  A tile takes about n^3/40 us, twice that with vectors. */
static int geev_threads(const eig_context *ctx, const geev_problem *p)
{
    int64_t const units = geev_units(ctx, p), n = p->n;
    if (n > GEEV_MOST || units > 4096) return cpu_threads(ctx, units);
    int64_t const worth = units * n * n * n * (p->vectors ? 2 : 1) / 4000;
    return cpu_threads(ctx, worth < units ? worth : units);
}

/* The work areas of all threads; *area: bytes from one to the next. */
static void geev_layout(arena *a, const geev_problem *p, int threads, char **areas, size_t *area)
{
    *area = arena_rounded((size_t)road_of(p)->bytes(p));
    *areas = arena_take(a, threads, *area);
}

size_t eig_cpu_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    arena measure = {0};
    char *areas;
    size_t area;
    geev_layout(&measure, p, geev_threads(ctx, p), &areas, &area);
    return measure.used;
}

/* What one thread of the team does. */
static void geev_work(const eig_context *ctx, const geev_problem *p, cpu_watch *watch, char *work)
{
    const geev_kernels *const kernels = kernels_of(ctx, p);
    const geev_road *const road = road_of(p);
    int const unit = road->unit(kernels);
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch)) {
        int64_t const first = u * unit, left = p->batch - first;
        road->solve(kernels, p, first, left < unit ? (int)left : unit, work, watch);
    }
    eig_cpu_watch_wait(watch);
}

eig_status eig_cpu_geev(eig_context *ctx, const geev_problem *p)
{
    int const threads = geev_threads(ctx, p);
    void *work;
    eig_status status = eig_workspace(ctx, "geev", eig_cpu_geev_work_size(ctx, p), &work);
    if (status != EIG_OK) return status;
    arena a = {.base = work};
    char *areas;
    size_t area;
    geev_layout(&a, p, threads, &areas, &area);
    static const char *const pass_name[] = {"all"};
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "geev", geev_units(ctx, p));
    if (threads == 1) {
        geev_work(ctx, p, &watch, areas);
    } else {
#pragma omp parallel num_threads(threads)
        geev_work(ctx, p, &watch, areas + (size_t)cpu_thread_number() * area);
    }
    eig_begin_passes(ctx, road_of(p)->name, 1, pass_name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&watch);
}
