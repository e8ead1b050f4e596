/* The threads of a context: see pool.h.
 *
 * Join      a worker takes one of the job's places, which is its rank.  The caller closes the job by taking all that
 *           are left.
 * End       left counts workers down from 0 as they return; the caller adds those that have joined, and waits for 0.
 * Limits    fewer workers than wanted are enough.  Under OMP_PROC_BIND or OMP_PLACES a new thread may run on the
 *           caller's processors alone: those calls, and systems without futexes, use OpenMP's region. */
#define _GNU_SOURCE /* futex.h */
#include "pool.h"

#include "openmp.h"

#ifdef _OPENMP
static void share_region(int threads, cpu_job *job, void *argument)
{
#pragma omp parallel num_threads(threads)
    {
        USUAL_FLOAT_MODE;
        job(argument, omp_get_thread_num(), omp_get_num_threads());
    }
}
#endif

#if defined(_OPENMP) && defined(__linux__)

#include "futex.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

/* Looks before a thread sleeps: a worker for 12 ms, as libgomp's do, because a thread that is awake begins at once; the
 * caller for half a millisecond.  Few where there are more threads than processors. */
enum { PATIENT = 200000, CALLER_PATIENT = 8000, CROWDED = 30, MOST_WORKERS = 1023 };

typedef struct cpu_pool {
    long process; /* the one that has the workers */
    int workers;
    cpu_job *job; /* read by those that have a place */
    void *argument;
    int size;
    atomic_int patience, processor; /* of a thread that waits; the caller's */
    atomic_int turn, asleep;        /* turn rises with every job; workers sleep there */
    atomic_int places;              /* ranks places, ..., 1 are free */
    atomic_int left, caller_sleeps; /* the caller sleeps at left */
    atomic_bool end;
    pthread_t thread[MOST_WORKERS];
} cpu_pool;

/* A rank; 0 where there is none. */
static int take_place(cpu_pool *pool)
{
    int place = atomic_load(&pool->places);
    while (place > 0 && !atomic_compare_exchange_weak(&pool->places, &place, place - 1)) continue;
    return place;
}

/* The processors that a worker may use: as it found them, and as it has set them. */
typedef struct worker_home {
    cpu_set_t all, mine;
} worker_home;

/* Keeps this thread off one processor, because a virtual machine's Linux wakes a thread on the caller's when the others
 * sleep. */
static void avoid(worker_home *home, int processor)
{
    cpu_set_t now;
    if (processor < 0 || sched_getaffinity(0, sizeof now, &now) != 0) return;
    if (!CPU_EQUAL(&now, &home->mine)) home->all = now; /* the first time, or the user has changed them */
    home->mine = home->all;
    CPU_CLR((size_t)processor, &home->mine);
    if (CPU_COUNT(&home->mine) == 0) home->mine = home->all;
    sched_setaffinity(0, sizeof home->mine, &home->mine);
}

/* The place may be one of a later job than turn tells: then the worker looks once without result. */
static void *serve(void *argument)
{
    USUAL_FLOAT_MODE;
    cpu_pool *const pool = argument;
    worker_home home;
    CPU_ZERO(&home.mine);
    for (;;) {
        int const turn = atomic_load(&pool->turn), rank = take_place(pool);
        if (atomic_load(&pool->end)) return NULL;
        if (rank > 0) {
            pool->job(pool->argument, rank, pool->size);
            if (atomic_fetch_sub(&pool->left, 1) == 1 && atomic_load(&pool->caller_sleeps)) wake(&pool->left, 1);
        }
        /* One that comes too late must not hold the caller's processor. */
        int const processor = atomic_load(&pool->processor);
        bool const here = rank == 0 && sched_getcpu() == processor;
        int const patience = here ? 0 : atomic_load(&pool->patience);
        if (here) avoid(&home, processor);
        for (int look = 0; atomic_load(&pool->turn) == turn; ++look)
            if (look < patience) {
                look_again();
            } else {
                atomic_fetch_add(&pool->asleep, 1);
                sleep_while(&pool->turn, turn);
                atomic_fetch_sub(&pool->asleep, 1);
            }
    }
}

static void call_workers(cpu_pool *pool, int count)
{
    atomic_fetch_add(&pool->turn, 1);
    if (atomic_load(&pool->asleep) > 0) wake(&pool->turn, count);
}

/* Makes workers up to that number, as far as the system allows. */
static void enlarge(cpu_pool *pool, int workers)
{
    sigset_t all, before;
    int const first = pool->workers;
    if (workers > MOST_WORKERS) workers = MOST_WORKERS;
    if (first >= workers) return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are the caller's threads' */
    while (pool->workers < workers && pthread_create(&pool->thread[pool->workers], NULL, serve, pool) == 0)
        ++pool->workers;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pool->workers > first) eig_threads_made();
}

/* The context's pool, with that many workers if possible; NULL where it has none. */
static cpu_pool *pool_of(eig_context *ctx, int workers)
{
    if (ctx->pool && ctx->pool->process != (long)getpid()) eig_cpu_pool_end(ctx);
    if (!ctx->pool) {
        ctx->pool = calloc(1, sizeof *ctx->pool);
        if (ctx->pool) ctx->pool->process = (long)getpid();
    }
    if (ctx->pool) enlarge(ctx->pool, workers);
    return ctx->pool && ctx->pool->workers > 0 ? ctx->pool : NULL;
}

/* No worker can join from here on; waits for those that have. */
static void close_job(cpu_pool *pool)
{
    int const joined = pool->size - 1 - atomic_exchange(&pool->places, 0);
    int const patience = pool->patience == CROWDED ? CROWDED : CALLER_PATIENT;
    int left = atomic_fetch_add(&pool->left, joined) + joined;
    for (int look = 0; left > 0; ++look) {
        if (look < patience) {
            look_again();
        } else {
            atomic_store(&pool->caller_sleeps, 1);
            sleep_while(&pool->left, left);
        }
        left = atomic_load(&pool->left);
    }
    atomic_store(&pool->caller_sleeps, 0);
}

static void share(cpu_pool *pool, int threads, cpu_job *job, void *argument)
{
    pool->size = pool->workers < threads - 1 ? pool->workers + 1 : threads;
    pool->patience = cpu_crowded(pool->size) ? CROWDED : PATIENT;
    atomic_store(&pool->processor, sched_getcpu());
    pool->job = job, pool->argument = argument;
    atomic_store(&pool->places, pool->size - 1);
    call_workers(pool, pool->size - 1);
    job(argument, 0, pool->size);
    close_job(pool);
}

void eig_cpu_share(eig_context *ctx, int threads, cpu_job *job, void *argument)
{
    if (threads > 1 && omp_get_proc_bind() != omp_proc_bind_false) {
        share_region(threads, job, argument);
        return;
    }
    int const error = errno;
    cpu_pool *const pool = threads > 1 ? pool_of(ctx, threads - 1) : NULL;
    if (pool)
        share(pool, threads, job, argument);
    else
        job(argument, 0, 1);
    errno = error;
}

void eig_cpu_pool_end(eig_context *ctx)
{
    cpu_pool *const pool = ctx->pool;
    if (!pool) return;
    if (pool->process == (long)getpid()) {
        atomic_store(&pool->end, true);
        call_workers(pool, pool->workers);
        for (int k = 0; k < pool->workers; ++k) pthread_join(pool->thread[k], NULL);
    }
    free(pool);
    ctx->pool = NULL;
}

#else

void eig_cpu_share(eig_context *ctx, int threads, cpu_job *job, void *argument)
{
    (void)ctx;
#ifdef _OPENMP
    if (threads > 1) {
        share_region(threads, job, argument);
        return;
    }
#endif
    (void)threads;
    job(argument, 0, 1);
}

void eig_cpu_pool_end(eig_context *ctx)
{
    (void)ctx;
}

#endif
