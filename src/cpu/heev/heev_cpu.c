/* heev on the CPU: the driver, and the table of roads.  The first row that serves a call takes it;
 * docs/families/heev.md has the table too.
 *
 * Mapping   the batch is shared out in units: a tile of matrices, one a SIMD lane, or one matrix. Too few matrices for
 *           a tile are units of their own.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile and alone (heev_kernels.c).
 * Progress  one parallel region a call (watch.h). */
#include "heev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"
#include "pool.h"

/* A matrix larger than this looks for a stop between its steps; so many threads share one at most. */
enum { LONG_ORDER = 64, MOST_TOGETHER = 64 /* threads */ };

/* ------------------------------------------------------------------- the table */

static bool wants_jacobi(const heev_problem *p)
{
    return p->method == EIG_HEEV_JACOBI || p->relative;
}

static bool is_reference(const heev_problem *p)
{
    return p->method == EIG_HEEV_REFERENCE;
}

static bool is_tile_jacobi(const heev_problem *p)
{
    if (p->n > HEEV_TILE) return false;
    return wants_jacobi(p) ||
           (p->method == EIG_HEEV_AUTO && crosses(heev_tile_jacobi, p->type, p->vectors, p->n, p->batch));
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

static unsigned run_reference(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                              cpu_watch *watch)
{
    (void)count;
    kernels->reference(p, b, work, watch);
    return 0; /* it certifies itself */
}

static unsigned run_tile_jacobi(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                                cpu_watch *watch)
{
    (void)watch;
    return kernels->tiles->jacobi(p, b, count, work);
}

static unsigned run_tile(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                         cpu_watch *watch)
{
    (void)watch;
    return kernels->tiles->tridiagonal(p, b, count, work);
}

static bool run_jacobi_alone(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work)
{
    return kernels->tiles->jacobi_alone(p, b, work);
}

static bool run_tile_alone(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work)
{
    return kernels->tiles->alone(p, b, work);
}

static unsigned run_large(const heev_kernels *kernels, const heev_problem *p, int64_t b, int count, void *work,
                          cpu_watch *watch)
{
    (void)count;
    cpu_member one = {.size = 1};
    return kernels->large->solve(p, b, work, watch, &one);
}

static bool run_large_together(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work,
                               cpu_watch *watch, cpu_member *who)
{
    return kernels->large->solve(p, b, work, watch, who);
}

static const heev_road roads[] = {
    {"reference", is_reference, false, heev_reference_bytes, run_reference, NULL, NULL},
    {"tile jacobi", is_tile_jacobi, true, heev_tile_bytes, run_tile_jacobi, NULL, run_jacobi_alone},
    {"tile", is_tile, true, heev_tile_bytes, run_tile, NULL, run_tile_alone},
    {"jacobi", wants_jacobi, false, heev_reference_bytes, run_reference, NULL, NULL},
    {"two stages", heev_in_stages, false, heev_large_bytes, run_large, run_large_together, NULL},
    {"large", is_any, false, heev_large_bytes, run_large, run_large_together, NULL},
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

/* How a call's matrices become work: tiles of `lanes` matrices, of which the last may not be full; behind them matrices
 * that one thread solves; behind them those that all threads share.  area: bytes from one thread's work area to the
 * next; need: of all. */
typedef struct heev_plan {
    const heev_road *road;
    int lanes, threads;
    int64_t tiles, alone, together;
    size_t area, need;
} heev_plan;

/* A tile takes as long as this many of its matrices alone (Xeon, AVX-512: 2 at n = 8, 3 at 32, 5 at 64, in every type;
 * Jacobi: 1 to 2). */
static int64_t heev_tile_cost(const heev_road *road, const heev_problem *p)
{
    return road->run_alone == run_jacobi_alone ? 1 : 1 + p->n / 16;
}

/* Units of a hundred microseconds: a matrix of n <= 64 alone takes about n^2/25 us. */
static int64_t heev_worth(const heev_problem *p, int64_t matrices)
{
    return matrices * p->n * p->n / 2500;
}

/* Threads that are worth starting: 100 us of work each, since a start takes some 10 us, and as long as the other core
 * is another program's where it is. */
static int heev_threads(const eig_context *ctx, const heev_problem *p, const heev_plan *plan)
{
    int64_t const units = plan->tiles + plan->alone;
    if (p->n > HEEV_TILE || units > 4096) return cpu_threads(ctx, units);
    int64_t const worth = heev_worth(p, plan->tiles * heev_tile_cost(plan->road, p) + plan->alone);
    return cpu_threads(ctx, worth < units ? worth : units);
}

static heev_plan heev_plan_tiles(const eig_context *ctx, const heev_problem *p, const heev_road *road)
{
    heev_plan plan = {.road = road, .lanes = kernels_of(ctx, p)->tiles->lanes};
    bool const few = p->batch < plan.lanes; /* no division for one matrix */
    int64_t const left = few ? p->batch : p->batch % plan.lanes;
    plan.tiles = few ? 0 : p->batch / plan.lanes;
    int64_t const side_by_side = plan.tiles == 0 && heev_worth(p, left) > 1 ? cpu_threads(ctx, left) : 1;
    if (road->run_alone && left <= side_by_side * heev_tile_cost(road, p))
        plan.alone = left;
    else
        plan.tiles += left > 0;
    plan.threads = heev_threads(ctx, p, &plan);
    return plan;
}

/* The matrices that remain when all threads have had equally many are shared, unless they keep most threads busy. */
static heev_plan heev_plan_units(const eig_context *ctx, const heev_problem *p)
{
    const heev_road *const road = eig_cpu_heev_road(p);
    if (road->tiles) return heev_plan_tiles(ctx, p, road);
    heev_plan plan = {.road = road, .lanes = 1, .threads = cpu_threads(ctx, p->batch), .alone = p->batch};
    if (!road->run_together || !crosses(heev_together, p->type, p->vectors, p->n, 1)) return plan;
    int const most = cpu_threads(ctx, MOST_TOGETHER);
    int64_t const left = p->batch % most;
    if (2 * left > most) return plan;
    plan.together = left, plan.alone -= left;
    if (left > 0) plan.threads = most;
    return plan;
}

/* The same with the work areas of all threads. */
static heev_plan heev_plan_of(const eig_context *ctx, const heev_problem *p)
{
    heev_plan plan = heev_plan_units(ctx, p);
    size_t const own = (size_t)plan.road->bytes(p), again = (size_t)heev_reference_bytes(p);
    size_t const one = own > again ? own : again;
    plan.area = arena_rounded(one);
    size_t const each = plan.tiles + plan.alone > 0 ? (size_t)plan.threads * plan.area : 0;
    size_t const team = plan.together > 0 ? one + (size_t)(plan.threads - 1) * (size_t)heev_member_bytes(p) : 0;
    plan.need = each > team ? each : team;
    return plan;
}

size_t eig_cpu_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    return heev_plan_of(ctx, p).need;
}

/* Solves matrix b, which failed its certificate, by the reference.  In place A is lost: NaN and an info of n are there
 * already. */
static void heev_again(const heev_kernels *kernels, const heev_problem *p, int64_t b, void *work, cpu_watch *watch)
{
    if (p->v && p->v == p->a) return;
    kernels->reference(p, b, work, watch);
    if (p->repairs) __atomic_fetch_add(&p->repairs->matrices, 1, __ATOMIC_RELAXED);
}

/* What one thread does of the tiles and the matrices that are not shared. */
static void heev_work(const eig_context *ctx, const heev_problem *p, const heev_plan *plan, cpu_watch *watch,
                      char *work)
{
    const heev_road *const road = plan->road;
    const heev_kernels *const kernels = kernels_of(ctx, p);
    cpu_watch *const looked_at = p->n > LONG_ORDER ? watch : NULL;
    int64_t const units = plan->tiles + plan->alone, in_tiles = plan->tiles * plan->lanes;
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0 && u < units; eig_cpu_watch_done(watch)) {
        int64_t const b = u < plan->tiles ? u * plan->lanes : in_tiles + (u - plan->tiles), left = p->batch - b;
        int const count = left < plan->lanes ? (int)left : plan->lanes;
        unsigned failed;
        if (u >= plan->tiles && road->run_alone)
            failed = road->run_alone(kernels, p, b, work);
        else
            failed = road->run(kernels, p, b, count, work, looked_at);
        for (int k = 0; failed >> k; ++k)
            if (failed >> k & 1) heev_again(kernels, p, b + k, work, looked_at);
    }
    eig_cpu_watch_wait(watch);
}

/* What one thread does of those that are. */
static void heev_work_together(const eig_context *ctx, const heev_problem *p, const heev_plan *plan, cpu_watch *watch,
                               cpu_member *who, char *work)
{
    const heev_road *const road = plan->road;
    for (int64_t b = p->batch - plan->together; b < p->batch; ++b) {
        if (!eig_cpu_watch_look(watch, 0)) cpu_team_stop(who);
        if (!cpu_team_meet(who)) return; /* the work area is free */
        bool const failed = road->run_together(kernels_of(ctx, p), p, b, work, watch, who);
        if (failed && who->rank == 0) heev_again(kernels_of(ctx, p), p, b, work, watch);
        if (who->rank == 0) eig_cpu_watch_done(watch);
    }
}

/* What the threads of a call share. */
typedef struct heev_call {
    const eig_context *ctx;
    const heev_problem *p;
    const heev_plan *plan;
    cpu_watch watch;
    cpu_team team;
    char *areas;
} heev_call;

/* All work of one thread. Fewer than plan->threads threads may come; where no matrix is shared, one may come late or
 * not at all. */
static void heev_member(void *argument, int rank, int size)
{
    heev_call *const c = argument;
    cpu_member who = {.team = &c->team, .rank = rank, .size = size};
    if (c->plan->tiles + c->plan->alone > 0)
        heev_work(c->ctx, c->p, c->plan, &c->watch, c->areas + (size_t)rank * c->plan->area);
    if (c->plan->together > 0) heev_work_together(c->ctx, c->p, c->plan, &c->watch, &who, c->areas);
}

eig_status eig_cpu_heev(eig_context *ctx, const heev_problem *given)
{
    call_repairs repairs = {0};
    heev_problem counting = *given;
    const heev_problem *const p = &counting;
    counting.repairs = &repairs;
    heev_plan const plan = heev_plan_of(ctx, p);
    void *work;
    eig_status const status = eig_workspace(ctx, "heev", plan.need, &work);
    if (status != EIG_OK) return status;
    static const char *const pass_name[] = {"all"};
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    heev_call call;
    call.ctx = ctx, call.p = p, call.plan = &plan, call.areas = work;
    call.team = (cpu_team){.crowded = cpu_crowded(plan.threads)};
    eig_cpu_watch_start(&call.watch, ctx, "heev", plan.tiles + plan.alone + plan.together);
    call.watch.awaited = plan.tiles + plan.alone;
    eig_cpu_share(ctx, plan.threads, heev_member, &call);
    eig_begin_passes(ctx, plan.road->name, 1, pass_name);
    ctx->repairs = repairs;
    if (given->repairs) __atomic_fetch_add(&given->repairs->matrices, repairs.matrices, __ATOMIC_RELAXED);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&call.watch);
}
