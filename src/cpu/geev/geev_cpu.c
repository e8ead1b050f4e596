/* geev on the CPU: the driver.
 *
 * Mapping   the batch is shared out in units: a unit is a tile of matrices, one a SIMD lane, up to n = GEEV_MOST, and
 *           one matrix above.  A matrix on which the lanes did not converge goes to the reference.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads or units: a matrix is computed by the same arithmetic in any lane of any
 *           tile (geev_kernels.c).
 * Progress  one parallel region a call, whether a callback is set or not: a team that starts and ends often waits for
 *           its slowest thread as often, which on a busy machine is a time slice of another program. */
#include "geev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"
#include "watch.h"

/* A matrix larger than this looks for a stop between its steps. */
enum { LONG_ORDER = 128 };

static const geev_kernels *kernels_of(const eig_context *ctx, const geev_problem *p)
{
    return &eig_cpu_kernels(ctx, p->type)->geev;
}

/* Whether matrices go to the plain solver, one by one. */
static bool geev_plainly(const geev_problem *p)
{
    return p->n > GEEV_MOST || p->method == EIG_GEEV_REFERENCE;
}

/* Matrices of a unit of work. */
static int geev_unit(const eig_context *ctx, const geev_problem *p)
{
    if (geev_plainly(p)) return 1;
    return kernels_of(ctx, p)->tiles->lanes;
}

static int64_t geev_units(const eig_context *ctx, const geev_problem *p)
{
    int const unit = geev_unit(ctx, p);
    return p->batch / unit + (p->batch % unit != 0);
}

static int geev_threads(const eig_context *ctx, const geev_problem *p)
{
    return cpu_threads(ctx, geev_units(ctx, p));
}

/* The work areas of all threads; *area: bytes from one to the next. */
static void geev_layout(arena *a, const geev_problem *p, int threads, char **areas, size_t *area)
{
    int64_t const size = (int64_t)type_size(p->type);
    int64_t const reference = geev_reference_numbers(p->n) * size;
    int64_t const tile = geev_plainly(p) ? 0 : geev_tile_vectors(p->n) * 64;
    int64_t const bytes = tile > reference ? tile : reference;
    *area = arena_rounded((size_t)bytes);
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

static void geev_tile(const geev_kernels *kernels, const geev_problem *p, int64_t first, int count, void *work)
{
    unsigned hard = kernels->tiles->solve(p, first, count, work);
    for (int64_t b = first; hard; hard >>= 1, ++b)
        if (hard & 1) kernels->reference(p, b, work, NULL);
}

/* What one thread of the team does. */
static void geev_work(const eig_context *ctx, const geev_problem *p, cpu_watch *watch, char *work)
{
    const geev_kernels *const kernels = kernels_of(ctx, p);
    int const unit = geev_unit(ctx, p);
    bool const plainly = geev_plainly(p);
    for (int64_t u; (u = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch)) {
        int64_t const b = u * unit, left = p->batch - b;
        if (plainly)
            kernels->reference(p, b, work, p->n > LONG_ORDER ? watch : NULL);
        else
            geev_tile(kernels, p, b, left < unit ? (int)left : unit, work);
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
    double const start = eig_cpu_clock();
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "geev", geev_units(ctx, p));
    if (threads == 1) {
        geev_work(ctx, p, &watch, areas);
    } else {
#pragma omp parallel num_threads(threads)
        geev_work(ctx, p, &watch, areas + (size_t)cpu_thread_number() * area);
    }
    eig_begin_passes(ctx, 1, pass_name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&watch);
}
