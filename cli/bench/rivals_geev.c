/* LAPACK as geev's rival: ?gehrd and ?hseqr, the two steps of ?geev for eigenvalues only, or ?geev itself, one matrix a
 * thread.  The library's own threads are switched off, since the matrices are many. */
#include "bench/rivals.h"
#include "bench/support/times.h"

#include <stdlib.h>
#include <string.h>

typedef void (*gehrd_function)(const int *n, const int *ilo, const int *ihi, void *a, const int *lda, void *tau,
                               void *work, const int *size, int *info);
typedef void (*hseqr_function)(const char *job, const char *vectors, const int *n, const int *ilo, const int *ihi,
                               void *h, const int *ldh, void *re, void *im, void *z, const int *ldz, void *work,
                               const int *size, int *info, size_t job_length, size_t vectors_length);

typedef struct solver {
    gehrd_function gehrd;
    hseqr_function hseqr;
} solver;

static bool open_solver(eig_type type, solver *s)
{
    bool const single = type == EIG_S;
    rivals_one_thread();
    return rivals_find(single ? "sgehrd_" : "dgehrd_", &s->gehrd, sizeof s->gehrd) &&
           rivals_find(single ? "shseqr_" : "dhseqr_", &s->hseqr, sizeof s->hseqr);
}

bool rivals_has_geev(void)
{
    solver s;
    return open_solver(EIG_D, &s) && open_solver(EIG_S, &s);
}

/* One thread's matrices are copied to its own work area, which LAPACK overwrites. */
int rivals_gehrd_hseqr(eig_type type, int64_t n64, const void *a, int64_t batch, int threads, double *ms)
{
    int const n = (int)n64, one = 1, size = 64 * n;
    size_t const real = eig_type_size(type), square = (size_t)n * (size_t)n * real;
    size_t const vector = (size_t)n * real;
    int failed = 0;
    solver s;
    (void)threads; /* unused without OpenMP */
    if (!open_solver(type, &s)) return -1;
    double const start = clock_ms();
#pragma omp parallel num_threads(threads) reduction(max : failed)
    {
        char *const h = (char *)malloc(square + 3 * vector + (size_t)size * real);
        char *const re = h + square, *const im = re + vector, *const tau = im + vector, *const work = tau + vector;
        if (!h) failed = 1000000;
#pragma omp for schedule(dynamic, 16)
        for (int64_t b = 0; b < batch; b++) {
            int info = 0;
            if (!h) continue;
            memcpy(h, (const char *)a + (size_t)b * square, square);
            s.gehrd(&n, &one, &n, h, &n, tau, work, &size, &info);
            s.hseqr("E", "N", &n, &one, &n, h, &n, re, im, NULL, &one, work, &size, &info, 1, 1);
            failed = info > failed ? info : failed;
        }
        free(h);
    }
    *ms = clock_ms() - start;
    return failed;
}

/* ------------------------------------------------------------------------ geev */

typedef void (*real_function)(const char *left, const char *right, const int *n, void *a, const int *lda, void *re,
                              void *im, void *vl, const int *ldvl, void *vr, const int *ldvr, void *work,
                              const int *size, int *info, size_t left_length, size_t right_length);
typedef void (*complex_function)(const char *left, const char *right, const int *n, void *a, const int *lda, void *w,
                                 void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *size,
                                 void *more, int *info, size_t left_length, size_t right_length);

typedef struct whole_solver {
    real_function of_real;
    complex_function of_complex;
} whole_solver;

static bool open_whole(eig_type type, whole_solver *s)
{
    bool const single = type == EIG_S || type == EIG_C;
    rivals_one_thread();
    return rivals_find(single ? "sgeev_" : "dgeev_", &s->of_real, sizeof s->of_real) &&
           rivals_find(single ? "cgeev_" : "zgeev_", &s->of_complex, sizeof s->of_complex);
}

bool rivals_has_whole_geev(void)
{
    whole_solver s;
    return open_whole(EIG_D, &s) && open_whole(EIG_S, &s);
}

int rivals_geev(eig_type type, int64_t n64, const void *a, int64_t batch, bool vectors, int threads, double *ms)
{
    int const n = (int)n64, size = 64 * n, one = 1;
    bool const complex = type == EIG_C || type == EIG_Z;
    size_t const number = eig_type_size(type), square = (size_t)n * (size_t)n * number;
    size_t const vector = (size_t)n * number;
    const char *const right = vectors ? "V" : "N";
    int failed = 0;
    whole_solver s;
    (void)threads; /* unused without OpenMP */
    if (!open_whole(type, &s)) return -1;
    double const start = clock_ms();
#pragma omp parallel num_threads(threads) reduction(max : failed)
    {
        char *const h = (char *)malloc(2 * square + 4 * vector + (size_t)size * number);
        char *const v = h + square, *const re = v + square, *const im = re + vector, *const work = im + 3 * vector;
        if (!h) failed = 1000000;
#pragma omp for schedule(dynamic, 16)
        for (int64_t b = 0; b < batch; b++) {
            int info = 0;
            if (!h) continue;
            memcpy(h, (const char *)a + (size_t)b * square, square);
            if (complex)
                s.of_complex("N", right, &n, h, &n, re, NULL, &one, v, &n, work, &size, im, &info, 1, 1);
            else
                s.of_real("N", right, &n, h, &n, re, im, NULL, &one, v, &n, work, &size, &info, 1, 1);
            failed = info > failed ? info : failed;
        }
        free(h);
    }
    *ms = clock_ms() - start;
    return failed;
}
