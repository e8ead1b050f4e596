/* eigpack generate: named test matrices as files. */
#include "cli.h"
#include "io/io.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const char *kind;
    bool full; /* a nonsymmetric kind: full matrices */
    int64_t n, batch, seed;
    int files;
    const char *file[2];
} job;

static int print_kinds(void)
{
    printf("symmetric tridiagonal:\n");
    for (const char *const *name = matrices_tridiagonal_names; *name; name++)
        printf("  %-12s %s\n", *name, matrices_tridiagonal_text(*name));
    printf("nonsymmetric:\n");
    for (const char *const *name = matrices_nonsymmetric_names; *name; name++)
        printf("  %-12s %s\n", *name, matrices_nonsymmetric_text(*name));
    return CLI_OK;
}

static bool is_mtx(const char *path)
{
    size_t const length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".mtx") == 0;
}

static int read_options(const arguments *args, job *j)
{
    *j = (job){.n = 2048, .batch = 1, .seed = 1};
    if (args->count != 1) return cli_fail(CLI_USAGE, "generate takes one KIND; see eigpack generate --list");
    j->kind = args->file[0];
    j->full = matrices_nonsymmetric_text(j->kind) != NULL;
    if (!j->full && !matrices_tridiagonal_text(j->kind))
        return cli_fail(CLI_USAGE, "unknown kind '%s'; see eigpack generate --list", j->kind);
    if (!option_integer(args, "size", 0, INT64_MAX, &j->n) || !option_integer(args, "batch", 1, INT64_MAX, &j->batch) ||
        !option_integer(args, "seed", 0, INT64_MAX, &j->seed))
        return CLI_USAGE;
    j->files = option_all(args, "output", j->file, 2);
    if (j->full && !option_given(args, "size")) j->n = 30;
    if (j->full) return j->files == 1 ? CLI_OK : cli_fail(CLI_USAGE, "%s needs one -o A.npy (or .mat)", j->kind);
    if (j->files < 1 || j->files > 2 || (j->files == 1 && !is_mtx(j->file[0])))
        return cli_fail(CLI_USAGE, "%s needs -o D -o E for diagonal and off-diagonal, or one -o T.mtx", j->kind);
    if (j->files == 1 && j->batch != 1) return cli_fail(CLI_USAGE, "a .mtx file holds one matrix: --batch must be 1");
    return CLI_OK;
}

/* Matrix b of a batch takes seed + b.  One matrix gives vectors, a batch arrays of rank 2. */
static int make_vectors(const job *j, io_array *d, io_array *e)
{
    io_array *const arrays[2] = {d, e};
    int64_t const length[2] = {j->n, j->n > 0 ? j->n - 1 : 0};
    for (int i = 0; i < 2; i++) {
        if (length[i] > 0 && j->batch > INT64_MAX / length[i])
            return cli_fail(CLI_USAGE, "--batch = %lld is too large", (long long)j->batch);
        *arrays[i] = (io_array){.type = IO_F64, .rank = 1, .shape = {length[i]}};
        if (j->batch > 1) *arrays[i] = (io_array){.type = IO_F64, .rank = 2, .shape = {j->batch, length[i]}};
        arrays[i]->data = cli_allocate(j->batch * length[i], sizeof(double));
        if (!arrays[i]->data)
            return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)(j->batch * length[i]));
    }
    for (int64_t b = 0; b < j->batch; b++) {
        io_tridiagonal t = {0};
        io_error error;
        if (progress_signal()) return cli_fail(128 + progress_signal(), "stopped; nothing was written");
        if (!matrices_tridiagonal(j->kind, j->n, (uint64_t)(j->seed + b), &t, &error))
            return cli_fail(CLI_USAGE, "%s", error.text);
        if (j->n > 0) memcpy((double *)d->data + b * length[0], t.d, (size_t)length[0] * sizeof(double));
        if (j->n > 1) memcpy((double *)e->data + b * length[1], t.e, (size_t)length[1] * sizeof(double));
        io_tridiagonal_free(&t);
    }
    return CLI_OK;
}

static int write_vectors(const job *j)
{
    io_array d = {0}, e = {0};
    io_error error;
    int status = make_vectors(j, &d, &e);
    if (status == CLI_OK &&
        (!io_write_array(j->file[0], "d", &d, &error) || !io_write_array(j->file[1], "e", &e, &error)))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    io_array_free(&d);
    io_array_free(&e);
    return status;
}

static int write_matrix(const job *j)
{
    io_tridiagonal t = {0};
    io_error error;
    if (!matrices_tridiagonal(j->kind, j->n, (uint64_t)j->seed, &t, &error))
        return cli_fail(CLI_USAGE, "%s", error.text);
    bool const good = io_write_tridiagonal_mtx(j->file[0], &t, &error);
    io_tridiagonal_free(&t);
    return good ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

/* A batch of full matrices: shape (batch, n, n), or (n, n) for one. */
static int write_full(const job *j)
{
    int64_t const n = j->n, square = n <= 65536 ? n * n : -1;
    if (square < 0 || (square > 0 && j->batch > INT64_MAX / square))
        return cli_fail(CLI_USAGE, "-n %lld --batch %lld is too large", (long long)n, (long long)j->batch);
    io_array a = {.type = IO_F64, .rank = 3, .shape = {j->batch, n, n}};
    if (j->batch == 1) a = (io_array){.type = IO_F64, .rank = 2, .shape = {n, n}};
    io_error error;
    a.data = cli_allocate(j->batch * square, sizeof(double));
    if (!a.data) return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)(j->batch * square));
    int status = CLI_OK;
    matrices_nonsymmetric(j->kind, n, j->batch, (uint64_t)j->seed, (double *)a.data);
    if (progress_signal())
        status = cli_fail(128 + progress_signal(), "stopped; nothing was written");
    else if (!io_write_array(j->file[0], "A", &a, &error))
        status = cli_fail(CLI_FAILED, "%s", error.text);
    io_array_free(&a);
    return status;
}

static int run(const arguments *args)
{
    if (option_given(args, "list")) return print_kinds();
    job j;
    int const status = read_options(args, &j);
    if (status != CLI_OK) return status;
    if (j.full) return write_full(&j);
    return j.files == 1 ? write_matrix(&j) : write_vectors(&j);
}

static const option_row options[] = {
    {"size", 'n', "N", "order of the matrix (default 2048; of a nonsymmetric one 30)"},
    {"batch", 0, "B", "number of matrices, with seeds S, S+1, ... (default 1)"},
    {"seed", 0, "S", "seed of the random kinds (default 1)"},
    {"output", 'o', "F", "output: twice, for diagonal and off-diagonal; or once: a .mtx file, or full matrices"},
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
                "  eigpack generate uniform -n 128 --batch 10000 -o d.npy -o e.npy\n"
                "  eigpack generate random -n 30 --batch 100000 -o A.npy\n",
    .options = options,
    .run = run,
};
