#define _POSIX_C_SOURCE 200809L /* strcasecmp */
#include "run/files.h"
#include "io/io.h"
#include "run/ranks.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A picture's name ends in .svg, or has no ending of another format. */
static int check_picture(const cli_output *out)
{
    const char *const slash = strrchr(out->path, '/'), *const dot = strrchr(slash ? slash : out->path, '.');
    if (!dot || strcasecmp(dot, ".svg") == 0) return CLI_OK;
    return cli_fail(CLI_USAGE, "--%s %s: pictures are written as SVG; name it .svg", out->option, out->path);
}

/* An option that was given more often than the command has outputs for it. */
static int check_given(const arguments *args, const cli_output *outputs, int count, const char *option)
{
    const char *path[2] = {NULL};
    int places = 0;
    for (int k = 0; k < count; k++) places += strcmp(outputs[k].option, option) == 0;
    if (option_all(args, option, path, 2) <= places || places > 1) return CLI_OK;
    return cli_fail(CLI_USAGE, "--%s is given twice, %s and %s: give it once", option, path[0], path[1]);
}

static int check_output(const cli_output *outputs, int k, const char *const *inputs, int input_count)
{
    const cli_output *const out = &outputs[k];
    io_error error;
    if (out->rank == CLI_PICTURE && check_picture(out) != CLI_OK) return CLI_USAGE;
    for (int i = 0; i < k; i++)
        if (outputs[i].path && io_same_file(outputs[i].path, out->path))
            return cli_fail(CLI_USAGE, "--%s %s and --%s %s are one file: give each output its own", outputs[i].option,
                            outputs[i].path, out->option, out->path);
    for (int i = 0; i < input_count; i++)
        if (inputs[i] && !io_is_standard_input(inputs[i]) && !io_is_standard_output(out->path) &&
            io_same_file(inputs[i], out->path))
            return cli_fail(CLI_USAGE, "--%s %s would overwrite the input %s", out->option, out->path, inputs[i]);
    if (ranks_several() && out->rank == CLI_PICTURE)
        return cli_fail(CLI_USAGE, "--%s is for one process: draw without mpirun", out->option);
    int const rank = out->rank == CLI_PICTURE ? 0 : out->rank;
    return io_try_output(out->path, rank, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

int cli_check_files(const arguments *args, const char *const *inputs, int input_count, const cli_output *outputs,
                    int output_count)
{
    int format = 0;
    if (!option_choice(args, "format", NULL, &format)) return CLI_USAGE;
    io_standard_output_npy(format == 1);
    int from_standard_input = 0;
    for (int i = 0; i < input_count; i++) from_standard_input += inputs[i] && io_is_standard_input(inputs[i]);
    if (from_standard_input > 1) return cli_fail(CLI_USAGE, "standard input can be read once only");
    for (int k = 0; k < output_count; k++) {
        int status = check_given(args, outputs, output_count, outputs[k].option);
        if (status == CLI_OK && outputs[k].path) status = check_output(outputs, k, inputs, input_count);
        if (status != CLI_OK) return status;
    }
    return CLI_OK;
}

bool cli_as_npy(const arguments *args)
{
    const char *const format = option_text(args, "format");
    return format && strcmp(format, "npy") == 0;
}

const char *cli_values_option(const arguments *args)
{
    return option_given(args, "output") ? "output" : "values";
}

int cli_keep_outputs(void)
{
    io_error error;
    bool const printed = fflush(stdout) == 0 && !ferror(stdout);
    int status = printed ? CLI_OK : cli_fail(CLI_FAILED, "standard output: cannot be written");
    status = ranks_agree(status);
    if (status == CLI_OK && !io_outputs_keep(&error)) status = cli_fail(CLI_FAILED, "%s", error.text);
    return ranks_agree(status);
}

bool cli_to_standard_output(const cli_output *outputs, int count)
{
    for (int k = 0; k < count; k++)
        if (outputs[k].path && io_is_standard_output(outputs[k].path)) return true;
    return false;
}

int cli_write(const char *path, const char *variable, const numbers *x, int64_t rows, int64_t columns)
{
    bool const vector = columns == 0 && x->count == rows;
    io_array const a = {type_in_file(x->type), vector ? 1 : 2, {rows, columns}, x->data};
    io_error error;
    return io_write_array(path, variable, &a, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}
