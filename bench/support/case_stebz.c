/* Cases of stebz: tridiagonal matrices, certified by Sturm counts. */
#include "cases.h"
#include "certify.h"
#include "io/matrices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOWED = 4 /* eps max|w|, or abstol */ };
enum { MOST_MATRICES = 500, MOST_EIGENVALUES = 40000, SAMPLE = 5000 }; /* more are checked by samples */

/* -------------------------------------------------------------------- case */

static bool fill(bench_case *c, io_error *error)
{
    int64_t const n = c->n, beside = n > 1 ? n - 1 : 0;
    bool const indices = c->stebz.range == EIG_RANGE_INDEX;
    c->wanted = indices ? c->stebz.iu - c->stebz.il + 1 : n;
    c->w.type = c->type;
    if (!matrices_tridiagonal_text(c->kind))
        return case_refuse_kind(c->kind, "stebz takes tridiagonal matrices", error);
    if (!numbers_make(&c->in[0], c->type, n * c->batch) || !numbers_make(&c->in[1], c->type, beside * c->batch))
        return false;
    for (int64_t b = 0; b < c->batch; b++) {
        io_tridiagonal t;
        io_tell("making", c->kind, b, c->batch);
        if (!matrices_tridiagonal(c->kind, n, c->seed + (uint64_t)b, &t, error)) return false;
        numbers_from(&c->in[0], b * n, t.d, n);
        numbers_from(&c->in[1], b * beside, t.e, beside);
        io_tridiagonal_free(&t);
    }
    io_tell("making", c->kind, 1, 1);
    if (numbers_not_finite(&c->in[0]) < 0 && numbers_not_finite(&c->in[1]) < 0) return true;
    snprintf(error->text, sizeof error->text, "%s: beyond float32: use --type f64", c->kind);
    return false;
}

static eig_status work_size(eig_context *ctx, const bench_case *c, size_t *bytes)
{
    return eig_stebz_work_size(ctx, c->type, &c->stebz, c->n, c->batch, bytes);
}

/* A batch of one goes through the single form. */
static eig_status call(eig_context *ctx, const bench_case *c, const case_arrays *at)
{
    int64_t const n = c->n, beside = n > 1 ? n - 1 : 0;
    if (c->batch == 1)
        return eig_stebz(ctx, c->type, &c->stebz, n, at->in[0], at->in[1], NULL, at->w, NULL, NULL, at->info);
    return eig_stebz_batched(ctx, c->type, &c->stebz, n, at->in[0], n, at->in[1], beside, at->w, NULL, NULL, c->wanted,
                             at->info, c->batch);
}

/* ------------------------------------------------------------------- check */

/* Matrix b as the call saw it, and its eigenvalues. */
static bool load(const bench_case *c, int64_t b, io_tridiagonal *t, double **w)
{
    int64_t const n = c->n, beside = n > 1 ? n - 1 : 0;
    *t = (io_tridiagonal){.n = n, .d = (double *)malloc((size_t)(2 * n) * sizeof(double))};
    *w = (double *)malloc((size_t)c->wanted * sizeof **w);
    if (!t->d || !*w) return false;
    numbers_to(&c->in[0], b * n, t->d, n);
    numbers_to(&c->in[1], b * beside, t->d + n, beside);
    numbers_to(&c->w, b * c->wanted, *w, c->wanted);
    t->e = t->d + n;
    return true;
}

/* The smallest bound that certificates show for these eigenvalues, in units of eps max|w|; infinity where even the
 * allowed one fails. */
static eig_status smallest_bound(eig_context *ctx, const bench_case *c, const io_tridiagonal *t, const double *w,
                                 int64_t *bad, int64_t count, double *error)
{
    bool const part = c->stebz.range == EIG_RANGE_INDEX;
    double const size = part ? tridiagonal_norm(t) : fmax(fabs(w[0]), fabs(w[c->wanted - 1]));
    double const unit = type_eps(c->type) * size;
    /* For a zero matrix counts tell only that the eigenvalues are within the smallest normal number. */
    double const allowed = fmax(c->stebz.abstol, unit > 0 ? ALLOWED * unit : 2 * DBL_MIN);
    double bound = fmin(unit > 0 ? 0.25 * unit : allowed, allowed);
    eig_status status;
    while ((status = certify_stebz(ctx, t, part ? c->stebz.il : 1, w, bound, bad, &count)) == EIG_OK && count > 0 &&
           bound < allowed)
        bound = fmin(2 * bound, allowed);
    *error = fmax(*error, count > 0 ? INFINITY : unit > 0 ? bound / unit : 0);
    return status;
}

static eig_status check_one(eig_context *ctx, const bench_case *c, int64_t b, double *error)
{
    int64_t const step = c->wanted > MOST_EIGENVALUES ? c->wanted / SAMPLE : 1;
    int64_t *const bad = (int64_t *)malloc((size_t)c->wanted * sizeof *bad), count = 0;
    io_tridiagonal t;
    double *w = NULL;
    eig_status status = load(c, b, &t, &w) && bad ? EIG_OK : EIG_NO_MEMORY;
    for (int64_t k = 0; k < c->wanted && status == EIG_OK; k += step) bad[count++] = k;
    for (int64_t k = 1; k < c->wanted && status == EIG_OK; k++)
        if (w[k - 1] > w[k]) *error = INFINITY;
    if (status == EIG_OK) status = smallest_bound(ctx, c, &t, w, bad, count, error);
    free(t.d);
    free(w);
    free(bad);
    return status;
}

static eig_status check(eig_context *ctx, const bench_case *c, double *error)
{
    int64_t const step = c->batch > MOST_MATRICES ? c->batch / MOST_MATRICES : 1;
    eig_status status = EIG_OK;
    for (int64_t b = 0; b < c->batch && status == EIG_OK; b += step) status = check_one(ctx, c, b, error);
    return status;
}

/* What exceeds its bound has an infinite error: there is no other limit. */
const case_family case_stebz = {"stebz", DBL_MAX, fill, work_size, call, check};
