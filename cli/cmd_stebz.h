/* What the command stebz asks for, and its part for a batch. */
#ifndef EIG_CLI_CMD_STEBZ_H
#define EIG_CLI_CMD_STEBZ_H

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
    double read_ms, write_ms;
} stebz_job;

/* Draws m ascending eigenvalues of the file. */
int stebz_plot(const stebz_job *j, const char *file, const double *w, int64_t m);

/* The one line about a comparison, and the verdict; `number` is the eigenvalue's.  Returns an exit status. */
int stebz_verdict(const stebz_job *j, const comparison *c, int64_t number);

/* The times of the stages on stderr. */
void stebz_print_times(const stebz_job *j, eig_context *ctx, double solve_ms);

/* All that is asked for, of batch matrices of order t->n, one after the other in t->d and t->e.  Returns an exit
 * status. */
int stebz_batch(stebz_job *j, const arguments *args, eig_context *ctx, const io_tridiagonal *t, int64_t batch);

#endif
