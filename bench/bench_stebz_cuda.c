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
#include "eigpack.h"
#include "eigpack_cuda.h"
#include "io/matrices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct bench_case {
    const char *kind;
    char precision;
    int64_t n, batch;
    double abstol, limit_ms;
    int tree, cpu; /* which rivals run */
} bench_case;

static const bench_case cases[] = {
    {"uniform", 's', 2048, 1, 1e-5, 0.10, 1, 1}, {"uniform", 's', 32768, 1, 1e-5, 2.0, 1, 1},
    {"uniform", 'd', 512, 1, 0, 0, 1, 1},        {"uniform", 'd', 2048, 1, 0, 0.45, 1, 1},
    {"glued", 'd', 2037, 1, 0, 0, 1, 1},         {"121", 'd', 2048, 1, 0, 0, 1, 1},
    {"uniform", 'd', 8192, 1, 0, 0, 1, 1},       {"uniform", 'd', 32768, 1, 0, 15, 1, 1},
    {"uniform", 'd', 128, 10000, 0, 6, 0, 1},    {"uniform", 's', 32, 100000, 0, 0, 0, 1},
    {"uniform", 'd', 131072, 1, 0, 0, 0, 0},     {"uniform", 'd', 1000000, 1, 0, 12000, 0, 0},
};

typedef struct arrays {
    void *d, *e, *w, *x, *work;
    int64_t *m, *count;
    size_t work_bytes, real;
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

static double host_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    return count % 2 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
}

/* One call on whichever side the pointers lie. */
static eig_status call(eig_context *ctx, const bench_case *c, const eig_stebz_options *o, const void *d, const void *e,
                       void *w)
{
    int64_t const n = c->n, b = c->batch;
    if (c->precision == 's')
        return b == 1 ? eig_sstebz(ctx, o, n, d, e, NULL, w)
                      : eig_sstebz_batched(ctx, o, n, d, n, e, n - 1, w, n, NULL, b);
    return b == 1 ? eig_dstebz(ctx, o, n, d, e, NULL, w) : eig_dstebz_batched(ctx, o, n, d, n, e, n - 1, w, n, NULL, b);
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
    must_eig(ctx, eig_dstebz_count(ctx, n, d + b * n, e + b * (n - 1), 2 * samples, x, count));
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
    printf("stebz,%s,%lld,%lld,cuda,%s %s,0,%.5g,", c->precision == 's' ? "f32" : "f64", (long long)c->n,
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
    if (c->precision == 's')
        for (size_t i = count; i-- > 0;) w[i] = (double)((const float *)w)[i];
}

static void run_case(eig_context *gpu, eig_context *cpu, const bench_case *c)
{
    int64_t const n = c->n, batch = c->batch, total = n * batch;
    double *const d = malloc((size_t)total * 8), *const e = malloc((size_t)total * 8),
                  *const w = malloc((size_t)total * 8);
    float *const df = malloc((size_t)total * 4), *const ef = malloc((size_t)total * 4);
    for (int64_t b = 0; b < batch; b++) {
        io_tridiagonal t;
        io_error error;
        must(matrices_tridiagonal(c->kind, n, (uint64_t)(1 + b), &t, &error), error.text);
        memcpy(d + b * n, t.d, (size_t)n * 8);
        memcpy(e + b * (n - 1), t.e, (size_t)(n - 1) * 8);
        io_tridiagonal_free(&t);
    }
    if (c->precision == 's') /* what the float functions see */
        for (int64_t i = 0; i < total; i++) {
            d[i] = df[i] = (float)d[i];
            if (i < total - batch) e[i] = ef[i] = (float)e[i];
        }
    const void *const hd = c->precision == 's' ? (void *)df : d, *const he = c->precision == 's' ? (void *)ef : e;
    arrays a = {.real = c->precision == 's' ? 4 : 8};
    eig_stebz_options o = EIG_STEBZ_OPTIONS;
    o.abstol = c->abstol;
    eig_stebz_options tree = o;
    tree.method = EIG_STEBZ_INTERVAL_TREE;
    must_eig(gpu, eig_stebz_work_size(gpu, c->tree ? &tree : &o, c->precision, n, batch, &a.work_bytes));
    size_t other;
    must_eig(gpu, eig_stebz_work_size(gpu, &o, c->precision, n, batch, &other));
    a.work_bytes = a.work_bytes > other ? a.work_bytes : other;
    must(cudaMalloc(&a.d, (size_t)total * a.real) == cudaSuccess &&
             cudaMalloc(&a.e, (size_t)total * a.real) == cudaSuccess &&
             cudaMalloc(&a.w, (size_t)total * a.real) == cudaSuccess &&
             cudaMalloc(&a.work, a.work_bytes + 256) == cudaSuccess,
         "cudaMalloc");
    cudaMemcpy(a.d, hd, (size_t)total * a.real, cudaMemcpyHostToDevice);
    cudaMemcpy(a.e, he, (size_t)(total - batch) * a.real, cudaMemcpyHostToDevice);
    o.work = tree.work = a.work;
    o.work_bytes = tree.work_bytes = a.work_bytes;

    int same;
    double const ms = time_calls(gpu, c, &o, &a, &same);
    double pass[4];
    o.pass_ms = pass;
    must_eig(gpu, call(gpu, c, &o, a.d, a.e, a.w));
    o.pass_ms = NULL;
    fprintf(stderr, "# %s n = %lld: preparation %.4f, table %.4f, brackets %.4f ms\n", c->kind, (long long)n, pass[0],
            pass[1], pass[2]);
    load_results(c, &a, w);
    double const eps = c->precision == 's' ? FLT_EPSILON : DBL_EPSILON, norm = norm_of(n, batch, d, e);
    double const delta = 0.5 * fmax(c->abstol, 2 * eps * norm) + 4 * eps * norm;
    int good = same;
    for (int64_t b = 0; b<batch; b += batch> 64 ? batch / 37 : 1) good &= certify(gpu, c, b, d, e, w, delta);
    double cpu_ms = 0, error = -1;
    if (c->cpu) {
        void *const hw = malloc((size_t)total * a.real);
        eig_stebz_options host = EIG_STEBZ_OPTIONS;
        host.abstol = c->abstol;
        double times[5];
        int repeats = 5;
        for (int r = -1; r < repeats; r++) {
            double const start = host_ms();
            must_eig(cpu, call(cpu, c, &host, hd, he, hw));
            if (r >= 0) times[r] = host_ms() - start;
            if (r < 0 && host_ms() - start > 500) repeats = 1;
        }
        cpu_ms = median(times, repeats);
        error = 0;
        for (int64_t i = 0; i < total; i++) {
            double const other_w = c->precision == 's' ? (double)((float *)hw)[i] : ((double *)hw)[i];
            error = fmax(error, fabs(w[i] - other_w) / (eps * norm));
        }
        free(hw);
    }
    print_row(c, "multisection", ms, c->cpu ? "eigpack cpu all cores" : "", cpu_ms, error, good);
    if (ms < 200) print_row(c, "multisection graph", time_graph(gpu, c, &o, &a), "", 0, error, good);
    if (c->tree) {
        int tree_same;
        double const tree_ms = time_calls(gpu, c, &tree, &a, &tree_same);
        load_results(c, &a, w);
        print_row(c, "multisection", ms, "interval-tree", tree_ms, error,
                  good && tree_same && certify(gpu, c, 0, d, e, w, delta));
    }
    cudaFree(a.d), cudaFree(a.e), cudaFree(a.w), cudaFree(a.work);
    free(d), free(e), free(w), free(df), free(ef);
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
    must_eig(gpu, eig_cuda_set_stream(gpu, stream));
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
