/* eigpack stemr: eigenvalues and eigenvectors of a symmetric tridiagonal matrix. */
#include "bench/support/times.h"
#include "commands/commands.h"
#include "io/slices.h"
#include "pictures/chart.h"
#include "pictures/svg.h"
#include "run/memory.h"
#include "run/option_help.h"
#include "run/ranks.h"
#include "run/tridiagonal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    eig_type type;
    bool filed, timing, stats_wanted; /* filed: some output is named */
    eig_stemr_options options;
    const char *values, *vectors, *info_path, *residuals, *plot;
    tridiagonal t;
    int64_t m, room; /* pairs found, and at most */
    numbers w, z, residual, orthogonality;
    int *info;
    eig_stemr_stats stats;
    eig_stemr_node *tree;
    cli_part part;
    cli_times times;
} job;

static int read_options(const arguments *args, job *j)
{
    eig_stemr_options const defaults = EIG_STEMR_OPTIONS;
    int method = option_given(args, "plot") ? EIG_STEMR_MRRR : EIG_STEMR_AUTO; /* of auto a GPU has no tree */
    *j = (job){.type = EIG_D, .options = defaults};
    eig_stemr_options *const o = &j->options;
    if (args->count < 1 || args->count > 2)
        return cli_fail(CLI_USAGE, "stemr takes the files D E, or one file that holds T; see eigpack stemr --help");
    tridiagonal_range r;
    if (!tridiagonal_read_range(args, &r) || !option_choice(args, "method", NULL, &method) ||
        !cli_type(args, NULL, &j->type))
        return CLI_USAGE;
    if (option_given(args, "values") && option_given(args, "output"))
        return cli_fail(CLI_USAGE, "--output and --values are the same option: give one of them");
    o->range = r.range, o->il = r.il, o->iu = r.iu, o->vl = r.vl, o->vu = r.vu;
    o->method = (eig_stemr_method)method;
    o->same_bits_in_batches = option_given(args, "same-bits");
    j->values = option_text(args, "values");
    if (!j->values) j->values = option_text(args, "output");
    j->vectors = option_text(args, "vectors");
    j->info_path = option_text(args, "info");
    j->residuals = option_text(args, "residuals");
    j->plot = option_text(args, "plot");
    j->timing = option_given(args, "timing");
    j->stats_wanted = option_given(args, "stats");
    j->filed = j->values || j->vectors || j->residuals || j->info_path || j->plot;
    if (!j->filed && cli_as_npy(args)) j->values = "-", j->filed = true;
    const char *const inputs[] = {args->file[0], args->count > 1 ? args->file[1] : NULL};
    cli_output const outputs[] = {{cli_values_option(args), j->values, 1},
                                  {"vectors", j->vectors, 2},
                                  {"info", j->info_path, 1},
                                  {"residuals", j->residuals, 1},
                                  {"plot", j->plot, CLI_PICTURE}};
    enum { FILES = sizeof outputs / sizeof *outputs };
    return cli_check_files(args, inputs, 2, outputs, FILES);
}

/* Vectors are computed where anything that needs them is asked for. */
static bool wants_vectors(const job *j)
{
    return j->vectors || j->residuals || j->stats_wanted;
}

/* The most pairs that there can be.  For a range by value counts tell it, with room for those at the ends. */
static int count_pairs(eig_context *ctx, const job *j, double *most)
{
    const eig_stemr_options *const o = &j->options;
    double const ends[] = {o->vl, o->vu};
    int64_t below[2] = {0, 0};
    *most = (double)j->room;
    if (o->range != EIG_RANGE_VALUE || !(o->vl < o->vu)) return CLI_OK;
    int const status =
        cli_status(ctx, eig_dstebz_count(ctx, j->t.exact.n, j->t.exact.d, j->t.exact.e, 2, ends, below, NULL));
    *most = fmin(*most, (double)(below[1] - below[0]) + 2);
    return status;
}

/* The memory for the vectors, for the library's workspace on a CPU, and for a slice of the output; checked before the
 * work. */
static int check_memory(eig_context *ctx, const job *j)
{
    int64_t const n = j->t.exact.n;
    double pairs;
    size_t work = 0;
    int const status = count_pairs(ctx, j, &pairs);
    if (status != CLI_OK) return status;
    if (cli_on_cpu(ctx)) eig_stemr_work_size(ctx, j->type, &j->options, n, wants_vectors(j), &work);
    double const size = (double)type_size(j->type), vectors = wants_vectors(j) ? size * (double)n * pairs : 0;
    char what[96];
    snprintf(what, sizeof what, "%.0f eigen%s of order %lld", pairs, wants_vectors(j) ? "vectors" : "values",
             (long long)n);
    return memory_check(what, vectors + (double)work + 4 * size * pairs, ": try --range");
}

static int solve(eig_context *ctx, job *j)
{
    eig_stemr_options *const o = &j->options;
    bool some;
    int const found = tridiagonal_part(ctx, &j->t, NULL, o, &j->part, &some);
    if (found != CLI_OK || !some) return found;
    int64_t const n = j->t.exact.n, most = 6 * (n / 2 + 1); /* clusters, on six levels */
    bool const indices = o->range == EIG_RANGE_INDEX && 1 <= o->il && o->il <= o->iu && o->iu <= n;
    j->room = indices ? o->iu - o->il + 1 : n;
    int const fits = check_memory(ctx, j);
    if (fits != CLI_OK) return fits;
    bool room = numbers_make(&j->w, j->type, j->room) && numbers_make(&j->residual, j->type, j->room);
    room = room && numbers_make(&j->orthogonality, j->type, 1);
    if (room && wants_vectors(j)) room = numbers_make(&j->z, j->type, n * j->room);
    j->info = (int *)cli_allocate(j->room, sizeof *j->info);
    if (j->plot) {
        j->tree = (eig_stemr_node *)cli_allocate(most, sizeof *j->tree);
        room = room && j->tree;
        if (room && most > 0) j->tree[0].size = sizeof *j->tree;
        o->tree = j->tree, o->tree_room = room ? most : 0;
    }
    if (!room || !j->info)
        return cli_fail(CLI_FAILED, "no memory for %lld eigenpairs: try --range", (long long)j->room);
    j->stats.size = sizeof j->stats;
    double const start = clock_ms();
    eig_status const status =
        eig_stemr(ctx, j->type, o, n, j->t.d.data, j->t.e.data, &j->m, j->w.data, wants_vectors(j) ? j->z.data : NULL,
                  n > 0 ? n : 1, NULL, j->info, j->residual.data, j->orthogonality.data, &j->stats);
    j->times.solve_ms = clock_ms() - start;
    if (status == EIG_OK) tridiagonal_move(o->range, o->vl, o->vu, &j->w, j->m);
    if (status == EIG_OK) cli_add_passes(&j->times, ctx);
    if (status == EIG_NO_MEMORY) return cli_fail(CLI_FAILED, "%s: try --range", eig_error_detail(ctx));
    return cli_status(ctx, status);
}

/* v[i][k] is element i of vector k: this rank's columns of it, some rows at a time. */
static bool write_vectors(const job *j, io_sink *sink, int64_t all, io_error *error)
{
    enum { SLICE = 1 << 20 }; /* numbers */
    int64_t const n = j->t.exact.n, m = j->m, fits = m > 0 ? SLICE / m : n, most = fits < 1 ? 1 : fits < n ? fits : n;
    numbers v;
    bool good = true;
    if (!sink->path) return true;
    if (!numbers_make(&v, j->type, most * m)) {
        snprintf(error->text, sizeof error->text, "no memory for the vectors");
        return false;
    }
    for (int64_t first = 0; first < n && good; first += most) {
        int64_t const rows = n - first < most ? n - first : most;
        for (int64_t k = 0; k < m; k++)
            for (int64_t i = 0; i < rows; i++) numbers_put_part(&v, i * m + k, numbers_part(&j->z, first + i + k * n));
        if (m == all) good = io_sink_write(sink, first * m, rows * m, v.data, error);
        for (int64_t i = 0; i < rows && good && m < all; i++)
            good = io_sink_write(sink, (first + i) * all + j->part.first, m, numbers_at(&v, i * m), error);
    }
    numbers_free(&v);
    return good;
}

enum { VALUES, VECTORS, RESIDUALS, INFO, OUTPUTS };

static int write_files(const job *j, io_sink *sink)
{
    io_type const type = type_in_file(j->type);
    int64_t const all = ranks_several() ? j->part.all : j->m, first = j->part.first;
    io_error error;
    sink[VALUES] = (io_sink){.path = j->values, .variable = "eigenvalues", .a = {type, 1, {all}, NULL}};
    sink[VECTORS] =
        (io_sink){.path = j->vectors, .variable = "eigenvectors", .a = {type, 2, {j->t.exact.n, all}, NULL}};
    sink[RESIDUALS] = (io_sink){.path = j->residuals, .variable = "residuals", .a = {type, 1, {all}, NULL}};
    sink[INFO] = (io_sink){.path = j->info_path, .variable = "info", .a = {IO_I32, 1, {all}, NULL}};
    int const status = ranks_sinks_open(sink, OUTPUTS);
    if (status != CLI_OK) return status;
    bool const good = io_sink_write(&sink[VALUES], first, j->m, j->w.data, &error) &&
                      write_vectors(j, &sink[VECTORS], all, &error) &&
                      io_sink_write(&sink[RESIDUALS], first, j->m, j->residual.data, &error) &&
                      io_sink_write(&sink[INFO], first, j->m, j->info, &error);
    return good ? ranks_sinks_close(sink, OUTPUTS) : cli_fail(CLI_FAILED, "%s", error.text);
}

static int write_plot(const job *j, const char *file)
{
    const eig_stemr_stats *const s = &j->stats;
    char title[256], words[2][200];
    snprintf(title, sizeof title, "%.120s: n = %lld, %s, %lld eigenvalue%s", chart_file_name(file),
             (long long)j->t.exact.n, type_name(j->type), (long long)j->m, j->m == 1 ? "" : "s");
    snprintf(words[0], sizeof words[0], "%lld block%s, %lld cluster%s%s%lld eigenvalues, %lld level%s",
             (long long)s->blocks, s->blocks == 1 ? "" : "s", (long long)s->clusters, s->clusters == 1 ? "" : "s",
             s->clusters == 1 ? " of " : ", the largest of ", (long long)s->largest_cluster, (long long)s->depth,
             s->depth == 1 ? "" : "s");
    snprintf(words[1], sizeof words[1],
             "%lld representation%s, %lld shift%s tried, %lld cluster%s without a representation",
             (long long)s->representations, s->representations == 1 ? "" : "s", (long long)s->shifts,
             s->shifts == 1 ? "" : "s", (long long)s->bad_representations, s->bad_representations == 1 ? "" : "s");
    double *const w = (double *)cli_allocate(j->m, sizeof *w);
    if (!w) return cli_fail(CLI_FAILED, "no memory for the picture");
    numbers_to(&j->w, 0, w, j->m);
    svg_stemr const t = {w, j->m, j->tree, s->nodes, {words[0], words[1]}};
    io_error error;
    bool const good = svg_tree(j->plot, title, &t, &error);
    free(w);
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

/* Under mpirun, over all ranks: work is added up, of everything else the largest counts.  Blocks are those of all of
 * T. */
static void merge_stats(eig_stemr_stats *s)
{
    double largest[] = {(double)s->blocks, (double)s->depth, (double)s->largest_cluster};
    int64_t *const work[] = {&s->representations,     &s->clusters, &s->shifts,
                             &s->bad_representations, &s->skew,     &s->inverse_iterations};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) ranks_sum(work[i]);
    ranks_largest(largest, 3);
    s->blocks = (int64_t)largest[0], s->depth = (int64_t)largest[1], s->largest_cluster = (int64_t)largest[2];
}

/* On stderr, as the times are. */
static void print_stats(job *j)
{
    eig_stemr_stats *const s = &j->stats;
    double largest[] = {0, j->m > 0 ? numbers_part(&j->orthogonality, 0) : 0};
    for (int64_t k = 0; k < j->m; k++)
        if (numbers_part(&j->residual, k) > largest[0]) largest[0] = numbers_part(&j->residual, k);
    ranks_largest(largest, 2);
    merge_stats(s);
    if (ranks_rank() > 0) return;
    fprintf(stderr,
            "blocks %lld, representations %lld, depth %lld, clusters %lld (largest %lld), shifts tried %lld\n"
            "without a representation %lld, skew %lld, inverse iterations %lld\n"
            "largest residual %.3g, orthogonality %.3g (estimate)\n",
            (long long)s->blocks, (long long)s->representations, (long long)s->depth, (long long)s->clusters,
            (long long)s->largest_cluster, (long long)s->shifts, (long long)s->bad_representations, (long long)s->skew,
            (long long)s->inverse_iterations, largest[0], largest[1]);
}

static int write_all(job *j, const arguments *args, eig_context *ctx)
{
    double const start = clock_ms();
    io_sink sink[OUTPUTS] = {{.path = NULL}};
    int status = write_files(j, sink);
    io_sinks_abandon(sink, OUTPUTS);
    if (status == CLI_OK && j->plot) status = write_plot(j, args->file[0]);
    if (status == CLI_OK && !j->filed)
        for (int64_t k = 0; k < j->m; k++) ranks_printf("%.*g\n", type_digits(j->type), numbers_part(&j->w, k) + 0.0);
    if (status == CLI_OK && !j->filed) status = ranks_print();
    if (status == CLI_OK) status = cli_keep_outputs();
    j->times.write_ms = clock_ms() - start;
    if (status != CLI_OK) return status;
    int64_t failed = 0, found = j->m;
    for (int64_t k = 0; k < j->m; k++) failed += j->info[k] != 0;
    cli_longest_times(&j->times);
    ranks_sum(&failed), ranks_sum(&found);
    if (j->filed)
        cli_say(args, "%lld of %lld eigen%s, %s, %.3f ms\n", (long long)found, (long long)j->t.exact.n,
                wants_vectors(j) ? "pairs" : "values", cli_describe(ctx), j->times.solve_ms);
    if (j->stats_wanted) print_stats(j);
    if (j->timing) cli_print_times(ctx, &j->times);
    if (failed == 0) return CLI_OK;
    return cli_fail(CLI_FAILED, "%lld of %lld eigenpairs miss the accuracy promised", (long long)failed,
                    (long long)found);
}

static int run(const arguments *args)
{
    job j;
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
    if (status == CLI_OK && many.many)
        status = cli_fail(CLI_USAGE, "%s: stemr takes one matrix, this is a batch of %lld", args->file[0],
                          (long long)many.batch);
    io_close_tridiagonals(&many);
    j.times.read_ms = clock_ms() - start;
    if (status == CLI_OK) status = tridiagonal_check_range(args, t.n);
    if (status == CLI_OK) status = tridiagonal_make(&j.t, &t, j.type);
    if (status == CLI_OK) status = solve(ctx, &j);
    if (status == CLI_OK) status = write_all(&j, args, ctx);
    eig_destroy(ctx);
    io_tridiagonal_free(&t);
    tridiagonal_free(&j.t);
    numbers_free(&j.w), numbers_free(&j.z), numbers_free(&j.residual), numbers_free(&j.orthogonality);
    free(j.info), free(j.tree);
    return status;
}

static const option_row options[] = {
    {"values", 0, "F", "write the eigenvalues to F: .npy, .mat, .mtx, else text (default: print them)"},
    {"output", 'o', "F", "the same as --values"},
    {"vectors", 0, "F", "write the eigenvectors, of shape (n, m): v[:, k] belongs to eigenvalue k"},
    {"format", 0, CLI_FORMAT, CLI_FORMAT_HELP},
    {"range", 0, "FIRST:LAST", "only the pairs number FIRST to LAST, counted from 1, ascending"},
    {"interval", 0, "VL,VU", "only those with eigenvalues in (VL, VU]; -inf and inf are allowed"},
    {"type", 0, "T=f32|f64", "f64 (default) or f32"},
    {"method", 0, "M=auto|reference|mrrr", "auto (default), reference (slow) or mrrr (the tree of representations)"},
    {"same-bits", 0, NULL, HELP_SAME_BITS},
    {"residuals", 0, "F", "write ||T z - w z|| of each pair"},
    {"info", 0, "F", "write one integer a pair: 0, or the bound that it misses: 1 residual, 2 orthogonality, 3 both"},
    {"plot", 0, "F.svg",
     "draw the tree of representations of method mrrr: clusters as boxes, single eigenvalues as ticks"},
    {"stats", 0, NULL, "print clusters, representations, fallbacks and the measured accuracy on stderr"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_stemr = {
    .name = "stemr",
    .summary = "eigenvalues and eigenvectors of a symmetric tridiagonal matrix, by MRRR",
    .usage = "[options] D [E]",
    .text =
        "All or some eigenpairs of the symmetric tridiagonal matrix with diagonal D and off-diagonal E (n-1 entries,\n"
        "or n with a padding in front); files as stebz takes them.",
    .examples = "  eigpack stemr d.dat e.dat --values w.npy --vectors v.npy\n"
                "  eigpack stemr T.mtx --range 1:10 --vectors v.npy --stats\n"
                "  eigpack stemr T.mtx --quiet --plot tree.svg\n"
                "  eigpack generate glued -n 2100 -o - | eigpack stemr - --vectors v.npy --values w.npy\n",
    .options = options,
    .run = run,
    .computes = true,
    .ranks = true,
};
