#define _GNU_SOURCE /* sched_getaffinity */
#include "run/context.h"
#include "bench/support/passes.h"
#include "run/progress.h"
#include "run/ranks.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    const eig_ranks *const ranks = ranks_table();
    bool const open = !device || strcmp(device, "auto") == 0 || strcmp(device, "cuda") == 0;
    return ranks && open ? create_for_rank(ctx, device, ranks) : eig_create(ctx, device);
}

/* Where nothing binds the ranks of a host to cores of their own, each gets its share. */
static int64_t threads_for_rank(void)
{
    const eig_ranks *const ranks = ranks_table();
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
    if (!ranks_several() || (*range == EIG_RANGE_INDEX && !(1 <= *il && *il <= *iu && *iu <= n))) return true;
    int64_t const begin = *range == EIG_RANGE_INDEX ? *il : 1;
    part->all = *range == EIG_RANGE_INDEX ? *iu - *il + 1 : n;
    ranks_part(part->all, &part->first, &part->mine);
    if (part->mine == 0) return false;
    *range = EIG_RANGE_INDEX, *il = begin + part->first, *iu = *il + part->mine - 1;
    return true;
}

void cli_add_passes(cli_times *times, eig_context *ctx)
{
    enum { MOST = sizeof times->pass / sizeof *times->pass };
    eig_pass pass[PASSES_MOST];
    int const count = passes_read(ctx, pass);
    snprintf(times->road, sizeof times->road, "%s", eig_get_road(ctx));
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < times->passes && strcmp(times->pass[k].name, pass[i].name) != 0) k++;
        if (k == MOST) continue;
        if (k == times->passes) times->pass[times->passes++] = (eig_pass){.name = pass[i].name};
        times->pass[k].ms += pass[i].ms;
    }
}

void cli_longest_times(cli_times *times)
{
    double ms[] = {times->read_ms, times->solve_ms, times->write_ms};
    ranks_largest(ms, 3);
    times->read_ms = ms[0], times->solve_ms = ms[1], times->write_ms = ms[2];
}

const char *cli_describe(eig_context *ctx)
{
    static char text[256];
    snprintf(text, sizeof text, "%s", eig_describe(ctx));
    size_t const used = strlen(text);
    if (ranks_several()) snprintf(text + used, sizeof text - used, ", %d ranks", ranks_size());
    return text;
}

void cli_say(const arguments *args, const char *format, ...)
{
    if (ranks_rank() > 0 || option_given(args, "quiet")) return;
    progress_clear();
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

void cli_print_times(eig_context *ctx, const cli_times *times)
{
    if (ranks_rank() > 0) return;
    fprintf(stderr, "%s", cli_describe(ctx));
    if (times->road[0]) fprintf(stderr, ", path \"%s\"", times->road);
    fprintf(stderr, "\nread %.3f ms, solve %.3f ms", times->read_ms, times->solve_ms);
    for (int i = 0; i < times->passes; i++)
        fprintf(stderr, "%s%s %.3f", i == 0 ? " (" : ", ", times->pass[i].name, times->pass[i].ms);
    fprintf(stderr, "%s, write %.3f ms\n", times->passes > 0 ? ")" : "", times->write_ms);
}

void cli_add_failure(cli_failures *failed, int64_t number)
{
    for (int k = 0; k < CLI_FIRST_FAILED; k++) {
        int64_t const there = failed->first[k];
        if (k < failed->count && there < number) continue;
        failed->first[k] = number;
        if (k >= failed->count) break;
        number = there; /* moves up */
    }
    failed->count++;
}

/* ": number 3", or ": numbers 3, 5, 8, ...", counted from 0; "" where there is one matrix, or where each rank knows its
 * own alone. */
static void tell_numbers(const cli_failures *failed, int64_t batch, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (batch == 1 || ranks_several()) return;
    for (int k = 0; k < CLI_FIRST_FAILED && k < failed->count; k++) {
        const char *const before = k > 0 ? "," : failed->count > 1 ? ": numbers" : ": number";
        used += (size_t)snprintf(text + used, size - used, "%s %lld", before, (long long)failed->first[k]);
    }
    snprintf(text + used, size - used, "%s, counted from 0", failed->count > CLI_FIRST_FAILED ? ", ..." : "");
}

int cli_failed_matrices(const cli_failures *failed, int64_t batch, const char *why)
{
    char which[120];
    if (failed->count == 0) return CLI_OK;
    tell_numbers(failed, batch, which, sizeof which);
    long long const count = failed->count, all = batch, vectors = failed->vectors;
    if (vectors == count)
        return cli_fail(
            CLI_FAILED,
            "%lld of %lld matrices failed (eigenvalues are good, but a vector within the bound was not found): "
            "their vectors are NaN%s",
            count, all, which);
    if (vectors > 0)
        return cli_fail(
            CLI_FAILED,
            "%lld of %lld matrices failed (%s; %lld with good eigenvalues, but a vector within the bound was "
            "not found): their vectors are NaN, and the other eigenvalues%s",
            count, all, why, vectors, which);
    return cli_fail(CLI_FAILED, "%lld of %lld matrices failed (%s): their eigenvalues are NaN%s", count, all, why,
                    which);
}

bool cli_type(const arguments *args, const char *words, eig_type *type)
{
    static const eig_type types[] = {EIG_S, EIG_D, EIG_C, EIG_Z};
    int choice = 0;
    if (!option_choice(args, "type", words, &choice)) return false;
    for (size_t i = 0; option_given(args, "type") && i < sizeof types / sizeof *types; i++)
        if (strcmp(option_text(args, "type"), type_name(types[i])) == 0) *type = types[i];
    return true;
}
