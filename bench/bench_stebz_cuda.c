/* The benchmark of stebz on a GPU: device arrays, a lent workspace, times from CUDA events.
 *
 *     bench_stebz_cuda [COMMIT] [LARGEST_N] [alone]      prints CSV: one row a case and rival; alone: no rivals
 *
 * time_ms   median over repeats of one call, from before its first kernel to after its last; rows "graph" replay the
 *           same call captured in a CUDA graph, 20 in a row, divided by 20.
 * check     Sturm counts by pivots, in double, on the device: C(w - delta) < k <= C(w + delta) for every k, delta being
 *           half the tolerance plus 4 eps ||T||; and every repeat gave the same bits.
 * error     largest difference from a CPU context's eigenvalues in units of eps ||T||, where that was run.
 * Rivals    the method interval-tree on the same GPU, and a CPU context with all cores, in the same run. */
#include "bench_times.h"
#include "eigpack.h"
#include "io/matrices.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_case {
    const char *kind;
    eig_type type;
    int64_t n, batch;
    double abstol, limit_ms;
    int tree, cpu; /* which rivals run */
} bench_case;

static const bench_case cases[] = {
    {"uniform", EIG_S, 2048, 1, 1e-5, 0.10, 1, 1}, {"uniform", EIG_S, 32768, 1, 1e-5, 2.0, 1, 1},
    {"uniform", EIG_D, 512, 1, 0, 0, 1, 1},        {"uniform", EIG_D, 2048, 1, 0, 0.45, 1, 1},
    {"glued", EIG_D, 2037, 1, 0, 0, 1, 1},         {"121", EIG_D, 2048, 1, 0, 0, 1, 1},
    {"uniform", EIG_D, 8192, 1, 0, 0, 1, 1},       {"uniform", EIG_D, 32768, 1, 0, 15, 1, 1},
    {"uniform", EIG_D, 128, 10000, 0, 6, 0, 1},    {"uniform", EIG_S, 32, 100000, 0, 0, 0, 1},
    {"uniform", EIG_D, 131072, 1, 0, 0, 0, 0},     {"uniform", EIG_D, 1000000, 1, 0, 12000, 0, 0},
};

/* One case: the matrices in double and in the type that computes, on the host and on the device. */
typedef struct arrays {
    double *exact_d, *exact_e, *result;
    float *narrow_d, *narrow_e;
    const void *host_d, *host_e;
    void *d, *e, *w, *work; /* device */
    size_t work_bytes, real;
    double eps, norm;
} arrays;

static cudaStream_t stream;
static const char *commit = "unknown";
static char machine[128];

static void must(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_stebz_cuda: %s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

static void must_eig(eig_context *ctx, eig_status status)
{
    if (status == EIG_OK) return;
    fprintf(stderr, "bench_stebz_cuda: %s\n", eig_error_detail(ctx));
    exit(1);
}

/* One call on whichever side the pointers lie. */
static eig_status call(eig_context *ctx, const bench_case *c, const eig_stebz_options *o, const void *d, const void *e,
                       void *w)
{
    int64_t const n = c->n, b = c->batch;
    if (b == 1) return eig_stebz(ctx, c->type, o, n, d, e, NULL, w, NULL, NULL, NULL);
    return eig_stebz_batched(ctx, c->type, o, n, d, n, e, n - 1, w, NULL, NULL, n, NULL, b);
}

/* Median milliseconds of a call on device arrays; *same: all repeats gave the same bits. */
static double time_calls(eig_context *ctx, const bench_case *c, const eig_stebz_options *o, const arrays *a, int *same)
{
    size_t const bytes = (size_t)(c->n * c->batch) * a->real;
    char *const first = malloc(bytes), *const again = malloc(bytes);
    double times[41];
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess, "cudaEventCreate");
    int repeats = 41;
    *same = 1;
    for (int r = -2; r < repeats; r++) {
        must(cudaMemsetAsync(a->w, 0xff, bytes, stream) == cudaSuccess, "cudaMemset");
        must(cudaEventRecord(start, stream) == cudaSuccess, "cudaEventRecord");
        must_eig(ctx, call(ctx, c, o, a->d, a->e, a->w));
        must(cudaEventRecord(stop, stream) == cudaSuccess, "cudaEventRecord");
        must(cudaEventSynchronize(stop) == cudaSuccess, "a kernel");
        float ms;
        must(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess, "cudaEventElapsedTime");
        if (r == -2) {
            repeats = ms > 2000 ? 1 : ms > 200 ? 3 : ms > 20 ? 7 : 41;
            if (ms > 2000) r = -1;
        }
        if (r >= 0) times[r] = ms;
        must(cudaMemcpy(r == -2 ? first : again, a->w, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "cudaMemcpy");
        if (r == -1 && repeats == 1) memcpy(first, again, bytes);
        if (r >= -1 && memcmp(first, again, bytes) != 0 && repeats > 1) *same = 0;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    free(first);
    free(again);
    return median(times, repeats);
}

/* Milliseconds of a call replayed from a graph. */
static double time_graph(eig_context *ctx, const bench_case *c, const eig_stebz_options *o, const arrays *a)
{
    enum { REPLAYS = 20, REPEATS = 11 };
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess, "cudaStreamBeginCapture");
    must_eig(ctx, call(ctx, c, o, a->d, a->e, a->w));
    must(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
    must(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
    cudaEvent_t start, stop;
    must(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&stop) == cudaSuccess, "cudaEventCreate");
    double times[REPEATS];
    for (int r = -1; r < REPEATS; r++) {
        must(cudaEventRecord(start, stream) == cudaSuccess, "cudaEventRecord");
        for (int i = 0; i < REPLAYS; i++) must(cudaGraphLaunch(replay, stream) == cudaSuccess, "cudaGraphLaunch");
        must(cudaEventRecord(stop, stream) == cudaSuccess, "cudaEventRecord");
        must(cudaEventSynchronize(stop) == cudaSuccess, "a kernel");
        float ms;
        must(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess, "cudaEventElapsedTime");
        if (r >= 0) times[r] = (double)ms / REPLAYS;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    return median(times, REPEATS);
}

/* Largest absolute row sum over the batch. */
static double norm_of(int64_t n, int64_t batch, const double *d, const double *e)
{
    double norm = 0;
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++) {
            double const before = i > 0 ? fabs(e[b * (n - 1) + i - 1]) : 0;
            double const after = i + 1 < n ? fabs(e[b * (n - 1) + i]) : 0;
            norm = fmax(norm, fabs(d[b * n + i]) + before + after);
        }
    return norm;
}

/* Certifies eigenvalues of matrix b by counts in double on the device: all of them, or a sample of a large matrix. */
static int certify(eig_context *ctx, const bench_case *c, int64_t b, const double *d, const double *e, const double *w,
                   double delta)
{
    int64_t const n = c->n, step = n > 40000 ? n / 5000 : 1, samples = (n + step - 1) / step;
    double *const x = calloc((size_t)(2 * samples), sizeof *x);
    int64_t *const count = malloc((size_t)(2 * samples) * sizeof *count);
    for (int64_t i = 0; i < samples; i++) {
        x[2 * i] = w[b * n + i * step] - delta;
        x[2 * i + 1] = w[b * n + i * step] + delta;
    }
    must_eig(ctx, eig_dstebz_count(ctx, n, d + b * n, e + b * (n - 1), 2 * samples, x, count, NULL));
    int good = 1;
    for (int64_t i = 0; i < samples; i++) good &= count[2 * i] < i * step + 1 && i * step + 1 <= count[2 * i + 1];
    for (int64_t i = 1; i < n; i++) good &= w[b * n + i - 1] <= w[b * n + i];
    free(x);
    free(count);
    return good;
}

static void print_row(const bench_case *c, const char *method, double ms, const char *rival, double rival_ms,
                      double error, int good)
{
    printf("stebz,%s,%lld,%lld,cuda,%s %s,0,%.5g,", c->type == EIG_S ? "f32" : "f64", (long long)c->n,
           (long long)c->batch, method, c->kind, ms);
    if (c->limit_ms > 0) printf("%g", c->limit_ms);
    printf(",%s,", rival);
    if (rival_ms > 0) printf("%.5g", rival_ms);
    printf(",");
    if (rival_ms > 0) printf("%.4g", rival_ms / ms);
    printf(",");
    if (error >= 0) printf("%.3g", error);
    printf(",%s,%s,%s\n", good ? "ok" : "FAIL", machine, commit);
    fflush(stdout);
}

static void load_results(const bench_case *c, const arrays *a, double *w)
{
    size_t const count = (size_t)(c->n * c->batch);
    must(cudaMemcpy(w, a->w, count * a->real, cudaMemcpyDeviceToHost) == cudaSuccess, "cudaMemcpy");
    if (c->type == EIG_S)
        for (size_t i = count; i-- > 0;) w[i] = (double)((const float *)w)[i];
}

static arrays make_arrays(eig_context *gpu, const bench_case *c)
{
    int64_t const n = c->n, batch = c->batch, total = n * batch;
    bool const narrow = c->type == EIG_S;
    arrays a = {.real = narrow ? 4 : 8, .eps = narrow ? FLT_EPSILON : DBL_EPSILON};
    double *const d = a.exact_d = malloc((size_t)total * 8), *const e = a.exact_e = malloc((size_t)total * 8);
    a.result = malloc((size_t)total * 8);
    a.narrow_d = malloc((size_t)total * 4), a.narrow_e = malloc((size_t)total * 4);
    for (int64_t b = 0; b < batch; b++) {
        io_tridiagonal t;
        io_error error;
        must(matrices_tridiagonal(c->kind, n, (uint64_t)(1 + b), &t, &error), error.text);
        memcpy(d + b * n, t.d, (size_t)n * 8);
        memcpy(e + b * (n - 1), t.e, (size_t)(n - 1) * 8);
        io_tridiagonal_free(&t);
    }
    for (int64_t i = 0; narrow && i < total; i++) { /* what the float functions see */
        d[i] = a.narrow_d[i] = (float)d[i];
        if (i < total - batch) e[i] = a.narrow_e[i] = (float)e[i];
    }
    a.norm = norm_of(n, batch, d, e);
    a.host_d = narrow ? (void *)a.narrow_d : d;
    a.host_e = narrow ? (void *)a.narrow_e : e;
    for (int method = 0; method <= c->tree; method++) {
        eig_stebz_options o = EIG_STEBZ_OPTIONS;
        o.method = (eig_stebz_method)method;
        size_t need = 0;
        must_eig(gpu, eig_stebz_work_size(gpu, c->type, &o, n, batch, &need));
        if (need > a.work_bytes) a.work_bytes = need;
    }
    size_t const bytes = (size_t)total * a.real;
    must(cudaMalloc(&a.d, bytes) == cudaSuccess && cudaMalloc(&a.e, bytes) == cudaSuccess &&
             cudaMalloc(&a.w, bytes) == cudaSuccess && cudaMalloc(&a.work, a.work_bytes + 256) == cudaSuccess,
         "cudaMalloc");
    must(cudaMemcpy(a.d, a.host_d, bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
             cudaMemcpy(a.e, a.host_e, bytes - (size_t)batch * a.real, cudaMemcpyHostToDevice) == cudaSuccess,
         "cudaMemcpy");
    return a;
}

static void drop_arrays(arrays *a)
{
    cudaFree(a->d), cudaFree(a->e), cudaFree(a->w), cudaFree(a->work);
    free(a->exact_d), free(a->exact_e), free(a->result), free(a->narrow_d), free(a->narrow_e);
}

/* Median milliseconds of a CPU context, and the largest difference of its eigenvalues from a->result. */
static double time_cpu(eig_context *cpu, const bench_case *c, const arrays *a, double *error)
{
    int64_t const total = c->n * c->batch;
    void *const w = malloc((size_t)total * a->real);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.abstol = c->abstol;
    double times[5];
    int repeats = 5;
    for (int r = -1; r < repeats; r++) {
        double const start = host_ms();
        must_eig(cpu, call(cpu, c, &o, a->host_d, a->host_e, w));
        if (r >= 0) times[r] = host_ms() - start;
        if (r < 0 && host_ms() - start > 500) repeats = 1;
    }
    *error = 0;
    for (int64_t i = 0; i < total; i++) {
        double const other = c->type == EIG_S ? (double)((float *)w)[i] : ((double *)w)[i];
        *error = fmax(*error, fabs(a->result[i] - other) / (a->eps * a->norm));
    }
    free(w);
    return median(times, repeats);
}

static void run_case(eig_context *gpu, eig_context *cpu, const bench_case *c)
{
    arrays a = make_arrays(gpu, c);
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.abstol = c->abstol;
    must_eig(gpu, eig_set_workspace(gpu, a.work, a.work_bytes));
    int same;
    double const ms = time_calls(gpu, c, &o, &a, &same);
    const eig_pass *pass;
    int passes;
    must_eig(gpu, eig_set_timing(gpu, 1));
    must_eig(gpu, call(gpu, c, &o, a.d, a.e, a.w));
    must_eig(gpu, eig_set_timing(gpu, 0));
    must_eig(gpu, eig_get_timing(gpu, &pass, &passes));
    fprintf(stderr, "# %s n = %lld:", c->kind, (long long)c->n);
    for (int i = 0; i < passes; i++) fprintf(stderr, " %s %.4f ms", pass[i].name, pass[i].ms);
    fputc('\n', stderr);
    load_results(c, &a, a.result);
    double const delta = 0.5 * fmax(c->abstol, 2 * a.eps * a.norm) + 4 * a.eps * a.norm;
    int64_t const step = c->batch > 64 ? c->batch / 37 : 1;
    int good = same;
    for (int64_t b = 0; b < c->batch; b += step) good &= certify(gpu, c, b, a.exact_d, a.exact_e, a.result, delta);
    double error = -1;
    double const cpu_ms = c->cpu ? time_cpu(cpu, c, &a, &error) : 0;
    print_row(c, "multisection", ms, c->cpu ? "eigpack cpu all cores" : "", cpu_ms, error, good);
    if (ms < 200) print_row(c, "multisection graph", time_graph(gpu, c, &o, &a), "", 0, error, good);
    if (c->tree) {
        o.method = EIG_STEBZ_INTERVAL_TREE;
        double const tree_ms = time_calls(gpu, c, &o, &a, &same);
        load_results(c, &a, a.result);
        good &= same && certify(gpu, c, 0, a.exact_d, a.exact_e, a.result, delta);
        print_row(c, "multisection", ms, "interval-tree", tree_ms, error, good);
    }
    must_eig(gpu, eig_set_workspace(gpu, NULL, 0));
    drop_arrays(&a);
}

int main(int argc, char **argv)
{
    if (argc > 1) commit = argv[1];
    int64_t const largest = argc > 2 ? atoll(argv[2]) : INT64_MAX;
    eig_context *gpu, *cpu;
    if (eig_create(&gpu, "cuda") != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(gpu));
        return 77;
    }
    must_eig(cpu, eig_create(&cpu, "cpu"));
    must(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
    must_eig(gpu, eig_set_stream(gpu, stream));
    snprintf(machine, sizeof machine, "%s", eig_describe(gpu));
    for (char *at = machine; *at; at++)
        if (*at == ',') *at = ';';
    fprintf(stderr, "# %s; %s\n", machine, eig_describe(cpu));
    printf(
        "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].n <= largest) {
            bench_case c = cases[i];
            if (argc > 3) c.tree = c.cpu = 0;
            run_case(gpu, cpu, &c);
        }
    eig_destroy(gpu);
    eig_destroy(cpu);
    return 0;
}
