/* Units of work, a stop flag and progress: see watch.h. */
#define _POSIX_C_SOURCE 200112L /* nanosleep */
#include "watch.h"

#include "backend_cpu.h"

#include <math.h>
#include <sched.h>
#include <time.h>

enum { REPORT_MS = 50 };

/* Every thread has one at another address.  OpenMP's thread numbers do not tell threads apart: inside a region of one
 * thread every thread has number 0, and a team of one may be any thread of the caller's team. */
static _Thread_local char identity;

static bool is_caller(const cpu_watch *watch)
{
    return watch->caller == &identity;
}

void eig_cpu_watch_start(cpu_watch *watch, eig_context *ctx, const char *family, int64_t units)
{
    watch->ctx = ctx, watch->family = family, watch->units = watch->awaited = units, watch->caller = &identity;
    atomic_init(&watch->next, 0);
    atomic_init(&watch->done, 0);
    watch->reported = ctx->progress ? eig_cpu_clock() : 0, watch->highest = 0;
    watch->status = eig_report_progress(ctx, family, 0);
    atomic_init(&watch->stop, watch->status != EIG_OK);
}

bool eig_cpu_watch_look(cpu_watch *watch, double part)
{
    if (!watch->ctx->progress) return true;
    if (atomic_load_explicit(&watch->stop, memory_order_relaxed)) return false;
    if (!is_caller(watch)) return true;
    double const now = eig_cpu_clock();
    if (now - watch->reported < REPORT_MS) return true;
    watch->reported = now;
    double const done = (double)atomic_load_explicit(&watch->done, memory_order_relaxed) + part;
    watch->highest = fmax(watch->highest, done / (double)watch->units);
    watch->status = eig_report_progress(watch->ctx, watch->family, watch->highest);
    if (watch->status != EIG_OK) atomic_store_explicit(&watch->stop, true, memory_order_relaxed);
    return watch->status == EIG_OK;
}

int64_t eig_cpu_watch_take(cpu_watch *watch)
{
    if (!eig_cpu_watch_look(watch, 0)) return -1;
    int64_t const unit = atomic_fetch_add_explicit(&watch->next, 1, memory_order_relaxed);
    return unit < watch->units ? unit : -1;
}

void eig_cpu_watch_done(cpu_watch *watch)
{
    if (watch->ctx->progress) atomic_fetch_add_explicit(&watch->done, 1, memory_order_relaxed);
}

/* Yields the processor a few times first, so that short waits stay short. */
void eig_cpu_watch_wait(cpu_watch *watch)
{
    if (!watch->ctx->progress || !is_caller(watch)) return;
    struct timespec const pause = {0, 200000};
    for (int turn = 0; atomic_load_explicit(&watch->done, memory_order_relaxed) < watch->awaited; ++turn) {
        if (!eig_cpu_watch_look(watch, 0)) return;
        if (turn < 100)
            sched_yield();
        else
            nanosleep(&pause, NULL);
    }
}

eig_status eig_cpu_watch_end(cpu_watch *watch)
{
    return watch->status == EIG_OK ? eig_report_progress(watch->ctx, watch->family, 1) : watch->status;
}
