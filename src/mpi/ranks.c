/* eigpack_ranks.so: the table of ranks.h over MPI.  It links MPI and nothing of eigpack. */
#include "ranks.h"

#include "wire.h"

#include <string.h>

_Static_assert((int)EIG_RANKS_STOPPED == (int)WIRE_STOPPED, "agree hands statuses on as they are");

static mpi_wire wire;
static eig_ranks table;
static char library[MPI_MAX_LIBRARY_VERSION_STRING];

/* No rank can go on alone where MPI fails. */
static void must(int code)
{
    if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void barrier(void)
{
    MPI_Request request;
    must(MPI_Ibarrier(wire.comm, &request));
    must(eig_wire_wait(&wire, 1, &request));
}

static void broadcast(void *data, size_t bytes, int root)
{
    must(eig_wire_broadcast(&wire, data, bytes, root));
}

static void sum(int64_t *values, int count)
{
    must(eig_wire_reduce(&wire, wire.comm, values, count, MPI_INT64_T, MPI_SUM));
}

static void largest(double *values, int count)
{
    must(eig_wire_reduce(&wire, wire.comm, values, count, MPI_DOUBLE, MPI_MAX));
}

static void send(const void *data, size_t bytes)
{
    must(eig_wire_send(&wire, data, bytes));
}

static void receive(void *data, size_t bytes, int from)
{
    must(eig_wire_receive(&wire, data, bytes, from));
}

static int agree(int status, char *sentence, size_t room, int *from)
{
    must(eig_wire_agree(&wire, &status, sentence, room, from, NULL));
    return status;
}

static int progress(double mine)
{
    return eig_wire_progress(&wire, mine);
}

static void show(void (*call)(void *user, double fraction), void *user)
{
    wire.show = wire.rank == 0 ? call : NULL;
    wire.show_user = user;
}

static void stop(void)
{
    eig_wire_stop(&wire);
}

static void finish(void)
{
    eig_wire_close(&wire);
    MPI_Finalize();
}

/* The first line of what MPI says of itself, up to a comma. */
static void name_library(void)
{
    int length;
    if (MPI_Get_library_version(library, &length) != MPI_SUCCESS) strcpy(library, "MPI");
    library[strcspn(library, ",\n")] = '\0';
    char *const tab = strchr(library, '\t');
    if (tab) *tab = ' ';
}

__attribute__((visibility("default"))) eig_ranks_open_function eig_ranks_open;

const eig_ranks *eig_ranks_open(void)
{
    int given;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return NULL;
    if (eig_wire_open(&wire, MPI_COMM_WORLD) != MPI_SUCCESS) {
        MPI_Finalize();
        return NULL;
    }
    name_library();
    table = (eig_ranks){
        .bytes = sizeof table,
        .rank = wire.rank,
        .size = wire.size,
        .host_rank = wire.host_rank,
        .host_size = wire.host_size,
        .library = library,
        .barrier = barrier,
        .broadcast = broadcast,
        .sum = sum,
        .largest = largest,
        .send = send,
        .receive = receive,
        .agree = agree,
        .progress = progress,
        .show = show,
        .stop = stop,
        .finish = finish,
    };
    return &table;
}
