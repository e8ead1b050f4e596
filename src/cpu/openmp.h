/* What the drivers ask of OpenMP, and the answers in a build without it. */
#ifndef EIG_OPENMP_H
#define EIG_OPENMP_H

#include "problem.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads that a call on this context may use: one inside a parallel region of the caller. */
static inline int cpu_threads(const eig_context *ctx)
{
#ifdef _OPENMP
    /* libgomp ends the process where a thread cannot be created: no more are asked for than a machine can use. */
    int const processors = omp_get_num_procs(), most = processors > 16 ? 2 * processors : 32;
    int const wanted = ctx->threads > 0 ? ctx->threads : omp_get_max_threads();
    return omp_in_parallel() ? 1 : wanted < most ? wanted : most;
#else
    (void)ctx;
    return 1;
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
