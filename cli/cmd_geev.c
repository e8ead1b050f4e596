/* eigpack geev: eigenvalues of a batch of nonsymmetric matrices, from one file or a family over a grid. */
#include "bench/support/times.h"
#include "chart.h"
#include "geev_family.h"
#include "geev_result.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct job {
    eig_type type;
    bool quiet, timing;
    eig_geev_options options;
    const char *values, *info_path, *measures, *plot;
    int measure, order; /* which of the choices; -1: none */
    bool is_family;     /* --affine: the points of its grid are the batch */
    family family;
    int64_t n, batch;
    bool one;  /* the file holds one matrix of rank 2 */
    numbers a; /* as the library reads it; its strides: */
    int64_t lda, stride;
    numbers w;     /* [batch*n]; nothing where only measures of a family are wanted */
    numbers value; /* [batch]: the measures */
    int *info;     /* [batch] */
    int64_t failed;
    double read_ms, solve_ms, write_ms;
} job;

/* A measure over a grid is what --plot draws, where there is one; else the eigenvalues. */
static bool plots_measure(const job *j)
{
    return j->plot && j->is_family && j->measure >= 0;
}

static int read_family_options(const arguments *args, job *j)
{
    svg_parameter varying[FAMILY_MOST];
    if (option_given(args, "layout")) return cli_fail(CLI_USAGE, "--layout does not go with --affine");
    int const status = family_options(args, &j->family);
    if (status != CLI_OK) return status;
    int const count = family_varying(&j->family, varying);
    if (plots_measure(j) && (count < 1 || count > 2))
        return cli_fail(CLI_USAGE,
                        "--plot draws a measure over one or two parameters, in --grid %d vary: give one number for a "
                        "parameter that stays",
                        count);
    return CLI_OK;
}

static int read_options(const arguments *args, job *j)
{
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    eig_geev_options const defaults = EIG_GEEV_OPTIONS;
    int method = EIG_GEEV_AUTO, layout = 0;
    int64_t threads = 0;
    *j = (job){.options = defaults, .measure = -1, .order = -1, .is_family = option_given(args, "affine")};
    if (j->is_family ? args->count != 0 : args->count != 1)
        return cli_fail(CLI_USAGE, "geev takes one file A, or --affine and --grid; see eigpack geev --help");
    if (!option_choice(args, "method", "auto|swb|mwb|reference", &method) ||
        !option_choice(args, "layout", "M|E|R", &layout) ||
        !option_choice(args, "measure", GEEV_MEASURES, &j->measure) ||
        !option_choice(args, "sort", GEEV_ORDERS, &j->order) ||
        !option_integer(args, "threads-per-matrix", 0, 32, &threads))
        return CLI_USAGE;
    j->options.method = (eig_geev_method)method;
    j->options.layout = layouts[layout];
    j->options.threads_per_matrix = (int)threads;
    j->options.no_balance = option_given(args, "no-balance");
    j->values = option_text(args, "values");
    if (!j->values) j->values = option_text(args, "output");
    j->info_path = option_text(args, "info");
    j->measures = option_text(args, "measure-output");
    j->plot = option_text(args, "plot");
    j->quiet = option_given(args, "quiet");
    j->timing = option_given(args, "timing");
    if (j->measures && j->measure < 0)
        return cli_fail(CLI_USAGE, "--measure-output needs --measure: abscissa, radius or damping");
    if (j->is_family != option_given(args, "grid"))
        return cli_fail(CLI_USAGE, "--affine and --grid go together: one of them is missing");
    return j->is_family ? read_family_options(args, j) : CLI_OK;
}

/* Whether the eigenvalues themselves are needed; of a family's measures the library makes them and forgets them. */
static bool wants_values(const job *j)
{
    return !j->is_family || j->measure < 0 || j->values;
}

static int check_files(const arguments *args, job *j)
{
    if (option_given(args, "values") && option_given(args, "output"))
        return cli_fail(CLI_USAGE, "--output and --values are the same option: give one of them");
    int64_t shape[3];
    cli_output const outputs[] = {
        {"values", j->values, 2},
        {"measure-output", j->measures, j->is_family ? family_shape(&j->family, shape) : 1},
        {"info", j->info_path, 1},
        {"plot", j->plot, CLI_PICTURE},
    };
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    j->quiet |= cli_to_standard_output(outputs, OUTPUTS);
    return j->is_family ? cli_check_files(j->family.file, j->family.files, outputs, OUTPUTS)
                        : cli_check_files(args->file, args->count, outputs, OUTPUTS);
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
    j->one = a->rank == 2 || (a->rank == 1 && a->shape[0] == 1);
    if (a->rank < 2 && !j->one)
        return cli_fail(CLI_USAGE, "%s: need a square matrix or a batch of them, got a vector", args->file[0]);
    int64_t const rows = j->one ? a->shape[0] : a->shape[at_row];
    int64_t const columns = a->rank == 1 ? 1 : j->one ? a->shape[1] : a->shape[at_column];
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

/* Of a family every point is a matrix; only A0, A1, ... are in memory. */
static int read_family(const arguments *args, job *j)
{
    double const start = clock_ms();
    int status = family_read(args, &j->family, &j->type);
    j->n = j->family.n, j->batch = j->family.points;
    size_t const size = type_size(j->type);
    int64_t const results = wants_values(j) ? 2 * j->n * (int64_t)size : 0;
    if (status == CLI_OK)
        status =
            family_points(&j->family, j->type, results + (int64_t)(j->measure >= 0 ? size : 0) + (int64_t)sizeof(int));
    j->read_ms = clock_ms() - start;
    return status;
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

static int make_results(job *j)
{
    int64_t const n = j->n, batch = j->batch;
    if (j->measure >= 0 && n == 0)
        return cli_fail(CLI_USAGE, "--measure needs matrices with eigenvalues, these have order 0");
    bool room = true;
    if (wants_values(j)) room = numbers_make(&j->w, type_complex(j->type), n * batch);
    if (room && j->measure >= 0) room = numbers_make(&j->value, j->type, batch);
    j->info = (int *)cli_allocate(batch, sizeof *j->info);
    if (!room || !j->info) return cli_fail(CLI_FAILED, "no memory for the results of %lld matrices", (long long)batch);
    for (int64_t b = 0; b < batch; b++) j->info[b] = 0;
    return CLI_OK;
}

static eig_status call_family(eig_context *ctx, job *j)
{
    const family *const f = &j->family;
    eig_geev_measure const kind = geev_measure_kind(j->measure >= 0 ? j->measure : 0);
    return eig_geev_affine(ctx, j->type, &j->options, j->n, f->m, f->a.data, j->n > 0 ? j->n : 1, j->n * j->n,
                           f->x.data, f->m, j->w.data, j->n, kind, j->value.data, j->info, f->points);
}

static int solve(eig_context *ctx, job *j)
{
    int64_t const n = j->n, batch = j->batch;
    int const made = make_results(j);
    if (made != CLI_OK) return made;
    double const start = clock_ms();
    eig_status const status = j->is_family ? call_family(ctx, j)
                                           : eig_geev_batched(ctx, j->type, &j->options, n, j->a.data, j->lda,
                                                              j->stride, j->w.data, n, j->info, batch);
    j->solve_ms = clock_ms() - start;
    for (int64_t b = 0; b < batch; b++) j->failed += j->info[b] != 0;
    int const done = cli_status(ctx, status);
    if (done != CLI_OK) return done;
    for (int64_t b = 0; b < batch && j->measure >= 0 && !j->is_family; b++)
        numbers_put_part(&j->value, b,
                         j->info[b] ? NAN : geev_measure_of(geev_measure_kind(j->measure), &j->w, b * n, n));
    if (j->order >= 0 && !geev_sort(&j->w, n, (geev_order)j->order))
        return cli_fail(CLI_FAILED, "no memory to sort %lld eigenvalues", (long long)n);
    return CLI_OK;
}

/* ------------------------------------------------------------------ output */

/* In front of a line that is printed: the point of the grid, or the matrix's number where the file has several. */
static void print_place(const job *j, int64_t b)
{
    int const digits = type_digits(j->type), m = j->family.m;
    for (int k = 0; k < m && j->is_family; k++) printf("%.*g ", digits, numbers_re(&j->family.x, b * m + k) + 0.0);
    if (!j->is_family && !j->one) printf("%lld ", (long long)b);
}

/* One eigenvalue a line, real and imaginary part; or one measure a line.  A zero is printed without its sign. */
static void print_values(const job *j)
{
    int const digits = type_digits(j->type);
    for (int64_t k = 0; k < j->w.count && j->measure < 0; k++) {
        print_place(j, k / j->n);
        printf("%.*g %.*g\n", digits, numbers_re(&j->w, k) + 0.0, digits, numbers_im(&j->w, k) + 0.0);
    }
    for (int64_t b = 0; b < j->value.count; b++) {
        print_place(j, b);
        printf("%.*g\n", digits, numbers_re(&j->value, b) + 0.0);
    }
}

static int write_measures(const job *j)
{
    io_array a = {.type = type_in_file(j->type), .rank = 1, .shape = {j->batch}, .data = j->value.data};
    if (j->is_family) a.rank = family_shape(&j->family, a.shape);
    io_error error;
    return io_write_array(j->measures, "measure", &a, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int write_plot(const job *j, const arguments *args)
{
    char title[384], fixed[160] = "";
    if (j->is_family) family_title(&j->family, fixed, sizeof fixed);
    int used = snprintf(title, sizeof title, "%.120s: ", j->is_family ? "A(p)" : chart_file_name(args->file[0]));
    if (j->batch > 1)
        used += snprintf(title + used, sizeof title - (size_t)used, "%lld matrices, ", (long long)j->batch);
    used += snprintf(title + used, sizeof title - (size_t)used, "n = %lld%s", (long long)j->n, fixed);
    if (j->failed > 0) snprintf(title + used, sizeof title - (size_t)used, ", %lld failed", (long long)j->failed);
    io_error error;
    bool good;
    if (plots_measure(j)) {
        svg_parameter varying[FAMILY_MOST];
        int const count = family_varying(&j->family, varying);
        svg_measure const measure = geev_measure_picture(j->measure);
        good = svg_parameters(j->plot, title, &measure, count, varying, &j->value, &error);
    } else {
        good = svg_plane(j->plot, title, &j->w, &error);
    }
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int write_files(const job *j, const arguments *args)
{
    io_array const info = {.type = IO_I32, .rank = 1, .shape = {j->batch}, .data = j->info};
    io_error error;
    int status = CLI_OK;
    if (j->values) status = cli_write(j->values, "eigenvalues", &j->w, j->one ? j->n : j->batch, j->one ? 0 : j->n);
    if (status == CLI_OK && j->measures) status = write_measures(j);
    if (status == CLI_OK && j->info_path && !io_write_array(j->info_path, "info", &info, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    if (status == CLI_OK && j->plot) status = write_plot(j, args);
    return status;
}

static int write_all(job *j, const arguments *args, eig_context *ctx)
{
    double const start = clock_ms();
    bool const filed = j->measure >= 0 ? j->measures != NULL : j->values != NULL;
    int const status = write_files(j, args);
    if (status == CLI_OK && !filed && !j->quiet) print_values(j);
    j->write_ms = clock_ms() - start;
    if (status != CLI_OK) return status;
    if (filed && !j->quiet)
        printf("%lld %s of %lld matri%s of order %lld, %s, %.3f ms\n",
               (long long)(j->measure >= 0 ? j->batch : j->n * j->batch), j->measure >= 0 ? "measures" : "eigenvalues",
               (long long)j->batch, j->batch == 1 ? "x" : "ces", (long long)j->n, eig_describe(ctx), j->solve_ms);
    if (j->timing) cli_print_times(ctx, j->read_ms, j->solve_ms, j->write_ms);
    return cli_failed_matrices(j->failed, j->batch);
}

static int run(const arguments *args)
{
    job j;
    eig_context *ctx = NULL;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_files(args, &j);
    if (status == CLI_OK) status = j.is_family ? read_family(args, &j) : read_matrices(args, &j);
    if (status == CLI_OK) status = cli_open(args, &ctx);
    if (status == CLI_OK) status = solve(ctx, &j);
    if (status == CLI_OK) status = write_all(&j, args, ctx);
    eig_destroy(ctx);
    numbers_free(&j.a);
    numbers_free(&j.w);
    numbers_free(&j.value);
    family_free(&j.family);
    free(j.info);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F",
     "write the eigenvalues, complex, of shape (batch, n): .npy, .mat, else text (default: print them)"},
    {"output", 'o', "F", "the same as --values"},
    {"sort", 0, "KEY", "each matrix's eigenvalues ascending by real, imaginary or magnitude (default: as computed)"},
    {"measure", 0, "M", "one number a matrix in place of its eigenvalues: abscissa, radius or damping, see above"},
    {"measure-output", 0, "F", "write these numbers, of shape (batch) or of the grid (default: print them)"},
    {"plot", 0, "F.svg", "draw the eigenvalues in the complex plane; with --affine and --measure that over the grid"},
    {"affine", 0, "A0,A1,...", "the matrices A0 + p1 A1 + p2 A2 + ... at each point of --grid, in place of a file A"},
    {"grid", 0, "R1,R2,...",
     "the values of p1, p2, ...: each LOW:HIGH:COUNT, both ends included, or one number that stays"},
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
    .usage = "[options] A, or eigpack geev [options] --affine A0,A1,... --grid R1,...",
    .text = "All eigenvalues of each real n x n matrix in A: an array of shape (n, n) or (batch, n, n) (.npy),\n"
            "n x n x batch (.mat), or one matrix as text, a row a line.  Conjugate pairs are adjacent, the positive\n"
            "imaginary part first.  A matrix that is not finite gets NaN and does not disturb the others; the exit\n"
            "status is then 1.\n\n"
            "A measure tells of all eigenvalues w of a matrix (NaN where it failed):\n"
            "  abscissa  max Re w          below 0 where x' = A x is stable\n"
            "  radius    max |w|           below 1 where x(k+1) = A x(k) is stable\n"
            "  damping   min -Re w / |w|   the least damping ratio; w = 0 counts as -1",
    .examples = "  eigpack geev A.npy\n"
                "  eigpack geev A.npy --values w.npy --info info.npy --sort real\n"
                "  eigpack geev A.npy -q --plot spectra.svg\n"
                "  eigpack geev A.npy --measure damping\n"
                "  eigpack geev --affine A0.npy,A1.npy,A2.npy --grid -1:1:200,0:2:100 --measure abscissa \\\n"
                "      --measure-output m.npy --plot stability.svg\n"
                "  eigpack geev A.mat --values w.mat --no-balance\n",
    .options = options,
    .run = run,
    .computes = true,
};
