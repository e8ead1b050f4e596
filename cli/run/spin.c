#define _POSIX_C_SOURCE 200809L /* setenv, readlink */
#include "run/spin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* About 0.1 ms: as long as it takes to put a team to sleep and wake it. */
static const char count[] = "4000";

static const char *bad_threads;

const char *spin_bad_threads(void)
{
    return bad_threads && bad_threads[0] ? bad_threads : NULL;
}

#if defined _OPENMP && defined __GLIBC__
/* One to 65536, or several with commas between them; space around each. */
static bool are_threads(const char *text)
{
    for (;; text++) {
        long threads = 0;
        while (*text == ' ' || (*text >= '\t' && *text <= '\r')) text++;
        if (*text == '+') text++;
        for (; *text >= '0' && *text <= '9'; text++)
            threads = threads < 100000 ? 10 * threads + (*text - '0') : threads;
        if (threads < 1 || threads > 65536) return false;
        while (*text == ' ' || (*text >= '\t' && *text <= '\r')) text++;
        if (*text != ',') return *text == '\0';
    }
}

/* Runs before the initializers of shared libraries, libgomp's among them, and uses nothing of theirs. */
static void check_threads(int argc, char **argv, char **environment)
{
    static const char name[] = "OMP_NUM_THREADS=";
    (void)argc, (void)argv;
    char **to = environment;
    for (char **from = environment; *from; from++) {
        size_t k = 0;
        while (name[k] && (*from)[k] == name[k]) k++;
        if (!name[k] && !are_threads(*from + k))
            bad_threads = *from + k;
        else
            *to++ = *from;
    }
    *to = NULL;
}
__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = check_threads;
#endif

void spin_briefly(char **argv)
{
#ifdef _OPENMP
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) return;
    char path[4096];
    ssize_t const length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || setenv("GOMP_SPINCOUNT", count, 1) != 0) return;
    path[length] = '\0';
    if (bad_threads) setenv("OMP_NUM_THREADS", bad_threads, 1); /* the restarted program reports it */
    execv(path, argv);
#else
    (void)argv, (void)count;
#endif
}
