/* eigpack eigenvalues: the program of Lessig, "Eigenvalue Computation with CUDA" (NVIDIA, 2007 and 2012), with its
 * four flags, their defaults and its report, line by line as that paper's section "Default Behavior" prints it.
 *
 * Step 1 of the report is the coarse division of Gerschgorin's interval (here with the preparation; multisection: the
 * table of shifts); step 2 refines the intervals with one eigenvalue and those with several.  The lines have measured
 * times of these stages of the method that ran; the time of a kernel that does all is on the line of the one intervals;
 * TOTAL is the time of the whole call. */
#define _GNU_SOURCE /* readlink */
#include "build.h"
#include "commands/commands.h"
#include "io/matrices.h"
#include "run/progress.h"
#include "run/tridiagonal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct job {
    eig_type type;
    bool random;
    int64_t n, repeats, seed;
    double precision;
    eig_stebz_method method;
    const char *result; /* file name */
    bool write;
    const char *diagonal, *superdiagonal, *reference;
    char path[3][PATH_MAX + 40]; /* the shipped files, where they were found */
} job;

/* ------------------------------------------------------------------ input */

/* Looks for the three shipped files in one folder. */
static bool shipped_in(job *j, const char *folder)
{
    static const char *const names[] = {"diagonal.dat", "superdiagonal.dat", "reference.dat"};
    for (int i = 0; i < 3; i++) {
        int const length = snprintf(j->path[i], sizeof j->path[i], "%s/%s", folder, names[i]);
        if (length >= (int)sizeof j->path[i] || access(j->path[i], R_OK) != 0) return false;
    }
    j->diagonal = j->path[0], j->superdiagonal = j->path[1], j->reference = j->path[2];
    return true;
}

/* Finds the shipped matrix: in ./data, beside the program (a build folder or an installation), or where this build
 * was to be installed. */
static bool find_shipped(job *j, const char *name)
{
    if (shipped_in(j, "data")) return true;
    static const char *const beside[] = {"../share/eigpack/data", "../data", "../../data"};
    char program[PATH_MAX], folder[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) length = snprintf(program, sizeof program, "%s", name); /* no /proc: as it was called */
    program[length < (ssize_t)sizeof program ? length : 0] = '\0';
    char *const slash = strrchr(program, '/');
    for (int i = 0; slash && i < 3; i++) {
        *slash = '\0';
        snprintf(folder, sizeof folder, "%s/%s", program, beside[i]);
        if (shipped_in(j, folder)) return true;
    }
    return shipped_in(j, EIG_DATA_FOLDER);
}

static int read_options(const arguments *args, job *j)
{
    int method = EIG_STEBZ_MULTISECTION;
    *j = (job){.type = EIG_S, .n = 2048, .repeats = 100, .seed = 1, .precision = 1e-5, .result = "eigenvalues.dat"};
    if (args->count > 0) return cli_fail(CLI_USAGE, "eigenvalues takes its files by options, got '%s'", args->file[0]);
    if (!option_integer(args, "matrix-size", 1, INT64_MAX, &j->n) ||
        !option_integer(args, "iters-timing", 1, INT64_MAX, &j->repeats) ||
        !option_integer(args, "seed", 0, INT64_MAX, &j->seed) || !option_real(args, "precision", 0, &j->precision) ||
        !option_choice(args, "method", NULL, &method) || !cli_type(args, NULL, &j->type))
        return CLI_USAGE;
    j->method = (eig_stebz_method)method;
    j->random = option_given(args, "matrix-size");
    j->write = j->random || option_given(args, "filename-result");
    if (option_given(args, "filename-result")) j->result = option_text(args, "filename-result");
    j->diagonal = option_text(args, "diagonal");
    j->superdiagonal = option_text(args, "superdiagonal");
    j->reference = option_text(args, "reference");
    if (!j->diagonal != !j->superdiagonal)
        return cli_fail(CLI_USAGE, "--diagonal and --superdiagonal go together: one of them is missing");
    if (j->random && j->diagonal) return cli_fail(CLI_USAGE, "--matrix-size makes a random matrix: give no --diagonal");
    if (j->random || j->diagonal) return CLI_OK;
    const char *const reference = j->reference;
    if (!find_shipped(j, args->program))
        return cli_fail(CLI_USAGE, "the shipped matrix (diagonal.dat, superdiagonal.dat, reference.dat) is in neither "
                                   "./data nor " EIG_DATA_FOLDER ": name the files by --diagonal and --superdiagonal");
    if (reference) j->reference = reference;
    return CLI_OK;
}

static int check_files(const arguments *args, const job *j)
{
    const char *const inputs[] = {j->diagonal, j->superdiagonal, j->reference};
    cli_output const result = {"filename-result", j->write ? j->result : NULL, 1};
    if (cli_to_standard_output(&result, 1))
        return cli_fail(CLI_USAGE, "--filename-result %s: standard output has the report already", result.path);
    return cli_check_files(args, inputs, 3, &result, 1);
}

/* A random matrix is rounded to float in both types, so that they solve the same one. */
static void round_entries(io_tridiagonal *t)
{
    for (int64_t i = 0; i < t->n; i++) t->d[i] = (float)t->d[i];
    for (int64_t i = 0; i + 1 < t->n; i++) t->e[i] = (float)t->e[i];
}

static int read_matrix(const job *j, tridiagonal *a)
{
    io_tridiagonal t = {0};
    io_error error;
    bool const good = j->random ? matrices_tridiagonal("uniform", j->n, (uint64_t)j->seed, &t, &error)
                                : io_read_tridiagonal(j->diagonal, j->superdiagonal, &t, &error);
    if (!good) return cli_fail(CLI_USAGE, "%s", error.text);
    if (j->random) round_entries(&t);
    int const status = tridiagonal_make(a, &t, j->type);
    if (status != CLI_OK) return status;
    return a->exact.n > 0 ? CLI_OK : cli_fail(CLI_USAGE, "%s: the matrix is empty", j->diagonal);
}

/* ----------------------------------------------------------------- report */

/* The interval, rounded to the type, is widened on both sides by (2n + 11) eps ||T|| for the rounding errors of the
 * counts: with this the report's own data give the interval that the report prints. */
static void print_head(const job *j, const tridiagonal *a)
{
    double low, high;
    tridiagonal_gerschgorin(&a->exact, &low, &high);
    if (type_is_single(j->type)) low = (float)low, high = (float)high;
    double const eps = type_eps(j->type);
    double const margin = (2.0 * (double)a->exact.n + 11) * eps * tridiagonal_norm(&a->exact);
    printf("Matrix size: %lld x %lld\n", (long long)a->exact.n, (long long)a->exact.n);
    if (j->random) printf("Random matrix: uniform in [-1, 1), seed %lld\n", (long long)j->seed);
    printf(j->precision == 0 || j->precision >= 1e-6 ? "Precision: %f\n" : "Precision: %g\n", j->precision);
    printf("Iterations timing: %lld\n", (long long)j->repeats);
    char shown[PATH_MAX];
    io_escape(shown, sizeof shown, j->result);
    printf("Result filename: '%s'\n", shown);
    printf("Gerschgorin interval: %f / %f\n", low - margin, high + margin);
    fflush(stdout);
}

/* Runs the solver j->repeats times; *s holds the last answer and the times' averages. */
static int solve(const job *j, eig_context *ctx, const tridiagonal *a, spectrum *s)
{
    eig_stebz_options options = EIG_STEBZ_OPTIONS;
    options.abstol = j->precision;
    options.method = j->method;
    double sum[SPECTRUM_PASSES] = {0}, total = 0;
    int status = cli_status(ctx, eig_set_timing(ctx, 1));
    for (int64_t i = 0; i < j->repeats && status == CLI_OK; i++) {
        spectrum_free(s);
        progress_part(i, j->repeats);
        status = tridiagonal_stebz(ctx, &options, a, false, s);
        for (int k = 0; k < s->passes; k++) sum[k] += s->pass[k].ms;
        total += s->total_ms;
    }
    for (int k = 0; k < s->passes; k++) s->pass[k].ms = sum[k] / (double)j->repeats;
    s->total_ms = total / (double)j->repeats;
    return status;
}

static void print_times(const spectrum *s)
{
    double const coarse = spectrum_pass(s, "table") + spectrum_pass(s, "step 1");
    double const fine = spectrum_pass(s, "brackets") + spectrum_pass(s, "one-intervals") +
                        spectrum_pass(s, "bisection") + spectrum_pass(s, "whole");
    printf("Average time step 1: %f ms\n", spectrum_pass(s, "preparation") + coarse);
    printf("Average time step 2, one intervals: %f ms\n", fine);
    printf("Average time step 2, mult intervals: %f ms\n", spectrum_pass(s, "mult-intervals"));
    printf("Average time TOTAL: %f ms\n\n", s->total_ms);
}

/* Against the reference where there is one, else by Sturm counts at w -/+ precision. */
static int check(const job *j, eig_context *ctx, const tridiagonal *a, const spectrum *s, const io_array *reference)
{
    bool passed;
    if (reference->data) {
        comparison const c = spectrum_compare(s, j->type, (const double *)reference->data, j->precision);
        passed = c.passed;
        if (!passed)
            printf("Eigenvalue %lld differs from the reference by %g, allowed are %g.\n", (long long)c.worst + 1,
                   c.difference, c.allowed);
    } else {
        double const allowed = 4 * type_eps(j->type) * tridiagonal_norm(&a->exact);
        progress_phase("checking");
        int const status = spectrum_certify(ctx, a, s, j->precision > allowed ? j->precision : allowed, &passed);
        if (status != CLI_OK) return status;
    }
    printf("%s\n", passed ? "PASSED." : "FAILED.");
    return passed ? CLI_OK : CLI_FAILED;
}

static int write_result(const job *j, const spectrum *s)
{
    numbers w;
    if (!numbers_make(&w, j->type, s->m))
        return cli_fail(CLI_FAILED, "no memory for %lld eigenvalues", (long long)s->m);
    numbers_from(&w, 0, s->w, s->m);
    int const status = cli_write(j->result, "eigenvalues", &w, s->m, 0);
    numbers_free(&w);
    return status == CLI_OK ? cli_keep_outputs() : status;
}

static int run_on(const job *j, const arguments *args, eig_context *ctx, const tridiagonal *a)
{
    io_array reference = {0};
    io_error error;
    spectrum s = {0};
    int status = CLI_OK;
    if (j->reference && !io_read_vector(j->reference, &reference, &error))
        status = cli_fail(CLI_USAGE, "%s", error.text);
    else if (j->reference && io_array_count(&reference) != a->exact.n)
        status = cli_fail(CLI_USAGE, "%s: %lld values, but the matrix has %lld eigenvalues", j->reference,
                          (long long)io_array_count(&reference), (long long)a->exact.n);
    if (status == CLI_OK) {
        print_head(j, a);
        status = solve(j, ctx, a, &s);
    }
    if (status == CLI_OK) {
        print_times(&s);
        if (j->write) status = write_result(j, &s);
        int const checked = check(j, ctx, a, &s, &reference);
        if (status == CLI_OK) status = checked;
        if (option_given(args, "timing")) fprintf(stderr, "%s\n", eig_describe(ctx));
    }
    spectrum_free(&s);
    io_array_free(&reference);
    return status;
}

static int run(const arguments *args)
{
    job j;
    tridiagonal a = {0};
    eig_context *ctx = NULL;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_files(args, &j);
    if (status == CLI_OK) status = cli_open(args, &ctx);
    if (status == CLI_OK) status = read_matrix(&j, &a);
    if (status == CLI_OK) status = run_on(&j, args, ctx, &a);
    eig_destroy(ctx);
    tridiagonal_free(&a);
    return status;
}

static const option_row options[] = {
    {"matrix-size", 0, "N", "a random matrix of order N instead of the shipped 2048 x 2048 one"},
    {"precision", 0, "P", "desired precision of the eigenvalues (default 0.00001)"},
    {"iters-timing", 0, "K", "number of runs that the times average (default 100)"},
    {"filename-result", 0, "F", "result file: .dat, .npy, .mat, .mtx (default eigenvalues.dat)"},
    {"diagonal", 0, "F", "file with the n diagonal entries"},
    {"superdiagonal", 0, "F", "file with the n-1 off-diagonal entries, or n with a padding in front"},
    {"reference", 0, "F", "file with the n eigenvalues to compare with"},
    {"seed", 0, "S", "seed of the random matrix (default 1)"},
    {"type", 0, "T=f32|f64", "f32 (default) or f64"},
    {"method", 0, "M=multisection|interval-tree|reference",
     "multisection (default), interval-tree or reference (slow)"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_eigenvalues = {
    .name = "eigenvalues",
    .summary = "all eigenvalues of a tridiagonal matrix, with the report of Lessig's program",
    .usage = "[--matrix-size=N] [--precision=P] [--iters-timing=K] [--filename-result=F] ...",
    .text =
        "All eigenvalues of a symmetric tridiagonal matrix by bisection, in the form of the program `eigenvalues`\n"
        "of C. Lessig's report: the shipped 2048 x 2048 matrix compared with its reference, or with --matrix-size a\n"
        "random one (uniform in [-1, 1)), checked by Sturm counts.  Ends in PASSED or FAILED.  The result file is\n"
        "written with --matrix-size or --filename-result.",
    .examples = "  eigpack eigenvalues\n"
                "  eigpack eigenvalues --precision=0.001 --matrix-size=4096\n"
                "  eigpack eigenvalues --matrix-size=4096 --filename-result w.mat\n"
                "  eigpack eigenvalues --method interval-tree --type f64 --precision 1e-12\n"
                "  eigpack eigenvalues --diagonal d.dat --superdiagonal e.dat --reference w.dat\n",
    .options = options,
    .run = run,
    .computes = true,
};
