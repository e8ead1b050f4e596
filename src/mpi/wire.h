/* What the MPI library and the program's ranks share: a communicator of their own, agreement on a status, progress of
 * all ranks on rank 0, and the request to stop.
 *
 * Waiting    sleeps between checks: ranks of a busy host leave their cores to those that compute.
 * Agreement  two small reductions.
 * Messages   a rank's progress and its request to stop are messages of their own.  An agreement counts how many were
 *            sent, and receives the rest, so that none remains; tags tell the messages of one agreement from the
 *            next's. */
#ifndef EIG_WIRE_H
#define EIG_WIRE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a rank brings to an agreement that stopped only because another one had asked it to. */
enum { WIRE_STOPPED = -1 };

enum { WIRE_SUMS = 8 }; /* numbers that an agreement adds up for its caller */

typedef void wire_show(void *user, double fraction);

typedef struct mpi_wire {
    MPI_Comm comm, host; /* own copies: all ranks; those of this host */
    int rank, size, host_rank, host_size;
    int epoch;       /* agreements so far: tells their messages apart */
    wire_show *show; /* called on rank 0 with the mean of all fractions, on the others with their own; or NULL */
    void *show_user;
    double *fraction; /* [size] how far each rank is: on rank 0 as it has heard, on the others their own alone */
    double shown;     /* never falls between two agreements */
    int64_t told, heard, stops_heard;
    bool stopping;
    double told_value, told_at;
    MPI_Request told_request, *stop_request; /* the latter [size] */
} mpi_wire;

/* Collective over comm.  MPI_SUCCESS, or the code of the call that failed; MPI_ERR_NO_MEM also where memory is short on
 * any rank.  A wire that could not be opened needs no closing. */
int eig_wire_open(mpi_wire *wire, MPI_Comm comm);

/* Collective. */
void eig_wire_close(mpi_wire *wire);

/* Tells rank 0 how far this rank is, at most every 20 ms, and shows progress; whether another rank has said stop. */
bool eig_wire_progress(mpi_wire *wire, double mine);

/* Tells all others to stop.  They meet in eig_wire_agree. */
void eig_wire_stop(mpi_wire *wire);

/* Collective.  *status becomes 0 where it is 0 on all ranks; else that of the lowest rank where it is not 0 (one with
 * WIRE_STOPPED counts only if there is no other), and the sentence becomes its sentence; *from is that rank.  sums
 * (NULL: none) become their sums over all ranks.  MPI_SUCCESS or the code of the call that failed: then nothing is
 * agreed. */
int eig_wire_agree(mpi_wire *wire, int *status, char *sentence, size_t room, int *from, int64_t sums[WIRE_SUMS]);

/* Waits for requests, as MPI_Waitall, but sleeping between checks: MPI itself may wait at full speed, and a rank that
 * computes on the same core then has half of it. */
int eig_wire_wait(mpi_wire *wire, int count, MPI_Request *requests);

/* MPI_Allreduce in place, over all ranks or those of the host. */
int eig_wire_reduce(mpi_wire *wire, MPI_Comm comm, void *values, int count, MPI_Datatype type, MPI_Op op);

/* MPI_Bcast of any number of bytes. */
int eig_wire_broadcast(mpi_wire *wire, void *data, size_t bytes, int root);

/* Any number of bytes from another rank to rank 0, in the order in which they are sent. */
int eig_wire_send(mpi_wire *wire, const void *data, size_t bytes);
int eig_wire_receive(mpi_wire *wire, void *data, size_t bytes, int from);

#endif
