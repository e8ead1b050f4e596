/* stebz on the CPU: counts at given shifts, by pivots. */
#include "stebz_cpu.h"

#include "openmp.h"
#include "watch.h"

#include <math.h>

size_t eig_cpu_stebz_count_work_size(const eig_context *ctx, const stebz_count_problem *q)
{
    (void)ctx;
    arena measure = {0};
    for (int i = 0; i < 2; ++i) arena_take(&measure, q->n, sizeof(double));
    return measure.used;
}

/* A thread's share: STEBZ_LANES shifts at a time. */
static void count_shifts(const stebz_search *search, const stebz_problem *p, const stebz_count_problem *q,
                         cpu_watch *watch)
{
    stebz_power const scale = stebz_power_of(-search->scale);
    for (int64_t unit; (unit = eig_cpu_watch_take(watch)) >= 0; eig_cpu_watch_done(watch)) {
        int64_t const j0 = unit * STEBZ_LANES;
        int const lanes = (int)(q->m - j0 < STEBZ_LANES ? q->m - j0 : STEBZ_LANES);
        stebz_counts c;
        for (int l = 0; l < STEBZ_LANES; ++l)
            c.x[l] = stebz_scaled(type_get(q->type, q->x, l < lanes ? j0 + l : j0), scale);
        search->kernels->pivot->count(&search->matrix, lanes, &c);
        for (int l = 0; l < lanes; ++l)
            c.count[l] += eig_cpu_stebz_count_lost(search, p, 0, type_get(q->type, q->x, j0 + l), c.x[l]);
        for (int l = 0; l < lanes; ++l) q->count[j0 + l] = isnan(c.x[l]) ? -1 : c.count[l];
    }
    eig_cpu_watch_wait(watch);
}

eig_status eig_cpu_stebz_count(eig_context *ctx, const stebz_count_problem *q)
{
    stebz_problem const p = {.type = q->type, .n = q->n, .batch = 1, .d = q->d, .e = q->e};
    void *work;
    eig_status const status = eig_workspace(ctx, "stebz_count", eig_cpu_stebz_count_work_size(ctx, q), &work);
    if (status != EIG_OK) return status;
    static const char *const pass_name[] = {"counts"};
    eig_begin_passes(ctx, "counts", 1, pass_name);
    stebz_search search = {.kernels = &eig_cpu_kernels(ctx, q->type)->stebz};
    double const start = eig_cpu_clock();
    bool const finite = eig_cpu_stebz_finite(&search, &p, 0);
    bool any_nan = false;
    for (int64_t j = 0; j < q->m; ++j) {
        any_nan |= isnan(type_get(q->type, q->x, j));
        q->count[j] = -1;
    }
    if (q->info) *q->info = finite && !any_nan ? EIG_INFO_OK : EIG_INFO_NOT_FINITE;
    if (!finite) return EIG_OK;
    arena a = {work, 0};
    search.a = arena_take(&a, q->n, sizeof(double));
    search.b = arena_take(&a, q->n, sizeof(double));
    int const exponent = eig_cpu_stebz_exponent(&search, &p, 0);
    eig_cpu_stebz_load(&search, &p, 0, eig_cpu_stebz_pivot_scale(&search, &p, 0, exponent));
    int const threads = eig_cpu_stebz_threads(ctx, q->n, (double)q->m);
    cpu_watch watch;
    eig_cpu_watch_start(&watch, ctx, "stebz_count", (q->m + STEBZ_LANES - 1) / STEBZ_LANES);
    if (threads == 1) {
        count_shifts(&search, &p, q, &watch);
    } else {
#pragma omp parallel num_threads(threads)
        {
            USUAL_FLOAT_MODE;
            count_shifts(&search, &p, q, &watch);
        }
    }
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    return eig_cpu_watch_end(&watch);
}
