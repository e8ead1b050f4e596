/* Tridiagonal matrices in the program: both precisions behind one face, comparison with a reference, certificates. */
#include "tridiagonal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- matrix */

static float *round_to_float(double *x, int64_t count, const char *name)
{
    float *const y = (float *)cli_allocate(count, sizeof *y);
    if (!y) cli_fail(CLI_FAILED, "no memory for %lld numbers", (long long)count);
    for (int64_t i = 0; y && i < count; i++) {
        y[i] = (float)x[i];
        if (isinf(y[i]) && isfinite(x[i])) {
            cli_fail(CLI_USAGE, "%s[%lld] = %g is beyond float32: use --type f64", name, (long long)i, x[i]);
            free(y);
            return NULL;
        }
        x[i] = y[i];
    }
    return y;
}

static int refuse_not_finite(const double *x, int64_t count, const char *name)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return cli_fail(CLI_FAILED, "%s[%lld] is %g: the matrix must be finite", name, (long long)i, x[i]);
    return CLI_OK;
}

int tridiagonal_make(tridiagonal *a, io_tridiagonal *t, bool single)
{
    *a = (tridiagonal){.exact = *t, .single = single};
    *t = (io_tridiagonal){0};
    int64_t const n = a->exact.n, beside = n > 1 ? n - 1 : 0;
    int status = refuse_not_finite(a->exact.d, n, "d");
    if (status == CLI_OK) status = refuse_not_finite(a->exact.e, beside, "e");
    if (status != CLI_OK || !single) return status;
    a->d = round_to_float(a->exact.d, n, "d");
    if (a->d) a->e = round_to_float(a->exact.e, beside, "e");
    return a->e ? CLI_OK : CLI_USAGE;
}

void tridiagonal_free(tridiagonal *a)
{
    io_tridiagonal_free(&a->exact);
    free(a->d);
    free(a->e);
    *a = (tridiagonal){0};
}

void tridiagonal_gerschgorin(const io_tridiagonal *t, double *low, double *high)
{
    *low = *high = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double const left = i > 0 ? fabs(t->e[i - 1]) : 0, right = i + 1 < t->n ? fabs(t->e[i]) : 0;
        double const down = t->d[i] - (left + right), up = t->d[i] + (left + right);
        if (i == 0 || down < *low) *low = down;
        if (i == 0 || up > *high) *high = up;
    }
}

double tridiagonal_norm(const io_tridiagonal *t)
{
    double low, high;
    tridiagonal_gerschgorin(t, &low, &high);
    return fmax(fabs(low), fabs(high));
}

/* ------------------------------------------------------------------ solve */

static void *widen(const void *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++) to[i] = ((const float *)from)[i];
    return to;
}

static int copy_passes(eig_context *ctx, spectrum *s)
{
    const eig_pass *pass;
    int const status = cli_status(ctx, eig_get_timing(ctx, &pass, &s->passes));
    if (s->passes > SPECTRUM_PASSES) s->passes = SPECTRUM_PASSES;
    for (int i = 0; status == CLI_OK && i < s->passes; i++) s->pass[i] = pass[i];
    return status;
}

double spectrum_pass(const spectrum *s, const char *name)
{
    for (int i = 0; i < s->passes; i++)
        if (strcmp(s->pass[i].name, name) == 0) return s->pass[i].ms;
    return 0;
}

int tridiagonal_stebz(eig_context *ctx, const eig_stebz_options *options, const tridiagonal *a, bool enclosures,
                      spectrum *s)
{
    eig_stebz_options const o = *options;
    int64_t const n = a->exact.n;
    int64_t const most = o.range == EIG_RANGE_INDEX && 1 <= o.il && o.il <= o.iu && o.iu <= n ? o.iu - o.il + 1 : n;
    *s = (spectrum){.first = o.range == EIG_RANGE_ALL ? 1 : o.range == EIG_RANGE_INDEX ? o.il : 0};
    double **const arrays[] = {&s->w, &s->lower, &s->upper};
    float *narrow[3] = {NULL, NULL, NULL};
    int const count = enclosures ? 3 : 1;
    int status = CLI_OK;
    for (int i = 0; i < count; i++) {
        *arrays[i] = (double *)cli_allocate(most, sizeof **arrays[i]);
        if (a->single) narrow[i] = (float *)cli_allocate(most, sizeof *narrow[i]);
        if (!*arrays[i] || (a->single && !narrow[i]))
            status = cli_fail(CLI_FAILED, "no memory for %lld eigenvalues", (long long)most);
    }
    if (status == CLI_OK) {
        void *out[3];
        for (int i = 0; i < 3; i++) out[i] = a->single ? (void *)narrow[i] : *arrays[i];
        double const start = cli_now();
        eig_status const solved =
            a->single ? eig_stebz(ctx, EIG_S, &o, n, a->d, a->e, &s->m, out[0], out[1], out[2], NULL)
                      : eig_stebz(ctx, EIG_D, &o, n, a->exact.d, a->exact.e, &s->m, out[0], out[1], out[2], NULL);
        s->total_ms = cli_now() - start;
        status = cli_status(ctx, solved);
        if (status == CLI_OK) status = copy_passes(ctx, s);
    }
    for (int i = 0; i < count; i++) {
        if (a->single && status == CLI_OK) widen(narrow[i], s->m, *arrays[i]);
        free(narrow[i]);
    }
    return status;
}

void spectrum_free(spectrum *s)
{
    free(s->w);
    free(s->lower);
    free(s->upper);
    *s = (spectrum){0};
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

comparison spectrum_compare(const spectrum *s, bool single, const double *reference, double precision)
{
    double largest = 0;
    for (int64_t k = 0; k < s->m; k++) largest = fmax(largest, fabs(reference[k]));
    double const own = fmax(precision, 4 * (single ? (double)FLT_EPSILON : DBL_EPSILON) * largest);
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

int spectrum_certify(eig_context *ctx, const tridiagonal *a, const spectrum *s, double tolerance, int64_t *bad,
                     int64_t *count)
{
    int64_t const tried = *count;
    double *const x = (double *)cli_allocate(tried, 2 * sizeof *x);
    int64_t *const below = (int64_t *)cli_allocate(tried, 2 * sizeof *below);
    int status = x && below ? CLI_OK : cli_fail(CLI_FAILED, "no memory to check %lld eigenvalues", (long long)tried);
    if (status == CLI_OK) {
        for (int64_t i = 0; i < tried; i++) {
            double const w = s->w[bad[i]];
            x[2 * i] = isnan(w) ? 0 : w - tolerance;
            x[2 * i + 1] = isnan(w) ? 0 : nextafter(w + tolerance, INFINITY); /* counts are of "below" */
        }
        status = cli_status(ctx, eig_dstebz_count(ctx, a->exact.n, a->exact.d, a->exact.e, 2 * tried, x, below, NULL));
    }
    if (status == CLI_OK) {
        *count = 0;
        for (int64_t i = 0; i < tried; i++) {
            int64_t const k = s->first + bad[i];
            bool const good = !isnan(s->w[bad[i]]) && below[2 * i] < k && below[2 * i + 1] >= k;
            if (!good) bad[(*count)++] = bad[i];
        }
    }
    free(x);
    free(below);
    return status;
}

int spectrum_certify_all(eig_context *ctx, const tridiagonal *a, const spectrum *s, double tolerance, bool *passed)
{
    int64_t count = s->m;
    int64_t *const bad = (int64_t *)cli_allocate(count, sizeof *bad);
    if (!bad) return cli_fail(CLI_FAILED, "no memory to check %lld eigenvalues", (long long)count);
    for (int64_t k = 0; k < count; k++) bad[k] = k;
    int const status = spectrum_certify(ctx, a, s, tolerance, bad, &count);
    *passed = count == 0;
    free(bad);
    return status;
}
