/* A batch in slices.  A command gives three functions; each works on one slice of the batch, in one of a few sets of
 * buffers.  Who runs them:
 *
 *     one slice      the caller, one after the other
 *     workers        small problems on several threads of a CPU: each thread takes slices through all three, with a context of
 *                    its own, so that a slice stays in its core's cache and no thread waits for another one but to write in turn
 *     a pipeline     else: while one slice is computed by all threads, the next is read and the one before is written */
#ifndef EIG_CLI_STREAM_H
#define EIG_CLI_STREAM_H

#include "io/slices.h"
#include "run/context.h"
#include "run/files.h"

enum { STREAM_STAGES = 3, STREAM_SLOTS = 64 /* of workers, at most */ };

typedef struct stream_slice {
    int64_t first, count; /* problems first, ..., first + count - 1 of the batch */
    int slot;             /* which set of buffers */
    eig_context *ctx;     /* what computes it */
} stream_slice;

typedef struct stream {
    eig_context *ctx;
    void *job;            /* handed to the functions */
    int64_t first, batch; /* the problems that are done here: first, ..., first + batch - 1 */
    int64_t bytes;        /* that one problem takes in a slot */
    int64_t loaded;       /* held for the whole run: files that were read whole */
    int64_t held;         /* and what is yet to be filled */
    const char *what;     /* what one problem is, for a sentence: "matrix of order 12" */

    /* Bytes of the library's workspace for this many problems at once; NULL: none. */
    size_t (*work)(void *job, int64_t count);

    /* Memory of a slot for this many problems; false where there is none. */
    bool (*make)(void *job, int slot, int64_t count);
    bool (*read)(void *job, const stream_slice *slice, io_error *error); /* several slices at a time */
    int (*solve)(void *job, const stream_slice *slice);                  /* an exit status; several slices at a time */
    bool (*write)(void *job, const stream_slice *slice, io_error *error);
    bool any_order; /* of writing, by several threads at once; else in order, one at a time */

    cli_times times; /* out: how long each stage was busy; they overlap where there are several slices */
} stream;

/* Does it all, within the memory that --memory allows.  Returns an exit status: a failed read is CLI_USAGE. */
int stream_run(stream *s, const arguments *args);

/* Adds the matrices of a slice that failed, by their info; n: the order of geev's, whose info may be n + 1, else -1. */
void stream_count_failed(cli_failures *failed, const int *info, int64_t n, const stream_slice *s);

/* Bytes of memory for outputs that are held whole. */
int64_t stream_held(const io_sink *sinks, int count);

/* Reads a slab of a source into x, converted where the types differ. */
bool stream_numbers(const io_source *source, const io_slab *slab, numbers *x, io_error *error);

#endif
