/* LAPACK as a rival.  The library is opened by its soname when a benchmark asks for it, so that the program neither
 * depends on LAPACK nor pays for starting OpenBLAS's threads in other commands.  Symbols are Fortran's: every argument
 * by reference, the lengths of strings at the end. */
#define _GNU_SOURCE /* dladdr, sysconf */
#include "bench/rivals.h"
#include "bench/support/times.h"
#include "run/context.h"
#include "run/files.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RIVAL_NO_MEMORY = -1000 };

typedef void (*stebz_function)(const char *range, const char *order, const int *n, const void *vl, const void *vu,
                               const int *il, const int *iu, const void *abstol, const void *d, const void *e, int *m,
                               int *splits, void *w, int *block, int *split, void *work, int *iwork, int *info,
                               size_t range_length, size_t order_length);
typedef void (*sterf_function)(const int *n, void *d, void *e, int *info);

static struct {
    bool tried;
    void *library;
    const char *name;
    stebz_function sstebz, dstebz;
    sterf_function ssterf, dsterf;
} lapack;

/* POSIX gives functions as object pointers; C has no cast between the two, therefore the copy. */
bool rivals_find(const char *name, void *function, size_t size)
{
    void *const symbol = rivals_open() ? dlsym(lapack.library, name) : NULL;
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* Makes this library the rival if it has stebz's. */
static bool open_library(const char *path)
{
    Dl_info where;
    lapack.tried = true;
    lapack.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lapack.library) return false;
    void *const symbol = dlsym(lapack.library, "dsterf_");
    lapack.name = symbol && dladdr(symbol, &where) ? where.dli_fname : path;
    if (rivals_find("sstebz_", &lapack.sstebz, sizeof lapack.sstebz) &&
        rivals_find("dstebz_", &lapack.dstebz, sizeof lapack.dstebz) &&
        rivals_find("ssterf_", &lapack.ssterf, sizeof lapack.ssterf) &&
        rivals_find("dsterf_", &lapack.dsterf, sizeof lapack.dsterf))
        return true;
    lapack.name = NULL;
    return false;
}

bool rivals_use(const char *path)
{
    return open_library(path);
}

const char *rivals_open(void)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so", "liblapack.dylib"};
    bool const tried = lapack.tried;
    for (size_t i = 0; !tried && !lapack.name && i < sizeof names / sizeof *names; i++) open_library(names[i]);
    lapack.tried = true;
    return lapack.name;
}

void rivals_one_thread(void)
{
    static const char *const names[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};
    void (*set)(int threads);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rivals_find(names[i], &set, sizeof set)) set(1);
}

const char *rivals_machine(char *text, size_t size)
{
    char model[100] = "unknown processor", line[256];
    FILE *const file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file) fclose(file);
    snprintf(text, size, "%s, %ld threads", model, sysconf(_SC_NPROCESSORS_ONLN));
    return text;
}

/* ?stebz with abstol = 0, its default of eps ||T||. */
static int solve_stebz(stebz_function stebz, size_t real, int64_t n64, const void *d, const void *e, int64_t il64,
                       int64_t iu64, void *w, double *ms)
{
    int const n = (int)n64, il = (int)il64, iu = (int)iu64;
    double const zero = 0; /* all bits zero: a float's zero as well */
    int m, splits, info = RIVAL_NO_MEMORY;
    size_t const count = (size_t)n;
    char *const work = (char *)malloc(5 * count * real); /* w may be shorter than the n that ?stebz wants */
    int *const iwork = (int *)malloc(5 * count * sizeof *iwork);
    if (work && iwork) {
        bool const all = il == 1 && iu == n;
        char *const found = work + 4 * count * real;
        double const start = clock_ms();
        stebz(all ? "A" : "I", "E", &n, &zero, &zero, &il, &iu, &zero, d, e, &m, &splits, found, iwork, iwork + count,
              work, iwork + 2 * count, &info, 1, 1);
        *ms = clock_ms() - start;
        memcpy(w, found, (size_t)(iu - il + 1) * real);
    }
    free(work);
    free(iwork);
    return info;
}

/* ?sterf (QL and QR iterations) overwrites its input: it gets copies. */
static int solve_sterf(sterf_function sterf, size_t real, int64_t n64, const void *d, const void *e, void *w,
                       double *ms)
{
    int const n = (int)n64;
    int info = RIVAL_NO_MEMORY;
    size_t const count = (size_t)n;
    char *const copy = (char *)malloc(count * real);
    if (copy) {
        memcpy(w, d, count * real);
        memcpy(copy, e, (count - 1) * real);
        double const start = clock_ms();
        sterf(&n, w, copy, &info);
        *ms = clock_ms() - start;
    }
    free(copy);
    return info;
}

static int dstebz(int64_t n, const void *d, const void *e, int64_t il, int64_t iu, void *w, double *ms)
{
    return solve_stebz(lapack.dstebz, sizeof(double), n, d, e, il, iu, w, ms);
}

static int sstebz(int64_t n, const void *d, const void *e, int64_t il, int64_t iu, void *w, double *ms)
{
    return solve_stebz(lapack.sstebz, sizeof(float), n, d, e, il, iu, w, ms);
}

static int dsterf(int64_t n, const void *d, const void *e, int64_t il, int64_t iu, void *w, double *ms)
{
    (void)il, (void)iu;
    return solve_sterf(lapack.dsterf, sizeof(double), n, d, e, w, ms);
}

static int ssterf(int64_t n, const void *d, const void *e, int64_t il, int64_t iu, void *w, double *ms)
{
    (void)il, (void)iu;
    return solve_sterf(lapack.ssterf, sizeof(float), n, d, e, w, ms);
}

const rival_solver *rivals_stebz(int *count)
{
    static const rival_solver table[] = {
        {"dstebz", EIG_D, true, dstebz},
        {"dsterf", EIG_D, false, dsterf},
        {"sstebz", EIG_S, true, sstebz},
        {"ssterf", EIG_S, false, ssterf},
    };
    *count = rivals_open() ? (int)(sizeof table / sizeof *table) : 0;
    return table;
}
