/* The command line: tables of options, getopt_long, and getters that say what is wrong with a value. */
#define _GNU_SOURCE /* getopt_long */
#include "run/options.h"
#include "run/say.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option_row options_common[] = {
    {"device", 0, "NAME=auto|cpu|cuda|cuda:all",
     "auto (a GPU where one answers, else the CPU), cpu, cuda, cuda:K, cuda:K,L or cuda:all"},
    {"threads", 0, "T", "threads of the CPU; 0 = one a core (default)"},
    {"timing", 0, NULL, "say on stderr how long each stage took"},
    {"quiet", 'q', NULL, "print only errors on stderr, and what an option asks for (--timing)"},
    {"progress", 0, NULL, "a progress bar even where stderr is no terminal, as under mpirun"},
    {"help", 'h', NULL, "this text"},
    {NULL, 0, NULL, NULL},
};

const help_note options_files = {
    "files", "by the name .npy, .mtx or .mat; of another name, inputs by their first bytes, outputs as text;\n"
             "- is standard input or standard output"};
const help_note options_output = {
    "output", "standard output has only data, messages go to stderr; eigenvalues are printed where no output is\n"
              "named.  The files of a run are all kept or all removed: they get their names when all are complete"};
const help_note options_status = {"exit status",
                                  "0 done; 1 a computation or comparison failed, or an output cannot be written;\n"
                                  "2 the command line is wrong or an input cannot be read; 130 stopped by Ctrl-C"};

enum { LONG_FIRST = 256 }; /* what getopt_long returns for row 0: beyond every letter */

/* Row number `index` over the command's own rows and then the common ones; NULL past the end. */
static const option_row *row_at(const cli_command *command, int index)
{
    const option_row *const tables[] = {command->options, options_common};
    for (int t = 0; t < 2; t++)
        for (const option_row *row = tables[t]; row->name; row++)
            if (index-- == 0) return row;
    return NULL;
}

static const option_row *row_of_letter(const cli_command *command, int letter)
{
    for (int i = 0;; i++) {
        const option_row *const row = row_at(command, i);
        if (!row || row->letter == letter) return row;
    }
}

/* ------------------------------------------------------------------- help */

static void print_rows(const option_row *row)
{
    for (; row->name; row++) {
        char left[64];
        int const used = row->letter ? snprintf(left, sizeof left, "-%c, --%s", row->letter, row->name)
                                     : snprintf(left, sizeof left, "    --%s", row->name);
        if (row->argument)
            snprintf(left + used, sizeof left - (size_t)used, " %.*s", option_name_length(row->argument),
                     row->argument);
        printf("  %-28s %s\n", left, row->help);
    }
}

/* "title: text", further lines below the text's first. */
static void print_note(const help_note *note)
{
    int const indent = (int)strlen(note->title) + 2;
    printf("%s: ", note->title);
    for (const char *at = note->text; *at; at++) {
        putchar(*at);
        if (*at == '\n') printf("%*s", indent, "");
    }
    putchar('\n');
}

void options_help(const cli_command *command)
{
    printf("usage: eigpack %s%s%s\n\n%s\n", command->name, command->usage[0] ? " " : "", command->usage, command->text);
    if (command->options->name) {
        printf("\noptions:\n");
        print_rows(command->options);
    }
    printf("\noptions of every command:\n");
    print_rows(options_common);
    printf("\n");
    print_note(&options_files);
    print_note(&options_output);
    printf("\nexamples:\n%s\n", command->examples);
    print_note(&options_status);
}

/* ---------------------------------------------------------------- reading */

/* Fills getopt's tables from the rows.  A leading ':' makes getopt tell a missing value from an unknown option. */
static void getopt_tables(const cli_command *command, struct option *longs, char *letters)
{
    *letters++ = ':';
    int i = 0;
    for (const option_row *row; (row = row_at(command, i)) != NULL && i < OPTIONS_MAX; i++) {
        longs[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, LONG_FIRST + i};
        if (!row->letter) continue;
        *letters++ = row->letter;
        if (row->argument) *letters++ = ':';
    }
    longs[i] = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

/* The optimal string alignment distance (R. A. Wagner and M. J. Fischer, J. ACM 21, 1974, with swaps), of words that are
 * cut to 30 letters. */
int word_distance(const char *a, const char *b)
{
    enum { MOST = 30 };
    int cost[MOST + 1][MOST + 1];
    int const rows = (int)strnlen(a, MOST), columns = (int)strnlen(b, MOST);
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            int best = i + j; /* on the edges */
            if (i > 0 && j > 0) {
                best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                if (cost[i - 1][j] + 1 < best) best = cost[i - 1][j] + 1;
                if (cost[i][j - 1] + 1 < best) best = cost[i][j - 1] + 1;
                bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if (swapped && cost[i - 2][j - 2] + 1 < best) best = cost[i - 2][j - 2] + 1;
            }
            cost[i][j] = best;
        }
    return cost[rows][columns];
}

bool word_is_near(const char *word, int distance)
{
    return distance <= 1 + (int)strlen(word) / 4;
}

/* Suggests long options for one that does not exist. */
static int refuse_name(const cli_command *command, const char *word)
{
    char name[64], meant[512] = "";
    int const length = snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    int found = 0, least = INT_MAX;
    const char *near = NULL;
    for (int i = 0; length > 0 && row_at(command, i); i++) {
        const char *const known = row_at(command, i)->name;
        int const distance = word_distance(name, known);
        if (distance < least) least = distance, near = known;
        size_t const used = strlen(meant);
        if (strncmp(name, known, (size_t)length) == 0)
            snprintf(meant + used, sizeof meant - used, "%s--%s", found++ ? ", " : "", known);
    }
    if (found > 1)
        return cli_fail(CLI_USAGE, "--%s is ambiguous: %s; see eigpack %s --help", name, meant, command->name);
    if (near && word_is_near(name, least))
        return cli_fail(CLI_USAGE, "unknown option --%s; did you mean --%s? See eigpack %s --help", name, near,
                        command->name);
    return cli_fail(CLI_USAGE, "unknown option --%s; see eigpack %s --help", name, command->name);
}

/* The sentence for what getopt_long refused: '?' with optopt set for a switch given a value, or an unknown letter. */
static int refuse(const cli_command *command, char **argv, int answer)
{
    const char *const help = command->name;
    const char *const word = argv[optind - 1];
    if (answer == ':') return cli_fail(CLI_USAGE, "%s needs a value; see eigpack %s --help", word, help);
    if (optopt >= LONG_FIRST)
        return cli_fail(CLI_USAGE, "--%s takes no value; see eigpack %s --help",
                        row_at(command, optopt - LONG_FIRST)->name, help);
    if (optopt) return cli_fail(CLI_USAGE, "unknown option -%c; see eigpack %s --help", optopt, help);
    return refuse_name(command, word);
}

int options_read(const cli_command *command, int argc, char **argv, arguments *args)
{
    struct option longs[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 2];
    getopt_tables(command, longs, letters);
    *args = (arguments){.command = command};
    opterr = 0;
    for (int answer; (answer = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        if (answer == '?' || answer == ':') return refuse(command, argv, answer);
        const option_row *const row =
            answer >= LONG_FIRST ? row_at(command, answer - LONG_FIRST) : row_of_letter(command, answer);
        if (strcmp(row->name, "help") == 0) {
            options_help(command);
            return CLI_OK;
        }
        if (args->given == OPTIONS_MAX) return cli_fail(CLI_USAGE, "more than %d options", OPTIONS_MAX);
        args->name[args->given] = row->name;
        args->value[args->given++] = row->argument ? optarg : "";
    }
    for (int i = optind; i < argc; i++) {
        if (args->count == FILES_MAX)
            return cli_fail(CLI_USAGE, "more than %d files; see eigpack %s --help", FILES_MAX, command->name);
        args->file[args->count++] = argv[i];
    }
    return -1;
}

/* ---------------------------------------------------------------- getters */

const char *option_text(const arguments *args, const char *name)
{
    for (int i = args->given - 1; i >= 0; i--)
        if (strcmp(args->name[i], name) == 0) return args->value[i];
    return NULL;
}

bool option_given(const arguments *args, const char *name)
{
    return option_text(args, name) != NULL;
}

int option_all(const arguments *args, const char *name, const char **values, int most)
{
    int count = 0;
    for (int i = 0; i < args->given; i++) {
        if (strcmp(args->name[i], name) != 0) continue;
        if (count < most) values[count] = args->value[i];
        count++;
    }
    return count;
}

/* Reads an integer that ends at `end`; moves *text to there. */
static bool integer_until(const char **text, char end, int64_t *value)
{
    char *stop;
    errno = 0;
    long long const x = strtoll(*text, &stop, 10);
    if (stop == *text || *stop != end || errno == ERANGE) return false;
    *value = x;
    *text = stop;
    return true;
}

/* The same for a real number; infinities are allowed here, NaN is not. */
static bool real_until(const char **text, char end, double *value)
{
    char *stop;
    double const x = strtod(*text, &stop);
    if (stop == *text || *stop != end || isnan(x)) return false;
    *value = x;
    *text = stop;
    return true;
}

static bool refuse_value(const char *name, const char *text, const char *wanted)
{
    cli_fail(CLI_USAGE, "--%s = '%s': must be %s", name, text, wanted);
    return false;
}

bool option_integer(const arguments *args, const char *name, int64_t low, int64_t high, int64_t *value)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    const char *at = text;
    int64_t x;
    if (integer_until(&at, '\0', &x) && low <= x && x <= high) {
        *value = x;
        return true;
    }
    char wanted[80];
    if (high == INT64_MAX)
        snprintf(wanted, sizeof wanted, "an integer >= %lld", (long long)low);
    else
        snprintf(wanted, sizeof wanted, "an integer from %lld to %lld", (long long)low, (long long)high);
    return refuse_value(name, text, wanted);
}

bool option_real(const arguments *args, const char *name, double low, double *value)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    const char *at = text;
    double x;
    if (real_until(&at, '\0', &x) && x >= low && isfinite(x)) {
        *value = x;
        return true;
    }
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a finite number >= %g", low);
    return refuse_value(name, text, wanted);
}

bool option_size(const arguments *args, const char *name, int64_t *bytes)
{
    static const char units[] = "KMGT";
    const char *const text = option_text(args, name);
    if (!text) return true;
    char *stop;
    double x = strtod(text, &stop);
    const char *const unit = *stop ? strchr(units, *stop) : NULL;
    if (unit) x = ldexp(x, 10 * (int)(unit - units + 1)), ++stop;
    if (stop != text && *stop == '\0' && x >= 1 && x < 0x1p62) return *bytes = (int64_t)x, true;
    return refuse_value(name, text, "a size such as 500M or 8G");
}

const char *option_words(const cli_command *command, const char *name)
{
    const option_row *row;
    for (int i = 0; (row = row_at(command, i)) != NULL; i++)
        if (strcmp(row->name, name) == 0) break;
    const char *const words = row && row->argument ? strchr(row->argument, '=') : NULL;
    return words ? words + 1 : NULL;
}

bool option_choice(const arguments *args, const char *name, const char *words, int *index)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    if (!words) words = option_words(args->command, name);
    size_t const length = strlen(text);
    int place = 0;
    for (const char *choice = words;; place++) {
        size_t const span = strcspn(choice, "|");
        if (span == length && memcmp(choice, text, span) == 0) {
            *index = place;
            return true;
        }
        if (choice[span] == '\0') break;
        choice += span + 1;
    }
    char wanted[160];
    snprintf(wanted, sizeof wanted, "one of %s", words);
    return refuse_value(name, text, wanted);
}

bool option_integer_pair(const arguments *args, const char *name, char separator, int64_t *first, int64_t *second)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    const char *at = text;
    if (integer_until(&at, separator, first) && (at++, integer_until(&at, '\0', second))) return true;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "two integers, FIRST%cLAST", separator);
    return refuse_value(name, text, wanted);
}

bool option_real_pair(const arguments *args, const char *name, char separator, double *first, double *second)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    const char *at = text;
    if (real_until(&at, separator, first) && (at++, real_until(&at, '\0', second))) return true;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "two numbers, LOW%cHIGH", separator);
    return refuse_value(name, text, wanted);
}

static int64_t list_length(const char *text)
{
    int64_t count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

bool option_integer_list(const arguments *args, const char *name, int64_t low, int64_t **values, int64_t *count)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    *count = list_length(text);
    *values = (int64_t *)cli_allocate(*count, sizeof **values);
    bool good = *values != NULL;
    const char *at = text;
    for (int64_t i = 0; good && i < *count; i++, at++)
        good = integer_until(&at, i + 1 < *count ? ',' : '\0', &(*values)[i]) && (*values)[i] >= low;
    if (good) return true;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "integers >= %lld with commas between them", (long long)low);
    return refuse_value(name, text, wanted);
}

bool option_real_list(const arguments *args, const char *name, double **values, int64_t *count)
{
    const char *const text = option_text(args, name);
    if (!text) return true;
    *count = list_length(text);
    *values = (double *)cli_allocate(*count, sizeof **values);
    bool good = *values != NULL;
    const char *at = text;
    for (int64_t i = 0; good && i < *count; i++, at++)
        good = real_until(&at, i + 1 < *count ? ',' : '\0', &(*values)[i]);
    return good || refuse_value(name, text, "numbers with commas between them");
}
