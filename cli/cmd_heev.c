/* eigpack heev: eigenvalues and eigenvectors of a batch of Hermitian matrices, from one file. */
#include "bench/support/times.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct job {
    eig_type type;
    bool quiet, timing;
    eig_heev_options options;
    const char *values, *vectors, *info_path;
    int64_t n, batch;
    bool one; /* the file holds one matrix of rank 2 */
    numbers a, w, v;
    int *info;
    int64_t failed;
    double read_ms, solve_ms, write_ms;
} job;

static int read_options(const arguments *args, job *j)
{
    eig_heev_options const defaults = EIG_HEEV_OPTIONS;
    int method = EIG_HEEV_AUTO, uplo = 0;
    int64_t sweeps = 0;
    *j = (job){.options = defaults};
    if (args->count != 1) return cli_fail(CLI_USAGE, "heev takes one file A; see eigpack heev --help");
    if (!option_choice(args, "method", "auto|jacobi|tridiagonal|reference", &method) ||
        !option_choice(args, "uplo", "L|U", &uplo) || !option_integer(args, "max-sweeps", 0, 1000000, &sweeps))
        return CLI_USAGE;
    j->options.method = (eig_heev_method)method;
    j->options.uplo = uplo == 1 ? EIG_UPLO_UPPER : EIG_UPLO_LOWER;
    j->options.relative = option_given(args, "relative");
    j->options.max_sweeps = (int)sweeps;
    j->options.row_major = 1; /* arrays in files are in C order */
    j->values = option_text(args, "values");
    if (!j->values) j->values = option_text(args, "output");
    j->vectors = option_text(args, "vectors");
    j->info_path = option_text(args, "info");
    j->quiet = option_given(args, "quiet");
    j->timing = option_given(args, "timing");
    return CLI_OK;
}

static int check_files(const arguments *args, job *j)
{
    if (option_given(args, "values") && option_given(args, "output"))
        return cli_fail(CLI_USAGE, "--output and --values are the same option: give one of them");
    cli_output const outputs[] = {{"values", j->values, 2}, {"vectors", j->vectors, 3}, {"info", j->info_path, 1}};
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    j->quiet |= cli_to_standard_output(outputs, OUTPUTS);
    return cli_check_files(args->file, args->count, outputs, OUTPUTS);
}

/* (n, n) or (batch, n, n). */
static int read_shape(const arguments *args, const io_array *a, job *j)
{
    j->one = a->rank == 2 || (a->rank == 1 && a->shape[0] == 1);
    if (a->rank < 2 && !j->one)
        return cli_fail(CLI_USAGE, "%s: need a square matrix or a batch of them, got a vector", args->file[0]);
    int64_t const rows = j->one ? a->shape[0] : a->shape[1];
    int64_t const columns = a->rank == 1 ? 1 : j->one ? a->shape[1] : a->shape[2];
    if (rows != columns)
        return cli_fail(CLI_USAGE, "%s: expected square matrices, got %lld x %lld", args->file[0], (long long)rows,
                        (long long)columns);
    j->n = rows, j->batch = j->one ? 1 : a->shape[0];
    j->type = a->type == IO_F32 ? EIG_S : a->type == IO_C64 ? EIG_C : a->type == IO_C128 ? EIG_Z : EIG_D;
    return cli_type(args, "f32|f64|c64|c128", &j->type) ? CLI_OK : CLI_USAGE;
}

static int read_matrices(const arguments *args, job *j)
{
    io_array a = {0};
    io_error error;
    double const start = clock_ms();
    if (!io_read_array(args->file[0], &a, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    int status = read_shape(args, &a, j);
    if (status == CLI_OK && !numbers_take(&j->a, j->type, args->file[0], &a, &error))
        status = cli_fail(CLI_USAGE, "%s", error.text);
    io_array_free(&a);
    j->read_ms = clock_ms() - start;
    return status;
}

static int solve(eig_context *ctx, job *j)
{
    int64_t const n = j->n, batch = j->batch, ld = n > 0 ? n : 1;
    bool room = numbers_make(&j->w, type_real(j->type), n * batch);
    if (room && j->vectors) room = numbers_make(&j->v, j->type, n * n * batch);
    j->info = (int *)cli_allocate(batch, sizeof *j->info);
    if (!room || !j->info) return cli_fail(CLI_FAILED, "no memory for the results of %lld matrices", (long long)batch);
    double const start = clock_ms();
    eig_status const status = eig_heev_batched(ctx, j->type, &j->options, n, j->a.data, ld, n * n, j->w.data, n,
                                               j->v.data, ld, n * n, j->info, NULL, batch);
    j->solve_ms = clock_ms() - start;
    for (int64_t b = 0; status == EIG_OK && b < batch; b++) j->failed += j->info[b] != 0;
    return cli_status(ctx, status);
}

/* One eigenvalue a line, behind the matrix's number where the file has several.  A zero is printed without its sign. */
static void print_values(const job *j)
{
    for (int64_t k = 0; k < j->w.count; k++) {
        if (!j->one) printf("%lld ", (long long)(k / j->n));
        printf("%.*g\n", type_digits(j->type), numbers_re(&j->w, k) + 0.0);
    }
}

static int write_files(const job *j)
{
    io_array const info = {.type = IO_I32, .rank = 1, .shape = {j->batch}, .data = j->info};
    io_array v = {.type = type_in_file(j->type), .rank = 3, .shape = {j->batch, j->n, j->n}, .data = j->v.data};
    if (j->one) v.rank = 2, v.shape[0] = j->n;
    io_error error;
    int status = CLI_OK;
    if (j->values) status = cli_write(j->values, "eigenvalues", &j->w, j->one ? j->n : j->batch, j->one ? 0 : j->n);
    if (status == CLI_OK && j->vectors && !io_write_array(j->vectors, "eigenvectors", &v, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK && j->info_path && !io_write_array(j->info_path, "info", &info, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    return status;
}

static int write_all(job *j, eig_context *ctx)
{
    double const start = clock_ms();
    bool const filed = j->values || j->vectors;
    int const status = write_files(j);
    if (status == CLI_OK && !filed && !j->quiet) print_values(j);
    j->write_ms = clock_ms() - start;
    if (status != CLI_OK) return status;
    if (filed && !j->quiet)
        printf("%lld eigen%s of %lld matri%s of order %lld, %s, %.3f ms\n", (long long)(j->n * j->batch),
               j->vectors ? "pairs" : "values", (long long)j->batch, j->batch == 1 ? "x" : "ces", (long long)j->n,
               eig_describe(ctx), j->solve_ms);
    if (j->timing) cli_print_times(ctx, j->read_ms, j->solve_ms, j->write_ms);
    return cli_failed_matrices(j->failed, j->batch);
}

static int run(const arguments *args)
{
    job j;
    eig_context *ctx = NULL;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_files(args, &j);
    if (status == CLI_OK) status = read_matrices(args, &j);
    if (status == CLI_OK) status = cli_open(args, &ctx);
    if (status == CLI_OK) status = solve(ctx, &j);
    if (status == CLI_OK) status = write_all(&j, ctx);
    eig_destroy(ctx);
    numbers_free(&j.a);
    numbers_free(&j.w);
    numbers_free(&j.v);
    free(j.info);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F", "write the eigenvalues, real, of shape (batch, n): .npy, .mat, else text (default: print them)"},
    {"output", 'o', "F", "the same as --values"},
    {"vectors", 0, "F", "write the eigenvectors, of shape (batch, n, n): v[b][:, k] belongs to eigenvalue k"},
    {"info", 0, "F", "write one integer a matrix: 0, -1 (not finite), or k > 0 (k eigenvalues not converged)"},
    {"uplo", 0, "L|U", "the triangle that is read: L (default) or U"},
    {"method", 0, "M", "auto (default), jacobi, tridiagonal or reference (slow)"},
    {"relative", 0, NULL, "small eigenvalues of positive definite matrices to high relative accuracy, by Jacobi"},
    {"max-sweeps", 0, "K", "Jacobi sweeps, or QL steps per eigenvalue, until a matrix is given up (default: 30)"},
    {"type", 0, "T", "f64, f32, c128 or c64 (default: the file's)"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_heev = {
    .name = "heev",
    .summary = "eigenvalues and eigenvectors of a batch of Hermitian or symmetric matrices",
    .usage = "[options] A",
    .text = "All eigenvalues, ascending, and with --vectors the eigenvectors, of each Hermitian n x n matrix in A: an\n"
            "array of shape (n, n) or (batch, n, n), real or complex (.npy), n x n x batch (.mat), or one real matrix\n"
            "as text, a row a line.  One triangle is read.  A matrix that is not finite gets NaN and does not disturb\n"
            "the others; the exit status is then 1.",
    .examples = "  eigpack generate ensemble -n 8 --batch 1000 --type c128 -o A.npy\n"
                "  eigpack heev A.npy --values w.npy --vectors v.npy\n"
                "  eigpack heev A.npy --method jacobi --info info.npy --values w.npy\n",
    .options = options,
    .run = run,
    .computes = true,
};
