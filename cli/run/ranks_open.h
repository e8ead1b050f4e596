/* The ranks of a program that mpirun or srun started.  The program itself is built without MPI: it loads a small
 * library where the environment announces several ranks. */
#ifndef EIG_CLI_RANKS_OPEN_H
#define EIG_CLI_RANKS_OPEN_H

#include "mpi/ranks.h"

/* The ranks of this run in *ranks, or NULL where there is one alone.  Returns CLI_OK, or a status where
 * several were started but their MPI cannot be reached; one rank has then printed why. */
int ranks_load(const eig_ranks **ranks);

#endif
