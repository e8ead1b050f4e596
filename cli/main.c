/* The program eigpack: one table of commands.  A command reads its files by io, calls the library by eigpack.h and
 * writes its results. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ, isatty */
#include "commands/commands.h"
#include "pages/pages.h"
#include "run/memory.h"
#include "run/progress.h"
#include "run/ranks.h"
#include "run/spin.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &command_info, &command_eigenvalues, &command_stebz,    &command_stemr,
    &command_heev, &command_geev,        &command_generate, &command_bench,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const cli_program program = {"eigenvalues and eigenvectors, many at a time, on CPUs and GPUs", commands,
                                    COMMANDS};

/* Words in a command's place that are none. */
static const char *const other_words[] = {"help", "version", "completion", "manual"};
enum { OTHER_WORDS = sizeof other_words / sizeof *other_words };

static void usage(FILE *out)
{
    fprintf(out, "usage: eigpack COMMAND ...\n\nEigenvalues and eigenvectors, many at a time, on CPUs and GPUs.\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(
        out,
        "\neigpack help COMMAND prints the options of a command, eigpack version the version.\n"
        "eigpack completion bash|zsh|fish prints a script for the shell, eigpack manual [COMMAND] a manual page.\n");
}

/* Output that did not arrive (a full disk, a closed pipe) is a failure like any other. */
static int finish(int status)
{
    io_outputs_drop(); /* of a run that failed before it kept them */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_OK)
        return cli_fail(CLI_FAILED, "cannot write to standard output");
    return status;
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *near = NULL;
    int least = INT_MAX;
    for (int i = 0; i < COMMANDS + OTHER_WORDS; i++) {
        const char *const known = i < COMMANDS ? commands[i]->name : other_words[i - COMMANDS];
        int const distance = word_distance(name, known);
        if (distance < least) least = distance, near = known;
    }
    return word_is_near(name, least)
               ? cli_fail(CLI_USAGE, "unknown command '%s'; did you mean '%s'? See eigpack --help", name, near)
               : cli_fail(CLI_USAGE, "unknown command '%s'; see eigpack --help", name);
}

/* libgomp's own complaint does not show: see spin.h. */
static void tell_environment(bool quiet)
{
    const char *const bad = spin_bad_threads();
    char text[40] = "";
    for (size_t i = 0; bad && bad[i] && i + 1 < sizeof text; i++)
        text[i] = (unsigned char)bad[i] < ' ' || bad[i] == 127 ? '?' : bad[i];
    if (bad && !quiet && ranks_rank() == 0)
        fprintf(stderr, "eigpack: OMP_NUM_THREADS = '%s' is ignored: it is not a number of threads\n", text);
}

static int run(const cli_command *command, int argc, char **argv)
{
    arguments args;
    if (ranks_several() && !command->ranks)
        return cli_fail(CLI_USAGE, "%s is for one process: start it without mpirun", command->name);
    int const status = options_read(command, argc - 1, argv + 1, &args);
    if (status >= 0) return status;
    args.program = argv[0];
    tell_environment(option_given(&args, "quiet"));
    bool const wanted = isatty(STDERR_FILENO) || option_given(&args, "progress");
    progress_show(wanted && ranks_rank() == 0 && !option_given(&args, "quiet"));
    return command->run(&args);
}

static int version(void)
{
    printf("eigpack %d.%d.%d\n", eig_version() / 10000, eig_version() / 100 % 100, eig_version() % 100);
    return CLI_OK;
}

static int manual(const char *name)
{
    const cli_command *const command = name ? find_command(name) : NULL;
    if (name && !command) return unknown(name);
    if (command)
        manual_command(&program, command);
    else
        manual_program(&program);
    return CLI_OK;
}

static int completion(const char *shell)
{
    if (shell && completion_script(&program, shell)) return CLI_OK;
    return cli_fail(CLI_USAGE, "completion takes one of bash, zsh and fish");
}

static bool is_one_of(const char *name, const char *a, const char *b, const char *c)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0 || strcmp(name, c) == 0;
}

/* "help CMD" is "CMD --help". */
static int help(const char *name)
{
    const cli_command *const command = name ? find_command(name) : NULL;
    for (int i = 0; name && i < OTHER_WORDS; i++)
        if (strcmp(name, other_words[i]) == 0) name = NULL;
    if (name && !command && strcmp(name, "--help") != 0) return unknown(name);
    if (command)
        options_help(command);
    else
        usage(stdout);
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    const cli_command *const command = find_command(name);
    if (command) return run(command, argc, argv);
    if (is_one_of(name, "help", "--help", "-h")) return help(name[0] == '-' ? NULL : argv[2]);
    if (is_one_of(name, "version", "--version", "-V")) return version();
    if (strcmp(name, "manual") == 0) return manual(argv[2]);
    if (strcmp(name, "completion") == 0) return completion(argv[2]);
    if (argc > 1) return unknown(name);
    usage(stderr);
    return CLI_USAGE;
}

static void note(const char *sentence)
{
    if (ranks_rank() == 0) say_note(sentence);
}

int main(int argc, char **argv)
{
    const cli_command *const command = argc > 1 ? find_command(argv[1]) : NULL;
    if (command && command->computes) spin_briefly(argv);
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit then shows as a failed write, which is reported */
    progress_catch_signals();
    io_outputs_wait(true);
    io_ask_memory(memory_free);
    io_listen(note);
    int const status = ranks_open();
    return status == CLI_OK ? ranks_end(finish(dispatch(argc, argv))) : status;
}
