/* The threads that work on one problem together, and where they meet.
 *
 * Kernels hold no threads: the driver opens a parallel region, and every thread of it calls the kernel with its number.  Between
 * two meetings a thread writes only what no other one reads or writes. */
#ifndef EIG_TEAM_H
#define EIG_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct cpu_team {
    atomic_int arrived, meeting;
    atomic_bool stopped;
    bool stop;    /* what all were told when they last met */
    void *shared; /* what one thread shows to the others */
} cpu_team;

/* One thread of a team of `size`. */
typedef struct cpu_member {
    cpu_team *team; /* NULL where size is 1 */
    int rank, size;
    bool stopped; /* where size is 1 */
} cpu_member;

/* Asks all to stop when they next meet. */
static inline void cpu_team_stop(cpu_member *m)
{
    if (m->size > 1)
        atomic_store_explicit(&m->team->stopped, true, memory_order_relaxed);
    else
        m->stopped = true;
}

/* Waits until all are here; what they wrote before, all can read then.  Returns the same to all: whether to go on. */
bool eig_cpu_team_wait(cpu_member *m);

static inline bool cpu_team_meet(cpu_member *m)
{
    return m->size > 1 ? eig_cpu_team_wait(m) : !m->stopped;
}

#endif
