/* eigpack geev: eigenvalues of a batch of nonsymmetric matrices from one file. */
#include "bench/support/times.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct job {
    eig_type type;
    bool quiet, timing;
    eig_geev_options options;
    const char *values, *info_path;
    int64_t n, batch;
    bool one;  /* the file holds one matrix of rank 2 */
    numbers a; /* as the library reads it; its strides: */
    int64_t lda, stride;
    numbers w; /* [batch*n] */
    int *info; /* [batch] */
    int64_t failed;
    double read_ms, solve_ms, write_ms;
} job;

static int read_options(const arguments *args, job *j)
{
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    eig_geev_options const defaults = EIG_GEEV_OPTIONS;
    int method = EIG_GEEV_AUTO, layout = 0;
    int64_t threads = 0;
    *j = (job){.options = defaults};
    if (args->count != 1) return cli_fail(CLI_USAGE, "geev takes one file A; see eigpack geev --help");
    if (!option_choice(args, "method", "auto|swb|mwb|reference", &method) ||
        !option_choice(args, "layout", "M|E|R", &layout) ||
        !option_integer(args, "threads-per-matrix", 0, 32, &threads))
        return CLI_USAGE;
    j->options.method = (eig_geev_method)method;
    j->options.layout = layouts[layout];
    j->options.threads_per_matrix = (int)threads;
    j->options.no_balance = option_given(args, "no-balance");
    j->values = option_text(args, "values");
    j->info_path = option_text(args, "info");
    j->quiet = option_given(args, "quiet");
    j->timing = option_given(args, "timing");
    return CLI_OK;
}

/* ------------------------------------------------------------------- input */

/* Which extents are the matrices' depends on the arrangement: (batch, n, n), (n, n, batch) or (n, batch, n). */
static int read_shape(const arguments *args, const io_array *a, job *j)
{
    int const at_batch = j->options.layout == EIG_LAYOUT_MATRIX_WISE ? 0
                         : j->options.layout == EIG_LAYOUT_ROW_WISE  ? 1
                                                                     : 2;
    int const at_row = at_batch == 0 ? 1 : 0, at_column = at_batch == 2 ? 1 : 2;
    if (a->type == IO_C64 || a->type == IO_C128)
        return cli_fail(CLI_USAGE, "%s: geev takes real matrices, this array is complex", args->file[0]);
    j->one = a->rank == 2;
    if (a->rank < 2)
        return cli_fail(CLI_USAGE, "%s: need a square matrix or a batch of them, got a vector", args->file[0]);
    int64_t const rows = j->one ? a->shape[0] : a->shape[at_row], columns = j->one ? a->shape[1] : a->shape[at_column];
    j->batch = j->one ? 1 : a->shape[at_batch];
    if (rows != columns)
        return cli_fail(CLI_USAGE, "%s: expected square matrices, got %lld x %lld", args->file[0], (long long)rows,
                        (long long)columns);
    j->n = rows;
    if (j->one) j->options.layout = EIG_LAYOUT_MATRIX_WISE;
    j->type = a->type == IO_F32 ? EIG_S : EIG_D;
    return cli_type(args, "f32|f64", &j->type) ? CLI_OK : CLI_USAGE;
}

/* The library's matrices are column-major where they lie one after the other, the file's row-major. */
static void transpose(job *j)
{
    int64_t const n = j->n;
    for (int64_t b = 0; b < j->batch; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i; k++) {
                int64_t const below = (b * n + i) * n + k, above = (b * n + k) * n + i;
                double const x = numbers_part(&j->a, below);
                numbers_put_part(&j->a, below, numbers_part(&j->a, above));
                numbers_put_part(&j->a, above, x);
            }
}

static int read_matrices(const arguments *args, job *j)
{
    io_array a = {0};
    io_error error;
    double const start = clock_ms();
    if (!io_read_array(args->file[0], &a, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    int status = read_shape(args, &a, j);
    int64_t const n = j->n;
    if (status == CLI_OK && !numbers_take(&j->a, j->type, args->file[0], &a, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK && j->options.layout == EIG_LAYOUT_MATRIX_WISE) transpose(j);
    io_array_free(&a);
    j->lda = n > 0 ? n : 1;
    j->stride = j->options.layout == EIG_LAYOUT_MATRIX_WISE    ? n * n
                : j->options.layout == EIG_LAYOUT_ELEMENT_WISE ? j->batch
                                                               : j->batch * n;
    j->read_ms = clock_ms() - start;
    return status;
}

/* ------------------------------------------------------------------- solve */

static int solve(eig_context *ctx, job *j)
{
    int64_t const n = j->n, batch = j->batch;
    bool const room = numbers_make(&j->w, type_complex(j->type), n * batch);
    j->info = (int *)cli_allocate(batch, sizeof *j->info);
    if (!room || !j->info) return cli_fail(CLI_FAILED, "no memory for %lld eigenvalues", (long long)(n * batch));
    for (int64_t b = 0; b < batch; b++) j->info[b] = 0;
    double const start = clock_ms();
    eig_status const status =
        eig_geev_batched(ctx, j->type, &j->options, n, j->a.data, j->lda, j->stride, j->w.data, n, j->info, batch);
    j->solve_ms = clock_ms() - start;
    for (int64_t b = 0; b < batch; b++) j->failed += j->info[b] != 0;
    return cli_status(ctx, status);
}

/* ------------------------------------------------------------------ output */

/* One eigenvalue a line, real and imaginary part; in front the matrix's number where the file has several. */
static void print_values(const job *j)
{
    int const digits = type_digits(j->type);
    for (int64_t k = 0; k < j->w.count; k++) {
        if (!j->one) printf("%lld ", (long long)(k / j->n));
        printf("%.*g %.*g\n", digits, numbers_re(&j->w, k), digits, numbers_im(&j->w, k));
    }
}

static int write_all(job *j, eig_context *ctx)
{
    double const start = clock_ms();
    io_array const info = {.type = IO_I32, .rank = 1, .shape = {j->batch}, .data = j->info};
    io_error error;
    int status = CLI_OK;
    if (j->values)
        status = cli_write(j->values, "eigenvalues", &j->w, j->one ? j->n : j->batch, j->one ? 0 : j->n);
    else if (!j->quiet)
        print_values(j);
    if (status == CLI_OK && j->info_path && !io_write_array(j->info_path, "info", &info, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    j->write_ms = clock_ms() - start;
    if (status != CLI_OK) return status;
    if (j->values && !j->quiet)
        printf("%lld eigenvalues of %lld matri%s of order %lld, %s, %.3f ms\n", (long long)(j->n * j->batch),
               (long long)j->batch, j->batch == 1 ? "x" : "ces", (long long)j->n, eig_describe(ctx), j->solve_ms);
    if (j->timing) {
        const eig_pass *pass = NULL;
        int count = 0;
        eig_get_timing(ctx, &pass, &count);
        fprintf(stderr, "%s\nread %.3f ms, solve %.3f ms", eig_describe(ctx), j->read_ms, j->solve_ms);
        cli_print_passes(stderr, pass, count);
        fprintf(stderr, ", write %.3f ms\n", j->write_ms);
    }
    if (j->failed > 0)
        return cli_fail(CLI_FAILED,
                        "%lld of %lld matrices failed (not finite, or no convergence): their eigenvalues are NaN",
                        (long long)j->failed, (long long)j->batch);
    return CLI_OK;
}

static int run(const arguments *args)
{
    job j;
    eig_context *ctx = NULL;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = read_matrices(args, &j);
    if (status == CLI_OK) status = cli_open(args, &ctx);
    if (status == CLI_OK) status = solve(ctx, &j);
    if (status == CLI_OK) status = write_all(&j, ctx);
    eig_destroy(ctx);
    numbers_free(&j.a);
    numbers_free(&j.w);
    free(j.info);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F",
     "write the eigenvalues, complex, of shape (batch, n): .npy, .mat, else text (default: print them)"},
    {"info", 0, "F", "write one integer a matrix: 0, -1 (not finite), or k > 0 (not all converged)"},
    {"no-balance", 0, NULL, "do not permute and scale the matrices first"},
    {"layout", 0, "L", "shape of the array: M (batch, n, n) (default), E (n, n, batch) or R (n, batch, n)"},
    {"method", 0, "M", "auto (default) or reference (slow); on a GPU also swb or mwb"},
    {"threads-per-matrix", 0, "P", "on a GPU: threads (swb) or warps (mwb) that share a matrix; default 0: chosen"},
    {"type", 0, "T", "f64 or f32 (default: the file's)"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_geev = {
    .name = "geev",
    .summary = "eigenvalues of a batch of nonsymmetric matrices, by double-shift QR",
    .usage = "[options] A",
    .text = "All eigenvalues of each real n x n matrix in A: an array of shape (n, n) or (batch, n, n) (.npy), or\n"
            "n x n x batch (.mat).  Conjugate pairs are adjacent, the positive imaginary part first.  A matrix that\n"
            "is not finite gets NaN and does not disturb the others; the exit status is then 1.",
    .examples = "  eigpack geev A.npy\n"
                "  eigpack geev A.npy --values w.npy --info info.npy\n"
                "  eigpack geev A.mat --values w.mat --no-balance\n",
    .options = options,
    .run = run,
    .computes = true,
};
