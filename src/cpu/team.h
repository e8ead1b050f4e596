/* The threads that work on one problem together, and their barriers.
 *
 * Kernels hold no threads: the driver opens a parallel region, and every thread of it calls the kernel with its number.
 * Between two barriers a thread writes only what no other one reads or writes. */
#ifndef EIG_TEAM_H
#define EIG_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cpu_team {
    atomic_int arrived, meeting, asleep;
    atomic_int_fast64_t taken; /* pieces of work, and vain tries */
    atomic_bool stopped;
    bool crowded; /* more threads than processors */
    bool stop;    /* what all saw at the last barrier */
    void *shared; /* what one thread shows to the others */
} cpu_team;

/* One thread of a team of `size`. */
typedef struct cpu_member {
    cpu_team *team; /* NULL where size is 1 */
    int rank, size;
    bool stopped;  /* where size is 1 */
    int64_t begun; /* pieces and vain tries of all cpu_pieces so far */
} cpu_member;

/* Pieces of work that threads take one by one, between two barriers. */
typedef struct cpu_pieces {
    cpu_member *who;
    int64_t first, count, next;
} cpu_pieces;

/* Every thread of the team calls it with the same count, and then takes until there is none. */
static inline cpu_pieces cpu_team_pieces(cpu_member *m, int64_t count)
{
    cpu_pieces const p = {m, m->begun, count, 0};
    m->begun += count + m->size;
    return p;
}

/* The next piece, 0 to count - 1; -1, once, where there is none. */
static inline int64_t cpu_team_take(cpu_pieces *p)
{
    int64_t const piece = p->who->size > 1
                              ? atomic_fetch_add_explicit(&p->who->team->taken, 1, memory_order_relaxed) - p->first
                              : p->next++;
    return piece < p->count ? piece : -1;
}

/* Asks all to stop at the next barrier. */
static inline void cpu_team_stop(cpu_member *m)
{
    if (m->size > 1)
        atomic_store_explicit(&m->team->stopped, true, memory_order_relaxed);
    else
        m->stopped = true;
}

/* Waits until all are here; what they wrote before, all can read then.  Returns the same to all: whether to go on. */
bool eig_cpu_team_wait(cpu_member *m);

/* A thread that waits for another one between two barriers calls it at each check, 0, 1, ... Returns false once a
 * thread asked to stop. */
bool eig_cpu_team_look(const cpu_member *m, int look);

static inline bool cpu_team_meet(cpu_member *m)
{
    return m->size > 1 ? eig_cpu_team_wait(m) : !m->stopped;
}

#endif
