#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "wire.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRY(call)                               \
    do {                                        \
        int const tried = (call);               \
        if (tried != MPI_SUCCESS) return tried; \
    } while (0)

enum { TAG_PROGRESS = 0, TAG_STOP = 2 }; /* and one more in every second epoch */
enum { TAG_DATA = 4 };

static int tag_of(const mpi_wire *wire, int tag)
{
    return tag + (wire->epoch & 1);
}

static int split(mpi_wire *wire, MPI_Comm comm)
{
    TRY(MPI_Comm_dup(comm, &wire->comm));
    /* Failures come back as codes, not as the end of the process. */
    TRY(MPI_Comm_set_errhandler(wire->comm, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_rank(wire->comm, &wire->rank));
    TRY(MPI_Comm_size(wire->comm, &wire->size));
    TRY(MPI_Comm_split_type(wire->comm, MPI_COMM_TYPE_SHARED, wire->rank, MPI_INFO_NULL, &wire->host));
    TRY(MPI_Comm_rank(wire->host, &wire->host_rank));
    return MPI_Comm_size(wire->host, &wire->host_size);
}

static void release(mpi_wire *wire)
{
    free(wire->fraction);
    free(wire->stop_request);
    if (wire->host != MPI_COMM_NULL) MPI_Comm_free(&wire->host);
    if (wire->comm != MPI_COMM_NULL) MPI_Comm_free(&wire->comm);
}

int eig_wire_open(mpi_wire *wire, MPI_Comm comm)
{
    *wire = (mpi_wire){.comm = MPI_COMM_NULL, .host = MPI_COMM_NULL, .told_request = MPI_REQUEST_NULL};
    int code = split(wire, comm), short_of_memory = 0;
    if (code == MPI_SUCCESS) {
        wire->fraction = calloc((size_t)wire->size, sizeof *wire->fraction);
        wire->stop_request = malloc((size_t)wire->size * sizeof *wire->stop_request);
        short_of_memory = !wire->fraction || !wire->stop_request;
        code = MPI_Allreduce(MPI_IN_PLACE, &short_of_memory, 1, MPI_INT, MPI_MAX, wire->comm);
    }
    if (code == MPI_SUCCESS && short_of_memory) code = MPI_ERR_NO_MEM;
    if (code != MPI_SUCCESS) release(wire);
    return code;
}

void eig_wire_close(mpi_wire *wire)
{
    release(wire);
}

/* ------------------------------------------------------------------ messages */

/* Shows the mean of what is known; no rank is shown by itself. */
static void show(mpi_wire *wire)
{
    if (!wire->show) return;
    double sum = wire->fraction[wire->rank];
    if (wire->rank == 0)
        for (int r = 1; r < wire->size; ++r) sum += wire->fraction[r];
    double const mean = wire->rank == 0 ? sum / wire->size : sum;
    if (mean > wire->shown) wire->shown = mean;
    wire->show(wire->show_user, wire->shown);
}

/* Receives one fraction, and waits for it. */
static int hear_progress(mpi_wire *wire)
{
    MPI_Status status;
    double value;
    TRY(MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag_of(wire, TAG_PROGRESS), wire->comm, &status));
    wire->fraction[status.MPI_SOURCE] = value;
    ++wire->heard;
    return MPI_SUCCESS;
}

static int hear_stop(mpi_wire *wire)
{
    TRY(MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, tag_of(wire, TAG_STOP), wire->comm, MPI_STATUS_IGNORE));
    ++wire->stops_heard;
    return MPI_SUCCESS;
}

/* Receives what has come. */
static int listen_once(mpi_wire *wire)
{
    for (int there = 1; there;) {
        TRY(MPI_Iprobe(MPI_ANY_SOURCE, tag_of(wire, TAG_STOP), wire->comm, &there, MPI_STATUS_IGNORE));
        if (there) TRY(hear_stop(wire));
    }
    for (int there = wire->rank == 0; there;) {
        TRY(MPI_Iprobe(MPI_ANY_SOURCE, tag_of(wire, TAG_PROGRESS), wire->comm, &there, MPI_STATUS_IGNORE));
        if (there) TRY(hear_progress(wire));
    }
    return MPI_SUCCESS;
}

/* Sends the fraction to rank 0, unless the last one is still in progress. */
static void tell(mpi_wire *wire)
{
    int free_again = 1;
    double const now = MPI_Wtime();
    if (now - wire->told_at < 0.02) return;
    if (MPI_Test(&wire->told_request, &free_again, MPI_STATUS_IGNORE) != MPI_SUCCESS || !free_again) return;
    wire->told_at = now;
    wire->told_value = wire->fraction[wire->rank];
    int const code =
        MPI_Isend(&wire->told_value, 1, MPI_DOUBLE, 0, tag_of(wire, TAG_PROGRESS), wire->comm, &wire->told_request);
    wire->told += code == MPI_SUCCESS;
}

bool eig_wire_progress(mpi_wire *wire, double mine)
{
    if (wire->size > 1) listen_once(wire); /* what fails here fails again in the agreement, which says so */
    wire->fraction[wire->rank] = mine;
    if (wire->rank > 0) tell(wire);
    show(wire);
    return wire->stops_heard > 0;
}

void eig_wire_stop(mpi_wire *wire)
{
    if (wire->stopping) return;
    wire->stopping = true;
    for (int r = 0; r < wire->size; ++r) {
        wire->stop_request[r] = MPI_REQUEST_NULL;
        if (r != wire->rank)
            MPI_Isend(NULL, 0, MPI_BYTE, r, tag_of(wire, TAG_STOP), wire->comm, &wire->stop_request[r]);
    }
}

/* ------------------------------------------------------------------- waiting */

/* After the first tenth of a millisecond sleeps between checks, longer and longer, up to 0.5 ms. */
static void pause_between_looks(double since)
{
    double const waited = MPI_Wtime() - since;
    if (waited < 1e-4) {
        sched_yield();
        return;
    }
    long const ns = waited < 5e-3 ? 20000 + (long)(waited * 1e8) : 500000;
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

int eig_wire_wait(mpi_wire *wire, int count, MPI_Request *requests)
{
    double const since = MPI_Wtime();
    double last = since;
    for (int done = 0;;) {
        TRY(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE));
        if (done) return MPI_SUCCESS;
        TRY(listen_once(wire));
        pause_between_looks(since);
        if (wire->rank > 0 || MPI_Wtime() - last < 0.05) continue;
        last = MPI_Wtime();
        show(wire);
    }
}

/* One MPI_Bcast. */
static int broadcast(mpi_wire *wire, void *data, int bytes, int root)
{
    MPI_Request request;
    TRY(MPI_Ibcast(data, bytes, MPI_BYTE, root, wire->comm, &request));
    return eig_wire_wait(wire, 1, &request);
}

/* The most bytes of one message: MPI counts in int. */
static const size_t most_bytes = (size_t)1 << 30;

int eig_wire_broadcast(mpi_wire *wire, void *data, size_t bytes, int root)
{
    char *at = data;
    for (; bytes > most_bytes; at += most_bytes, bytes -= most_bytes) TRY(broadcast(wire, at, (int)most_bytes, root));
    return broadcast(wire, at, (int)bytes, root);
}

int eig_wire_send(mpi_wire *wire, const void *data, size_t bytes)
{
    MPI_Request request;
    for (const char *at = data; bytes > 0;) {
        size_t const some = bytes < most_bytes ? bytes : most_bytes;
        TRY(MPI_Isend(at, (int)some, MPI_BYTE, 0, TAG_DATA, wire->comm, &request));
        TRY(eig_wire_wait(wire, 1, &request));
        at += some, bytes -= some;
    }
    return MPI_SUCCESS;
}

int eig_wire_receive(mpi_wire *wire, void *data, size_t bytes, int from)
{
    MPI_Request request;
    for (char *at = data; bytes > 0;) {
        size_t const some = bytes < most_bytes ? bytes : most_bytes;
        TRY(MPI_Irecv(at, (int)some, MPI_BYTE, from, TAG_DATA, wire->comm, &request));
        TRY(eig_wire_wait(wire, 1, &request));
        at += some, bytes -= some;
    }
    return MPI_SUCCESS;
}

int eig_wire_reduce(mpi_wire *wire, MPI_Comm comm, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    TRY(MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, comm, &request));
    return eig_wire_wait(wire, 1, &request);
}

/* ----------------------------------------------------------------- agreement */

/* Receives the messages that the other ranks still have in progress, and ends one's own. */
static int end_messages(mpi_wire *wire, int64_t told, int64_t stops)
{
    if (wire->rank == 0)
        while (wire->heard < told) TRY(hear_progress(wire));
    while (wire->stops_heard < stops - wire->stopping) TRY(hear_stop(wire));
    TRY(MPI_Wait(&wire->told_request, MPI_STATUS_IGNORE));
    if (wire->stopping) TRY(MPI_Waitall(wire->size, wire->stop_request, MPI_STATUSES_IGNORE));
    wire->told = wire->heard = wire->stops_heard = 0;
    wire->stopping = false;
    wire->shown = wire->told_at = 0;
    for (int r = 0; r < wire->size; ++r) wire->fraction[r] = 0;
    ++wire->epoch;
    return MPI_SUCCESS;
}

int eig_wire_agree(mpi_wire *wire, int *status, char *sentence, size_t room, int *from, int64_t sums[WIRE_SUMS])
{
    int64_t all[WIRE_SUMS + 2] = {wire->told, wire->stopping}, key = INT64_MAX;
    if (sums) memcpy(all + 2, sums, WIRE_SUMS * sizeof *sums);
    if (*status != 0) key = *status == WIRE_STOPPED ? (int64_t)wire->size + wire->rank : wire->rank;
    MPI_Request requests[2];
    TRY(MPI_Iallreduce(MPI_IN_PLACE, all, WIRE_SUMS + 2, MPI_INT64_T, MPI_SUM, wire->comm, &requests[0]));
    TRY(MPI_Iallreduce(MPI_IN_PLACE, &key, 1, MPI_INT64_T, MPI_MIN, wire->comm, &requests[1]));
    TRY(eig_wire_wait(wire, 2, requests));
    TRY(end_messages(wire, all[0], all[1]));
    if (sums) memcpy(sums, all + 2, WIRE_SUMS * sizeof *sums);
    *from = key == INT64_MAX ? 0 : (int)(key % wire->size);
    if (key == INT64_MAX) return MPI_SUCCESS;
    TRY(broadcast(wire, status, sizeof *status, *from));
    return eig_wire_broadcast(wire, sentence, room, *from);
}
