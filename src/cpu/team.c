#define _GNU_SOURCE
#include "team.h"

#include <limits.h>
#include <stddef.h>
#include <time.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Looks before a thread sleeps: half a millisecond, longer than one that runs lets others wait; few where there are more threads than
 * processors. A thread that sleeps keeps its right to the processor: one that gives its turn away (sched_yield) to other programs, even of
 * low priority, waits for milliseconds. */
enum { PATIENT = 8000, CROWDED = 300 };

static bool patient(const cpu_team *team, int look)
{
    bool const still = look < (team->crowded ? CROWDED : PATIENT);
#if defined(__x86_64__) || defined(__i386__)
    if (still) __builtin_ia32_pause();
#endif
    return still;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 20000}, NULL);
}

/* Sleeps while *word is value; it may wake earlier. */
static void sleep_while(atomic_int *word, int value)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
#else
    (void)word, (void)value;
    nap();
#endif
}

static void wake_all(atomic_int *word)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
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
        if (atomic_load(&team->asleep) > 0) wake_all(&team->meeting);
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
