/* What the commands of the program share: exit statuses, the error sentence, the command table's row, contexts.
 *
 * A family adds one file cmd_<family>.c with a `cli_command`, and one row in main.c. */
#ifndef EIG_CLI_H
#define EIG_CLI_H

#include "eigpack.h"
#include "io/numbers.h"
#include "options.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses; a run that a signal ended has 128 + its number in the shell. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* a computation or comparison failed, or an output cannot be written */
    CLI_USAGE = 2   /* the command line is wrong, or an input cannot be read */
};

/* One command of the program. */
struct cli_command {
    const char *name, *summary;
    const char *usage; /* what follows "eigpack NAME" */
    const char *text;  /* what it does: for --help */
    const char *examples;
    const option_row *options; /* ended by a row without a name */
    int (*run)(const arguments *args);
    bool computes; /* on threads: see spin.h */
    bool ranks;    /* works under mpirun */
};

extern const cli_command command_info, command_eigenvalues, command_stebz, command_stemr, command_heev, command_geev,
    command_generate, command_bench;

/* Prints "eigpack: sentence" to stderr and hands back the status, so that callers can return it. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit status of a library call: prints the context's sentence where it failed. */
int cli_status(const eig_context *ctx, eig_status status);

/* Opens the context that --device and --threads ask for, attached to the progress bar; it measures the times of
 * passes where --timing is given. */
int cli_open(const arguments *args, eig_context **ctx);

bool cli_on_cpu(eig_context *ctx);

/* eig_describe, and how many ranks there are. */
const char *cli_describe(eig_context *ctx);

/* A rank's part of a matrix's eigenvalues: `mine` from number `first` on, counted from 0, of `all`. */
typedef struct cli_part {
    int64_t first, mine, all;
} cli_part;

/* Under mpirun: narrows a range of indices, or all n, to this rank's part.  False: there is nothing to compute for it.
 * A range that is wrong stays as it is, for the library to refuse; not for ranges of values (tridiagonal_part). */
bool cli_index_part(int64_t n, eig_range *range, int64_t *il, int64_t *iu, cli_part *part);

/* How long the stages of a run took, and the passes of its calls. */
typedef struct cli_times {
    double read_ms, solve_ms, write_ms;
    int passes;
    eig_pass pass[16];
} cli_times;

/* Adds the passes of the context's last call to those of the same names. */
void cli_add_passes(cli_times *times, eig_context *ctx);

/* Talk: a line on stderr, unless --quiet; standard output has data alone. */
void cli_say(const arguments *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What --timing says on stderr; the passes in brackets. */
void cli_print_times(eig_context *ctx, const cli_times *times);

/* The exit status of a batch of which some matrices failed, with its sentence. */
int cli_failed_matrices(int64_t failed, int64_t batch);

/* Reads --type, one of choices ("f32|f64"); *type holds the default. */
bool cli_type(const arguments *args, const char *choices, eig_type *type);

/* An output as the command line names it; path is NULL where it is not asked for. */
typedef struct cli_output {
    const char *option, *path;
    int rank; /* of the array: 1 to 3; 0: bytes of no format */
} cli_output;

enum { CLI_PICTURE = -1 }; /* a rank */

/* What a command's table of options says of it. */
#define CLI_FORMAT_HELP "of what goes to standard output: text (default) or npy"

/* Checks the files of a command line, before anything is read or computed: that each output can be written, that none is
 * named twice, that no two are one file, that none is an input, and that standard input is named once.  Inputs may be
 * NULL.  Reads --format too.  Returns an exit status. */
int cli_check_files(const arguments *args, const char *const *inputs, int input_count, const cli_output *outputs,
                    int output_count);

/* Whether --format npy is given. */
bool cli_as_npy(const arguments *args);

/* The name of the option that tells where the eigenvalues go: --output, or --values, which is the same. */
const char *cli_values_option(const arguments *args);

/* Collective, once all outputs are written: all get their names, or none.  Returns an exit status. */
int cli_keep_outputs(void);

/* Whether one of the outputs is standard output, which then has nothing else. */
bool cli_to_standard_output(const cli_output *outputs, int count);

/* Writes an array of rank 2, or of rank 1 where columns = 0 and it has as many numbers as rows. */
int cli_write(const char *path, const char *variable, const numbers *x, int64_t rows, int64_t columns);

/* malloc(count * size) that refuses an overflow; at least one byte, so that NULL always means failure. */
void *cli_allocate(int64_t count, size_t size);

#endif
