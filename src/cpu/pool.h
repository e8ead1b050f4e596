/* Work that threads share in pieces, and the threads that a context keeps for it.
 *
 * A region of libgomp ends only when every thread of its team has come.  Linux often wakes a thread on the processor of
 * the one that wakes it, where it waits for the next tick (4 ms), although another processor is idle.  So here a thread
 * that has not come when the caller finds no piece left is not waited for. */
#ifndef EIG_POOL_H
#define EIG_POOL_H

#include "problem.h"

/* What each thread does: rank 0, the calling thread, to size - 1.  Ranks of threads that come too late are missing. 
 * Where the work waits for all (team.h), all come. */
typedef void cpu_job(void *argument, int rank, int size);

/* Calls the job in the calling thread and in up to threads - 1 others; returns when all that began have returned. */
void eig_cpu_share(eig_context *ctx, int threads, cpu_job *job, void *argument);

/* Ends the context's threads.  In the child of a fork they do not exist: only forgets them. */
void eig_cpu_pool_end(eig_context *ctx);

#endif
