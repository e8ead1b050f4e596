/* The progress bar on stderr, and Ctrl-C: a signal makes the library's progress callback cancel the computation. */
#ifndef EIG_CLI_PROGRESS_H
#define EIG_CLI_PROGRESS_H

#include "eigpack.h"

#include <stdbool.h>

/* From here on SIGINT and SIGTERM only note that they came; a later second one ends the program at once. */
void progress_catch_signals(void);

/* The signal that came, or 0. */
int progress_signal(void);

/* Attaches the callback.  With `visible` a bar appears once a run has taken half a second. */
void progress_attach(eig_context *ctx, bool visible);

/* A run of `parts` library calls, of which `part` are done: the bar then covers them all. */
void progress_part(int64_t part, int64_t parts);

/* Takes the bar off the terminal. */
void progress_clear(void);

#endif
