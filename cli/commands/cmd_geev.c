/* eigpack geev: eigenvalues and eigenvectors of a batch of nonsymmetric matrices, from one file or a family over a
 * grid. */
#include "commands/cmd_geev.h"
#include "bench/support/times.h"
#include "commands/commands.h"
#include "commands/geev_result.h"
#include "pictures/chart.h"
#include "pictures/svg.h"
#include "run/memory.h"
#include "run/option_help.h"
#include "run/ranks.h"

#include <stdio.h>

/* Refuses options that are given beside another one; NULL ends their list. */
static int refuse_beside(const arguments *args, const char *one, const char *const *others)
{
    for (; *others; ++others)
        if (option_given(args, *others)) return cli_fail(CLI_USAGE, "--%s does not go with --%s", *others, one);
    return CLI_OK;
}

static int read_family_options(const arguments *args, geev_run *j)
{
    svg_parameter varying[FAMILY_MOST];
    static const char *const others[] = {"layout", "vectors", "left", "condition", "schur", "schur-vectors", NULL};
    int status = refuse_beside(args, "affine", others);
    if (status == CLI_OK) status = family_options(args, &j->family);
    if (status != CLI_OK) return status;
    int const count = family_varying(&j->family, varying);
    if (geev_plots_measure(j) && (count < 1 || count > 2))
        return cli_fail(CLI_USAGE,
                        "--plot draws a measure over one or two parameters, in --grid %d vary: give one number for a "
                        "parameter that stays",
                        count);
    return CLI_OK;
}

static int read_options(const arguments *args, geev_run *j)
{
    static const eig_layout layouts[] = {EIG_LAYOUT_MATRIX_WISE, EIG_LAYOUT_ELEMENT_WISE, EIG_LAYOUT_ROW_WISE};
    eig_geev_options const defaults = EIG_GEEV_OPTIONS;
    int method = EIG_GEEV_AUTO, layout = 0;
    int64_t threads = 0;
    *j = (geev_run){.options = defaults, .measure = -1, .order = -1, .is_family = option_given(args, "affine")};
    if (j->is_family ? args->count != 0 : args->count != 1)
        return cli_fail(CLI_USAGE, "geev takes one file A, or --affine and --grid; see eigpack geev --help");
    if (!option_choice(args, "method", NULL, &method) || !option_choice(args, "layout", NULL, &layout) ||
        !option_choice(args, "measure", NULL, &j->measure) || !option_choice(args, "sort", NULL, &j->order) ||
        !option_integer(args, "threads-per-matrix", 0, 32, &threads))
        return CLI_USAGE;
    j->options.method = (eig_geev_method)method;
    j->options.layout = layouts[layout];
    j->options.threads_per_matrix = (int)threads;
    j->options.no_balance = option_given(args, "no-balance");
    j->options.same_bits_in_batches = option_given(args, "same-bits");
    j->values = option_text(args, "values");
    if (!j->values) j->values = option_text(args, "output");
    j->vectors = option_text(args, "vectors"), j->left = option_text(args, "left");
    j->condition = option_text(args, "condition");
    j->form = option_text(args, "schur"), j->basis = option_text(args, "schur-vectors");
    j->info_path = option_text(args, "info");
    j->measures = option_text(args, "measure-output");
    j->plot = option_text(args, "plot");
    j->timing = option_given(args, "timing");
    if (j->measures && j->measure < 0)
        return cli_fail(CLI_USAGE, "--measure-output needs --measure: abscissa, radius or damping");
    if (j->is_family != option_given(args, "grid"))
        return cli_fail(CLI_USAGE, "--affine and --grid go together: one of them is missing");
    if (j->is_family) return read_family_options(args, j);
    /* Eigenvalues stand in the order of T's diagonal. */
    static const char *const others[] = {"vectors", "left", "condition", "sort", NULL};
    return j->form || j->basis ? refuse_beside(args, j->form ? "schur" : "schur-vectors", others) : CLI_OK;
}

/* Eigenvalues are printed where no output is named; measures are printed where no output takes them. */
static void choose_prints(const arguments *args, geev_run *j)
{
    bool const pairs = j->vectors || j->left || j->condition || j->form || j->basis;
    bool const named = j->values || pairs || j->info_path || j->plot || j->measures;
    bool const wanted = j->measure >= 0 ? !j->measures && !geev_plots_measure(j) : !named;
    j->prints = wanted && !cli_as_npy(args);
    if (wanted && !j->prints) *(j->measure >= 0 ? &j->measures : &j->values) = "-";
}

static int check_files(const arguments *args, geev_run *j)
{
    if (option_given(args, "values") && option_given(args, "output"))
        return cli_fail(CLI_USAGE, "--output and --values are the same option: give one of them");
    int64_t shape[3];
    choose_prints(args, j);
    cli_output const outputs[] = {
        {cli_values_option(args), j->values, 2},
        {"vectors", j->vectors, 3},
        {"left", j->left, 3},
        {"condition", j->condition, 2},
        {"schur", j->form, 3},
        {"schur-vectors", j->basis, 3},
        {"measure-output", j->measures, j->is_family ? family_shape(&j->family, shape) : 1},
        {"info", j->info_path, 1},
        {"plot", j->plot, CLI_PICTURE},
    };
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    if (j->prints && cli_to_standard_output(outputs, OUTPUTS))
        return cli_fail(CLI_USAGE,
                        "--measure: standard output is taken by another option; name a file by --measure-output");
    return j->is_family ? cli_check_files(args, j->family.file, j->family.files, outputs, OUTPUTS)
                        : cli_check_files(args, args->file, args->count, outputs, OUTPUTS);
}

/* ------------------------------------------------------------------- input */

/* Every point of a family is a matrix; only A0, A1, ... are in memory. */
static int read_family(const arguments *args, geev_run *j)
{
    int const status = family_read(args, &j->family, &j->type);
    j->n = j->family.n, j->batch = j->family.points;
    return status;
}

static int open_matrices(const arguments *args, geev_run *j)
{
    int const status = matrices_open(args->file[0], j->options.layout, false, &j->file);
    if (status != CLI_OK) return status;
    if (j->file.one) j->options.layout = EIG_LAYOUT_MATRIX_WISE;
    j->options.row_major = j->options.layout == EIG_LAYOUT_MATRIX_WISE; /* matrices in files are in C order */
    j->n = j->file.n, j->batch = j->file.batch, j->type = j->file.type;
    if (!cli_type(args, NULL, &j->type)) return CLI_USAGE;
    if (!type_is_complex(j->type) && type_is_complex(j->file.type))
        return cli_fail(CLI_USAGE, "%s: is complex; real numbers are needed", args->file[0]);
    return CLI_OK;
}

static int open_input(const arguments *args, geev_run *j)
{
    double const start = clock_ms();
    int const status = j->is_family ? read_family(args, j) : open_matrices(args, j);
    if (j->batch > 1) j->options.same_bits_in_batches = 1; /* however the file or the grid is cut */
    j->times.read_ms = clock_ms() - start;
    return status;
}

/* ------------------------------------------------------------------ output */

static int open_outputs(geev_run *j)
{
    io_type const real = type_in_file(type_real(j->type)), complex = type_in_file(type_complex(j->type));
    int64_t const n = j->n;
    io_array values = {complex, 2, {j->batch, n}, NULL}, measures = {real, 1, {j->batch}, NULL};
    io_array vectors = {complex, 3, {j->batch, n, n}, NULL}, condition = {real, 2, {j->batch, n}, NULL};
    io_array schur = {type_in_file(j->type), 3, {j->batch, n, n}, NULL};
    io_array const info = {IO_I32, 1, {j->batch}, NULL};
    if (j->is_family) measures.rank = family_shape(&j->family, measures.shape);
    if (!j->is_family && j->file.one) {
        values = (io_array){complex, 1, {n}, NULL}, condition = (io_array){real, 1, {n}, NULL};
        vectors = (io_array){complex, 2, {n, n}, NULL}, schur = (io_array){schur.type, 2, {n, n}, NULL};
    }
    j->sink[GEEV_VALUES] = (io_sink){.path = j->values, .variable = "eigenvalues", .a = values};
    j->sink[GEEV_VECTORS] = (io_sink){.path = j->vectors, .variable = "eigenvectors", .a = vectors};
    j->sink[GEEV_LEFT] = (io_sink){.path = j->left, .variable = "left_eigenvectors", .a = vectors};
    j->sink[GEEV_CONDITION] = (io_sink){.path = j->condition, .variable = "condition", .a = condition};
    j->sink[GEEV_FORM] = (io_sink){.path = j->form, .variable = "schur_form", .a = schur};
    j->sink[GEEV_BASIS] = (io_sink){.path = j->basis, .variable = "schur_vectors", .a = schur};
    j->sink[GEEV_MEASURED] = (io_sink){.path = j->measures, .variable = "measure", .a = measures};
    j->sink[GEEV_INFO] = (io_sink){.path = j->info_path, .variable = "info", .a = info};
    _Static_assert((int)GEEV_OUTPUTS <= (int)IO_SINKS, "more outputs than files at a time");
    return ranks_sinks_open(j->sink, GEEV_OUTPUTS);
}

static int write_plot(const geev_run *j, const arguments *args)
{
    char title[384], fixed[160] = "";
    if (j->is_family) family_title(&j->family, fixed, sizeof fixed);
    int used = snprintf(title, sizeof title, "%.120s: ", j->is_family ? "A(p)" : chart_file_name(args->file[0]));
    if (j->batch > 1)
        used += snprintf(title + used, sizeof title - (size_t)used, "%lld matrices, ", (long long)j->batch);
    used += snprintf(title + used, sizeof title - (size_t)used, "n = %lld%s", (long long)j->n, fixed);
    if (j->failed.count > 0)
        snprintf(title + used, sizeof title - (size_t)used, ", %lld failed", (long long)j->failed.count);
    io_error error;
    bool good;
    if (geev_plots_measure(j)) {
        svg_parameter varying[FAMILY_MOST];
        int const count = family_varying(&j->family, varying);
        svg_measure const measure = geev_measure_picture(j->measure);
        good = svg_parameters(j->plot, title, &measure, count, varying, &j->drawn, &error);
    } else {
        good = svg_plane(j->plot, title, &j->drawn, &error);
    }
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int finish(geev_run *j, const arguments *args)
{
    double const start = clock_ms();
    int status = ranks_sinks_close(j->sink, GEEV_OUTPUTS);
    if (status == CLI_OK && j->prints) status = ranks_print();
    if (status == CLI_OK && j->plot) status = write_plot(j, args);
    if (status == CLI_OK) status = cli_keep_outputs();
    j->times.write_ms += clock_ms() - start;
    if (status != CLI_OK) return status;
    cli_longest_times(&j->times);
    ranks_sum(&j->failed.count), ranks_sum(&j->failed.vectors);
    if (!j->prints)
        cli_say(args, "%lld %s of %lld matri%s of order %lld, %s, %.3f ms\n",
                (long long)(j->measure >= 0 ? j->batch : j->n * j->batch), j->measure >= 0 ? "measures" : "eigenvalues",
                (long long)j->batch, j->batch == 1 ? "x" : "ces", (long long)j->n, cli_describe(j->ctx),
                j->times.solve_ms);
    if (j->timing) cli_print_times(j->ctx, &j->times);
    return cli_failed_matrices(&j->failed, j->batch, "not finite, or no convergence");
}

static int run(const arguments *args)
{
    geev_run j;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_files(args, &j);
    if (status == CLI_OK) status = cli_open(args, &j.ctx);
    if (status == CLI_OK) status = open_input(args, &j);
    if (status == CLI_OK) status = open_outputs(&j);
    if (status == CLI_OK) status = geev_solve(&j, args);
    if (status == CLI_OK) status = finish(&j, args);
    eig_destroy(j.ctx);
    io_sinks_abandon(j.sink, GEEV_OUTPUTS);
    geev_slices_free(&j);
    matrices_close(&j.file);
    family_free(&j.family);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F",
     "write the eigenvalues, complex, of shape (batch, n): .npy, .mat, else text (default: print them)"},
    {"output", 'o', "F", "the same as --values"},
    {"vectors", 0, "F", "write the right eigenvectors, of shape (batch, n, n): v[b][:, k] belongs to eigenvalue k"},
    {"left", 0, "F", "write the left eigenvectors likewise: A^H y = conj(w) y"},
    {"condition", 0, "F",
     "write |y^H x| of each eigenvalue, of shape (batch, n): an error E of A moves it by about ||E|| / |y^H x|"},
    {"schur", 0, "F",
     "write T of Schur forms A = Q T Q^H, of shape (batch, n, n): triangular; of real matrices real, with 2 x 2 blocks "
     "of complex pairs"},
    {"schur-vectors", 0, "F", "write Q of these, of shape (batch, n, n): orthogonal or unitary"},
    {"sort", 0, "KEY=" GEEV_ORDERS,
     "each matrix's eigenvalues ascending by real, imaginary or magnitude (default: as computed)"},
    {"measure", 0, "M=" GEEV_MEASURES,
     "one number a matrix in place of its eigenvalues: abscissa, radius or damping, see above"},
    {"measure-output", 0, "F", "write these numbers, of shape (batch) or of the grid (default: print them)"},
    {"plot", 0, "F.svg", "draw the eigenvalues in the complex plane; with --affine and --measure that over the grid"},
    {"affine", 0, "A0,A1,...", "the matrices A0 + p1 A1 + p2 A2 + ... at each point of --grid, in place of a file A"},
    {"grid", 0, "R1,R2,...", "the values of p1, p2, ...: each LOW:HIGH:COUNT, both ends included, or one fixed number"},
    {"format", 0, CLI_FORMAT, CLI_FORMAT_HELP},
    {"info", 0, "F", "write one integer a matrix: 0, -1 (not finite), k > 0 (not all converged), n + 1 (no vectors)"},
    {"no-balance", 0, NULL, HELP_GEEV_NO_BALANCE},
    {"layout", 0, "L=M|E|R", "shape of the array: M (batch, n, n) (default), E (n, n, batch) or R (n, batch, n)"},
    {"method", 0, "M=auto|swb|mwb|reference", "auto (default) or reference (slow); on a GPU also swb or mwb"},
    {"threads-per-matrix", 0, "P", HELP_GEEV_THREADS},
    {"same-bits", 0, NULL, HELP_SAME_BITS},
    {"type", 0, "T=f32|f64|c64|c128", "f64, f32, c128 or c64 (default: the file's)"},
    {"memory", 0, "SIZE", MEMORY_HELP},
    {NULL, 0, NULL, NULL},
};

const cli_command command_geev = {
    .name = "geev",
    .summary = "eigenvalues and eigenvectors of a batch of nonsymmetric matrices, by shifted QR",
    .usage = "[options] A, or eigpack geev [options] --affine A0,A1,... --grid R1,...",
    .text =
        "All eigenvalues, and with --vectors and --left the eigenvectors, of each n x n matrix in A, real or\n"
        "complex: an array of shape (n, n) or (batch, n, n) (.npy), n x n x batch (.mat), one matrix (.mtx), or text,\n"
        "real, a row a line, an empty line between two matrices.  Conjugate pairs of a real matrix are adjacent, the\n"
        "positive imaginary part first.  Vectors have 2-norm 1; the first of the largest elements is real and\n"
        "positive.  A matrix that is not finite gets NaN and does not disturb the others; the exit status is then 1.\n"
        "A .npy file may be larger than memory: it is read, computed and written (.npy, text) in slices.\n\n"
        "Schur forms are computed on a CPU; eigenvalues are then in the order of T's diagonal.\n\n"
        "A measure is one number for all eigenvalues w of a matrix (NaN where it failed):\n"
        "  abscissa  max Re w          below 0 where x' = A x is stable\n"
        "  radius    max |w|           below 1 where x(k+1) = A x(k) is stable\n"
        "  damping   min -Re w / |w|   the least damping ratio; w = 0 counts as -1",
    .examples = "  eigpack geev A.npy\n"
                "  eigpack geev A.npy --values w.npy --info info.npy --sort real\n"
                "  eigpack geev A.npy --values w.npy --vectors v.npy --left y.npy --condition s.npy\n"
                "  eigpack geev A.npy --schur T.npy --schur-vectors Q.npy --device cpu\n"
                "  eigpack geev A.npy -q --plot spectra.svg\n"
                "  eigpack geev A.npy --measure damping\n"
                "  eigpack geev --affine A0.npy,A1.npy,A2.npy --grid -1:1:200,0:2:100 --measure abscissa \\\n"
                "      --measure-output m.npy --plot stability.svg\n"
                "  eigpack geev A.mat --values w.mat --no-balance\n",
    .options = options,
    .run = run,
    .computes = true,
    .ranks = true,
};
