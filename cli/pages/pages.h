/* What is made of the commands' tables beside --help: manual pages, and completion for shells.  Both go to standard output. */
#ifndef EIG_CLI_PAGES_H
#define EIG_CLI_PAGES_H

#include "run/options.h"

typedef struct cli_program {
    const char *summary;
    const cli_command *const *commands;
    int count;
} cli_program;

/* The page eigpack(1), or eigpack-NAME(1) of a command, as troff with the macros of man. */
void manual_program(const cli_program *program);
void manual_command(const cli_program *program, const cli_command *command);

/* A script for shell = "bash", "zsh" or "fish"; false for another shell. */
bool completion_script(const cli_program *program, const char *shell);

#endif
