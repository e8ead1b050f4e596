/* heev on the CPU: the driver.
 *
 * Mapping   the batch is shared out in units: a unit is a tile of matrices, one a SIMD lane, up to n = HEEV_MOST, and
 *           one matrix above, which goes to heev_one.c, or by Jacobi to the plain solver.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile (heev_kernels.c).
 * Progress  one parallel region a call (watch.h). */
#include "heev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"

/* A matrix larger than this looks for a stop between its steps. */
enum { LONG_ORDER = 64 };

static const heev_kernels *kernels_of(const eig_context *ctx, const heev_problem *p)
{
    return &eig_cpu_kernels(ctx, p->type)->heev;
}

/* Who computes. */
typedef enum heev_road { HEEV_TILES, HEEV_ONE, HEEV_PLAIN } heev_road;

static heev_road road_of(const heev_problem *p)
{
    if (p->method == EIG_HEEV_REFERENCE) return HEEV_PLAIN;
    if (p->n <= HEEV_MOST) return HEEV_TILES;
    return p->method == EIG_HEEV_JACOBI || p->relative ? HEEV_PLAIN : HEEV_ONE;
}

/* Matrices of a unit of work. */
static int heev_unit(const eig_context *ctx, const heev_problem *p)
{
    return road_of(p) != HEEV_TILES ? 1 : kernels_of(ctx, p)->tiles->lanes;
}

static int64_t heev_units(const eig_context *ctx, const heev_problem *p)
{
    int const unit = heev_unit(ctx, p);
    return p->batch / unit + (p->batch % unit != 0);
}

/* The work areas of all threads; *area: bytes from one to the next. */
static void heev_layout(arena *a, const heev_problem *p, int threads, char **areas, size_t *area)
{
    heev_road const road = road_of(p);
    int64_t const bytes = road == HEEV_TILES ? 64 * heev_tile_vectors(p)
                          : road == HEEV_ONE ? heev_one_bytes(p)
                                             : heev_reference_bytes(p);
    *area = arena_rounded((size_t)bytes);
    *areas = arena_take(a, threads, *area);
}

size_t eig_cpu_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    arena measure = {0};
    char *areas;
    size_t area;
    heev_layout(&measure, p, cpu_threads(ctx, heev_units(ctx, p)), &areas, &area);
    return measure.used;
}

/* What one thread of the team does. */
static void heev_work(const eig_context *ctx, const heev_problem *p, cpu_watch *watch, char *work)
{
    const heev_kernels *const kernels = kernels_of(ctx, p);
    int const unit = heev_unit(ctx, p);
    heev_road const road = road_of(p);
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch)) {
        int64_t const b = u * unit, left = p->batch - b;
        if (road == HEEV_TILES)
            kernels->tiles->solve(p, b, left < unit ? (int)left : unit, work);
        else
            (road == HEEV_ONE ? kernels->one->solve : kernels->reference)(p, b, work, p->n > LONG_ORDER ? watch : NULL);
    }
    eig_cpu_watch_wait(watch);
}

eig_status eig_cpu_heev(eig_context *ctx, const heev_problem *p)
{
    int const threads = cpu_threads(ctx, heev_units(ctx, p));
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
    eig_cpu_watch_start(&watch, ctx, "heev", heev_units(ctx, p));
    if (threads == 1) {
        heev_work(ctx, p, &watch, areas);
    } else {
#pragma omp parallel num_threads(threads)
        heev_work(ctx, p, &watch, areas + (size_t)cpu_thread_number() * area);
    }
    eig_begin_passes(ctx, 1, pass_name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&watch);
}
