/* Waiting for a word of memory to change.  A file that includes this defines _GNU_SOURCE. */
#ifndef EIG_FUTEX_H
#define EIG_FUTEX_H

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* One look of a thread that waits awake: some 60 ns on x86. */
static inline void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static inline void nap(void)
{
    nanosleep(&(struct timespec){0, 20000}, NULL);
}

/* Sleeps while *word is value; it may wake earlier. */
static inline void sleep_while(atomic_int *word, int value)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
#else
    (void)word, (void)value;
    nap();
#endif
}

/* Wakes up to count threads that sleep there. */
static inline void wake(atomic_int *word, int count)
{
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
#else
    (void)word, (void)count;
#endif
}

#endif
