/* What a small call costs the host, and the GPU: device arrays with a lent workspace, and host arrays.
 *
 *     bench_latency_cuda COMMIT     prints CSV
 *
 * method  "host": time of the caller's thread for a call on device arrays, 50 calls one after another, waited for after the
 *         clock has stopped; "device": the same calls by events; "host arrays": a call from the host's memory to its end.
 * error   the largest difference between the sum of a matrix's eigenvalues and its trace, in n eps times its largest row
 *         sum; above 8 the row fails. */
#include "bench/support/rows.h"
#include "bench/support/times.h"
#include "eigpack.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 50, ROUNDS = 11 };

typedef struct latency_case {
    const char *name;
    char family; /* 'v': heev with vectors, 'w': without, 'g': geev, 's': stebz */
    int64_t n, batch;
    double limit_host_ms, limit_arrays_ms;
    double *a, *e, *w, *v; /* where the calls find them */
} latency_case;

static eig_context *ctx;
static bool failed;

static void must(bool holds, const char *text)
{
    if (holds) return;
    fprintf(stderr, "bench_latency_cuda: %s: %s\n", text, eig_error_detail(ctx));
    exit(1);
}

static eig_status call(const latency_case *c)
{
    int64_t const n = c->n;
    if (c->family == 's')
        return eig_dstebz_batched(ctx, NULL, n, c->a, n, c->e, n, c->w, NULL, NULL, n, NULL, c->batch);
    if (c->family == 'g')
        return eig_dgeev_batched(ctx, NULL, n, c->a, n, n * n, (eig_z *)c->w, n, NULL, 0, 0, NULL, 0, 0, NULL, NULL,
                                 c->batch);
    return eig_dsyev_batched(ctx, NULL, n, c->a, n, n * n, NULL, c->w, n, c->family == 'v' ? c->v : NULL, n, n * n,
                             NULL, NULL, c->batch);
}

static size_t work_size(const latency_case *c)
{
    size_t bytes = 0;
    eig_status const status = c->family == 's' ? eig_stebz_work_size(ctx, EIG_D, NULL, c->n, c->batch, &bytes)
                              : c->family == 'g'
                                  ? eig_geev_work_size(ctx, EIG_D, NULL, c->n, 0, c->batch, &bytes)
                                  : eig_heev_work_size(ctx, EIG_D, NULL, c->n, c->family == 'v', c->batch, &bytes);
    must(status == EIG_OK, "work size");
    return bytes;
}

/* Numbers of an array of each kind: a (or d), e, w, v. */
static void counts_of(const latency_case *c, int64_t count[4])
{
    int64_t const n = c->n, b = c->batch, square = c->family == 's' ? n * b : n * n * b;
    count[0] = square, count[1] = n * b, count[2] = 2 * n * b, count[3] = n * n * b;
}

static double error_of(const latency_case *c, const double *a, const double *e, const double *w)
{
    int64_t const n = c->n;
    double most = 0;
    for (int64_t b = 0; b < c->batch; ++b) {
        double trace = 0, sum = 0, norm = 0;
        for (int64_t i = 0; i < n; ++i) {
            double row = 0;
            if (c->family == 's') {
                row = fabs(a[b * n + i]) + (i > 0 ? fabs(e[b * n + i - 1]) : 0) + (i + 1 < n ? fabs(e[b * n + i]) : 0);
                trace += a[b * n + i];
            } else {
                for (int64_t j = 0; j < n; ++j) row += fabs(a[(b * n + i) * n + j]);
                trace += a[(b * n + i) * n + i];
            }
            norm = fmax(norm, row);
            sum += c->family == 'g' ? w[2 * (b * n + i)] : w[b * n + i];
        }
        double const off = fabs(sum - trace) / ((double)n * DBL_EPSILON * norm);
        most = off >= most ? off : isnan(off) ? INFINITY : most;
    }
    return most;
}

static void tell(const latency_case *c, const char *method, double ms, double limit, double error,
                 const bench_place *place)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s", c->name, method);
    bench_row const row = {.family = "latency",
                           .method = text,
                           .type = EIG_D,
                           .n = c->n,
                           .batch = c->batch,
                           .time_ms = ms,
                           .limit_ms = limit,
                           .error = error,
                           .passed = error <= 8};
    failed = failed || !row.passed;
    bench_write_row(stdout, place, &row);
}

static double time_host(const latency_case *c, double *device_ms)
{
    times host = {0}, device = {0};
    cudaEvent_t from, upto;
    must(cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&upto) == cudaSuccess, "events");
    for (int round = -1; round < ROUNDS; ++round) {
        float ms = 0;
        cudaEventRecord(from, NULL);
        double const start = clock_ms();
        for (int k = 0; k < CALLS; ++k) must(call(c) == EIG_OK, c->name);
        double const spent = clock_ms() - start;
        cudaEventRecord(upto, NULL);
        must(cudaEventSynchronize(upto) == cudaSuccess && cudaEventElapsedTime(&ms, from, upto) == cudaSuccess,
             "clock");
        if (round < 0) continue;
        times_add(&host, spent / CALLS);
        times_add(&device, ms / CALLS);
    }
    cudaEventDestroy(from), cudaEventDestroy(upto);
    *device_ms = times_median(&device);
    return times_median(&host);
}

static double time_arrays(const latency_case *c)
{
    times t = {0};
    for (int k = -3; k < ROUNDS; ++k) {
        double const start = clock_ms();
        must(call(c) == EIG_OK, c->name);
        if (k >= 0) times_add(&t, clock_ms() - start);
    }
    return times_median(&t);
}

static void run_case(latency_case c, const bench_place *place)
{
    int64_t count[4];
    double *host[4], *device[4], device_ms;
    void *work = NULL;
    size_t const bytes = work_size(&c);
    counts_of(&c, count);
    for (int k = 0; k < 4; ++k) {
        host[k] = malloc((size_t)count[k] * sizeof(double));
        must(host[k] && cudaMalloc((void **)&device[k], (size_t)count[k] * sizeof(double)) == cudaSuccess, "memory");
        for (int64_t i = 0; i < count[k]; ++i) host[k][i] = (double)rand() / RAND_MAX - 0.5;
        if (k < 2) cudaMemcpy(device[k], host[k], (size_t)count[k] * sizeof(double), cudaMemcpyHostToDevice);
    }
    must(cudaMalloc(&work, bytes + 256) == cudaSuccess, "workspace");
    must(eig_set_workspace(ctx, work, bytes) == EIG_OK, "workspace");
    c.a = device[0], c.e = device[1], c.w = device[2], c.v = device[3];
    double const host_ms = time_host(&c, &device_ms);
    cudaMemcpy(host[2], device[2], (size_t)count[2] * sizeof(double), cudaMemcpyDeviceToHost);
    /* heev reads one triangle: of a random matrix that is a symmetric one with the same diagonal. */
    double const error = error_of(&c, host[0], host[1], host[2]);
    tell(&c, "host", host_ms, c.limit_host_ms, error, place);
    tell(&c, "device", device_ms, 0, error, place);
    must(eig_set_workspace(ctx, NULL, 0) == EIG_OK, "workspace");
    c.a = host[0], c.e = host[1], c.w = host[2], c.v = host[3];
    double const arrays_ms = time_arrays(&c);
    tell(&c, "host arrays", arrays_ms, c.limit_arrays_ms, error_of(&c, host[0], host[1], host[2]), place);
    for (int k = 0; k < 4; ++k) free(host[k]), cudaFree(device[k]);
    cudaFree(work);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        char family;
    } calls[] = {{"heev vectors", 'v'}, {"heev values", 'w'}, {"geev", 'g'}, {"stebz", 's'}};
    static const int64_t orders[] = {3, 8, 32}, batches[] = {1, 10, 100, 1000};
    eig_status const status = eig_create(&ctx, "cuda");
    must(argc > 1 && status == EIG_OK, "use: bench_latency_cuda COMMIT");
    bench_place const place = bench_place_of(ctx, NULL, argv[1]);
    fputs(bench_columns, stdout);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i)
            for (size_t j = 0; j < sizeof batches / sizeof *batches; ++j) {
                latency_case const c = {.name = calls[k].name,
                                        .family = calls[k].family,
                                        .n = orders[i],
                                        .batch = batches[j],
                                        .limit_host_ms = orders[i] == 3 ? 0.006 : 0,
                                        .limit_arrays_ms = orders[i] == 3 && batches[j] == 1 ? 0.03 : 0};
                run_case(c, &place);
            }
    eig_destroy(ctx);
    return failed;
}
