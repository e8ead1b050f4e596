/* How much memory is free. */
#ifndef EIG_CLI_MEMORY_H
#define EIG_CLI_MEMORY_H

#include <stdint.h>

/* What a command's table of options says of it. */
#define MEMORY_HELP "of the host, for the parts of a large file: 500M, 8G (default: a quarter of what is free)"

/* Bytes that can be had: MemAvailable of meminfo, or what a cgroup leaves, where that is less; 4 GB where neither is
 * known.  `groups` and `mount` stand for /proc/self/cgroup and /sys/fs/cgroup. */
int64_t memory_free_at(const char *meminfo, const char *groups, const char *mount);
int64_t memory_free(void);

#endif
