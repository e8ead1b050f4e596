/* What a small call costs the host, and the GPU: device arrays with a lent workspace, and host arrays.
 *
 *     bench_latency_cuda COMMIT     prints CSV
 *
 * method  "host": time of the caller's thread for a call on device arrays, 50 calls one after another, waited for after the
 *         clock has stopped; "device": the same calls by events; "host arrays": a call from the host's memory to its end.
 * error   of bench/support/latency.h. */
#include "bench/support/latency.h"
#include "bench/support/times.h"
#include "eigpack.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

enum { CALLS = 50, ROUNDS = 11 };

static eig_context *ctx;
static bool failed;

static void must(bool holds, const char *text)
{
    if (holds) return;
    fprintf(stderr, "bench_latency_cuda: %s: %s\n", text, eig_error_detail(ctx));
    exit(1);
}

static void tell(const latency_case *c, const char *how, double ms, double limit, double error,
                 const bench_place *place)
{
    char method[64];
    bench_row const row = latency_row(c, how, method, sizeof method, ms, limit, error);
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
        for (int k = 0; k < CALLS; ++k) must(c->call(ctx, c) == EIG_OK, c->name);
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
        must(c->call(ctx, c) == EIG_OK, c->name);
        if (k >= 0) times_add(&t, clock_ms() - start);
    }
    return times_median(&t);
}

static void run_case(latency_case c, const bench_place *place)
{
    double *host[LATENCY_ARRAYS], *device[LATENCY_ARRAYS], device_ms;
    void *work = NULL;
    size_t bytes = 0, size[LATENCY_ARRAYS];
    bool const small = c.n == 3;
    must(c.work_size(ctx, &c, &bytes) == EIG_OK, "work size");
    for (int k = 0; k < LATENCY_ARRAYS; ++k) {
        size[k] = (size_t)latency_count(&c, k) * sizeof(double);
        host[k] = malloc(size[k]);
        must(host[k] && cudaMalloc((void **)&device[k], size[k]) == cudaSuccess, "memory");
        c.array[k] = device[k];
    }
    latency_fill(&c, host);
    for (int k = 0; k < 2; ++k) cudaMemcpy(device[k], host[k], size[k], cudaMemcpyHostToDevice);
    must(cudaMalloc(&work, bytes + 256) == cudaSuccess, "workspace");
    must(eig_set_workspace(ctx, work, bytes) == EIG_OK, "workspace");
    double const host_ms = time_host(&c, &device_ms);
    cudaMemcpy(host[2], device[2], size[2], cudaMemcpyDeviceToHost);
    double const error = latency_error(&c, host);
    tell(&c, "host", host_ms, small ? 0.006 : 0, error, place);
    tell(&c, "device", device_ms, 0, error, place);
    must(eig_set_workspace(ctx, NULL, 0) == EIG_OK, "workspace");
    for (int k = 0; k < LATENCY_ARRAYS; ++k) c.array[k] = host[k];
    double const arrays_ms = time_arrays(&c);
    tell(&c, "host arrays", arrays_ms, small && c.batch == 1 ? 0.03 : 0, latency_error(&c, host), place);
    for (int k = 0; k < LATENCY_ARRAYS; ++k) free(host[k]), cudaFree(device[k]);
    cudaFree(work);
}

int main(int argc, char **argv)
{
    static const int64_t orders[] = {3, 8, 32}, batches[] = {1, 10, 100, 1000};
    eig_status const status = eig_create(&ctx, "cuda");
    must(argc > 1 && status == EIG_OK, "use: bench_latency_cuda COMMIT");
    bench_place const place = bench_place_of(ctx, NULL, argv[1]);
    fputs(bench_columns, stdout);
    for (int k = 0; k < LATENCY_CALLS; ++k)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i)
            for (size_t j = 0; j < sizeof batches / sizeof *batches; ++j) {
                latency_case c[LATENCY_CALLS];
                latency_cases(orders[i], batches[j], c);
                run_case(c[k], &place);
            }
    eig_destroy(ctx);
    return failed;
}
