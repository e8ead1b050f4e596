#define _GNU_SOURCE /* readlink, dladdr */
#include "run/ranks_open.h"
#include "run/say.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The variables by which launchers tell a rank and the number of ranks: Open MPI; MPICH's hydra, Intel MPI, srun
 * --mpi=pmi2; MVAPICH; srun --mpi=pmix. */
static const struct launcher {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
};

static int number_in(const char *name)
{
    const char *const text = getenv(name);
    return text ? atoi(text) : 0;
}

/* How many ranks a launcher has started; 1: none. */
static int started(int *rank)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (!getenv(launchers[i].rank) || number_in(launchers[i].size) <= 1) continue;
        *rank = number_in(launchers[i].rank);
        return number_in(launchers[i].size);
    }
    *rank = 0;
    return 1;
}

/* One rank prints the sentence; the others end with the same status. */
static int refuse(int rank, int size, const char *why)
{
    if (rank > 0) return CLI_FAILED;
    return cli_fail(CLI_FAILED, "%d ranks of the program were started, %s", size, why);
}

/* Opens eigpack_ranks.so: EIG_RANKS, or beside the program (a build folder), or in the installation.  MPI's own
 * libraries look for its names among the global ones. */
static void *open_library(void)
{
    const char *const named = getenv("EIG_RANKS");
    if (named) return dlopen(named, RTLD_NOW | RTLD_GLOBAL);
    static const char *const beside[] = {".", EIG_RANKS_BESIDE};
    char program[PATH_MAX], path[PATH_MAX + 64];
    ssize_t const length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(program, '/');
    for (int i = 0; slash && i < 2; i++) {
        *slash = '\0';
        snprintf(path, sizeof path, "%s/%s/eigpack_ranks.so", program, beside[i]);
        void *const opened = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
        if (opened) return opened;
    }
    return dlopen(EIG_RANKS_FOLDER "/eigpack_ranks.so", RTLD_NOW | RTLD_GLOBAL);
}

int ranks_load(const eig_ranks **ranks)
{
    int rank;
    int const size = started(&rank);
    char why[512];
    *ranks = NULL;
    if (size == 1) return CLI_OK;
    void *const opened = open_library();
    if (!opened) {
        const char *const reason = dlerror();
        snprintf(why, sizeof why, "but its part for MPI cannot be loaded (build it with -DEIG_MPI=ON): %s",
                 reason ? reason : "");
        return refuse(rank, size, why);
    }
    eig_ranks_open_function *begin;
    *(void **)&begin = dlsym(opened, "eig_ranks_open");
    const eig_ranks *const table = begin ? begin() : NULL;
    if (!table || table->bytes != sizeof *table)
        return refuse(rank, size, table ? "but eigpack_ranks.so is of another version" : "but MPI does not begin");
    if (table->size != size) {
        snprintf(why, sizeof why, "but %s sees %d: they were started by the mpirun of another MPI", table->library,
                 table->size);
        table->finish();
        return refuse(rank, size, why);
    }
    *ranks = table;
    return CLI_OK;
}
