/* The smallest user of an installed eigpack_mpi: 0 when the package is whole.  Compiled as C11 and as C++17. */
#include <eigpack_mpi.h>

#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    /* The 3 x 3 second difference has the eigenvalues 2 - sqrt(2), 2, 2 + sqrt(2). */
    double const d[3] = {2, 2, 2}, e[2] = {-1, -1}, exact[3] = {2 - sqrt(2.0), 2, 2 + sqrt(2.0)};
    double w[3] = {0, 0, 0};
    eig_mpi_options where = EIG_MPI_OPTIONS;
    eig_mpi_run run = EIG_MPI_RUN;
    eig_mpi_context *ctx;
    int given;
    where.output = EIG_MPI_OUTPUT_ALL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    eig_status status = eig_mpi_create(&ctx, MPI_COMM_WORLD, "cpu");
    if (status == EIG_OK) status = eig_mpi_dstebz(ctx, &where, NULL, 3, d, e, &run, w, NULL, NULL);
    if (status != EIG_OK) fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_mpi_error_detail(ctx));
    int right = status == EIG_OK && run.total == 3;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(w[k] - exact[k]) < 1e-14)) right = 0;
    }
    eig_mpi_destroy(ctx);
    MPI_Finalize();
    return right ? 0 : 1;
}
