/* Completion for bash, zsh and fish, made of the same tables as --help. */
#include "pages/pages.h"

#include <stdio.h>
#include <string.h>

/* "text|npy" as words with spaces between. */
static void put_words(const char *words)
{
    for (; *words; words++) putchar(*words == '|' ? ' ' : *words);
}

/* Calls visit for the command's own options and then for those of every command. */
static void each_option(const cli_command *command, void (*visit)(const cli_command *, const option_row *))
{
    for (const option_row *row = command->options; row->name; row++) visit(command, row);
    for (const option_row *row = options_common; row->name; row++) visit(command, row);
}

static void put_commands(const cli_program *program)
{
    for (int i = 0; i < program->count; i++) printf("%s ", program->commands[i]->name);
    fputs("help completion manual", stdout);
}

/* ------------------------------------------------------------------- bash */

static void bash_option(const cli_command *command, const option_row *row)
{
    (void)command;
    if (row->letter) printf(" -%c", row->letter);
    printf(" --%s", row->name);
}

/* An option with words: they are offered after it; one with another value: files. */
static void bash_value(const cli_command *command, const option_row *row)
{
    if (!row->argument) return;
    const char *const words = option_words(command, row->name);
    printf("        %s.--%s) ", command->name, row->name);
    if (words)
        fputs("words='", stdout), put_words(words), puts("' ;;");
    else
        printf("files=1 ;;\n");
}

static void bash(const cli_program *program)
{
    puts("# bash completion for eigpack; made by `eigpack completion bash`.\n_eigpack()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' files=''\n"
         "    local command=${COMP_WORDS[1]}\n    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        words='", stdout);
    put_commands(program);
    puts(" --help --version'\n    else\n        case $command.$before in");
    fputs("        help.*|manual.*) words='", stdout);
    for (int i = 0; i < program->count; i++) printf("%s%s", i ? " " : "", program->commands[i]->name);
    puts("' ;;\n        completion.*) words='bash zsh fish' ;;");
    for (int i = 0; i < program->count; i++) each_option(program->commands[i], bash_value);
    puts("        *)\n            case $command in");
    for (int i = 0; i < program->count; i++) {
        const char *const own = program->commands[i]->names;
        printf("            %s) words=\"", program->commands[i]->name);
        if (own) fputs(own, stdout);
        each_option(program->commands[i], bash_option);
        puts(own ? "\" ;;" : "\" files=1 ;;");
    }
    puts("            esac\n            case $word in -*) files='' ;; esac ;;\n        esac\n    fi\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"; [ -z \"$files\" ] || compgen -f -- "
         "\"$word\")\n"
         "    [ -z \"$files\" ] || compopt -o filenames 2>/dev/null\n}\ncomplete -F _eigpack eigpack");
}

/* -------------------------------------------------------------- zsh, fish */

/* Text within single quotes; zsh gives [, ] and : a meaning of their own. */
static void put_quoted_part(const char *text, int length, const char *escaped)
{
    for (; length-- > 0; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(escaped, *text)) putchar('\\');
        putchar(*text);
    }
}

static void put_quoted(const char *text, const char *escaped)
{
    put_quoted_part(text, (int)strlen(text), escaped);
}

static void zsh_option(const cli_command *command, const option_row *row)
{
    const char *const words = option_words(command, row->name);
    fputs("            ", stdout);
    if (row->letter)
        printf("'*'{-%c,--%s}'", row->letter, row->name);
    else
        printf("'*--%s", row->name);
    putchar('[');
    put_quoted(row->help, "[]:\\");
    putchar(']');
    if (row->argument) {
        putchar(':');
        put_quoted_part(row->argument, option_name_length(row->argument), "[]:\\");
        putchar(':');
    }
    if (words)
        putchar('('), put_words(words), putchar(')');
    else if (row->argument)
        fputs("_files", stdout);
    puts("' \\");
}

static void zsh(const cli_program *program)
{
    puts("#compdef eigpack\n# zsh completion for eigpack; made by `eigpack completion zsh`.\n_eigpack()\n{\n"
         "    if ((CURRENT == 2)); then");
    fputs("        compadd -- ", stdout);
    put_commands(program);
    puts(" --help --version\n        return\n    fi\n    local command=$words[2]\n    shift words\n    ((CURRENT--))\n"
         "    case $command in");
    for (int i = 0; i < program->count; i++) {
        const char *const own = program->commands[i]->names;
        printf("        %s)\n            _arguments -s \\\n", program->commands[i]->name);
        each_option(program->commands[i], zsh_option);
        if (own)
            printf("            \"*:name:($(echo %s))\"\n            ;;\n", own);
        else
            puts("            '*:file:_files'\n            ;;");
    }
    fputs("        help | manual) compadd -- ", stdout);
    for (int i = 0; i < program->count; i++) printf("%s ", program->commands[i]->name);
    puts(";;\n        completion) compadd -- bash zsh fish ;;\n    esac\n}\n"
         "if [ \"$funcstack[1]\" = _eigpack ]; then _eigpack \"$@\"; else compdef _eigpack eigpack; fi");
}

static void fish_option(const cli_command *command, const option_row *row)
{
    const char *const words = option_words(command, row->name);
    printf("complete -c eigpack -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
    if (row->letter) printf(" -s %c", row->letter);
    if (row->argument) fputs(" -r", stdout);
    if (words) fputs(" -f -a '", stdout), put_words(words), putchar('\'');
    fputs(" -d '", stdout);
    for (const char *at = row->help; *at; at++) { /* fish knows \' and \\ within single quotes */
        if (*at == '\'' || *at == '\\') putchar('\\');
        putchar(*at);
    }
    puts("'");
}

static void fish(const cli_program *program)
{
    puts("# fish completion for eigpack; made by `eigpack completion fish`.");
    for (int i = 0; i < program->count; i++) {
        const cli_command *const command = program->commands[i];
        printf("complete -c eigpack -n __fish_use_subcommand -f -a %s -d '", command->name);
        put_quoted(command->summary, "");
        puts("'");
    }
    puts("complete -c eigpack -n __fish_use_subcommand -f -a 'help completion manual'\n"
         "complete -c eigpack -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    for (int i = 0; i < program->count; i++) {
        const char *const own = program->commands[i]->names;
        if (own && strncmp(own, "$(", 2) == 0) /* fish before 3.4 has (...) alone */
            printf("complete -c eigpack -n '__fish_seen_subcommand_from %s' -f -a \"%s\"\n", program->commands[i]->name,
                   own + 1);
        else if (own)
            printf("complete -c eigpack -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", program->commands[i]->name,
                   own);
        each_option(program->commands[i], fish_option);
    }
}

bool completion_script(const cli_program *program, const char *shell)
{
    if (strcmp(shell, "bash") == 0) return bash(program), true;
    if (strcmp(shell, "zsh") == 0) return zsh(program), true;
    if (strcmp(shell, "fish") == 0) return fish(program), true;
    return false;
}
