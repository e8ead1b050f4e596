/* What one of k GPUs has to do when a tridiagonal matrix is cut by index: the time of the first and of the middle share of
 * n/k eigenvalues or eigenpairs, on one GPU, device arrays.  bench/scale_model.py computes with these rows.
 *
 *     scale_share [COMMIT] [STEBZ_N] [STEMR_N] [SECONDS]      prints CSV: one row a share
 *
 * time_ms   one call, after one call of the same share; of stebz after one of a small share.
 * check     stebz: within 8 eps ||T|| of the whole run, each of the two being within four; stemr: the call's own
 *           certificate, at most ten n eps.
 * A share is left out where its vectors do not fit the GPU, and where SECONDS (50) have passed. */
#include "bench/support/certify.h"
#include "bench_cuda.h"
#include "io/matrices.h"

#include <string.h>

enum { MOST_PARTS = 1024 };
static const double most_error = 10;
static double until;

typedef struct share {
    const char *family;
    int64_t n, parts, first, count; /* first counts from 0 */
    void *d, *e, *w, *z, *residual, *orthogonality;
    int *info;
} share;

static eig_status call(const share *s, bool certificate)
{
    if (!s->z) {
        eig_stebz_options options = EIG_STEBZ_OPTIONS;
        options.range = EIG_RANGE_INDEX, options.il = s->first + 1, options.iu = s->first + s->count;
        return eig_stebz(gpu, EIG_D, &options, s->n, s->d, s->e, NULL, s->w, NULL, NULL, NULL);
    }
    eig_stemr_options options = EIG_STEMR_OPTIONS;
    options.range = EIG_RANGE_INDEX, options.il = s->first + 1, options.iu = s->first + s->count;
    return eig_stemr(gpu, EIG_D, &options, s->n, s->d, s->e, NULL, s->w, s->z, s->n, NULL, s->info,
                     certificate ? s->residual : NULL, certificate ? s->orthogonality : NULL, NULL);
}

static double timed(const share *s)
{
    CUDA(cudaDeviceSynchronize());
    double const since = clock_ms();
    GPU(call(s, false));
    CUDA(cudaDeviceSynchronize());
    return clock_ms() - since;
}

/* The larger part of stemr's certificate in n eps ||T|| and n eps; infinite where an info is not 0. */
static double certified(const share *s, double norm)
{
    double const unit = (double)s->n * type_eps(EIG_D);
    double *const residual = malloc((size_t)s->count * sizeof *residual), skew = 0, worst = 0;
    int *const info = malloc((size_t)s->count * sizeof *info);
    if (!residual || !info) exit(1);
    GPU(call(s, true));
    CUDA(cudaMemcpy(residual, s->residual, (size_t)s->count * sizeof *residual, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&skew, s->orthogonality, sizeof skew, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(info, s->info, (size_t)s->count * sizeof *info, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < s->count; ++i)
        worst = info[i] != 0 || isnan(residual[i]) ? INFINITY : fmax(worst, residual[i] / norm / unit);
    free(residual), free(info);
    return isnan(skew) ? INFINITY : fmax(worst, skew / unit);
}

static void put(const share *s, double ms, double error, bool passed)
{
    char method[80];
    snprintf(method, sizeof method, "share 1/%lld %s", (long long)s->parts, s->first == 0 ? "first" : "middle");
    bench_row row = {s->family, method, EIG_D, s->n, 1, 0, ms, 0, NULL, 0, -1, false};
    row.error = error, row.passed = passed;
    bench_put(&row);
    fflush(stdout);
}

/* T of the kind "uniform" on the device; its norm. */
static double load(share *s)
{
    io_tridiagonal t;
    io_error error;
    if (!matrices_tridiagonal("uniform", s->n, 1, &t, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    size_t const n = (size_t)s->n, size = sizeof(double);
    s->d = device_memory(n * size), s->e = device_memory(n * size), s->w = device_memory(n * size);
    CUDA(cudaMemcpy(s->d, t.d, n * size, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(s->e, t.e, (n - 1) * size, cudaMemcpyHostToDevice));
    double const norm = tridiagonal_norm(&t);
    io_tridiagonal_free(&t);
    return norm;
}

/* Sets the share to the first of `parts` or the one in the middle; false where that is the first. */
static bool place_share(share *s, int64_t parts, int middle)
{
    int64_t const part = middle ? parts / 2 : 0;
    s->parts = parts, s->first = s->n / parts * part, s->count = s->n / parts;
    return !middle || part > 0;
}

/* The largest difference of two lists. */
static double apart(const double *x, const double *y, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; ++i) most = isnan(x[i]) || isnan(y[i]) ? INFINITY : fmax(most, fabs(x[i] - y[i]));
    return most;
}

static void run_stebz(int64_t n)
{
    share s = {.family = "stebz", .n = n};
    double *const whole = malloc((size_t)n * sizeof *whole), *const w = malloc((size_t)n * sizeof *w);
    if (!whole || !w) exit(1);
    double const unit = load(&s) * type_eps(EIG_D);
    place_share(&s, MOST_PARTS, 0);
    timed(&s);
    for (int64_t parts = 1; parts <= MOST_PARTS && clock_ms() < until; parts *= 2)
        for (int middle = 0; middle < 2; ++middle) {
            if (!place_share(&s, parts, middle)) continue;
            double const ms = timed(&s);
            CUDA(cudaMemcpy(parts == 1 ? whole : w, s.w, (size_t)s.count * sizeof *w, cudaMemcpyDeviceToHost));
            double const error = parts == 1 ? 0 : apart(w, whole + s.first, s.count) / unit;
            put(&s, ms, error, error <= 8);
        }
    CUDA(cudaFree(s.d)), CUDA(cudaFree(s.e)), CUDA(cudaFree(s.w));
    free(whole), free(w);
}

static void run_stemr(int64_t n)
{
    share s = {.family = "stemr", .n = n};
    double const norm = load(&s);
    s.residual = device_memory((size_t)n * sizeof(double)), s.orthogonality = device_memory(sizeof(double));
    s.info = device_memory((size_t)n * sizeof(int));
    for (int64_t parts = 1; parts <= MOST_PARTS && clock_ms() < until; parts *= 2) {
        size_t room = 0, total = 0, need = (size_t)(n / parts) * (size_t)n * sizeof(double);
        CUDA(cudaMemGetInfo(&room, &total));
        if (need > total / 2) continue;
        CUDA(cudaMalloc(&s.z, need));
        for (int middle = 0; middle < 2; ++middle) {
            if (!place_share(&s, parts, middle)) continue;
            timed(&s);
            double const ms = timed(&s), error = certified(&s, norm);
            put(&s, ms, error, error <= most_error);
        }
        CUDA(cudaFree(s.z));
    }
    CUDA(cudaFree(s.d)), CUDA(cudaFree(s.e)), CUDA(cudaFree(s.w));
    CUDA(cudaFree(s.residual)), CUDA(cudaFree(s.orthogonality)), CUDA(cudaFree(s.info));
}

int main(int argc, char **argv)
{
    until = clock_ms() + 1000 * (argc > 4 ? atof(argv[4]) : 50);
    bench_open(argc > 1 ? argv[1] : "unknown");
    run_stebz(argc > 2 ? atoll(argv[2]) : 1000000);
    run_stemr(argc > 3 ? atoll(argv[3]) : 65536);
    if (argc <= 3) run_stemr(1000000);
    bench_close();
    return 0;
}
