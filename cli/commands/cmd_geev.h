/* What a run of the command geev asks for, and how it goes through the batch. */
#ifndef EIG_CLI_CMD_GEEV_H
#define EIG_CLI_CMD_GEEV_H

#include "commands/geev_family.h"
#include "run/matrices_file.h"
#include "run/stream.h"

/* The buffers of a slice. */
typedef struct geev_part {
    numbers a;                      /* as the library reads it; of a family the points */
    numbers w;                      /* [count*n]; nothing where only measures of a family are wanted */
    numbers left, right, condition; /* eigenvectors, condition numbers; nothing where they are not wanted */
    numbers form, basis;            /* T and Q of Schur forms, likewise */
    numbers value;                  /* [count]: the measures */
    int *info;                      /* [count] */
} geev_part;

enum {
    GEEV_VALUES,
    GEEV_VECTORS,
    GEEV_LEFT,
    GEEV_CONDITION,
    GEEV_FORM,
    GEEV_BASIS,
    GEEV_MEASURED,
    GEEV_INFO,
    GEEV_OUTPUTS
};

typedef struct geev_run {
    eig_context *ctx;
    eig_type type;
    bool timing, prints; /* prints: the eigenvalues or measures, on standard output */
    eig_geev_options options;
    const char *values, *vectors, *left, *condition, *form, *basis, *info_path, *measures, *plot;
    int measure, order; /* which of the choices; -1: none */
    bool is_family;     /* --affine: the points of its grid are the batch */
    family family;
    matrices_file file; /* else */
    int64_t n, batch;
    io_sink sink[GEEV_OUTPUTS];
    geev_part part[STREAM_SLOTS];
    numbers drawn; /* what --plot draws: all eigenvalues, or the measures over the grid */
    cli_failures failed;
    cli_times times;
} geev_run;

/* Whether --plot draws a measure over a grid; else it draws the eigenvalues. */
bool geev_plots_measure(const geev_run *j);

/* Solves the whole batch and writes its arrays, but does not end the sinks.  Returns an exit status. */
int geev_solve(geev_run *j, const arguments *args);
void geev_slices_free(geev_run *j);

#endif
