/* The threads that a machine gives: what a cgroup grants, what can be created, and what a fork has left. */
#ifndef EIG_THREADS_H
#define EIG_THREADS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The processors that the CPU quota of the process's cgroups grants, rounded up; 0 where there is no quota. */
int eig_threads_quota(void);

/* The same by other files: groups in place of /proc/self/cgroup, mount in place of /sys/fs/cgroup. */
int eig_threads_quota_at(const char *groups, const char *mount);

/* How many threads, the calling one among them, OpenMP may be asked for when `wanted` are wanted.  libgomp ends the
 * process where a thread cannot be created, so that they are created here first, all at once, and ended again: once for
 * each calling thread.  Where the limits (RLIMIT_NPROC, a cgroup's pids.max, memory for stacks) do not let all of them
 * be, only half of what they let be are asked for. */
int eig_threads_creatable(int wanted);

/* Whether the calling thread may hold a team of libgomp's whose other threads a fork has lost: a parallel region of
 * more than one thread would then wait for ever.  So it is for the thread that returned from fork in the child, where
 * the process had more than one thread.  Threads that the child creates are free of that. */
bool eig_threads_lost(void);

#ifdef __cplusplus
}
#endif
#endif
