/* Ranks as if they were on several hosts, EIG_TEST_HOST of them on each: the function by which ranks find those of their
 * host.  To be loaded before the program (LD_PRELOAD); MPI's profiling interface has the true functions. */
#include <mpi.h>

#include <stdlib.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *host)
{
    const char *const ranks = getenv("EIG_TEST_HOST");
    int rank;
    if (!ranks || type != MPI_COMM_TYPE_SHARED) return PMPI_Comm_split_type(comm, type, key, info, host);
    int const code = PMPI_Comm_rank(comm, &rank);
    return code == MPI_SUCCESS ? PMPI_Comm_split(comm, rank / atoi(ranks), key, host) : code;
}
