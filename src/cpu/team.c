#define _GNU_SOURCE /* futex.h */
#include "team.h"

#include "futex.h"

#include <limits.h>

/* Looks before a thread sleeps: half a millisecond, longer than one that runs lets others wait; few where there are
 * more threads than processors. A thread that sleeps keeps its right to the processor: one that yields it (sched_yield)
 * to other programs, even of low priority, waits for milliseconds. */
enum { PATIENT = 8000, CROWDED = 300 };

static bool patient(const cpu_team *team, int look)
{
    bool const still = look < (team->crowded ? CROWDED : PATIENT);
    if (still) look_again();
    return still;
}

bool eig_cpu_team_look(const cpu_member *m, int look)
{
    if (!patient(m->team, look)) nap();
    return !atomic_load_explicit(&m->team->stopped, memory_order_relaxed);
}

bool eig_cpu_team_wait(cpu_member *m)
{
    cpu_team *const team = m->team;
    int const meeting = atomic_load_explicit(&team->meeting, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) == m->size - 1) {
        team->stop = atomic_load_explicit(&team->stopped, memory_order_relaxed);
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store(&team->meeting, meeting + 1);
        if (atomic_load(&team->asleep) > 0) wake(&team->meeting, INT_MAX);
    } else {
        for (int look = 0; atomic_load_explicit(&team->meeting, memory_order_acquire) == meeting; ++look)
            if (!patient(team, look)) {
                atomic_fetch_add(&team->asleep, 1);
                sleep_while(&team->meeting, meeting);
                atomic_fetch_sub(&team->asleep, 1);
            }
    }
    return !team->stop;
}
