/* The table of C. Lessig and P. Bientinesi (2009) for stemr on this machine: time, residual, orthogonality, and values
 * beside LAPACK's dsterf; the rows of docs/families/stemr.md.
 *
 *     build/bench/stemr_table [THREADS]
 *
 * Matrices: d and e uniform in [0, 1) or [-1, 1); n = 128 to 1024, float and double.  Times: medians of 15 calls.
 * Residuals, max ||T z - w z||, are in n eps ||T||, orthogonality, max |Z'Z - I|, in n eps, values in eps ||T||; eps is
 * that of the type, and dsterf computes in double on the same numbers. */
#include "bench/support/times.h"
#include "eigpack.h"
#include "io/matrices.h"
#include "io/numbers.h"
#include "type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dsterf_(const int *n, double *d, double *e, int *info);

enum { MOST = 1024, CALLS = 15 };

static double d[MOST], e[MOST], w[MOST], z[MOST * MOST];

static int solve(eig_context *ctx, eig_type type, int64_t n, double *ms)
{
    numbers x[4];
    int64_t const counts[4] = {n, n - 1, n, n * n};
    times t = {0};
    for (int i = 0; i < 4; ++i)
        if (!numbers_make(&x[i], type, counts[i])) return 1;
    numbers_from(&x[0], 0, d, n), numbers_from(&x[1], 0, e, n - 1);
    numbers_to(&x[0], 0, d, n), numbers_to(&x[1], 0, e, n - 1);
    for (int turn = -1; turn < CALLS; ++turn) {
        double const start = clock_ms();
        eig_status const status = eig_stemr(ctx, type, NULL, n, x[0].data, x[1].data, NULL, x[2].data, x[3].data, n,
                                            NULL, NULL, NULL, NULL, NULL);
        if (turn >= 0) times_add(&t, clock_ms() - start);
        if (status != EIG_OK) return 1;
    }
    *ms = times_median(&t);
    numbers_to(&x[2], 0, w, n), numbers_to(&x[3], 0, z, n * n);
    for (int i = 0; i < 4; ++i) numbers_free(&x[i]);
    return 0;
}

static double residual_of(int64_t n, int64_t k)
{
    const double *const v = z + k * n;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        double r = (d[i] - w[k]) * v[i];
        if (i > 0) r += e[i - 1] * v[i - 1];
        if (i + 1 < n) r += e[i] * v[i + 1];
        sum += r * r;
    }
    return sqrt(sum);
}

static void row(eig_context *ctx, const char *kind, eig_type type, int64_t n)
{
    io_tridiagonal t;
    io_error error;
    double ms, residual = 0, skew = 0, away = 0, norm = 0;
    int const order = (int)n;
    int info;
    if (!matrices_tridiagonal(kind, n, 1, &t, &error)) exit(1);
    memcpy(d, t.d, (size_t)n * sizeof *d), memcpy(e, t.e, (size_t)(n - 1) * sizeof *e);
    io_tridiagonal_free(&t);
    if (solve(ctx, type, n, &ms) != 0) exit(1);
    for (int64_t i = 0; i < n; ++i)
        norm = fmax(norm, fabs(d[i]) + (i > 0 ? fabs(e[i - 1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0));
    for (int64_t k = 0; k < n; ++k) {
        residual = fmax(residual, residual_of(n, k));
        for (int64_t j = 0; j <= k; ++j) {
            double dot = 0;
            for (int64_t i = 0; i < n; ++i) dot += z[i + j * n] * z[i + k * n];
            skew = fmax(skew, fabs(dot - (j == k)));
        }
    }
    dsterf_(&order, d, e, &info);
    for (int64_t k = 0; k < n; ++k) away = fmax(away, fabs(w[k] - d[k]));
    double const eps = type_eps(type), scale = (double)n * eps;
    printf("| %s | %s | %lld | %.3f | %.3f | %.3f | %.2f |\n", strcmp(kind, "uniform") == 0 ? "U(-1,1)" : "U(0,1)",
           type_name(type), (long long)n, ms, residual / (scale * norm), skew / scale,
           info == 0 ? away / (eps * norm) : NAN);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    eig_context *ctx;
    if (eig_create(&ctx, "cpu") != EIG_OK || eig_set_threads(ctx, argc > 1 ? atoi(argv[1]) : 0) != EIG_OK) return 1;
    printf("%s\n\n| matrix | type | n | ms | residual | orthogonality | values |\n|---|---|---:|---:|---:|---:|---:|\n",
           eig_describe(ctx));
    for (int kind = 0; kind < 2; ++kind)
        for (int type = 0; type < 2; ++type)
            for (int64_t n = 128; n <= MOST; n *= 2) row(ctx, kind ? "uniform" : "uniform01", type ? EIG_D : EIG_S, n);
    eig_destroy(ctx);
    return 0;
}
