/* eigpack over MPI: one tridiagonal matrix on many ranks, each with its own CPU cores or GPU.
 *
 *   eig_mpi_create, eig_mpi_destroy   a context of all ranks of a communicator, each with an eig_context of its own
 *   eig_mpi_slice                     which part of a batch, or of a run of eigenvalues, a rank has
 *   eig_mpi_{s,d}stebz                eigenvalues, as eig_{s,d}stebz
 *   eig_mpi_{s,d}stemr                eigenvalues and eigenvectors, as eig_{s,d}stemr
 *
 * Batches need no call: each rank computes its slice with eig_mpi_local(ctx) and the functions of eigpack.h.
 *
 * Everything here is collective, except eig_mpi_slice and what only reads a context: all ranks of the communicator call
 * it, in the same order, each from one thread, after MPI_Init.  The library uses its own communicator, so that
 * its messages do not mix with the caller's; it needs MPI 3, with MPI_THREAD_FUNNELED where the program has threads.
 *
 * Failures are collective: every rank returns the same status and has the same sentence, which names the rank where it
 * began: a bad argument, a lack of memory, a callback that cancels, on one rank, ends the call on all, and hangs none.
 * The arguments that say what is computed must be the same on all ranks, else the call is refused.  Only a failure of
 * MPI itself (EIG_MPI_FAILURE) is not agreed on: MPI decides what the other ranks do then.  A rank that dies ends
 * the others, under mpirun and srun.
 *
 * The bits are those of one process, for any number of ranks that compute on the same kind of device. */
#ifndef EIGPACK_MPI_H
#define EIGPACK_MPI_H

#include "eigpack.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eig_mpi_context eig_mpi_context;

/* Opens a context over a copy of comm.
 *
 *   comm    the communicator
 *   device  "cuda": a GPU for each rank that asks for one: those of a host are assigned to them, some of them
 *           to several ranks where the ranks are more; "cuda:K": just this one; "cpu": the processors that the ranks of
 *           a host may run on are shared out among them, one thread at least (where OMP_NUM_THREADS is set, each takes
 *           that); "auto" or NULL: "cuda" if every rank gets a GPU, else "cpu".  Ranks may give different names
 *
 * As with eig_create, a failed call also gives a context that has a sentence and must be destroyed.  On all ranks
 * *ctx is NULL instead where any rank has no memory for it (EIG_NO_MEMORY) or a NULL in place of ctx
 * (EIG_BAD_ARGUMENT); and on a rank where MPI fails at once. */
EIG_API eig_status eig_mpi_create(eig_mpi_context **ctx, MPI_Comm comm, const char *device);

/* Collective; before MPI_Finalize.  NULL is accepted, on all ranks. */
EIG_API void eig_mpi_destroy(eig_mpi_context *ctx);

/* As eig_error_detail: the sentence that all ranks agreed on, e.g. "rank 3 of 8: stebz: d is NULL with n = 100". */
EIG_API const char *eig_mpi_error_detail(const eig_mpi_context *ctx);

/* This rank's own context, e.g. for its slice of a batch, or for eig_set_threads; NULL where creation failed.  It
 * belongs to ctx, which sets its progress callback in collective calls and takes it off after them. */
EIG_API eig_context *eig_mpi_local(eig_mpi_context *ctx);

/* What computes, on this rank: "rank 1 of 4, cpu avx512, 4 threads". */
EIG_API const char *eig_mpi_describe(eig_mpi_context *ctx);

/* This rank, and how many there are; either may be NULL. */
EIG_API eig_status eig_mpi_ranks(const eig_mpi_context *ctx, int *rank, int *size);

/* Rank has *number of count things, from number *first on (from 0); either may be NULL.  Sizes differ by one at
 * most. */
EIG_API void eig_mpi_slice(int64_t count, int rank, int size, int64_t *first, int64_t *number);

/* As eig_set_progress, for the collective calls; not collective: each rank may have a callback or none.  Rank 0's
 * gets the mean of all ranks' fractions, the others' that of their own rank.  One that returns non-zero cancels the
 * call on all ranks. */
EIG_API eig_status eig_mpi_set_progress(eig_mpi_context *ctx, eig_progress callback, void *user);

/* Where T is given. */
typedef enum eig_mpi_input {
    EIG_MPI_INPUT_ALL = 0, /* on every rank, with the same bits, which is checked */
    EIG_MPI_INPUT_ROOT = 1 /* on the rank root; the others' d and e are not read and may be NULL */
} eig_mpi_input;

/* Where the results go. */
typedef enum eig_mpi_output {
    EIG_MPI_OUTPUT_RUNS = 0, /* each rank has its own */
    EIG_MPI_OUTPUT_ALL = 1,  /* each rank has all */
    EIG_MPI_OUTPUT_ROOT = 2  /* the rank root has all; the others' outputs but run are not written and may be NULL */
} eig_mpi_output;

/* Begin with EIG_MPI_OPTIONS (all defaults), then set what differs. */
typedef struct eig_mpi_options {
    size_t size;           /* sizeof(eig_mpi_options): lets the structure grow */
    eig_mpi_input input;   /* all */
    eig_mpi_output output; /* runs */
    int root;              /* 0 */
    int unused;            /* 0 */
} eig_mpi_options;

#define EIG_MPI_OPTIONS                                                       \
    {                                                                         \
        sizeof(eig_mpi_options), EIG_MPI_INPUT_ALL, EIG_MPI_OUTPUT_RUNS, 0, 0 \
    }

/* All defaults in size = sizeof *options bytes, for callers that cannot use the macro. */
EIG_API void eig_mpi_options_init(eig_mpi_options *options, size_t size);

/* Which eigenvalues a rank has: w[0 .. count-1] are T's eigenvalues number first to first+count-1, from 1; with output
 * all, or on the root, w[0 .. total-1], of which it computed those. */
typedef struct eig_mpi_run {
    size_t size; /* sizeof(eig_mpi_run): lets the structure grow */
    int64_t first, count;
    int64_t total; /* that all ranks found together: m of one process */
    int info;      /* 0, or EIG_INFO_NOT_FINITE: then count and total are 0 */
    int unused;    /* 0 */
} eig_mpi_run;

#define EIG_MPI_RUN                        \
    {                                      \
        sizeof(eig_mpi_run), 0, 0, 0, 0, 0 \
    }

/* Eigenvalues of T, as eig_dstebz, by the ranks together; options and arrays are as there, in host memory.
 *
 *   where    NULL = T on all ranks, and to each rank its own run of eigenvalues
 *   options  as there; the same on all ranks, as is n
 *   run      out, or NULL
 *   w, lower, upper    output runs: this rank's, for at most eig_mpi_slice of all, of iu-il+1, or with EIG_RANGE_VALUE
 *                      of n eigenvalues; else as there, for all that are asked for
 *
 * T not finite: run->info says so, and the places of eigenvalues by index are NaN.
 *
 * Returns what eig_dstebz returns, or EIG_MPI_FAILURE.
 * Cost: each rank finds its own eigenvalues; T is broadcast once where it lies on one rank.  It also takes one
 * broadcast of some bytes and two agreements, each of two small reductions; a third agreement with EIG_RANGE_VALUE,
 * where rank 0 counts first, and one with output root; and the gathering that was asked for. */
EIG_API eig_status eig_mpi_dstebz(eig_mpi_context *ctx, const eig_mpi_options *where, const eig_stebz_options *options,
                                  int64_t n, const double *d, const double *e, eig_mpi_run *run, double *w,
                                  double *lower, double *upper);
EIG_API eig_status eig_mpi_sstebz(eig_mpi_context *ctx, const eig_mpi_options *where, const eig_stebz_options *options,
                                  int64_t n, const float *d, const float *e, eig_mpi_run *run, float *w, float *lower,
                                  float *upper);
EIG_API eig_status eig_mpi_stebz(eig_mpi_context *ctx, eig_type type, const eig_mpi_options *where,
                                 const eig_stebz_options *options, int64_t n, const void *d, const void *e,
                                 eig_mpi_run *run, void *w, void *lower, void *upper);

/* Eigenvalues and, where wanted, eigenvectors of T, as eig_dstemr, by the ranks together.
 *
 *   w, z, isuppz, info, residual    as there: of this rank's run, or of all, as w of eig_mpi_dstebz
 *   orthogonality    [1] out, or NULL: as there, of all vectors of all ranks; the same on every rank that wants it.
 *                    Its last digits depend on the number of ranks.  It is computed if any rank wants it, and costs an
 *                    agreement, four sums of n numbers over all ranks, and the largest of one number
 *   stats            out, or NULL: what this rank did
 *
 * options->tree and stats describe this rank's share alone; a cluster that lies on two ranks is worked out by both.
 * Vectors by inverse iteration, the fallback, are found together with the rest of their cluster on every rank that
 * has one of them, so that they are orthogonal across ranks and have the bits of one process. */
EIG_API eig_status eig_mpi_dstemr(eig_mpi_context *ctx, const eig_mpi_options *where, const eig_stemr_options *options,
                                  int64_t n, const double *d, const double *e, eig_mpi_run *run, double *w, double *z,
                                  int64_t ldz, int64_t *isuppz, int *info, double *residual, double *orthogonality,
                                  eig_stemr_stats *stats);
EIG_API eig_status eig_mpi_sstemr(eig_mpi_context *ctx, const eig_mpi_options *where, const eig_stemr_options *options,
                                  int64_t n, const float *d, const float *e, eig_mpi_run *run, float *w, float *z,
                                  int64_t ldz, int64_t *isuppz, int *info, float *residual, float *orthogonality,
                                  eig_stemr_stats *stats);
EIG_API eig_status eig_mpi_stemr(eig_mpi_context *ctx, eig_type type, const eig_mpi_options *where,
                                 const eig_stemr_options *options, int64_t n, const void *d, const void *e,
                                 eig_mpi_run *run, void *w, void *z, int64_t ldz, int64_t *isuppz, int *info,
                                 void *residual, void *orthogonality, eig_stemr_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
