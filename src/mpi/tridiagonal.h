/* One tridiagonal matrix on many ranks: what stebz and stemr share.  A family fills a tridiagonal_call and hands it to
 * eig_mpi_solve, which
 *
 *     agrees that all ranks ask for the same, brings T to all of them, finds out which indices are meant, cuts them
 *     into runs, lets each rank compute its own, agrees on how that went, and gathers what was asked for. */
#ifndef EIG_MPI_TRIDIAGONAL_H
#define EIG_MPI_TRIDIAGONAL_H

#include "context.h"
#include "range.h"

enum { CALL_ARRAYS = 5, CALL_W = 0 };

/* An output: items of eigenvalues, in their order. */
typedef struct call_array {
    const char *name;
    void *given;         /* by the caller; NULL: not wanted */
    MPI_Datatype number; /* an item is `length` numbers; items are `stride` numbers apart */
    size_t size;         /* bytes of a number */
    int64_t length, stride;
    bool wanted; /* by all ranks, or by the root */
    void *mine;  /* where this rank's run goes; NULL: not wanted, or empty */
    void *owned; /* that memory, where it is not the caller's */
} call_array;

typedef struct tridiagonal_call tridiagonal_call;
struct tridiagonal_call {
    eig_mpi_context *ctx;
    const char *family;
    eig_type type;
    eig_mpi_options where;
    int64_t n;
    const void *d, *e;
    void *owned; /* T, where it came from another rank */
    eig_range range;
    int64_t il, iu; /* set from the agreement on, whatever the range */
    double vl, vu;
    value_range by_value; /* of EIG_RANGE_VALUE */
    double abstol, reltol;
    int method, depth;
    call_array array[CALL_ARRAYS];
    eig_mpi_run run;
    eig_mpi_run *told;  /* where the caller wants it; NULL: nowhere */
    bool orthogonality; /* any rank wants it */

    /* This rank alone: whether its arguments are sound, with n and the arrays of this rank. */
    eig_status (*check)(tridiagonal_call *call);
    /* This rank alone: eigenvalues run.first to run.first+run.count-1 into array[].mine; info as in stebz. */
    eig_status (*compute)(tridiagonal_call *call, int *info);
    /* Collective, after all have computed; or NULL. */
    eig_status (*finish)(tridiagonal_call *call);
    void *own; /* of the family */
};

/* The whole call; fills run (NULL: not wanted). */
eig_status eig_mpi_solve(tridiagonal_call *call, const eig_mpi_options *where, eig_mpi_run *run);

/* The first step: all ranks ask for the same, and each can do it.  Finds out which outputs are wanted, and makes room
 * for a T that comes from another rank. */
eig_status eig_mpi_ask(tridiagonal_call *call, const eig_mpi_options *where);

/* What the public functions fill in. */
void eig_mpi_set_range(tridiagonal_call *call, eig_range range, int64_t il, int64_t iu, double vl, double vu);
void eig_mpi_set_array(tridiagonal_call *call, int which, const char *name, void *given, MPI_Datatype number,
                       int64_t length, int64_t stride);

/* Reads a caller's options structure over zeros, whatever its size; what the family's own library refuses is left to
 * it. */
void eig_mpi_read(const void *given, void *known, size_t known_size);

/* Whether a structure that the caller lends begins with a size that can be; writes what a call knows into it. */
bool eig_mpi_is_sane(const void *given);
void eig_mpi_write(void *given, const void *known, size_t known_size);

/* Whether this rank has outputs of its own. */
static inline bool call_has_outputs(const tridiagonal_call *call)
{
    return call->where.output != EIG_MPI_OUTPUT_ROOT || call->ctx->wire.rank == call->where.root;
}

/* Whether T is read here. */
static inline bool call_reads_matrix(const tridiagonal_call *call)
{
    return call->where.input == EIG_MPI_INPUT_ALL || call->ctx->wire.rank == call->where.root;
}

/* Bytes of count numbers of T's type. */
static inline int64_t call_bytes(const tridiagonal_call *call, int64_t count)
{
    return count * (int64_t)eig_type_size(call->type);
}

/* The MPI type of such a number. */
static inline MPI_Datatype call_number(const tridiagonal_call *call)
{
    return call->type == EIG_S ? MPI_FLOAT : MPI_DOUBLE;
}

#endif
