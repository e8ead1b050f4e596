/* Square matrices from one file: one, or a batch. */
#ifndef EIG_CLI_MATRICES_FILE_H
#define EIG_CLI_MATRICES_FILE_H

#include "io/slices.h"
#include "run/context.h"
#include "run/files.h"

typedef struct matrices_file {
    io_source source;
    int64_t n, batch;
    bool one;      /* the file holds one matrix of rank 2 */
    eig_type type; /* of the file: real integers are EIG_D */
    io_slab slab;  /* the array as (outer, batch, inner); first and count are the caller's */
} matrices_file;

/* Opens a file that holds one matrix, or a batch whose place among the extents the layout tells: (batch, n, n),
 * (n, batch, n) or (n, n, batch).  A matrix whose file says that it is not Hermitian is refused where it must
 * be.  Returns an exit status; matrices_close releases it either way. */
int matrices_open(const char *path, eig_layout layout, bool hermitian, matrices_file *m);

/* The sentence about text whose lines have different counts of numbers.  Returns an exit status. */
int matrices_ragged(const char *path, const io_source *source);
void matrices_close(matrices_file *m);

#endif
