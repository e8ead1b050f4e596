/* What the command stebz asks for, and its part for a batch. */
#ifndef EIG_CLI_CMD_STEBZ_H
#define EIG_CLI_CMD_STEBZ_H

#include "io/slices.h"
#include "tridiagonal.h"

typedef struct stebz_job {
    eig_type type;
    bool quiet; /* no eigenvalues and no summary on standard output */
    bool taken; /* standard output has numbers: what is said goes to stderr */
    bool timing;
    eig_stebz_options options;
    const char *output, *enclosures, *info, *plot, *reference;
    double *shifts; /* --count */
    int64_t shift_count;
    cli_part part; /* of one matrix's eigenvalues */
    cli_times times;
} stebz_job;

/* Draws m ascending eigenvalues of the file. */
int stebz_plot(const stebz_job *j, const char *file, const double *w, int64_t m);

/* The one line about a comparison, and the verdict; `number` is the eigenvalue's.  Returns an exit status. */
int stebz_verdict(const stebz_job *j, const comparison *c, int64_t number);

/* All that is asked for, of a batch.  Returns an exit status. */
int stebz_batch(stebz_job *j, const arguments *args, eig_context *ctx, const io_tridiagonals *many);

#endif
