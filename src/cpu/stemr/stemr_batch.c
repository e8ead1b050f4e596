/* stemr on the CPU: many matrices of one order.  Where each is little work the threads share the matrices, each with a
 * context and a workspace of its own; else one matrix after the other is shared by all threads.
 *
 * Bits      a matrix's results do not depend on threads: they are those of a call of its own. */
#include "stemr_cpu.h"

#include "openmp.h"
#include "stemr_stats.h"

#include <limits.h>

typedef struct batch_job {
    eig_context *ctx;
    const stemr_batch *all;
    cpu_watch watch;
    char *work;
    size_t each;
    atomic_int status; /* of the matrix that failed first */
    eig_stemr_stats *sum;
} batch_job;

/* Threads that are worth starting: 100 us of work each; a pair takes some 0.3 us and 20 ns a row. */
static int batch_threads(const eig_context *ctx, const stemr_batch *all)
{
    double const n = (double)all->first.n, one = n * (0.3 + 0.02 * n), worth = (double)all->batch * one / 100;
    if (crosses(stemr_shared, all->first.type, true, all->first.n, all->batch)) return 1;
    int64_t const useful = worth < (double)INT_MAX ? (int64_t)worth : INT_MAX;
    return cpu_threads(ctx, useful < all->batch ? useful : all->batch);
}

/* One thread's context: the call's own, which only it uses. */
static eig_context alone(const eig_context *ctx, void *work, size_t bytes)
{
    eig_context own = *ctx;
    own.threads = 1, own.timing = false, own.progress = NULL;
    own.lent = work, own.lent_bytes = bytes;
    return own;
}

static void batch_work(batch_job *job)
{
    char *const work = job->each > 0 ? job->work + (size_t)cpu_thread_number() * job->each : NULL;
    eig_context own = alone(job->ctx, work, job->each);
    eig_stemr_stats sum = EIG_STEMR_STATS;
    for (int64_t b; (b = eig_cpu_watch_take(&job->watch)) >= 0; eig_cpu_watch_done(&job->watch)) {
        eig_stemr_stats stats = EIG_STEMR_STATS;
        stemr_problem const p = eig_stemr_member(job->all, b, &stats);
        eig_status const status = eig_cpu_stemr(&own, &p);
        int none = EIG_OK;
        if (status != EIG_OK) atomic_compare_exchange_strong(&job->status, &none, (int)status);
        stemr_add_stats(&sum, &stats);
    }
#pragma omp critical(eig_cpu_stemr_batch)
    stemr_add_stats(job->sum, &sum);
    eig_cpu_watch_wait(&job->watch);
}

eig_status eig_cpu_stemr_batch(eig_context *ctx, const stemr_batch *all, eig_stemr_stats *sum)
{
    static const char *const pass_name[] = {"batch"};
    int threads = batch_threads(ctx, all);
    if (threads == 1) return eig_stemr_each(ctx, all, sum);
    eig_context const one = alone(ctx, NULL, 0);
    batch_job job = {.ctx = ctx, .all = all, .sum = sum};
    job.each = arena_rounded(eig_cpu_stemr_work_size(&one, &all->first));
    /* A workspace that is lent may be for one matrix alone. */
    if (ctx->lent && job.each > 0 && ctx->lent_bytes / job.each < (size_t)threads)
        threads = (int)(ctx->lent_bytes / job.each);
    if (threads <= 1) return eig_stemr_each(ctx, all, sum);
    void *work;
    eig_status status = eig_workspace(ctx, "stemr", (size_t)threads * job.each, &work);
    if (status != EIG_OK) return status;
    job.work = work;
    atomic_init(&job.status, EIG_OK);
    double const start = ctx->timing ? eig_cpu_clock() : 0;
    eig_cpu_watch_start(&job.watch, ctx, "stemr", all->batch);
#pragma omp parallel num_threads(threads)
    {
        USUAL_FLOAT_MODE;
        batch_work(&job);
    }
    eig_begin_passes(ctx, "batch", 1, pass_name);
    if (ctx->timing) ctx->pass[0].ms = eig_cpu_clock() - start;
    status = (eig_status)atomic_load(&job.status);
    if (status != EIG_OK) return eig_fail(ctx, status, "stemr: %s", eig_status_text(status));
    return eig_cpu_watch_end(&job.watch);
}
