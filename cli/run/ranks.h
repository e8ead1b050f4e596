/* The ranks of a program that mpirun started, working as one.  A process that is alone may call every function here,
 * too.
 *
 * Every rank does the same steps. They agree where none may go on before all have done a step: a rank that has failed
 * by then ends all, and its sentence is printed once. "Collective": every rank calls it, unless an agreement has failed
 * before. */
#ifndef EIG_CLI_RANKS_H
#define EIG_CLI_RANKS_H

#include "io/slices.h"
#include "mpi/ranks.h"

#include <stdbool.h>
#include <stdint.h>

/* The status of a rank that only stopped because another one failed: it has nothing to say. */
enum { CLI_STOPPED = EIG_RANKS_STOPPED };

/* At the start and at the end of the program; ranks_end returns its exit status. */
int ranks_open(void);
int ranks_end(int status);

/* Whether there are several ranks; which this one is, 0 where it is alone; and how many there are, 1 then. */
bool ranks_several(void);
int ranks_rank(void);
int ranks_size(void);
const eig_ranks *ranks_table(void); /* NULL: alone */

/* Collective: CLI_OK where all ranks are well; else one exit status for all. */
int ranks_agree(int status);

/* The part of count things that is this rank's: *first, ..., *first + *mine - 1. */
void ranks_part(int64_t count, int64_t *first, int64_t *mine);

/* Collective. */
void ranks_sum(int64_t *value);
void ranks_largest(double *values, int count);

/* Collective, as io_sinks_open and io_sinks_close: every rank writes its part of one file.  A file of another form than
 * .npy is held whole by rank 0, which writes it.  Return an exit status. */
int ranks_sinks_open(io_sink *sinks, int count);
int ranks_sinks_close(io_sink *sinks, int count);

/* The stream to which a rank prints. ranks_print (collective) then copies the ranks' output to standard output, in
 * their order. */
void ranks_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int ranks_print(void);

#endif
