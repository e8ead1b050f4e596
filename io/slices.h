/* Arrays that are read and written in slices, so that a file may be larger than memory.
 *
 * A .npy file in C order is read slice by slice; a file of any other form, and what comes through a pipe, is held in
 * memory whole and handed out by the same functions.  Outputs: .npy and text are written slice by slice; .mat and .mtx,
 * and several pipes or devices at once, are held whole and written at the end. */
#ifndef EIG_IO_SLICES_H
#define EIG_IO_SLICES_H

#include "io.h"

/* ------------------------------------------------------------ in */

typedef struct io_source {
    const char *path;
    io_array a; /* type, rank and shape; data only where it is held whole */
    bool text;
    const char *not_hermitian;             /* what a .mtx file says that its matrix is instead, or NULL */
    int64_t first_line, first, line, here; /* of text: the first line has `first` numbers, `line` has not; 0: none */
    int file;                              /* where it is not; else -1 */
    struct npy_form *form;                 /* of that file */
} io_source;

/* Opens it: true, or false with a sentence, as io_read_array says it; a file that is too short is found here. */
bool io_source_open(const char *path, io_source *s, io_error *error);
void io_source_close(io_source *s); /* a zeroed structure is closed */

/* An array seen as one of shape (outer, batch, inner), and a slice of its batch: first, ..., first + count - 1. */
typedef struct io_slab {
    int64_t outer, batch, inner, first, count;
} io_slab;

/* Reads a slab, outer * count * inner numbers of the source's type, to out.  Any thread may call it. */
bool io_source_read(const io_source *s, const io_slab *slab, void *out, io_error *error);

/* A batch of tridiagonal matrices in two files of rank 2 with a row for each matrix, as `eigpack generate --batch`
 * writes them. */
typedef struct io_tridiagonals {
    bool many; /* there is a batch; else all is empty */
    int64_t n, batch;
    io_source d, e;
    int64_t columns; /* of e: n-1, or n with padding in front */
} io_tridiagonals;

/* Opens a batch, or reads one matrix into *t as io_read_tridiagonal does, whichever the files hold.  Text that could be
 * either is one matrix. */
bool io_open_tridiagonals(const char *path_d, const char *path_e, io_tridiagonals *many, io_tridiagonal *t,
                          io_error *error);
void io_close_tridiagonals(io_tridiagonals *many);

/* ------------------------------------------------------------ out */

/* Numbers that follow one another. */
typedef struct io_run {
    int64_t first, count;
} io_run;

typedef struct io_sink {
    const char *path, *variable; /* path NULL: not wanted, every call succeeds */
    io_array a;                  /* type, rank and shape; data only where it is held whole */
    struct io_output *out;       /* else */
    int64_t start;               /* of a .npy file: the byte where its numbers begin */
    int64_t waiting;             /* bytes that the disk was not told of */
    bool whole;                  /* set by the caller: to be held whole, whatever the form */
    io_run *run;                 /* of a part of it: what was written */
    int64_t runs;
} io_sink;

enum { IO_SINKS = 8 }; /* at most, at a time */

/* Opens sinks whose path, variable and a are set.  Space on the disk is reserved where that can be. */
bool io_sinks_open(io_sink *sinks, int count, io_error *error);

/* Writes numbers first, ..., first + count - 1 in C order; text in whole rows, of rank 3 in whole matrices.  In order, by
 * one thread at a time, unless all may be written in any order. */
bool io_sinks_in_any_order(const io_sink *sinks, int count);
bool io_sink_write(io_sink *sink, int64_t first, int64_t count, const void *numbers, io_error *error);

/* Ends them all.  The files get their names once all are complete and on the disk.  False: no file has its name. */
bool io_sinks_close(io_sink *sinks, int count, io_error *error);
void io_sinks_abandon(io_sink *sinks, int count); /* leaves nothing; a zeroed structure is closed */

/* The two halves of closing: all is on the disk; then the files have their names. */
bool io_sinks_settle(io_sink *sinks, int count, io_error *error);
bool io_sinks_publish(io_sink *sinks, int count, io_error *error);

/* Several processes write parts of one .npy file: the first opens it and tells the temporary name, by which the others
 * join; each settles what it wrote, and when all have, each publishes: the name is given by the first. */
const char *io_sink_temporary(const io_sink *sink);
bool io_sink_join(io_sink *sink, const char *temporary, io_error *error);
bool io_sink_can_join(const char *path); /* a .npy file, no pipe or device */

/* Outputs of any other form: the first process holds them whole; the others have room for all, touch what they write,
 * and list it in run[0 .. runs-1].  The first takes these over, and writes all; the others drop theirs before they publish. */
bool io_sink_hold_part(io_sink *sink, io_error *error);
void io_sink_drop(io_sink *sink);

/* The bytes of memory that sources and sinks hold. */
int64_t io_source_held(const io_source *s);
int64_t io_sink_held(const io_sink *sink);

#endif
