/* Times of heev on a GPU, device arrays and a lent workspace, from CUDA events around a call.
 *
 *     bench_heev_cuda COMMIT [n=N] [resident | jacobi | values | small | passes]...
 *
 * resident   batch 20000, n = 4 to 32, method auto, with vectors
 * values     the same without vectors
 * jacobi     method jacobi, batch 1000 and 20000
 * small      n = 1, 2, 3, batch 10^6, with vectors and without
 * passes     times of the passes of the tridiagonal method
 * error      the larger of ||A - V W V^H|| / (n eps ||A||) and ||V^H V - I|| / (n eps) over 50 matrices; allowed: 10.
 *            Without vectors: |trace - sum w| / (n eps ||A||) */
#include "bench/support/dense.h"
#include "bench_cuda.h"
#include "io/matrices_hermitian.h"

enum { BATCH = 20000, SMALL_BATCH = 1000000, SAMPLES = 50 };

static const double budget_ms = 150;
static int only; /* this order alone; 0: all */
static eig_type const types[4] = {EIG_Z, EIG_D, EIG_C, EIG_S};

/* A batch on the device, and the call on it. */
typedef struct heev_run {
    eig_type type;
    int64_t n, batch;
    eig_heev_options options;
    numbers a, w, v;
    void *at_a, *at_w, *at_v, *work; /* at_v: NULL without vectors */
    int *at_info, *info;
    cudaEvent_t begin, end;
} heev_run;

static numbers numbers_room(eig_type type, int64_t count)
{
    numbers x;
    if (!numbers_make(&x, type, count)) exit(1);
    return x;
}

static heev_run run_new(eig_type type, int64_t n, int64_t batch, eig_heev_method method, bool vectors)
{
    heev_run r = {.type = type, .n = n, .batch = batch, .options = EIG_HEEV_OPTIONS};
    io_error error;
    size_t need = 0;
    r.options.method = method;
    r.a = numbers_room(type, n * n * batch), r.v = numbers_room(type, n * n * batch);
    r.w = numbers_room(type_real(type), n * batch);
    r.info = malloc((size_t)batch * sizeof(int));
    if (!r.info || !matrices_hermitian("hermitian", n, batch, 1, &r.a, &error)) exit(1);
    r.at_a = device_memory(numbers_bytes(&r.a)), r.at_w = device_memory(numbers_bytes(&r.w));
    r.at_v = vectors ? device_memory(numbers_bytes(&r.v)) : NULL;
    r.at_info = device_memory((size_t)batch * sizeof(int));
    CUDA(cudaMemcpy(r.at_a, r.a.data, numbers_bytes(&r.a), cudaMemcpyHostToDevice));
    GPU(eig_heev_work_size(gpu, type, &r.options, n, vectors, batch, &need));
    r.work = device_memory(need);
    GPU(eig_set_workspace(gpu, r.work, need));
    CUDA(cudaEventCreate(&r.begin));
    CUDA(cudaEventCreate(&r.end));
    return r;
}

static void run_free(heev_run *r)
{
    GPU(eig_set_workspace(gpu, NULL, 0));
    CUDA(cudaFree(r->at_a));
    CUDA(cudaFree(r->at_w));
    CUDA(cudaFree(r->at_v));
    CUDA(cudaFree(r->at_info));
    CUDA(cudaFree(r->work));
    CUDA(cudaEventDestroy(r->begin));
    CUDA(cudaEventDestroy(r->end));
    numbers_free(&r->a), numbers_free(&r->w), numbers_free(&r->v);
    free(r->info);
}

static eig_status call(const heev_run *r)
{
    int64_t const n = r->n, square = n * n;
    return eig_heev_batched(gpu, r->type, &r->options, n, r->at_a, n, square, r->at_w, n, r->at_v, n, square,
                            r->at_info, NULL, r->batch);
}

/* A contestant (times.h). */
static int timed(void *user, double *ms)
{
    const heev_run *const r = user;
    float elapsed = 0;
    CUDA(cudaMemsetAsync(r->at_w, 0xff, numbers_bytes(&r->w), NULL));
    if (r->at_v) CUDA(cudaMemsetAsync(r->at_v, 0xff, numbers_bytes(&r->v), NULL));
    CUDA(cudaEventRecord(r->begin, NULL));
    eig_status const status = call(r);
    if (status != EIG_OK) return status;
    CUDA(cudaEventRecord(r->end, NULL));
    CUDA(cudaEventSynchronize(r->end));
    CUDA(cudaEventElapsedTime(&elapsed, r->begin, r->end));
    *ms = elapsed;
    return EIG_OK;
}

/* ------------------------------------------------------------------- check */

/* Element (i, j) of matrix b, column-major. */
static dense_number element(const numbers *x, int64_t n, int64_t b, int64_t i, int64_t j)
{
    int64_t const at = (b * n + j) * n + i;
    return dense_complex(numbers_re(x, at), numbers_im(x, at));
}

/* The kind is made in C order and read as columns: the conjugate.  Both triangles are there. */
static double error_of(const heev_run *r, int64_t b)
{
    int64_t const n = r->n;
    long double norm = 0, residual = 0, orthogonality = 0, trace = 0,
                eps = (long double)n * (long double)type_eps(r->type);
    for (int64_t i = 0; i < n; ++i) {
        trace += creall(element(&r->a, n, b, i, i)) - (long double)numbers_re(&r->w, b * n + i);
        for (int64_t j = 0; j < n; ++j) {
            dense_number const a = element(&r->a, n, b, i, j);
            norm += creall(a) * creall(a) + cimagl(a) * cimagl(a);
            if (!r->at_v) continue;
            dense_number left = a, dot = i == j ? -1 : 0;
            for (int64_t k = 0; k < n; ++k) {
                dense_number const x = element(&r->v, n, b, i, k), y = element(&r->v, n, b, j, k);
                left -= dense_product(x, conjl(y)) * (long double)numbers_re(&r->w, b * n + k);
                dot += dense_product(conjl(element(&r->v, n, b, k, i)), element(&r->v, n, b, k, j));
            }
            residual += creall(left) * creall(left) + cimagl(left) * cimagl(left);
            orthogonality += creall(dot) * creall(dot) + cimagl(dot) * cimagl(dot);
        }
    }
    if (!r->at_v) return (double)(fabsl(trace) / (eps * sqrtl(norm)));
    return (double)fmaxl(sqrtl(residual / norm) / eps, sqrtl(orthogonality) / eps);
}

static double check(const heev_run *r)
{
    double most = 0;
    CUDA(cudaMemcpy(r->w.data, r->at_w, numbers_bytes(&r->w), cudaMemcpyDeviceToHost));
    if (r->at_v) CUDA(cudaMemcpy(r->v.data, r->at_v, numbers_bytes(&r->v), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(r->info, r->at_info, (size_t)r->batch * sizeof(int), cudaMemcpyDeviceToHost));
    for (int64_t b = 0; b < r->batch; ++b)
        if (r->info[b] != 0) return INFINITY;
    for (int64_t s = 0; s < SAMPLES; ++s) {
        double const one = error_of(r, s * (r->batch - 1) / (SAMPLES - 1));
        if (!(one <= most)) most = one;
    }
    return most;
}

/* -------------------------------------------------------------------- cases */

/* The bars of the plan in ms, for n = 8, 16, 32 in the order of `types`; 0: none. */
static double bar_of(eig_type type, int64_t n, bool vectors)
{
    static const double with[4][3] = {{0.2, 0.9, 5}, {0.09, 0.55, 2.8}, {0.09, 0.45, 2.8}, {0.06, 0.3, 1.4}};
    static const double without[2][3] = {{0.07, 0.4, 2.5}, {0.03, 0.18, 1.5}};
    int const k = n == 8 ? 0 : n == 16 ? 1 : n == 32 ? 2 : -1;
    for (int t = 0; t < 4 && k >= 0; ++t)
        if (types[t] == type) return vectors ? with[t][k] : t < 2 ? without[t][k] : 0;
    return 0;
}

static void put(const char *family, eig_type type, int64_t n, int64_t batch, eig_heev_method method, bool vectors,
                double bar, bool passes)
{
    static const char *const names[] = {"auto", "jacobi", "tridiagonal", "reference"};
    if (only && n != only) return;
    heev_run r = run_new(type, n, batch, method, vectors);
    bench_row row = {family, names[method], type, n, batch, 0, 0, bar, NULL, 0, -1, false};
    row.time_ms = bench_time((contestant){timed, &r}, budget_ms);
    row.error = check(&r), row.passed = row.error <= 10;
    bench_put(&row);
    if (passes) {
        const eig_pass *pass;
        int count;
        GPU(eig_set_timing(gpu, 1));
        GPU(call(&r));
        GPU(eig_get_timing(gpu, &pass, &count));
        for (int k = 0; k < count; ++k) {
            char name[64];
            snprintf(name, sizeof name, "heev-%s", pass[k].name);
            row.family = name, row.time_ms = pass[k].ms, row.limit_ms = 0;
            bench_put(&row);
        }
        GPU(eig_set_timing(gpu, 0));
    }
    run_free(&r);
}

static bool wanted(int argc, char **argv, const char *part)
{
    bool named = false;
    for (int k = 2; k < argc; ++k) {
        if (strcmp(argv[k], part) == 0) return true;
        named = named || strncmp(argv[k], "n=", 2) != 0;
    }
    return !named;
}

int main(int argc, char **argv)
{
    static const int orders[] = {4, 8, 12, 16, 24, 32};
    for (int k = 2; k < argc; ++k)
        if (strncmp(argv[k], "n=", 2) == 0) only = atoi(argv[k] + 2);
    bench_open(argc > 1 ? argv[1] : "unknown");
    for (int t = 0; t < 4; ++t) {
        eig_type const type = types[t];
        for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
            int const n = orders[k];
            if (wanted(argc, argv, "resident"))
                put("heev-resident", type, n, BATCH, EIG_HEEV_AUTO, true, bar_of(type, n, true),
                    wanted(argc, argv, "passes"));
            if (wanted(argc, argv, "values"))
                put("heev-values", type, n, BATCH, EIG_HEEV_AUTO, false, bar_of(type, n, false), false);
            if (!wanted(argc, argv, "jacobi")) continue;
            double const bar = type == EIG_Z && n == 16 ? 0.2 : type == EIG_Z && n == 32 ? 0.9 : 0;
            put("heev-jacobi", type, n, 1000, EIG_HEEV_JACOBI, true, bar, false);
            put("heev-jacobi", type, n, BATCH, EIG_HEEV_JACOBI, true, 0, false);
        }
        for (int n = 1; n <= 3 && wanted(argc, argv, "small"); ++n) {
            bool const known = n == 3 && !type_is_complex(type);
            put("heev-resident", type, n, SMALL_BATCH, EIG_HEEV_AUTO, true, known ? type == EIG_D ? 0.13 : 0.1 : 0,
                false);
            put("heev-values", type, n, SMALL_BATCH, EIG_HEEV_AUTO, false, known && type == EIG_D ? 0.065 : 0, false);
        }
    }
    bench_close();
    return 0;
}
