/* eigpack stebz: eigenvalues of a symmetric tridiagonal matrix: all, some, or how many lie below given numbers. */
#include "commands/cmd_stebz.h"
#include "bench/support/times.h"
#include "commands/commands.h"
#include "pictures/chart.h"
#include "pictures/svg.h"
#include "run/memory.h"
#include "run/option_help.h"
#include "run/progress.h"
#include "run/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int read_options(const arguments *args, stebz_run *j)
{
    int method = EIG_STEBZ_MULTISECTION;
    double tolerance = 0, relative = 0;
    eig_stebz_options const defaults = EIG_STEBZ_OPTIONS;
    *j = (stebz_run){.type = EIG_D, .options = defaults};
    eig_stebz_options *const o = &j->options;
    if (args->count < 1 || args->count > 2)
        return cli_fail(CLI_USAGE, "stebz takes the files D E, or one file that holds T; see eigpack stebz --help");
    tridiagonal_range r;
    if (!tridiagonal_read_range(args, &r) || !option_real(args, "tolerance", 0, &tolerance) ||
        !option_real(args, "relative", 0, &relative) || !option_choice(args, "method", NULL, &method) ||
        !cli_type(args, NULL, &j->type) || !option_real_list(args, "count", &j->shifts, &j->shift_count))
        return CLI_USAGE;
    o->range = r.range, o->il = r.il, o->iu = r.iu, o->vl = r.vl, o->vu = r.vu;
    o->abstol = tolerance, o->reltol = relative, o->method = (eig_stebz_method)method;
    j->output = option_text(args, "output");
    j->enclosures = option_text(args, "enclosures");
    j->plot = option_text(args, "plot");
    j->info = option_text(args, "info");
    j->reference = option_text(args, "reference");
    j->timing = option_given(args, "timing");
    if (j->shifts && (j->enclosures || j->info || j->plot || j->reference || o->range != EIG_RANGE_ALL))
        return cli_fail(CLI_USAGE, "--count computes no eigenvalues: it goes with --output and --type alone");
    if (!j->output && !j->enclosures && !j->info && !j->plot) j->output = "-";
    const char *const inputs[] = {args->file[0], args->count > 1 ? args->file[1] : NULL, j->reference};
    cli_output const outputs[] = {{"output", j->output, 1},
                                  {"enclosures", j->enclosures, 2},
                                  {"info", j->info, 1},
                                  {"plot", j->plot, CLI_PICTURE}};
    if (ranks_several() && j->reference) return cli_fail(CLI_USAGE, "--reference is for one process: not under mpirun");
    return cli_check_files(args, inputs, 3, outputs, 4);
}

/* ----------------------------------------------------------------- output */

enum { VALUES, ENCLOSURES, INFO, OUTPUTS };

/* Writes this rank's count numbers of an output, from number first on, in the type of the computation. */
static int write_numbers(const stebz_run *j, io_sink *sink, int64_t first, const double *x, int64_t count)
{
    numbers y;
    io_error error;
    if (!sink->path) return CLI_OK;
    if (!numbers_make(&y, j->type, count)) return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)count);
    numbers_from(&y, 0, x, count);
    bool const good = io_sink_write(sink, first, count, y.data, &error);
    numbers_free(&y);
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int write_enclosures(const stebz_run *j, io_sink *sink, const spectrum *s)
{
    if (!j->enclosures) return CLI_OK;
    double *const pairs = (double *)cli_allocate(s->m, 2 * sizeof *pairs);
    if (!pairs) return cli_fail(CLI_FAILED, "no memory for %lld enclosures", (long long)s->m);
    for (int64_t k = 0; k < s->m; k++) pairs[2 * k] = s->lower[k], pairs[2 * k + 1] = s->upper[k];
    int const status = write_numbers(j, sink, 2 * j->part.first, pairs, 2 * s->m);
    free(pairs);
    return status;
}

static int write_files(const stebz_run *j, io_sink *sink, const spectrum *s)
{
    int const good = EIG_INFO_OK;
    io_type const type = type_in_file(j->type);
    int64_t const m = ranks_several() ? j->part.all : s->m;
    io_error error;
    sink[VALUES].path = j->output;
    sink[VALUES].variable = "eigenvalues", sink[VALUES].a = (io_array){type, 1, {m}, NULL};
    sink[ENCLOSURES].path = j->enclosures;
    sink[ENCLOSURES].variable = "enclosures", sink[ENCLOSURES].a = (io_array){type, 2, {m, 2}, NULL};
    sink[INFO] = (io_sink){.path = j->info, .variable = "info", .a = {IO_I32, 1, {1}, NULL}};
    int status = ranks_sinks_open(sink, OUTPUTS);
    if (status == CLI_OK) status = write_numbers(j, &sink[VALUES], j->part.first, s->w, s->m);
    if (status == CLI_OK) status = write_enclosures(j, &sink[ENCLOSURES], s);
    if (status == CLI_OK && ranks_rank() == 0 && !io_sink_write(&sink[INFO], 0, 1, &good, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    return status == CLI_OK ? ranks_sinks_close(sink, OUTPUTS) : status;
}

int stebz_plot(const stebz_run *j, const char *file, const double *w, int64_t m)
{
    char title[256];
    snprintf(title, sizeof title, "%.160s: %lld eigenvalue%s", chart_file_name(file), (long long)m, m == 1 ? "" : "s");
    io_error error;
    return svg_spectrum(j->plot, title, w, m, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int write_all(stebz_run *j, const arguments *args, const spectrum *s)
{
    double const start = clock_ms();
    io_sink sink[OUTPUTS] = {{.path = NULL}};
    int status = write_files(j, sink, s);
    io_sinks_abandon(sink, OUTPUTS);
    if (status == CLI_OK && j->plot) status = stebz_plot(j, args->file[0], s->w, s->m);
    if (status == CLI_OK) status = cli_keep_outputs();
    j->times.write_ms = clock_ms() - start;
    return status;
}

bool stebz_filed(const stebz_run *j)
{
    return j->output && !io_is_standard_output(j->output);
}

/* One line where the eigenvalues went to a file; the times where they are wanted. */
static void print_summary(stebz_run *j, const arguments *args, eig_context *ctx, const tridiagonal *a,
                          const spectrum *s)
{
    int64_t const m = ranks_several() ? j->part.all : s->m;
    double ends[] = {s->m > 0 ? -s->w[0] : -INFINITY, s->m > 0 ? s->w[s->m - 1] : -INFINITY};
    ranks_largest(ends, 2);
    cli_longest_times(&j->times);
    if (stebz_filed(j) && m > 0)
        cli_say(args, "%lld of %lld eigenvalues in [%.9g, %.9g], %s, %.3f ms\n", (long long)m, (long long)a->exact.n,
                0.0 - ends[0], ends[1] + 0.0, cli_describe(ctx), j->times.solve_ms);
    else if (stebz_filed(j))
        cli_say(args, "0 of %lld eigenvalues, %s\n", (long long)a->exact.n, cli_describe(ctx));
    if (j->timing) cli_print_times(ctx, &j->times);
}

/* ------------------------------------------------------------- comparison */

int stebz_verdict(const comparison *c, int64_t number)
{
    fprintf(stderr, "largest difference from the reference: %.3g (eigenvalue %lld), allowed %.3g\n%s\n", c->difference,
            (long long)number, c->allowed, c->passed ? "PASSED." : "FAILED.");
    return c->passed ? CLI_OK : CLI_FAILED;
}

int stebz_refuse_reference(const stebz_run *j, int64_t count, int64_t batch, int64_t m)
{
    char computed[64];
    if (batch > 1)
        snprintf(computed, sizeof computed, "%lld x %lld", (long long)batch, (long long)m);
    else
        snprintf(computed, sizeof computed, "%lld", (long long)m);
    return cli_fail(CLI_USAGE, "%s: %lld values, but there are %s eigenvalues to compare", j->reference,
                    (long long)count, computed);
}

/* Before the computation: their number is known, unless the range is by value. */
static int read_reference(const stebz_run *j, int64_t n, io_array *r)
{
    const eig_stebz_options *const o = &j->options;
    io_error error;
    if (!io_read_vector(j->reference, r, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    int64_t const count = io_array_count(r), m = o->range == EIG_RANGE_INDEX ? o->iu - o->il + 1 : n;
    bool const good = count == n || count == m || o->range == EIG_RANGE_VALUE;
    return good ? CLI_OK : stebz_refuse_reference(j, count, 1, m);
}

/* The reference holds as many values as were computed, or all n where a range of indices was asked for. */
static int compare(const stebz_run *j, const tridiagonal *a, const spectrum *s, const io_array *r)
{
    int64_t const count = io_array_count(r);
    const double *values = (const double *)r->data;
    if (count == a->exact.n && s->first > 0)
        values += s->first - 1;
    else if (count != s->m)
        return stebz_refuse_reference(j, count, 1, s->m);
    if (s->m == 0) return CLI_OK;
    comparison const c = spectrum_compare(s, j->type, values, j->options.abstol);
    return stebz_verdict(&c, s->first > 0 ? s->first + c.worst : c.worst + 1);
}

/* -------------------------------------------------------------- the counts */

/* A rank's part of the counts, numbers first, ..., first + mine - 1. */
static int write_counts(const stebz_run *j, int64_t first, int64_t mine, const int64_t *below)
{
    io_error error;
    io_sink sink = {.path = j->output, .variable = "count", .a = {IO_I64, 1, {j->shift_count}, NULL}};
    int status = ranks_sinks_open(&sink, 1);
    if (status == CLI_OK && !io_sink_write(&sink, first, mine, below, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK) status = ranks_sinks_close(&sink, 1);
    io_sinks_abandon(&sink, 1);
    return status == CLI_OK ? cli_keep_outputs() : status;
}

static int count_below(const stebz_run *j, eig_context *ctx, const tridiagonal *a)
{
    int64_t first, mine;
    ranks_part(j->shift_count, &first, &mine);
    int64_t *const below = (int64_t *)cli_allocate(mine, sizeof *below);
    numbers x;
    int status = numbers_make(&x, j->type, mine) && below
                     ? CLI_OK
                     : cli_fail(CLI_FAILED, "no memory for %lld counts", (long long)mine);
    if (status == CLI_OK) {
        numbers_from(&x, 0, j->shifts + first, mine);
        status =
            cli_status(ctx, eig_stebz_count(ctx, j->type, a->exact.n, a->d.data, a->e.data, mine, x.data, below, NULL));
    }
    if (status == CLI_OK) status = write_counts(j, first, mine, below);
    free(below);
    numbers_free(&x);
    return status;
}

static int solve(stebz_run *j, const arguments *args, eig_context *ctx, const tridiagonal *a)
{
    if (j->shifts) return count_below(j, ctx, a);
    spectrum s = {0};
    io_array reference = {0};
    bool some;
    int status = j->reference ? read_reference(j, a->exact.n, &reference) : CLI_OK;
    if (status == CLI_OK) status = tridiagonal_part(ctx, a, &j->options, NULL, &j->part, &some);
    if (status == CLI_OK && some) status = tridiagonal_stebz(ctx, &j->options, a, j->enclosures != NULL, &s);
    j->times.solve_ms = s.total_ms;
    if (status == CLI_OK) cli_add_passes(&j->times, ctx);
    if (status == CLI_OK) status = write_all(j, args, &s);
    if (status == CLI_OK) print_summary(j, args, ctx, a, &s);
    if (status == CLI_OK && j->reference) status = compare(j, a, &s, &reference);
    io_array_free(&reference);
    spectrum_free(&s);
    return status;
}

/* One matrix, in the type. */
static int run_single(stebz_run *j, const arguments *args, eig_context *ctx, io_tridiagonal *t)
{
    tridiagonal a = {0};
    int status = tridiagonal_make(&a, t, j->type);
    if (status == CLI_OK) status = solve(j, args, ctx, &a);
    tridiagonal_free(&a);
    return status;
}

static int run(const arguments *args)
{
    stebz_run j;
    io_tridiagonal t = {0};
    io_error error;
    io_tridiagonals many = {.many = false};
    eig_context *ctx = NULL;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = cli_open(args, &ctx);
    double const start = clock_ms();
    if (status == CLI_OK &&
        !io_open_tridiagonals(args->file[0], args->count > 1 ? args->file[1] : NULL, &many, &t, &error))
        status = cli_fail(CLI_USAGE, "%s", error.text);
    j.times.read_ms = clock_ms() - start;
    if (status == CLI_OK) status = tridiagonal_check_range(args, many.many ? many.n : t.n);
    if (status == CLI_OK) status = many.many ? stebz_batch(&j, args, ctx, &many) : run_single(&j, args, ctx, &t);
    eig_destroy(ctx);
    io_close_tridiagonals(&many);
    io_tridiagonal_free(&t);
    free(j.shifts);
    return status;
}

static const option_row options[] = {
    {"output", 'o', "F", "write the eigenvalues to F: .npy, .mat, .mtx, else text (default: print them)"},
    {"format", 0, CLI_FORMAT, CLI_FORMAT_HELP},
    {"range", 0, "FIRST:LAST", "only the eigenvalues number FIRST to LAST, counted from 1, ascending"},
    {"interval", 0, "VL,VU", "only those in (VL, VU]; -inf and inf are allowed"},
    {"tolerance", 0, "T", HELP_STEBZ_TOLERANCE},
    {"relative", 0, "R", HELP_STEBZ_RELATIVE},
    {"type", 0, "T=f32|f64", "f64 (default) or f32"},
    {"memory", 0, "SIZE", MEMORY_HELP},
    {"method", 0, "M=multisection|interval-tree|reference",
     "multisection (default), interval-tree or reference (slow)"},
    {"enclosures", 0, "F", "write proven bounds, lower and upper, as two columns"},
    {"count", 0, "X1,X2,...", "print how many eigenvalues are smaller than each number, and nothing else"},
    {"info", 0, "F", "write one integer a matrix: 0, or -1 (not finite)"},
    {"plot", 0, "F.svg", "draw the eigenvalues and their density"},
    {"reference", 0, "F", "compare with the eigenvalues in F: PASSED or FAILED, on stderr"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_stebz = {
    .name = "stebz",
    .summary = "eigenvalues of a symmetric tridiagonal matrix, by bisection",
    .usage = "[options] D [E]",
    .text =
        "All or some eigenvalues of the symmetric tridiagonal matrix with diagonal D and off-diagonal E (n-1\n"
        "entries, or n with a padding in front).  Files: text, .npy, .mtx, .mat; - is standard input.  D alone may\n"
        "hold the whole matrix: a square .mtx, .npy or .mat, or text with n and then rows \"i d e\".  Arrays with\n"
        "a row a matrix, as generate --batch writes them, are a batch: every output then has a row a matrix,\n"
        "and .npy files may be larger than memory: they are read, computed and written (.npy, text) in slices.",
    .examples = "  eigpack stebz d.dat e.dat\n"
                "  eigpack stebz T.mtx --output w.npy --plot spectrum.svg\n"
                "  eigpack stebz d.npy e.npy --range 1:10 --enclosures bounds.npy\n"
                "  eigpack stebz d.npy e.npy --interval -0.5,0.5 --tolerance 1e-8\n"
                "  eigpack stebz d.dat e.dat --count -1,0,1\n"
                "  eigpack generate harper -n 1000 -o - | eigpack stebz - --range 1:10\n",
    .options = options,
    .run = run,
    .computes = true,
    .ranks = true,
};
