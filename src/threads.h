/* How many threads this machine allows: by the cgroup, by what can be created, and after a fork. */
#ifndef EIG_THREADS_H
#define EIG_THREADS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The processors that the CPU quota of the process's cgroups grants, rounded up; 0 where there is no quota. */
int eig_threads_quota(void);

/* The same from other files: groups in place of /proc/self/cgroup, mount in place of /sys/fs/cgroup. */
int eig_threads_quota_at(const char *groups, const char *mount);

/* How many threads, the calling one among them, OpenMP may be asked for when `wanted` are wanted. libgomp ends the
 * process where a thread cannot be created.  So this function first creates the threads itself, all at once, and ends
 * them again; it does so once for each calling thread, and again after eig_threads_made.  Where the limits
 * (RLIMIT_NPROC, a cgroup's pids.max, memory for stacks) do not allow all of them, it returns half of what they
 * allow. */
int eig_threads_creatable(int wanted);

/* Notes that threads were made which stay: what was tried before holds no more. */
void eig_threads_made(void);

/* Whether a fork may have lost the other threads of the calling thread's team in libgomp.  A parallel region of more
 * than one thread would then wait without end.  This holds in the child for the thread that returned from fork, if the
 * process had more than one thread.  Threads that the child creates are not affected. */
bool eig_threads_lost(void);

#ifdef __cplusplus
}
#endif
#endif
