#define _POSIX_C_SOURCE 200809L
#include "team.h"

#include <sched.h>

enum { PATIENT = 300 /* looks before a thread gives its turn away: the others may not be running */ };

static inline void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static inline void look_away(int look)
{
    if (look < PATIENT)
        rest();
    else
        sched_yield();
}

bool eig_cpu_team_look(const cpu_member *m, int look)
{
    look_away(look);
    return !atomic_load_explicit(&m->team->stopped, memory_order_relaxed);
}

bool eig_cpu_team_wait(cpu_member *m)
{
    cpu_team *const team = m->team;
    int const meeting = atomic_load_explicit(&team->meeting, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) == m->size - 1) {
        team->stop = atomic_load_explicit(&team->stopped, memory_order_relaxed);
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->meeting, meeting + 1, memory_order_release);
    } else {
        for (int look = 0; atomic_load_explicit(&team->meeting, memory_order_acquire) == meeting; ++look)
            look_away(look);
    }
    return !team->stop;
}
