/* LAPACK as stemr's rival: ?stemr (MRRR) and ?stedc (divide and conquer), all pairs, on the threads that the library
 * itself takes.  The library is the one that rivals_open found. */
#include "bench/rivals.h"
#include "bench/support/times.h"
#include "run/context.h"
#include "run/files.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*stemr_function)(const char *job, const char *range, const int *n, void *d, void *e, const void *vl,
                               const void *vu, const int *il, const int *iu, int *m, void *w, void *z, const int *ldz,
                               const int *columns, int *support, int *relative, void *work, const int *size, int *iwork,
                               const int *isize, int *info, size_t job_length, size_t range_length);
typedef void (*stedc_function)(const char *job, const int *n, void *d, void *e, void *z, const int *ldz, void *work,
                               const int *size, int *iwork, const int *isize, int *info, size_t job_length);

/* A function of the library by its name without the type's letter; POSIX gives it as an object pointer. */
static bool find(eig_type type, const char *name, void *function, size_t size)
{
    char whole[16] = {type == EIG_S ? 's' : 'd'};
    strncat(whole, name, sizeof whole - 2);
    const char *const path = rivals_open();
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *const symbol = library ? dlsym(library, whole) : NULL;
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* Arrays of one call; d and e are copies, which LAPACK overwrites. */
typedef struct arrays {
    void *d, *e, *w, *z, *work;
    int *iwork, *support;
} arrays;

static bool make(arrays *a, eig_type type, size_t n, const void *d, const void *e, size_t work, size_t iwork)
{
    size_t const real = eig_type_size(type);
    *a = (arrays){malloc(n * real),
                  malloc(n * real),
                  malloc(n * real),
                  malloc(n * n * real),
                  malloc(work * real),
                  (int *)malloc(iwork * sizeof(int)),
                  (int *)malloc(2 * n * sizeof(int))};
    if (!a->d || !a->e || !a->w || !a->z || !a->work || !a->iwork || !a->support) return false;
    memcpy(a->d, d, n * real);
    memcpy(a->e, e, (n - 1) * real);
    memset(a->z, 0, n * n * real); /* its pages are there, as those of a case's second run */
    return true;
}

static void release(arrays *a)
{
    free(a->d), free(a->e), free(a->w), free(a->z), free(a->work), free(a->iwork), free(a->support);
}

int rivals_stemr(eig_type type, int64_t n64, const void *d, const void *e, double *ms)
{
    int const n = (int)n64, one = 1, size = 18 * n, isize = 10 * n;
    double const zero = 0;
    int m, relative = 1, info = -1000;
    stemr_function stemr;
    arrays a;
    if (!find(type, "stemr_", &stemr, sizeof stemr)) return -1;
    if (make(&a, type, (size_t)n, d, e, (size_t)size, (size_t)isize)) {
        double const start = clock_ms();
        stemr("V", "A", &n, a.d, a.e, &zero, &zero, &one, &n, &m, a.w, a.z, &n, &n, a.support, &relative, a.work, &size,
              a.iwork, &isize, &info, 1, 1);
        *ms = clock_ms() - start;
    }
    release(&a);
    return info;
}

int rivals_stedc(eig_type type, int64_t n64, const void *d, const void *e, double *ms)
{
    int const n = (int)n64, size = 1 + 4 * n + n * n, isize = 3 + 5 * n;
    int info = -1000;
    stedc_function stedc;
    arrays a;
    if (!find(type, "stedc_", &stedc, sizeof stedc)) return -1;
    if (make(&a, type, (size_t)n, d, e, (size_t)size, (size_t)isize)) {
        double const start = clock_ms();
        stedc("I", &n, a.d, a.e, a.z, &n, a.work, &size, a.iwork, &isize, &info, 1);
        *ms = clock_ms() - start;
    }
    release(&a);
    return info;
}
