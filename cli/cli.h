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

/* Exit statuses; a run that a signal ended exits with 128 + its number. */
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
};

extern const cli_command command_info, command_eigenvalues, command_stebz, command_geev, command_generate,
    command_bench;

/* Prints "eigpack: sentence" to stderr and hands back the status, so that callers can return it. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The exit status of a library call: prints the context's sentence where it failed.  A signal that came meanwhile
 * ends the run here, before anything is written. */
int cli_status(const eig_context *ctx, eig_status status);

/* Opens the context that --device and --threads ask for, with the progress bar attached; it measures the times of
 * passes where --timing is given. */
int cli_open(const arguments *args, eig_context **ctx);

/* The passes of a call in brackets, e.g. " (preparation 0.1, table 0.2)"; nothing where there are none. */
void cli_print_passes(FILE *out, const eig_pass *pass, int count);

/* Reads --type, one of choices ("f32|f64"); *type holds the default. */
bool cli_type(const arguments *args, const char *choices, eig_type *type);

/* Writes an array that is seen as rank 1 (columns = 0) or 2. */
int cli_write(const char *path, const char *variable, const numbers *x, int64_t rows, int64_t columns);

/* malloc(count * size) that refuses an overflow; at least one byte, so that NULL always means failure. */
void *cli_allocate(int64_t count, size_t size);

#endif
