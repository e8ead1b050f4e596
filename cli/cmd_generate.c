/* eigpack generate: named test matrices as files. */
#include "cli.h"
#include "io/io.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"
#include "io/matrices_hermitian.h"

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

/* What a whole tridiagonal matrix goes to: a .mtx file, or standard output in that form. */
static bool is_mtx(const char *path)
{
    size_t const length = strlen(path);
    return io_is_standard_output(path) || (length >= 4 && strcmp(path + length - 4, ".mtx") == 0);
}

static int check_outputs(const job *j)
{
    int const rank = !j->full ? j->batch > 1 ? 2 : 1 : j->batch > 1 ? 3 : 2;
    cli_output const outputs[] = {{"output", j->file[0], j->files == 1 && !j->full ? 0 : rank},
                                  {"output", j->files > 1 ? j->file[1] : NULL, rank}};
    return cli_check_files(NULL, 0, outputs, 2);
}

/* What tridiagonal kinds take beside. */
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
        !option_integer(args, "seed", 0, INT64_MAX, &j->seed) || !cli_type(args, "f32|f64|c64|c128", &j->type))
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

/* What a type cannot hold is not written. */
static int refuse_beyond(const job *j, const numbers *x)
{
    if (numbers_not_finite(x) < 0) return CLI_OK;
    return cli_fail(CLI_USAGE, "%s has numbers beyond %s: use --type f64", j->kind, type_name(j->type));
}

/* Matrix b of a batch takes seed + b. */
static int make_vectors(const job *j, numbers x[2])
{
    int64_t const length[2] = {j->n, j->n > 0 ? j->n - 1 : 0};
    for (int i = 0; i < 2; i++) {
        if (length[i] > 0 && j->batch > INT64_MAX / length[i])
            return cli_fail(CLI_USAGE, "--batch = %lld is too large", (long long)j->batch);
        if (!numbers_make(&x[i], j->type, j->batch * length[i])) return no_memory(j->batch * length[i]);
    }
    for (int64_t b = 0; b < j->batch; b++) {
        io_tridiagonal t = {0};
        io_error error;
        io_tell("making", j->kind, b, j->batch);
        if (!matrices_tridiagonal_more(j->kind, j->n, (uint64_t)(j->seed + b), &j->more, &t, &error))
            return cli_fail(CLI_USAGE, "%s", error.text);
        numbers_from(&x[0], b * length[0], t.d, length[0]);
        numbers_from(&x[1], b * length[1], t.e, length[1]);
        io_tridiagonal_free(&t);
    }
    io_tell("making", j->kind, 1, 1);
    int const status = refuse_beyond(j, &x[0]);
    return status == CLI_OK ? refuse_beyond(j, &x[1]) : status;
}

/* One matrix gives vectors, a batch arrays of rank 2. */
static int write_vectors(const job *j)
{
    static const char *const names[2] = {"d", "e"};
    numbers x[2] = {{0}};
    int status = make_vectors(j, x);
    for (int i = 0; i < 2 && status == CLI_OK; i++) {
        int64_t const length = x[i].count / j->batch;
        status = cli_write(j->file[i], names[i], &x[i], j->batch > 1 ? j->batch : length, j->batch > 1 ? length : 0);
    }
    for (int i = 0; i < 2; i++) numbers_free(&x[i]);
    return status;
}

static int write_matrix(const job *j)
{
    io_tridiagonal t = {0};
    io_error error;
    if (!matrices_tridiagonal_more(j->kind, j->n, (uint64_t)j->seed, &j->more, &t, &error))
        return cli_fail(CLI_USAGE, "%s", error.text);
    bool const good = io_write_tridiagonal_mtx(j->file[0], &t, &error);
    io_tridiagonal_free(&t);
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

static int make_full(const job *j, numbers *a)
{
    int64_t const square = j->n * j->n;
    io_error error;
    if (j->hermitian)
        return matrices_hermitian(j->kind, j->n, j->batch, (uint64_t)j->seed, a, &error)
                   ? CLI_OK
                   : cli_fail(CLI_FAILED, "%s", error.text);
    double *const all = (double *)cli_allocate(j->batch * square, sizeof *all);
    if (!all) return no_memory(j->batch * square);
    matrices_nonsymmetric(j->kind, j->n, j->batch, (uint64_t)j->seed, all);
    numbers_from(a, 0, all, j->batch * square);
    free(all);
    return refuse_beyond(j, a);
}

/* A batch of full matrices: shape (batch, n, n), or (n, n) for one. */
static int write_full(const job *j)
{
    int64_t const n = j->n, square = n <= 65536 ? n * n : -1;
    if (square < 0 || (square > 0 && j->batch > INT64_MAX / square))
        return cli_fail(CLI_USAGE, "-n %lld --batch %lld is too large", (long long)n, (long long)j->batch);
    numbers x;
    io_error error;
    if (!numbers_make(&x, j->type, j->batch * square)) return no_memory(j->batch * square);
    int status = make_full(j, &x);
    io_array a = {type_in_file(j->type), 3, {j->batch, n, n}, x.data};
    if (j->batch == 1) a = (io_array){type_in_file(j->type), 2, {n, n}, x.data};
    if (status == CLI_OK && !io_write_array(j->file[0], "A", &a, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    numbers_free(&x);
    return status;
}

static int run(const arguments *args)
{
    if (option_given(args, "list")) return print_kinds();
    job j;
    int status = read_options(args, &j);
    if (status == CLI_OK) status = check_outputs(&j);
    if (status != CLI_OK) return status;
    if (j.full) return write_full(&j);
    return j.files == 1 ? write_matrix(&j) : write_vectors(&j);
}

static const option_row options[] = {
    {"size", 'n', "N", "order of the matrix (default 2048; of a full one 30)"},
    {"batch", 0, "B", "number of matrices, with seeds S, S+1, ... (default 1)"},
    {"seed", 0, "S", "seed of the random kinds (default 1)"},
    {"output", 'o', "F",
     "output: twice, for diagonal and off-diagonal; or once: T as .mtx, or full matrices; - is stdout"},
    {"type", 0, "T", "f64 (default) or f32; of a Hermitian kind also c64 or c128"},
    {"condition", 0, "C", "of latms1 to latms5: the largest eigenvalue over the least (default 2^52)"},
    {"block", 0, "R", "of a tridiagonal kind: copies of the matrix of order R, up to order N,"},
    {"glue", 0, "G", "with this between them"},
    {"list", 0, NULL, "list the kinds"},
    {NULL, 0, NULL, NULL},
};

const cli_command command_generate = {
    .name = "generate",
    .summary = "named test matrices as files",
    .usage = "KIND [-n N] [--batch B] [--seed S] -o FILE [-o FILE]",
    .text =
        "Writes a named test matrix; --list tells the kinds.  The same kind, size and seed give the same matrix on\n"
        "every machine.",
    .examples = "  eigpack generate --list\n"
                "  eigpack generate uniform -n 4096 -o d.npy -o e.npy\n"
                "  eigpack generate wilkinson -n 21 -o W21.mtx\n"
                "  eigpack generate wilkinson -n 2100 --block 21 --glue 1e-9 -o glued.mtx\n"
                "  eigpack generate latms3 -n 500 --condition 1e6 -o T.mtx\n"
                "  eigpack generate harper -n 1000 -o - | eigpack stebz - --range 1:10\n"
                "  eigpack generate uniform -n 128 --batch 10000 -o d.npy -o e.npy\n"
                "  eigpack generate random -n 30 --batch 100000 -o A.npy\n"
                "  eigpack generate ensemble -n 30 --batch 1000 --type c128 -o H.npy\n",
    .options = options,
    .run = run,
};
