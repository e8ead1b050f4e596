/* eigpack stebz on a batch: outputs have a row a matrix. */
#include "bench/support/times.h"
#include "commands/cmd_stebz.h"
#include "commands/commands.h"
#include "run/ranks.h"
#include "run/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The buffers of a slice. */
typedef struct part {
    numbers d, e, w, lower, upper, pairs; /* pairs: the enclosures as they are written */
    int64_t *below;                       /* --count */
    int *info;
} part;

enum { VALUES, ENCLOSURES, INFO, OUTPUTS };

typedef struct batch_run {
    stebz_run *j;
    eig_context *ctx;
    const io_tridiagonals *many;
    int64_t n, beside, batch, m; /* beside: n-1; m numbers a matrix in the output */
    io_sink sink[OUTPUTS];
    part part[STREAM_SLOTS];
    numbers shifts; /* --count */
    numbers all;    /* all eigenvalues, for --plot and --reference */
    numbers reference;
    cli_failures failed;
} batch_run;

static void release(batch_run *r)
{
    for (int k = 0; k < STREAM_SLOTS; k++) {
        part *const p = &r->part[k];
        numbers *const arrays[] = {&p->d, &p->e, &p->w, &p->lower, &p->upper, &p->pairs};
        for (int i = 0; i < 6; i++) numbers_free(arrays[i]);
        free(p->below), free(p->info);
    }
    io_sinks_abandon(r->sink, OUTPUTS);
    numbers_free(&r->shifts), numbers_free(&r->all), numbers_free(&r->reference);
}

static bool make(void *of, int slot, int64_t count)
{
    batch_run *const r = (batch_run *)of;
    part *const p = &r->part[slot];
    eig_type const type = r->j->type;
    bool const counts = r->j->shifts, encloses = r->j->enclosures;
    bool room = numbers_make(&p->d, type, count * r->n) && numbers_make(&p->e, type, count * r->many->columns);
    if (room && counts) return (p->below = (int64_t *)cli_allocate(count * r->m, sizeof *p->below));
    room = room && numbers_make(&p->w, type, count * r->m) && (p->info = (int *)cli_allocate(count, sizeof *p->info));
    return room &&
           (!encloses || (numbers_make(&p->lower, type, count * r->m) && numbers_make(&p->upper, type, count * r->m) &&
                          numbers_make(&p->pairs, type, 2 * count * r->m)));
}

/* ------------------------------------------------------------------- input */

/* Refuses what float cannot hold.  Numbers that are not finite in the file are left to the library. */
static bool refuse_beyond(const io_source *source, const io_slab *slab, const numbers *x, const char *name,
                          int64_t padding, io_error *error)
{
    if (!type_is_single(x->type)) return true;
    for (int64_t k = 0; k < slab->count * slab->inner; k++) {
        if (!isinf(numbers_re(x, k))) continue;
        double held;
        io_slab const one = {1, slab->batch * slab->inner, 1, slab->first * slab->inner + k, 1};
        io_array const number = {.type = source->a.type, .rank = 1, .shape = {1}, .data = &held};
        if (k % slab->inner < padding || !io_source_read(source, &one, &held, error)) continue;
        if (isinf(io_array_part(&number, 0))) continue;
        int64_t const row = slab->first + k / slab->inner, column = k % slab->inner - padding;
        snprintf(error->text, sizeof error->text, "%s[%lld] = %g is beyond float32: use --type f64", name,
                 (long long)(row * (slab->inner - padding) + column), io_array_part(&number, 0));
        return false;
    }
    return true;
}

/* Takes the padding out of the rows of e. */
static void pack(numbers *e, int64_t columns, int64_t beside, int64_t count)
{
    size_t const row = (size_t)beside * type_size(e->type);
    for (int64_t b = 0; b < count && beside < columns && beside > 0; b++)
        memmove(numbers_at(e, b * beside), numbers_at(e, b * columns + columns - beside), row);
}

static bool read_part(void *of, const stream_slice *s, io_error *error)
{
    batch_run *const r = (batch_run *)of;
    part *const p = &r->part[s->slot];
    const io_tridiagonals *const many = r->many;
    io_slab const d = {1, r->batch, r->n, s->first, s->count};
    io_slab const e = {1, r->batch, many->columns, s->first, s->count};
    if (!stream_numbers(&many->d, &d, &p->d, error) || !refuse_beyond(&many->d, &d, &p->d, "d", 0, error)) return false;
    if (!stream_numbers(&many->e, &e, &p->e, error)) return false;
    if (!refuse_beyond(&many->e, &e, &p->e, "e", many->columns - r->beside, error)) return false;
    pack(&p->e, many->columns, r->beside, s->count);
    return true;
}

/* ------------------------------------------------------------------- solve */

static int solve(void *of, const stream_slice *s)
{
    batch_run *const r = (batch_run *)of;
    part *const p = &r->part[s->slot];
    eig_stebz_options const *const o = &r->j->options;
    int const status =
        cli_status(s->ctx, eig_stebz_batched(s->ctx, r->j->type, o, r->n, p->d.data, r->n, p->e.data, r->beside,
                                             p->w.data, p->lower.data, p->upper.data, r->m, p->info, s->count));
    if (status != CLI_OK) return status;
    stream_count_failed(&r->failed, p->info, -1, s);
    if (r->all.data)
        memcpy(numbers_at(&r->all, s->first * r->m), p->w.data, (size_t)(s->count * r->m) * type_size(r->j->type));
    return CLI_OK;
}

static int count_below(void *of, const stream_slice *s)
{
    batch_run *const r = (batch_run *)of;
    part *const p = &r->part[s->slot];
    int status = CLI_OK;
    for (int64_t b = 0; b < s->count && status == CLI_OK; b++)
        status = cli_status(s->ctx, eig_stebz_count(s->ctx, r->j->type, r->n, numbers_at(&p->d, b * r->n),
                                                    numbers_at(&p->e, b * r->beside), r->m, r->shifts.data,
                                                    p->below + b * r->m, NULL));
    return status;
}

/* ------------------------------------------------------------------ output */

static void pair_up(part *p, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        numbers_put_part(&p->pairs, 2 * k, numbers_re(&p->lower, k));
        numbers_put_part(&p->pairs, 2 * k + 1, numbers_re(&p->upper, k));
    }
}

static bool write_part(void *of, const stream_slice *s, io_error *error)
{
    batch_run *const r = (batch_run *)of;
    part *const p = &r->part[s->slot];
    int64_t const first = s->first * r->m, count = s->count * r->m;
    if (r->j->shifts) return io_sink_write(&r->sink[VALUES], first, count, p->below, error);
    if (p->pairs.data) pair_up(p, count);
    return io_sink_write(&r->sink[VALUES], first, count, p->w.data, error) &&
           io_sink_write(&r->sink[ENCLOSURES], 2 * first, 2 * count, p->pairs.data, error) &&
           io_sink_write(&r->sink[INFO], s->first, s->count, p->info, error);
}

static int open_outputs(batch_run *r)
{
    const stebz_run *const j = r->j;
    io_type const type = type_in_file(j->type);
    r->sink[VALUES] = (io_sink){.path = j->output,
                                .variable = j->shifts ? "count" : "eigenvalues",
                                .a = {j->shifts ? IO_I64 : type, 2, {r->batch, r->m}, NULL}};
    r->sink[ENCLOSURES] =
        (io_sink){.path = j->enclosures, .variable = "enclosures", .a = {type, 3, {r->batch, r->m, 2}, NULL}};
    r->sink[INFO] = (io_sink){.path = j->info, .variable = "info", .a = {IO_I32, 1, {r->batch}, NULL}};
    return ranks_sinks_open(r->sink, OUTPUTS);
}

static int ascending(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The eigenvalues of all matrices together, except for those that have none. */
static int plot(const batch_run *r, const char *file)
{
    double *const all = (double *)cli_allocate(r->all.count, sizeof *all);
    if (!all) return cli_fail(CLI_FAILED, "no memory for the picture");
    int64_t count = 0;
    for (int64_t k = 0; k < r->all.count; k++)
        if (!isnan(numbers_re(&r->all, k))) all[count++] = numbers_re(&r->all, k);
    qsort(all, (size_t)count, sizeof *all, ascending);
    int const status = stebz_plot(r->j, file, all, count);
    free(all);
    return status;
}

/* -------------------------------------------------------------- comparison */

/* Before the computation.  The reference holds a row a matrix, of the m eigenvalues or of all n. */
static int read_reference(batch_run *r)
{
    const char *const path = r->j->reference;
    io_array a = {0};
    io_error error;
    if (!io_read_array(path, &a, &error)) return cli_fail(CLI_USAGE, "%s", error.text);
    int64_t const count = io_array_count(&a);
    int status = CLI_OK;
    if (count != r->batch * r->n && count != r->batch * r->m)
        status = stebz_refuse_reference(r->j, count, r->batch, r->m);
    else if (!numbers_take(&r->reference, EIG_D, path, &a, &error))
        status = cli_fail(CLI_USAGE, "%s", error.text);
    io_array_free(&a);
    return status;
}

static int compare(const batch_run *r)
{
    int64_t const columns = r->reference.count == r->batch * r->n ? r->n : r->m;
    int64_t const first = columns == r->n && r->m < r->n ? r->j->options.il - 1 : 0;
    double *const w = (double *)cli_allocate(r->m, sizeof *w);
    if (!w) return cli_fail(CLI_FAILED, "no memory for the comparison");
    comparison worst = {.passed = true};
    int64_t number = 1;
    for (int64_t b = 0; b < r->batch && r->m > 0; b++) {
        numbers_to(&r->all, b * r->m, w, r->m);
        spectrum const s = {.m = r->m, .w = w};
        const double *const values = (const double *)r->reference.data + b * columns + first;
        comparison const c = spectrum_compare(&s, r->j->type, values, r->j->options.abstol);
        if (b > 0 && c.difference - c.allowed <= worst.difference - worst.allowed) continue;
        bool const passed = worst.passed && c.passed;
        worst = c, worst.passed = passed, number = b * r->m + c.worst + 1;
    }
    free(w);
    return r->m > 0 ? stebz_verdict(&worst, number) : CLI_OK;
}

/* --------------------------------------------------------------------- run */

/* The shape of the output is known now.  A format that cannot hold it is refused before the computation. */
static int check(const batch_run *r, const arguments *args)
{
    const stebz_run *const j = r->j;
    cli_output const outputs[] = {{"output", j->output, 2}, {"enclosures", j->enclosures, 3}};
    if (j->options.range == EIG_RANGE_VALUE)
        return cli_fail(CLI_USAGE, "--interval is for one matrix; a batch takes --range");
    return cli_check_files(args, NULL, 0, outputs, 2);
}

static size_t work(void *of, int64_t count)
{
    const batch_run *const r = (const batch_run *)of;
    size_t bytes = 0;
    if (r->j->shifts)
        eig_stebz_count_work_size(r->ctx, r->j->type, r->n, r->m, &bytes);
    else
        eig_stebz_work_size(r->ctx, r->j->type, &r->j->options, r->n, count, &bytes);
    return cli_on_cpu(r->ctx) ? bytes : 0;
}

static int solve_all(batch_run *r, const arguments *args)
{
    stebz_run *const j = r->j;
    char what[64];
    snprintf(what, sizeof what, "matrix of order %lld", (long long)r->n);
    int64_t const size = (int64_t)type_size(j->type), results = r->m * (j->enclosures ? 5 : 1) * size;
    stream s = {.ctx = r->ctx, .job = r, .what = what, .work = work, .times = j->times};
    ranks_part(r->batch, &s.first, &s.batch);
    s.bytes = (r->n + r->many->columns) * size + (j->shifts ? r->m * (int64_t)sizeof(int64_t) : results) +
              (int64_t)sizeof(int);
    s.loaded = io_source_held(&r->many->d) + io_source_held(&r->many->e);
    s.loaded += r->reference.count * (int64_t)sizeof(double);
    s.held = stream_held(r->sink, OUTPUTS) + (r->all.data ? r->all.count * size : 0);
    s.make = make, s.read = read_part, s.solve = j->shifts ? count_below : solve, s.write = write_part;
    s.any_order = io_sinks_in_any_order(r->sink, OUTPUTS);
    int const status = stream_run(&s, args);
    j->times = s.times;
    return status;
}

static int finish(const batch_run *r, const arguments *args)
{
    const stebz_run *const j = r->j;
    if (stebz_filed(j) && !j->shifts)
        cli_say(args, "%lld eigenvalues of %lld matrices of order %lld, %s, %.3f ms\n", (long long)(r->batch * r->m),
                (long long)r->batch, (long long)r->n, cli_describe(r->ctx), j->times.solve_ms);
    if (j->timing) cli_print_times(r->ctx, &j->times);
    return cli_failed_matrices(&r->failed, r->batch, "not finite");
}

static int write_all(batch_run *r, const char *file)
{
    double const start = clock_ms();
    int status = ranks_sinks_close(r->sink, OUTPUTS);
    if (status == CLI_OK && r->j->plot) status = plot(r, file);
    if (status == CLI_OK) status = cli_keep_outputs();
    r->j->times.write_ms += clock_ms() - start;
    if (status != CLI_OK) return status;
    cli_longest_times(&r->j->times);
    ranks_sum(&r->failed.count);
    return CLI_OK;
}

static int make_held(batch_run *r)
{
    stebz_run *const j = r->j;
    if (j->shifts && !numbers_make(&r->shifts, j->type, r->m)) return cli_fail(CLI_FAILED, "no memory for the shifts");
    if (j->shifts) numbers_from(&r->shifts, 0, j->shifts, r->m);
    if ((j->plot || j->reference) && !numbers_make(&r->all, j->type, r->batch * r->m))
        return cli_fail(CLI_FAILED, "no memory for %lld x %lld eigenvalues", (long long)r->batch, (long long)r->m);
    return CLI_OK;
}

int stebz_batch(stebz_run *j, const arguments *args, eig_context *ctx, const io_tridiagonals *many)
{
    const eig_stebz_options *const o = &j->options;
    int64_t const n = many->n;
    bool const some = o->range == EIG_RANGE_INDEX && 1 <= o->il && o->il <= o->iu && o->iu <= n;
    batch_run r = {.j = j, .ctx = ctx, .many = many, .n = n, .beside = n > 1 ? n - 1 : 0, .batch = many->batch};
    r.m = j->shifts ? j->shift_count : some ? o->iu - o->il + 1 : n;
    int status = check(&r, args);
    if (status == CLI_OK && j->reference) status = read_reference(&r);
    if (status == CLI_OK) status = make_held(&r);
    if (status == CLI_OK) status = open_outputs(&r);
    if (status == CLI_OK) status = solve_all(&r, args);
    if (status == CLI_OK) status = write_all(&r, args->file[0]);
    if (status == CLI_OK) status = finish(&r, args);
    if (status == CLI_OK && j->reference) status = compare(&r);
    release(&r);
    return status;
}
