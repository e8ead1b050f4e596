/* The benchmark of geev on a GPU: 500,000 random matrices with entries from U(0,1), fewer for n > 32.
 *
 *     bench_geev_cuda [COMMIT] [PART...]      prints CSV, one row a case; parts: resident few large few-large vectors certificate
 *                                             forms host affine (default: all); n=N: this order alone
 *
 * resident   device arrays, lent workspace: median of CUDA-event times of whole calls
 * few        the same for 1, 10 and 100 matrices of n = 8 to 32, values alone and right eigenvectors
 * large      the same for n > 64: batches that fill the GPU, and one matrix
 * vectors    right eigenvectors, complex matrices too: larger orders first, batches that fill the GPU and one matrix; fewer
 *            matrices from n = 20 on
 * forms      resident for every method and number of threads a matrix, and the times of its passes: the paper's
 *            tables and its figures 13 (reduction) and 14 (iteration)
 * host       pinned host arrays in and out, wall time, for several chunk sizes; rival "copy": the same bytes moved both
 *            ways at once by two plain copies, in the same run
 * certificate   the same calls with certificates and without, values alone and right eigenvectors
 * affine     A0 + x1 A1 + x2 A2 + x3 A3, 15 x 15, on a grid of 50^3 points
 * check      as in bench/support/cases.h; outputs are poisoned before every run, and all runs, of vectors three of them, give
 *            the same bits.
 *            affine: every abscissa is the CPU's to 1e4 n eps; `error` is the largest difference in n eps */
#include "bench/support/passes.h"
#include "bench_cuda.h"

enum { BATCH = 500000, FULL_N = 32, PARAMETERS = 3, GRID = 50, AFFINE_N = 15, POINTS = GRID * GRID * GRID };

static const double budget_ms = 200;
static int only; /* this order alone; 0: all */

/* The bars, in ms: what a case must not exceed.  From host memory: 1.5 times the copy. */
static double bar_of(eig_type type, int64_t n)
{
    static const double bars[] = {0.6, 3, 8, 17, 30, 50};
    return type == EIG_D && n % 5 == 0 && n <= 30 ? bars[n / 5 - 1] : 0;
}
static const double host_bar = 1.5;

/* Matrices of order n: as many as fit the memory for BATCH of order FULL_N. */
static int64_t batch_of(int64_t n)
{
    return n <= FULL_N ? BATCH : (int64_t)BATCH * FULL_N * FULL_N / (n * n);
}

static bench_case case_of(eig_type type, int64_t n, int64_t batch)
{
    bench_case c = case_new(&case_geev, "random", type, n, batch);
    bench_make(&c);
    return c;
}

/* --------------------------------------------------------------- resident */

/* Times the case with its present options by these repeats. */
static bench_row row_of_repeats(device_case *d, const char *family, const char *method, contestant repeats)
{
    bench_case *const c = d->run.c;
    case_run_free(&d->run);
    d->run = case_run_new(gpu, c);
    GPU(device_lend(d));
    bench_row row = bench_row_of(c, family, method, bench_time(repeats, budget_ms));
    bench_check(&row, &d->run);
    return row;
}

static bench_row row_of(device_case *d, const char *family, const char *method)
{
    return row_of_repeats(d, family, method, (contestant){device_run, d});
}

/* Repeats of which the first ones bring the results home: with vectors that takes longer than the call. */
typedef struct few_fetched {
    device_case *d;
    int left;
} few_fetched;

static int run_few_fetched(void *user, double *ms)
{
    few_fetched *const r = user;
    return r->left-- > 0 ? device_run(r->d, ms) : device_time(r->d, ms);
}

static void resident(eig_type type)
{
    static const int orders[] = {2, 3, 5, 8, 10, 15, 16, 20, 25, 30, 32, 40, 48, 56, 64};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k) {
        int const n = orders[k];
        if (only && n != only) continue;
        bench_case c = case_of(type, n, batch_of(n));
        device_case d = device_new(gpu, &c, NULL);
        bench_row row = row_of(&d, "geev-resident", "auto");
        row.limit_ms = bar_of(type, n);
        bench_put(&row);
        if ((n == 10 || n == 30) && !only) {
            c.geev.no_balance = 1;
            row = row_of(&d, "geev-resident-unbalanced", "auto");
            bench_put(&row);
        }
        device_free(&d);
        case_free(&c);
    }
}

static void few(eig_type type)
{
    static const int orders[] = {8, 16, 24, 32};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k)
        for (int batch = 1; batch <= 100; batch *= 10)
            for (int with = 0; with < 2; ++with) {
                if (only && orders[k] != only) continue;
                bench_case c = case_new(&case_geev, "random", type, orders[k], batch);
                c.vectors = with;
                bench_make(&c);
                device_case d = device_new(gpu, &c, NULL);
                bench_row row = row_of(&d, with ? "geev-few-vectors" : "geev-few", "auto");
                row.limit_ms = type == EIG_D ? 0.15 : 0;
                bench_put(&row);
                device_free(&d);
                case_free(&c);
            }
}

/* Few of n > 64, by Aberth's iteration and, with method swb, by QR. */
static void few_large(void)
{
    static const int orders[] = {65, 128, 168, 256, 512}, batches[] = {1, 10, 32, 100};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; ++k)
        for (size_t b = 0; b < sizeof batches / sizeof *batches; ++b)
            for (int qr = 0; qr < 2; ++qr) {
                if (only && orders[k] != only) continue;
                bench_case c = case_new(&case_geev, "random", EIG_D, orders[k], batches[b]);
                c.geev.method = qr ? EIG_GEEV_SWB : EIG_GEEV_AUTO;
                bench_make(&c);
                device_case d = device_new(gpu, &c, NULL);
                bench_row const row = row_of(&d, "geev-few-large", qr ? "swb" : "auto");
                bench_put(&row);
                device_free(&d);
                case_free(&c);
            }
}

/* Larger matrices: their number, the bars in microseconds a matrix (double), and those of one matrix in ms. */
static void large(eig_type type)
{
    static const struct {
        int n, batch;
        double bar_us, one_ms;
    } cases[] = {{65, 20000, 2.5, 0}, {100, 8000, 6, 0},   {128, 5000, 12, 3}, {192, 2112, 40, 0}, {256, 1056, 100, 7},
                 {300, 792, 160, 0},  {512, 366, 800, 18}, {1024, 0, 0, 70},   {2048, 0, 0, 300}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int one = 0; one < 2; ++one) {
            int const n = cases[k].n, batch = one ? 1 : cases[k].batch;
            if ((only && n != only) || batch == 0) continue;
            bench_case c = case_of(type, n, batch);
            device_case d = device_new(gpu, &c, NULL);
            bench_row row = row_of(&d, one ? "geev-one" : "geev-large", "auto");
            if (type == EIG_D) row.limit_ms = one ? cases[k].one_ms : cases[k].bar_us * batch * 1e-3;
            bench_put(&row);
            device_free(&d);
            case_free(&c);
        }
}

static void put_vectors(eig_type type, int n, int batch, const char *family, double bar_ms)
{
    enum { FETCHED = 3 };
    bench_case c = case_new(&case_geev, "random", type, n, batch);
    c.vectors = true;
    bench_make(&c);
    device_case d = device_new(gpu, &c, NULL);
    few_fetched repeats = {&d, FETCHED};
    bench_row row = row_of_repeats(&d, family, "auto", (contestant){run_few_fetched, &repeats});
    if (type == EIG_D) row.limit_ms = bar_ms;
    bench_put(&row);
    device_free(&d);
    case_free(&c);
}

/* Right vectors above n = 64 or up to there: how many matrices, and the bars in microseconds a matrix (double).  Above there
 * are few matrices, two for each multiprocessor at least: their arrays and their checks take longer than the calls. */
static void vectors(eig_type type, bool above)
{
    static const struct {
        int n, batch, complex_batch;
        double bar_us;
    } cases[] = {{512, 264, 132, 2000}, {256, 528, 132, 250}, {128, 1584, 264, 30},     {100, 2640, 528, 0},
                 {64, 8000, 2000, 5},   {48, 20000, 5000, 0}, {30, 55555, 20000, 0},    {20, 125000, 40000, 0},
                 {3, BATCH, BATCH, 0},  {5, BATCH, BATCH, 0}, {10, BATCH, BATCH / 4, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        int const n = cases[k].n, batch = type_is_complex(type) ? cases[k].complex_batch : cases[k].batch;
        if ((only && n != only) || (n > 64) != above) continue;
        put_vectors(type, n, batch, "geev-vectors", cases[k].bar_us * batch * 1e-3);
        if (above) put_vectors(type, n, 1, "geev-one-vectors", 0);
    }
}

/* Method "auto" certifies, "off" does not. */
static void certificate(eig_type type)
{
    static const struct {
        int n, batch;
    } cases[] = {{3, 1000},   {3, 100000}, {10, 500000}, {15, 500000}, {30, 100000}, {64, 20000},
                 {100, 4000}, {256, 500},  {512, 100},   {64, 1},      {512, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int with = 0; with < 2; ++with) {
            int const n = cases[k].n,
                      batch = type_is_complex(type) && cases[k].batch > 4 ? cases[k].batch / 4 : cases[k].batch;
            if (only && n != only) continue;
            bench_case c = case_new(&case_geev, "random", type, n, batch);
            c.vectors = with;
            bench_make(&c);
            device_case d = device_new(gpu, &c, NULL);
            for (int off = 0; off < 2; ++off) {
                few_fetched repeats = {&d, 3};
                c.geev.no_certificate = off;
                bench_row const row = row_of_repeats(&d, with ? "geev-certificate-vectors" : "geev-certificate",
                                                     off ? "off" : "auto", (contestant){run_few_fetched, &repeats});
                bench_put(&row);
            }
            device_free(&d);
            case_free(&c);
        }
}

/* Rows for the passes of one more call. */
static void put_passes(device_case *d, bench_row row)
{
    static const char *const names[] = {"reduction", "iteration"}, *const families[] = {"geev-reduction",
                                                                                        "geev-iteration"};
    eig_pass pass[PASSES_MOST];
    int count;
    GPU(eig_set_timing(gpu, 1));
    GPU(device_enqueue(d));
    count = passes_read(gpu, pass);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 2; ++k)
            if (strcmp(pass[i].name, names[k]) == 0) {
                row.family = families[k], row.time_ms = pass[i].ms;
                bench_put(&row);
            }
    GPU(eig_set_timing(gpu, 0));
}

static void forms(eig_type type)
{
    static const char *const methods[] = {"auto", "swb", "mwb"};
    for (int n = 5; n <= 30; n += 5) {
        if (only && n != only) continue;
        bench_case c = case_of(type, n, batch_of(n));
        device_case d = device_new(gpu, &c, NULL);
        for (int method = EIG_GEEV_SWB; method <= EIG_GEEV_MWB; ++method)
            for (int p = 1; p <= 32; p *= 2) {
                if (p > 2 * n || (p == 1 && (n > 16 || method == EIG_GEEV_MWB))) continue;
                c.geev.method = (eig_geev_method)method, c.geev.threads_per_matrix = p;
                bench_row row = row_of(&d, "geev-forms", methods[method]);
                row.threads_per_matrix = p;
                bench_put(&row);
                put_passes(&d, row);
            }
        device_free(&d);
        case_free(&c);
    }
}

/* ------------------------------------------------------------------- host */

/* The same bytes, both ways at once, by two plain copies, as a contestant. */
typedef struct copy_run {
    const device_case *d;
    cudaStream_t in, out;
} copy_run;

static int run_copy(void *user, double *ms)
{
    const copy_run *const r = user;
    const bench_case *const c = r->d->run.c;
    double const begin = clock_ms();
    CUDA(cudaMemcpyAsync((void *)(uintptr_t)r->d->at.in[0], c->in[0].data, numbers_bytes(&c->in[0]),
                         cudaMemcpyHostToDevice, r->in));
    CUDA(cudaMemcpyAsync(c->w.data, r->d->at.w, numbers_bytes(&c->w), cudaMemcpyDeviceToHost, r->out));
    CUDA(cudaDeviceSynchronize());
    *ms = clock_ms() - begin;
    return 0;
}

static double time_copy(const device_case *d)
{
    copy_run r = {.d = d};
    CUDA(cudaStreamCreate(&r.in));
    CUDA(cudaStreamCreate(&r.out));
    double const ms = bench_time((contestant){run_copy, &r}, budget_ms);
    CUDA(cudaStreamDestroy(r.in));
    CUDA(cudaStreamDestroy(r.out));
    return ms;
}

static bench_row host_row(bench_case *c, const char *family, const char *method, double copy_ms)
{
    case_run run = case_run_new(gpu, c);
    bench_row row = bench_row_of(c, family, method, bench_time((contestant){case_run_host, &run}, budget_ms));
    row.rival = "copy", row.rival_ms = copy_ms;
    bench_check(&row, &run);
    case_run_free(&run);
    return row;
}

/* Pins the case's arrays, or lets them go. */
static void pin(const bench_case *c, bool on)
{
    void *const array[] = {c->in[0].data, c->w.data, c->info};
    size_t const bytes[] = {numbers_bytes(&c->in[0]), numbers_bytes(&c->w), (size_t)c->batch * sizeof(int)};
    for (int i = 0; i < 3; ++i)
        if (on)
            CUDA(cudaHostRegister(array[i], bytes[i], cudaHostRegisterDefault));
        else
            CUDA(cudaHostUnregister(array[i]));
}

static void host(eig_type type)
{
    static const int64_t chunks[] = {0, 1024, 4096, 16384, 65536};
    for (int n = 5; n <= 30; n += 5) {
        if (only && n != only) continue;
        bench_case c = case_of(type, n, batch_of(n));
        pin(&c, true);
        device_case d = device_new(gpu, &c, NULL);
        double const copy = time_copy(&d);
        device_free(&d);
        for (size_t k = 0; k < sizeof chunks / sizeof *chunks; ++k) {
            if (k > 0 && n % 10 != 0 && n != 5) continue;
            char name[32];
            c.geev.chunk = chunks[k];
            snprintf(name, sizeof name, "chunk%lld", (long long)chunks[k]);
            bench_row row = host_row(&c, "geev-host", name, copy);
            row.limit_ms = host_bar * copy;
            bench_put(&row);
        }
        pin(&c, false);
        c.geev.chunk = 0;
        if (n == 10) { /* pageable arrays pass through the staging */
            bench_row const row = host_row(&c, "geev-host-pageable", "chunk0", copy);
            bench_put(&row);
        }
        case_free(&c);
    }
}

/* ----------------------------------------------------------------- affine */

typedef struct affine_run {
    eig_context *ctx;
    numbers a, x, value, expected;
    const void *at_a, *at_x; /* the device's, or those of the host */
    void *at_w, *at_value;
} affine_run;

static int run_affine(void *user, double *ms)
{
    const affine_run *const r = user;
    if (r->at_a != r->a.data) CUDA(cudaMemset(r->at_value, 0xff, POINTS * sizeof(double)));
    CUDA(cudaDeviceSynchronize());
    double const begin = clock_ms();
    eig_status const status =
        eig_geev_affine(r->ctx, EIG_D, NULL, AFFINE_N, PARAMETERS, r->at_a, AFFINE_N, AFFINE_N * AFFINE_N, r->at_x,
                        PARAMETERS, r->at_w, AFFINE_N, EIG_GEEV_ABSCISSA, r->at_value, NULL, POINTS);
    if (status == EIG_OK) must(r->ctx, eig_synchronize(r->ctx));
    *ms = clock_ms() - begin;
    return status;
}

static void put_affine(const affine_run *r, const char *family, double ms)
{
    bench_row row = {family, "auto", EIG_D, AFFINE_N, POINTS, 0, ms, 0, NULL, 0, 0, false};
    if (r->at_a != r->a.data)
        CUDA(cudaMemcpy(r->value.data, r->at_value, POINTS * sizeof(double), cudaMemcpyDeviceToHost));
    for (int64_t k = 0; k < POINTS; ++k) {
        double const far = fabs(numbers_re(&r->value, k) - numbers_re(&r->expected, k)) / (type_eps(EIG_D) * AFFINE_N);
        if (!(far <= row.error)) row.error = far;
    }
    row.passed = row.error < 1e4;
    bench_put(&row);
}

static void affine(void)
{
    affine_run r = {.ctx = cpu};
    int64_t const square = AFFINE_N * AFFINE_N;
    if (!numbers_make(&r.a, EIG_D, (PARAMETERS + 1) * square) || !numbers_make(&r.x, EIG_D, PARAMETERS * POINTS) ||
        !numbers_make(&r.value, EIG_D, POINTS) || !numbers_make(&r.expected, EIG_D, POINTS))
        exit(1);
    numbers_random(&r.a, 1);
    for (int64_t k = 0; k < POINTS; ++k) {
        int64_t const index[PARAMETERS] = {k % GRID, k / GRID % GRID, k / GRID / GRID};
        for (int i = 0; i < PARAMETERS; ++i)
            numbers_put_part(&r.x, PARAMETERS * k + i, (double)index[i] / (GRID - 1.0));
    }
    double ms;
    r.at_a = r.a.data, r.at_x = r.x.data, r.at_value = r.expected.data;
    must(cpu, (eig_status)run_affine(&r, &ms));
    r.ctx = gpu, r.at_value = r.value.data;
    put_affine(&r, "geev-affine-host", bench_time((contestant){run_affine, &r}, budget_ms));
    void *const a = device_memory(numbers_bytes(&r.a)), *const x = device_memory(numbers_bytes(&r.x));
    void *const w = device_memory(POINTS * AFFINE_N * sizeof(eig_z));
    CUDA(cudaMemcpy(a, r.a.data, numbers_bytes(&r.a), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x, r.x.data, numbers_bytes(&r.x), cudaMemcpyHostToDevice));
    r.at_a = a, r.at_x = x, r.at_value = device_memory(POINTS * sizeof(double));
    put_affine(&r, "geev-affine-abscissa", bench_time((contestant){run_affine, &r}, budget_ms));
    r.at_w = w;
    put_affine(&r, "geev-affine-all", bench_time((contestant){run_affine, &r}, budget_ms));
    CUDA(cudaFree(a));
    CUDA(cudaFree(x));
    CUDA(cudaFree(w));
    CUDA(cudaFree(r.at_value));
    numbers_free(&r.a), numbers_free(&r.x), numbers_free(&r.value), numbers_free(&r.expected);
}

/* ------------------------------------------------------------------- main */

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
    for (int k = 2; k < argc; ++k)
        if (strncmp(argv[k], "n=", 2) == 0) only = atoi(argv[k] + 2);
    bench_open(argc > 1 ? argv[1] : "unknown");
    for (int t = 0; t < 2; ++t) {
        eig_type const type = t == 0 ? EIG_D : EIG_S;
        if (wanted(argc, argv, "resident")) resident(type);
        if (wanted(argc, argv, "few")) few(type);
        if (wanted(argc, argv, "large")) large(type);
        if (wanted(argc, argv, "few-large") && type == EIG_D) few_large();
        for (int small = 0; small < 2 && wanted(argc, argv, "vectors"); ++small)
            vectors(type, small == 0), vectors(t == 0 ? EIG_Z : EIG_C, small == 0);
        if (wanted(argc, argv, "certificate")) certificate(t == 0 ? EIG_D : EIG_Z);
        if (wanted(argc, argv, "forms") && type == EIG_D) forms(type);
        if (wanted(argc, argv, "host")) host(type);
        if (wanted(argc, argv, "affine") && type == EIG_D) affine();
    }
    bench_close();
    return 0;
}
