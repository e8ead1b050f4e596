/* What commands do with a context: they open it as the options say, print its failures, times and device, and find a
 * rank's part. */
#ifndef EIG_CLI_CONTEXT_H
#define EIG_CLI_CONTEXT_H

#include "eigpack.h"
#include "io/numbers.h"
#include "run/options.h"
#include "run/say.h"

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

/* Under mpirun: narrows a range of indices, or all n, to this rank's part.  False: this rank has nothing to compute.  A
 * wrong range stays as it is, and the library refuses it.  For ranges by value see tridiagonal_part. */
bool cli_index_part(int64_t n, eig_range *range, int64_t *il, int64_t *iu, cli_part *part);

/* How long the stages of a run took, and the path and the stages of its calls. */
typedef struct cli_times {
    double read_ms, solve_ms, write_ms;
    char road[40];
    int passes;
    eig_pass pass[16];
} cli_times;

/* Notes the path of the context's last call, and adds the times of its stages to those of the same names. */
void cli_add_passes(cli_times *times, eig_context *ctx);

/* The longest times of all ranks.  Collective. */
void cli_longest_times(cli_times *times);

/* Prints a line on stderr, unless --quiet is given; standard output has data alone. */
void cli_say(const arguments *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What --timing says on stderr; the passes in brackets. */
void cli_print_times(eig_context *ctx, const cli_times *times);

/* Matrices of a batch that failed: how many, and which are the first ones, counted from 0, in order. */
enum { CLI_FIRST_FAILED = 3 };

typedef struct cli_failures {
    int64_t count, first[CLI_FIRST_FAILED];
    int64_t vectors; /* of these: geev's, whose eigenvalues are good */
} cli_failures;

void cli_add_failure(cli_failures *failed, int64_t number);

/* The exit status of a batch of which some matrices failed, with its sentence; why: what may be the matter with them. */
int cli_failed_matrices(const cli_failures *failed, int64_t batch, const char *why);

/* Reads --type, one of the words ("f32|f64"; NULL: those of its row); *type holds the default. */
bool cli_type(const arguments *args, const char *words, eig_type *type);

#endif
