/* The benchmark of geev on a GPU: 500,000 random matrices with entries from U(0,1), fewer for n > 32.
 *
 *     bench_geev_cuda [COMMIT] [PART...]      prints CSV: one row a case; parts: resident forms host affine (default:
 * all)
 *
 * resident   device arrays, lent workspace: median of CUDA-event times of whole calls
 * forms      the same for every method and number of threads a matrix, and the times of its passes: the paper's
 *            tables and its figures 13 (reduction) and 14 (iteration)
 * host       pinned host arrays in and out, wall time, for several chunk sizes; rival "copy": the same bytes moved both
 *            ways at once by two plain copies, in the same run
 * affine     A0 + x1 A1 + x2 A2 + x3 A3, 15 x 15, on a grid of 50^3 points
 * check      outputs are poisoned before every run; info is 0 for all matrices, the eigenvalues' sum is the trace to
 *            10 n eps ||A||, and 500 spectra lie next to those of a CPU context
 * error      the largest distance of those spectra in units of eps ||A||, norms by Frobenius */
#include "bench_times.h"
#include "eigpack.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 500000, MOST_N = 64, FULL_N = 32, REPEATS = 7, SAMPLES = 500, GRID = 50, PARAMETERS = 3 };

static const char *commit = "unknown";
static char machine[128];
static int only; /* this order alone; 0: all */
static eig_context *gpu, *cpu;

static void must(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_geev_cuda: %s failed: %s; %s\n", what, cudaGetErrorString(cudaGetLastError()),
            eig_error_detail(gpu));
    exit(1);
}

#define CUDA(call) must((call) == cudaSuccess, #call)
#define EIG(call) must((call) == EIG_OK, #call)

/* Matrices of order n: so many fit the memory for BATCH of order FULL_N. */
static int64_t batch_of(int64_t n)
{
    return n <= FULL_N ? BATCH : (int64_t)BATCH * FULL_N * FULL_N / (n * n);
}

/* Everything of a precision, allocated once for the largest case. */
typedef struct arrays {
    eig_type type;
    size_t size;
    void *host_a, *host_w, *a, *w, *work; /* host arrays are pinned */
    int *host_info, *info;
    size_t work_bytes;
} arrays;

static void fill(arrays *x, size_t count)
{
    enum { PIECES = 64 };
#pragma omp parallel for
    for (int piece = 0; piece < PIECES; ++piece) {
        uint64_t s = 0x9e3779b97f4a7c15u * (uint64_t)(piece + 1);
        for (size_t k = count * (size_t)piece / PIECES; k < count * (size_t)(piece + 1) / PIECES; ++k) {
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            if (x->type == EIG_S)
                ((float *)x->host_a)[k] = (float)(s >> 40) * 0x1p-24f;
            else
                ((double *)x->host_a)[k] = (double)(s >> 11) * 0x1p-53;
        }
    }
}

static arrays arrays_new(eig_type type)
{
    arrays x = {.type = type, .size = eig_type_size(type)};
    size_t const entries = (size_t)BATCH * FULL_N * FULL_N, values = (size_t)BATCH * FULL_N * 2;
    CUDA(cudaMallocHost(&x.host_a, entries * x.size));
    CUDA(cudaMallocHost(&x.host_w, values * x.size));
    CUDA(cudaMallocHost((void **)&x.host_info, BATCH * sizeof(int)));
    CUDA(cudaMalloc(&x.a, entries * x.size));
    CUDA(cudaMalloc(&x.w, values * x.size));
    CUDA(cudaMalloc((void **)&x.info, BATCH * sizeof(int)));
    fill(&x, entries);
    return x;
}

static void arrays_free(arrays *x)
{
    EIG(eig_set_workspace(gpu, NULL, 0));
    cudaFreeHost(x->host_a), cudaFreeHost(x->host_w), cudaFreeHost(x->host_info);
    cudaFree(x->a), cudaFree(x->w), cudaFree(x->info), cudaFree(x->work);
}

static eig_status solve(eig_context *ctx, const arrays *x, const eig_geev_options *o, int64_t n, const void *a, void *w,
                        int *info, int64_t batch)
{
    return eig_geev_batched(ctx, x->type, o, n, a, n, n * n, w, n, info, batch);
}

static double entry(const arrays *x, const void *array, size_t k)
{
    return x->type == EIG_S ? ((const float *)array)[k] : ((const double *)array)[k];
}

/* ------------------------------------------------------------------ check */

static double frobenius(const arrays *x, int64_t n, int64_t b)
{
    double sum = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        double const y = entry(x, x->host_a, (size_t)(b * n * n + k));
        sum += y * y;
    }
    return sqrt(sum);
}

/* Largest distance of the eigenvalues in w from a spectrum, each of which is taken once. */
static double distance(const arrays *x, int64_t n, const void *w, int64_t b, const void *spectrum, int64_t at)
{
    int taken[MOST_N] = {0};
    double most = 0;
    for (int64_t k = 0; k < n; ++k) {
        double const re = entry(x, w, (size_t)(2 * (b * n + k))), im = entry(x, w, (size_t)(2 * (b * n + k) + 1));
        double best = INFINITY;
        int64_t which = 0;
        for (int64_t j = 0; j < n; ++j) {
            double const d = hypot(re - entry(x, spectrum, (size_t)(2 * (at * n + j))),
                                   im - entry(x, spectrum, (size_t)(2 * (at * n + j) + 1)));
            if (!taken[j] && d < best) best = d, which = j;
        }
        taken[which] = 1;
        if (!(best <= most)) most = best;
    }
    return most;
}

/* Checks x->host_w and host_info; returns the largest error, or NaN where a check failed. */
static double check(const arrays *x, int64_t n)
{
    double const eps = x->type == EIG_S ? FLT_EPSILON : DBL_EPSILON;
    int bad = 0;
#pragma omp parallel for reduction(+ : bad)
    for (int64_t b = 0; b < batch_of(n); ++b) {
        double trace = 0, re = 0, im = 0;
        for (int64_t k = 0; k < n; ++k) {
            trace += entry(x, x->host_a, (size_t)(b * n * n + k * n + k));
            re += entry(x, x->host_w, (size_t)(2 * (b * n + k)));
            im += entry(x, x->host_w, (size_t)(2 * (b * n + k) + 1));
        }
        double const bound = 10 * (double)n * eps * frobenius(x, n, b);
        bad += !(fabs(re - trace) <= bound) || !(fabs(im) <= bound) || x->host_info[b] != 0;
    }
    if (bad) fprintf(stderr, "n=%d: %d matrices fail the check\n", (int)n, bad);
    void *const spectra = malloc((size_t)(2 * SAMPLES * n) * x->size), *const some =
                                                                           malloc((size_t)(SAMPLES * n * n) * x->size);
    must(spectra && some, "malloc");
    int64_t const apart = batch_of(n) / SAMPLES;
    for (int64_t s = 0; s < SAMPLES; ++s)
        memcpy((char *)some + (size_t)(s * n * n) * x->size,
               (const char *)x->host_a + (size_t)(s * apart * n * n) * x->size, (size_t)(n * n) * x->size);
    must(solve(cpu, x, NULL, n, some, spectra, NULL, SAMPLES) == EIG_OK, "the CPU context");
    double most = 0;
    for (int64_t s = 0; s < SAMPLES; ++s) {
        double const d = distance(x, n, x->host_w, s * apart, spectra, s) / (eps * frobenius(x, n, s * apart));
        if (!(d <= most)) most = d;
    }
    free(spectra), free(some);
    return bad ? NAN : most;
}

static const char *name_of(eig_geev_method method)
{
    return method == EIG_GEEV_SWB ? "swb" : method == EIG_GEEV_MWB ? "mwb" : "auto";
}

static void row(const char *part, const arrays *x, int64_t n, int64_t batch, const char *method, int threads, double ms,
                double limit, const char *rival, double rival_ms, double error)
{
    printf("geev-%s,%s,%d,%d,cuda,%s,%d,%.4f,%.3f,%s,%.4f,%.3f,%.1f,%s,%s,%s\n", part, x->type == EIG_S ? "f32" : "f64",
           (int)n, (int)batch, method, threads, ms, limit, rival, rival_ms, rival_ms > 0 ? rival_ms / ms : 0.0, error,
           error >= 0 && error < 1e4 * (double)n ? "ok" : "FAIL", machine, commit);
    fflush(stdout);
}

/* --------------------------------------------------------------- resident */

static double limit_of(eig_type type, int64_t n)
{
    static const double limits[] = {0.6, 3, 8, 17, 30, 50};
    return type == EIG_D && n % 5 == 0 && n <= 30 ? limits[n / 5 - 1] : 0;
}

static double time_resident(arrays *x, const eig_geev_options *options, int64_t n, int repeats)
{
    size_t need = 0;
    EIG(eig_geev_work_size(gpu, x->type, options, n, batch_of(n), &need));
    if (need > x->work_bytes) {
        cudaFree(x->work);
        CUDA(cudaMalloc(&x->work, need));
        x->work_bytes = need;
    }
    EIG(eig_set_workspace(gpu, x->work, x->work_bytes));
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    double times[REPEATS];
    for (int r = -1; r < repeats; ++r) {
        CUDA(cudaMemset(x->w, 0xff, (size_t)(batch_of(n) * n * 2) * x->size));
        CUDA(cudaMemset(x->info, 0xff, BATCH * sizeof(int)));
        CUDA(cudaEventRecord(begin, 0));
        EIG(solve(gpu, x, options, n, x->a, x->w, x->info, batch_of(n)));
        CUDA(cudaEventRecord(end, 0));
        CUDA(cudaEventSynchronize(end));
        float ms = 0;
        CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (r >= 0) times[r] = ms;
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    CUDA(cudaMemcpy(x->host_w, x->w, (size_t)(batch_of(n) * n * 2) * x->size, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(x->host_info, x->info, BATCH * sizeof(int), cudaMemcpyDeviceToHost));
    return median(times, repeats);
}

/* The passes of one more call. */
static void time_passes(arrays *x, const eig_geev_options *options, int64_t n, double pass[3])
{
    const eig_pass *measured;
    int count;
    EIG(eig_set_timing(gpu, 1));
    EIG(solve(gpu, x, options, n, x->a, x->w, x->info, batch_of(n)));
    EIG(eig_set_timing(gpu, 0));
    EIG(eig_get_timing(gpu, &measured, &count));
    for (int k = 0; k < 3; ++k) pass[k] = k < count ? measured[k].ms : 0;
}

static void resident(arrays *x)
{
    static const int orders[] = {2, 3, 5, 8, 10, 15, 16, 20, 25, 30, 32, 40, 48, 56, 64};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
        int const n = orders[k];
        if (only && n != only) continue;
        eig_geev_options o = EIG_GEEV_OPTIONS;
        double const ms = time_resident(x, &o, n, REPEATS);
        row("resident", x, n, batch_of(n), "auto", 0, ms, limit_of(x->type, n), "", 0, check(x, n));
    }
    eig_geev_options o = EIG_GEEV_OPTIONS;
    o.no_balance = 1;
    for (int n = 10; n <= 30 && !only; n += 20) {
        double const ms = time_resident(x, &o, n, REPEATS);
        row("resident-unbalanced", x, n, BATCH, "auto", 0, ms, 0, "", 0, check(x, n));
    }
}

static void forms(arrays *x)
{
    static const int orders[] = {5, 10, 15, 20, 25, 30};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
        if (only && orders[k] != only) continue;
        for (int method = EIG_GEEV_SWB; method <= EIG_GEEV_MWB; ++method)
            for (int p = 1; p <= 32; p *= 2) {
                eig_geev_options o = EIG_GEEV_OPTIONS;
                o.method = (eig_geev_method)method, o.threads_per_matrix = p;
                if (p > 2 * orders[k] || (p == 1 && (orders[k] > 16 || method == EIG_GEEV_MWB))) continue;
                double const ms = time_resident(x, &o, orders[k], 3);
                double const error = check(x, orders[k]);
                row("forms", x, orders[k], BATCH, name_of(o.method), p, ms, 0, "", 0, error);
                double pass[3];
                time_passes(x, &o, orders[k], pass);
                row("reduction", x, orders[k], BATCH, name_of(o.method), p, pass[0], 0, "", 0, error);
                row("iteration", x, orders[k], BATCH, name_of(o.method), p, pass[1], 0, "", 0, error);
            }
    }
}

/* ------------------------------------------------------------------- host */

/* The same bytes, both ways at once, by two plain copies. */
static double time_copy(arrays *x, int64_t n)
{
    cudaStream_t in, out;
    CUDA(cudaStreamCreate(&in));
    CUDA(cudaStreamCreate(&out));
    double times[3];
    for (int r = -1; r < 3; ++r) {
        double const begin = host_ms();
        CUDA(cudaMemcpyAsync(x->a, x->host_a, (size_t)(BATCH * n * n) * x->size, cudaMemcpyHostToDevice, in));
        CUDA(cudaMemcpyAsync(x->host_w, x->w, (size_t)(BATCH * n * 2) * x->size, cudaMemcpyDeviceToHost, out));
        CUDA(cudaDeviceSynchronize());
        if (r >= 0) times[r] = host_ms() - begin;
    }
    cudaStreamDestroy(in), cudaStreamDestroy(out);
    return median(times, 3);
}

static double time_host(arrays *x, const eig_geev_options *o, int64_t n, const void *a, void *w, int *info)
{
    double times[3];
    for (int r = -1; r < 3; ++r) {
        memset(w, 0xff, (size_t)(BATCH * n * 2) * x->size);
        memset(info, 0xff, BATCH * sizeof(int));
        double const begin = host_ms();
        EIG(solve(gpu, x, o, n, a, w, info, BATCH));
        if (r >= 0) times[r] = host_ms() - begin;
    }
    return median(times, 3);
}

static void host(arrays *x)
{
    static const int64_t chunks[] = {0, 1024, 4096, 16384, 65536};
    for (int n = 5; n <= 30; n += 5) {
        if (only && n != only) continue;
        double const copy = time_copy(x, n);
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; ++c) {
            if (c > 0 && n % 10 != 0 && n != 5) continue;
            eig_geev_options o = EIG_GEEV_OPTIONS;
            o.chunk = chunks[c];
            double const ms = time_host(x, &o, n, x->host_a, x->host_w, x->host_info);
            char name[32];
            snprintf(name, sizeof name, "chunk%lld", (long long)chunks[c]);
            row("host", x, n, BATCH, name, 0, ms, 1.5 * copy, "copy", copy, check(x, n));
        }
        if (n != 10) continue;
        /* Pageable arrays pass through the staging. */
        size_t const in = (size_t)(BATCH * n * n) * x->size, out = (size_t)(BATCH * n * 2) * x->size;
        void *const a = malloc(in), *const w = malloc(out);
        int *const info = (int *)malloc(BATCH * sizeof(int));
        must(a && w && info, "malloc");
        memcpy(a, x->host_a, in);
        eig_geev_options o = EIG_GEEV_OPTIONS;
        double const ms = time_host(x, &o, n, a, w, info);
        memcpy(x->host_w, w, out), memcpy(x->host_info, info, BATCH * sizeof(int));
        row("host-pageable", x, n, BATCH, "chunk0", 0, ms, 0, "copy", copy, check(x, n));
        free(a), free(w), free(info);
    }
}

/* ----------------------------------------------------------------- affine */

static eig_status solve_affine(eig_context *ctx, const eig_geev_options *o, const double *a, const double *points,
                               eig_z *w, double *value)
{
    return eig_dgeev_affine(ctx, o, 15, PARAMETERS, a, 15, 225, points, PARAMETERS, w, 15, EIG_GEEV_ABSCISSA, value,
                            NULL, GRID * GRID * GRID);
}

static void affine(arrays *x)
{
    enum { N = 15, POINTS = GRID * GRID * GRID };
    double *const points = (double *)malloc(POINTS * PARAMETERS * sizeof(double)), *const value = (double *)malloc(
                                                                                       POINTS * sizeof(double));
    double *const expected = (double *)malloc(POINTS * sizeof(double));
    must(points && value && expected, "malloc");
    EIG(eig_set_workspace(gpu, NULL, 0));
    for (int k = 0; k < POINTS; ++k) {
        points[3 * k] = k % GRID / (GRID - 1.0), points[3 * k + 1] = k / GRID % GRID / (GRID - 1.0);
        points[3 * k + 2] = k / GRID / GRID / (GRID - 1.0);
    }
    double *const a = (double *)x->a, *device_points, *device_value;
    CUDA(cudaMalloc((void **)&device_points, POINTS * PARAMETERS * sizeof(double)));
    CUDA(cudaMalloc((void **)&device_value, POINTS * sizeof(double)));
    CUDA(cudaMemcpy(a, x->host_a, (PARAMETERS + 1) * N * N * sizeof(double), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_points, points, POINTS * PARAMETERS * sizeof(double), cudaMemcpyHostToDevice));
    must(solve_affine(cpu, NULL, (const double *)x->host_a, points, NULL, expected) == EIG_OK, "the CPU context");
    eig_geev_options o = EIG_GEEV_OPTIONS;
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    for (int all = 0; all < 2; ++all) {
        double times[REPEATS];
        for (int r = -1; r < REPEATS; ++r) {
            CUDA(cudaMemset(device_value, 0xff, POINTS * sizeof(double)));
            CUDA(cudaEventRecord(begin, 0));
            EIG(solve_affine(gpu, &o, a, device_points, all ? (eig_z *)x->w : NULL, device_value));
            CUDA(cudaEventRecord(end, 0));
            CUDA(cudaEventSynchronize(end));
            float ms = 0;
            CUDA(cudaEventElapsedTime(&ms, begin, end));
            if (r >= 0) times[r] = ms;
        }
        CUDA(cudaMemcpy(value, device_value, POINTS * sizeof(double), cudaMemcpyDeviceToHost));
        double most = 0;
        for (int k = 0; k < POINTS; ++k) {
            double const d = fabs(value[k] - expected[k]) / (DBL_EPSILON * 15);
            if (!(d <= most)) most = d;
        }
        row(all ? "affine-all" : "affine-abscissa", x, N, POINTS, "auto", 0, median(times, REPEATS), 0, "", 0, most);
    }
    double times[3];
    for (int r = -1; r < 3; ++r) {
        memset(value, 0xff, POINTS * sizeof(double));
        double const start = host_ms();
        EIG(solve_affine(gpu, &o, (const double *)x->host_a, points, NULL, value));
        if (r >= 0) times[r] = host_ms() - start;
    }
    double most = 0;
    for (int k = 0; k < POINTS; ++k) {
        double const d = fabs(value[k] - expected[k]) / (DBL_EPSILON * 15);
        if (!(d <= most)) most = d;
    }
    row("affine-host", x, N, POINTS, "auto", 0, median(times, 3), 0, "", 0, most);
    cudaFree(device_points), cudaFree(device_value), cudaEventDestroy(begin), cudaEventDestroy(end);
    free(points), free(value), free(expected);
}

/* The number behind "n=", which restricts the parts to one order; 0: none. */
static int only_order(int argc, char **argv)
{
    for (int k = 2; k < argc; ++k)
        if (strncmp(argv[k], "n=", 2) == 0) return atoi(argv[k] + 2);
    return 0;
}

static int wanted(int argc, char **argv, const char *part)
{
    for (int k = 2; k < argc; ++k)
        if (strcmp(argv[k], part) == 0) return 1;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    if (argc > 1) commit = argv[1];
    only = only_order(argc, argv);
    must(eig_create(&gpu, "cuda") == EIG_OK, "eig_create");
    must(eig_create(&cpu, "cpu") == EIG_OK, "eig_create");
    snprintf(machine, sizeof machine, "%s", eig_describe(gpu));
    for (char *c = machine; *c; ++c)
        if (*c == ',') *c = ';';
    printf(
        "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit\n");
    for (int single = 0; single < 2; ++single) {
        arrays x = arrays_new(single ? EIG_S : EIG_D);
        CUDA(cudaMemcpy(x.a, x.host_a, (size_t)BATCH * FULL_N * FULL_N * x.size, cudaMemcpyHostToDevice));
        if (wanted(argc, argv, "resident")) resident(&x);
        if (wanted(argc, argv, "forms") && !single) forms(&x);
        if (wanted(argc, argv, "host")) host(&x);
        if (wanted(argc, argv, "affine") && !single) affine(&x);
        arrays_free(&x);
    }
    eig_destroy(gpu);
    eig_destroy(cpu);
    return 0;
}
