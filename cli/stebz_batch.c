/* eigpack stebz on a batch: outputs have a row a matrix. */
#include "cmd_stebz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct batch_run {
    stebz_job *j;
    const io_tridiagonal *t;
    int64_t n, batch, m; /* m eigenvalues a matrix */
    numbers d, e, w, lower, upper;
    int *info;
    double solve_ms;
} batch_run;

static void release(batch_run *r)
{
    numbers *const arrays[] = {&r->d, &r->e, &r->w, &r->lower, &r->upper};
    for (int i = 0; i < 5; i++) numbers_free(arrays[i]);
    free(r->info);
}

static int write_array(const char *path, const char *variable, const io_array *a)
{
    io_error error;
    return io_write_array(path, variable, a, &error) ? CLI_OK : cli_fail(CLI_FAILED, "%s", error.text);
}

/* ------------------------------------------------------------------- solve */

/* What a type cannot hold is refused; what is not finite is the library's to tell. */
static int round_to(numbers *y, eig_type type, const double *x, int64_t count, const char *name)
{
    if (!numbers_make(y, type, count)) return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)count);
    numbers_from(y, 0, x, count);
    for (int64_t k = 0; k < count; k++)
        if (isfinite(x[k]) && !isfinite(numbers_re(y, k)))
            return cli_fail(CLI_USAGE, "%s[%lld] = %g is beyond float32: use --type f64", name, (long long)k, x[k]);
    return CLI_OK;
}

static int make_inputs(batch_run *r)
{
    int64_t const beside = r->n > 1 ? r->n - 1 : 0;
    int const status = round_to(&r->d, r->j->type, r->t->d, r->batch * r->n, "d");
    return status == CLI_OK ? round_to(&r->e, r->j->type, r->t->e, r->batch * beside, "e") : status;
}

static int make_outputs(batch_run *r)
{
    const eig_stebz_options *const o = &r->j->options;
    bool const some = o->range == EIG_RANGE_INDEX && 1 <= o->il && o->il <= o->iu && o->iu <= r->n;
    r->m = some ? o->iu - o->il + 1 : r->n;
    bool room = numbers_make(&r->w, r->j->type, r->batch * r->m);
    if (r->j->enclosures)
        room = room && numbers_make(&r->lower, r->j->type, r->batch * r->m) &&
               numbers_make(&r->upper, r->j->type, r->batch * r->m);
    r->info = (int *)cli_allocate(r->batch, sizeof *r->info);
    return room && r->info
               ? CLI_OK
               : cli_fail(CLI_FAILED, "no memory for %lld x %lld eigenvalues", (long long)r->batch, (long long)r->m);
}

static int solve(batch_run *r, eig_context *ctx)
{
    int64_t const n = r->n;
    if (r->j->options.range == EIG_RANGE_VALUE)
        return cli_fail(CLI_USAGE, "--interval is for one matrix; a batch takes --range");
    int const status = make_outputs(r);
    if (status != CLI_OK) return status;
    double const start = clock_ms();
    eig_status const solved =
        eig_stebz_batched(ctx, r->j->type, &r->j->options, n, r->d.data, n, r->e.data, n > 1 ? n - 1 : 0, r->w.data,
                          r->lower.data, r->upper.data, r->m, r->info, r->batch);
    r->solve_ms = clock_ms() - start;
    return cli_status(ctx, solved);
}

/* ------------------------------------------------------------------ output */

static int write_enclosures(const batch_run *r)
{
    numbers pairs;
    int64_t const count = r->w.count;
    if (!numbers_make(&pairs, r->j->type, 2 * count))
        return cli_fail(CLI_FAILED, "no memory for %lld enclosures", (long long)count);
    for (int64_t k = 0; k < count; k++) {
        numbers_put_part(&pairs, 2 * k, numbers_re(&r->lower, k));
        numbers_put_part(&pairs, 2 * k + 1, numbers_re(&r->upper, k));
    }
    io_array const a = {type_in_file(r->j->type), 3, {r->batch, r->m, 2}, pairs.data};
    int const status = write_array(r->j->enclosures, "enclosures", &a);
    numbers_free(&pairs);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The eigenvalues of all matrices together, but for those that have none. */
static int plot(const batch_run *r, const char *file)
{
    double *const all = (double *)cli_allocate(r->w.count, sizeof *all);
    if (!all) return cli_fail(CLI_FAILED, "no memory for the picture");
    int64_t count = 0;
    for (int64_t k = 0; k < r->w.count; k++)
        if (!isnan(numbers_re(&r->w, k))) all[count++] = numbers_re(&r->w, k);
    qsort(all, (size_t)count, sizeof *all, ascending);
    int const status = stebz_plot(r->j, file, all, count);
    free(all);
    return status;
}

static int write_all(batch_run *r, const char *file)
{
    stebz_job *const j = r->j;
    double const start = clock_ms();
    io_array const w = {type_in_file(j->type), 2, {r->batch, r->m}, r->w.data};
    io_array const info = {.type = IO_I32, .rank = 1, .shape = {r->batch}, .data = r->info};
    int status = CLI_OK;
    if (j->output || !j->quiet) status = write_array(j->output ? j->output : "-", "eigenvalues", &w);
    if (status == CLI_OK && j->enclosures) status = write_enclosures(r);
    if (status == CLI_OK && j->info) status = write_array(j->info, "info", &info);
    if (status == CLI_OK && j->plot) status = plot(r, file);
    j->write_ms = clock_ms() - start;
    return status;
}

/* -------------------------------------------------------------- comparison */

/* The reference holds a row a matrix, of the m eigenvalues or of all n. */
static int compare(const batch_run *r)
{
    const char *const path = r->j->reference;
    io_array a = {0};
    io_error error;
    numbers all = {0};
    if (!io_read_array(path, &a, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    int64_t const count = io_array_count(&a), columns = count == r->batch * r->n ? r->n : r->m;
    int64_t const first = columns == r->n && r->m < r->n ? r->j->options.il - 1 : 0;
    int status = CLI_OK;
    if (count != r->batch * columns)
        status = cli_fail(CLI_USAGE, "%s: %lld values, but %lld x %lld eigenvalues were computed", path,
                          (long long)count, (long long)r->batch, (long long)r->m);
    else if (!numbers_take(&all, EIG_D, path, &a, &error))
        status = cli_fail(CLI_USAGE, "%s", error.text);
    double *const w = (double *)cli_allocate(r->m, sizeof *w);
    if (!w) status = cli_fail(CLI_FAILED, "no memory for the comparison");
    comparison worst = {.passed = true};
    int64_t number = 1;
    for (int64_t b = 0; b < r->batch && status == CLI_OK && r->m > 0; b++) {
        numbers_to(&r->w, b * r->m, w, r->m);
        spectrum const s = {.m = r->m, .w = w};
        comparison const c =
            spectrum_compare(&s, r->j->type, (const double *)all.data + b * columns + first, r->j->options.abstol);
        if (b > 0 && c.difference - c.allowed <= worst.difference - worst.allowed) continue;
        bool const passed = worst.passed && c.passed;
        worst = c, worst.passed = passed, number = b * r->m + c.worst + 1;
    }
    if (status == CLI_OK && r->m > 0) status = stebz_verdict(r->j, &worst, number);
    free(w);
    numbers_free(&all);
    io_array_free(&a);
    return status;
}

/* ------------------------------------------------------------------ counts */

static int count_below(batch_run *r, eig_context *ctx)
{
    int64_t const m = r->j->shift_count, n = r->n, beside = n > 1 ? n - 1 : 0;
    int64_t *const below = (int64_t *)cli_allocate(r->batch * m, sizeof *below);
    numbers x;
    int status = numbers_make(&x, r->j->type, m) && below
                     ? CLI_OK
                     : cli_fail(CLI_FAILED, "no memory for %lld counts", (long long)(r->batch * m));
    if (status == CLI_OK) numbers_from(&x, 0, r->j->shifts, m);
    for (int64_t b = 0; b < r->batch && status == CLI_OK; b++)
        status = cli_status(ctx, eig_stebz_count(ctx, r->j->type, n, numbers_at(&r->d, b * n),
                                                 numbers_at(&r->e, b * beside), m, x.data, below + b * m, NULL));
    io_array const out = {.type = IO_I64, .rank = 2, .shape = {r->batch, m}, .data = below};
    if (status == CLI_OK) status = write_array(r->j->output ? r->j->output : "-", "count", &out);
    free(below);
    numbers_free(&x);
    return status;
}

/* --------------------------------------------------------------------- run */

/* The shape of what is written is known now: a format that cannot hold it is refused before the computation. */
static int check_ranks(const stebz_job *j)
{
    cli_output const outputs[] = {{"output", j->output, 2}, {"enclosures", j->enclosures, 3}};
    return cli_check_files(NULL, 0, outputs, 2);
}

static int finish(const batch_run *r, eig_context *ctx)
{
    int64_t failed = 0;
    for (int64_t b = 0; b < r->batch; b++) failed += r->info[b] != EIG_INFO_OK;
    if (r->j->output && !r->j->quiet)
        printf("%lld eigenvalues of %lld matrices of order %lld, %s, %.3f ms\n", (long long)r->w.count,
               (long long)r->batch, (long long)r->n, eig_describe(ctx), r->solve_ms);
    stebz_print_times(r->j, ctx, r->solve_ms);
    if (failed == 0) return CLI_OK;
    return cli_fail(CLI_FAILED, "%lld of %lld matrices failed (not finite): their eigenvalues are NaN",
                    (long long)failed, (long long)r->batch);
}

int stebz_batch(stebz_job *j, const arguments *args, eig_context *ctx, const io_tridiagonal *t, int64_t batch)
{
    batch_run r = {.j = j, .t = t, .n = t->n, .batch = batch};
    int status = check_ranks(j);
    if (status == CLI_OK) status = make_inputs(&r);
    if (status == CLI_OK && j->shifts) {
        status = count_below(&r, ctx);
    } else if (status == CLI_OK) {
        status = solve(&r, ctx);
        if (status == CLI_OK) status = write_all(&r, args->file[0]);
        if (status == CLI_OK) status = finish(&r, ctx);
        if (status == CLI_OK && j->reference) status = compare(&r);
    }
    release(&r);
    return status;
}
