/* The work of one parallel region on the CPU, watched: units that threads take one by one, a stop flag, and progress.
 *
 * Only the thread that made the call reports; at most every 50 ms.  Where the callback asks to stop, every thread stops
 * at its next check.  A unit that may take longer than that checks by itself, with the part of it that is done.
 * Without a callback nothing is checked and nothing waits. */
#ifndef EIG_WATCH_H
#define EIG_WATCH_H

#include "problem.h"

#include <stdatomic.h>

typedef struct cpu_watch {
    eig_context *ctx;
    const char *family; /* for the error's sentence */
    int64_t units;
    int64_t awaited;    /* eig_cpu_watch_wait: units that must be done */
    const void *caller; /* the thread that made the call */
    atomic_int_fast64_t next, done;
    atomic_bool stop;
    double reported, highest; /* when, by eig_cpu_clock, and the largest fraction; of the calling thread */
    eig_status status;        /* EIG_CANCELLED once stopped; of the calling thread */
} cpu_watch;

/* Begins with progress 0: the callback may stop the work before it starts. */
void eig_cpu_watch_start(cpu_watch *watch, eig_context *ctx, const char *family, int64_t units);

/* The next unit for a thread, after a look; -1 where there is none, or the work was stopped. */
int64_t eig_cpu_watch_take(cpu_watch *watch);

/* Notes that a unit is done. */
void eig_cpu_watch_done(cpu_watch *watch);

/* Whether to go on, inside a unit of which `part`, 0 to 1, is done.  What is reported never falls. */
bool eig_cpu_watch_look(cpu_watch *watch, double part);

/* The same without a look: EIG_CANCELLED once the work was stopped. */
static inline eig_status eig_cpu_watch_status(const cpu_watch *watch)
{
    return atomic_load_explicit(&watch->stop, memory_order_relaxed) ? EIG_CANCELLED : EIG_OK;
}

/* For a thread that has no more units: the calling one waits for the others, and goes on reporting. */
void eig_cpu_watch_wait(cpu_watch *watch);

/* After the region: reports that all is done; the status of the whole. */
eig_status eig_cpu_watch_end(cpu_watch *watch);

#endif
