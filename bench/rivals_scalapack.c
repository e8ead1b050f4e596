/* eig_mpi_dstebz and eig_mpi_dstemr beside ScaLAPACK's pdstebz and pdstein, on the same ranks in one run: one matrix of
 * order n with entries in U(0,1), all its eigenvalues, and all its eigenvectors.  They take turns; times are medians.
 *
 *   mpirun -n 2 bench/rivals_scalapack [n] [repeats] [csv] [machine] [commit]
 *
 * Values: the error is |w - exact| / (eps ||T||), exact by pivot counts to the last bit.  Vectors: the
 * worst residual ||T z - w z|| / (n eps ||T||), and an estimate of the longest row of Z'Z - I by four random vectors.
 * pdstein needs the eigenvalues of pdstebz: its time is that of both.  It orthogonalises eigenvalues that are closer than
 * 1e-3 ||T||, LAPACK's default, on one rank, as far as that rank has room: here for all columns of a rank's share. */
#include "eigpack_mpi.h"

#include "support/rows.h"
#include "support/times.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, PROBES = 4 };

/* BLACS and ScaLAPACK. */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *nb, const int *rank, const int *source, const int *ranks);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *rsrc, const int *csrc,
               const int *context, const int *lld, int *info);
void pdstebz_(const int *context, const char *range, const char *order, const int *n, const double *vl,
              const double *vu, const int *il, const int *iu, const double *abstol, const double *d, const double *e,
              int *m, int *nsplit, double *w, int *iblock, int *isplit, double *work, const int *lwork, int *iwork,
              const int *liwork, int *info);
void pdstein_(const int *n, const double *d, const double *e, const int *m, double *w, int *iblock, int *isplit,
              const double *orfac, double *z, const int *iz, const int *jz, const int *descz, double *work,
              const int *lwork, int *iwork, const int *liwork, int *ifail, int *iclustr, double *gap, int *info);

typedef struct job {
    eig_mpi_context *ctx;
    int rank, ranks, n, columns; /* columns: of this rank, by ScaLAPACK's layout */
    int grid, descriptor[9];
    double norm, *d, *e;
    double *ours, *theirs;     /* [n] eigenvalues, on all ranks */
    double *z_ours, *z_theirs; /* this rank's columns */
    eig_mpi_run run = EIG_MPI_RUN;
    int *block, *split, *fail, *cluster, *iwork, splits;
    double *gap, *work;
    int lwork, liwork, stein_info;
} job;

static void *room(size_t size, int64_t count)
{
    void *const p = malloc(size * (size_t)count);
    if (!p) MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void open_job(job *j, int n)
{
    int const zero = 0, block = BLOCK;
    int info;
    MPI_Comm_rank(MPI_COMM_WORLD, &j->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j->ranks);
    j->n = n;
    Cblacs_get(-1, 0, &j->grid);
    Cblacs_gridinit(&j->grid, "R", 1, j->ranks);
    j->columns = numroc_(&n, &block, &j->rank, &zero, &j->ranks);
    descinit_(j->descriptor, &n, &n, &block, &block, &zero, &zero, &j->grid, &n, &info);
    j->d = room(sizeof *j->d, n), j->e = room(sizeof *j->e, n);
    uint64_t state = 1;
    for (int i = 0; i < 2 * n; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        (i % 2 ? j->e : j->d)[i / 2] = (double)(state >> 11) * 0x1p-53;
    }
    j->norm = 0;
    for (int i = 0; i < n; ++i)
        j->norm = fmax(j->norm, (i > 0 ? j->e[i - 1] : 0) + j->d[i] + (i + 1 < n ? j->e[i] : 0));
    int64_t const most = (n + j->ranks - 1) / j->ranks + BLOCK;
    j->ours = room(sizeof(double), n), j->theirs = room(sizeof(double), n);
    j->z_ours = room(sizeof(double), most * n), j->z_theirs = room(sizeof(double), most * n);
    j->block = room(sizeof(int), n), j->split = room(sizeof(int), n), j->fail = room(sizeof(int), n);
    j->cluster = room(sizeof(int), 2 * j->ranks), j->gap = room(sizeof(double), j->ranks);
    int64_t const blocked = (int64_t)n * (j->columns + BLOCK);
    double const lwork = fmax(5.0 * n, (double)blocked) + (double)most * n;
    if (lwork > INT_MAX) {
        if (j->rank == 0) fprintf(stderr, "n = %d needs a workspace that ScaLAPACK cannot count: take more ranks\n", n);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    j->lwork = (int)lwork;
    j->liwork = 4 * n + j->ranks + 14;
    j->work = room(sizeof(double), j->lwork), j->iwork = room(sizeof(int), j->liwork);
}

/* ------------------------------------------------------------------- contestants */

typedef int work_of(job *j);

static int values_ours(job *j)
{
    eig_mpi_options where = EIG_MPI_OPTIONS;
    where.output = EIG_MPI_OUTPUT_ALL;
    return eig_mpi_dstebz(j->ctx, &where, NULL, j->n, j->d, j->e, NULL, j->ours, NULL, NULL);
}

static int values_theirs(job *j)
{
    double const zero = 0;
    int const none = 0;
    int m, info;
    pdstebz_(&j->grid, "A", "B", &j->n, &zero, &zero, &none, &none, &zero, j->d, j->e, &m, &j->splits, j->theirs,
             j->block, j->split, j->work, &j->lwork, j->iwork, &j->liwork, &info);
    return info != 0 || m != j->n;
}

static int vectors_ours(job *j)
{
    return eig_mpi_dstemr(j->ctx, NULL, NULL, j->n, j->d, j->e, &j->run, j->ours, j->z_ours, j->n, NULL, NULL, NULL,
                          NULL, NULL);
}

static int vectors_theirs(job *j)
{
    int const one = 1;
    double const orfac = -1;
    int const failed = values_theirs(j);
    pdstein_(&j->n, j->d, j->e, &j->n, j->theirs, j->block, j->split, &orfac, j->z_theirs, &one, &one, j->descriptor,
             j->work, &j->lwork, j->iwork, &j->liwork, j->fail, j->cluster, j->gap, &j->stein_info);
    return failed || j->stein_info < 0;
}

/* They take turns; medians of the slowest rank's time. */
static void measure(job *j, work_of *ours, work_of *theirs, int repeats, times *t)
{
    memset(t, 0, 2 * sizeof *t);
    for (int i = 0; i < 2 * repeats; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        double const begin = MPI_Wtime();
        int failed = (i % 2 ? theirs : ours)(j);
        double ms = 1e3 * (MPI_Wtime() - begin);
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (failed) {
            fprintf(stderr, "a call failed: %s\n", i % 2 ? "ScaLAPACK" : eig_mpi_error_detail(j->ctx));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        times_add(&t[i % 2], ms);
    }
}

/* ---------------------------------------------------------------------- checks */

/* In eps ||T||. */
static double error_of(const job *j, const double *w, const double *exact)
{
    double worst = 0;
    for (int k = 0; k < j->n; ++k) worst = fmax(worst, fabs(w[k] - exact[k]));
    return worst / (DBL_EPSILON * j->norm);
}

/* The number, from 0, of the eigenvalue of this rank's column. */
static int number_ours(const job *j, int column)
{
    return (int)j->run.first - 1 + column;
}

static int number_theirs(const job *j, int column)
{
    return (column / BLOCK * j->ranks + j->rank) * BLOCK + column % BLOCK;
}

/* Residual and orthogonality of the columns of all ranks. */
typedef struct quality {
    double residual, skew;
} quality;

static double residual_of(const job *j, const double *z, double w)
{
    double sum = 0;
    for (int i = 0; i < j->n; ++i) {
        double r = (j->d[i] - w) * z[i];
        if (i > 0) r += j->e[i - 1] * z[i - 1];
        if (i + 1 < j->n) r += j->e[i] * z[i + 1];
        sum += r * r;
    }
    return sqrt(sum);
}

static double sign_of(int probe, int number)
{
    uint64_t const x = ((uint64_t)number * PROBES + (uint64_t)probe + 1) * 0x9e3779b97f4a7c15U;
    return ((x ^ (x >> 31)) * 0xbf58476d1ce4e5b9U) >> 63 ? -1 : 1;
}

static double skew_of(const job *j, const double *z, int columns, int (*number)(const job *, int), int probe)
{
    int const n = j->n;
    double *const y = room(sizeof *y, n), worst = 0;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int c = 0; c < columns; ++c)
        for (int i = 0; i < n; ++i) y[i] += sign_of(probe, number(j, c)) * z[(int64_t)c * n + i];
    MPI_Allreduce(MPI_IN_PLACE, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int c = 0; c < columns; ++c) {
        double dot = 0;
        for (int i = 0; i < n; ++i) dot += z[(int64_t)c * n + i] * y[i];
        worst = fmax(worst, fabs(dot - sign_of(probe, number(j, c))));
    }
    free(y);
    return worst;
}

static quality quality_of(const job *j, const double *w, const double *z, int columns, int (*number)(const job *, int))
{
    double worst[2] = {0, 0};
    double const unit = j->n * DBL_EPSILON;
    bool const local = w == j->ours; /* stemr gave this rank its own */
    for (int c = 0; c < columns; ++c)
        worst[0] = fmax(worst[0], residual_of(j, z + (int64_t)c * j->n, w[local ? c : number(j, c)]));
    for (int probe = 0; probe < PROBES; ++probe) worst[1] = fmax(worst[1], skew_of(j, z, columns, number, probe));
    MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return (quality){worst[0] / (unit * j->norm), worst[1] / unit};
}

/* ------------------------------------------------------------------------ tables */

static void tell(const job *j, FILE *csv, bench_place *place, const char *family, const char *rival, const times *t,
                 double error, bool passed)
{
    if (j->rank != 0) return;
    double const ours = times_median(&t[0]), theirs = times_median(&t[1]);
    printf("%s: eigpack %.1f ms, %s %.1f ms, ratio %.1f\n", family, ours, rival, theirs, theirs / ours);
    bench_row row = {.family = family, .method = "mpi", .type = EIG_D, .n = j->n, .batch = 1, .time_ms = ours};
    row.rival = rival, row.rival_ms = theirs, row.error = error, row.passed = passed;
    if (csv) bench_write_row(csv, place, &row);
}

static void run_values(job *j, int repeats, FILE *csv, bench_place *place)
{
    times t[2];
    eig_mpi_options where = EIG_MPI_OPTIONS;
    where.output = EIG_MPI_OUTPUT_ALL;
    eig_stebz_options reference = EIG_STEBZ_OPTIONS;
    reference.abstol = DBL_MIN; /* the pivot count, to the last bit */
    double *const exact = room(sizeof *exact, j->n);
    if (eig_mpi_dstebz(j->ctx, &where, &reference, j->n, j->d, j->e, NULL, exact, NULL, NULL) != EIG_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    measure(j, values_ours, values_theirs, repeats, t);
    double const ours = error_of(j, j->ours, exact), theirs = error_of(j, j->theirs, exact);
    if (j->rank == 0) printf("values, error in eps ||T||: eigpack %.2f, pdstebz %.2f\n", ours, theirs);
    tell(j, csv, place, "stebz", "pdstebz", t, ours, ours <= 4);
    free(exact);
}

static void run_vectors(job *j, int repeats, FILE *csv, bench_place *place)
{
    times t[2];
    measure(j, vectors_ours, vectors_theirs, repeats, t);
    quality const ours = quality_of(j, j->ours, j->z_ours, (int)j->run.count, number_ours);
    quality const theirs = quality_of(j, j->theirs, j->z_theirs, j->columns, number_theirs);
    if (j->rank == 0) {
        printf("vectors, residual in n eps ||T||: eigpack %.3f, pdstein %.3f\n", ours.residual, theirs.residual);
        printf("vectors, row of Z'Z - I in n eps: eigpack %.3f, pdstein %.3g", ours.skew, theirs.skew);
        printf(j->stein_info > 0 ? " (info %d: %d clusters not orthogonalised)\n" : "\n", j->stein_info,
               j->stein_info / (j->n + 1));
    }
    double const worst = fmax(ours.residual, ours.skew);
    tell(j, csv, place, "stemr", "pdstebz+pdstein", t, worst, worst <= 10);
}

int main(int argc, char **argv)
{
    int given;
    job j = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    open_job(&j, argc > 1 ? atoi(argv[1]) : 4096);
    int const repeats = argc > 2 ? least(atoi(argv[2]), TIMES_MOST) : 3;
    if (eig_mpi_create(&j.ctx, MPI_COMM_WORLD, "cpu") != EIG_OK) MPI_Abort(MPI_COMM_WORLD, 1);
    eig_set_threads(eig_mpi_local(j.ctx), 1); /* as ScaLAPACK's ranks */
    bench_place place =
        bench_place_of(eig_mpi_local(j.ctx), argc > 4 ? argv[4] : "unknown", argc > 5 ? argv[5] : "unknown");
    place.threads = j.ranks;
    FILE *const csv = j.rank == 0 && argc > 3 ? fopen(argv[3], "w") : NULL;
    if (csv) fputs(bench_columns, csv);
    if (j.rank == 0) printf("n = %d, %d ranks of one thread each\n", j.n, j.ranks);
    run_values(&j, repeats, csv, &place);
    run_vectors(&j, repeats, csv, &place);
    if (csv) fclose(csv);
    eig_mpi_destroy(j.ctx);
    Cblacs_gridexit(j.grid);
    MPI_Finalize();
    return 0;
}
