/* How many threads this machine allows: see threads.h. */
#define _GNU_SOURCE /* SYS_gettid */
#include "threads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- quota */

/* Lowers *most to quota/period, rounded up, where there is such a quota. */
static void lower(int *most, long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota / period > INT_MAX / 2) return;
    int const processors = (int)(quota / period) + (quota % period != 0);
    if (*most == 0 || processors < *most) *most = processors;
}

/* The first count (1 or 2) numbers of a file; false if it does not begin with numbers. */
static bool read_numbers(const char *folder, const char *name, int count, long long *number)
{
    char path[1200];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    FILE *const file = fopen(path, "r");
    if (!file) return false;
    int const found = count == 1 ? fscanf(file, "%lld", number) : fscanf(file, "%lld %lld", number, number + 1);
    fclose(file);
    return found == count;
}

/* The quotas of the group and of all groups around it: each of them holds. */
static void lower_along(int *most, const char *mount, const char *hierarchy, const char *group)
{
    char folder[1000];
    int const root = snprintf(folder, sizeof folder, "%s%s", mount, hierarchy);
    if (root < 0 || (size_t)root + strlen(group) >= sizeof folder) return;
    strcat(folder, group);
    for (char *end = folder + strlen(folder); end; end = strrchr(folder + root, '/')) {
        long long of[2];
        *end = '\0';
        if (read_numbers(folder, "cpu.max", 2, of)) lower(most, of[0], of[1]);
        if (read_numbers(folder, "cpu.cfs_quota_us", 1, of) && read_numbers(folder, "cpu.cfs_period_us", 1, of + 1))
            lower(most, of[0], of[1]);
    }
}

int eig_threads_quota_at(const char *groups, const char *mount)
{
    int most = 0;
    char line[800], hierarchy[100];
    FILE *const file = fopen(groups, "r");
    /* "0::/group" of version 2, "4:cpu,cpuacct:/group" of version 1. */
    while (file && fgets(line, sizeof line, file)) {
        char *const first = strchr(line, ':'), *const second = first ? strchr(first + 1, ':') : NULL;
        if (!second) continue;
        *second = '\0';
        char *const group = second + 1;
        group[strcspn(group, "\n")] = '\0';
        const char *const names = first + 1;
        bool const cpu = strcmp(names, "cpu") == 0 || strncmp(names, "cpu,", 4) == 0 || strstr(names, ",cpu");
        if (*names && !cpu) continue;
        if (snprintf(hierarchy, sizeof hierarchy, "%s%s", *names ? "/" : "", names) < (int)sizeof hierarchy)
            lower_along(&most, mount, hierarchy, group);
    }
    if (file) fclose(file);
    return most;
}

int eig_threads_quota(void)
{
    return eig_threads_quota_at("/proc/self/cgroup", "/sys/fs/cgroup");
}

#ifdef _OPENMP

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---------------------------------------------------------------- creation */

enum { MOST_TRIED = 1024 };

/* Threads of this process: Linux counts them as links of a folder.  0 where that is not known. */
static long threads_here(void)
{
    struct stat folder;
    return stat("/proc/self/task", &folder) == 0 && folder.st_nlink > 2 ? (long)folder.st_nlink - 2 : 0;
}

/* Waits at the gate, which is shut until all are there. */
static void *wait_at(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* How many of count threads could be created at one time. */
static int create_and_end(int count)
{
    pthread_t thread[MOST_TRIED];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    sigset_t all, before;
    int created = 0;
    long const here = threads_here();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the caller's signals are not for these threads */
    pthread_mutex_lock(&gate);
    while (created < count && pthread_create(&thread[created], NULL, wait_at, &gate) == 0) ++created;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < created; ++i) pthread_join(thread[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    /* A thread counts until the kernel has removed it, a little after it can be joined. */
    for (int turn = 0; turn < 1000 && threads_here() > here; ++turn) sched_yield();
    return created;
}

/* What was tried for the calling thread, and how many may be asked for since. */
static _Thread_local int tried, allowed;

/* How often threads were made that stay; for the calling thread: when it tried. */
static atomic_int made;
static _Thread_local int tried_at;

void eig_threads_made(void)
{
    atomic_fetch_add(&made, 1);
}

int eig_threads_creatable(int wanted)
{
    if (wanted > MOST_TRIED) wanted = MOST_TRIED;
    int const now = atomic_load(&made);
    if (wanted > 1 && (wanted > tried || tried_at != now)) {
        int const created = create_and_end(wanted - 1);
        tried = wanted, tried_at = now;
        allowed = created == wanted - 1 ? wanted : 1 + created / 2;
    }
    return wanted <= 1 ? 1 : wanted < allowed ? wanted : allowed;
}

/* -------------------------------------------------------------------- fork */

/* Whether the main thread's team may be lost. */
static atomic_bool lost;

static _Thread_local bool several; /* before a fork of this thread: the process has more than one */

static void before_fork(void)
{
    several = threads_here() != 1;
}

static void in_child(void)
{
    if (several) atomic_store(&lost, true);
    tried = allowed = 0;
}

/* Whether the process began by a fork without an exec since, before this library was there to see it: bit PF_FORKNOEXEC
 * of the ninth field of /proc/self/stat. */
static bool began_by_fork(void)
{
    char text[1024];
    FILE *const file = fopen("/proc/self/stat", "r");
    if (!file) return false;
    size_t const length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *const name_end = strrchr(text, ')');
    unsigned flags;
    return name_end && sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && (flags & 0x40);
}

__attribute__((constructor)) static void watch_forks(void)
{
    atomic_store(&lost, began_by_fork());
    pthread_atfork(before_fork, NULL, in_child);
}

/* The thread that returned from fork is the child's main thread. */
bool eig_threads_lost(void)
{
    return atomic_load(&lost) && syscall(SYS_gettid) == getpid();
}

#endif
