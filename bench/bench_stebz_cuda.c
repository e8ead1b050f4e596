/* The benchmark of stebz on a GPU: device arrays, a lent workspace, times from CUDA events.
 *
 *     bench_stebz_cuda [COMMIT] [LARGEST_N] [alone]      prints CSV: one row a case and rival; alone: no rivals
 *
 * time_ms   median over repeats of one call, from before its first kernel to after its last; rows "graph" replay the
 *           same call captured in a CUDA graph, 20 in a row, divided by 20.
 * check     as in bench/support/cases.h, the counts made on the GPU; and every repeat gave the same bits, graphs too.
 * Rivals    the method interval-tree on the same GPU, and a CPU context with all cores, in the same run. */
#include "bench/support/passes.h"
#include "bench_cuda.h"

typedef struct listed {
    const char *kind;
    eig_type type;
    int64_t n, batch;
    double abstol, limit_ms;
    bool tree, cpu; /* which rivals run */
} listed;

static const listed list[] = {
    {"uniform", EIG_S, 2048, 1, 1e-5, 0.10, true, true}, {"uniform", EIG_S, 32768, 1, 1e-5, 2.0, true, true},
    {"uniform", EIG_D, 512, 1, 0, 0, true, true},        {"uniform", EIG_D, 2048, 1, 0, 0.45, true, true},
    {"glued", EIG_D, 2037, 1, 0, 0, true, true},         {"121", EIG_D, 2048, 1, 0, 0, true, true},
    {"uniform", EIG_D, 8192, 1, 0, 0, true, true},       {"uniform", EIG_D, 32768, 1, 0, 15, true, true},
    {"uniform", EIG_D, 3, 20000, 0, 0.03, false, true},  {"uniform", EIG_D, 8, 20000, 0, 0.08, false, true},
    {"uniform", EIG_D, 16, 20000, 0, 0.15, false, true}, {"uniform", EIG_D, 32, 20000, 0, 0.28, false, true},
    {"uniform", EIG_D, 64, 20000, 0, 0.8, false, true},  {"uniform", EIG_S, 3, 20000, 0, 0, false, true},
    {"uniform", EIG_S, 8, 20000, 0, 0, false, true},     {"uniform", EIG_S, 16, 20000, 0, 0, false, true},
    {"uniform", EIG_S, 32, 20000, 0, 0, false, true},    {"uniform", EIG_S, 64, 20000, 0, 0, false, true},
    {"uniform", EIG_D, 128, 10000, 0, 6, false, true},   {"uniform", EIG_D, 512, 2500, 0, 0, false, true},
    {"uniform", EIG_D, 2048, 640, 0, 0, false, true},    {"uniform", EIG_S, 128, 25000, 0, 0, false, true},
    {"uniform", EIG_S, 512, 6250, 0, 0, false, true},    {"uniform", EIG_S, 2048, 1600, 0, 0, false, true},
    {"blocks2", EIG_D, 20000, 1, 0, 0, false, true},     {"blocks100", EIG_D, 20000, 1, 0, 0, false, true},
    {"uniform", EIG_D, 131072, 1, 0, 0, false, false},   {"uniform", EIG_D, 1000000, 1, 0, 12000, false, false},
};

enum { REPLAYS = 20 };
static const double budget_ms = 100;

/* A graph of the call as a contestant. */
typedef struct graph_run {
    device_case *d;
    cudaGraphExec_t replay;
} graph_run;

static int run_graph(void *user, double *ms)
{
    const graph_run *const r = user;
    float elapsed = 0;
    CUDA(cudaEventRecord(r->d->begin, r->d->stream));
    for (int i = 0; i < REPLAYS; i++) CUDA(cudaGraphLaunch(r->replay, r->d->stream));
    CUDA(cudaEventRecord(r->d->end, r->d->stream));
    CUDA(cudaEventSynchronize(r->d->end));
    CUDA(cudaEventElapsedTime(&elapsed, r->d->begin, r->d->end));
    *ms = (double)elapsed / REPLAYS;
    device_fetch(r->d);
    case_run_note(&r->d->run);
    return 0;
}

static double time_graph(device_case *d)
{
    eig_status status;
    graph_run r = {d, device_graph(d, &status)};
    GPU(status);
    device_poison(d);
    double const ms = bench_time((contestant){run_graph, &r}, budget_ms / REPLAYS);
    CUDA(cudaGraphExecDestroy(r.replay));
    return ms;
}

/* One more call, and what its passes took. */
static void print_passes(device_case *d)
{
    eig_pass pass[PASSES_MOST];
    int count;
    GPU(eig_set_timing(gpu, 1));
    GPU(device_enqueue(d));
    count = passes_read(gpu, pass);
    fprintf(stderr, "# %s n = %lld:", d->run.c->kind, (long long)d->run.c->n);
    for (int i = 0; i < count; i++) fprintf(stderr, " %s %.4f ms", pass[i].name, pass[i].ms);
    fputc('\n', stderr);
    GPU(eig_set_timing(gpu, 0));
}

static void run_case(const listed *l, cudaStream_t stream, bool alone)
{
    bench_case c = case_new(&case_stebz, l->kind, l->type, l->n, l->batch);
    char name[64], graph[80];
    c.stebz.abstol = l->abstol;
    bench_make(&c);
    device_case d = device_new(gpu, &c, stream);
    GPU(device_lend(&d));
    snprintf(name, sizeof name, "multisection %s", l->kind);
    bench_row row = bench_row_of(&c, "stebz", name, bench_time((contestant){device_run, &d}, budget_ms));
    row.limit_ms = l->limit_ms;
    bench_check(&row, &d.run);
    print_passes(&d);
    if (l->cpu && !alone) {
        case_run host = case_run_new(cpu, &c);
        row.rival = "eigpack cpu all cores", row.rival_ms = bench_time((contestant){case_run_host, &host}, budget_ms);
        case_run_free(&host);
    }
    bench_put(&row);
    double const ms = row.time_ms;
    if (ms < 200) {
        snprintf(graph, sizeof graph, "multisection graph %s", l->kind);
        bench_row replayed = bench_row_of(&c, "stebz", graph, time_graph(&d));
        replayed.error = row.error, replayed.passed = row.passed && d.run.same; /* the bits that were certified */
        bench_put(&replayed);
    }
    if (l->tree && !alone) {
        c.stebz.method = EIG_STEBZ_INTERVAL_TREE;
        case_run_free(&d.run); /* the tree's bits are others */
        d.run = case_run_new(gpu, &c);
        GPU(device_lend(&d));
        row = bench_row_of(&c, "stebz", name, ms);
        row.rival = "interval-tree", row.rival_ms = bench_time((contestant){device_run, &d}, budget_ms);
        bench_check(&row, &d.run);
        bench_put(&row);
    }
    device_free(&d);
    case_free(&c);
}

int main(int argc, char **argv)
{
    int64_t const largest = argc > 2 ? atoll(argv[2]) : INT64_MAX;
    cudaStream_t stream;
    bench_open(argc > 1 ? argv[1] : "unknown");
    CUDA(cudaStreamCreate(&stream));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].n <= largest) run_case(&list[i], stream, argc > 3);
    CUDA(cudaStreamDestroy(stream));
    bench_close();
    return 0;
}
