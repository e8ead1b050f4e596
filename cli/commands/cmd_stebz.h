/* What the command stebz asks for, and its part for a batch. */
#ifndef EIG_CLI_CMD_STEBZ_H
#define EIG_CLI_CMD_STEBZ_H

#include "io/slices.h"
#include "run/tridiagonal.h"

typedef struct stebz_run {
    eig_type type;
    bool timing;
    eig_stebz_options options;
    const char *output; /* "-" where no output is named */
    const char *enclosures, *info, *plot, *reference;
    double *shifts; /* --count */
    int64_t shift_count;
    cli_part part; /* of one matrix's eigenvalues */
    cli_times times;
} stebz_run;

/* Draws m ascending eigenvalues of the file. */
int stebz_plot(const stebz_run *j, const char *file, const double *w, int64_t m);

/* The one line about a comparison, and the verdict, on stderr; `number` is the eigenvalue's.  Returns an exit status. */
int stebz_verdict(const comparison *c, int64_t number);

/* The sentence about a reference of another length.  Returns an exit status. */
int stebz_refuse_reference(const stebz_run *j, int64_t count, int64_t batch, int64_t m);

/* Whether the eigenvalues went to a file, so that one line describes them. */
bool stebz_filed(const stebz_run *j);

/* All that is asked for, of a batch.  Returns an exit status. */
int stebz_batch(stebz_run *j, const arguments *args, eig_context *ctx, const io_tridiagonals *many);

#endif
