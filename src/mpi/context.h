/* The inside of an eig_mpi_context. */
#ifndef EIG_MPI_CONTEXT_H
#define EIG_MPI_CONTEXT_H

#include "eigpack_mpi.h"
#include "float_mode.h"
#include "wire.h"

struct eig_mpi_context {
    mpi_wire wire;
    bool connected;     /* the wire is open */
    eig_status created; /* what eig_mpi_create returned */
    eig_context *local;
    eig_progress progress;
    void *progress_user;
    const char *family; /* of the call that runs */
    float_mode mode;    /* its caller's */
    bool busy;          /* a collective call runs */
    bool waiting;       /* its own part is done: too late to cancel */
    bool cancelled;     /* this rank's callback asked to stop */
    char description[240];
    char detail[320];
};

/* Writes the sentence; returns the status. */
eig_status eig_mpi_fail(eig_mpi_context *ctx, eig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes over the sentence of this rank's own context, which returned the status. */
eig_status eig_mpi_local_failure(eig_mpi_context *ctx, eig_status status);

/* The status of a call of MPI, with MPI's words. */
eig_status eig_mpi_status(eig_mpi_context *ctx, int code);

/* Agrees on a status and its sentence, which names the rank that began it; adds up sums (WIRE_SUMS of them, or
 * NULL). */
eig_status eig_mpi_agree(eig_mpi_context *ctx, int mine, int64_t *sums);

/* Around the computing of this rank: progress, cancelling, and hearing that another rank has failed.  eig_mpi_end turns
 * the status of the computation into the one that all agree on. */
void eig_mpi_begin(eig_mpi_context *ctx);
eig_status eig_mpi_end(eig_mpi_context *ctx, eig_status mine, int64_t *sums);

/* This rank's device, and its threads (mpi_device.c). */
eig_status eig_mpi_open_device(eig_mpi_context *ctx, const char *device);

#endif
