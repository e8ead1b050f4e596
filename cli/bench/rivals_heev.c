/* LAPACK as heev's rival: ?syevd and ?heevd, one matrix a thread, whose own threads are switched off, since the
 * matrices are many. */
#include "bench/rivals.h"
#include "bench/support/times.h"

#include <stdlib.h>
#include <string.h>

typedef void (*syevd_function)(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w,
                               void *work, const int *size, int *iwork, const int *isize, int *info, size_t job_length,
                               size_t uplo_length);
typedef void (*heevd_function)(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w,
                               void *work, const int *size, void *rwork, const int *rsize, int *iwork, const int *isize,
                               int *info, size_t job_length, size_t uplo_length);

typedef struct solver {
    syevd_function syevd; /* of the real types */
    heevd_function heevd;
    size_t size, real; /* bytes of an element, and of its real part */
    char job[2];       /* V: with vectors, N: without */
    int n;
} solver;

static const char *const names[] = {"ssyevd", "dsyevd", "cheevd", "zheevd"};

const char *rivals_heev_name(eig_type type)
{
    return names[type == EIG_S ? 0 : type == EIG_D ? 1 : type == EIG_C ? 2 : 3];
}

static bool open_solver(eig_type type, solver *s)
{
    char symbol[16];
    strcpy(symbol, rivals_heev_name(type));
    strcat(symbol, "_");
    rivals_one_thread();
    return type == EIG_S || type == EIG_D ? rivals_find(symbol, &s->syevd, sizeof s->syevd)
                                          : rivals_find(symbol, &s->heevd, sizeof s->heevd);
}

bool rivals_has_heev(void)
{
    solver s;
    return open_solver(EIG_S, &s) && open_solver(EIG_D, &s) && open_solver(EIG_C, &s) && open_solver(EIG_Z, &s);
}

/* Sizes of the three work arrays, in elements, real numbers and integers; -1 in size asks for them. */
typedef struct workspace {
    void *work, *rwork;
    int *iwork;
    int size, rsize, isize;
} workspace;

static int run(const solver *s, void *a, void *w, workspace *k)
{
    int info = 0;
    if (s->syevd)
        s->syevd(s->job, "L", &s->n, a, &s->n, w, k->work, &k->size, k->iwork, &k->isize, &info, 1, 1);
    else
        s->heevd(s->job, "L", &s->n, a, &s->n, w, k->work, &k->size, k->rwork, &k->rsize, k->iwork, &k->isize, &info, 1,
                 1);
    return info;
}

static int as_size(const solver *s, const void *number)
{
    return s->real == sizeof(float) ? (int)*(const float *)number : (int)*(const double *)number;
}

/* The sizes that the solver asks for: its best ones. */
static int ask(const solver *s, workspace *k)
{
    double work[2] = {0}, rwork = 0;
    int iwork = 0;
    *k = (workspace){work, &rwork, &iwork, -1, -1, -1};
    int const info = run(s, work, work, k);
    k->size = as_size(s, work), k->rsize = s->syevd ? 0 : as_size(s, &rwork), k->isize = iwork;
    return info;
}

/* One thread's matrices are copied to its own work area, which LAPACK overwrites by the vectors. */
int rivals_heevd(eig_type type, int64_t n, const void *a, int64_t batch, bool vectors, int threads, double *ms)
{
    solver s = {.job = {vectors ? 'V' : 'N'}, .n = (int)n, .size = eig_type_size(type)};
    s.real = s.size / (type == EIG_C || type == EIG_Z ? 2 : 1);
    size_t const square = (size_t)(n * n) * s.size;
    int64_t const share = batch / (8 * (threads > 0 ? threads : 1)), chunk = share < 1 ? 1 : share < 64 ? share : 64;
    workspace need;
    int failed = 0;
    (void)chunk; /* unused without OpenMP */
    if (!open_solver(type, &s) || ask(&s, &need) != 0) return -1;
    double const start = clock_ms();
#pragma omp parallel num_threads(threads) reduction(max : failed)
    {
        workspace k = need;
        char *const copy = (char *)malloc(square), *const w = (char *)malloc((size_t)n * s.real);
        k.work = malloc((size_t)need.size * s.size), k.rwork = malloc((size_t)(need.rsize + 1) * s.real);
        k.iwork = (int *)malloc((size_t)(need.isize + 1) * sizeof(int));
        bool const room = copy && w && k.work && k.rwork && k.iwork;
        if (!room) failed = 1000000;
#pragma omp for schedule(dynamic, chunk)
        for (int64_t b = 0; b < batch; b++) {
            if (!room) continue;
            memcpy(copy, (const char *)a + (size_t)b * square, square);
            int const info = run(&s, copy, w, &k);
            failed = info > failed ? info : failed;
        }
        free(copy), free(w), free(k.work), free(k.rwork), free(k.iwork);
    }
    *ms = clock_ms() - start;
    return failed;
}
