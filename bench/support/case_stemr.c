/* Cases of stemr: tridiagonal matrices; every residual is checked, and orthogonality by random vectors, which find an
 * error of any pair without n^3 operations.  The error of a single pair cannot hide: the entries of the probes are as
 * large as a row of Z'Z - I is long. */
#include "cases.h"
#include "certify.h"
#include "io/matrices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBES = 4 };

static bool fill(bench_case *c, io_error *error)
{
    int64_t const n = c->n;
    io_tridiagonal t;
    c->wanted = n;
    c->w.type = c->type;
    if (!matrices_tridiagonal_text(c->kind))
        return case_refuse_kind(c->kind, "stemr takes tridiagonal matrices", error);
    if (!numbers_make(&c->in[0], c->type, n) || !numbers_make(&c->in[1], c->type, n > 1 ? n - 1 : 0) ||
        !numbers_make(&c->v, c->type, n * n))
        return false;
    if (!matrices_tridiagonal(c->kind, n, c->seed, &t, error)) return false;
    numbers_from(&c->in[0], 0, t.d, n);
    numbers_from(&c->in[1], 0, t.e, n > 1 ? n - 1 : 0);
    io_tridiagonal_free(&t);
    if (numbers_not_finite(&c->in[0]) < 0 && numbers_not_finite(&c->in[1]) < 0) return true;
    snprintf(error->text, sizeof error->text, "%s: beyond float32: use --type f64", c->kind);
    return false;
}

static eig_status work_size(eig_context *ctx, const bench_case *c, size_t *bytes)
{
    return eig_stemr_work_size(ctx, c->type, &c->stemr, c->n, 1, bytes);
}

/* The case has one info: the largest of the pairs'. */
static eig_status call(eig_context *ctx, const bench_case *c, const case_arrays *at)
{
    int *const info = (int *)calloc((size_t)(c->n > 0 ? c->n : 1), sizeof *info);
    if (!info) return EIG_NO_MEMORY;
    eig_status const status = eig_stemr(ctx, c->type, &c->stemr, c->n, at->in[0], at->in[1], NULL, at->w, at->v,
                                        c->n > 0 ? c->n : 1, NULL, info, NULL, NULL, NULL);
    *at->info = 0;
    for (int64_t k = 0; k < c->n; k++)
        if (info[k] != 0) *at->info = info[k];
    free(info);
    return status;
}

static double residual_of(const bench_case *c, const double *d, const double *e, double norm, int64_t k)
{
    int64_t const n = c->n;
    double const w = numbers_part(&c->w, k) / norm;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double r = (d[i] / norm - w) * numbers_part(&c->v, i + k * n);
        if (i > 0) r += e[i - 1] / norm * numbers_part(&c->v, i - 1 + k * n);
        if (i + 1 < n) r += e[i] / norm * numbers_part(&c->v, i + 1 + k * n);
        sum += r * r;
    }
    return sqrt(sum);
}

/* The largest entry of (Z'Z - I) x for a random x of 1 and -1. */
static double skewness(const bench_case *c, double *x, double *y)
{
    int64_t const n = c->n;
    numbers random = {0};
    double worst = 0;
    if (!numbers_make(&random, EIG_D, n)) return INFINITY;
    for (int probe = 0; probe < PROBES; probe++) {
        numbers_random(&random, 100 + (uint64_t)probe);
        for (int64_t k = 0; k < n; k++) x[k] = numbers_part(&random, k) < 0.5 ? -1 : 1, y[k] = 0;
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < n; i++) y[i] += x[k] * numbers_part(&c->v, i + k * n);
        for (int64_t k = 0; k < n; k++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++) sum += y[i] * numbers_part(&c->v, i + k * n);
            worst = fmax(worst, fabs(sum - x[k]));
        }
    }
    numbers_free(&random);
    return worst;
}

static eig_status check(eig_context *ctx, const bench_case *c, double *error)
{
    int64_t const n = c->n;
    double const unit = (double)n * type_eps(c->type);
    double *const room = (double *)malloc((size_t)(4 * n) * sizeof *room);
    (void)ctx;
    if (!room) return EIG_NO_MEMORY;
    io_tridiagonal const t = {.n = n, .d = room, .e = room + n};
    numbers_to(&c->in[0], 0, t.d, n);
    numbers_to(&c->in[1], 0, t.e, n > 1 ? n - 1 : 0);
    double const norm = tridiagonal_norm(&t) > 0 ? tridiagonal_norm(&t) : 1;
    for (int64_t k = 0; k < n; k++) *error = fmax(*error, residual_of(c, t.d, t.e, norm, k) / unit);
    *error = fmax(*error, skewness(c, room + 2 * n, room + 3 * n) / unit);
    free(room);
    return EIG_OK;
}

const case_family case_stemr = {"stemr", 10, fill, work_size, call, check};
