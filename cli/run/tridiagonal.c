/* Tridiagonal matrices in the program: one interface for both types, comparison with a reference, certificates. */
#include "run/tridiagonal.h"
#include "bench/support/passes.h"
#include "bench/support/times.h"
#include "range.h"
#include "run/memory.h"
#include "run/ranks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- matrix */

/* Converts the numbers to the type; x then holds the rounded values. */
static int round_to(numbers *y, eig_type type, double *x, int64_t count, const char *name)
{
    if (!numbers_make(y, type, count)) return cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)count);
    numbers_from(y, 0, x, count);
    int64_t const beyond = numbers_not_finite(y);
    if (beyond >= 0)
        return cli_fail(CLI_USAGE, "%s[%lld] = %g is beyond float32: use --type f64", name, (long long)beyond,
                        x[beyond]);
    numbers_to(y, 0, x, count);
    return CLI_OK;
}

static int refuse_not_finite(const double *x, int64_t count, const char *name)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return cli_fail(CLI_FAILED, "%s[%lld] is %g: the matrix must be finite", name, (long long)i, x[i]);
    return CLI_OK;
}

int tridiagonal_make(tridiagonal *a, io_tridiagonal *t, eig_type type)
{
    *a = (tridiagonal){.exact = *t, .type = type};
    *t = (io_tridiagonal){0};
    int64_t const n = a->exact.n, beside = n > 1 ? n - 1 : 0;
    int status = refuse_not_finite(a->exact.d, n, "d");
    if (status == CLI_OK) status = refuse_not_finite(a->exact.e, beside, "e");
    if (status == CLI_OK) status = round_to(&a->d, type, a->exact.d, n, "d");
    if (status == CLI_OK) status = round_to(&a->e, type, a->exact.e, beside, "e");
    return status;
}

void tridiagonal_free(tridiagonal *a)
{
    io_tridiagonal_free(&a->exact);
    numbers_free(&a->d);
    numbers_free(&a->e);
    *a = (tridiagonal){0};
}

/* ------------------------------------------------------------------ solve */

static void copy_passes(eig_context *ctx, spectrum *s)
{
    eig_pass pass[PASSES_MOST];
    s->passes = passes_read(ctx, pass);
    if (s->passes > SPECTRUM_PASSES) s->passes = SPECTRUM_PASSES;
    memcpy(s->pass, pass, (size_t)s->passes * sizeof *pass);
}

double spectrum_pass(const spectrum *s, const char *name)
{
    for (int i = 0; i < s->passes; i++)
        if (strcmp(s->pass[i].name, name) == 0) return s->pass[i].ms;
    return 0;
}

void tridiagonal_move(eig_range range, double vl, double vu, numbers *w, int64_t m)
{
    if (range != EIG_RANGE_INDEX || !(vl < vu)) return;
    value_range const r = range_of_values(w->type, vl, vu);
    for (int64_t k = 0; k < m; k++) numbers_put_part(w, k, range_moved(&r, numbers_part(w, k)));
}

/* Enclosures hold the values that have moved. */
static void widen_enclosures(numbers out[3], int64_t m)
{
    for (int64_t k = 0; k < m && out[1].data; k++) {
        double const w = numbers_part(&out[0], k);
        if (w < numbers_part(&out[1], k)) numbers_put_part(&out[1], k, w);
        if (w > numbers_part(&out[2], k)) numbers_put_part(&out[2], k, w);
    }
}

/* The call, into out; then all as double in *s. */
static int solve(eig_context *ctx, const eig_stebz_options *o, const tridiagonal *a, numbers out[3], spectrum *s)
{
    double const start = clock_ms();
    eig_status const solved = eig_stebz(ctx, a->type, o, a->exact.n, a->d.data, a->e.data, &s->m, out[0].data,
                                        out[1].data, out[2].data, NULL);
    s->total_ms = clock_ms() - start;
    int status = cli_status(ctx, solved);
    if (status == CLI_OK) copy_passes(ctx, s);
    if (status == CLI_OK) tridiagonal_move(o->range, o->vl, o->vu, &out[0], s->m);
    if (status == CLI_OK && o->range == EIG_RANGE_INDEX && o->vl < o->vu) widen_enclosures(out, s->m);
    double **const arrays[] = {&s->w, &s->lower, &s->upper};
    for (int i = 0; i < 3 && status == CLI_OK; i++) {
        if (!out[i].data) continue;
        *arrays[i] = (double *)cli_allocate(s->m, sizeof **arrays[i]);
        if (!*arrays[i]) return cli_fail(CLI_FAILED, "no memory for %lld eigenvalues", (long long)s->m);
        numbers_to(&out[i], 0, *arrays[i], s->m);
    }
    return status;
}

/* The memory for the arrays, and for the library's workspace on a CPU; checked before the work. */
static int check_memory(eig_context *ctx, const eig_stebz_options *o, const tridiagonal *a, int arrays, int64_t most)
{
    size_t work = 0;
    if (cli_on_cpu(ctx)) eig_stebz_work_size(ctx, a->type, o, a->exact.n, 1, &work);
    double const each = (double)(type_size(a->type) + sizeof(double));
    char what[64];
    snprintf(what, sizeof what, "%lld eigenvalues of order %lld", (long long)most, (long long)a->exact.n);
    return memory_check(what, arrays * each * (double)most + (double)work, ": try --range");
}

int tridiagonal_stebz(eig_context *ctx, const eig_stebz_options *options, const tridiagonal *a, bool enclosures,
                      spectrum *s)
{
    const eig_stebz_options *const o = options;
    int64_t const n = a->exact.n;
    int64_t const most =
        o->range == EIG_RANGE_INDEX && 1 <= o->il && o->il <= o->iu && o->iu <= n ? o->iu - o->il + 1 : n;
    *s = (spectrum){.first = o->range == EIG_RANGE_ALL ? 1 : o->range == EIG_RANGE_INDEX ? o->il : 0};
    numbers out[3] = {{0}};
    int status = check_memory(ctx, o, a, enclosures ? 3 : 1, most);
    for (int i = 0; i < (enclosures ? 3 : 1) && status == CLI_OK; i++)
        if (!numbers_make(&out[i], a->type, most))
            status = cli_fail(CLI_FAILED, "no memory for %lld eigenvalues", (long long)most);
    if (status == CLI_OK) status = solve(ctx, o, a, out, s);
    for (int i = 0; i < 3; i++) numbers_free(&out[i]);
    return status;
}

void spectrum_free(spectrum *s)
{
    free(s->w);
    free(s->lower);
    free(s->upper);
    *s = (spectrum){0};
}

/* ------------------------------------------------------------------ ranges */

bool tridiagonal_read_range(const arguments *args, tridiagonal_range *r)
{
    bool const indices = option_given(args, "range"), values = option_given(args, "interval");
    *r = (tridiagonal_range){.range = indices ? EIG_RANGE_INDEX : values ? EIG_RANGE_VALUE : EIG_RANGE_ALL};
    if (!option_integer_pair(args, "range", ':', &r->il, &r->iu) ||
        !option_real_pair(args, "interval", ',', &r->vl, &r->vu))
        return false;
    if (indices && values)
        cli_fail(CLI_USAGE, "--range and --interval exclude each other");
    else if (indices && r->il < 1)
        cli_fail(CLI_USAGE, "--range %s: eigenvalues are numbered from 1", option_text(args, "range"));
    else if (indices && r->il > r->iu)
        cli_fail(CLI_USAGE, "--range %s: the first number is larger than the last", option_text(args, "range"));
    else if (values && r->vl >= r->vu)
        cli_fail(CLI_USAGE, "--interval %s: the first number must be less than the second",
                 option_text(args, "interval"));
    else
        return true;
    return false;
}

int tridiagonal_check_range(const arguments *args, int64_t n)
{
    int64_t first = 0, last = 0;
    if (!option_integer_pair(args, "range", ':', &first, &last)) return CLI_USAGE;
    if (last <= n) return CLI_OK;
    return cli_fail(CLI_USAGE, "--range %s: there are only %lld eigenvalues", option_text(args, "range"), (long long)n);
}

/* The eigenvalues up to x. */
static eig_status count_upto(eig_context *ctx, const tridiagonal *a, double x, int64_t *count)
{
    const io_tridiagonal *const t = &a->exact;
    double const next = x == -INFINITY ? x : nextafter(x, INFINITY); /* none is -infinity or less */
    return eig_dstebz_count(ctx, t->n, t->d, t->e, 1, &next, count, NULL);
}

/* The eigenvalues in (vl, vu] by their indices, from 1, as rank 0 finds them; il > iu: there are none. */
static int find_indices(eig_context *ctx, const tridiagonal *a, const eig_stebz_options *stebz,
                        const eig_stemr_options *stemr, int64_t *il, int64_t *iu)
{
    size_t bytes;
    double const vl = stemr ? stemr->vl : stebz->vl, vu = stemr ? stemr->vu : stebz->vu;
    int64_t below = 0, upto = 0;
    /* Refuses wrong options. */
    eig_status checked = stemr ? eig_stemr_work_size(ctx, a->type, stemr, a->exact.n, false, &bytes)
                               : eig_stebz_work_size(ctx, a->type, stebz, a->exact.n, 1, &bytes);
    if (checked == EIG_OK && ranks_rank() == 0) {
        value_range const r = range_of_values(a->type, vl, vu);
        checked = count_upto(ctx, a, r.vl, &below);
        if (checked == EIG_OK) checked = count_upto(ctx, a, r.vu, &upto);
    }
    int const status = ranks_agree(cli_status(ctx, checked));
    if (status != CLI_OK) return status;
    ranks_sum(&below), ranks_sum(&upto);
    *il = below + 1, *iu = upto;
    return CLI_OK;
}

int tridiagonal_part(eig_context *ctx, const tridiagonal *a, eig_stebz_options *stebz, eig_stemr_options *stemr,
                     cli_part *part, bool *some)
{
    eig_range *const range = stemr ? &stemr->range : &stebz->range;
    int64_t *const il = stemr ? &stemr->il : &stebz->il, *const iu = stemr ? &stemr->iu : &stebz->iu;
    bool const by_value = ranks_several() && *range == EIG_RANGE_VALUE;
    int const status = by_value ? find_indices(ctx, a, stebz, stemr, il, iu) : CLI_OK;
    *some = !by_value || *il <= *iu;
    if (by_value) *range = EIG_RANGE_INDEX;
    if (status == CLI_OK && *some) *some = cli_index_part(a->exact.n, range, il, iu, part);
    return status;
}

/* ------------------------------------------------------------- comparison */

/* How many significant decimal digits the numbers need, as text that reads back to the same doubles: 6 for a file
 * that was printed with 6 digits, 17 where there was no rounding to speak of. */
static int decimal_digits(const double *x, int64_t count)
{
    int digits = 1;
    for (int64_t i = 0; i < count; i++) {
        char text[40];
        for (; digits < 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, x[i]);
            if (strtod(text, NULL) == x[i]) break;
        }
    }
    return digits;
}

static bool all_floats(const double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if ((double)(float)x[i] != x[i]) return false;
    return true;
}

comparison spectrum_compare(const spectrum *s, eig_type type, const double *reference, double precision)
{
    double largest = 0;
    for (int64_t k = 0; k < s->m; k++) largest = fmax(largest, fabs(reference[k]));
    double const own = fmax(precision, 4 * type_eps(type) * largest);
    int const digits = decimal_digits(reference, s->m);
    bool const floats = all_floats(reference, s->m);
    comparison c = {.passed = true};
    double excess = -INFINITY;
    for (int64_t k = 0; k < s->m; k++) {
        double const size = fabs(reference[k]);
        double const printed = size > 0 ? 0.5 * pow(10, floor(log10(size)) + 1 - digits) : 0;
        double const allowed = own + fmax(printed, floats ? 0.5 * (double)FLT_EPSILON * size : 0);
        double const difference = fabs(s->w[k] - reference[k]);
        if (!(difference <= allowed)) c.passed = false; /* a NaN fails */
        if (!(difference - allowed <= excess)) {
            excess = difference - allowed;
            c.worst = k, c.difference = difference, c.allowed = allowed;
        }
    }
    return c;
}

/* ----------------------------------------------------------- certificates */

int spectrum_certify(eig_context *ctx, const tridiagonal *a, const spectrum *s, double tolerance, bool *passed)
{
    int64_t count = s->m;
    int64_t *const bad = (int64_t *)cli_allocate(count, sizeof *bad);
    if (!bad) return cli_fail(CLI_FAILED, "no memory to check %lld eigenvalues", (long long)count);
    for (int64_t k = 0; k < count; k++) bad[k] = k;
    int const status = cli_status(ctx, certify_stebz(ctx, &a->exact, s->first, s->w, tolerance, bad, &count));
    *passed = count == 0;
    free(bad);
    return status;
}
