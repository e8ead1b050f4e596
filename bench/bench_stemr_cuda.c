/* The benchmark of stemr on a GPU: device arrays, a lent workspace, times from the host's clock between two
 * synchronisations, since a call itself waits for counters.
 *
 *     bench_stemr_cuda [COMMIT] [LARGEST_N]      prints CSV: one row a case
 *
 * time_ms   median over repeats of one call, without the certificate.
 * check     the call's own certificate, asked for in one call more: the larger of all residuals in units of n eps ||T|| and of
 *           (Z'Z - I) x, x random signs, in units of n eps; tests/stemr/test_stemr.c holds the certificate itself to what it
 *           measures.  Ten of either is the limit; every info must be 0.
 * Limits    milliseconds on one H200; of a batch twice what heev's tridiagonal pass takes of as many matrices (n <= 32: took
 *           by QL, without the vectors).
 * Passes    go to stderr, and the median of calls with the certificate. */
#include "bench/support/certify.h"
#include "bench/support/passes.h"
#include "bench_cuda.h"
#include "io/matrices.h"

#include <math.h>

typedef struct listed {
    const char *kind;
    eig_type type;
    int64_t n, wanted; /* wanted < n: from the middle of the spectrum */
    double limit_ms;   /* 0: none */
    eig_stemr_method method;
    int64_t batch;
} listed;

#define EACH_KIND(n, limit)                                                                             \
    {"uniform", EIG_D, n, n, limit, EIG_STEMR_AUTO, 1}, {"121", EIG_D, n, n, limit, EIG_STEMR_AUTO, 1}, \
    {                                                                                                   \
        "glued", EIG_D, n, n, limit, EIG_STEMR_AUTO, 1                                                  \
    }

#define EACH_TYPE(n, limit)                                 \
    {"uniform", EIG_D, n, n, limit, EIG_STEMR_AUTO, 20000}, \
    {                                                       \
        "uniform", EIG_S, n, n, 0, EIG_STEMR_AUTO, 20000    \
    }

static const listed list[] = {
    EACH_KIND(512, 0.6),
    EACH_KIND(1024, 1.0),
    EACH_KIND(2048, 1.8),
    EACH_KIND(4096, 3.8),
    EACH_KIND(8192, 8),
    EACH_KIND(16384, 20),
    EACH_KIND(32768, 55),
    {"uniform", EIG_S, 128, 128, 0.3, EIG_STEMR_AUTO, 1},
    {"uniform", EIG_S, 256, 256, 0.4, EIG_STEMR_AUTO, 1},
    {"uniform", EIG_S, 512, 512, 0.42, EIG_STEMR_AUTO, 1},
    {"uniform", EIG_S, 1024, 1024, 0.75, EIG_STEMR_AUTO, 1},
    {"uniform", EIG_D, 32768, 328, 10, EIG_STEMR_AUTO, 1},
    {"glued", EIG_D, 512, 512, 0, EIG_STEMR_MRRR, 1},
    {"glued", EIG_D, 4096, 4096, 0, EIG_STEMR_MRRR, 1},
    EACH_TYPE(3, 0),
    EACH_TYPE(8, 0),
    EACH_TYPE(16, 0.21),
    EACH_TYPE(24, 0.4),
    EACH_TYPE(32, 0.66),
    EACH_TYPE(33, 3.6),
    EACH_TYPE(48, 4.6),
    EACH_TYPE(64, 5.4),
};

enum { BATCH_WORK = 256 << 20 }; /* that a batch is lent */

static const double most_error = 10;

/* A case on the device. */
typedef struct stemr_run {
    const listed *l;
    eig_stemr_options options;
    void *d, *e, *w, *z, *residual, *orthogonality, *work;
    int *info;
    double *norm;     /* [count] on the host */
    int64_t count;    /* matrices */
    bool certificate; /* is timed, too */
} stemr_run;

static eig_status enqueue(const stemr_run *r, bool certificate)
{
    int64_t const n = r->l->n, k = r->l->wanted;
    return eig_stemr_batched(gpu, r->l->type, &r->options, n, r->d, n, r->e, n - 1, NULL, r->w, k, r->z, n, n * k, NULL,
                             r->info, certificate ? r->residual : NULL, certificate ? r->orthogonality : NULL, NULL,
                             r->count);
}

static int run_timed(void *user, double *ms)
{
    CUDA(cudaDeviceSynchronize());
    double const since = clock_ms();
    eig_status const status = enqueue(user, ((const stemr_run *)user)->certificate);
    CUDA(cudaDeviceSynchronize());
    *ms = clock_ms() - since;
    return (int)status;
}

/* Copies all T there, and notes their norms. */
static void load(stemr_run *r)
{
    const listed *const l = r->l;
    numbers d = {0}, e = {0};
    if (!numbers_make(&d, l->type, l->n * r->count) || !numbers_make(&e, l->type, (l->n - 1) * r->count)) exit(1);
    for (int64_t b = 0; b < r->count; b++) {
        io_tridiagonal t;
        io_error error;
        if (!matrices_tridiagonal(l->kind, l->n, 1 + (uint64_t)b, &t, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        numbers_from(&d, b * l->n, t.d, l->n), numbers_from(&e, b * (l->n - 1), t.e, l->n - 1);
        r->norm[b] = tridiagonal_norm(&t);
        io_tridiagonal_free(&t);
    }
    CUDA(cudaMemcpy(r->d, d.data, numbers_bytes(&d), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(r->e, e.data, numbers_bytes(&e), cudaMemcpyHostToDevice));
    numbers_free(&d), numbers_free(&e);
}

/* What the certificate says, the larger of both parts; infinite where an info is not 0. */
static double error_of(const stemr_run *r)
{
    int64_t const k = r->l->wanted, all = k * r->count;
    double const unit = (double)r->l->n * type_eps(r->l->type);
    double worst = 0;
    numbers residual = {0}, skew = {0};
    int *const info = malloc((size_t)all * sizeof *info);
    if (!info || !numbers_make(&residual, r->l->type, all) || !numbers_make(&skew, r->l->type, r->count)) exit(1);
    GPU(enqueue(r, true));
    CUDA(cudaMemcpy(residual.data, r->residual, numbers_bytes(&residual), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(skew.data, r->orthogonality, numbers_bytes(&skew), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(info, r->info, (size_t)all * sizeof *info, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < all; i++) {
        double const x = numbers_part(&residual, i) / r->norm[i / k] / unit;
        worst = info[i] != 0 || isnan(x) ? INFINITY : fmax(worst, x);
    }
    for (int64_t b = 0; b < r->count; b++) {
        double const angle = numbers_part(&skew, b) / unit;
        worst = isnan(angle) ? INFINITY : fmax(worst, angle);
    }
    numbers_free(&residual), numbers_free(&skew), free(info);
    return worst;
}

static void print_passes(const stemr_run *r)
{
    eig_pass pass[PASSES_MOST];
    int count;
    GPU(eig_set_timing(gpu, 1));
    GPU(enqueue(r, false));
    count = passes_read(gpu, pass);
    fprintf(stderr, "# %s%s %s n = %lld, %lld pairs, %lld T:", r->l->method == EIG_STEMR_MRRR ? "mrrr " : "",
            r->l->kind, type_name(r->l->type), (long long)r->l->n, (long long)r->l->wanted, (long long)r->count);
    for (int i = 0; i < count; i++) fprintf(stderr, " %s %.3f", pass[i].name, pass[i].ms);
    fputs(" ms\n", stderr);
    GPU(eig_set_timing(gpu, 0));
}

static void run_case(const listed *l)
{
    stemr_run r = {.l = l, .options = EIG_STEMR_OPTIONS, .count = l->batch};
    size_t const size = type_size(l->type), count = (size_t)r.count, n = (size_t)l->n, k = count * (size_t)l->wanted;
    size_t need = 0;
    r.options.method = l->method;
    if (l->wanted < l->n) {
        r.options.range = EIG_RANGE_INDEX;
        r.options.il = (l->n - l->wanted) / 2 + 1, r.options.iu = r.options.il + l->wanted - 1;
    }
    r.d = device_memory(count * n * size), r.e = device_memory(count * n * size), r.w = device_memory(k * size);
    r.z = device_memory(n * k * size), r.residual = device_memory(k * size);
    r.orthogonality = device_memory(count * size), r.info = device_memory(k * sizeof *r.info);
    r.norm = malloc(count * sizeof *r.norm);
    if (!r.norm) exit(1);
    load(&r);
    GPU(eig_stemr_work_size(gpu, l->type, &r.options, l->n, 1, &need));
    if (l->batch > 1) need = BATCH_WORK;
    r.work = device_memory(need);
    GPU(eig_set_workspace(gpu, r.work, need));
    double const budget_ms = l->batch > 1 ? 60 : 300;
    double const ms = bench_time((contestant){run_timed, &r}, budget_ms);
    print_passes(&r);
    r.certificate = true;
    double const certified_ms = bench_time((contestant){run_timed, &r}, budget_ms);
    fprintf(stderr, "#     %.3f ms, with the certificate %.3f\n", ms, certified_ms);
    char method[48];
    snprintf(method, sizeof method, "%s %s%s", l->method == EIG_STEMR_MRRR ? "mrrr" : "auto", l->kind,
             l->wanted < l->n ? " 1 %" : "");
    bench_row row = {"stemr", method, l->type, l->n, r.count, 0, ms, l->limit_ms, NULL, 0, error_of(&r), false};
    row.passed = row.error <= most_error;
    bench_put(&row);
    GPU(eig_set_workspace(gpu, NULL, 0));
    void *const arrays[] = {r.d, r.e, r.w, r.z, r.residual, r.orthogonality, r.info, r.work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) CUDA(cudaFree(arrays[i]));
    free(r.norm);
}

int main(int argc, char **argv)
{
    int64_t const largest = argc > 2 ? atoll(argv[2]) : INT64_MAX;
    bench_open(argc > 1 ? argv[1] : "unknown");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].n <= largest) run_case(&list[i]);
    bench_close();
    return 0;
}
