/* What commands share.  A family adds one file cmd_<family>.c with a `cli_command`, and one row in main.c. */
#ifndef EIG_CLI_COMMANDS_H
#define EIG_CLI_COMMANDS_H

#include "run/context.h"
#include "run/files.h"
#include "run/options.h"
#include "run/say.h"

#include <stdio.h>

extern const cli_command command_info, command_eigenvalues, command_stebz, command_stemr, command_heev, command_geev,
    command_generate, command_bench;

#endif
