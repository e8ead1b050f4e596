/* What the commands share: the error sentence, contexts and their failures, types. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "cli.h"
#include "progress.h"
#include "together.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int cli_fail(int status, const char *format, ...)
{
    char raw[1024], sentence[1024];
    progress_clear();
    va_list list;
    va_start(list, format);
    vsnprintf(raw, sizeof raw, format, list);
    va_end(list);
    io_escape(sentence, sizeof sentence, raw);
    if (!together_keep(sentence)) fprintf(stderr, "eigpack: %s\n", sentence);
    return status;
}

int cli_status(const eig_context *ctx, eig_status status)
{
    progress_clear();
    if (status == EIG_OK) return CLI_OK;
    if (status == EIG_CANCELLED) return CLI_STOPPED; /* by another rank, which says why */
    const char *const detail = eig_error_detail(ctx);
    return cli_fail(status == EIG_BAD_ARGUMENT ? CLI_USAGE : CLI_FAILED, "%s",
                    detail[0] ? detail : eig_status_text(status));
}

/* The GPUs of a host are shared out among its ranks, one after the other.  The highest number that answers, from the
 * rank's own down, tells how many there are. */
static eig_status create_for_rank(eig_context **ctx, const char *device, const eig_ranks *ranks)
{
    char name[32];
    for (int k = ranks->host_rank; k >= 0; k--) {
        snprintf(name, sizeof name, "cuda:%d", k);
        eig_status const status = eig_create(ctx, name);
        if (status == EIG_OK && k == ranks->host_rank) return status;
        eig_destroy(*ctx);
        if (status != EIG_OK) continue;
        snprintf(name, sizeof name, "cuda:%d", ranks->host_rank % (k + 1));
        return eig_create(ctx, name);
    }
    return eig_create(ctx, device);
}

static eig_status create(eig_context **ctx, const char *device)
{
    const eig_ranks *const ranks = together_ranks();
    bool const open = !device || strcmp(device, "auto") == 0 || strcmp(device, "cuda") == 0;
    return ranks && open ? create_for_rank(ctx, device, ranks) : eig_create(ctx, device);
}

/* Where nothing binds the ranks of a host to cores of their own, each gets its share. */
static int64_t threads_for_rank(void)
{
    const eig_ranks *const ranks = together_ranks();
    long const cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t bound;
    if (!ranks || (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_COUNT(&bound) < cores)) return 0;
    return cores > ranks->host_size ? cores / ranks->host_size : 1;
}

int cli_open(const arguments *args, eig_context **ctx)
{
    int64_t threads = 0;
    if (!option_integer(args, "threads", 0, 65536, &threads)) return CLI_USAGE;
    if (threads == 0) threads = threads_for_rank();
    eig_status const created = create(ctx, option_text(args, "device"));
    int status = cli_status(*ctx, created);
    if (status == CLI_OK) status = cli_status(*ctx, eig_set_threads(*ctx, (int)threads));
    if (status == CLI_OK) status = cli_status(*ctx, eig_set_timing(*ctx, option_given(args, "timing")));
    if (status != CLI_OK) {
        eig_destroy(*ctx);
        *ctx = NULL;
        return status;
    }
    progress_attach(*ctx);
    return CLI_OK;
}

bool cli_on_cpu(eig_context *ctx)
{
    return strncmp(eig_describe(ctx), "cpu", 3) == 0;
}

bool cli_index_part(int64_t n, eig_range *range, int64_t *il, int64_t *iu, cli_part *part)
{
    *part = (cli_part){0};
    if (!together() || (*range == EIG_RANGE_INDEX && !(1 <= *il && *il <= *iu && *iu <= n))) return true;
    int64_t const begin = *range == EIG_RANGE_INDEX ? *il : 1;
    part->all = *range == EIG_RANGE_INDEX ? *iu - *il + 1 : n;
    together_part(part->all, &part->first, &part->mine);
    if (part->mine == 0) return false;
    *range = EIG_RANGE_INDEX, *il = begin + part->first, *iu = *il + part->mine - 1;
    return true;
}

void cli_add_passes(cli_times *times, eig_context *ctx)
{
    enum { MOST = sizeof times->pass / sizeof *times->pass };
    const eig_pass *pass = NULL;
    int count = 0;
    eig_get_timing(ctx, &pass, &count);
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < times->passes && strcmp(times->pass[k].name, pass[i].name) != 0) k++;
        if (k == MOST) continue;
        if (k == times->passes) times->pass[times->passes++] = (eig_pass){.name = pass[i].name};
        times->pass[k].ms += pass[i].ms;
    }
}

const char *cli_describe(eig_context *ctx)
{
    static char text[256];
    snprintf(text, sizeof text, "%s", eig_describe(ctx));
    size_t const used = strlen(text);
    if (together()) snprintf(text + used, sizeof text - used, ", %d ranks", together_size());
    return text;
}

void cli_say(const arguments *args, const char *format, ...)
{
    if (together_rank() > 0 || option_given(args, "quiet")) return;
    progress_clear();
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

void cli_print_times(eig_context *ctx, const cli_times *times)
{
    if (together_rank() > 0) return;
    fprintf(stderr, "%s\nread %.3f ms, solve %.3f ms", cli_describe(ctx), times->read_ms, times->solve_ms);
    for (int i = 0; i < times->passes; i++)
        fprintf(stderr, "%s%s %.3f", i == 0 ? " (" : ", ", times->pass[i].name, times->pass[i].ms);
    fprintf(stderr, "%s, write %.3f ms\n", times->passes > 0 ? ")" : "", times->write_ms);
}

int cli_failed_matrices(int64_t failed, int64_t batch)
{
    if (failed == 0) return CLI_OK;
    return cli_fail(CLI_FAILED,
                    "%lld of %lld matrices failed (not finite, or no convergence): their eigenvalues are NaN",
                    (long long)failed, (long long)batch);
}

bool cli_type(const arguments *args, const char *choices, eig_type *type)
{
    static const eig_type types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
    int choice = 0;
    if (!option_choice(args, "type", choices, &choice)) return false;
    for (size_t i = 0; option_given(args, "type") && i < sizeof types / sizeof *types; i++)
        if (strcmp(option_text(args, "type"), type_name(types[i])) == 0) *type = types[i];
    return true;
}

/* ------------------------------------------------------------------ files */

/* A picture's name ends in .svg, or says nothing of another form. */
static int check_picture(const cli_output *out)
{
    const char *const slash = strrchr(out->path, '/'), *const dot = strrchr(slash ? slash : out->path, '.');
    if (!dot || strcasecmp(dot, ".svg") == 0) return CLI_OK;
    return cli_fail(CLI_USAGE, "--%s %s: pictures are written as SVG; name it .svg", out->option, out->path);
}

/* An option that is given more often than the command has outputs for it. */
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
    if (together() && out->rank == CLI_PICTURE)
        return cli_fail(CLI_USAGE, "--%s is for one process: draw without mpirun", out->option);
    int const rank = out->rank == CLI_PICTURE ? 0 : out->rank;
    return io_try_output(out->path, rank, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

int cli_check_files(const arguments *args, const char *const *inputs, int input_count, const cli_output *outputs,
                    int output_count)
{
    int format = 0;
    if (!option_choice(args, "format", "text|npy", &format)) return CLI_USAGE;
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
    status = together_agree(status);
    if (status == CLI_OK && !io_outputs_keep(&error)) status = cli_fail(CLI_FAILED, "%s", error.text);
    return together_agree(status);
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

void *cli_allocate(int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;
    size_t const bytes = (size_t)count * size;
    return malloc(bytes ? bytes : 1);
}
