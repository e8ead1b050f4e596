/* eigpack geev: a slice of the batch, from the file or the grid to the outputs. */
#include "commands/cmd_geev.h"
#include "commands/commands.h"
#include "commands/geev_result.h"
#include "run/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool geev_plots_measure(const geev_run *j)
{
    return j->plot && j->is_family && j->measure >= 0;
}

/* Whether the eigenvalues themselves are needed.  For the measures of a family the library does not keep them. */
static bool wants_values(const geev_run *j)
{
    return !j->is_family || j->measure < 0 || j->values;
}

/* Numbers of a problem's input: the matrix, or the point. */
static int64_t inputs(const geev_run *j)
{
    return j->is_family ? j->family.m : j->n * j->n;
}

static bool make(void *of, int slot, int64_t count)
{
    geev_run *const j = (geev_run *)of;
    geev_part *const p = &j->part[slot];
    p->info = (int *)cli_allocate(count, sizeof *p->info);
    eig_type const real = type_real(j->type), complex = type_complex(j->type);
    int64_t const nn = j->n * j->n * count;
    return numbers_make(&p->a, j->type, inputs(j) * count) &&
           (!wants_values(j) || numbers_make(&p->w, complex, j->n * count)) &&
           (!j->vectors || numbers_make(&p->right, complex, nn)) && (!j->left || numbers_make(&p->left, complex, nn)) &&
           (!j->condition || numbers_make(&p->condition, real, j->n * count)) &&
           (!j->form || numbers_make(&p->form, j->type, nn)) && (!j->basis || numbers_make(&p->basis, j->type, nn)) &&
           (j->measure < 0 || numbers_make(&p->value, real, count)) && p->info;
}

/* ------------------------------------------------------------------- input */

/* The library's results are column-major, the file's row-major. */
static void transpose(numbers *a, int64_t n, int64_t count)
{
    int64_t const parts = type_is_complex(a->type) ? 2 : 1;
    for (int64_t b = 0; b < count && a->data; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i * parts; k++) {
                int64_t const part = k % parts, j = k / parts;
                int64_t const below = ((b * n + i) * n + j) * parts + part,
                              above = ((b * n + j) * n + i) * parts + part;
                double const x = numbers_part(a, below);
                numbers_put_part(a, below, numbers_part(a, above));
                numbers_put_part(a, above, x);
            }
}

static bool read_part(void *of, const stream_slice *s, io_error *error)
{
    geev_run *const j = (geev_run *)of;
    numbers *const a = &j->part[s->slot].a;
    if (j->is_family) return family_points(&j->family, s->first, s->count, a), true;
    io_slab slab = j->file.slab;
    slab.first = s->first, slab.count = s->count;
    return stream_numbers(&j->file.source, &slab, a, error);
}

/* ------------------------------------------------------------------- solve */

static eig_status call_family(geev_run *j, eig_context *ctx, geev_part *p, int64_t count)
{
    const family *const f = &j->family;
    eig_geev_measure const kind = geev_measure_kind(j->measure >= 0 ? j->measure : 0);
    return eig_geev_affine(ctx, j->type, &j->options, j->n, f->m, f->a.data, j->n > 0 ? j->n : 1, j->n * j->n,
                           p->a.data, f->m, p->w.data, j->n, kind, p->value.data, p->info, count);
}

static eig_status call_matrices(geev_run *j, eig_context *ctx, geev_part *p, int64_t count)
{
    int64_t const n = j->n;
    int64_t const stride = j->options.layout == EIG_LAYOUT_MATRIX_WISE    ? n * n
                           : j->options.layout == EIG_LAYOUT_ELEMENT_WISE ? count
                                                                          : count * n;
    int64_t const ld = n > 0 ? n : 1;
    if (j->form || j->basis)
        return eig_geev_schur(ctx, j->type, &j->options, n, p->a.data, ld, stride, p->w.data, n, p->form.data, ld,
                              n * n, p->basis.data, ld, n * n, p->info, count);
    return eig_geev_batched(ctx, j->type, &j->options, n, p->a.data, ld, stride, p->w.data, n, p->left.data, ld, n * n,
                            p->right.data, ld, n * n, p->condition.data, p->info, count);
}

/* Keeps what --plot draws at the end. */
static void keep(geev_run *j, const geev_part *p, const stream_slice *s)
{
    const numbers *const x = geev_plots_measure(j) ? &p->value : &p->w;
    int64_t const each = geev_plots_measure(j) ? 1 : j->n;
    memcpy(numbers_at(&j->drawn, s->first * each), x->data, (size_t)(s->count * each) * type_size(x->type));
}

static int solve(void *of, const stream_slice *s)
{
    geev_run *const j = (geev_run *)of;
    geev_part *const p = &j->part[s->slot];
    int64_t const n = j->n, count = s->count;
    for (int64_t b = 0; b < count; b++) p->info[b] = 0;
    eig_status const status = j->is_family ? call_family(j, s->ctx, p, count) : call_matrices(j, s->ctx, p, count);
    int const done = cli_status(s->ctx, status);
    if (done != CLI_OK) return done;
    stream_count_failed(&j->failed, p->info, j->n, s);
    for (int64_t b = 0; b < count && j->measure >= 0 && !j->is_family; b++)
        numbers_put_part(&p->value, b,
                         p->info[b] ? NAN : geev_measure_of(geev_measure_kind(j->measure), &p->w, b * n, n));
    numbers *const with[] = {&p->right, &p->left, &p->condition};
    if (j->order >= 0 && p->w.data && !geev_sort(&p->w, n, count, (geev_order)j->order, with, 3))
        return cli_fail(CLI_FAILED, "no memory to sort %lld eigenvalues", (long long)n);
    numbers *const squares[] = {&p->right, &p->left, &p->form, &p->basis};
    for (int k = 0; k < 4; k++) transpose(squares[k], n, count);
    if (j->plot) keep(j, p, s);
    return CLI_OK;
}

/* ------------------------------------------------------------------ output */

/* In front of a line that is printed: the point of the grid, or the matrix's number where the file has several. */
static void print_place(const geev_run *j, const geev_part *p, const stream_slice *s, int64_t b)
{
    int const digits = type_digits(j->type), m = j->family.m;
    for (int k = 0; k < m && j->is_family; k++) ranks_printf("%.*g ", digits, numbers_re(&p->a, b * m + k) + 0.0);
    if (!j->is_family && !j->file.one) ranks_printf("%lld ", (long long)(s->first + b));
}

/* One eigenvalue a line, real and imaginary part; or one measure a line.  A zero is printed without its sign. */
static void print_values(const geev_run *j, const geev_part *p, const stream_slice *s)
{
    int const digits = type_digits(j->type);
    for (int64_t k = 0; k < j->n * s->count && j->measure < 0; k++) {
        print_place(j, p, s, k / j->n);
        ranks_printf("%.*g %.*g\n", digits, numbers_re(&p->w, k) + 0.0, digits, numbers_im(&p->w, k) + 0.0);
    }
    for (int64_t b = 0; b < s->count && j->measure >= 0; b++) {
        print_place(j, p, s, b);
        ranks_printf("%.*g\n", digits, numbers_re(&p->value, b) + 0.0);
    }
}

static bool write_part(void *of, const stream_slice *s, io_error *error)
{
    geev_run *const j = (geev_run *)of;
    const geev_part *const p = &j->part[s->slot];
    int64_t const nn = j->n * j->n;
    if (j->prints) print_values(j, p, s);
    return io_sink_write(&j->sink[GEEV_VALUES], s->first * j->n, s->count * j->n, p->w.data, error) &&
           io_sink_write(&j->sink[GEEV_VECTORS], s->first * nn, s->count * nn, p->right.data, error) &&
           io_sink_write(&j->sink[GEEV_LEFT], s->first * nn, s->count * nn, p->left.data, error) &&
           io_sink_write(&j->sink[GEEV_CONDITION], s->first * j->n, s->count * j->n, p->condition.data, error) &&
           io_sink_write(&j->sink[GEEV_FORM], s->first * nn, s->count * nn, p->form.data, error) &&
           io_sink_write(&j->sink[GEEV_BASIS], s->first * nn, s->count * nn, p->basis.data, error) &&
           io_sink_write(&j->sink[GEEV_MEASURED], s->first, s->count, p->value.data, error) &&
           io_sink_write(&j->sink[GEEV_INFO], s->first, s->count, p->info, error);
}

/* --------------------------------------------------------------------- all */

static size_t work(void *of, int64_t count)
{
    const geev_run *const j = (const geev_run *)of;
    size_t bytes = 0;
    bool const vectors = j->vectors || j->left || j->condition || j->form || j->basis;
    eig_geev_work_size(j->ctx, j->type, &j->options, j->n, vectors, count, &bytes);
    return cli_on_cpu(j->ctx) ? bytes : 0;
}

static int make_drawn(geev_run *j)
{
    if (!j->plot) return CLI_OK;
    bool const measure = geev_plots_measure(j);
    int64_t const count = measure ? j->batch : j->n * j->batch;
    return numbers_make(&j->drawn, measure ? type_real(j->type) : type_complex(j->type), count)
               ? CLI_OK
               : cli_fail(CLI_FAILED, "no memory for what --plot draws of %lld matrices", (long long)j->batch);
}

int geev_solve(geev_run *j, const arguments *args)
{
    if (j->measure >= 0 && j->n == 0)
        return cli_fail(CLI_USAGE, "--measure needs matrices with eigenvalues, these have order 0");
    int const made = make_drawn(j);
    if (made != CLI_OK) return made;
    char what[64];
    snprintf(what, sizeof what, "matrix of order %lld", (long long)j->n);
    int64_t const size = (int64_t)type_size(j->type), real = (int64_t)type_size(type_real(j->type)), n = j->n;
    stream s = {.ctx = j->ctx, .job = j, .what = what, .work = work, .times = j->times};
    ranks_part(j->batch, &s.first, &s.batch);
    s.bytes = inputs(j) * size + (wants_values(j) ? 2 * n * real : 0) + (j->measure >= 0 ? real : 0) +
              (int64_t)sizeof(int) + ((j->vectors ? 1 : 0) + (j->left ? 1 : 0)) * 2 * n * n * real +
              (j->condition ? n * real : 0) + ((j->form ? 1 : 0) + (j->basis ? 1 : 0)) * n * n * size;
    s.loaded = io_source_held(&j->file.source);
    s.held = stream_held(j->sink, GEEV_OUTPUTS) + j->drawn.count * (int64_t)type_size(j->drawn.type);
    s.make = make, s.read = read_part, s.solve = solve, s.write = write_part;
    s.any_order = !j->prints && io_sinks_in_any_order(j->sink, GEEV_OUTPUTS);
    int const status = stream_run(&s, args);
    j->times = s.times;
    return status;
}

void geev_slices_free(geev_run *j)
{
    for (int k = 0; k < STREAM_SLOTS; k++) {
        geev_part *const p = &j->part[k];
        numbers_free(&p->a), numbers_free(&p->w), numbers_free(&p->value);
        numbers_free(&p->right), numbers_free(&p->left), numbers_free(&p->condition);
        numbers_free(&p->form), numbers_free(&p->basis);
        free(p->info);
    }
    numbers_free(&j->drawn);
}
