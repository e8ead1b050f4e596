/* Manual pages, made of the same tables as --help. */
#include "pages/pages.h"

#include <ctype.h>
#include <eigpack.h>
#include <stdio.h>
#include <string.h>

/* One character as troff needs it; a dash is one to be typed. */
static void put(int c)
{
    static const char special[] = "-\\'`^~";
    static const char *const name[] = {"\\-", "\\e", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    const char *const at = c ? strchr(special, c) : NULL;
    if (at)
        fputs(name[at - special], stdout);
    else
        putchar(c);
}

static void put_text(const char *text)
{
    for (; *text; text++) put(*text);
}

/* A line of text: troff takes one that begins with a dot for a request. */
static void put_line(const char *text, size_t length)
{
    if (length > 0 && text[0] == '.') fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) put(text[i]);
    putchar('\n');
}

/* Lines that begin with a space keep their form; an empty one begins a paragraph; the others are filled. */
static void put_paragraphs(const char *text)
{
    bool kept = false;
    while (*text) {
        size_t const length = strcspn(text, "\n");
        bool const keep = *text == ' ';
        if (keep != kept) puts(keep ? ".PP\n.nf" : ".fi\n.PP");
        if (length == 0 && !keep && !kept) puts(".PP");
        if (length > 0) put_line(text, length);
        kept = keep;
        text += length + (text[length] == '\n');
    }
    if (kept) puts(".fi");
}

static void put_capitals(const char *text)
{
    for (; *text; text++) put(toupper((unsigned char)*text));
}

static void head(const char *command, const char *summary)
{
    fputs(".TH EIGPACK", stdout);
    if (command[0]) putchar('-'), put_capitals(command);
    printf(" 1 \"\" \"eigpack %s\" \"User Commands\"\n.SH NAME\neigpack%s", EIG_VERSION_STRING,
           command[0] ? "\\-" : "");
    printf("%s \\- ", command);
    put_text(summary);
    puts("\n.SH SYNOPSIS");
}

static void put_argument(const char *argument)
{
    fputs(" \\fI", stdout);
    for (int i = 0; i < option_name_length(argument); i++) put(argument[i]);
    fputs("\\fR", stdout);
}

static void put_rows(const option_row *row)
{
    for (; row->name; row++) {
        puts(".TP");
        if (row->letter) printf("\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB\\-\\-", stdout);
        put_text(row->name);
        fputs("\\fR", stdout);
        if (row->argument) put_argument(row->argument);
        putchar('\n');
        put_line(row->help, strlen(row->help));
    }
}

static void put_note(const help_note *note)
{
    fputs(".SH ", stdout);
    fputc('"', stdout), put_capitals(note->title), fputs("\"\n", stdout);
    put_paragraphs(note->text);
}

/* The names of the other pages. */
static void see_also(const cli_program *program, const cli_command *self)
{
    puts(".SH \"SEE ALSO\"");
    if (self) fputs(".BR eigpack (1)", stdout);
    for (int i = 0; i < program->count; i++) {
        if (program->commands[i] == self) continue;
        if (self || i > 0) fputs(",\n", stdout);
        printf(".BR eigpack\\-%s (1)", program->commands[i]->name);
    }
    putchar('\n');
}

void manual_program(const cli_program *program)
{
    head("", program->summary);
    puts(".B eigpack\n.I COMMAND\n\\&...\n.SH DESCRIPTION");
    puts("Each command has its own page, and \\fB\\-\\-help\\fR prints its options.\n.SH COMMANDS");
    for (int i = 0; i < program->count; i++) {
        printf(".TP\n\\fBeigpack\\-%s\\fR(1)\n", program->commands[i]->name);
        put_line(program->commands[i]->summary, strlen(program->commands[i]->summary));
    }
    puts(".TP\n\\fBeigpack \\-\\-version\\fR\nThe version.");
    puts(".TP\n\\fBeigpack completion\\fR \\fIbash\\fR|\\fIzsh\\fR|\\fIfish\\fR\nA script that completes commands, "
         "options and their values.");
    puts(".TP\n\\fBeigpack manual\\fR [\\fICOMMAND\\fR]\nThese pages, as troff.");
    puts(".SH \"OPTIONS OF EVERY COMMAND\"");
    put_rows(options_common);
    put_note(&options_files);
    put_note(&options_output);
    put_note(&options_status);
    see_also(program, NULL);
}

void manual_command(const cli_program *program, const cli_command *command)
{
    head(command->name, command->summary);
    printf(".B eigpack %s\n", command->name);
    if (command->usage[0]) put_line(command->usage, strlen(command->usage));
    puts(".SH DESCRIPTION");
    put_paragraphs(command->text);
    puts(".SH OPTIONS");
    put_rows(command->options);
    put_rows(options_common);
    put_note(&options_files);
    put_note(&options_output);
    puts(".SH EXAMPLES");
    put_paragraphs(command->examples);
    put_note(&options_status);
    see_also(program, command);
}
