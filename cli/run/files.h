/* The files of a command line: they are checked before anything is computed, then written, and all are kept or none. */
#ifndef EIG_CLI_FILES_H
#define EIG_CLI_FILES_H

#include "io/numbers.h"
#include "run/options.h"
#include "run/say.h"

/* An output as the command line names it; path is NULL where it is not asked for. */
typedef struct cli_output {
    const char *option, *path;
    int rank; /* of the array: 1 to 3; 0: bytes of no format */
} cli_output;

enum { CLI_PICTURE = -1 }; /* a rank */

/* What a command's table of options says of it. */
#define CLI_FORMAT "F=text|npy"
#define CLI_FORMAT_HELP "form of what is written to standard output: text (default) or npy"

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

/* Whether one of the outputs is standard output.  Nothing else is then printed there. */
bool cli_to_standard_output(const cli_output *outputs, int count);

/* Writes an array of rank 2, or of rank 1 where columns = 0 and it has as many numbers as rows. */
int cli_write(const char *path, const char *variable, const numbers *x, int64_t rows, int64_t columns);

#endif
