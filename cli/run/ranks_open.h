/* The ranks of a program that mpirun or srun started.  The program itself is built without MPI: it loads a small library
 * where the environment tells of several ranks. */
#ifndef EIG_CLI_RANKS_OPEN_H
#define EIG_CLI_RANKS_OPEN_H

#include "mpi/ranks.h"

/* The ranks of this run in *ranks, or NULL there where nobody started several.  CLI_OK; or a status, one rank having
 * printed why: several were started, but their MPI cannot be reached. */
int ranks_load(const eig_ranks **ranks);

#endif
