/* The cases of bench_scale: see scale_cases.h. */
#include "scale_cases.h"
#include "io/matrices.h"
#include "io/matrices_batch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void scale_must(eig_context *ctx, eig_status status)
{
    if (status == EIG_OK) return;
    fprintf(stderr, "%s: %s\n", eig_status_text(status), eig_error_detail(ctx));
    exit(1);
}

/* Uniform in [0, 1), the same for every number of threads. */
static void fill_uniform(double *x, int64_t count, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; ++i) {
        uint64_t z = ((uint64_t)i + seed) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        x[i] = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    }
}

/* A control loop at a grid of three gains, in front of its points. */
enum { LOOP = 15, GAINS = 3, LOOPS = (GAINS + 1) * LOOP * LOOP };

static void fill_geev(const scale_case *c, void *in)
{
    double *const a = in, *const x = a + LOOPS;
    int64_t const side = (int64_t)llround(cbrt((double)c->batch));
    if (!matrices_nonsymmetric("closed-loop", LOOP, GAINS + 1, 1, a)) exit(1);
    for (int k = LOOP * LOOP; k < LOOPS; ++k) a[k] -= a[k % (LOOP * LOOP)];
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < c->batch; ++p) {
        x[3 * p] = (double)(p % side) / (double)side;
        x[3 * p + 1] = (double)(p / side % side) / (double)side;
        x[3 * p + 2] = (double)(p / side / side) / (double)side;
    }
}

static eig_status call_geev(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    const double *const a = in;
    return eig_dgeev_affine(ctx, NULL, LOOP, GAINS, a, LOOP, LOOP * LOOP, a + LOOPS, GAINS, NULL, 0, EIG_GEEV_ABSCISSA,
                            out, NULL, c->batch);
}

/* The abscissae of some points, by a CPU. */
static bool right_geev(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 500 };
    double value[SOME];
    const double *const a = in, *const found = out;
    for (int part = 0; part < 2; ++part) {
        int64_t const first = part == 0 ? 0 : c->batch - SOME;
        scale_must(cpu, eig_dgeev_affine(cpu, NULL, LOOP, GAINS, a, LOOP, LOOP * LOOP, a + LOOPS + GAINS * first, GAINS,
                                         NULL, 0, EIG_GEEV_ABSCISSA, value, NULL, SOME));
        for (int i = 0; i < SOME; ++i)
            if (!(fabs(value[i] - found[first + i]) < 1e-6)) return false;
    }
    return true;
}

static void fill_tridiagonal(const scale_case *c, void *in)
{
    fill_uniform(in, 2 * c->n, 5);
}

static eig_status call_stebz(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    const double *const d = in;
    return eig_dstebz(ctx, NULL, c->n, d, d + c->n, NULL, out, NULL, NULL, NULL);
}

/* Sturm counts on both sides of some eigenvalues. */
static bool right_stebz(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 64 };
    const double *const d = in, *const w = out;
    double x[2 * SOME];
    int64_t count[2 * SOME];
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = i * ((c->n - 1) / (SOME - 1));
        x[2 * i] = w[k] - 16 * DBL_EPSILON * 3, x[2 * i + 1] = w[k] + 16 * DBL_EPSILON * 3;
    }
    scale_must(cpu, eig_dstebz_count(cpu, c->n, d, d + c->n, 2 * SOME, x, count, NULL));
    for (int i = 0; i < SOME; ++i) {
        int64_t const k = i * ((c->n - 1) / (SOME - 1));
        if (!(count[2 * i] <= k && k < count[2 * i + 1])) return false;
    }
    return true;
}

static void fill_heev(const scale_case *c, void *in)
{
    fill_uniform(in, 2 * c->n * c->n * c->batch, 7);
}

static eig_status call_heev(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    int64_t const n = c->n;
    double *const w = out;
    eig_z *const v = (eig_z *)(w + n * c->batch);
    return eig_zheev_batched(ctx, NULL, n, in, n, n * n, NULL, w, n, v, n, n * n, NULL, NULL, c->batch);
}

/* The eigenvalues of some matrices, by a CPU, and the length of their vectors. */
static bool right_heev(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    enum { SOME = 50, MOST = 64 };
    static double value[SOME * MOST];
    int64_t const n = c->n;
    const double *const w = out;
    const eig_z *const v = (const eig_z *)(w + n * c->batch), *const a = in;
    for (int part = 0; part < 2; ++part) {
        int64_t const first = part == 0 ? 0 : c->batch - SOME;
        scale_must(cpu, eig_zheev_batched(cpu, NULL, n, a + first * n * n, n, n * n, NULL, value, n, NULL, 0, 0, NULL,
                                          NULL, SOME));
        for (int64_t k = 0; k < SOME * n; ++k) {
            const eig_z *const column = v + (first * n + k) * n;
            double length = 0;
            for (int64_t i = 0; i < n; ++i) length += column[i].re * column[i].re + column[i].im * column[i].im;
            if (!(fabs(value[k] - w[first * n + k]) < 1e-11 && fabs(length - 1) < 1e-11)) return false;
        }
    }
    return true;
}

/* w, residuals, vectors. */
static eig_status call_stemr(eig_context *ctx, const scale_case *c, const void *in, void *out)
{
    int64_t const n = c->n;
    const double *const d = in;
    double *const w = out, *const residual = w + n, *const z = residual + n;
    return eig_dstemr(ctx, NULL, n, d, d + n, NULL, w, z, n, NULL, NULL, residual, NULL, NULL);
}

static bool right_stemr(eig_context *cpu, const scale_case *c, const void *in, const void *out)
{
    const double *const w = out, *const residual = w + c->n;
    double const most = 10 * (double)c->n * DBL_EPSILON * 3;
    for (int64_t k = 0; k < c->n; ++k)
        if (!(residual[k] <= most)) return false;
    return right_stebz(cpu, c, in, out);
}

scale_case scale_case_geev(int64_t side)
{
    int64_t const points = side * side * side;
    size_t const in = sizeof(double) * (size_t)(LOOPS + GAINS * points);
    return (scale_case){"geev",    EIG_D,     LOOP,      points, in, sizeof(double) * (size_t)points,
                        fill_geev, call_geev, right_geev};
}

scale_case scale_case_stebz(int64_t n)
{
    return (scale_case){"stebz", EIG_D, n, 1, 16 * (size_t)n, 8 * (size_t)n, fill_tridiagonal, call_stebz, right_stebz};
}

scale_case scale_case_heev(int64_t n, int64_t batch)
{
    size_t const square = 16 * (size_t)(n * n * batch);
    return (scale_case){"heev",    EIG_Z,     n,         batch, square, square + 8 * (size_t)(n * batch),
                        fill_heev, call_heev, right_heev};
}

scale_case scale_case_stemr(int64_t n)
{
    size_t const out = 8 * (size_t)n * (size_t)(n + 2);
    return (scale_case){"stemr", EIG_D, n, 1, 16 * (size_t)n, out, fill_tridiagonal, call_stemr, right_stemr};
}
