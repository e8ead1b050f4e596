/* Cases of heev: Hermitian matrices, one after the other, checked by residual and orthogonality, or, without vectors, by
 * Sturm counts. */
#include "cases.h"
#include "hermitian.h"
#include "io/matrices_hermitian.h"

#include <stdio.h>

enum { MOST_SAMPLES = 97 };
static const double sample_flops = 2e8; /* certificates are made for as many matrices as this pays for */
static const double allowed = 10;       /* n eps */

static bool fill(bench_case *c, io_error *error)
{
    int64_t const entries = c->n * c->n * c->batch;
    c->wanted = c->n;
    c->w.type = type_real(c->type);
    if (!matrices_hermitian_text(c->kind)) return case_refuse_kind(c->kind, "heev takes Hermitian matrices", error);
    if (!numbers_make(&c->in[0], c->type, entries)) return false;
    if (!c->values_only && !numbers_make(&c->v, c->type, entries)) return false;
    return matrices_hermitian(c->kind, c->n, c->batch, c->seed, &c->in[0], error);
}

static eig_status work_size(eig_context *ctx, const bench_case *c, size_t *bytes)
{
    return eig_heev_work_size(ctx, c->type, &c->heev, c->n, !c->values_only, c->batch, bytes);
}

/* The kinds are made in C order and read as columns: the conjugates, Hermitian too. */
static eig_status call(eig_context *ctx, const bench_case *c, const case_arrays *at)
{
    int64_t const n = c->n, ld = n > 0 ? n : 1;
    return eig_heev_batched(ctx, c->type, &c->heev, n, at->in[0], ld, n * n, NULL, at->w, n, at->v, ld, n * n, at->info,
                            NULL, c->batch);
}

/* ------------------------------------------------------------------- check */

/* |trace - sum w| of matrix b in units of n eps ||A||; infinity where w does not ascend. */
static double trace_error(const bench_case *c, int64_t b)
{
    int64_t const n = c->n;
    long double trace = 0, norm = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        long double const re = (long double)numbers_re(&c->in[0], b * n * n + k);
        long double const im = (long double)numbers_im(&c->in[0], b * n * n + k);
        norm += re * re + im * im;
        if (k % (n + 1) == 0) trace += re;
    }
    for (int64_t k = 0; k < n; ++k) {
        double const w = numbers_re(&c->w, b * n + k);
        if (k > 0 && w < numbers_re(&c->w, b * n + k - 1)) return INFINITY;
        trace -= (long double)w;
    }
    long double const unit = (long double)n * (long double)type_eps(c->type) * sqrtl(norm);
    return trace == 0 ? 0 : unit > 0 ? (double)(fabsl(trace) / unit) : INFINITY;
}

/* The larger of the measures of the decomposition and of orthogonality. */
static double vectors_error(const bench_case *c, int64_t b)
{
    hermitian_norms const norms = hermitian_certify(c->n, &c->in[0], &c->w, &c->v, b, false);
    long double const unit = (long double)c->n * (long double)type_eps(c->type);
    long double const residual = norms.residual == 0 ? 0 : norms.residual / norms.a;
    double const worst = (double)(fmaxl(residual, norms.orthogonality) / unit);
    return isnan(norms.residual + norms.orthogonality) ? INFINITY : worst;
}

/* | ||A||_F^2 - sum w^2 |, in units of n eps ||A||_F^2: where counts would take minutes. */
static double squares_error(const bench_case *c, int64_t b)
{
    int64_t const n = c->n;
    long double norm = 0, sum = 0;
    for (int64_t k = 0; k < n * n; ++k) {
        long double const re = (long double)numbers_re(&c->in[0], b * n * n + k);
        long double const im = (long double)numbers_im(&c->in[0], b * n * n + k);
        norm += re * re + im * im;
    }
    for (int64_t k = 0; k < n; ++k) sum += (long double)numbers_re(&c->w, b * n + k) * numbers_re(&c->w, b * n + k);
    return (double)(fabsl(norm - sum) / ((long double)n * (long double)type_eps(c->type) * norm));
}

/* The smallest bound that counts show for all eigenvalues. */
static double values_error(const bench_case *c, int64_t b)
{
    enum { COUNTED = 600 };
    int64_t const n = c->n;
    if (n > COUNTED) return squares_error(c, b);
    hermitian h = hermitian_new(n, &c->in[0], b * n * n);
    double const first = numbers_re(&c->w, b * n), last = numbers_re(&c->w, b * n + n - 1);
    long double const most = fmaxl(fabsl((long double)first), fabsl((long double)last));
    long double const unit = (long double)n * (long double)type_eps(c->type) * most;
    long double const tiny = type_is_single(c->type) ? 0x1p-149L : 0x1p-1074L; /* the smallest number */
    double bound = 1.0 / 64;
    for (int64_t k = 0; k < n && bound <= allowed;) {
        if (hermitian_holds(&h, k + 1, numbers_re(&c->w, b * n + k), (long double)bound * unit + tiny))
            ++k;
        else
            bound *= 2;
    }
    hermitian_free(&h);
    return bound;
}

static eig_status check(eig_context *ctx, const bench_case *c, double *error)
{
    double const wanted = sample_flops / (8.0 * pow((double)c->n, 3) + 1000);
    int64_t const samples = wanted < 1 ? 1 : wanted < MOST_SAMPLES ? (int64_t)wanted : MOST_SAMPLES;
    int64_t const step = c->batch > samples ? c->batch / samples : 1;
    double most = 0;
    (void)ctx;
#pragma omp parallel for schedule(dynamic, 16) reduction(max : most)
    for (int64_t b = 0; b < c->batch; ++b) {
        double const trace = trace_error(c, b);
        double const sample = b % step != 0 ? 0 : c->values_only ? values_error(c, b) : vectors_error(c, b);
        most = fmax(most, fmax(sample, trace > allowed ? trace : 0));
    }
    *error = most;
    return EIG_OK;
}

const case_family case_heev = {"heev", 10, fill, work_size, call, check};
