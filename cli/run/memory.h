/* How much memory is free, and what to say where it is too little. */
#ifndef EIG_CLI_MEMORY_H
#define EIG_CLI_MEMORY_H

#include <stdint.h>

/* What a command's table of options says of it. */
#define MEMORY_HELP "of the host, for the slices of a large file: 500M, 8G (default: a quarter of what is free)"

/* Bytes that are free: MemAvailable of meminfo, or what a cgroup (version 1 or 2) leaves, where that is less; 4 GB
 * where neither is known.  `groups` and `mount` stand for /proc/self/cgroup and /sys/fs/cgroup. */
int64_t memory_free_at(const char *meminfo, const char *groups, const char *mount);

/* The same for this machine and process, with the process's limits of memory (ulimit -v, ulimit -d). */
int64_t memory_free(void);

/* Whether `bytes` more are free.  Returns an exit status; the sentence is "`what` needs 3.2 GB, 128 MB are free: try
 * ..." and ends with `advice`.  Under mpirun the ranks of a host share what is free. */
int memory_check(const char *what, double bytes, const char *advice);

#endif
