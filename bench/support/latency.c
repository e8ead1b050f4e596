/* Small calls, timed one by one. */
#include "latency.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_tridiagonal(const latency_case *c)
{
    return c->name[0] == 's';
}

static bool is_geev(const latency_case *c)
{
    return c->name[0] == 'g';
}

static bool has_vectors(const latency_case *c)
{
    return strstr(c->name, "vectors") != NULL;
}

/* ------------------------------------------------------------------- calls */

static eig_status call_heev(eig_context *ctx, const latency_case *c)
{
    int64_t const n = c->n;
    return eig_dsyev_batched(ctx, NULL, n, c->array[0], n, n * n, NULL, c->array[2], n,
                             has_vectors(c) ? c->array[3] : NULL, n, n * n, NULL, NULL, c->batch);
}

static eig_status size_heev(eig_context *ctx, const latency_case *c, size_t *bytes)
{
    return eig_heev_work_size(ctx, EIG_D, NULL, c->n, has_vectors(c), c->batch, bytes);
}

static eig_status call_geev(eig_context *ctx, const latency_case *c)
{
    int64_t const n = c->n;
    return eig_dgeev_batched(ctx, NULL, n, c->array[0], n, n * n, c->array[2], n, NULL, 0, 0,
                             has_vectors(c) ? c->array[3] : NULL, n, n * n, NULL, NULL, c->batch);
}

static eig_status size_geev(eig_context *ctx, const latency_case *c, size_t *bytes)
{
    return eig_geev_work_size(ctx, EIG_D, NULL, c->n, has_vectors(c), c->batch, bytes);
}

static eig_status call_stebz(eig_context *ctx, const latency_case *c)
{
    int64_t const n = c->n;
    return eig_dstebz_batched(ctx, NULL, n, c->array[0], n, c->array[1], n, c->array[2], NULL, NULL, n, NULL, c->batch);
}

static eig_status size_stebz(eig_context *ctx, const latency_case *c, size_t *bytes)
{
    return eig_stebz_work_size(ctx, EIG_D, NULL, c->n, c->batch, bytes);
}

static eig_status call_stemr(eig_context *ctx, const latency_case *c)
{
    int64_t const n = c->n;
    return eig_dstemr_batched(ctx, NULL, n, c->array[0], n, c->array[1], n, NULL, c->array[2], n, c->array[3], n, n * n,
                              NULL, NULL, NULL, NULL, NULL, c->batch);
}

static eig_status size_stemr(eig_context *ctx, const latency_case *c, size_t *bytes)
{
    return eig_stemr_work_size(ctx, EIG_D, NULL, c->n, 1, bytes);
}

int latency_cases(int64_t n, int64_t batch, latency_case c[LATENCY_CALLS])
{
    static const latency_case all[LATENCY_CALLS] = {
        {.name = "heev vectors", .call = call_heev, .work_size = size_heev},
        {.name = "heev values", .call = call_heev, .work_size = size_heev},
        {.name = "geev vectors", .call = call_geev, .work_size = size_geev},
        {.name = "geev values", .call = call_geev, .work_size = size_geev},
        {.name = "stebz", .call = call_stebz, .work_size = size_stebz},
        {.name = "stemr vectors", .call = call_stemr, .work_size = size_stemr},
    };
    memcpy(c, all, sizeof all);
    for (int k = 0; k < LATENCY_CALLS; ++k) c[k].n = n, c[k].batch = batch;
    return LATENCY_CALLS;
}

/* ------------------------------------------------------------------ arrays */

int64_t latency_count(const latency_case *c, int k)
{
    int64_t const n = c->n, b = c->batch;
    int64_t const counts[LATENCY_ARRAYS] = {is_tridiagonal(c) ? n * b : n * n * b, n * b, 2 * n * b,
                                            (is_geev(c) ? 2 : 1) * n * n * b};
    return counts[k];
}

void latency_fill(const latency_case *c, double *const host[LATENCY_ARRAYS])
{
    uint64_t state = 7;
    for (int k = 0; k < 2; ++k)
        for (int64_t i = 0; i < latency_count(c, k); ++i) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            host[k][i] = (double)(state >> 11) * 0x1p-52 - 1;
        }
}

/* Entry (i, j) of matrix b.  heev reads the lower triangle of columns. */
static double entry_of(const latency_case *c, double *const host[LATENCY_ARRAYS], int64_t b, int64_t i, int64_t j)
{
    int64_t const n = c->n, low = i > j ? i : j, high = i > j ? j : i;
    if (is_geev(c)) return host[0][b * n * n + i + j * n];
    if (!is_tridiagonal(c)) return host[0][b * n * n + low + high * n];
    return i == j ? host[0][b * n + i] : low == high + 1 ? host[1][b * n + high] : 0;
}

double latency_error(const latency_case *c, double *const host[LATENCY_ARRAYS])
{
    int64_t const n = c->n;
    double most = 0;
    for (int64_t b = 0; b < c->batch; ++b) {
        double trace = 0, sum = 0, norm = 0;
        for (int64_t i = 0; i < n; ++i) {
            double row = 0;
            for (int64_t j = 0; j < n; ++j) row += fabs(entry_of(c, host, b, i, j));
            trace += entry_of(c, host, b, i, i);
            norm = fmax(norm, row);
            sum += host[2][is_geev(c) ? 2 * (b * n + i) : b * n + i];
        }
        double const off = fabs(sum - trace) / ((double)n * DBL_EPSILON * norm);
        most = off >= most ? off : isnan(off) ? INFINITY : most;
    }
    return most;
}

bench_row latency_row(const latency_case *c, const char *how, char *method, size_t size, double ms, double limit_ms,
                      double error)
{
    snprintf(method, size, "%s %s", c->name, how);
    return (bench_row){.family = "latency",
                       .method = method,
                       .type = EIG_D,
                       .n = c->n,
                       .batch = c->batch,
                       .time_ms = ms,
                       .limit_ms = limit_ms,
                       .error = error,
                       .passed = error <= LATENCY_ALLOWED};
}
