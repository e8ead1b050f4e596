/* The ranks of a program that mpirun started, without MPI's header: the program eigpack loads this table from a small
 * library (eigpack_ranks.so, ranks.c) where it finds that mpirun started it, so that it runs where there is no MPI.
 *
 * "Collective": every rank calls it, in the same order.  All functions are called from one thread, that of open. */
#ifndef EIG_RANKS_H
#define EIG_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* What a rank says to agree when it only stopped because another one had called stop. */
enum { EIG_RANKS_STOPPED = -1 };

typedef struct eig_ranks {
    size_t bytes;             /* sizeof(eig_ranks) of the library that is loaded */
    int rank, size;           /* this rank, from 0, and how many there are */
    int host_rank, host_size; /* among the ranks of this host */
    const char *library;      /* e.g. "Open MPI v4.1.4": one line */

    /* Collective. */
    void (*barrier)(void);
    void (*broadcast)(void *data, size_t bytes, int root);
    void (*sum)(int64_t *values, int count);
    void (*largest)(double *values, int count);
    /* Agreement: 0 where every rank says 0.  Else the status of the lowest rank that says anything but 0 (one that says
     * EIG_RANKS_STOPPED counts only if there is no other), and on every rank that rank's sentence and its number in
     * *from (not NULL).  The sentence is an array of room > 0 bytes, the same room on all ranks, of which all are sent;
     * where every rank says 0 it stays, and *from is 0.  A rank that waits sleeps; rank 0 goes on showing progress
     * meanwhile. */
    int (*agree)(int status, char *sentence, size_t room, int *from);

    /* Not collective: bytes from another rank, which sends, to rank 0, which receives, in the order of sending. */
    void (*send)(const void *data, size_t bytes);
    void (*receive)(void *data, size_t bytes, int from);

    /* Not collective.  progress tells rank 0 how far this rank is, 0 to 1, as often as the caller likes; on rank 0 it
     * calls show with the mean of all ranks.  Returns 1 where another rank has called stop, else 0. */
    int (*progress)(double mine);
    void (*show)(void (*call)(void *user, double fraction), void *user);
    /* Tells all others to stop at their next progress; they meet in agree.  At most once between two calls of agree. */
    void (*stop)(void);

    /* The end: collective.  After it no other function may be called. */
    void (*finish)(void);
} eig_ranks;

/* The function that eigpack_ranks.so exports under the name eig_ranks_open: MPI_Init, and the table; NULL where MPI
 * does not begin. */
typedef const eig_ranks *eig_ranks_open_function(void);

#endif
