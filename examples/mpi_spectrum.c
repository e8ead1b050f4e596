/* mpi_spectrum: all eigenvalues of one tridiagonal matrix on the ranks of a cluster, and the vectors at the edge of its
 * spectrum, each rank with its own share.  The matrix is Harper's, d[i] = 2 cos(2 pi alpha i) with the golden mean alpha and
 * e[i] = 1: its spectrum is that of an electron on a lattice in a magnetic field, a Cantor set.
 *
 *     mpicc mpi_spectrum.c $(pkg-config --cflags --libs eigpack_mpi) -lm && mpirun -n 4 ./a.out [order] [device] */
#include <eigpack_mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VECTORS = 64 };

/* Only rank 0 has T; the others get it by the call. */
static void make(int64_t n, double *d, double *e)
{
    double const alpha = (sqrt(5.0) - 1) / 2, turn = 2 * acos(-1.0);
    for (int64_t i = 0; i < n; ++i) d[i] = 2 * cos(turn * fmod(alpha * (double)i, 1)), e[i] = 1;
}

/* The widest gap between neighbours. */
static double widest(const double *w, int64_t count)
{
    double gap = 0;
    for (int64_t k = 1; k < count; ++k) gap = fmax(gap, w[k] - w[k - 1]);
    return gap;
}

static eig_status solve(eig_mpi_context *ctx, int rank, int size, int64_t n)
{
    int64_t vectors;
    eig_mpi_slice(VECTORS, rank, size, NULL, &vectors);
    double *const d = malloc((size_t)n * sizeof *d), *const e = malloc((size_t)n * sizeof *e);
    double *const w = malloc((size_t)n * sizeof *w), *const z = malloc((size_t)(vectors * n + 1) * sizeof *z);
    eig_mpi_options where = EIG_MPI_OPTIONS;
    eig_mpi_run run = EIG_MPI_RUN;
    where.input = EIG_MPI_INPUT_ROOT;
    if (rank == 0) make(n, d, e);

    /* All eigenvalues, for every rank. */
    where.output = EIG_MPI_OUTPUT_ALL;
    double const begin = MPI_Wtime();
    eig_status status = eig_mpi_dstebz(ctx, &where, NULL, n, d, e, &run, w, NULL, NULL);
    if (status == EIG_OK && rank == 0)
        printf("%lld eigenvalues in %.3f s, the widest gap %.6f\n", (long long)run.total, MPI_Wtime() - begin,
               widest(w, run.total));

    /* The lowest vectors, to each rank its own. */
    where.output = EIG_MPI_OUTPUT_RUNS;
    eig_stemr_options edge = EIG_STEMR_OPTIONS;
    edge.range = EIG_RANGE_INDEX, edge.il = 1, edge.iu = VECTORS;
    double skew = 0;
    if (status == EIG_OK)
        status = eig_mpi_dstemr(ctx, &where, &edge, n, d, e, &run, w, z, n, NULL, NULL, NULL, &skew, NULL);
    if (status == EIG_OK && rank == 0)
        printf("%d eigenvectors from %.15f on, orthogonal within %.1e\n", VECTORS, w[0], skew);
    free(d), free(e), free(w), free(z);
    return status;
}

int main(int argc, char **argv)
{
    int given, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    eig_mpi_context *ctx;
    eig_status status = eig_mpi_create(&ctx, MPI_COMM_WORLD, argc > 2 ? argv[2] : "auto");
    if (status == EIG_OK) status = solve(ctx, rank, size, argc > 1 ? atoll(argv[1]) : 100000);
    /* Every rank has the same status and sentence: one tells. */
    if (status != EIG_OK && rank == 0) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_mpi_error_detail(ctx));
    eig_mpi_destroy(ctx);
    MPI_Finalize();
    return status == EIG_OK ? 0 : 1;
}
