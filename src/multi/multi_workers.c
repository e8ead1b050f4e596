/* Several devices in one context: a thread for each child, and the queue from which they take parts of a call.
 *
 * Caller    waits, and alone calls the caller's progress function, at most every 50 ms.
 * Stop      a child's own progress function tells it that the call is to end, because it was cancelled or another child
 *           has failed.  Every call waits for all children, whatever happened: nothing runs when it returns.
 * Order     which child gets a part varies; what it computes does not. */
#define _POSIX_C_SOURCE 200809L
#include "multi.h"
#include "openmp.h"
#include "parts.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* -------------------------------------------------------------------- children */

static int child_progress(void *user, double fraction)
{
    multi_worker *const worker = user;
    atomic_store_explicit(&worker->fraction, fraction, memory_order_relaxed);
    return atomic_load_explicit(&worker->state->stop, memory_order_relaxed);
}

/* The pass of this name in a list.  A name that is not there is added if there is room; else NULL. */
static double *time_of(eig_pass *pass, int *passes, const char *name)
{
    int k = 0;
    while (k < *passes && strcmp(pass[k].name, name) != 0) ++k;
    if (k == EIG_MOST_PASSES) return NULL;
    if (k == *passes) pass[(*passes)++] = (eig_pass){sizeof *pass, name, 0};
    return &pass[k].ms;
}

/* Adds the child's times, if it measured any, to those of this call. */
static void add_times(multi_worker *worker)
{
    const eig_context *const child = worker->child;
    for (int i = 0; child->timing && i < child->passes; ++i) {
        double *const ms = time_of(worker->pass, &worker->passes, child->pass[i].name);
        if (ms) *ms += child->pass[i].ms;
    }
}

/* The child's own part, once. */
static bool take_own(multi_worker *worker, int64_t *first, int64_t *count)
{
    const multi_call *const call = worker->state->call;
    int64_t const part = worker - worker->state->worker;
    if (worker->served || part >= call->parts) return false;
    *first = call->cut ? call->cut[part] : eig_part_begin(call->count, call->parts, part);
    *count = (call->cut ? call->cut[part + 1] : eig_part_begin(call->count, call->parts, part + 1)) - *first;
    return *count > 0;
}

/* The next part of the queue: a head, then shares of what is left, so that all children end at about the same time,
 * whatever their speeds.  The parts are few, because each fills and empties a pipeline. */
static bool take_next(multi_worker *worker, int64_t *first, int64_t *count)
{
    multi_state *const s = worker->state;
    const multi_call *const call = s->call;
    int64_t const left = call->count - s->next, least = call->least, share = left / (2 * s->active);
    if (left <= 0) return false;
    int64_t const length = !worker->served ? call->head : share > least ? share / least * least : least;
    *first = s->next;
    *count = left < length + least / 2 ? left : length; /* no short rest */
    s->next += *count;
    return true;
}

/* Under the lock. */
static bool take(multi_worker *worker, int64_t *first, int64_t *count)
{
    multi_state *const s = worker->state;
    if (atomic_load(&s->stop)) return false;
    if (s->call->parts > 0 ? !take_own(worker, first, count) : !take_next(worker, first, count)) return false;
    worker->served = true;
    worker->at = *count;
    atomic_store(&worker->fraction, 0);
    return true;
}

static void work_off(multi_worker *worker)
{
    multi_state *const s = worker->state;
    eig_context *const child = worker->child;
    int64_t first, count;
    while (take(worker, &first, &count)) {
        pthread_mutex_unlock(&s->lock);
        child->detail[0] = '\0', child->passes = 0;
        eig_status const status = s->call->work(child, s->call, first, count);
        add_times(worker);
        pthread_mutex_lock(&s->lock);
        worker->at = 0;
        if (status == EIG_OK) s->done += count;
        if (status == EIG_OK || atomic_load(&s->stop)) continue;
        s->failed = (int)(worker - s->worker), s->status = status;
        atomic_store(&s->stop, true);
    }
}

static void *run_worker(void *argument)
{
    USUAL_FLOAT_MODE;
    multi_worker *const worker = argument;
    multi_state *const s = worker->state;
    pthread_mutex_lock(&s->lock);
    for (int64_t seen = 0;;) {
        while (s->turn == seen) pthread_cond_wait(&s->begin, &s->lock);
        seen = s->turn;
        if (!s->call) break;
        if (worker - s->worker >= s->active) continue;
        work_off(worker);
        if (--s->running == 0) pthread_cond_signal(&s->end);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void eig_multi_lock(const eig_context *child)
{
    pthread_mutex_lock(&((multi_worker *)child->progress_user)->state->lock);
}

void eig_multi_unlock(const eig_context *child)
{
    pthread_mutex_unlock(&((multi_worker *)child->progress_user)->state->lock);
}

/* --------------------------------------------------------------------- threads */

eig_status eig_multi_start(eig_context *ctx)
{
    multi_state *const s = multi_state_of(ctx);
    sigset_t all, before;
    pthread_condattr_t monotonic;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->begin, NULL);
    pthread_cond_init(&s->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are the caller's threads' */
    bool started = s->started = true;
    for (int i = 0; i < s->workers && started; ++i) {
        multi_worker *const worker = &s->worker[i];
        worker->child->progress = child_progress, worker->child->progress_user = worker;
        started = worker->started = pthread_create(&worker->thread, NULL, run_worker, worker) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started ? EIG_OK : eig_fail(ctx, EIG_NO_MEMORY, "cannot start a thread for each of %d devices", s->workers);
}

void eig_multi_stop(multi_state *s)
{
    pthread_mutex_lock(&s->lock);
    s->call = NULL;
    ++s->turn;
    pthread_cond_broadcast(&s->begin);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < s->workers; ++i)
        if (s->worker[i].started) pthread_join(s->worker[i].thread, NULL);
    pthread_cond_destroy(&s->begin);
    pthread_cond_destroy(&s->end);
    pthread_mutex_destroy(&s->lock);
}

/* ----------------------------------------------------------------------- calls */

/* Threads of the host are shared out among the children that take part. */
static void begin(eig_context *ctx, const multi_call *call, int active)
{
    multi_state *const s = multi_state_of(ctx);
    int const threads = cpu_threads(ctx, INT_MAX) / active;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < active; ++i) {
        multi_worker *const worker = &s->worker[i];
        worker->child->threads = threads > 1 ? threads : 1;
        worker->child->timing = ctx->timing;
        worker->passes = 0, worker->at = 0, worker->served = false;
    }
    s->call = call;
    s->active = s->running = active;
    s->next = s->done = 0;
    s->failed = -1, s->status = EIG_OK;
    atomic_store(&s->stop, false);
    ++s->turn;
    pthread_cond_broadcast(&s->begin);
    pthread_mutex_unlock(&s->lock);
}

/* How much of the call is done, 0 to 1.  Under the lock. */
static double fraction_done(const multi_state *s)
{
    double done = (double)s->done;
    for (int i = 0; i < s->active; ++i) done += (double)s->worker[i].at * atomic_load(&s->worker[i].fraction);
    return done / (double)s->call->count;
}

static void wait_for_news(multi_state *s)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 50 * 1000 * 1000;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
    pthread_cond_timedwait(&s->end, &s->lock, &until);
}

/* Waits for all children; reports on the way, and stops them where the callback asks for it. */
static eig_status await(eig_context *ctx, const multi_call *call)
{
    multi_state *const s = multi_state_of(ctx);
    eig_status status = EIG_OK;
    double highest = 0;
    pthread_mutex_lock(&s->lock);
    while (s->running > 0) {
        if (!ctx->progress || call->silent || status != EIG_OK) {
            pthread_cond_wait(&s->end, &s->lock);
            continue;
        }
        wait_for_news(s);
        double const fraction = fraction_done(s);
        if (s->running == 0 || fraction <= highest) continue;
        highest = fraction;
        pthread_mutex_unlock(&s->lock);
        status = eig_report_progress(ctx, call->family, highest < 1 ? highest : 1);
        if (status != EIG_OK) atomic_store(&s->stop, true);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* A pass takes as long as it took on the slowest child. */
static void merge_times(eig_context *ctx, int active)
{
    const multi_state *const s = multi_state_of(ctx);
    ctx->road = s->worker[0].child->road;
    ctx->repairs = (call_repairs){0};
    if (!ctx->timing) return;
    ctx->passes = 0;
    for (int i = 0; i < active; ++i) {
        const multi_worker *const worker = &s->worker[i];
        for (int j = 0; j < worker->passes; ++j) {
            double *const ms = time_of(ctx->pass, &ctx->passes, worker->pass[j].name);
            if (ms && worker->pass[j].ms > *ms) *ms = worker->pass[j].ms;
        }
    }
}

eig_status eig_multi_run(eig_context *ctx, const multi_call *call, int64_t most)
{
    multi_state *const s = multi_state_of(ctx);
    int const active = most < s->workers ? (int)most : s->workers;
    eig_status status = call->silent ? EIG_OK : eig_report_progress(ctx, call->family, 0);
    if (status != EIG_OK) return status;
    begin(ctx, call, active);
    status = await(ctx, call);
    merge_times(ctx, active);
    if (status != EIG_OK) return status;
    if (s->failed >= 0) {
        const multi_worker *const worker = &s->worker[s->failed];
        return eig_fail(ctx, s->status, "%s: %s", worker->name, worker->child->detail);
    }
    return call->silent ? EIG_OK : eig_report_progress(ctx, call->family, 1);
}
