/* Cases of geev: nonsymmetric matrices, one after the other, checked by traces, smallest singular values and residuals. */
#include "cases.h"
#include "dense.h"
#include "io/matrices_batch.h"
#include "io/matrices_hermitian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SAMPLES = 97 };
static const double sample_flops = 4e8; /* certificates are made for as many matrices as this pays for */

/* Matrix b of a nonsymmetric kind; room holds n * n numbers. */
static bool fill_one(bench_case *c, int64_t b, double *room, io_error *error)
{
    int64_t const square = c->n * c->n;
    uint64_t const seed = c->seed + (uint64_t)b;
    int const parts = type_is_complex(c->type) ? 2 : 1;
    bool known = true;
    for (int part = 0; part < parts && known; ++part) {
        known = matrices_nonsymmetric(c->kind, c->n, 1, seed + (uint64_t)part * 1000003, room);
        for (int64_t k = 0; k < square && known; ++k)
            numbers_put_part(&c->in[0], (b * square + k) * parts + part, room[k]);
    }
    if (known) return true;
    numbers one = {c->type, square, numbers_at(&c->in[0], b * square)};
    return matrices_hermitian(c->kind, c->n, 1, seed, &one, error);
}

static bool fill(bench_case *c, io_error *error)
{
    int64_t const square = c->n * c->n;
    c->wanted = c->n;
    c->w.type = type_complex(c->type);
    if (!matrices_nonsymmetric_text(c->kind) && !matrices_hermitian_text(c->kind))
        return case_refuse_kind(c->kind, "geev takes full matrices", error);
    if (!numbers_make(&c->in[0], c->type, square * c->batch)) return false;
    if (c->vectors && !numbers_make(&c->v, c->w.type, square * c->batch)) return false;
    double *const a = (double *)malloc((size_t)(square > 0 ? square : 1) * sizeof *a);
    bool good = a != NULL;
    for (int64_t b = 0; b < c->batch && good; ++b) {
        io_tell("making", c->kind, b, c->batch);
        good = fill_one(c, b, a, error);
    }
    io_tell("making", c->kind, 1, 1);
    free(a);
    if (!good || numbers_not_finite(&c->in[0]) < 0) return good;
    snprintf(error->text, sizeof error->text, "%s has numbers beyond f32: use --type f64", c->kind);
    return false;
}

static eig_status work_size(eig_context *ctx, const bench_case *c, size_t *bytes)
{
    return eig_geev_work_size(ctx, c->type, &c->geev, c->n, c->vectors, c->batch, bytes);
}

/* The kinds are made in C order and read as columns: transposed matrices, with the same eigenvalues. */
static eig_status call(eig_context *ctx, const bench_case *c, const case_arrays *at)
{
    int64_t const n = c->n, lda = n > 0 ? n : 1;
    return eig_geev_batched(ctx, c->type, &c->geev, n, at->in[0], lda, n * n, at->w, n, NULL, 0, 0, at->v, lda, n * n,
                            NULL, at->info, c->batch);
}

/* ------------------------------------------------------------------- check */

/* |trace - sum w| of matrix b in units of n eps ||A||. */
static double trace_error(const bench_case *c, int64_t b)
{
    int64_t const n = c->n;
    long double norm = 0, re = 0, im = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        long double const x = (long double)numbers_re(&c->in[0], b * n * n + k);
        long double const y = (long double)numbers_im(&c->in[0], b * n * n + k);
        norm += x * x + y * y;
        if (k % (n + 1) == 0) re -= x, im -= y;
    }
    for (int64_t k = 0; k < n; ++k)
        re += (long double)numbers_re(&c->w, b * n + k), im += (long double)numbers_im(&c->w, b * n + k);
    long double const unit = (long double)n * (long double)type_eps(c->type) * sqrtl(norm);
    long double const far = hypotl(re, im);
    return far == 0 ? 0 : unit > 0 ? (double)(far / unit) : INFINITY;
}

/* The largest sigma_min(A - w I) over the eigenvalues of matrix b in the same units: how far A has to be changed for
 * each of them to be exact.  A few eigenvalues of large matrices are tested, beyond n = 928 none. */
static double backward_error(const bench_case *c, int64_t b)
{
    int64_t const n = c->n;
    double *const a = (double *)malloc((size_t)(n * n) * sizeof *a);
    if (!a) return INFINITY;
    numbers_to(&c->in[0], b * n * n, a, n * n);
    long double const unit = (long double)n * (long double)type_eps(c->type) * dense_norm(n, a);
    double const wanted = 2 * sample_flops / pow((double)n, 3);
    int64_t const step = wanted >= (double)n ? 1 : wanted >= 1 ? (int64_t)ceil((double)n / wanted) : n;
    long double most = 0;
    for (int64_t k = 0; k < n && wanted >= 1; k += step) {
        dense_number determinant;
        dense_number const w = dense_complex(numbers_re(&c->w, b * n + k), numbers_im(&c->w, b * n + k));
        most = fmaxl(most, dense_sigma_min(n, a, w, &determinant));
    }
    free(a);
    return most == 0 ? 0 : unit > 0 ? (double)(most / unit) : INFINITY;
}

/* The largest ||A x - w x|| over the pairs of matrix b in the same units. */
static double residual(const bench_case *c, int64_t b)
{
    int64_t const n = c->n, at = b * n * n;
    long double most = 0, norm = 0;
    for (int64_t k = 0; k < n; ++k) {
        long double sum = 0;
        for (int64_t i = 0; i < n; ++i) {
            dense_number const w = dense_complex(numbers_re(&c->w, b * n + k), numbers_im(&c->w, b * n + k));
            dense_number r = 0;
            for (int64_t j = 0; j < n; ++j) {
                int64_t const from = at + i + j * n, to = at + j + k * n;
                dense_number const a = dense_complex(numbers_re(&c->in[0], from), numbers_im(&c->in[0], from));
                dense_number const x = dense_complex(numbers_re(&c->v, to), numbers_im(&c->v, to));
                r += dense_product(a - (i == j ? w : 0), x);
                if (k == 0) norm += creall(a) * creall(a) + cimagl(a) * cimagl(a);
            }
            sum += creall(r) * creall(r) + cimagl(r) * cimagl(r);
        }
        most = fmaxl(most, isnan(sum) ? INFINITY : sqrtl(sum));
    }
    long double const unit = (long double)n * (long double)type_eps(c->type) * sqrtl(norm);
    return most == 0 ? 0 : unit > 0 ? (double)(most / unit) : INFINITY;
}

static double sample_error(const bench_case *c, int64_t b)
{
    return c->vectors ? residual(c, b) : type_is_complex(c->type) ? 0 : backward_error(c, b);
}

static eig_status check(eig_context *ctx, const bench_case *c, double *error)
{
    double const wanted = sample_flops / (4.0 * pow((double)c->n, 4) + 1000);
    int64_t const samples = wanted < 1 ? 1 : wanted < MOST_SAMPLES ? (int64_t)wanted : MOST_SAMPLES;
    int64_t const step = c->batch > samples ? c->batch / samples : 1;
    double most = 0;
    (void)ctx;
#pragma omp parallel for schedule(dynamic, 16) reduction(max : most)
    for (int64_t b = 0; b < c->batch; ++b) {
        double const first = trace_error(c, b), second = b % step == 0 ? sample_error(c, b) : 0;
        most = fmax(most, fmax(first, second));
    }
    *error = most;
    return EIG_OK;
}

const case_family case_geev = {"geev", 10, fill, work_size, call, check};
