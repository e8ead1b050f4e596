/* heev on the CPU: the driver.
 *
 * Mapping   a unit of work is one matrix, by one thread, with the plain solver, whatever the method.
 * Order     threads take units one by one, since their times differ.  Each thread has a work area of its own.
 * Bits      results do not depend on threads: a matrix is computed by one thread, from its own entries alone.
 * Progress  one parallel region a call (watch.h). */
#include "heev_cpu.h"

#include "arena.h"
#include "backend_cpu.h"
#include "openmp.h"

/* A matrix larger than this looks for a stop between its steps. */
enum { LONG_ORDER = 64 };

/* The work areas of all threads; *area: bytes from one to the next. */
static void heev_layout(arena *a, const heev_problem *p, int threads, char **areas, size_t *area)
{
    *area = arena_rounded((size_t)heev_reference_bytes(p));
    *areas = arena_take(a, threads, *area);
}

size_t eig_cpu_heev_work_size(const eig_context *ctx, const heev_problem *p)
{
    arena measure = {0};
    char *areas;
    size_t area;
    heev_layout(&measure, p, cpu_threads(ctx, p->batch), &areas, &area);
    return measure.used;
}

/* What one thread of the team does. */
static void heev_work(const eig_context *ctx, const heev_problem *p, cpu_watch *watch, char *work)
{
    const heev_kernels *const kernels = &eig_cpu_kernels(ctx, p->type)->heev;
    for (int64_t b; (b = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch))
        kernels->reference(p, b, work, p->n > LONG_ORDER ? watch : NULL);
    eig_cpu_watch_wait(watch);
}

eig_status eig_cpu_heev(eig_context *ctx, const heev_problem *p)
{
    int const threads = cpu_threads(ctx, p->batch);
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
    eig_cpu_watch_start(&watch, ctx, "heev", p->batch);
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
