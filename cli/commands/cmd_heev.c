/* eigpack heev: eigenvalues and eigenvectors of a batch of Hermitian matrices, from one file. */
#include "bench/support/times.h"
#include "commands/commands.h"
#include "run/matrices_file.h"
#include "run/memory.h"
#include "run/option_help.h"
#include "run/ranks.h"
#include "run/stream.h"

#include <stdio.h>
#include <stdlib.h>

/* The buffers of a slice. */
typedef struct slice {
    numbers a, w, v;
    int *info;
} slice;

enum { VALUES, VECTORS, INFO, OUTPUTS };

typedef struct job {
    eig_context *ctx;
    eig_type type;
    bool timing, prints;
    eig_heev_options options;
    const char *values, *vectors, *info_path;
    matrices_file file;
    io_sink sink[OUTPUTS];
    slice slice[STREAM_SLOTS];
    cli_failures failed;
    cli_times times;
} job;

static int read_options(const arguments *args, job *j)
{
    eig_heev_options const defaults = EIG_HEEV_OPTIONS;
    int method = EIG_HEEV_AUTO, uplo = 0;
    int64_t sweeps = 0;
    *j = (job){.options = defaults};
    if (args->count != 1) return cli_fail(CLI_USAGE, "heev takes one file A; see eigpack heev --help");
    if (!option_choice(args, "method", NULL, &method) || !option_choice(args, "uplo", NULL, &uplo) ||
        !option_integer(args, "max-sweeps", 0, 1000000, &sweeps))
        return CLI_USAGE;
    j->options.method = (eig_heev_method)method;
    j->options.uplo = uplo == 1 ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    j->options.relative = option_given(args, "relative");
    j->options.same_bits_in_batches = option_given(args, "same-bits");
    j->options.max_sweeps = (int)sweeps;
    j->options.row_major = 1; /* arrays in files are in C order */
    j->values = option_text(args, "values");
    if (!j->values) j->values = option_text(args, "output");
    j->vectors = option_text(args, "vectors");
    j->info_path = option_text(args, "info");
    j->timing = option_given(args, "timing");
    return CLI_OK;
}

static int check_files(const arguments *args, job *j)
{
    if (option_given(args, "values") && option_given(args, "output"))
        return cli_fail(CLI_USAGE, "--output and --values are the same option: give one of them");
    j->prints = !j->values && !j->vectors && !j->info_path && !cli_as_npy(args);
    if (!j->prints && !j->values && !j->vectors && !j->info_path) j->values = "-";
    cli_output const outputs[] = {
        {cli_values_option(args), j->values, 2}, {"vectors", j->vectors, 3}, {"info", j->info_path, 1}};
    return cli_check_files(args, args->file, args->count, outputs, OUTPUTS);
}

/* (n, n) or (batch, n, n). */
static int open_input(const arguments *args, job *j)
{
    double const start = clock_ms();
    int const status = matrices_open(args->file[0], EIG_LAYOUT_MATRIX_WISE, true, &j->file);
    if (status != CLI_OK) return status;
    j->type = j->file.type;
    if (!cli_type(args, NULL, &j->type)) return CLI_USAGE;
    if (!type_is_complex(j->type) && type_is_complex(j->file.type))
        return cli_fail(CLI_USAGE, "%s: is complex; real numbers are needed", args->file[0]);
    j->times.read_ms = clock_ms() - start;
    return CLI_OK;
}

/* ------------------------------------------------------------------- slices */

static bool make(void *of, int slot, int64_t count)
{
    job *const j = (job *)of;
    slice *const p = &j->slice[slot];
    int64_t const n = j->file.n;
    p->info = (int *)cli_allocate(count, sizeof *p->info);
    return numbers_make(&p->a, j->type, n * n * count) && numbers_make(&p->w, type_real(j->type), n * count) &&
           (!j->vectors || numbers_make(&p->v, j->type, n * n * count)) && p->info;
}

static bool read_slice(void *of, const stream_slice *s, io_error *error)
{
    job *const j = (job *)of;
    io_slab slab = j->file.slab;
    slab.first = s->first, slab.count = s->count;
    return stream_numbers(&j->file.source, &slab, &j->slice[s->slot].a, error);
}

static int solve(void *of, const stream_slice *s)
{
    job *const j = (job *)of;
    slice *const p = &j->slice[s->slot];
    int64_t const n = j->file.n, ld = n > 0 ? n : 1;
    eig_status const status = eig_heev_batched(s->ctx, j->type, &j->options, n, p->a.data, ld, n * n, NULL, p->w.data,
                                               n, p->v.data, ld, n * n, p->info, NULL, s->count);
    if (status == EIG_OK) stream_count_failed(&j->failed, p->info, -1, s);
    return cli_status(s->ctx, status);
}

/* One eigenvalue a line, behind the matrix's number where the file has several.  A zero is printed without its sign. */
static void print_values(const job *j, const numbers *w, const stream_slice *s)
{
    for (int64_t k = 0; k < j->file.n * s->count; k++) {
        if (!j->file.one) ranks_printf("%lld ", (long long)(s->first + k / j->file.n));
        ranks_printf("%.*g\n", type_digits(j->type), numbers_re(w, k) + 0.0);
    }
}

static bool write_slice(void *of, const stream_slice *s, io_error *error)
{
    job *const j = (job *)of;
    const slice *const p = &j->slice[s->slot];
    int64_t const n = j->file.n, nn = n * n;
    if (j->prints) print_values(j, &p->w, s);
    return io_sink_write(&j->sink[VALUES], s->first * n, s->count * n, p->w.data, error) &&
           io_sink_write(&j->sink[VECTORS], s->first * nn, s->count * nn, p->v.data, error) &&
           io_sink_write(&j->sink[INFO], s->first, s->count, p->info, error);
}

static size_t work(void *of, int64_t count)
{
    const job *const j = (const job *)of;
    size_t bytes = 0;
    eig_heev_work_size(j->ctx, j->type, &j->options, j->file.n, j->vectors != NULL, count, &bytes);
    return cli_on_cpu(j->ctx) ? bytes : 0;
}

/* --------------------------------------------------------------------- run */

static int open_outputs(job *j)
{
    int64_t const n = j->file.n, batch = j->file.batch;
    io_type const type = type_in_file(j->type), real = type_in_file(type_real(j->type));
    io_array const values = {real, 2, {batch, n}, NULL}, vectors = {type, 3, {batch, n, n}, NULL};
    io_array const w = {real, 1, {n}, NULL}, v = {type, 2, {n, n}, NULL}, info = {IO_I32, 1, {batch}, NULL};
    bool const one = j->file.one;
    j->sink[VALUES] = (io_sink){.path = j->values, .variable = "eigenvalues", .a = one ? w : values};
    j->sink[VECTORS] = (io_sink){.path = j->vectors, .variable = "eigenvectors", .a = one ? v : vectors};
    j->sink[INFO] = (io_sink){.path = j->info_path, .variable = "info", .a = info};
    return ranks_sinks_open(j->sink, OUTPUTS);
}

static int solve_all(const arguments *args, job *j)
{
    char what[64];
    if (j->file.batch > 1) j->options.same_bits_in_batches = 1; /* however the file is cut */
    snprintf(what, sizeof what, "matrix of order %lld", (long long)j->file.n);
    int64_t const nn = j->file.n * j->file.n, size = (int64_t)type_size(j->type);
    stream s = {.ctx = j->ctx, .job = j, .what = what, .work = work};
    ranks_part(j->file.batch, &s.first, &s.batch);
    s.bytes = (j->vectors ? 2 : 1) * nn * size + j->file.n * size + (int64_t)sizeof(int);
    s.loaded = io_source_held(&j->file.source), s.held = stream_held(j->sink, OUTPUTS);
    s.make = make, s.read = read_slice, s.solve = solve, s.write = write_slice;
    s.any_order = !j->prints && io_sinks_in_any_order(j->sink, OUTPUTS);
    s.times = j->times;
    int const status = stream_run(&s, args);
    j->times = s.times;
    return status;
}

static int finish(const arguments *args, job *j)
{
    double const start = clock_ms();
    int status = ranks_sinks_close(j->sink, OUTPUTS);
    if (status == CLI_OK && j->prints) status = ranks_print();
    if (status == CLI_OK) status = cli_keep_outputs();
    if (status != CLI_OK) return status;
    j->times.write_ms += clock_ms() - start;
    cli_longest_times(&j->times);
    ranks_sum(&j->failed.count);
    if (!j->prints)
        cli_say(args, "%lld eigen%s of %lld matri%s of order %lld, %s, %.3f ms\n",
                (long long)(j->file.n * j->file.batch), j->vectors ? "pairs" : "values", (long long)j->file.batch,
                j->file.batch == 1 ? "x" : "ces", (long long)j->file.n, cli_describe(j->ctx), j->times.solve_ms);
    if (j->timing) cli_print_times(j->ctx, &j->times);
    return cli_failed_matrices(&j->failed, j->file.batch, "not finite, or no convergence");
}

static void release(job *j)
{
    eig_destroy(j->ctx);
    matrices_close(&j->file);
    io_sinks_abandon(j->sink, OUTPUTS);
    for (int k = 0; k < STREAM_SLOTS; k++) {
        slice *const p = &j->slice[k];
        numbers_free(&p->a), numbers_free(&p->w), numbers_free(&p->v);
        free(p->info);
    }
}

static int run(const arguments *args)
{
    job j;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_files(args, &j);
    if (status == CLI_OK) status = cli_open(args, &j.ctx);
    if (status == CLI_OK) status = open_input(args, &j);
    if (status == CLI_OK) status = open_outputs(&j);
    if (status == CLI_OK) status = solve_all(args, &j);
    if (status == CLI_OK) status = finish(args, &j);
    release(&j);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F", "write the eigenvalues, real, of shape (batch, n): .npy, .mat, else text (default: print them)"},
    {"output", 'o', "F", "the same as --values"},
    {"vectors", 0, "F", "write the eigenvectors, of shape (batch, n, n): v[b][:, k] belongs to eigenvalue k"},
    {"format", 0, CLI_FORMAT, CLI_FORMAT_HELP},
    {"info", 0, "F", "write one integer a matrix: 0, -1 (not finite), or k > 0 (k eigenvalues not converged)"},
    {"uplo", 0, "T=L|U", HELP_HEEV_UPLO},
    {"method", 0, "M=auto|jacobi|tridiagonal|reference", "auto (default), jacobi, tridiagonal or reference (slow)"},
    {"relative", 0, NULL, HELP_HEEV_RELATIVE},
    {"same-bits", 0, NULL, HELP_SAME_BITS},
    {"max-sweeps", 0, "K", HELP_HEEV_MAX_SWEEPS},
    {"type", 0, "T=f32|f64|c64|c128", "f64, f32, c128 or c64 (default: the file's)"},
    {"memory", 0, "SIZE", MEMORY_HELP},
    {NULL, 0, NULL, NULL},
};

const cli_command command_heev = {
    .name = "heev",
    .summary = "eigenvalues and eigenvectors of a batch of Hermitian or symmetric matrices",
    .usage = "[options] A",
    .text =
        "All eigenvalues, ascending, and with --vectors the eigenvectors, of each Hermitian n x n matrix in A: an\n"
        "array of shape (n, n) or (batch, n, n), real or complex (.npy), n x n x batch (.mat), a .mtx file, or real\n"
        "matrices as text, a row a line, with an empty line between two.  One triangle is read.\n"
        "A matrix that is not finite gets NaN and does not disturb the others; the exit status is then 1.  A .npy\n"
        "file may be larger than memory: it is read, computed and written (.npy, text) in slices.",
    .examples = "  eigpack generate ensemble -n 8 --batch 1000 --type c128 -o A.npy\n"
                "  eigpack heev A.npy --values w.npy --vectors v.npy\n"
                "  eigpack heev A.npy --method jacobi --info info.npy --values w.npy\n",
    .options = options,
    .run = run,
    .computes = true,
    .ranks = true,
};
