/* The benchmark of eigpack_mpi on the GPUs of one host: one matrix on 1, 2, 4, ... of the ranks, each with a GPU.
 *
 *     mpirun -n 4 bench_scale_mpi COMMIT [N_STEBZ [N_STEMR]]    prints CSV, as bench_scale does: a row for each number of ranks
 *
 * T lies on all ranks; each rank has its part of the results in its own pinned memory; entries in U(0,1), as in
 * bench_scale.
 *
 * time_ms     median of the repeats, each the time of the slowest rank; before them one call of order n/8
 * efficiency  t_1 / (k t_k)
 * check       of every rank: Sturm counts on both sides of some of its eigenvalues, and all residuals; and the bits of one
 *             rank.  ok or FAIL */
#include "eigpack_mpi.h"

#include "bench/support/times.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 5, SOME = 64 };

static const char *machine = "", *commit = "unknown";
static int failures;

/* A rank's run of a matrix of order n. */
typedef struct share {
    MPI_Comm comm;
    int rank, ranks;
    eig_mpi_context *ctx;
    int64_t n, first, count;
    bool vectors;
    double *d, *e, *w, *residual, *z;
} share;

static void must(bool good, const char *what, const char *why)
{
    if (good) return;
    fprintf(stderr, "%s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must_cuda(cudaError_t code, const char *call)
{
    must(code == cudaSuccess, call, cudaGetErrorString(code));
}
#define CUDA(call) must_cuda((call), #call)

/* Pinned memory that has been touched; at least a page. */
static double *make_pinned(int64_t count)
{
    size_t const bytes = ((size_t)count * sizeof(double) + 4095) / 4096 * 4096 + 4096;
    double *const at = aligned_alloc(4096, bytes);
    must(at != NULL, "aligned_alloc", "no memory");
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bytes / 4096; ++i) memset((char *)at + 4096 * i, 0x55, 4096);
    CUDA(cudaHostRegister(at, bytes, cudaHostRegisterPortable));
    return at;
}

static void free_pinned(double *at)
{
    if (at) CUDA(cudaHostUnregister(at));
    free(at);
}

static void fill_uniform(double *x, int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; ++i) {
        uint64_t z = ((uint64_t)i + seed) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        x[i] = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    }
}

/* A sum over all numbers and their places among those of all ranks: sums of ranks add up to the whole. */
static uint64_t digest(const double *x, int64_t count, int64_t place)
{
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < count; ++i) {
        uint64_t word;
        memcpy(&word, &x[i], sizeof word);
        uint64_t const mixed = (word ^ (uint64_t)(place + i)) * UINT64_C(0x9e3779b97f4a7c15);
        sum += (mixed ^ mixed >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return sum;
}

static uint64_t digest_of_all(const share *s)
{
    uint64_t sum = digest(s->w, s->count, s->first);
    if (s->vectors) sum += digest(s->z, s->count * s->n, (s->first + 1) * s->n);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, s->comm);
    return sum;
}

/* Sturm counts by a CPU, and the residuals that the call measured. */
static bool is_right(const share *s)
{
    eig_context *cpu = NULL;
    double const near = 16 * DBL_EPSILON * 3, most = 10 * (double)s->n * DBL_EPSILON * 3;
    double x[2 * SOME];
    int64_t below[2 * SOME];
    int good = s->count > 0;
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = i * ((s->count - 1) / (SOME - 1));
        x[2 * i] = s->w[k] - near, x[2 * i + 1] = s->w[k] + near;
    }
    eig_status status = eig_create(&cpu, "cpu");
    must(status == EIG_OK, "cpu", eig_error_detail(cpu));
    status = eig_dstebz_count(cpu, s->n, s->d, s->e, 2 * SOME, x, below, NULL);
    must(status == EIG_OK, "count", eig_error_detail(cpu));
    eig_destroy(cpu);
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = s->first + i * ((s->count - 1) / (SOME - 1));
        good = good && below[2 * i] <= k && k < below[2 * i + 1];
    }
    for (int64_t k = 0; s->vectors && k < s->count; ++k) good = good && s->residual[k] <= most;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, s->comm);
    return good;
}

/* One call for order n, which may be less than that of the share; the time of the slowest rank. */
static double time_call(const share *s, int64_t n)
{
    eig_mpi_run run = EIG_MPI_RUN;
    MPI_Barrier(s->comm);
    double const begin = clock_ms();
    eig_status const status = s->vectors ? eig_mpi_dstemr(s->ctx, NULL, NULL, n, s->d, s->e, &run, s->w, s->z, n, NULL,
                                                          NULL, s->residual, NULL, NULL)
                                         : eig_mpi_dstebz(s->ctx, NULL, NULL, n, s->d, s->e, &run, s->w, NULL, NULL);
    double ms = clock_ms() - begin;
    must(status == EIG_OK, eig_status_text(status), eig_mpi_error_detail(s->ctx));
    MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    return ms;
}

static void open_share(share *s)
{
    int64_t const n = s->n;
    eig_status const status = eig_mpi_create(&s->ctx, s->comm, "cuda");
    must(status == EIG_OK, "eig_mpi_create", eig_mpi_error_detail(s->ctx));
    eig_mpi_slice(n, s->rank, s->ranks, &s->first, &s->count);
    s->d = make_pinned(2 * n), s->e = s->d + n, s->w = make_pinned(s->count);
    fill_uniform(s->d, 2 * n, 5);
    if (!s->vectors) return;
    s->residual = make_pinned(s->count), s->z = make_pinned(s->count * n);
}

static void close_share(share *s)
{
    free_pinned(s->d), free_pinned(s->w), free_pinned(s->residual), free_pinned(s->z);
    eig_mpi_destroy(s->ctx);
}

/* The row of one number of ranks, by those that belong to them; *single and *bits are rank 0's. */
static void run_ranks(MPI_Comm comm, bool vectors, int64_t n, double *single, uint64_t *bits)
{
    share s = {.comm = comm, .n = n, .vectors = vectors};
    times t = {0};
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.ranks);
    open_share(&s);
    time_call(&s, n / 8);
    for (int i = 0; i < MOST_REPEATS && t.total_ms < 2000; ++i) times_add(&t, time_call(&s, n));
    double const ms = times_median(&t);
    uint64_t const own = digest_of_all(&s);
    if (s.ranks == 1) *single = ms, *bits = own;
    bool const right = is_right(&s);
    if (s.rank == 0) {
        double const bytes = 8.0 * (double)n * (vectors ? (double)n + 4 : 3);
        bool const good = right && own == *bits;
        printf("%s,d,%lld,1,pinned,\"%d ranks\",%d,%.4f,%.2f,%.3f,%s,\"%s\",%s\n", vectors ? "mpi stemr" : "mpi stebz",
               (long long)n, s.ranks, s.ranks, ms, bytes / ms * 1e-6, *single / (s.ranks * ms), good ? "ok" : "FAIL",
               machine, commit);
        fflush(stdout);
        failures += !good;
    }
    close_share(&s);
}

static void run_case(bool vectors, int64_t n)
{
    double single = 0;
    uint64_t bits = 0;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int ranks = 1; ranks <= size; ranks *= 2) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            run_ranks(comm, vectors, n, &single, &bits);
            MPI_Comm_free(&comm);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int given, rank, size, gpus = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    eig_context *ctx = NULL;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || eig_create(&ctx, "cuda") != EIG_OK) {
        if (rank == 0) printf("skipped: %s\n", ctx ? eig_error_detail(ctx) : "no GPU");
        eig_destroy(ctx);
        MPI_Finalize();
        return 77;
    }
    CUDA(cudaSetDevice(rank % gpus));
    static char name[240];
    snprintf(name, sizeof name, "%d x %s", gpus, eig_describe(ctx) + strcspn(eig_describe(ctx), " ") + 1);
    eig_destroy(ctx);
    machine = name, commit = argc > 1 ? argv[1] : commit;
    if (rank == 0) printf("family,type,n,batch,memory,device,gpus,time_ms,gb_s,efficiency,check,machine,commit\n");
    run_case(false, argc > 2 ? atoll(argv[2]) : 1000000);
    run_case(true, argc > 3 ? atoll(argv[3]) : 65536);
    MPI_Bcast(&failures, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return failures > 0;
}
