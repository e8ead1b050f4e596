/* The command line: each command states its options as a table; getopt_long of the C library reads them.
 *
 * Options may stand before or after the files; --name=value and --name value mean the same.  The getters print one
 * sentence and return false when a value is not of the right form; an option that was not given leaves *value. */
#ifndef EIG_CLI_OPTIONS_H
#define EIG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* the short form, or 0 */
    const char *
        argument; /* the value's name in --help, and after "=" the words that it may be, where they are few: "F=text|npy";
                             NULL: the option is a switch */
    const char *help;
} option_row;

typedef struct cli_command cli_command;

enum { OPTIONS_MAX = 64, FILES_MAX = 8 };

typedef struct arguments {
    const cli_command *command;
    const char *program; /* argv[0] of main */
    int count;           /* what is no option: files and names */
    const char *file[FILES_MAX];
    int given; /* options in the order of the command line */
    const char *name[OPTIONS_MAX], *value[OPTIONS_MAX];
} arguments;

/* One command of the program. */
struct cli_command {
    const char *name, *summary;
    const char *usage; /* what follows "eigpack NAME" */
    const char *text;  /* what it does: for --help */
    const char *examples;
    const option_row *options; /* ended by a row without a name */
    int (*run)(const arguments *args);
    const char *names; /* words in place of files, where they are few; "$(COMMAND)" tells them */
    bool computes;     /* on threads: see spin.h */
    bool ranks;        /* works under mpirun */
};

/* Reads argv[1..argc-1] after the command's name.  Returns -1 to go on, or the exit status: after --help, or after a
 * sentence about what is wrong. */
int options_read(const cli_command *command, int argc, char **argv, arguments *args);

void options_help(const cli_command *command);

/* Options that every command takes, ended by a row without a name. */
extern const option_row options_common[];

/* How many letters of an argument are the value's name. */
static inline int option_name_length(const char *argument)
{
    return (int)strcspn(argument, "=");
}

/* What --help says of every command beside its own text. */
typedef struct help_note {
    const char *title, *text;
} help_note;
extern const help_note options_files, options_output, options_status;

/* How many letters must be changed, left out, added or swapped with their neighbours to make one word of the other. */
int word_distance(const char *a, const char *b);

/* Whether the distance is that of a typing error. */
bool word_is_near(const char *word, int distance);

/* The value of an option (the last one given); NULL when it was not given. */
const char *option_text(const arguments *args, const char *name);
bool option_given(const arguments *args, const char *name);

/* All values of an option that may be repeated; returns how many there are. */
int option_all(const arguments *args, const char *name, const char **values, int most);

bool option_integer(const arguments *args, const char *name, int64_t low, int64_t high, int64_t *value);
bool option_real(const arguments *args, const char *name, double low, double *value); /* finite and >= low */

/* Bytes, at least one: "1000000", "500M", "1.5G"; K, M, G and T are powers of 1024. */
bool option_size(const arguments *args, const char *name, int64_t *bytes);

/* The words that the option's value may be: "text|npy"; NULL where its row has none. */
const char *option_words(const cli_command *command, const char *name);

/* words: NULL stands for those of its row; *index becomes the place of the value among them. */
bool option_choice(const arguments *args, const char *name, const char *words, int *index);

/* Two values with a separator between them: "3:7", "-1,2.5", "-inf,0". */
bool option_integer_pair(const arguments *args, const char *name, char separator, int64_t *first, int64_t *second);
bool option_real_pair(const arguments *args, const char *name, char separator, double *first, double *second);

/* Lists "512,1024,2048"; *values is allocated, to be freed by the caller. */
bool option_integer_list(const arguments *args, const char *name, int64_t low, int64_t **values, int64_t *count);
bool option_real_list(const arguments *args, const char *name, double **values, int64_t *count);

#endif
