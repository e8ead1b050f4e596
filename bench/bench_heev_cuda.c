/* The benchmark of heev on a GPU: device arrays and a lent workspace, median of CUDA-event times of whole calls.
 *
 *     bench_heev_cuda [COMMIT] [n=N] [TYPE] [PART...]     prints CSV, one row a case; default: all parts but once and certificate
 *
 * n=N, f64   this order, this type alone
 * resident   batch 20000, n = 4 to 64, method auto, with vectors
 * values     the same without vectors
 * large      batch 200, n = 64 to 512 (c64 and f32: n = 128), with vectors and without
 * few        n = 9 to 64, 1, 10 and 100 matrices; f64, f32, c128, n = 128 to 4096, one and, up to 1024, ten; with vectors and without;
 *            f64 and f32, n = 8192 and 16384, c128, n = 8192, one matrix, with vectors and, f64, without
 * contest    f32, with vectors, the orders and batches of gpu-mode's problem eigh_py (github.com/gpu-mode/reference-kernels)
 * jacobi     method jacobi: batch 1000 and 20000, n = 8 to 32; batch 200, n = 64 to 512
 * small      n = 1, 2, 3, batch 10^6, with vectors and without
 * certificate  the same calls with certificates and, method "off", without; not among the default parts
 * passes     for the cases of resident, large and few the passes of one more call
 * once       one call of every case, no times: for a profiler (large: with vectors alone)
 * check      as in bench/support/cases.h; outputs are poisoned before every run, and two runs give the same bits */
#include "bench/support/passes.h"
#include "bench_cuda.h"

static const double budget_ms = 150;
static const char *const all_parts[] = {"resident", "values", "large",  "few",  "contest",
                                        "jacobi",   "small",  "passes", "once", "certificate"};
enum { RESIDENT, VALUES, LARGE, FEW, CONTEST, JACOBI, SMALL, PASSES, ONCE, CERTIFICATE, PARTS };
static bool wanted[PARTS];
static int only_n;            /* this order alone; 0: all */
static const char *only_type; /* NULL: all */
static bool off;              /* calls without certificates */
static eig_type const types[4] = {EIG_Z, EIG_D, EIG_C, EIG_S};

/* What a case must not exceed, in ms. */
static const struct bar {
    const char *family;
    int64_t n, batch;
    double ms[4]; /* in the order of `types`; 0: none */
} bars[] = {
    {"heev-resident", 3, 1000000, {0, 0.13, 0, 0.1}},
    {"heev-values", 3, 1000000, {0, 0.065, 0, 0}},
    {"heev-resident", 8, 20000, {0.2, 0.09, 0.09, 0.06}},
    {"heev-resident", 16, 20000, {0.9, 0.55, 0.45, 0.3}},
    {"heev-resident", 32, 20000, {5, 2.8, 2.8, 1.4}},
    {"heev-resident", 64, 20000, {50, 25, 0, 0}},
    {"heev-values", 8, 20000, {0.07, 0.03, 0, 0}},
    {"heev-values", 16, 20000, {0.4, 0.18, 0, 0}},
    {"heev-values", 32, 20000, {2.5, 1.5, 0, 0}},
    {"heev-resident", 64, 200, {0.5, 0.4, 0, 0}},
    {"heev-resident", 128, 200, {2, 1.4, 0, 0}},
    {"heev-resident", 256, 200, {15, 10, 0, 0}},
    {"heev-resident", 512, 200, {90, 60, 0, 0}},
    {"heev-few", 32, 1, {0, 0.12, 0, 0}},
    {"heev-few", 32, 10, {0, 0.12, 0, 0}},
    {"heev-few", 32, 100, {0, 0.12, 0, 0}},
    {"heev-few", 64, 1, {0, 0.2, 0, 0}},
    {"heev-few", 64, 10, {0, 0.2, 0, 0}},
    {"heev-few", 64, 100, {0, 0.2, 0, 0}},
    {"heev-few", 256, 1, {0, 1.6, 0, 0}},
    {"heev-few", 512, 1, {0, 3.2, 0, 0}},
    {"heev-few", 1024, 1, {0, 7, 0, 0}},
    {"heev-few", 2048, 1, {0, 18, 0, 0}},
    {"heev-few", 4096, 1, {0, 75, 0, 0}},
    {"heev-few", 8192, 1, {720, 350, 0, 275}},
    {"heev-few", 16384, 1, {0, 1800, 0, 1300}},
    {"heev-few-values", 256, 1, {0, 1.4, 0, 0}},
    {"heev-few-values", 512, 1, {0, 2.8, 0, 0}},
    {"heev-few-values", 1024, 1, {0, 6, 0, 0}},
    {"heev-few-values", 2048, 1, {0, 16, 0, 0}},
    {"heev-few-values", 4096, 1, {0, 70, 0, 0}},
    {"heev-few-values", 8192, 1, {0, 210, 0, 0}},
    {"heev-few-values", 16384, 1, {0, 600, 0, 0}},
    {"heev-jacobi", 16, 1000, {0.2, 0, 0, 0}},
    {"heev-jacobi", 32, 1000, {0.9, 0, 0, 0}},
};

static double bar_of(const char *family, const bench_case *c)
{
    for (size_t k = 0; k < sizeof bars / sizeof *bars; ++k)
        for (int t = 0; t < 4; ++t)
            if (strcmp(bars[k].family, family) == 0 && bars[k].n == c->n && bars[k].batch == c->batch &&
                types[t] == c->type)
                return bars[k].ms[t];
    return 0;
}

static void put_passes(device_case *d, bench_row row)
{
    eig_pass pass[PASSES_MOST];
    int count;
    GPU(eig_set_timing(gpu, 1));
    GPU(device_enqueue(d));
    count = passes_read(gpu, pass);
    for (int k = 0; k < count; ++k) {
        char name[64];
        snprintf(name, sizeof name, "heev-%s", pass[k].name);
        row.family = name, row.time_ms = pass[k].ms, row.limit_ms = 0;
        bench_put(&row);
    }
    GPU(eig_set_timing(gpu, 0));
}

static void put(const char *family, eig_type type, int64_t n, int64_t batch, eig_heev_method method, bool vectors)
{
    static const char *const names[] = {"auto", "jacobi", "tridiagonal", "reference"};
    if ((only_n && n != only_n) || (only_type && strcmp(only_type, type_name(type)) != 0)) return;
    bench_case c = case_new(&case_heev, "hermitian", type, n, batch);
    c.heev.method = method, c.values_only = !vectors, c.heev.no_certificate = off;
    bench_make(&c);
    device_case d = device_new(gpu, &c, NULL);
    GPU(device_lend(&d));
    if (wanted[ONCE]) {
        GPU(device_enqueue(&d));
    } else {
        bench_row row = bench_row_of(&c, family, off ? "off" : names[method], 0);
        double ms;
        for (int k = 0; k < 2; ++k) {
            GPU((eig_status)device_time(&d, &ms));
            device_fetch(&d);
            case_run_note(&d.run);
        }
        row.time_ms = bench_time((contestant){device_time, &d}, budget_ms), row.limit_ms = bar_of(family, &c);
        bench_check(&row, &d.run);
        bench_put(&row);
        if (wanted[PASSES] && vectors && method == EIG_HEEV_AUTO) put_passes(&d, row);
    }
    device_free(&d);
    case_free(&c);
}

/* One matrix or few, with vectors and without. */
static void put_few(eig_type type, int64_t n, int64_t batch)
{
    put("heev-few", type, n, batch, EIG_HEEV_AUTO, true);
    if (!wanted[ONCE]) put("heev-few-values", type, n, batch, EIG_HEEV_AUTO, false);
}

/* All cases of a type. */
static void run(eig_type type)
{
    static const int64_t least[] = {9, 16, 32, 48, 64};
    static const int64_t small[] = {4, 8, 12, 16, 24, 32, 33, 48, 64}, large[] = {64, 128, 256, 512};
    for (size_t k = 0; k < sizeof small / sizeof *small; ++k) {
        int64_t const n = small[k];
        if (wanted[RESIDENT]) put("heev-resident", type, n, 20000, EIG_HEEV_AUTO, true);
        if (wanted[VALUES]) put("heev-values", type, n, 20000, EIG_HEEV_AUTO, false);
        if (!wanted[JACOBI] || n > 32) continue;
        put("heev-jacobi", type, n, 1000, EIG_HEEV_JACOBI, true);
        put("heev-jacobi", type, n, 20000, EIG_HEEV_JACOBI, true);
    }
    for (size_t k = 0; k < sizeof large / sizeof *large; ++k) {
        if (type_is_single(type) && large[k] != 128) continue;
        if (wanted[LARGE]) put("heev-resident", type, large[k], 200, EIG_HEEV_AUTO, true);
        if (wanted[LARGE] && !wanted[ONCE]) put("heev-values", type, large[k], 200, EIG_HEEV_AUTO, false);
        if (wanted[JACOBI]) put("heev-jacobi", type, large[k], 200, EIG_HEEV_JACOBI, true);
    }
    for (size_t k = 0; k < sizeof least / sizeof *least && wanted[FEW]; ++k)
        for (int64_t batch = 1; batch <= 100; batch *= 10) put_few(type, least[k], batch);
    for (int64_t n = 128; n <= 4096 && wanted[FEW] && type != EIG_C; n *= 2)
        for (int64_t batch = 1; batch <= (n <= 1024 ? 10 : 1); batch += 9) put_few(type, n, batch);
    for (int64_t n = 8192; n <= (type == EIG_Z ? 8192 : 16384) && wanted[FEW] && type != EIG_C && !wanted[ONCE];
         n *= 2) {
        put("heev-few", type, n, 1, EIG_HEEV_AUTO, true);
        if (type == EIG_D) put("heev-few-values", type, n, 1, EIG_HEEV_AUTO, false);
    }
    static const int contest[][2] = {{32, 20}, {176, 40}, {352, 40}, {512, 640}, {1024, 60}, {2048, 8}};
    for (size_t k = 0; k < sizeof contest / sizeof *contest && wanted[CONTEST] && type == EIG_S; ++k)
        put("heev-contest", type, contest[k][0], contest[k][1], EIG_HEEV_AUTO, true);
    for (int64_t n = 1; n <= 3 && wanted[SMALL]; ++n) {
        put("heev-resident", type, n, 1000000, EIG_HEEV_AUTO, true);
        put("heev-values", type, n, 1000000, EIG_HEEV_AUTO, false);
    }
}

/* Each case with and without, one after the other. */
static void certificate(eig_type type)
{
    static const int cases[][2] = {{3, 1000000}, {5, 100000}, {8, 100000}, {9, 20000}, {16, 20000}, {32, 20000},
                                   {64, 20000},  {128, 500},  {512, 20},   {3, 1000},  {16, 100},   {32, 1},
                                   {64, 1},      {128, 1},    {512, 1},    {2048, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int part = 0; part < 4; ++part) {
            off = part % 2;
            put(part < 2 ? "heev-certificate-vectors" : "heev-certificate", type, cases[k][0], cases[k][1],
                EIG_HEEV_AUTO, part < 2);
        }
    off = false;
}

static void read_words(int argc, char **argv)
{
    bool named = false;
    for (int k = 2; k < argc; ++k) {
        bool known = false;
        for (int part = 0; part < PARTS; ++part)
            if (strcmp(argv[k], all_parts[part]) == 0)
                known = wanted[part] = true, named = named || part < PASSES || part == CERTIFICATE;
        if (strncmp(argv[k], "n=", 2) == 0)
            only_n = atoi(argv[k] + 2);
        else if (!known)
            only_type = argv[k];
    }
    for (int part = 0; part <= PASSES && !named; ++part) wanted[part] = true;
}

int main(int argc, char **argv)
{
    read_words(argc, argv);
    bench_open(argc > 1 ? argv[1] : "unknown");
    for (int t = 0; t < 4; ++t) run(types[t]);
    for (int t = 0; t < 2 && wanted[CERTIFICATE]; ++t) certificate(types[t]);
    bench_close();
    return 0;
}
