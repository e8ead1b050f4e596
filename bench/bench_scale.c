/* The benchmark of several GPUs in one context: the same calls on 1, 2, 4, ... GPUs of the machine, host arrays.
 *
 *     bench_scale COMMIT [quick] [FAMILY...] [DEVICE...]    prints CSV: a row for each case, kind of memory, set of
 *     GPUs
 *
 * time_ms     median of the repeats of one call, after one that warms up; a call on host arrays ends when all is there
 * gb_s        bytes of the arrays that a call reads and writes, over its time; of rows "copy" the rate of copies alone,
 *             to the GPUs, from them or half of the bytes each way, all at a time: what links and host memory give
 * efficiency  t_1 / (k t_k)
 * check       of one GPU: its answer is right (below); of more: it has the same bits.  ok or FAIL
 * quick       small sizes
 * FAMILY      copies, geev, stebz, heev, stemr: these alone
 * DEVICE      more sets of GPUs, e.g. cuda:0,0 */
#include "bench/support/rows.h"
#include "bench/support/times.h"
#include "scale_cases.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 5, MOST_SETS = 12 };

static const char *machine = "", *commit = "unknown";
static bool failed;

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
    scale_must(ctx, status);
    return ctx;
}

/* The median time of a call on the device. */
static double time_case(const scale_case *c, const char *device, const memory *in, memory *out)
{
    eig_context *const ctx = open_context(device);
    times t = {0};
    touch(out, 0x55);
    scale_must(ctx, c->call(ctx, c, in->at, out->at));
    for (int i = 0; i < MOST_REPEATS && (i == 0 || t.total_ms < 2000); ++i) {
        double const begin = clock_ms();
        scale_must(ctx, c->call(ctx, c, in->at, out->at));
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
    scale_case const cases[] = {scale_case_stemr(quick ? 8192 : 65536), scale_case_geev(quick ? 100 : 400),
                                scale_case_heev(32, quick ? 20000 : 400000),
                                scale_case_stebz(quick ? 100000 : 1000000)};
    for (int i = 0; i < 4; ++i) {
        if (!is_wanted(cases[i].family, argc, argv)) continue;
        run_case(&cases[i], true, sets, devices);
        if (i == 1 || i == 2) run_case(&cases[i], false, sets, devices);
    }
    return failed;
}
