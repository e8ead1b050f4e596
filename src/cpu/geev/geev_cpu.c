/* geev on the CPU: the driver.
 *
 * Roads     the first row of the table of roads that serves a call takes it.
 * Mapping   the batch is shared out in units: a unit is a tile of matrices, one a SIMD lane, or one matrix.  Large
 *           matrices that are fewer than threads are shared by all.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile (geev_kernels.c).
 * Progress  a call has one parallel region, with a progress callback and without: a team that starts and ends often
 *           waits as often for its slowest thread, which on a busy machine is a time slice of another program. */
#include "geev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "cpu/crossovers.h"
#include "openmp.h"
#include "pool.h"
#include "watch.h"

enum {
    LONG_ORDER = 128,  /* a plain matrix larger than this looks for a stop between its steps */
    MOST_TOGETHER = 64 /* threads that may share a matrix */
};

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
    const geev_tiles *const tiles = count <= (*kernels->narrow)->lanes ? *kernels->narrow : kernels->tiles;
    unsigned hard = count > 0 ? tiles->solve(p, first, count, work) : 0;
    for (int64_t b = first; hard; hard >>= 1, ++b)
        if (hard & 1) kernels->reference(p, b, work, kernels, NULL);
}

/* ----------------------------------------------------------------------- large */

static bool is_large(const geev_problem *p)
{
    return p->n > GEEV_MOST;
}

static int64_t large_bytes(const geev_problem *p)
{
    return geev_large_bytes(p, 1);
}

static void solve_large(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work,
                        cpu_watch *watch)
{
    cpu_member one = {.size = 1};
    (void)count;
    (*kernels->large)(p, first, work, watch, &one);
}

/* ------------------------------------------------------------------- the table */

static const geev_road roads[] = {
    {"reference", is_reference, unit_of_reference, geev_reference_bytes, solve_reference},
    {"large", is_large, unit_of_reference, large_bytes, solve_large},
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

/* Who computes what: units for single threads, and matrices that the threads share one after the other. */
typedef struct geev_plan {
    const geev_road *road;
    int threads;
    int64_t units, together;
    size_t area, need; /* bytes from one thread's work area to the next; of all */
} geev_plan;

/* Threads that are worth starting: 100 us of work each.  A tile takes about n^3/40 us, twice that with vectors. */
static int geev_threads(const eig_context *ctx, const geev_problem *p, int64_t units)
{
    int64_t const n = p->n;
    if (n > GEEV_MOST || units > 4096) return cpu_threads(ctx, units);
    int64_t const worth = units * n * n * n * (p->vectors ? 2 : 1) / 4000;
    return cpu_threads(ctx, worth < units ? worth : units);
}

/* Large matrices that do not fill the threads are shared, unless nearly all threads have one. */
static geev_plan geev_plan_units(const eig_context *ctx, const geev_problem *p)
{
    const geev_road *const road = road_of(p);
    int const unit = road->unit(kernels_of(ctx, p));
    int64_t const units = p->batch <= unit ? 1 : p->batch / unit + (p->batch % unit != 0);
    geev_plan plan = {.road = road, .threads = geev_threads(ctx, p, units), .units = units};
    if (p->method == EIG_GEEV_REFERENCE || !crosses(geev_together, p->type, p->vectors, p->n, 1)) return plan;
    int const most = cpu_threads(ctx, MOST_TOGETHER);
    int64_t const left = p->batch % most;
    if (most == 1 || 2 * left > most || left == 0) return plan;
    plan.threads = most, plan.together = left, plan.units -= left;
    return plan;
}

/* The same with the work areas of all threads. */
static geev_plan geev_plan_of(const eig_context *ctx, const geev_problem *p)
{
    geev_plan plan = geev_plan_units(ctx, p);
    plan.area = arena_rounded((size_t)plan.road->bytes(p));
    size_t const each = plan.units > 0 ? arena_product((size_t)plan.threads, plan.area) : 0;
    size_t const team = plan.together > 0 ? (size_t)geev_large_bytes(p, plan.threads) : 0;
    plan.need = each > team ? each : team;
    return plan;
}

size_t eig_cpu_geev_work_size(const eig_context *ctx, const geev_problem *p)
{
    return geev_plan_of(ctx, p).need;
}

/* What one thread does of the units. */
static void geev_work(const eig_context *ctx, const geev_problem *p, const geev_plan *plan, cpu_watch *watch,
                      char *work)
{
    const geev_kernels *const kernels = kernels_of(ctx, p);
    const geev_road *const road = plan->road;
    int const unit = road->unit(kernels);
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0 && u < plan->units; eig_cpu_watch_done(watch)) {
        int64_t const first = u * unit, left = p->batch - first;
        road->solve(kernels, p, first, left < unit ? (int)left : unit, work, watch);
    }
    eig_cpu_watch_wait(watch);
}

/* What one thread does of the matrices that all share. */
static void geev_work_together(const eig_context *ctx, const geev_problem *p, const geev_plan *plan, cpu_watch *watch,
                               cpu_member *who, char *work)
{
    for (int64_t b = p->batch - plan->together; b < p->batch; ++b) {
        if (!eig_cpu_watch_look(watch, 0)) cpu_team_stop(who);
        if (!cpu_team_meet(who)) return; /* the work area is free */
        (*kernels_of(ctx, p)->large)(p, b, work, watch, who);
        if (who->rank == 0) eig_cpu_watch_done(watch);
    }
}

/* What the threads of a call share. */
typedef struct geev_call {
    const eig_context *ctx;
    const geev_problem *p;
    const geev_plan *plan;
    cpu_watch watch;
    cpu_team team;
    char *areas;
} geev_call;

/* All work of one thread. Fewer than plan->threads threads may come; where no matrix is shared, one may come late or
 * not at all. */
static void geev_member(void *argument, int rank, int size)
{
    geev_call *const c = argument;
    cpu_member who = {.team = &c->team, .rank = rank, .size = size};
    if (c->plan->units > 0) geev_work(c->ctx, c->p, c->plan, &c->watch, c->areas + (size_t)rank * c->plan->area);
    if (c->plan->together > 0) geev_work_together(c->ctx, c->p, c->plan, &c->watch, &who, c->areas);
}

eig_status eig_cpu_geev(eig_context *ctx, const geev_problem *given)
{
    call_repairs repairs = {0};
    geev_problem counting = *given;
    const geev_problem *const p = &counting;
    counting.repairs = &repairs;
    geev_plan const plan = geev_plan_of(ctx, p);
    void *work;
    eig_status const status = eig_workspace(ctx, "geev", plan.need, &work);
    if (status != EIG_OK) return status;
    static const char *const pass_name[] = {"all"};
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    geev_call call;
    call.ctx = ctx, call.p = p, call.plan = &plan, call.areas = work;
    call.team = (cpu_team){.crowded = cpu_crowded(plan.threads)};
    eig_cpu_watch_start(&call.watch, ctx, "geev", plan.units + plan.together);
    call.watch.awaited = plan.units;
    eig_cpu_share(ctx, plan.threads, geev_member, &call);
    eig_begin_passes(ctx, plan.road->name, 1, pass_name);
    ctx->repairs = repairs;
    if (given->repairs) {
        __atomic_fetch_add(&given->repairs->matrices, repairs.matrices, __ATOMIC_RELAXED);
        __atomic_fetch_add(&given->repairs->vectors, repairs.vectors, __ATOMIC_RELAXED);
    }
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&call.watch);
}
