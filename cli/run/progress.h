/* The progress bar on stderr, and signals. */
#ifndef EIG_CLI_PROGRESS_H
#define EIG_CLI_PROGRESS_H

#include "eigpack.h"
#include "mpi/ranks.h"

#include <stdbool.h>
#include <stdint.h>

/* From here on SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, and those by which batch systems end a job (SIGXCPU,
 * SIGUSR1, SIGUSR2) end the program at once, whatever it is doing, after the temporary files of outputs in progress are
 * removed.  A signal that was ignored when the program began stays ignored (nohup, background jobs of sh). */
void progress_catch_signals(void);

/* From here on these signals end nothing.  `tell`: the first one is reported, with the note that everything was
 * written. */
void progress_outlive_signals(bool tell);

/* Whether there is a bar.  It appears half a second after the start or after progress_phase.  It shows reading and
 * writing of files (io_watch), computations of attached contexts, and progress_at.  It is as wide as the terminal
 * allows.  Where TERM is dumb or NO_COLOR is set, plain lines say how many tenths are done, at least a second apart. */
void progress_show(bool visible);

/* The ranks that work as one from now on: rank 0 has the bar.  NULL: this process is alone. */
void progress_of_ranks(const eig_ranks *ranks);

/* A context's computations show in the bar from now on. */
void progress_attach(eig_context *ctx);

/* The next calls on attached contexts are a new phase, e.g. "checking": a bar appears again after half a second. */
void progress_phase(const char *what);

/* How much of a phase is done, 0 to 1, e.g. of "making" the matrices of a kind. */
void progress_at(const char *what, const char *name, double fraction);

/* How much of all parts is done, 0 to 1.  True: another rank has failed, and this one is to stop. */
bool progress_done(double fraction);

/* A run of `parts` library calls, of which `part` are done: the bar then covers them all. */
void progress_part(int64_t part, int64_t parts);

/* Whether reading and writing of files show in it. */
void progress_files(bool shown);

/* Takes the bar off the terminal. */
void progress_clear(void);

#endif
