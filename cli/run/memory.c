/* How much memory is free. */
#include "run/memory.h"
#include "run/ranks.h"
#include "run/say.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The number in a file of one, e.g. memory.max; false where there is none ("max" is none). */
static bool read_number(const char *folder, const char *name, int64_t *number)
{
    char path[1200];
    long long x;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return false;
    FILE *const file = fopen(path, "r");
    if (!file) return false;
    bool const found = fscanf(file, "%lld", &x) == 1;
    fclose(file);
    *number = x;
    return found;
}

/* The number behind a word of a file of lines: "MemAvailable:  1234 kB", "inactive_file 5678". */
static bool find_number(const char *path, const char *word, int64_t *number)
{
    char line[200];
    bool found = false;
    FILE *const file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        long long x;
        if (strncmp(line, word, strlen(word)) != 0) continue;
        found = sscanf(line + strlen(word), "%lld", &x) == 1;
        if (found) *number = x;
    }
    if (file) fclose(file);
    return found;
}

/* What one group leaves: its limit less what it uses, without the pages of files that the kernel can drop. */
static void lower(int64_t *most, const char *folder, const char *limit_name, const char *used_name, const char *dropped)
{
    char path[1200];
    int64_t limit, used, files = 0;
    if (!read_number(folder, limit_name, &limit) || !read_number(folder, used_name, &used)) return;
    if (snprintf(path, sizeof path, "%s/memory.stat", folder) < (int)sizeof path) find_number(path, dropped, &files);
    int64_t const left = limit - used + files;
    if (left < *most) *most = left > 0 ? left : 0;
}

/* The group and all groups around it: each limit holds. */
static void lower_along(int64_t *most, const char *mount, const char *hierarchy, const char *group)
{
    char folder[1000];
    int const root = snprintf(folder, sizeof folder, "%s%s", mount, hierarchy);
    if (root < 0 || (size_t)root + strlen(group) >= sizeof folder) return;
    strcat(folder, group);
    for (char *end = folder + strlen(folder); end; end = strrchr(folder + root, '/')) {
        *end = '\0';
        lower(most, folder, "memory.max", "memory.current", "inactive_file ");
        lower(most, folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ");
    }
}

int64_t memory_free_at(const char *meminfo, const char *groups, const char *mount)
{
    int64_t most = INT64_MAX, kilobytes;
    char line[800];
    if (find_number(meminfo, "MemAvailable:", &kilobytes)) most = 1024 * kilobytes;
    FILE *const file = fopen(groups, "r");
    /* "0::/group" of version 2, "9:memory:/group" of version 1. */
    while (file && fgets(line, sizeof line, file)) {
        char *const names = strchr(line, ':');
        char *const group = names ? strchr(names + 1, ':') : NULL;
        if (!group) continue;
        *group = '\0';
        group[1 + strcspn(group + 1, "\n")] = '\0';
        if (names[1] == '\0') lower_along(&most, mount, "", group + 1);
        if (strcmp(names + 1, "memory") == 0) lower_along(&most, mount, "/memory", group + 1);
    }
    if (file) fclose(file);
    return most == INT64_MAX ? (int64_t)4 << 30 : most;
}

/* What a limit of this process leaves: the limit less what the line of its status says, e.g. "VmSize:  1234 kB". */
static void lower_by_limit(int64_t *most, const struct rlimit *limit, const char *word)
{
    int64_t kilobytes = 0;
    if (limit->rlim_cur == RLIM_INFINITY || limit->rlim_cur > INT64_MAX) return;
    if (!find_number("/proc/self/status", word, &kilobytes)) return;
    int64_t const left = (int64_t)limit->rlim_cur - 1024 * kilobytes;
    if (left < *most) *most = left > 0 ? left : 0;
}

int64_t memory_free(void)
{
    int64_t most = memory_free_at("/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup");
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0) lower_by_limit(&most, &limit, "VmSize:");
    if (getrlimit(RLIMIT_DATA, &limit) == 0) lower_by_limit(&most, &limit, "VmData:");
    return most;
}

int memory_check(const char *what, double bytes, const char *advice)
{
    char needed[IO_SIZE_TEXT], there[IO_SIZE_TEXT];
    double const least = 1e6; /* less is there for certain */
    int64_t const left = memory_free() / (ranks_several() ? ranks_table()->host_size : 1);
    if (bytes < least || bytes <= (double)left) return CLI_OK;
    return cli_fail(CLI_FAILED, "%s: needs %s, %s are free%s", what,
                    io_size_text(needed, bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX), io_size_text(there, left),
                    advice);
}
