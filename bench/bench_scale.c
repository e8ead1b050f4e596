/* The benchmark of several GPUs in one context: the same calls on 1, 2, 4, ... GPUs of the machine, host arrays.
 *
 *     bench_scale COMMIT [quick] [FAMILY...] [DEVICE...]    prints CSV: a row for each case, kind of memory, set of GPUs
 *
 * time_ms     median of the repeats of one call, after one that warms up; a call on host arrays ends when all is there
 * gb_s        bytes of the arrays that a call reads and writes, over its time; of rows "copy" the rate of copies alone,
 *             to the GPUs, from them or half of the bytes each way, all at a time: what links and host memory give
 * efficiency  t_1 / (k t_k)
 * check       of one GPU: its answer is right (below); of more: it has the same bits.  ok or FAIL
 * quick       small sizes
 * FAMILY      copies, geev, stebz, heev, stemr: these alone
 * DEVICE      sets of GPUs besides, e.g. cuda:0,0 */
#include "bench/support/rows.h"
#include "bench/support/times.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 5, MOST_SETS = 12 };

static const char *machine = "", *commit = "unknown";
static bool failed;

static void must(eig_context *ctx, eig_status status)
{
    if (status == EIG_OK) return;
    fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    exit(1);
}

static void must_cuda(cudaError_t code, const char *call)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(code));
    exit(1);
}
#define CUDA(call) must_cuda((call), #call)

/* ---------------------------------------------------------------------- memory */

typedef struct memory {
    char *at;
    size_t bytes;
    bool pinned;
} memory;

/* All threads touch it, so that its pages lie where memory is and no call pays for them. */
static void touch(const memory *m, int value)
{
    int64_t const piece = 1 << 22, pieces = (int64_t)((m->bytes + (size_t)piece - 1) / (size_t)piece);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < pieces; ++i) {
        size_t const from = (size_t)(i * piece), left = m->bytes - from;
        memset(m->at + from, value, left < (size_t)piece ? left : (size_t)piece);
    }
}

static memory make_memory(size_t bytes, bool pinned)
{
    memory m = {aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), bytes, pinned};
    if (!m.at) must_cuda(cudaErrorMemoryAllocation, "aligned_alloc");
    touch(&m, 0);
    if (pinned) CUDA(cudaHostRegister(m.at, (bytes + 4095) / 4096 * 4096, cudaHostRegisterPortable));
    return m;
}

static void free_memory(memory *m)
{
    if (m->pinned) CUDA(cudaHostUnregister(m->at));
    free(m->at);
    *m = (memory){NULL, 0, false};
}

/* A number that any other word at any other place changes. */
static uint64_t digest(const memory *m)
{
    const uint64_t *const word = (const uint64_t *)m->at;
    int64_t const words = (int64_t)(m->bytes / 8);
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < words; ++i) {
        uint64_t const mixed = (word[i] ^ (uint64_t)i) * UINT64_C(0x9e3779b97f4a7c15);
        sum += (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return sum;
}

/* Uniform in [0, 1), the same for every number of threads. */
static void fill_uniform(double *x, int64_t count, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; ++i) {
        uint64_t z = ((uint64_t)i + seed) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        x[i] = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    }
}

/* ----------------------------------------------------------------------- cases */

typedef struct scale_case {
    const char *family;
    eig_type type;
    int64_t n, batch;
    size_t in_bytes, out_bytes;
    void (*fill)(const struct scale_case *c, void *in);
    eig_status (*call)(eig_context *ctx, const struct scale_case *c, const void *in, void *out);
    bool (*right)(eig_context *ctx, const struct scale_case *c, const void *in, const void *out);
} scale_case;

/* A control loop at a grid of three gains, in front of its points. */
enum { LOOP = 15, GAINS = 3, LOOPS = (GAINS + 1) * LOOP * LOOP };

static void fill_geev(const scale_case *c, void *in)
{
    double *const a = in, *const x = a + LOOPS;
    int64_t const side = (int64_t)llround(cbrt((double)c->batch));
    if (!matrices_nonsymmetric("closed-loop", LOOP, GAINS + 1, 1, a)) exit(1);
    for (int k = LOOP * LOOP; k < LOOPS; ++k) a[k] -= a[k % (LOOP * LOOP)];
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < c->batch; ++p) {
        x[3 * p] = (double)(p % side) / (double)side;
        x[3 * p + 1] = (double)(p / side % side) / (double)side;
        x[3 * p + 2] = (double)(p / side / side) / (double)side;
    }
}

static eig_status call_geev(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    const double *const a = in;
    return eig_dgeev_affine(ctx, NULL, LOOP, GAINS, a, LOOP, LOOP * LOOP, a + LOOPS, GAINS, NULL, 0, EIG_GEEV_ABSCISSA,
                            out, NULL, c->batch);
}

/* The abscissae of some points, by a CPU. */
static bool right_geev(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 500 };
    double value[SOME];
    const double *const a = in, *const found = out;
    for (int part = 0; part < 2; ++part) {
        int64_t const first = part == 0 ? 0 : c->batch - SOME;
        must(cpu, eig_dgeev_affine(cpu, NULL, LOOP, GAINS, a, LOOP, LOOP * LOOP, a + LOOPS + GAINS * first, GAINS, NULL,
                                   0, EIG_GEEV_ABSCISSA, value, NULL, SOME));
        for (int i = 0; i < SOME; ++i)
            if (!(fabs(value[i] - found[first + i]) < 1e-6)) return false;
    }
    return true;
}

static void fill_tridiagonal(const scale_case *c, void *in)
{
    fill_uniform(in, 2 * c->n, 5);
}

static eig_status call_stebz(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    const double *const d = in;
    return eig_dstebz(ctx, NULL, c->n, d, d + c->n, NULL, out, NULL, NULL, NULL);
}

/* Sturm counts on both sides of some eigenvalues. */
static bool right_stebz(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 64 };
    const double *const d = in, *const w = out;
    double x[2 * SOME];
    int64_t count[2 * SOME];
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = i * ((c->n - 1) / (SOME - 1));
        x[2 * i] = w[k] - 16 * DBL_EPSILON * 3, x[2 * i + 1] = w[k] + 16 * DBL_EPSILON * 3;
    }
    must(cpu, eig_dstebz_count(cpu, c->n, d, d + c->n, 2 * SOME, x, count, NULL));
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = i * ((c->n - 1) / (SOME - 1));
        if (!(count[2 * i] <= k && k < count[2 * i + 1])) return false;
    }
    return true;
}

static void fill_heev(const scale_case *c, void *in)
{
    fill_uniform(in, 2 * c->n * c->n * c->batch, 7);
}

static eig_status call_heev(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    int64_t const n = c->n;
    double *const w = out;
    eig_z *const v = (eig_z *)(w + n * c->batch);
    return eig_zheev_batched(ctx, NULL, n, in, n, n * n, w, n, v, n, n * n, NULL, NULL, c->batch);
}

/* The eigenvalues of some matrices, by a CPU, and the length of their vectors. */
static bool right_heev(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 50, MOST = 64 };
    static double value[SOME * MOST];
    int64_t const n = c->n;
    const double *const w = out;
    const eig_z *const v = (const eig_z *)(w + n * c->batch), *const a = in;
    for (int part = 0; part < 2; ++part) {
        int64_t const first = part == 0 ? 0 : c->batch - SOME;
        must(cpu, eig_zheev_batched(cpu, NULL, n, a + first * n * n, n, n * n, value, n, NULL, 0, 0, NULL, NULL, SOME));
        for (int64_t k = 0; k < SOME * n; ++k) {
            const eig_z *const column = v + (first * n + k) * n;
            double length = 0;
            for (int64_t i = 0; i < n; ++i) length += column[i].re * column[i].re + column[i].im * column[i].im;
            if (!(fabs(value[k] - w[first * n + k]) < 1e-11 && fabs(length - 1) < 1e-11)) return false;
        }
    }
    return true;
}

/* w, residuals, vectors. */
static eig_status call_stemr(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    int64_t const n = c->n;
    const double *const d = in;
    double *const w = out, *const residual = w + n, *const z = residual + n;
    return eig_dstemr(ctx, NULL, n, d, d + n, NULL, w, z, n, NULL, NULL, residual, NULL, NULL);
}

static bool right_stemr(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    const double *const w = out, *const residual = w + c->n;
    double const most = 10 * (double)c->n * DBL_EPSILON * 3;
    for (int64_t k = 0; k < c->n; ++k)
        if (!(residual[k] <= most)) return false;
    return right_stebz(cpu, c, in, out);
}

static scale_case case_geev_of(int64_t side)
{
    int64_t const points = side * side * side;
    size_t const in = sizeof(double) * (size_t)(LOOPS + GAINS * points);
    return (scale_case){"geev",    EIG_D,     LOOP,      points, in, sizeof(double) * (size_t)points,
                        fill_geev, call_geev, right_geev};
}

static scale_case case_stebz_of(int64_t n)
{
    return (scale_case){"stebz", EIG_D, n, 1, 16 * (size_t)n, 8 * (size_t)n, fill_tridiagonal, call_stebz, right_stebz};
}

static scale_case case_heev_of(int64_t n, int64_t batch)
{
    size_t const square = 16 * (size_t)(n * n * batch);
    return (scale_case){"heev",    EIG_Z,     n,         batch, square, square + 8 * (size_t)(n * batch),
                        fill_heev, call_heev, right_heev};
}

static scale_case case_stemr_of(int64_t n)
{
    size_t const out = 8 * (size_t)n * (size_t)(n + 2);
    return (scale_case){"stemr", EIG_D, n, 1, 16 * (size_t)n, out, fill_tridiagonal, call_stemr, right_stemr};
}

/* ------------------------------------------------------------------------ rows */

static void put_row(const char *family, eig_type type, int64_t n, int64_t batch, bool pinned, const char *device,
                    int gpus, double ms, double bytes, double efficiency, bool good)
{
    failed |= !good;
    printf("%s,%c,%lld,%lld,%s,\"%s\",%d,%.4f,%.2f,%.3f,%s,\"%s\",%s\n", family, (char)type, (long long)n,
           (long long)batch, pinned ? "pinned" : "pageable", device, gpus, ms, bytes / ms * 1e-6, efficiency,
           good ? "ok" : "FAIL", machine, commit);
    fflush(stdout);
}

/* GPUs of "cuda:0,1,1", each once. */
static int gpus_of(const char *device)
{
    bool seen[64] = {false};
    int gpus = 0;
    for (const char *at = device + 4; *at == ':' || *at == ','; at += 1 + strspn(at + 1, "0123456789")) {
        int const k = atoi(at + 1) % 64;
        gpus += !seen[k];
        seen[k] = true;
    }
    return gpus > 0 ? gpus : 1;
}

static eig_context *open_context(const char *device)
{
    eig_context *ctx = NULL;
    eig_status const status = eig_create(&ctx, device);
    must(ctx, status);
    return ctx;
}

/* The median time of a call on the device. */
static double time_case(const scale_case *c, const char *device, const memory *in, memory *out)
{
    eig_context *const ctx = open_context(device);
    times t = {0};
    touch(out, 0x55);
    must(ctx, c->call(ctx, c, in->at, out->at));
    for (int i = 0; i < MOST_REPEATS && (i == 0 || t.total_ms < 2000); ++i) {
        double const begin = clock_ms();
        must(ctx, c->call(ctx, c, in->at, out->at));
        times_add(&t, clock_ms() - begin);
    }
    eig_destroy(ctx);
    return times_median(&t);
}

static void run_case(const scale_case *c, bool pinned, int sets, const char *const *devices)
{
    memory in = make_memory(c->in_bytes, pinned), out = make_memory(c->out_bytes, pinned);
    eig_context *const cpu = open_context("cpu");
    c->fill(c, in.at);
    double single = 0;
    uint64_t bits = 0;
    for (int i = 0; i < sets; ++i) {
        double const ms = time_case(c, devices[i], &in, &out);
        uint64_t const own = digest(&out);
        bool const good = i == 0 ? c->right(cpu, c, in.at, out.at) : own == bits;
        if (i == 0) single = ms, bits = own;
        int const gpus = gpus_of(devices[i]);
        put_row(c->family, c->type, c->n, c->batch, pinned, devices[i], gpus, ms, (double)(c->in_bytes + c->out_bytes),
                single / (gpus * ms), good);
    }
    eig_destroy(cpu);
    free_memory(&in);
    free_memory(&out);
}

typedef enum way { TO_GPU, FROM_GPU, BOTH_WAYS } way;

/* Enqueues a copy between the host and the current GPU; both ways: half of the bytes each way. */
static void copy(way w, void *device, char *host, size_t bytes, cudaStream_t *stream)
{
    size_t const half = w == BOTH_WAYS ? bytes / 2 : bytes;
    char *const out = w == BOTH_WAYS ? host + half : host, *const from = (char *)device + (out - host);
    if (w != FROM_GPU) CUDA(cudaMemcpyAsync(device, host, half, cudaMemcpyHostToDevice, stream[0]));
    if (w != TO_GPU) CUDA(cudaMemcpyAsync(out, from, half, cudaMemcpyDeviceToHost, stream[1]));
}

/* Copies between the host and `gpus` GPUs, all at a time, 256 MB each. */
static void run_copies(int gpus, bool pinned, way w, double *single)
{
    static const char *const names[] = {"copy to", "copy from", "copy both"};
    size_t const bytes = (size_t)1 << 28;
    memory host = make_memory(bytes * (size_t)gpus, pinned);
    void *device[64] = {NULL};
    cudaStream_t stream[64][2];
    times t = {0};
    for (int k = 0; k < gpus; ++k) {
        CUDA(cudaSetDevice(k));
        CUDA(cudaMalloc(&device[k], bytes));
        for (int i = 0; i < 2; ++i) CUDA(cudaStreamCreateWithFlags(&stream[k][i], cudaStreamNonBlocking));
    }
    for (int repeat = 0; repeat < 4; ++repeat) {
        double const begin = clock_ms();
#pragma omp parallel for num_threads(gpus) schedule(static, 1)
        for (int k = 0; k < gpus; ++k) {
            CUDA(cudaSetDevice(k));
            copy(w, device[k], host.at + bytes * (size_t)k, bytes, stream[k]);
            CUDA(cudaDeviceSynchronize());
        }
        if (repeat > 0) times_add(&t, clock_ms() - begin);
    }
    for (int k = 0; k < gpus; ++k) {
        CUDA(cudaSetDevice(k));
        for (int i = 0; i < 2; ++i) CUDA(cudaStreamDestroy(stream[k][i]));
        CUDA(cudaFree(device[k]));
    }
    CUDA(cudaSetDevice(0));
    double const rate = (double)bytes * gpus / times_median(&t);
    if (gpus == 1) *single = rate;
    put_row(names[w], EIG_D, 0, (int64_t)(bytes / 8), pinned, gpus == 1 ? "cuda:0" : "first", gpus, times_median(&t),
            (double)bytes * gpus, rate / (gpus * *single), true);
    free_memory(&host);
}

/* -------------------------------------------------------------------------- main */

/* "cuda:0", "cuda:0,1", "cuda:0,1,2,3" ... of the GPUs that are there, then what the caller names. */
static int list_sets(int gpus, int argc, char **argv, const char **devices)
{
    static char names[MOST_SETS][200];
    int sets = 0;
    for (int k = 1; k <= gpus && sets < MOST_SETS; k *= 2) {
        char *const name = names[sets];
        int at = sprintf(name, "cuda:0");
        for (int i = 1; i < k; ++i) at += snprintf(name + at, sizeof names[0] - (size_t)at, ",%d", i);
        devices[sets++] = name;
    }
    for (int i = 0; i < argc && sets < MOST_SETS; ++i)
        if (strncmp(argv[i], "cuda:", 5) == 0) devices[sets++] = argv[i];
    return sets;
}

static bool is_named(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; ++i)
        if (strcmp(argv[i], name) == 0) return true;
    return false;
}

/* Whether the caller named this family, or none. */
static bool is_wanted(const char *name, int argc, char **argv)
{
    static const char *const names[] = {"copies", "geev", "stebz", "heev", "stemr"};
    bool any = false;
    for (int i = 0; i < 5; ++i) any |= is_named(names[i], argc, argv);
    return !any || is_named(name, argc, argv);
}

int main(int argc, char **argv)
{
    eig_context *ctx;
    if (eig_create(&ctx, "cuda") != EIG_OK) {
        printf("skipped: %s\n", eig_error_detail(ctx));
        return 77;
    }
    bench_place const place = bench_place_of(ctx, NULL, argc > 1 ? argv[1] : "unknown");
    eig_destroy(ctx);
    machine = place.machine, commit = place.commit;
    bool const quick = is_named("quick", argc, argv);
    const char *devices[MOST_SETS];
    int gpus = 0;
    CUDA(cudaGetDeviceCount(&gpus));
    int const sets = list_sets(gpus, argc - 1, argv + 1, devices);
    printf("family,type,n,batch,memory,device,gpus,time_ms,gb_s,efficiency,check,machine,commit\n");
    for (int w = 0; w < 5 && is_wanted("copies", argc, argv); ++w) { /* pageable memory goes one way at a time */
        double single = 0;
        for (int k = 1; k <= gpus; k *= 2) run_copies(k, w < 3, (way)(w % 3), &single);
    }
    scale_case const cases[] = {case_stemr_of(quick ? 8192 : 65536), case_geev_of(quick ? 100 : 400),
                                case_heev_of(32, quick ? 20000 : 400000), case_stebz_of(quick ? 100000 : 1000000)};
    for (int i = 0; i < 4; ++i) {
        if (!is_wanted(cases[i].family, argc, argv)) continue;
        run_case(&cases[i], true, sets, devices);
        if (i == 1 || i == 2) run_case(&cases[i], false, sets, devices);
    }
    return failed;
}
