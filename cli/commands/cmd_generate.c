/* eigpack generate: named test matrices as files. */
#include "commands/commands.h"
#include "io/io.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"
#include "io/matrices_hermitian.h"
#include "io/slices.h"
#include "run/memory.h"
#include "run/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const char *kind;
    bool full, hermitian; /* full: matrices of n x n, else diagonals and off-diagonals */
    eig_type type;
    int64_t n, batch, seed;
    matrices_more more;
    int files;
    const char *file[2];
} job;

static int print_kinds(void)
{
    printf("symmetric tridiagonal:\n");
    for (const char *const *name = matrices_tridiagonal_names; *name; name++)
        printf("  %-15s %s\n", *name, matrices_tridiagonal_text(*name));
    printf("nonsymmetric:\n");
    for (const char *const *name = matrices_nonsymmetric_names; *name; name++)
        printf("  %-15s %s\n", *name, matrices_nonsymmetric_text(*name));
    printf("real symmetric or complex Hermitian:\n");
    for (const char *const *name = matrices_hermitian_names; *name; name++)
        printf("  %-15s %s\n", *name, matrices_hermitian_text(*name));
    return CLI_OK;
}

/* Where a whole tridiagonal matrix goes: a .mtx file, or standard output in that form. */
static bool is_mtx(const char *path)
{
    size_t const length = strlen(path);
    return io_is_standard_output(path) || (length >= 4 && strcmp(path + length - 4, ".mtx") == 0);
}

static int check_outputs(const arguments *args, const job *j)
{
    int const rank = !j->full ? j->batch > 1 ? 2 : 1 : j->batch > 1 ? 3 : 2;
    cli_output const outputs[] = {{"output", j->file[0], j->files == 1 && !j->full ? 0 : rank},
                                  {"output", j->files > 1 ? j->file[1] : NULL, rank}};
    bool const text = j->files == 1 && !j->full && io_is_standard_output(j->file[0]);
    if (text && cli_as_npy(args))
        return cli_fail(CLI_USAGE, "%s goes to standard output as .mtx: give no --format", j->kind);
    return cli_check_files(args, NULL, 0, outputs, 2);
}

/* Further options of tridiagonal kinds. */
static int read_more(const arguments *args, job *j)
{
    matrices_more *const m = &j->more;
    bool const glue = option_given(args, "glue"), block = option_given(args, "block");
    if (!option_real(args, "condition", 1, &m->condition) || !option_real(args, "glue", -INFINITY, &m->glue) ||
        !option_integer(args, "block", 1, INT64_MAX, &m->block))
        return CLI_USAGE;
    if (option_given(args, "condition") && !matrices_tridiagonal_takes_condition(j->kind))
        return cli_fail(CLI_USAGE, "%s takes no --condition", j->kind);
    if ((glue || block) && j->full) return cli_fail(CLI_USAGE, "%s is not tridiagonal: it takes no --glue", j->kind);
    if (glue != block) return cli_fail(CLI_USAGE, "--glue and --block belong together");
    return CLI_OK;
}

static int read_options(const arguments *args, job *j)
{
    *j = (job){.type = EIG_D, .n = 2048, .batch = 1, .seed = 1};
    if (args->count != 1) return cli_fail(CLI_USAGE, "generate takes one KIND; see eigpack generate --list");
    j->kind = args->file[0];
    j->hermitian = matrices_hermitian_text(j->kind) != NULL;
    j->full = j->hermitian || matrices_nonsymmetric_text(j->kind) != NULL;
    if (!j->full && !matrices_tridiagonal_text(j->kind))
        return cli_fail(CLI_USAGE, "unknown kind '%s'; see eigpack generate --list", j->kind);
    if (!option_integer(args, "size", 0, INT64_MAX, &j->n) || !option_integer(args, "batch", 1, INT64_MAX, &j->batch) ||
        !option_integer(args, "seed", 0, INT64_MAX, &j->seed) || !cli_type(args, NULL, &j->type))
        return CLI_USAGE;
    int status = read_more(args, j);
    if (status != CLI_OK) return status;
    if (type_is_complex(j->type) && !j->hermitian)
        return cli_fail(CLI_USAGE, "%s is a real kind: --type must be f32 or f64", j->kind);
    j->files = option_all(args, "output", j->file, 2);
    if (j->full && !option_given(args, "size")) j->n = 30;
    if (j->full) return j->files == 1 ? CLI_OK : cli_fail(CLI_USAGE, "%s needs one -o A.npy (or .mat)", j->kind);
    if (j->files < 1 || j->files > 2 || (j->files == 1 && !is_mtx(j->file[0])))
        return cli_fail(CLI_USAGE, "%s needs -o D -o E for diagonal and off-diagonal, or one -o T.mtx (or -)", j->kind);
    if (j->files == 1 && j->batch != 1) return cli_fail(CLI_USAGE, "a .mtx file holds one matrix: --batch must be 1");
    return CLI_OK;
}

static int no_memory(int64_t count)
{
    return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)count);
}

/* Numbers that the type cannot hold are not written. */
static int refuse_beyond(const job *j, const numbers *x)
{
    if (numbers_not_finite(x) < 0) return CLI_OK;
    return cli_fail(CLI_USAGE, "%s has numbers beyond %s: use --type f64", j->kind, type_name(j->type));
}

/* -------------------------------------------------------------- in slices */

/* What is written: one array of full matrices, or two with a row for each matrix's diagonal and off-diagonal.  Only
 * some matrices are in memory at a time. */
typedef struct output {
    const job *j;
    int arrays;
    int64_t length[2]; /* numbers of a matrix in each array */
    numbers x[2];      /* of some matrices */
    io_sink sink[2];
} output;

/* Matrix b of a batch takes seed + b. */
static int make_vectors(output *o, int64_t first, int64_t count)
{
    const job *const j = o->j;
    for (int64_t b = 0; b < count; b++) {
        io_tridiagonal t = {0};
        io_error error;
        if (!matrices_tridiagonal_more(j->kind, j->n, (uint64_t)(j->seed + first + b), &j->more, &t, &error))
            return cli_fail(CLI_USAGE, "%s", error.text);
        numbers_from(&o->x[0], b * o->length[0], t.d, o->length[0]);
        numbers_from(&o->x[1], b * o->length[1], t.e, o->length[1]);
        io_tridiagonal_free(&t);
    }
    return CLI_OK;
}

static int make_full(output *o, int64_t first, int64_t count)
{
    const job *const j = o->j;
    int64_t const all = count * o->length[0];
    io_error error;
    if (j->hermitian)
        return matrices_hermitian(j->kind, j->n, count, (uint64_t)(j->seed + first), &o->x[0], &error)
                   ? CLI_OK
                   : cli_fail(CLI_FAILED, "%s", error.text);
    double *const exact = (double *)cli_allocate(all, sizeof *exact);
    if (!exact) return no_memory(all);
    matrices_nonsymmetric_part(j->kind, j->n, first, count, (uint64_t)j->seed, exact);
    numbers_from(&o->x[0], 0, exact, all);
    free(exact);
    return CLI_OK;
}

static int write_slice(output *o, int64_t first, int64_t count)
{
    io_error error;
    int status = o->j->full ? make_full(o, first, count) : make_vectors(o, first, count);
    for (int i = 0; i < o->arrays && status == CLI_OK; i++) {
        numbers const made = {o->x[i].type, count * o->length[i], o->x[i].data};
        status = refuse_beyond(o->j, &made);
        if (status == CLI_OK && !io_sink_write(&o->sink[i], first * o->length[i], made.count, made.data, &error))
            status = cli_fail(CLI_FAILED, "%s", error.text);
    }
    return status;
}

/* Makes room for `count` matrices, in the type, and once more as they are made, in double. */
static int make_room(output *o, int64_t count)
{
    double const all = (double)(o->length[0] + o->length[1]), size = (double)type_size(o->j->type);
    double const extra = o->j->hermitian ? 2 * 8 * all : 8 * all * (double)(o->j->full ? count : 1);
    char what[64];
    snprintf(what, sizeof what, "a matrix of order %lld", (long long)o->j->n);
    int const status = memory_check(what, all * size * (double)count + extra, "");
    if (status != CLI_OK) return status;
    for (int i = 0; i < o->arrays; i++)
        if (!numbers_make(&o->x[i], o->j->type, count * o->length[i])) return no_memory(count * o->length[i]);
    return CLI_OK;
}

static int write_slices(output *o)
{
    enum { SLICE = 1 << 20 }; /* numbers */
    int64_t const batch = o->j->batch, each = o->length[0] + o->length[1];
    int64_t const fits = each > 0 ? SLICE / each : batch, some = fits < 1 ? 1 : fits < batch ? fits : batch;
    io_error error;
    int status = make_room(o, some);
    if (status == CLI_OK && !io_sinks_open(o->sink, o->arrays, &error)) status = cli_fail(CLI_FAILED, "%s", error.text);
    if (batch > some) progress_files(false); /* one bar for all slices */
    for (int64_t first = 0; first < batch && status == CLI_OK; first += some) {
        status = write_slice(o, first, batch - first < some ? batch - first : some);
        if (batch > some) progress_at("making", o->j->kind, (double)first / (double)batch);
    }
    progress_files(true);
    progress_clear();
    if (status == CLI_OK && !io_sinks_close(o->sink, o->arrays, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    io_sinks_abandon(o->sink, o->arrays);
    for (int i = 0; i < o->arrays; i++) numbers_free(&o->x[i]);
    return status == CLI_OK ? cli_keep_outputs() : status;
}

/* Whether all numbers of a matrix, and of the batch, can be counted. */
static int check_size(const job *j, int64_t length)
{
    if (length <= 0 || j->batch <= INT64_MAX / 16 / length) return CLI_OK;
    return cli_fail(CLI_USAGE, "-n %lld --batch %lld is too large", (long long)j->n, (long long)j->batch);
}

/* One matrix gives vectors, a batch arrays of rank 2. */
static int write_vectors(const job *j)
{
    static const char *const names[2] = {"d", "e"};
    output o = {.j = j, .arrays = 2, .length = {j->n, j->n > 0 ? j->n - 1 : 0}};
    int const status = check_size(j, j->n);
    for (int i = 0; i < 2; i++) {
        io_array const one = {type_in_file(j->type), 1, {o.length[i]}, NULL};
        io_array const many = {type_in_file(j->type), 2, {j->batch, o.length[i]}, NULL};
        o.sink[i] = (io_sink){.path = j->file[i], .variable = names[i], .a = j->batch > 1 ? many : one};
    }
    return status == CLI_OK ? write_slices(&o) : status;
}

/* A batch of full matrices: shape (batch, n, n), or (n, n) for one. */
static int write_full(const job *j)
{
    int64_t const n = j->n, square = n <= 1 << 30 ? n * n : INT64_MAX;
    io_array const one = {type_in_file(j->type), 2, {n, n}, NULL};
    io_array const many = {type_in_file(j->type), 3, {j->batch, n, n}, NULL};
    output o = {.j = j, .arrays = 1, .length = {square}};
    o.sink[0] = (io_sink){.path = j->file[0], .variable = "A", .a = j->batch > 1 ? many : one};
    int const status = check_size(j, square);
    return status == CLI_OK ? write_slices(&o) : status;
}

static int write_matrix(const job *j)
{
    io_tridiagonal t = {0};
    io_error error;
    if (!matrices_tridiagonal_more(j->kind, j->n, (uint64_t)j->seed, &j->more, &t, &error))
        return cli_fail(CLI_USAGE, "%s", error.text);
    bool const good = io_write_tridiagonal_mtx(j->file[0], &t, &error);
    io_tridiagonal_free(&t);
    return good ? cli_keep_outputs() : cli_fail(CLI_FAILED, "%s", error.text);
}

static int run(const arguments *args)
{
    if (option_given(args, "list")) return print_kinds();
    job j;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_outputs(args, &j);
    if (status != CLI_OK) return status;
    if (j.full) return write_full(&j);
    return j.files == 1 ? write_matrix(&j) : write_vectors(&j);
}

static const option_row options[] = {
    {"size", 'n', "N", "order of the matrix (default 2048; full matrices: 30)"},
    {"batch", 0, "B", "number of matrices, with seeds S, S+1, ... (default 1)"},
    {"seed", 0, "S", "seed of the random kinds (default 1)"},
    {"output", 'o', "F",
     "output: twice, for diagonal and off-diagonal; or once: T as .mtx, or full matrices; - is stdout"},
    {"format", 0, CLI_FORMAT, CLI_FORMAT_HELP},
    {"type", 0, "T=f32|f64|c64|c128", "f64 (default) or f32; Hermitian kinds: also c64 or c128"},
    {"condition", 0, "C", "of latms1 to latms5: the largest eigenvalue over the least (default 2^52)"},
    {"block", 0, "R", "of a tridiagonal kind: copies of the matrix of order R, up to order N,"},
    {"glue", 0, "G", "the off-diagonal entry between these copies"},
    {"list", 0, NULL, "list the kinds"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_generate = {
    .name = "generate",
    .summary = "named test matrices as files",
    .usage = "KIND [-n N] [--batch B] [--seed S] -o FILE [-o FILE]",
    .text =
        "Writes a named test matrix; --list prints the kinds.  The same kind, size and seed give the same matrix on\n"
        "every machine.",
    .examples = "  eigpack generate --list\n"
                "  eigpack generate uniform -n 4096 -o d.npy -o e.npy\n"
                "  eigpack generate wilkinson -n 21 -o W21.mtx\n"
                "  eigpack generate wilkinson -n 2100 --block 21 --glue 1e-9 -o glued.mtx\n"
                "  eigpack generate latms3 -n 500 --condition 1e6 -o T.mtx\n"
                "  eigpack generate harper -n 1000 -o - | eigpack stebz - --range 1:10\n"
                "  eigpack generate uniform -n 128 --batch 10000 -o d.npy -o e.npy\n"
                "  eigpack generate random -n 30 --batch 100000 -o A.npy\n"
                "  eigpack generate random -n 30 --batch 100 -o - --format npy | eigpack geev -\n"
                "  eigpack generate ensemble -n 30 --batch 1000 --type c128 -o H.npy\n",
    .options = options,
    .names = "$(eigpack generate --list 2>/dev/null | sed -n 's/^  \\([a-z0-9-]*\\).*/\\1/p')",
    .run = run,
};
