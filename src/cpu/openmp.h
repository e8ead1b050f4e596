/* What the drivers ask of OpenMP, and the answers in a build without it. */
#ifndef EIG_OPENMP_H
#define EIG_OPENMP_H

#include "problem.h"
#include "threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads for work that `useful` threads can share, as far as the context and the machine allow; 1 or more.  One inside
 * a parallel region of the caller. */
static inline int cpu_threads(const eig_context *ctx, int64_t useful)
{
    if (useful <= 1 || ctx->threads == 1) return 1; /* what follows asks the system */
#ifdef _OPENMP
    int const processors = omp_get_num_procs(), most = processors > 16 ? 2 * processors : 32;
    /* A quota lowers OpenMP's default, unless that was chosen. */
    int const set = omp_get_max_threads(), quota = ctx->quota > 0 && ctx->quota < set ? ctx->quota : set;
    int const usual = set == processors ? quota : set, wanted = ctx->threads > 0 ? ctx->threads : usual;
    /* While a callback runs, only eig_describe comes here. */
    if ((omp_in_parallel() && !ctx->reporting) || eig_threads_lost()) return 1;
    int const few = wanted < most ? wanted : most;
    return eig_threads_creatable(useful < few ? (int)useful : few);
#else
    (void)ctx;
    return 1;
#endif
}

/* Whether that number of threads must take turns. */
static inline bool cpu_crowded(int threads)
{
#ifdef _OPENMP
    return threads > 1 && threads > omp_get_num_procs(); /* which asks the system: 0.35 us */
#else
    return threads > 1;
#endif
}

/* The number of the calling thread in its team, from 0. */
static inline int cpu_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
